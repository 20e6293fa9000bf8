"""The number of ranks up to which the results of a part go, and the number of its seeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config.axes import SEEDS

if TYPE_CHECKING:
    import xarray

_WHOLE_COUNTS = 5


@dataclass(frozen=True)
class Reach:
    """The values that a part was run with.

    Args:
        ranks: The numbers of ranks that have a finished run, in order.
        seeds: Number of seeds of its random choices.
    """

    ranks: tuple[int, ...]
    seeds: int = 1

    @property
    def text(self) -> str:
        """The text, such as "100 to 10,000 ranks (19 counts), 5 seeds"."""
        if not self.ranks:
            return "no runs"
        words = ", ".join(f"{count:,}" for count in self.ranks) + " ranks"
        if len(self.ranks) > _WHOLE_COUNTS:
            words = f"{self.ranks[0]:,} to {self.ranks[-1]:,} ranks ({len(self.ranks)} counts)"
        return words + (f", {self.seeds} seeds" if self.seeds > 1 else "")

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values."""
        return {"ranks": list(self.ranks), "seeds": self.seeds}


def reach_of(data: xarray.Dataset) -> Reach | None:
    """Returns the numbers of ranks with a finished run; None for results that are no runs."""
    if "time_s" not in data:
        return None
    finished = data["time_s"].notnull()
    counts = data["ranks"] if "ranks" in data.variables else None
    if counts is None:
        return None
    known = np.asarray(counts.where(finished), dtype=float)
    ranks = sorted({int(count) for count in known[~np.isnan(known)]})
    seeds = int(np.prod([data.sizes[name] for name in SEEDS if name in data.sizes]))
    return Reach(tuple(ranks), seeds)
