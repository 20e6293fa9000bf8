"""Other process grids that explain recordings as well as the one of a pattern."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation.compare import first_difference
from tradewind.extrapolation.counts import best_first, other_counts
from tradewind.extrapolation.expand import expand
from tradewind.extrapolation.formula import evaluate
from tradewind.extrapolation.grids import AXES, GridRule, Vector, rules
from tradewind.extrapolation.pattern import Pattern, conditions_of
from tradewind.trace_file import Trace

# So many ranks along an axis do not tell its middle or its halves from its ends.
_SHORT = 3
# Parts of the ranks, and of the ranks along an axis, that programs make turns, sizes and groups of.
_PARTS_OF_RANKS = (
    "{} // 2",
    "{} // 3",
    "{} // 4",
    "floor(sqrt({}))",
    "ceil(sqrt({}))",
    "floor(log2({}))",
    "ceil(log2({}))",
)
_PARTS_OF_AXES = ("{} // 2", "ceil(log2({}))")
_MOST_NAMED = 4


def remarks_on_grids(
    pattern: Pattern, others: Sequence[Pattern], counts: Sequence[int]
) -> list[str]:
    """Says on which number of ranks patterns of other grids make other calls.

    Args:
        pattern: The pattern that was chosen.
        others: Patterns of other grids, which explain the recordings as well.
        counts: The rank counts of the recordings.

    Returns:
        A remark, or none if all make the same calls on the rank counts that are tried.
    """
    left = list(others)
    found: dict[int, list[str]] = {}
    for ranks in sorted(other_counts(counts)):
        own = _calls_of(pattern, ranks)
        if own is None:
            continue
        for other in list(left):
            calls = _calls_of(other, ranks)
            if calls is not None and first_difference(own, calls, each_loop_once=True) is not None:
                left.remove(other)
                found.setdefault(ranks, []).append(other.grid.words)
    if not found:
        return []
    words = dict.fromkeys(words for some in found.values() for words in some)
    names = " or ".join(f'"{one}"' for one in words)
    where = " and ".join(map(str, found))
    return [
        f'the process grid "{pattern.grid.words}" may also be {names}; '
        f"record {where} ranks, where their calls differ"
    ]


def remarks_on_extents(rule: GridRule, counts: Sequence[int]) -> list[str]:
    """Says which extents of a grid are the same in all recordings, so that nothing tells what hangs on them.

    Where an extent is 2, both neighbours along it are one rank.

    Args:
        rule: The rule of the grid.
        counts: The rank counts of the recordings.
    """
    recorded = [rule.extents(ranks) for ranks in counts]
    told = _remarks_on_fixed(rule, recorded, counts)
    for axis, (first, *others) in enumerate(zip(*recorded, strict=True)):
        if first == 1 or any(other != first for other in others):
            continue
        found = next(
            (n for n in _more(counts) if _extent(rule, n, axis) not in (None, 1, first)), None
        )
        if found is not None:
            told.append(
                f"the process grid has n{AXES[axis]} = {first} in all recordings; "
                f"record a number of ranks such as {found}, where it is another"
            )
    return told


def remarks_on_short_axes(pattern: Pattern, counts: Sequence[int]) -> list[str]:
    """Says along which axes a grid has so few ranks in all recordings that conditions on them may be other ones.

    Args:
        pattern: The pattern.
        counts: The rank counts of the recordings.
    """
    if pattern.grid.axes == 1 or pattern.grid.is_fixed:
        return []
    told = []
    for axis, extents in enumerate(
        zip(*(pattern.grid.extents(ranks) for ranks in counts), strict=True)
    ):
        letter = AXES[axis]
        condition = next((one for one in conditions_of(pattern) if _is_on(one, letter)), None)
        if condition is None or max(extents) > _SHORT or len(set(extents)) == 1:
            continue
        found = next(
            (n for n in _more(counts) if (_extent(pattern.grid, n, axis) or 0) > _SHORT), None
        )
        if found is not None:
            told.append(
                f'the process grid has n{letter} = {max(extents)} at most, where the condition "{condition}" '
                f"may also be another one; record a number of ranks such as {found}, where it has more"
            )
    return told


def remarks_on_same_parts(rule: GridRule, counts: Sequence[int]) -> list[str]:
    """Says which parts of the ranks or of an extent are the same in all recordings, as if they were constants.

    Args:
        rule: The rule of the grid.
        counts: The rank counts of the recordings.
    """
    recorded = [_names_of(rule, ranks) for ranks in counts]
    assert all(recorded)
    parts = [part.format("P") for part in _PARTS_OF_RANKS]
    for axis in AXES[: rule.axes] if rule.axes > 1 else ():
        if len({names[f"n{axis}"] for names in recorded}) > 1:
            parts += [part.format(f"n{axis}") for part in _PARTS_OF_AXES]
    same = {}
    for part in parts:
        values = {_value(part, names) for names in recorded}
        if len(values) == 1 and 0 not in values:
            same[part] = values.pop()
    if not same:
        return []
    found: dict[int, int] = {}
    for ranks in _more(counts):
        if names := _names_of(rule, ranks):
            larger = sum(_value(part, names) > own for part, own in same.items())
            found.setdefault(larger, ranks)
    few = list(same)[:_MOST_NAMED]
    listed = f"{', '.join(few[:-1])} and {few[-1]}" if len(few) > 1 else few[0]
    verb, them = ("are", "them") if len(few) > 1 else ("is", "it")
    return [
        f"{listed} {verb} the same in all recordings, so that what hangs on {them} looks constant; "
        f"record a number of ranks such as {found[max(found)]}"
    ]


def _more(counts: Sequence[int]) -> list[int]:
    """Returns the rank counts to try that are not recorded, those first that suit best."""
    more = [ranks for ranks in range(min(counts), 8 * max(counts)) if ranks not in counts]
    return best_first(more, counts)


def _names_of(rule: GridRule, ranks: int) -> dict[str, int]:
    """Returns the number of ranks and the extents of a grid by their names in formulas; nothing if it has none."""
    try:
        extents = rule.extents(ranks)
    except TraceError:
        return {}
    return {"P": ranks, **{f"n{axis}": one for axis, one in zip(AXES, extents, strict=False)}}


def _value(formula: str, names: Mapping[str, int]) -> int:
    return int(evaluate(formula, dict(names)))


def _is_on(condition: str, axis: str) -> bool:
    """Reports whether a condition is on the place along an axis, beyond that of a peer."""
    return bool(re.search(rf"\b{axis}\b", condition))


def _remarks_on_fixed(
    rule: GridRule, recorded: Sequence[Vector], counts: Sequence[int]
) -> list[str]:
    """Says which grids with other extents on other rank counts have the same ones in all recordings, if one is fixed."""
    if not rule.is_fixed:
        return []
    axis, fixed = next((a, n) for a, n in enumerate(recorded[0]) if AXES[a] == rule.words[1])
    for other in rules(counts):
        if other.is_fixed or [other.extents(ranks) for ranks in counts] != recorded:
            continue
        found = next((n for n in _more(counts) if other.extents(n)[axis] > fixed), None)
        if found is not None:
            return [
                f'the process grid "{rule.words}" may also be "{other.words}", which is the same in all '
                f"recordings; record a number of ranks such as {found}, where it is another"
            ]
    return []


def _extent(rule: GridRule, ranks: int, axis: int) -> int | None:
    try:
        return rule.extents(ranks)[axis]
    except TraceError:
        return None


def _calls_of(pattern: Pattern, ranks: int) -> Trace | None:
    try:
        return Trace.of(expand(pattern, ranks))
    except (ConfigError, TraceError):
        return None
