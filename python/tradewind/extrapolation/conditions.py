"""The search for the condition on which ranks make a call, or have one of its peers."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.extrapolation.formula import evaluate
from tradewind.extrapolation.grids import AXES
from tradewind.extrapolation.middles import (
    conditions_on_few,
    conditions_on_middles,
    conditions_on_squares,
)
from tradewind.extrapolation.samples import Samples

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Fewer even rank counts, or odd ones, do not tell that a call depends on these.
_FEWEST_COUNTS = 2


def fit_presence(
    samples: Samples,
    inside: NDArray[Any] | None,
    *,
    with_pauses: bool = False,
    by_formula: bool = False,
    others: Sequence[str] = (),
) -> str | None:
    """Returns the condition that is true just for the entries with value 1; None if there is none.

    Args:
        samples: A value of 0 or 1 for each rank.
        inside: Whether the peers of the call lie inside the grid, without wrapping around.
        with_pauses: Whether it may be one of ranks that pause in rounds.
        by_formula: Whether a formula leads to the peers, so that the end of the grid is not the same rank in all turns.
        others: Other conditions that are tried after the simple ones, each alone or with a simple one.
    """
    wanted = samples.values.astype(bool)
    if wanted.all():
        return ""
    names: dict[str, Any] = dict(samples.names)
    if inside is not None:
        names["inside"] = inside
        if np.array_equal(inside, wanted):
            return "inside"
    known = list(_conditions(names))
    condition = _condition(known, names, wanted)
    if condition is None:
        condition = _on_squares(known, names, wanted)
    if condition is None:
        usable = [one for one in others if "k" in names or not re.search(r"\bk\b", one)]
        both = [
            f"{one} and ({other})" if " or " in other else f"{one} and {other}"
            for other in usable
            for one in known
            if " or " not in one
        ]
        fitting = (
            one
            for one in (*usable, *both)
            if np.array_equal(_truth(one, names, len(wanted)), wanted)
        )
        condition = next(fitting, None)
    if condition is None:
        condition = _with_middle(known, names, wanted)
    if condition is None and with_pauses:
        pausing = list(_conditions_with_pauses(names))
        if by_formula and inside is not None:
            condition = _condition(["inside", *pausing], names, wanted)
        if condition is None:
            condition = _condition([*known, *pausing], names, wanted)
    return _parity(samples.names["P"], wanted) if condition is None else condition


def _parity(counts: NDArray[np.int64], wanted: NDArray[np.bool_]) -> str | None:
    """Returns the condition that the number of ranks is even, or odd, if it is the right one at enough counts."""
    for parity in (0, 1):
        there = counts % 2 == parity
        some = (np.unique(counts[there]), np.unique(counts[~there]))
        if np.array_equal(there, wanted) and min(map(len, some)) >= _FEWEST_COUNTS:
            return f"P % 2 == {parity}"
    return None


def axes_of_condition(condition: str) -> set[str]:
    """Returns the axes whose extents a condition depends on, if it depends on nothing else; otherwise none."""
    names = set(re.findall(r"[A-Za-z]\w*", condition)) - {"and", "or", "not"}
    extents = {f"n{axis}": axis for axis in AXES}
    return {extents[name] for name in names} if names <= set(extents) else set()


def _condition(
    simple: Sequence[str], names: Mapping[str, Any], wanted: NDArray[np.bool_]
) -> str | None:
    """Returns one of these conditions, or two of them together, that are true just where they are wanted."""
    for condition in simple:
        if np.array_equal(_truth(condition, names, len(wanted)), wanted):
            return condition
    truths = [(condition, _truth(condition, names, len(wanted))) for condition in simple]
    needed = [(c, t) for c, t in truths if np.all(t[wanted])]
    for (one, first), (other, second) in itertools.combinations(needed, 2):
        if np.array_equal(first & second, wanted):
            return f"{one} and {other}"
    enough = [(c, t) for c, t in truths if not np.any(t & ~wanted)]
    for (one, first), (other, second) in itertools.combinations(enough, 2):
        if np.array_equal(first | second, wanted):
            return f"{one} or {other}"
    return None


def _on_squares(
    simple: Sequence[str], names: Mapping[str, Any], wanted: NDArray[np.bool_]
) -> str | None:
    """Returns a condition on the squares of a checkerboard, alone or with a simple one, that is true just where it is wanted."""
    found = _alone_or_with(conditions_on_squares(names), simple, names, wanted)
    return " and ".join(reversed(found)) or None


def _with_middle(
    simple: Sequence[str], names: Mapping[str, Any], wanted: NDArray[np.bool_]
) -> str | None:
    """Returns a condition on the middle of an extent, alone or with a simple one, that is true just where it is wanted."""
    size = len(wanted)
    for one in conditions_on_few(names):
        if np.array_equal(_truth(one, names, size), wanted):
            return one
    return " and ".join(_alone_or_with(conditions_on_middles(names), simple, names, wanted)) or None


def _alone_or_with(
    conditions: Iterable[str],
    simple: Sequence[str],
    names: Mapping[str, Any],
    wanted: NDArray[np.bool_],
) -> tuple[str, ...]:
    """Returns one of some conditions, alone or with a simple one, that are true just where it is wanted; empty if none are."""
    size = len(wanted)
    truths = {one: _truth(one, names, size) for one in conditions}
    needed = {one: truth for one, truth in truths.items() if np.all(truth[wanted])}
    for one, truth in needed.items():
        if np.array_equal(truth, wanted):
            return (one,)
    for other in simple if needed else ():
        second = _truth(other, names, size)
        for one, truth in needed.items():
            if np.array_equal(truth & second, wanted):
                return one, other
    return ()


def _truth(condition: str, names: Mapping[str, Any], size: int) -> NDArray[np.bool_]:
    return np.broadcast_to(np.asarray(evaluate(condition, names), bool), (size,))


def _conditions(names: Mapping[str, Any]) -> Iterator[str]:
    yield from ("rank == 0", "rank > 0", "rank == P - 1", "rank < P - 1", "P > 1")
    yield from ("rank % 2 == 0", "rank % 2 == 1")
    if "inside" in names:
        yield from ("inside", "not inside")
    for axis in AXES:
        if axis in names:
            yield f"{axis} == 0"
            yield f"{axis} > 0"
            yield f"{axis} == n{axis} - 1"
            yield f"{axis} < n{axis} - 1"
            yield f"{axis} % 2 == 0"
            yield f"{axis} % 2 == 1"
            yield f"n{axis} > 1"
            yield f"n{axis} > 2"


def _conditions_with_pauses(names: Mapping[str, Any]) -> Iterator[str]:
    """Yields conditions on the turn of rounds, and on the ranks beyond a power of two."""
    for place in (
        "2 ** floor(log2(P))",
        "2 * (P - 2 ** floor(log2(P)))",
        "2 * 2 ** floor(log2(P)) - P",
    ):
        yield f"rank < {place}"
        yield f"rank >= {place}"
    for axis in AXES if "k" in names else ():
        if axis not in names:
            continue
        for turn in ("k", f"k % n{axis}"):
            yield f"({axis} + {turn}) % 2 == 0"
            yield f"({axis} + {turn}) % 2 == 1"
            # Either of these has a peer: the rank before or the rank after it.
            yield f"{axis} >= ({axis} + {turn}) % 2"
            yield f"{axis} + 1 < n{axis} + ({axis} + {turn}) % 2"
        for power, twice in (
            ("2 ** k", "2 ** (k + 1)"),
            (f"2 ** (ceil(log2(n{axis})) - 1 - k)", f"2 ** (ceil(log2(n{axis})) - k)"),
        ):
            yield f"{axis} % {twice} == 0"
            yield f"{axis} % {twice} == {power}"
            yield f"{axis} % {twice} < {power}"
            yield f"{axis} % {twice} >= {power}"
            yield f"{axis} < {power}"
            yield f"{axis} >= {power}"
            yield f"{axis} < {twice}"
            yield f"{axis} + {power} < n{axis}"
