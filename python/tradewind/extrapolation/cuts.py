"""The ways to cut an extent into blocks: which of them fit recorded values, and where they differ."""

from __future__ import annotations

import ast
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tradewind.extrapolation.fit_sizes import gives
from tradewind.extrapolation.formula import FUNCTIONS, Formula, evaluate
from tradewind.extrapolation.grids import GridRule
from tradewind.extrapolation.samples import Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

    # Places in an extent, and the other place that goes with each.
    _Places = tuple[NDArray[np.int64], NDArray[np.int64]]
    # Gives them for an extent.
    _Ends = Callable[[int], _Places]

# The functions of formulas, the usual one first.
CUTS = ("part", "part_last", "part_even", "part_snake", "part_ceil", "part_rest")
# The largest extent that is searched for one where two ways to cut differ.
_MOST_PARTS = 1000
# The most numbers of a piece that is not cut.
_MOST_PIECES = 16
# Prefix of the names of a peer's place.
_PEER = "peer_"
# The most distances of peers that are tried together, as of two neighbours.
_MOST_STEPS = 4


class _Cut(NamedTuple):
    """A function that cuts an extent, and the place whose block it gives."""

    function: str
    place: str


def remarks_on_cuts(formula: Formula, samples: Samples, rule: GridRule) -> Iterator[str]:
    """Yields a remark for each cut of a formula in whose place another one gives the same values.

    Another one may cut in the same way, and pieces of several numbers instead of single ones.

    Args:
        formula: A formula that gives the values.
        samples: The values.
        rule: The process grid; an extent that it fixes is the same at all rank counts.
    """
    if not isinstance(formula, str) or "part" not in formula:
        return
    tree = ast.parse(formula, mode="eval").body
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        if call.func.id not in CUTS or (
            rule.is_fixed and ast.unparse(call.args[1]) == rule.words[:2]
        ):
            continue
        yield from _remark(call, _others(call, tree, samples), samples)


def _others(call: ast.Call, tree: ast.expr, samples: Samples) -> list[_Cut]:
    """Returns the cuts that give the same values in place of one in a formula.

    Those of the place itself are first, then those of the peer in place of a rank, or the reverse.
    """
    own, place = _cut_of(call), call.args[2]
    found = []
    for name in dict.fromkeys([own.place, *_other_ends(own.place, samples)]):
        call.args[2] = ast.Name(name) if name != own.place else place
        at_place = []
        for function in CUTS:
            call.func = ast.Name(function)
            if _Cut(function, name) != own and gives(
                ast.unparse(tree), samples.names, samples.values
            ):
                at_place.append(_Cut(function, name))
        # Nothing tells the places apart where the cut itself fits, too. The other cuts are named already.
        is_either = name != own.place and _Cut(own.function, name) in at_place
        found += [_Cut(own.function, name)] if is_either else at_place
    call.func, call.args[2] = ast.Name(own.function), place
    return found


def _cut_of(call: ast.Call) -> _Cut:
    return _Cut(ast.unparse(call.func), ast.unparse(call.args[2]))


def _other_ends(place: str, samples: Samples) -> Iterator[str]:
    """Yields the place of the peer for that of a rank, and the reverse, if they are not the same ones."""
    other = place.removeprefix(_PEER) if place.startswith(_PEER) else _PEER + place
    known = samples.names
    if {place, other} <= known.keys() and not np.array_equal(known[place], known[other]):
        yield other


def _remark(call: ast.Call, others: Sequence[_Cut], samples: Samples) -> Iterator[str]:
    """Yields what is to be said of a cut, unless the others never differ from it."""
    own = _cut_of(call)
    total, parts = call.args[:2]
    heads = [ast.unparse(one) for one in (total, parts)]
    words = " or ".join(
        one.function
        if one.place == own.place
        else f"{one.function}({', '.join([*heads, one.place])})"
        for one in others
    )
    ends = _ends(own, others, samples)
    if not isinstance(total, ast.Constant) or not isinstance(total.value, int) or ends is None:
        if others:
            yield (
                f"{ast.unparse(call)} may also be {words}; record rank counts, where they differ"
            )
        return
    fewest = _fewest(call, samples)
    first = _first_difference(total.value, [own, *others], ends, fewest) if others else None
    found = {first: words} if first is not None else {}
    in_pieces = _in_pieces(call, total.value, samples, fewest)
    if in_pieces is not None and (
        first is None or _order(in_pieces[0], fewest) < _order(first, fewest)
    ):
        found = {in_pieces[0]: in_pieces[1], **found}
    if found:
        counts = " and one with ".join(f"{ast.unparse(parts)} = {one}" for one in found)
        yield (
            f"{ast.unparse(call)} may also be {' or '.join(found.values())}; "
            f"record a rank count with {counts}, where they differ"
        )


