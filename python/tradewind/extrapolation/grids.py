"""Process grids as rules: the extents of a grid for any number of ranks, coordinates, and groups of ranks."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

AXES = ("x", "y", "z")
_FIXED = re.compile(r"[1-9]\d*( x [1-9]\d*){1,2}")
Vector = tuple[int, ...]


class GridError(TraceError):
    """A process grid that a number of ranks does not have.

    Args:
        text: The message.
        words: The rule of the grid.
    """

    def __init__(self, text: str, words: str) -> None:
        super().__init__(text)
        self.words = words


@dataclass(frozen=True)
class GridRule:
    """A rule for process grids; rank = x + nx * (y + ny * z).

    Args:
        words: `line`; `balanced 2` or `balanced 3`, the extents of MPI_Dims_create from large to small;
            `rising 2` or `rising 3`, from small to large; `nx = 4`, a fixed extent in x; `ny = 4`, in y;
            `8 x 4` or `4 x 4 x 2`, all extents, for one number of ranks.
    """

    words: str

    @property
    def axes(self) -> int:
        """The number of extents."""
        match self.words.split():
            case ["line"]:
                return 1
            case ["balanced" | "rising", count]:
                return int(count)
            case ["nx" | "ny", *_]:
                return 2
        return len(self.words.split(" x "))

    @property
    def is_fixed(self) -> bool:
        """True if one of two extents is the same on all rank counts."""
        return " = " in self.words

    def has(self, ranks: int) -> bool:
        """Reports whether there is a grid for a number of ranks."""
        try:
            self.extents(ranks)
        except TraceError:
            return False
        return True

    def extents(self, ranks: int) -> Vector:
        """Returns the extents for a number of ranks, x first.

        Raises:
            GridError: If the rule has no grid for it.
            TraceError: If there is no such rule.
        """
        match self.words.split():
            case ["line"]:
                return (ranks,)
            case ["balanced", "2" | "3" as count]:
                return balanced(ranks, int(count))
            case ["rising", "2" | "3" as count]:
                return balanced(ranks, int(count))[::-1]
            case [*_] if _FIXED.fullmatch(self.words):
                fixed = tuple(map(int, self.words.split(" x ")))
                if math.prod(fixed) != ranks:
                    has = f"process grid {self.words} has {math.prod(fixed)} ranks"
                    raise GridError(f"{has}, the program {ranks}", self.words)
                return fixed
            case ["nx" | "ny" as axis, "=", number] if number.isdecimal() and int(number) > 0:
                if ranks % int(number):
                    why = f"{ranks} ranks are no multiple of it"
                    raise GridError(f'grid = "{self.words}": {why}', self.words)
                pair = (int(number), ranks // int(number))
                return pair if axis == "nx" else pair[::-1]
        raise TraceError(
            f'grid = "{self.words}": expected line, balanced 2, balanced 3, rising 2, rising 3, '
            '"nx = 4", "ny = 4", "8 x 4" or "4 x 4 x 2"'
        )


@cache
def balanced(ranks: int, dimensions: int) -> Vector:
    """Returns the extents of MPI_Dims_create: factors as close to each other as possible, from large to small."""
    if dimensions == 1:
        return (ranks,)
    best = None
    for first in range(1, ranks + 1):
        if first**dimensions > ranks:
            break
        if ranks % first == 0:
            rest = balanced(ranks // first, dimensions - 1)
            candidate = tuple(sorted((first, *rest), reverse=True))
            if (
                best is None
                or candidate[0] < best[0]
                or (candidate[0] == best[0] and candidate[-1] > best[-1])
            ):
                best = candidate
    assert best is not None
    return best


def rules(counts: Sequence[int]) -> list[GridRule]:
    """Lists the rules that have a grid for all rank counts, the simplest first."""
    words = ["line", "balanced 2", "rising 2", "balanced 3", "rising 3"]
    common = np.gcd.reduce(counts)
    for number in range(2, int(common) + 1):
        if common % number == 0:
            words += [f"nx = {number}", f"ny = {number}"]
    return [GridRule(word) for word in words]


def coordinates(extents: Vector, ranks: Numbers | int) -> list[Numbers]:
    """Returns the coordinates of ranks, an array for each axis."""
    left = np.asarray(ranks, np.int64)
    result = []
    for extent in extents:
        result.append(left % extent)
        left = left // extent
    return result


def rank_at(extents: Vector, place: Sequence[Numbers]) -> Numbers:
    """Returns the ranks at coordinates, which wrap around."""
    rank = np.zeros_like(np.asarray(place[0], np.int64))
    for extent, coordinate in zip(reversed(extents), reversed(list(place)), strict=True):
        rank = rank * extent + np.mod(coordinate, extent)
    return rank


def offset_between(extents: Vector, rank: int, other: int) -> Vector:
    """Returns the shortest way from a rank to another one, around the grid where that is shorter."""
    offset = []
    for extent in extents:
        step = (other % extent - rank % extent) % extent
        offset.append(step - extent if 2 * step > extent else step)
        rank, other = rank // extent, other // extent
    return tuple(offset)


def group_axes(extents: Vector, members: Numbers, rank: int) -> list[str]:
    """Lists the axes along which a group extends, such as "xy", if it holds just all ranks along them.

    "" is the rank alone. Axes of one rank may be among them or not, the fewest are first. The order of the
    members must be that of their ranks.
    """
    own = [int(c) for c in coordinates(extents, rank)]
    return [
        "".join(AXES[axis] for axis in axes)
        for count in range(len(extents) + 1)
        for axes in itertools.combinations(range(len(extents)), count)
        if math.prod(extents[axis] for axis in axes) == len(members)
        and np.array_equal(members_along(extents, own, axes), members)
    ]


def members_along(extents: Vector, own: Sequence[int], axes: Sequence[int]) -> Numbers:
    """Returns the ranks that share all coordinates but those of `axes` with `own`, in order."""
    ranges = [
        np.arange(extent) if axis in axes else np.asarray([own[axis]])
        for axis, extent in enumerate(extents)
    ]
    places = np.meshgrid(*reversed(ranges), indexing="ij")
    return rank_at(extents, [place.ravel() for place in reversed(places)])
