"""The graph of a model's halo: who sends how many items to whom in one exchange."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tradewind import core
from tradewind.config import keys
from tradewind.config.partition import Numbers, with_metis
from tradewind.config.schema import Section
from tradewind.errors import ConfigError


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
