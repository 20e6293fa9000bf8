"""The graph of a model's halo: who sends how many items to whom in one exchange."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tradewind import core
from tradewind.config import keys
from tradewind.config.partition import ItemGraph, Numbers, with_metis
from tradewind.config.schema import Section
from tradewind.errors import ConfigError

# Files that say where ranks run: --map-by rankfile:file=FILE of Open MPI, and the file MPICH_RANK_ORDER of Cray MPICH,
# which holds with MPICH_RANK_REORDER_METHOD=3 and lists the ranks node after node.
RANK_FILES = ("openmpi", "cray")


@dataclass(frozen=True)
class HaloGraph:
    """The messages of one exchange of a halo, sorted by sender and receiver.

    Args:
        ranks: The number of ranks.
        source: The sender of each message.
        target: Its receiver.
        items: The cells, points of elements, or columns that it holds.
    """

    ranks: int
    source: Numbers
    target: Numbers
    items: Numbers

    @property
    def text(self) -> str:
        """An edge list: a line FROM TO WEIGHT for each message."""
        lines = [f"# {self.ranks} ranks: FROM TO WEIGHT"]
        columns = (self.source.tolist(), self.target.tolist(), self.items.tolist())
        lines += [f"{one} {other} {items}" for one, other, items in zip(*columns, strict=True)]
        return "\n".join(lines) + "\n"

    def between_ranks(self) -> ItemGraph:
        """Returns the graph of the ranks, whose weights are what two of them send to each other."""
        low, high = np.minimum(self.source, self.target), np.maximum(self.source, self.target)
        pairs, place = np.unique(low * self.ranks + high, return_inverse=True)
        items = np.bincount(place, self.items, minlength=len(pairs)).astype(np.int64)
        one, other = pairs // self.ranks, pairs % self.ranks
        source, target = np.concatenate([one, other]), np.concatenate([other, one])
        order = np.lexsort((target, source))
        first = np.searchsorted(source[order], np.arange(self.ranks + 1))
        weights = np.concatenate([items, items])[order]
        return ItemGraph(first.astype(np.int64), target[order], weights, np.arange(self.ranks))

    def leaving(self, part: Numbers) -> int:
        """Returns the items that are sent between ranks of different parts, such as nodes."""
        return int(self.items[part[self.source] != part[self.target]].sum())


def rank_file(nodes: Numbers, kind: str) -> str:
    """Returns the text with which a launcher puts each rank on its node.

    Args:
        nodes: The node of each rank.
        kind: One of `RANK_FILES`.
    """
    order = np.argsort(nodes, kind="stable")
    if kind == "cray":
        return ",".join(map(str, order.tolist())) + "\n"
    slot = np.empty(len(nodes), np.int64)
    first = np.searchsorted(nodes[order], nodes[order])
    slot[order] = np.arange(len(nodes)) - first
    places = zip(nodes.tolist(), slot.tolist(), strict=True)
    return "".join(
        f"rank {rank}=+n{node} slot={core}\n" for rank, (node, core) in enumerate(places)
    )


def models_with_halo() -> list[str]:
    """Returns the names of the models that exchange a halo whose size the case fixes."""
    return [name for name, entry in keys.models().items() if entry.has_halo]


def halo_graph(model: str, settings: Section, ranks: int) -> HaloGraph:
    """Returns the graph of a model's halo.

    Args:
        model: The name of a model.
        settings: The settings of a case of it, as `Case.settings`.
        ranks: The number of ranks.

    Raises:
        ConfigError: If the model has no such halo, or the settings are wrong.
        Error: If METIS is to distribute the mesh, and pymetis is not installed.
    """
    known = models_with_halo()
    if model not in known:
        raise ConfigError(
            f"{model}: has no halo whose size the case fixes; models with one: {known}"
        )
    own = with_metis(model, settings, ranks)
    edges = core.load().halo_edges({"program": {**own, "name": model, "ranks": ranks}})
    assert edges is not None
    return HaloGraph(ranks, *(np.array(edges[key], np.int64) for key in ("from", "to", "weight")))
