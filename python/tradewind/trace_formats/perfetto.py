"""The time line of a trace as JSON that Perfetto (ui.perfetto.dev) and chrome://tracing show.

Each rank is a thread with its calls and computations; arrows lead from sends to the calls that end their receives.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

import numpy as np

from tradewind.files import write_atomically
from tradewind.inspection.messages import ends_of
from tradewind.inspection.timeline import Timeline, timeline_of
from tradewind.inspection.waits import matched
from tradewind.trace_file import NONBLOCKING, Trace, command_text

# The most calls; Perfetto takes minutes for more.
MOST_CALLS = 5_000_000
_US = 1e6
_PROCESS = 1


def write_perfetto(trace: Trace, path: Path) -> list[str]:
    """Writes the time line of a trace.

    Args:
        trace: The trace.
        path: The file.

    Returns:
        What the time line cannot say, a line each.

    Raises:
        TraceError: If there are too many calls, or one names what does not exist.
        Error: If the file cannot be written.
    """
    timeline = timeline_of(trace, MOST_CALLS)

    def fill(file: IO[bytes]) -> None:
        file.write(b'{"displayTimeUnit": "ns", "traceEvents": [\n')
        separator = b""
        for event in _events(timeline):
            file.write(separator + json.dumps(event).encode())
            separator = b",\n"
        file.write(b"\n]}\n")

    write_atomically(path, fill)
    lost = ["clocks of ranks: all begin at the end of MPI_Init"]
    if (timeline.calls.turns > 1).any():
        lost.append("times of single turns of a loop: their means")
    return lost


def _events(timeline: Timeline) -> Iterator[dict[str, Any]]:
    trace = timeline.calls.trace
    yield _about("process_name", 0, name=command_text(trace.facts) or "recording")
    for rank in range(trace.ranks):
        yield _about("thread_name", rank, name=f"rank {rank}")
        yield _about("thread_sort_index", rank, sort_index=rank)
    yield from _slices(timeline)
    yield from _arrows(timeline)


def _about(kind: str, rank: int, **values: object) -> dict[str, Any]:
    return {"ph": "M", "pid": _PROCESS, "tid": rank, "name": kind, "args": values}


def _slices(timeline: Timeline) -> Iterator[dict[str, Any]]:
    """Yields the calls, and the computations between them."""
    calls = timeline.calls
    at = timeline.at
    index, sites = calls.sites
    kind, site = calls.kind[at].tolist(), index[at].tolist()
    computed = (calls.seconds("computed") / calls.turns)[at]
    begin = timeline.enter_s - computed
    is_mark = calls.is_call("region")[at].tolist()
    rows = zip(
        timeline.rank.tolist(),
        (_US * begin).tolist(),
        (_US * timeline.enter_s).tolist(),
        (_US * timeline.leave_s).tolist(),
        strict=True,
    )
    for number, (rank, start, enter, leave) in enumerate(rows):
        place = {"pid": _PROCESS, "tid": rank}
        if enter > start:
            duration = round(enter - start, 6)
            yield {
                "ph": "X",
                **place,
                "name": "computation",
                "ts": round(start, 6),
                "dur": duration,
            }
        if is_mark[number]:
            continue
        yield {
            "ph": "X",
            **place,
            "name": calls.names[kind[number]],
            "cat": "MPI",
            "ts": round(enter, 6),
            "dur": round(leave - enter, 6),
            "args": {"site": sites[site[number]]},
        }


def _arrows(timeline: Timeline) -> Iterator[dict[str, Any]]:
    """Yields an arrow for each message, from its send to where its receive is complete."""
    sends, receives = matched(timeline, ends_of(timeline.calls))
    is_open = (timeline.calls.of_event("flags")[timeline.at[receives]] & NONBLOCKING) != 0
    ends = np.where(is_open, timeline.completed_at()[receives], receives)
    ranks, enter, leave = timeline.rank, timeline.enter_s, timeline.leave_s
    for number, (send, end) in enumerate(zip(sends.tolist(), ends.tolist(), strict=True)):
        if end < 0:
            continue
        arrow = {"pid": _PROCESS, "name": "message", "cat": "message", "id": number}
        begin = round(_US * float(enter[send]), 6)
        # An arrow ends in the slice that it points into. Clocks that disagree let none go backwards.
        until = max(round(_US * float(max(leave[end] - 1e-12, enter[end])), 6), begin)
        yield {"ph": "s", **arrow, "tid": int(ranks[send]), "ts": begin}
        yield {"ph": "f", "bp": "e", **arrow, "tid": int(ranks[end]), "ts": until}
