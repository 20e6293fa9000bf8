"""Other process grids that explain recordings as well as the one of a pattern."""

from __future__ import annotations

from collections.abc import Sequence

from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation.compare import first_difference
from tradewind.extrapolation.consistency import other_counts
from tradewind.extrapolation.expand import expand
from tradewind.extrapolation.pattern import Pattern
from tradewind.trace_file import Trace


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
    names = " or ".join(f'"{words}"' for some in found.values() for words in some)
    where = " and ".join(map(str, found))
    return [
        f'the process grid "{pattern.grid.words}" may also be {names}; '
        f"record {where} ranks, where their calls differ"
    ]


def _calls_of(pattern: Pattern, ranks: int) -> Trace | None:
    try:
        return Trace.of(expand(pattern, ranks))
    except (ConfigError, TraceError):
        return None
