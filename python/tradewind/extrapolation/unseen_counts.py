"""Remarks on recordings whose ranks are all powers of two, squares, or even: nothing tells what holds elsewhere."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation.consistency import fault_on
from tradewind.extrapolation.counts import SQUARES, common_kind, kind_of, of_no_kind
from tradewind.extrapolation.grids import AXES, GridRule
from tradewind.extrapolation.pattern import (
    Pattern,
    PatternCall,
    PatternLoop,
    PatternNode,
    calls_in,
    has_graph,
)

# Parts of formulas that may be others where the ranks are no power of two or no square, and no multiples.
_SPECIAL = re.compile(
    r"(?:(?:ceil|floor)\()?(?:log2|sqrt)\(\w+\)\)?|2 \*\* \(?k(?: \+ 1\))?|\w \^ \d+|folded\([^)]*\)"
)
_OF_MULTIPLES = re.compile(
    r"ceil\((?:P|m|n[xyz]) / \d+\)|(?:\b(?:P|m|n[xyz])|\((?:P|m|n[xyz]) \+ \d+\)) // \d+"
    r"|\b0\.\d+ \* (?:P|m|n[xyz])\b"
)
_MOST_NAMED, _MOST_TRIED = 3, 4


def remarks_on_kind(pattern: Pattern, counts: Sequence[int]) -> list[str]:
    """Says that a pattern is known at powers of two only, at squares, or multiples, if it may be another one elsewhere.

    Args:
        pattern: The pattern.
        counts: The rank counts of the recordings.

    Returns:
        A remark with a count to record, or none.
    """
    kind = common_kind(counts)
    if not kind:
        return []
    tried = list(itertools.islice(of_no_kind(counts), _MOST_TRIED))
    known = f"known at {kind} only ({', '.join(map(str, counts))} ranks)"
    fault = next(_faults(pattern, tried), None)
    if fault is not None:
        ranks, why = fault
        return [f"{known}: on {ranks} ranks {why}; record {ranks} ranks, if the program allows it"]
    words_of = _SPECIAL if kind_of(counts) else _OF_MULTIPLES
    special = [word for text in _formulas(pattern.body) for word in words_of.findall(text)]
    words = " and ".join(list(dict.fromkeys(special))[:_MOST_NAMED])
    unknown = [f"what {words} would be elsewhere"] if words else []
    if kind == SQUARES and _has_equal_extents(pattern, counts):
        unknown.append("nx from ny")
    if not unknown:
        return []
    return [
        f"{known}: nothing tells {', and nothing tells '.join(unknown)}; "
        f"record {tried[0]} ranks, if the program allows it"
    ]


def _faults(pattern: Pattern, counts: Sequence[int]) -> Iterator[tuple[int, str]]:
    """Yields the counts at which a message of the pattern lacks an end, and what is wrong there."""
    for ranks in counts if not has_graph(pattern) else ():
        try:
            fault = fault_on(pattern, ranks)
        except (ConfigError, TraceError):
            # The grid, or a formula, has no value there, and the pattern says so whenever it is asked.
            continue
        if fault:
            yield ranks, fault


def _formulas(body: Sequence[PatternNode]) -> Iterator[str]:
    """Yields all formulas and conditions but those of times."""
    for node in body:
        if isinstance(node, PatternLoop):
            yield from (str(node.turns), node.when)
            yield from _formulas(node.body)
            continue
        steps = [step for one in node.offsets for step in one]
        yield node.when
        for some in (node.peers_when, steps, node.tags, node.numbers, node.counts):
            yield from map(str, some)


def _has_equal_extents(pattern: Pattern, counts: Sequence[int]) -> bool:
    """Reports whether a grid that peers or numbers depend on has the same extents along both axes at all counts."""
    rules = {
        call.grid or pattern.grid.words for call in calls_in(pattern.body) if _is_on_grid(call)
    }
    return any(
        rule.axes > 1 and all(len(set(rule.extents(count))) == 1 for count in counts)
        for rule in map(GridRule, rules)
    )


def _is_on_grid(call: PatternCall) -> bool:
    """Reports whether a call depends on where a rank is in the grid."""
    return (
        bool(call.offsets)
        or call.group[:1] in AXES
        or any(
            isinstance(number, str) and re.search(r"\bn?[xyz]\b", number)
            for number in (*call.numbers, *call.counts, call.when)
        )
    )
