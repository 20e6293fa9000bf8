"""The search for messages of a pattern that lack an end on rank counts that nobody has recorded."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation.expand import expand
from tradewind.extrapolation.pattern import Pattern
from tradewind.inspection.calls import calls_of
from tradewind.inspection.messages import ends_of, unmatched
from tradewind.trace_file import Trace

# More counts tell hardly more.
_MOST_COUNTS = 4


def check_messages(
    pattern: Pattern, counts: Sequence[int], *, everywhere: bool = False
) -> list[str]:
    """Looks for messages without their other end in what a pattern makes on other rank counts.

    A rule that fits all recordings by chance makes sends without receives elsewhere.

    Args:
        pattern: A pattern without a graph.
        counts: The rank counts of the recordings.
        everywhere: Whether messages must match at each of the counts that are looked at.

    Returns:
        Remarks on counts at which messages do not match; a program may not allow these either.

    Raises:
        TraceError: If messages lack an end at half of the counts that were looked at, or at more, or where they must not.
    """
    faults = {}
    good = 0
    for ranks in other_counts(counts):
        try:
            calls = calls_of(Trace.of(expand(pattern, ranks)))
        except (ConfigError, TraceError):
            # Nobody knows whether the program runs on so many ranks; the pattern does not.
            continue
        found = unmatched(calls, ends_of(calls))
        if not found:
            good += 1
            continue
        one = found[0]
        faults[ranks] = (
            f"{one.call}{one.site and f' at {one.site}'} of rank {one.rank} to or from rank {one.peer} "
            f"with tag {one.tag}: {one.sends} sends and {one.receives} receives"
        )
    if not faults:
        return []
    ranks, fault = next(iter(faults.items()))
    if everywhere or len(faults) >= good:
        raise TraceError(
            f"no rule was found that holds on other rank counts: with {ranks} ranks {fault}"
        )
    some = ", ".join(map(str, faults))
    return [
        f"with {some} ranks messages lack an end ({fault}); record such a count if it is allowed"
    ]


def other_counts(counts: Sequence[int]) -> list[int]:
    """Returns rank counts of the kind of those given: powers of two, squares, or multiples of a number."""
    least, most = min(counts), max(counts)

    def candidates() -> Iterable[int]:
        if all(count & (count - 1) == 0 for count in counts):
            return (2**n for n in range(1, 2 * most.bit_length()))
        if all(math.isqrt(count) ** 2 == count for count in counts):
            return (n * n for n in range(1, 4 * most))
        step = math.gcd(*counts)
        return range(step, 8 * most, step)

    between = [n for n in candidates() if least < n < most and n not in counts]
    beyond = list(itertools.islice((n for n in candidates() if n > most), _MOST_COUNTS))
    return [*between[-1:], *beyond][:_MOST_COUNTS]
