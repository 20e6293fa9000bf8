"""The time line of a recording: its calls unfolded, with the times at which ranks enter and leave them.

The clocks of ranks are not compared. All ranks leave MPI_Init, or begin, at time 0; from there on the
times between and in the calls add up. In loops these are means over all turns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError
from tradewind.inspection.calls import Calls, calls_of, joined
from tradewind.trace_file import NONBLOCKING

if TYPE_CHECKING:
    from tradewind.inspection.calls import Floats
    from tradewind.trace_file import Numbers, Trace


@dataclass(frozen=True, eq=False)
class Timeline:
    """All calls of all ranks, one after the other, in their order.

    Args:
        calls: The rows of the folded form.
        at: The row of each call.
        enter_s: When it is entered.
        leave_s: When it is left.
    """

    calls: Calls
    at: Numbers
    enter_s: Floats
    leave_s: Floats

    @property
    def rank(self) -> Numbers:
        """The rank of each call."""
        return self.calls.rank[self.at]

    def completed_at(self) -> Numbers:
        """Returns for each nonblocking call where its request is completed, and -1 for others."""
        completed = np.full(len(self.at), -1)
        flags = self.calls.of_event("flags")[self.at]
        arguments = self.calls.trace.arrays["arguments"]
        first, count = (self.calls.of_event(name)[self.at] for name in ("first", "count"))
        opens = np.flatnonzero((flags & NONBLOCKING) != 0)
        waits = np.flatnonzero(self.calls.is_call("wait")[self.at])
        closes = np.repeat(waits, count[waits])
        inside = np.arange(len(closes)) - np.repeat(
            np.cumsum(count[waits]) - count[waits], count[waits]
        )
        slot = np.concatenate(
            [arguments[(first + count - 1)[opens]], arguments[first[closes] + inside]]
        )
        rank = self.rank[np.concatenate([opens, closes])]
        request = joined(rank, slot)
        place = request * len(self.at) + np.concatenate([opens, closes])
        ends = np.sort(place[len(opens) :])
        found = np.searchsorted(ends, place[: len(opens)])
        known = found < len(ends)
        known[known] = ends[found[known]] // len(self.at) == request[: len(opens)][known]
        completed[opens[known]] = ends[found[known]] % len(self.at)
        return completed


@dataclass(frozen=True, eq=False)
class Excerpt:
    """A part of a time line, for a picture.

    Args:
        ranks: The number of ranks, the first ones.
        begin_s: Its begin.
        end_s: Its end.
        rank: The rank of each call in it.
        enter_s: When it is entered.
        leave_s: When it is left.
        kind: The place of its kind in `KINDS`.
    """

    ranks: int
    begin_s: float
    end_s: float
    rank: Numbers
    enter_s: Floats
    leave_s: Floats
    kind: Numbers


# Kinds of calls, with the first and the last call of each in the table of calls.
KINDS: Mapping[str, tuple[str, str]] = {
    "messages": ("send", "sendrecv"),
    "waits and probes": ("wait", "probe"),
    "collectives": ("barrier", "neighbor_alltoallv"),
    "other calls": ("comm_create", "wait_signal"),
}


def excerpt_of(timeline: Timeline, most_ranks: int, calls_of_each: int) -> Excerpt | None:
    """Cuts out the middle of a recording.

    Args:
        timeline: The time line.
        most_ranks: The most ranks, from 0 on.
        calls_of_each: The calls of a rank in it, about.

    Returns:
        The part; None if no time was recorded.
    """
    calls, ranks = timeline.calls, min(timeline.calls.trace.ranks, most_ranks)
    shown = np.flatnonzero((timeline.rank < ranks) & calls.in_program()[timeline.at])
    enter, leave = timeline.enter_s[shown], timeline.leave_s[shown]
    whole_s = float(leave.max(initial=0.0))
    if whole_s <= 0:
        return None
    length_s = whole_s * min(1.0, calls_of_each * ranks / len(shown))
    begin_s = (whole_s - length_s) / 2
    inside = (leave > begin_s) & (enter < begin_s + length_s)
    at = timeline.at[shown[inside]]
    known = calls.trace.calls
    firsts = [known.index(first) for first, _ in KINDS.values()]
    kind = np.searchsorted(firsts, calls.of_event("call")[at], side="right") - 1
    return Excerpt(
        ranks,
        begin_s,
        begin_s + length_s,
        timeline.rank[shown[inside]],
        enter[inside],
        leave[inside],
        kind,
    )


def timeline_of(trace: Trace, most: int) -> Timeline:
    """Unfolds a trace.

    Args:
        trace: The trace.
        most: The most calls.

    Raises:
        TraceError: If there are more, or a call names what does not exist.
    """
    calls = calls_of(trace)
    if calls.turns.sum() > most:
        raise TraceError(f"it has {calls.turns.sum()} calls; a time line has at most {most}")
    arrays = trace.arrays
    first, begin = arrays["stream_first"], arrays["time_first"]
    # The rows of loops are not among the calls.
    row_of = np.full(len(arrays["computed"]), -1)
    row_of[calls.row] = np.arange(len(calls))
    streams = {
        stream: unfolded(arrays["items"][2 * first[stream] : 2 * first[stream + 1]])
        for stream in np.unique(arrays["stream"]).tolist()
    }
    computed = calls.seconds("computed") / calls.turns
    inside = calls.seconds("inside") / calls.turns
    init = calls.is_call("init")
    parts, enters, leaves = [], [], []
    for rank, stream in enumerate(arrays["stream"].tolist()):
        at = row_of[begin[rank] + streams[stream]]
        leave = np.cumsum(computed[at] + inside[at])
        if len(at) and init[at[0]]:
            leave -= leave[0]
        parts.append(at)
        leaves.append(leave)
        enters.append(leave - inside[at])
    return Timeline(calls, np.concatenate(parts), np.concatenate(enters), np.concatenate(leaves))


def unfolded(items: Numbers) -> Numbers:
    """Returns the items of the calls of a stream in their order, with loops turn by turn.

    Args:
        items: Value and length of each item of the stream.
    """
    values, lengths = items[::2], items[1::2]
    loops = np.flatnonzero(values < 0)

    def expand(begin: int, end: int) -> Numbers:
        parts = []
        while begin < end:
            place = np.searchsorted(loops, begin)
            loop = int(loops[place]) if place < len(loops) else end
            parts.append(np.arange(begin, min(loop, end)))
            if loop >= end:
                break
            body = expand(loop + 1, loop + 1 + int(lengths[loop]))
            parts.append(np.tile(body, -int(values[loop])))
            begin = loop + 1 + int(lengths[loop])
        return np.concatenate(parts) if parts else np.zeros(0, np.int64)

    return expand(0, len(values))
