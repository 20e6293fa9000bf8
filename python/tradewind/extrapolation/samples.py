"""The values that formulas are fitted to, with the rank counts, extents and coordinates that belong to them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.extrapolation.grids import AXES, Vector, coordinates
from tradewind.extrapolation.problem import Problem
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
        sizes: Those of the names that are sizes of the problem.
    """

    names: Mapping[str, NDArray[Any]]
    values: NDArray[Any]
    trace: NDArray[np.int64]
    sizes: tuple[str, ...] = ()

    @property
    def digest(self) -> bytes:
        """A number for all that formulas are fitted to."""
        names = [(name, np.asarray(values)) for name, values in self.names.items()]
        made = hashlib.blake2b(repr(self.sizes).encode(), digest_size=16)
        for name, values in (*names, ("", self.values), ("", self.trace)):
            made.update(f"{name} {values.dtype} {values.shape} ".encode())
            # Whole numbers beyond 64 bits are objects.
            large = values.dtype.hasobject
            made.update(repr(values.tolist()).encode() if large else values.tobytes())
        return made.digest()

    @cached_property
    def of_traces(self) -> list[Samples]:
        """The entries of each trace."""
        return [self.where(self.trace == trace) for trace in np.unique(self.trace)]

    @cached_property
    def distinct(self) -> NDArray[Any]:
        """The different values, from small to large."""
        return np.unique(self.values)

    @cached_property
    def common_divisor(self) -> int:
        """The largest number that divides all values."""
        return int(np.gcd.reduce(self.values.astype(np.int64)))

    def first_at(self, name: str) -> tuple[NDArray[Any], NDArray[Any]]:
        """Returns the different values of a name, and the first entry with each."""
        if name not in self._first:
            self._first[name] = np.unique(self.names[name], return_index=True)
        return self._first[name]

    @cached_property
    def _first(self) -> dict[str, tuple[NDArray[Any], NDArray[Any]]]:
        return {}

    def where(self, chosen: NDArray[np.bool_]) -> Samples:
        """Returns some of the entries."""
        names = {name: values[chosen] for name, values in self.names.items()}
        return Samples(names, self.values[chosen], self.trace[chosen], self.sizes)


@dataclass(frozen=True)
class Setups:
    """The setups of recordings, an entry for each trace.

    Args:
        ranks: The number of ranks.
        problems: The sizes of the problem, by their names; the same names in all.
    """

    ranks: Sequence[int]
    problems: Sequence[Problem]

    @property
    def sizes(self) -> tuple[str, ...]:
        """The names of the sizes."""
        return tuple(self.problems[0])

    @property
    def are_independent(self) -> bool:
        """True if some problem was recorded at several rank counts, or several problems at one."""
        problems = [tuple(problem.values()) for problem in self.problems]
        both = set(zip(self.ranks, problems, strict=True))
        return len(both) > min(len(set(self.ranks)), len(set(problems)))

    def of(self, traces: Sequence[int]) -> Setups:
        """Returns those of some traces."""
        return Setups([self.ranks[one] for one in traces], [self.problems[one] for one in traces])


def names_of(
    members: Sequence[Member], setups: Setups, extents: Sequence[Vector]
) -> dict[str, NDArray[Any]]:
    """Returns the values of the names of formulas for ranks of traces."""
    traces = np.asarray([member[0] for member in members], np.int64)
    rank = np.asarray([member[1] for member in members], np.int64)
    counts = np.asarray(setups.ranks, np.int64)[traces]
    names: dict[str, NDArray[Any]] = {"P": counts, "rank": rank}
    left = rank
    for axis, name in enumerate(AXES[: len(extents[0])]):
        extent = np.asarray([one[axis] for one in extents], np.int64)[traces]
        names[f"n{name}"], names[name] = extent, left % extent
        left = left // extent
    if members and len(members[0]) > 2:
        names["k"] = np.asarray([member[2] for member in members], np.int64)
    for size in setups.sizes:
        names[size] = np.asarray([one[size] for one in setups.problems], np.int64)[traces]
    return names


def all_names(ranks: int, extents: Vector) -> dict[str, NDArray[Any]]:
    """Returns the values of the names of formulas for all ranks of a run."""
    rank = np.arange(ranks, dtype=np.int64)
    names: dict[str, NDArray[Any]] = {"P": np.full(ranks, ranks, np.int64), "rank": rank}
    for name, extent, own in zip(AXES, extents, coordinates(extents, rank), strict=False):
        names[f"n{name}"], names[name] = np.full(ranks, extent, np.int64), own
    return names
