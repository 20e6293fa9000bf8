"""The graph of messages in the measurements of neighbourhood and mesh exchanges."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tradewind.errors import ConfigError
from tradewind.files import load_text, shortened


@dataclass(frozen=True)
class NeighborGraph:
    """A periodic grid of ranks, or a list of edges.

    Args:
        processes: Columns and rows of the grid; None: the squarest one.
        neighbors: 4 or 8 in the grid; None: 4.
        edges: (source, destination) of every message; instead of a grid.
    """

    processes: tuple[int, int] | None = None
    neighbors: int | None = None
    edges: tuple[tuple[int, int], ...] | None = None

    def settings(self) -> dict[str, object]:
        """Returns the settings of the measurement."""
        if self.edges is not None:
            return {"edges": [rank for edge in self.edges for rank in edge]}
        given = {
            "neighbors": self.neighbors,
            "processes": None if self.processes is None else list(self.processes),
        }
        return {key: value for key, value in given.items() if value is not None}


@dataclass(frozen=True)
class MeshGrid:
    """A periodic grid of square elements; what is None has the measurement's default.

    Args:
        processes: Columns and rows of the ranks.
        elements: Elements along each side of a rank's square.
        connectivity: "edges_and_corners" or "edges".
        combination: "sum" or "copy".
    """

    processes: tuple[int, int] | None = None
    elements: int | None = None
    connectivity: str | None = None
    combination: str | None = None

    def settings(self) -> dict[str, object]:
        """Returns the settings of the measurement."""
        given = {
            "processes": None if self.processes is None else list(self.processes),
            "elements": self.elements,
            "connectivity": self.connectivity,
            "combination": self.combination,
        }
        return {key: value for key, value in given.items() if value is not None}


def read_edges(path: Path) -> NeighborGraph:
    """Reads a text file of one edge per line: source and destination; empty lines and # are skipped.

    Raises:
        ConfigError: If the file cannot be read, or a line is not two ranks.
    """
    lines = load_text(path).splitlines()
    edges = []
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not all(word.isdecimal() and len(word) < 10 for word in words):
            raise ConfigError(
                f"{path}, line {number}: '{shortened(line)}' is not two ranks, such as '0 3'"
            )
        edges.append((int(words[0]), int(words[1])))
    if not edges:
        raise ConfigError(f"{path}: has no edges; expected a line such as '0 3' for each")
    return NeighborGraph(edges=tuple(edges))
