"""Conditions on the middle of an extent and on the squares of a checkerboard, which few extents tell from others."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.formula import Formula, evaluate
from tradewind.extrapolation.grids import AXES
from tradewind.extrapolation.samples import Samples
from tradewind.extrapolation.tree import ON_GRID

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Places of ranks, and the extents in which they are.
_PLACES = (*((axis, f"n{axis}") for axis in AXES), ("rank", "P"))
_PARITY_OF_RANK = re.compile(r"\brank % 2 == [01]")
_HAS_MIDDLE = re.compile(r"(?:==|!=|<|>=) \(?\w+(?: \+ 1\))? // 2")
_COMPARISONS = ("==", "!=", "<", ">=")
# The first or the last ranks, so many, as servers of files are.
_FEW = (2, 3, 4, 8)
_MIDDLES = ("{} // 2", "({} + 1) // 2", "({} - 1) // 2")
# Places that the middle of an extent may be instead.
_OTHER_PLACES = (
    *_MIDDLES,
    "1",
    "2",
    "{} - 1",
    "{} - 2",
    "{} // 3",
    "2 * {} // 3",
    "{} - {} // 3",
    "{} - {} // 4",
)
_PARTS = (*_MIDDLES, "{} // 3", "{} // 4")
# The largest extent that is searched for one where two conditions differ.
_MOST_PARTS = 64


def conditions_on_few(names: Mapping[str, Any]) -> Iterator[str]:
    """Yields the conditions by which ranks are among the first or the last ones, the fewest first."""
    for count in _FEW if "rank" in names else ():
        yield f"rank < {count}"
        yield f"rank >= {count}"
        yield f"rank >= P - {count}"
        yield f"rank < P - {count}"


def conditions_on_middles(names: Mapping[str, Any]) -> Iterator[str]:
    """Yields the conditions by which ranks are in the middle of an extent, in its first or in its second half."""
    for place, extent in _PLACES:
        if place not in names:
            continue
        for middle in _MIDDLES[:2]:
            for comparison in _COMPARISONS:
                yield f"{place} {comparison} {middle.format(extent)}"


def conditions_on_squares(names: Mapping[str, Any]) -> Iterator[str]:
    """Yields the conditions by which ranks are the white or the black squares of a checkerboard of two or three axes."""
    axes = [axis for axis in AXES if axis in names]
    for count in range(2, len(axes) + 1):
        for some in itertools.combinations(axes, count):
            for parity in (0, 1):
                yield f"({' + '.join(some)}) % 2 == {parity}"


def remarks_on_condition(
    what: str, condition: str, names: Mapping[str, Any], wanted: NDArray[np.bool_]
) -> Iterator[str]:
    """Yields a remark for each parity or middle in a condition in whose place another one is true for the same ranks.

    Args:
        what: The call.
        condition: A condition that is true just where it is wanted.
        names: The names of conditions with their values.
        wanted: Whether each rank makes the call.
    """
    if " and " in condition and _HAS_MIDDLE.search(condition):
        yield f'{what}: the condition "{condition}" may hold by chance; check the pattern at another count'
    for place, extent in _PLACES:
        if place not in names:
            continue
        own_ones = rf"\b{place} (?:% 2 == [01]|(?:==|!=|<|>=) \(?{extent}(?: \+ 1\))? // 2)"
        for own in dict.fromkeys(re.findall(own_ones, condition)):
            for other in _others(own, place, extent):
                whole = re.sub(rf"\b{re.escape(own)}", other, condition)
                first = _first_difference(own, other, place, extent, int(np.min(names[extent])))
                if first is not None and _is_true_for(whole, names, wanted):
                    yield (
                        f'{what}: the condition "{own}" may also be "{other}"; record a rank count with '
                        f"{extent} = {first}, where they differ"
                    )
                    break
    # The ranks of a grid with an odd nx are white and black by turns.
    for own in dict.fromkeys(_PARITY_OF_RANK.findall(condition)):
        for other in conditions_on_squares(names):
            if _is_true_for(condition.replace(own, other), names, wanted):
                yield (
                    f'{what}: the condition "{own}" may also be "{other}"; record a rank count with '
                    "an even nx, where they differ"
                )
                break


def root_of(group: str, samples: Samples) -> Formula | None:
    """Returns the root as a part of the extent along which a communicator has its ranks; None if it is none.

    Args:
        group: The communicator of a call.
        samples: The roots.
    """
    extent = "P" if group == "world" else f"n{group.partition(ON_GRID)[0]}"
    if extent not in samples.names or len(np.unique(samples.values)) == 1:
        return None
    for part in ("{} - 1", *_PARTS):
        formula = part.format(extent)
        found = _values(formula, extent, np.asarray(samples.names[extent]))
        if np.array_equal(found, samples.values):
            return formula
    return None


def remarks_on_root(what: str, root: Formula, samples: Samples) -> Iterator[str]:
    """Yields a remark if a root that is always the same rank may be a part of an extent.

    Args:
        what: The call.
        root: The root.
        samples: Its values.
    """
    if not isinstance(root, int) or root <= 0:
        return
    for extent in ("m", *(extent for _, extent in reversed(_PLACES))):
        if extent not in samples.names:
            continue
        known = np.asarray(samples.names[extent])
        for part in _PARTS:
            formula = part.format(extent)
            if not np.array_equal(_values(formula, extent, known), samples.values):
                continue
            more = np.arange(int(known.max()) + 1, int(known.max()) + _MOST_PARTS)
            differ = more[_values(formula, extent, more) != root]
            yield (
                f"{what}: its root {root} may also be {formula}; record a rank count with "
                f"{extent} = {differ[0]}, where they differ"
            )
            return


def _others(own: str, place: str, extent: str) -> Iterator[str]:
    """Yields the conditions that the parity or the middle of an extent may be instead."""
    comparison = own.split()[1]
    for middle in _OTHER_PLACES:
        for one in _COMPARISONS[:2] if comparison == "%" else (comparison,):
            yield f"{place} {one} {middle.replace('{}', extent)}"


def _first_difference(own: str, other: str, place: str, extent: str, fewest: int) -> int | None:
    """Returns the smallest extent at which two conditions differ, preferably from `fewest` on; None if there is none."""
    for parts in sorted(range(2, _MOST_PARTS), key=lambda parts: parts < fewest):
        names = {place: np.arange(parts), extent: parts}
        if not np.array_equal(evaluate(own, names), evaluate(other, names)):
            return parts
    return None


def _is_true_for(condition: str, names: Mapping[str, Any], wanted: NDArray[np.bool_]) -> bool:
    try:
        found = np.asarray(evaluate(condition, names), bool)
    except TraceError:
        return False
    return np.array_equal(np.broadcast_to(found, wanted.shape), wanted)


def _values(formula: str, extent: str, known: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(evaluate(formula, {extent: known}))
