"""A trace as a schedule in GOAL, for LogGOPSim and ATLAHS.

A call that blocks requires the one before it. A call that only starts something begins after the start of the
one before, and what follows a wait requires what it waits for. Collectives are written as messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import IO

from tradewind.errors import TraceError
from tradewind.files import write_atomically
from tradewind.inspection.messages import ends_of
from tradewind.inspection.timeline import Timeline, timeline_of
from tradewind.trace_file import NO_PEER, NONBLOCKING, WILDCARD, Trace
from tradewind.trace_formats.collective_rounds import (
    Member,
    Round,
    is_collective,
    rounds_of,
    starts_at_once,
)

# The most calls that are unfolded, and the largest tag of GOAL.
MOST_CALLS = 50_000_000
_MOST_TAG = 2**32 - 2
_SENDS = ("send", "ssend", "rsend", "bsend")
_COLLECTIVES = "collectives: written as messages"
_SILENT = ("init", "finalize", "region", "comm_create", "comm_free")


def write_goal(trace: Trace, path: Path) -> list[str]:
    """Writes a trace as a schedule.

    Args:
        trace: The trace.
        path: The file.

    Returns:
        What GOAL cannot say, a line each.

    Raises:
        TraceError: If a call names what does not exist, or a tag is too large.
        Error: If the file cannot be written.
    """
    timeline = timeline_of(trace, MOST_CALLS)
    schedule = _Schedule(timeline)

    def fill(file: IO[bytes]) -> None:
        file.write(f"num_ranks {trace.ranks}\n".encode())
        for rank in range(trace.ranks):
            file.write(f"\nrank {rank} {{\n".encode())
            for line in schedule.lines(rank):
                file.write(f"{line}\n".encode())
            file.write(b"}\n")

    write_atomically(path, fill)
    return schedule.lost()


class _Schedule:
    """Writes the operations of all ranks."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._calls = calls = timeline.calls
        # Refuses peers that do not exist.
        ends_of(calls)
        self._lost: Counter[str] = Counter()
        uses = calls.group >= 0
        contexts = calls.communicators.context(calls.rank[uses], calls.of_event("comm")[uses])
        self._contexts = {one: number for number, one in enumerate(sorted(set(contexts.tolist())))}
        has_collectives = any(is_collective(name) for name in self._names_used())
        # Tags tell communicators apart, and messages of collectives from others.
        self._stride = len(self._contexts) * (2 if has_collectives else 1)

    def lost(self) -> list[str]:
        """Returns what was lost."""
        return [f"{what} ({count})" if count > 1 else what for what, count in self._lost.items()]

    def lose(self, what: str) -> None:
        """Notes that something cannot be said."""
        self._lost[what] += 1

    def lines(self, rank: int) -> Iterator[str]:
        """Yields the lines of a rank."""
        timeline, calls = self._timeline, self._calls
        begin, end = timeline.rank.searchsorted([rank, rank + 1]).tolist()
        writer = _RankWriter(self, rank)
        processor = (calls.seconds("processor") / calls.turns)[timeline.at[begin:end]]
        for at, time in zip(timeline.at[begin:end].tolist(), processor.tolist(), strict=True):
            nanoseconds = round(time * 1e9)
            if nanoseconds:
                yield from writer.calculate(nanoseconds)
            yield from writer.call(at)

    def tag(self, at: int, tag: int) -> int:
        """Returns the tag of a message in GOAL."""
        number = max(tag, 0) * max(self._stride, 1) + self._context(at)
        if number > _MOST_TAG:
            raise TraceError(f"tag {tag}: GOAL has no room for it beside the communicator")
        return number

    def collective_tag(self, at: int) -> int:
        """Returns the tag of the messages of a collective."""
        return len(self._contexts) + self._context(at)

    def event(self, at: int) -> tuple[str, int, list[int]]:
        """Returns name, flags and arguments of a row."""
        calls = self._calls
        number = calls.event[at]
        call, _, flags, _, first, count = calls.trace.arrays["events"][6 * number : 6 * number + 6]
        arguments = calls.trace.arrays["arguments"][first : first + count].tolist()
        return calls.trace.calls[call], int(flags), arguments

    def name(self, at: int) -> str:
        """Returns the name of a row in MPI."""
        return str(self._calls.names[self._calls.kind[at]])

    def member(self, at: int) -> tuple[int, Sequence[int]]:
        """Returns the own rank in the communicator of a row, and its members."""
        calls = self._calls
        communicators = calls.communicators
        group = calls.group[at : at + 1]
        own = int(communicators.index(calls.rank[at : at + 1], group)[0])
        return own, communicators.members(int(group[0]))

    def _context(self, at: int) -> int:
        calls = self._calls
        comm = calls.of_event("comm")[at : at + 1]
        return self._contexts[int(calls.communicators.context(calls.rank[at : at + 1], comm)[0])]

    def _names_used(self) -> set[str]:
        numbers = set(self._calls.of_event("call").tolist())
        return {self._calls.trace.calls[number] for number in numbers}