def _in_pieces(call: ast.Call, total: int, samples: Samples, fewest: int) -> tuple[int, str] | None:
    """Returns the first parts at which a cut differs from one with the same blocks that keeps pieces together, and this."""
    cut = FUNCTIONS[ast.unparse(call.func)]
    words = [ast.unparse(one) for one in call.args[1:]]
    blocks = np.asarray(evaluate(ast.unparse(call), samples.names)).astype(np.int64)
    common = math.gcd(total, *np.unique(blocks).tolist())
    found = []
    for piece in range(2, min(common, _MOST_PIECES) + 1):
        if common % piece:
            continue
        text = f"{piece} * {ast.unparse(call.func)}({total // piece}, {', '.join(words)})"
        if not gives(text, samples.names, blocks):
            continue
        for parts in _extents(total, fewest):
            index = np.arange(parts)
            other = piece * np.asarray(cut(total // piece, parts, index))
            if not np.array_equal(cut(total, parts, index), other):
                found.append((parts, text))
                break
    return min(found, key=lambda one: (_order(one[0], fewest), one[1]), default=None)


def _ends(own: _Cut, others: Sequence[_Cut], samples: Samples) -> _Ends | None:
    """Returns which places of other cuts go with those of a cut, at any extent; None if no rule is seen."""
    place = next((one.place for one in others if one.place != own.place), None)
    if place is None:
        return partial(_at_steps, (0,), True)
    extent = np.asarray(samples.names[f"n{own.place.removeprefix(_PEER)}"])
    first, second = (np.asarray(samples.names[one]) for one in (own.place, place))
    distance = second - first
    step = int(distance.flat[0])
    for one in (step, step - int(extent.flat[0]), step + int(extent.flat[0])):
        if not np.any((distance - one) % extent):
            return partial(_at_steps, (one,), True)
    for root, known in itertools.product((0, -1), (first, second)):
        if np.all(known == root % extent):
            return partial(_with_root, root, known is first)
    half = extent // 2
    for steps, is_ring in ((distance, False), ((distance + half) % extent - half, True)):
        found = np.unique(steps).tolist()
        if len(found) <= _MOST_STEPS:
            return partial(_at_steps, found, is_ring)
    return None


def _at_steps(steps: Sequence[int], is_ring: bool, parts: int) -> _Places:
    """Returns each place of an extent, once for each step, and the place there, which may lie beyond an end."""
    place = np.tile(np.arange(parts), len(steps))
    other = place + np.repeat(steps, parts)
    if is_ring:
        return place, other % parts
    inside = (other >= 0) & (other < parts)
    return place[inside], other[inside]


def _with_root(root: int, is_first: bool, parts: int) -> _Places:
    """Returns the first or the last place of an extent, and all others with it."""
    others = np.delete(np.arange(parts), root)
    roots = np.full(len(others), root % parts)
    return (roots, others) if is_first else (others, roots)


def _fewest(call: ast.Call, samples: Samples) -> int:
    """Returns the smallest recorded extent that a call cuts."""
    return int(np.min(np.asarray(evaluate(ast.unparse(call.args[1]), samples.names))))


def _order(parts: int, fewest: int) -> tuple[bool, int]:
    """Returns where an extent is among those to try: those below the smallest recorded one are last."""
    return parts < fewest, parts


def _extents(total: int, fewest: int) -> list[int]:
    """Returns the extents to try, in their order."""
    return sorted(range(2, min(total, _MOST_PARTS) + 1), key=lambda parts: _order(parts, fewest))


def _first_difference(total: int, cuts: Sequence[_Cut], ends: _Ends, fewest: int) -> int | None:
    """Returns the first extent for which no two of some cuts give the same blocks.

    If there are none, it is the first for which some two differ; None if they never do.

    Args:
        total: What is cut.
        cuts: The cuts.
        ends: The places of the first one, and those of the cuts that have another place.
        fewest: The smallest recorded extent.
    """
    some = None
    for parts in _extents(total, fewest):
        index, other = ends(parts)
        blocks: set[Any] = {
            tuple(
                np.asarray(
                    FUNCTIONS[one.function](
                        total, parts, index if one.place == cuts[0].place else other
                    )
                )
            )
            for one in cuts
        }
        if len(blocks) == len(cuts):
            return parts
        if len(blocks) > 1 and some is None:
            some = parts
    return some
