"""Graphs of ranks from files: the neighbours of each rank where a mesh without structure is cut into parts."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tradewind import core
from tradewind.errors import ConfigError
from tradewind.files import load_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

# Stands for the number of ranks in the names of files.
RANKS = "{ranks}"
TO, FROM = "to", "from"
# The directions of the edges along which calls go that are made for all neighbours, in the order of their numbers.
DIRECTIONS = {
    **dict.fromkeys(("send", "ssend", "rsend", "bsend", "put", "accumulate", "put_signal"), (TO,)),
    **dict.fromkeys(("start", "lock", "unlock", "flush"), (TO,)),
    **dict.fromkeys(("recv", "probe", "get", "post"), (FROM,)),
    **dict.fromkeys(("sendrecv", "neighbor_allgatherv", "neighbor_alltoallv"), (TO, FROM)),
}


@dataclass(frozen=True)
class Links:
    """The edges of a graph in one direction, those of a rank one after the other.

    Args:
        first: The place of the first edge of each rank; the last entry is the number of all.
        others: The rank at the other end of each edge, in ascending order for each rank.
        weights: The weight of each edge.
    """

    first: Numbers
    others: Numbers
    weights: Numbers

    @classmethod
    def of(cls, own: Numbers, others: Numbers, weights: Numbers, ranks: int) -> Links:
        """Sorts edges by the ranks at their ends."""
        order = np.lexsort((others, own))
        first = np.searchsorted(own[order], np.arange(ranks + 1))
        return cls(first.astype(np.int64), others[order], weights[order])

    def edges(self, rank: int) -> slice:
        """Returns the places of the edges of a rank."""
        return slice(int(self.first[rank]), int(self.first[rank + 1]))

    def count(self, rank: int) -> int:
        """Returns the number of edges of a rank."""
        return int(self.first[rank + 1] - self.first[rank])

    @property
    def owners(self) -> Numbers:
        """The rank of each edge."""
        return np.repeat(np.arange(len(self.first) - 1), np.diff(self.first))


@dataclass(frozen=True)
class RankGraph:
    """Ranks that have something for each other, and how much.

    Args:
        links: The edges by direction: `to` those that a rank sends to, `from` those that it receives from.
    """

    links: dict[str, Links]

    @classmethod
    def read(cls, graph: Path, partition: str, ranks: int) -> RankGraph:
        """Reads an edge list or a METIS graph, as the program `graph` does.

        Args:
            graph: The file.
            partition: The text of the partition of a METIS graph; empty: the file is an edge list.
            ranks: The number of ranks.

        Raises:
            ConfigError: If one of them is wrong.
        """
        if not graph.is_file():
            raise ConfigError(f"{graph}: is no file")
        found = core.load().rank_edges(str(graph), partition, ranks)
        own, other, weight = (np.asarray(found[key], np.int64) for key in ("from", "to", "weight"))
        if ranks > 1 and not len(own):
            raise ConfigError(
                f"{graph}: no rank has a neighbour in it; expected edges between ranks"
            )
        return cls(
            {TO: Links.of(own, other, weight, ranks), FROM: Links.of(other, own, weight, ranks)}
        )

    @property
    def words(self) -> str:
        """A text that differs for other edges."""
        links = self.links[TO]
        columns = links.first, links.others, links.weights
        return hashlib.sha256(b"".join(column.tobytes() for column in columns)).hexdigest()

    def has_edges(self, call: str, rank: int) -> bool:
        """Reports whether a rank has neighbours for which it makes a call."""
        return any(self.links[direction].count(rank) > 0 for direction in DIRECTIONS[call])


@dataclass(frozen=True)
class GraphFiles:
    """The names of the files of a graph of ranks; `{ranks}` in them stands for the number of ranks.

    Args:
        graph: An edge list, or a METIS graph.
        partition: The file with the rank of each vertex; empty: none.
    """

    graph: str
    partition: str = ""

    def paths(self, ranks: int) -> list[Path]:
        """Returns the files for a number of ranks: the graph, and the partition if there is one."""
        names = [self.graph, self.partition] if self.partition else [self.graph]
        return [Path(name.replace(RANKS, str(ranks))) for name in names]

    def read(self, ranks: int) -> RankGraph:
        """Reads the graph for a number of ranks.

        Raises:
            ConfigError: If a file cannot be read, or is wrong.
        """
        graph, *partition = self.paths(ranks)
        try:
            words = load_text(partition[0]).split() if partition else []
            return RankGraph.read(graph, "".join(f"{word}\n" for word in words), ranks)
        except ConfigError as error:
            raise ConfigError(f"graph of {ranks} ranks: {error}") from None
