"""The search for messages of a pattern that lack an end on rank counts that nobody has recorded."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation.counts import made_from, other_counts
from tradewind.extrapolation.expand import expand
from tradewind.extrapolation.grids import Vector
from tradewind.extrapolation.pattern import Pattern
from tradewind.extrapolation.rank_graph import RankGraph
from tradewind.extrapolation.steps import OutsideError
from tradewind.inspection.calls import UNKNOWN_SITE, calls_of
from tradewind.inspection.doubts import MOST_CALLS
from tradewind.inspection.messages import ends_of, unmatched
from tradewind.trace_file import Trace


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
            fault = fault_on(pattern, ranks)
        except (ConfigError, TraceError):
            # Nobody knows whether the program runs on so many ranks; the pattern does not.
            continue
        if fault:
            faults[ranks] = fault
        else:
            good += 1
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


def expand_for_replay(
    pattern: Pattern, ranks: int, extents: Vector = (), graph: RankGraph | None = None
) -> dict[str, Any]:
    """Makes the trace of a pattern as `expand` does, if all its messages have both ends.

    Raises:
        TraceError: If a message lacks an end, or the pattern has no trace for that many ranks.
    """
    arrays = expand(pattern, ranks, extents, graph)
    fault = _fault(arrays)
    if fault:
        raise TraceError(f"on {ranks} ranks {fault}{made_from(pattern.made_from)}")
    return arrays


def fault_on(pattern: Pattern, ranks: int) -> str:
    """Returns what is wrong with the messages of a pattern on a number of ranks; empty if nothing is.

    Raises:
        TraceError: If the pattern has no trace for that many ranks.
    """
    try:
        return _fault(expand(pattern, ranks))
    except OutsideError as error:
        return error.fault


def _fault(arrays: dict[str, Any]) -> str:
    """Returns what is wrong with the first message that lacks an end; empty if there is none, or too many calls."""
    if len(arrays["computed"]) > MOST_CALLS:
        return ""
    calls = calls_of(Trace.of(arrays))
    found = unmatched(calls, ends_of(calls))
    if not found:
        return ""
    one = found[0]
    site = "" if one.site == UNKNOWN_SITE else f" at {one.site}"
    return (
        f"{one.call}{site} of rank {one.rank} to or from rank {one.peer} "
        f"with tag {one.tag}: {one.sends} sends and {one.receives} receives, {one.reason}"
    )
