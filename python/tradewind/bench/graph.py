"""The graph of messages in the measurement of neighbourhood exchanges."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tradewind.errors import ConfigError


@dataclass(frozen=True)
class NeighborGraph:
    """A periodic grid of ranks, or a list of edges.

    Args:
        processes: Columns and rows of the grid; None: the squarest one.
        neighbors: 4 or 8 in the grid.
        edges: (source, destination) of every message; instead of a grid.
    """

    processes: tuple[int, int] | None = None
    neighbors: int = 4
    edges: tuple[tuple[int, int], ...] | None = None

    def words(self) -> list[str]:
        """Returns the settings of the compiled program."""
        if self.edges is not None:
            ends = [str(rank) for edge in self.edges for rank in edge]
            return [f"edges=[{','.join(ends)}]"]
        words = [f"neighbors={self.neighbors}"]
        if self.processes is not None:
            words.append(f"processes=[{self.processes[0]},{self.processes[1]}]")
        return words


def read_edges(path: Path) -> NeighborGraph:
    """Reads a text file of one edge per line: source and destination; empty lines and # are skipped.

    Raises:
        ConfigError: If the file cannot be read, or a line is not two ranks.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: {error}") from error
    edges = []
    for number, line in enumerate(lines, 1):
        words = line.split("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not all(word.isdecimal() for word in words):
            raise ConfigError(f"{path}, line {number}: '{line}' is not two ranks, such as '0 3'")
        edges.append((int(words[0]), int(words[1])))
    return NeighborGraph(edges=tuple(edges))
