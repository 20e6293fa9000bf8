"""The communicators of a pattern on a process grid, and the places of ranks in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.grids import AXES, GridRule, Vector, coordinates, group_axes
from tradewind.extrapolation.tree import FIXED_COMMS, ON_GRID, SELF, WORLD
from tradewind.trace_file import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

# The most ranges of ranks that a message names.
_MOST_RANGES = 4


def axes_of(name: str, extents: Vector) -> tuple[int, ...]:
    """Returns the numbers of the axes along which a communicator extends.

    Raises:
        TraceError: If the name is none of world, self or axes of the grid, such as "x" or "xy 2".
    """
    letters = name.split(" ")[0]
    if letters == WORLD:
        return tuple(range(len(extents)))
    if letters == SELF:
        return ()
    known = AXES[: len(extents)]
    if not letters or any(letter not in known for letter in letters):
        raise TraceError(
            f'communicator "{name}": expected world, self or axes of {", ".join(known)}, such as "x"'
        )
    return tuple(sorted(known.index(letter) for letter in set(letters)))


class Communicators:
    """The communicators of all ranks; each rank has one of each name.

    Args:
        names: Their names, `world` and `self` first.
        rule: The process grid of those whose name has none.
        ranks: The number of ranks.
    """

    def __init__(self, names: Sequence[str], rule: GridRule, ranks: int) -> None:
        self.names = list(names)
        self._ranks = ranks
        self._extents: dict[str, Vector] = {}
        self._axes: dict[str, tuple[int, ...]] = {}
        for name in self.names:
            axes, of, words = name.partition(ON_GRID)
            self._extents[name] = (GridRule(words) if of else rule).extents(ranks)
            self._axes[name] = axes_of(axes, self._extents[name])

    def number(self, name: str) -> int:
        """Returns the number of a communicator on each rank; -1 for "none"."""
        return self.names.index(name) if name in self._axes else -1

    def size(self, name: str) -> int:
        """Returns the number of ranks of one."""
        extents = self._extents[name]
        return int(np.prod([extents[axis] for axis in self._axes[name]], dtype=np.int64))

    def index(
        self,
        name: str,
        members: Numbers,
        there: NDArray[np.bool_] | None = None,
        of: Numbers | None = None,
    ) -> Numbers:
        """Returns the places of members of ranks' communicators in them.

        Args:
            name: The communicator.
            members: Ranks of the world.
            there: Whether each member exists; None: all do.
            of: The rank whose communicator each of them is in; None: one member for each rank.

        Raises:
            TraceError: If one is in no communicator of its rank.
        """
        own = np.arange(self._ranks) if of is None else of
        strange = self._which(name, members) != self._which(name, own)
        if there is not None:
            strange &= there
        if np.any(strange):
            at = int(np.flatnonzero(strange)[0])
            raise TraceError(
                f'rank {int(members[at])} leads out of the communicator "{name}" of rank {own[at]}'
            )
        return self._index(name, members)

    def _index(self, name: str, ranks: Numbers) -> Numbers:
        places = coordinates(self._extents[name], ranks)
        return _number(self._extents[name], places, self._axes[name])

    def _which(self, name: str, ranks: Numbers) -> Numbers:
        """Returns which of the communicators with a name holds each rank."""
        extents = self._extents[name]
        rest = [axis for axis in range(len(extents)) if axis not in self._axes[name]]
        return _number(extents, coordinates(extents, ranks), rest)

    def arrays(self) -> dict[str, Numbers]:
        """Returns the arrays of a trace that describe them."""
        first, members, own = [np.zeros(1, np.int64)], [], []
        groups, everybody = 0, np.arange(self._ranks)
        for name in self.names:
            key = self._which(name, everybody)
            order = np.lexsort((self._index(name, everybody), key))
            size = self.size(name)
            members.append(order)
            count = self._ranks // size
            first.append(first[-1][-1] + size * np.arange(1, count + 1))
            own.append(groups + key)
            groups += count
        return {
            "group_first": np.concatenate(first),
            "group_ranks": np.concatenate(members),
            "comm_group": np.stack(own, 1).ravel(),
            "comm_first": np.arange(self._ranks + 1, dtype=np.int64) * len(self.names),
        }


def strange_group(trace: Trace, rank: int, rules: Sequence[GridRule]) -> str:
    """Says which ranks are with one in its first communicator that no grid has; empty if there is none."""
    first = trace.arrays["comm_first"]
    for comm in range(len(FIXED_COMMS), int(first[rank + 1] - first[rank])):
        members = trace.members(rank, comm)
        extents = [rule.extents(trace.ranks) for rule in rules]
        if not any(group_axes(one, members, rank) for one in extents):
            is_turned = any(group_axes(one, np.sort(members), rank) for one in extents)
            order = ", one of these in another order than that of the ranks" if is_turned else ""
            return f"on {trace.ranks} ranks it has {ranges_of(members.tolist())}{order}"
    return ""


def ranges_of(ranks: Sequence[int]) -> str:
    """Returns ranks in words, such as "0 to 6, 9"; of many only the first."""
    found: list[list[int]] = []
    for rank in ranks:
        if found and rank == found[-1][-1] + 1:
            found[-1] = [found[-1][0], rank]
        else:
            found.append([rank])
    words = [" to ".join(map(str, one)) for one in found]
    return ", ".join(words[:_MOST_RANGES]) + (", ..." if len(words) > _MOST_RANGES else "")


def _number(extents: Vector, places: Sequence[Numbers], axes: Sequence[int]) -> Numbers:
    """Numbers places by some of their coordinates, the first of them fastest."""
    number = np.zeros_like(places[0])
    for axis in reversed(axes):
        number = number * extents[axis] + places[axis]
    return number
