"""Wait states as Scalasca defines them: late sender, late receiver, waits at collectives.

    late sender            a receive, a probe, or the wait for it, begins before the send
    late receiver          a send, or the wait for it, lasts beyond the begin of the receive
    wait at barrier, NxN   the others have not all begun
    late broadcast         the root of a broadcast or scatter has not begun
    early reduce           the root of a reduce or gather begins before all others

A wait ends when the call does, at the latest. Nonblocking collectives, scans and one-sided calls are not classified.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tradewind.inspection.calls import joined
from tradewind.inspection.messages import Ends, channels_of, ends_of, probes_of
from tradewind.inspection.timeline import Timeline
from tradewind.trace_file import NONBLOCKING

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tradewind.inspection.calls import Floats
    from tradewind.trace_file import Numbers

_ALL_TO_ALL = (
    "allreduce",
    "reduce_scatter_block",
    "reduce_scatter",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
)
_FROM_ROOT = ("bcast", "scatter", "scatterv")
_TO_ROOT = ("reduce", "gather", "gatherv")


@dataclass(frozen=True, eq=False)
class WaitState:
    """The waits of one kind.

    Args:
        name: The kind.
        time_s: The time that each call of the time line loses by it.
    """

    name: str
    time_s: Floats

    @property
    def count(self) -> int:
        """The number of calls that wait."""
        return int(np.count_nonzero(self.time_s))


def wait_states(timeline: Timeline) -> list[WaitState]:
    """Classifies the waits in a time line."""
    return [*_of_messages(timeline), *_of_collectives(timeline)]


def _of_messages(timeline: Timeline) -> list[WaitState]:
    ends = ends_of(timeline.calls)
    sends, receives = matched(timeline, ends)
    completed = timeline.completed_at()
    size = len(timeline.at)
    late_sender, late_receiver = np.zeros(size), np.zeros(size)
    for begun, awaited in ((sends, receives), probed(timeline, ends)):
        waiting, known = _waiting(timeline, completed, awaited)
        late = timeline.enter_s[begun] - timeline.enter_s[waiting]
        late = np.clip(late, 0, (timeline.leave_s - timeline.enter_s)[waiting])
        np.maximum.at(late_sender, waiting[known], late[known])
    waiting, known = _waiting(timeline, completed, sends)
    known &= timeline.enter_s[receives] < timeline.leave_s[waiting]
    late = np.maximum(timeline.enter_s[receives] - timeline.enter_s[waiting], 0)
    np.maximum.at(late_receiver, waiting[known], late[known])
    # A call that waits for both lasts as long as the longer wait.
    by_sender = late_sender >= late_receiver
    return [
        WaitState("late sender", np.where(by_sender, late_sender, 0)),
        WaitState("late receiver", np.where(by_sender, 0, late_receiver)),
    ]


def _waiting(
    timeline: Timeline, completed: Numbers, at: Numbers
) -> tuple[Numbers, NDArray[np.bool_]]:
    """Returns the call that waits for each message: itself, or the one that completes its request."""
    is_open = (timeline.calls.of_event("flags")[timeline.at[at]] & NONBLOCKING) != 0
    waiting = np.where(is_open, completed[at], at)
    return waiting, waiting >= 0


def matched(timeline: Timeline, ends: Ends) -> tuple[Numbers, Numbers]:
    """Returns the calls at both ends of each message, in the order of MPI: the nth send, the nth receive."""
    channel = channels_of(ends)
    sends, of_sends = _in_channels(timeline, ends, channel, ends.is_send)
    receives, of_receives = _in_channels(timeline, ends, channel, ~ends.is_send)
    width = len(timeline.at) + 1
    place, found = _found(
        of_receives * width + _nth(of_receives), of_sends * width + _nth(of_sends)
    )
    return sends[found], receives[place[found]]


def probed(timeline: Timeline, ends: Ends) -> tuple[Numbers, Numbers]:
    """Returns the sends whose messages probes have found, and the probes.

    A probe finds the first message of its channel that has not been received.

    Args:
        timeline: The time line.
        ends: The ends of its messages.
    """
    asked = probes_of(timeline.calls)
    if not len(asked.at):
        return asked.at, asked.at
    channel = channels_of(ends.with_others(asked))
    channel, of_asked = channel[: len(ends.at)], channel[len(ends.at) :]
    sends, of_sends = _in_channels(timeline, ends, channel, ends.is_send)
    receives, of_receives = _in_channels(timeline, ends, channel, ~ends.is_send)
    probes, of_probes = _in_channels(timeline, asked, of_asked, ~asked.is_send)
    width = len(timeline.at) + 1
    before = np.searchsorted(of_receives * width + receives, of_probes * width + probes)
    turn = before - np.searchsorted(of_receives, of_probes)
    place, found = _found(of_sends * width + _nth(of_sends), of_probes * width + turn)
    return sends[place[found]], probes[found]


def _in_channels(
    timeline: Timeline, ends: Ends, channel: Numbers, chosen: NDArray[np.bool_]
) -> tuple[Numbers, Numbers]:
    """Returns the calls of chosen ends with their channels, sorted by these, then in order."""
    of_row = np.full(len(timeline.calls), -1)
    of_row[ends.at[chosen]] = channel[chosen]
    at = np.flatnonzero(of_row[timeline.at] >= 0)
    own = of_row[timeline.at[at]]
    order = np.argsort(own, kind="stable")
    return at[order], own[order]


def _found(keys: Numbers, wanted: Numbers) -> tuple[Numbers, NDArray[np.bool_]]:
    """Returns where in some sorted keys others would be, and whether they are there."""
    place = np.searchsorted(keys, wanted)
    found = np.zeros(len(wanted), bool)
    inside = place < len(keys)
    found[inside] = keys[place[inside]] == wanted[inside]
    return place, found


def _nth(keys: Numbers) -> Numbers:
    """Returns for each of some sorted keys how many equal ones are before it."""
    place = np.arange(len(keys))
    is_first = np.ones(len(keys), bool)
    is_first[1:] = keys[1:] != keys[:-1]
    return place - np.maximum.accumulate(np.where(is_first, place, 0))


def _of_collectives(timeline: Timeline) -> list[WaitState]:
    calls = timeline.calls
    first = calls.trace.calls.index("barrier")
    last = calls.trace.calls.index("neighbor_alltoallv")
    numbers = calls.of_event("call")[timeline.at]
    at = np.flatnonzero((numbers >= first) & (numbers <= last))
    rows = timeline.at[at]
    context = calls.communicators.context(calls.rank[rows], calls.of_event("comm")[rows])
    order = np.lexsort((at, calls.rank[rows], context))
    at, rows, context = at[order], rows[order], context[order]
    turn = _nth(context * calls.trace.ranks + calls.rank[rows])
    instance = joined(context, turn)
    return [
        _spread(timeline, at, instance, name, kinds)
        for name, kinds in (("wait at barrier", ("barrier",)), ("wait at NxN", _ALL_TO_ALL))
    ] + [
        _rooted(timeline, at, instance, "late broadcast", _FROM_ROOT),
        _rooted(timeline, at, instance, "early reduce", _TO_ROOT),
    ]


def _chosen(
    timeline: Timeline, at: Numbers, instance: Numbers, kinds: tuple[str, ...]
) -> tuple[Numbers, Numbers, NDArray[np.bool_]]:
    """Returns the collectives of some kinds in which all ranks take part."""
    rows = timeline.at[at]
    calls = timeline.calls
    fits = calls.is_call(*kinds)[rows]
    members = np.bincount(instance, fits, minlength=int(instance.max(initial=-1)) + 1)
    fits &= members[instance] == calls.communicators.sizes[calls.group[rows]]
    is_blocking = (calls.of_event("flags")[rows] & NONBLOCKING) == 0
    return at[fits], instance[fits], is_blocking[fits]


def _spread(
    timeline: Timeline, at: Numbers, instance: Numbers, name: str, kinds: tuple[str, ...]
) -> WaitState:
    """Classifies waits for the last rank that begins."""
    time = np.zeros(len(timeline.at))
    at, instance, is_blocking = _chosen(timeline, at, instance, kinds)
    last = np.full(int(instance.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(last, instance, timeline.enter_s[at])
    late = np.minimum(last[instance], timeline.leave_s[at]) - timeline.enter_s[at]
    time[at] = np.where(is_blocking, np.maximum(late, 0), 0)
    return WaitState(name, time)


def _rooted(
    timeline: Timeline, at: Numbers, instance: Numbers, name: str, kinds: tuple[str, ...]
) -> WaitState:
    """Classifies waits for the root, or of the root for the first of the others."""
    time = np.zeros(len(timeline.at))
    at, instance, is_blocking = _chosen(timeline, at, instance, kinds)
    calls = timeline.calls
    rows = timeline.at[at]
    root = calls.trace.arrays["arguments"][calls.of_event("first")[rows]]
    is_root = calls.communicators.index(calls.rank[rows], calls.group[rows]) == root
    awaited = is_root if kinds is _FROM_ROOT else ~is_root
    first = np.full(int(instance.max(initial=-1)) + 1, np.inf)
    np.minimum.at(first, instance[awaited], timeline.enter_s[at[awaited]])
    until = np.minimum(first[instance], timeline.leave_s[at])
    late = np.where(np.isfinite(first[instance]), until - timeline.enter_s[at], 0)
    time[at] = np.where(is_blocking & ~awaited, np.maximum(late, 0), 0)
    return WaitState(name, time)
