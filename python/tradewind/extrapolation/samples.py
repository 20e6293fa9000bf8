"""The values that formulas are fitted to, with the rank counts, extents and coordinates that belong to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.extrapolation.grids import AXES, Vector, coordinates
from tradewind.extrapolation.template import Member

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Samples:
    """Values, one for each entry.

    Args:
        names: What a formula may use: P, rank, x, nx, ..., in loops that count their turns k, for lists j, the place
            in the communicator, and m, its size.
        values: The values.
        trace: The number of the trace of each.
    """

    names: Mapping[str, NDArray[Any]]
    values: NDArray[Any]
    trace: NDArray[np.int64]


def names_of(
    members: Sequence[Member], ranks: Sequence[int], extents: Sequence[Vector]
) -> dict[str, NDArray[Any]]:
    """Returns the values of the names of formulas for ranks of traces."""
    traces = np.asarray([member[0] for member in members], np.int64)
    rank = np.asarray([member[1] for member in members], np.int64)
    counts = np.asarray(ranks, np.int64)[traces]
    names: dict[str, NDArray[Any]] = {"P": counts, "rank": rank}
    left = rank
    for axis, name in enumerate(AXES[: len(extents[0])]):
        extent = np.asarray([one[axis] for one in extents], np.int64)[traces]
        names[f"n{name}"], names[name] = extent, left % extent
        left = left // extent
    if members and len(members[0]) > 2:
        names["k"] = np.asarray([member[2] for member in members], np.int64)
    return names


def all_names(ranks: int, extents: Vector) -> dict[str, NDArray[Any]]:
    """Returns the values of the names of formulas for all ranks of a run."""
    rank = np.arange(ranks, dtype=np.int64)
    names: dict[str, NDArray[Any]] = {"P": np.full(ranks, ranks, np.int64), "rank": rank}
    for name, extent, own in zip(AXES, extents, coordinates(extents, rank), strict=False):
        names[f"n{name}"], names[name] = np.full(ranks, extent, np.int64), own
    return names
