"""The communicators of a pattern on a process grid, and the places of ranks in them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.grids import AXES, Vector, coordinates
from tradewind.extrapolation.tree import SELF, WORLD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


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
        extents: The process grid.
    """

    def __init__(self, names: Sequence[str], extents: Vector) -> None:
        self.names = list(names)
        self._extents = extents
        self._ranks = int(np.prod(extents))
        self._places = coordinates(extents, np.arange(self._ranks))
        self._axes = {name: axes_of(name, extents) for name in self.names}

    def number(self, name: str) -> int:
        """Returns the number of a communicator on each rank; -1 for "none"."""
        return self.names.index(name) if name in self._axes else -1

    def size(self, name: str) -> int:
        """Returns the number of ranks of one."""
        return int(np.prod([self._extents[axis] for axis in self._axes[name]], dtype=np.int64))

    def index(self, name: str, step: Sequence[int]) -> Numbers:
        """Returns the place of the peer of each rank at a step in the grid, which wraps around.

        Raises:
            TraceError: If the step leads out of the communicator.
        """
        axes = self._axes[name]
        for axis, extent in enumerate(self._extents):
            if axis not in axes and step[axis] % extent:
                raise TraceError(f'offset {list(step)} leads out of the communicator "{name}"')
        index = np.zeros(self._ranks, np.int64)
        for axis in reversed(axes):
            place = (self._places[axis] + step[axis]) % self._extents[axis]
            index = index * self._extents[axis] + place
        return index

    def arrays(self) -> dict[str, Numbers]:
        """Returns the arrays of a trace that describe them."""
        first, members, own = [np.zeros(1, np.int64)], [], []
        groups = 0
        for name in self.names:
            axes = self._axes[name]
            rest = [axis for axis in range(len(self._extents)) if axis not in axes]
            key = np.zeros(self._ranks, np.int64)
            for axis in reversed(rest):
                key = key * self._extents[axis] + self._places[axis]
            order = np.lexsort((self.index(name, [0] * len(self._extents)), key))
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