class _RankWriter:
    """Writes the operations of a rank with their dependencies."""

    def __init__(self, schedule: _Schedule, rank: int) -> None:
        self._schedule = schedule
        self._rank = rank
        self._next = 0
        # Ends and the begin that the next operation waits for.
        self._requires: list[int] = []
        self._after_start: int | None = None
        # The operations, or the collective, behind each slot.
        self._open: dict[int, list[int]] = {}
        self._deferred: dict[int, tuple[int, str, list[int]]] = {}
        self._rows: dict[int, tuple[str, int, list[int]]] = {}

    def calculate(self, nanoseconds: int) -> Iterator[str]:
        """Computes."""
        yield from self._operation(f"calc {nanoseconds}")
        self._requires, self._after_start = [self._next], None

    def call(self, at: int) -> Iterator[str]:
        """Writes a call of the time line."""
        if at not in self._rows:
            self._rows[at] = self._schedule.event(at)
        name, flags, arguments = self._rows[at]
        slot = arguments[-1] if flags & NONBLOCKING else None
        arguments = arguments[:-1] if flags & NONBLOCKING else arguments
        if flags & WILDCARD:
            self._schedule.lose("receives from any source or with any tag: written as they matched")
        if name in (*_SENDS, "recv", "sendrecv"):
            yield from self._messages(at, name, arguments, slot)
        elif name == "wait":
            yield from self._wait(arguments)
        elif not is_collective(name):
            if name not in _SILENT:
                self._schedule.lose(f"{self._schedule.name(at)}: left out")
        elif slot is None:
            yield from self._collective(at, name, arguments)
        elif starts_at_once(name):
            self._schedule.lose(_COLLECTIVES)
            for one in self._rounds(at, name, arguments):
                yield from self._start(at, one, slot)
        else:
            self._schedule.lose(f"nonblocking {name}: begins when it is waited for")
            self._deferred[slot] = (at, name, arguments)

    def _messages(
        self, at: int, name: str, arguments: list[int], slot: int | None
    ) -> Iterator[str]:
        if name in ("ssend", "rsend", "bsend"):
            self._schedule.lose(f"MPI_{name.capitalize()}: written as a send")
        own, members = self._schedule.member(at)
        started: list[int] = []
        parts = [(name, arguments)]
        if name == "sendrecv":
            parts = [("recv", arguments[3:]), ("send", arguments[:3])]
        for verb, (peer, tag, size) in parts:
            if peer == NO_PEER:
                continue
            side = "recv" if verb == "recv" else "send"
            other = members[own + peer]
            yield from self._message(side, other, size, self._schedule.tag(at, tag))
            started.append(self._next)
        self._close(started, slot)

    def _message(self, side: str, other: int, size: int, tag: int) -> Iterator[str]:
        if size == 0:
            self._schedule.lose("messages of 0 bytes: written with 1 byte")
        to = f"{'to' if side == 'send' else 'from'} {other}"
        yield from self._operation(f"{side} {max(size, 1)}b {to} tag {tag}")
        self._requires, self._after_start = [], self._next

    def _close(self, started: list[int], slot: int | None) -> None:
        """Lets the next operation wait for what was started, or leaves it to the wait for its slot."""
        if slot is None:
            self._requires += started
            if started:
                self._after_start = None
        else:
            self._open.setdefault(slot, []).extend(started)

    def _wait(self, slots: list[int]) -> Iterator[str]:
        for slot in slots:
            if slot in self._deferred:
                yield from self._collective(*self._deferred.pop(slot))
        ends = [one for slot in slots for one in self._open.pop(slot, [])]
        self._requires = sorted({*self._requires, *ends})

    def _collective(self, at: int, name: str, arguments: list[int]) -> Iterator[str]:
        self._schedule.lose(_COLLECTIVES)
        for one in self._rounds(at, name, arguments):
            yield from self._start(at, one, None)

    def _rounds(self, at: int, name: str, arguments: list[int]) -> list[Round]:
        own, members = self._schedule.member(at)
        try:
            return rounds_of(name, Member(own, len(members), arguments))
        except ValueError as error:
            raise TraceError(f"rank {self._rank}: {name} {error}") from None

    def _start(self, at: int, messages: Round, slot: int | None) -> Iterator[str]:
        members = self._schedule.member(at)[1]
        tag = self._schedule.collective_tag(at)
        started = []
        for side, ends in (("recv", messages.receives), ("send", messages.sends)):
            for place, size in ends:
                yield from self._message(side, members[place], size, tag)
                started.append(self._next)
        self._close(started, slot)

    def _operation(self, words: str) -> Iterator[str]:
        self._next += 1
        yield f"l{self._next}: {words}"
        for earlier in self._requires:
            yield f"l{self._next} requires l{earlier}"
        if self._after_start is not None and self._after_start not in self._requires:
            yield f"l{self._next} irequires l{self._after_start}"
