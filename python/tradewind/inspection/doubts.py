"""Doubts: what a reader of a recording, or of its replay, must know of the recording's faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tradewind.inspection.calls import calls_of
from tradewind.inspection.messages import Unmatched, ends_of, unmatched
from tradewind.inspection.summary import timing_and_wildcards
from tradewind.trace_file import Trace

# A trace with more folded calls is not searched before a replay: it would take as long as that.
MOST_CALLS = 2_000_000
_MOST_NAMED = 3


def doubts_of(
    facts: Mapping[str, Any], wildcards: int, timing: Mapping[str, int], other: Mapping[str, int]
) -> list[str]:
    """Returns lines for people about what a recording lacks and what it cannot predict.

    Args:
        facts: What is known of the recording.
        wildcards: The number of receives and probes from any source or with any tag.
        timing: The calls that depend on timing, by name.
        other: The calls of which only the name is known.
    """
    warnings = facts.get("warnings")
    lines = [str(one) for one in warnings] if isinstance(warnings, list) else []
    if not facts.get("complete", True):
        lines.append("incomplete: the program ended before MPI_Finalize; messages may lack one end")
    if wildcards:
        calls = "1 call receives" if wildcards == 1 else f"{wildcards} calls receive"
        lines.append(
            f"{calls} from any source or with any tag: a recording holds"
            " what matched then, and cannot predict what matches on another machine"
        )
    if timing:
        words = ", ".join(f"{count} {name}" for name, count in timing.items())
        lines.append(f"these calls depend on timing, so that no recording predicts them: {words}")
    if other:
        words = ", ".join(f"{count} {name}" for name, count in other.items())
        lines.append(f"recorded by name only, and left out of replays: {words}")
    return lines


def doubts_of_replay(trace: Trace) -> list[str]:
    """Returns the same of a trace that is about to be replayed, with its unmatched messages.

    Args:
        trace: The trace; of a very long one only its facts are told.

    Raises:
        TraceError: If a call names what does not exist.
    """
    if len(trace.arrays["computed"]) > MOST_CALLS:
        return doubts_of(trace.facts, 0, {}, {})
    calls = calls_of(trace)
    wildcards, timing, other = timing_and_wildcards(calls)
    return [
        *doubts_of(trace.facts, wildcards, timing, other),
        *_unmatched_lines(unmatched(calls, ends_of(calls))),
    ]


def _unmatched_lines(found: Sequence[Unmatched]) -> list[str]:
    lines = [
        f"unmatched: {one.call}{one.site and f' at {one.site}'} of rank {one.rank}, "
        f"peer {one.peer}, tag {one.tag}, {one.bytes} bytes: {one.sends} sends and "
        f"{one.receives} receives, {one.reason}"
        for one in found[:_MOST_NAMED]
    ]
    if len(found) > _MOST_NAMED:
        lines.append(f"unmatched: {len(found) - _MOST_NAMED} more; tradewind inspect lists them")
    return lines
