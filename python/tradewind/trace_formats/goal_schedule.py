"""Operations of a schedule in GOAL that depend on each other, as a list of calls.

GOAL says which operation may begin after which has ended (`requires`) or begun (`irequires`). A recorded
program is a list of calls with waits. Such a list is made here:

    1. all operations that may begin are started, in the order of the file, messages before calculations
    2. of the operations that wait for messages, the one with the fewest of these is next: a wait
       for just these messages, then 1 again

Where two operations wait for different messages, either of which may come first, no list of calls does what
the schedule does, and it is refused with their places.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tradewind.errors import TraceError

if TYPE_CHECKING:
    from pathlib import Path

    from tradewind.trace_formats.rank_calls import RankCalls

MOST_RANKS = 2**24
MOST_BYTES = 2**50
MOST_TAG = 2**31
MOST_NANOSECONDS = 10**15
PS_PER_NS = 1000


@dataclass(eq=False)
class Operation:
    """An operation of a rank.

    Args:
        place: Its place in the file, for people.
        name: `send`, `recv` or `calc`.
        amount: Bytes, or picoseconds of a calculation.
        peer: The other rank of a message.
        tag: The tag of a message.
        requires: The operations whose ends it waits for.
        after_start: The operations whose begins it waits for.
    """

    place: str
    name: str
    amount: int
    peer: int = 0
    tag: int = 0
    requires: list[int] = field(default_factory=list)
    after_start: list[int] = field(default_factory=list)


class _Progress:
    """The state of the schedule of a rank while its list of calls is made."""

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.operations = operations
        self.started = [False] * len(operations)
        self.done = [False] * len(operations)
        self.slots: dict[int, int] = {}
        # Begins that each operation still waits for, and ends.
        self.unstarted = [0] * len(operations)
        self.missing: list[set[int]] = [set(one.requires) for one in operations]
        self.followers: list[list[int]] = [[] for _ in operations]
        self.users: list[list[int]] = [[] for _ in operations]
        for number, one in enumerate(operations):
            for earlier in {*one.requires, *one.after_start}:
                self.followers[earlier].append(number)
                self.unstarted[number] += 1
            for earlier in self.missing[number]:
                self.users[earlier].append(number)
        # Operations of which all earlier ones have begun, and that wait for the end of some.
        self.frontier: set[int] = set()
        self.ready = [n for n in range(len(operations)) if not self.unstarted[n]]

    def begin(self, number: int) -> None:
        """Notes that an operation has begun."""
        self.started[number] = True
        for later in self.followers[number]:
            self.unstarted[later] -= 1
            if not self.unstarted[later]:
                self._admit(later)

    def end(self, number: int) -> None:
        """Notes that an operation has ended."""
        self.done[number] = True
        for later in self.users[number]:
            self.missing[later].discard(number)
            if later in self.frontier and not self.missing[later]:
                self.frontier.discard(later)
                self.ready.append(later)

    def _admit(self, number: int) -> None:
        self.missing[number] = {one for one in self.missing[number] if not self.done[one]}
        if self.missing[number]:
            self.frontier.add(number)
        else:
            self.ready.append(number)


def add_calls(path: Path, calls: RankCalls, operations: Sequence[Operation]) -> None:
    """Adds the calls that do what the operations of a rank do.

    Args:
        path: The file, for errors.
        calls: The calls of the rank.
        operations: Its operations, in the order of the file.

    Raises:
        TraceError: If no list of calls does what they do.
    """
    run = _Progress(operations)
    while True:
        while run.ready:
            _start(calls, run)
        if not run.frontier:
            break
        first = min(run.frontier, key=lambda one: (len(run.missing[one]), one))
        for other in run.frontier:
            if not run.missing[first] <= run.missing[other]:
                raise TraceError(
                    f"{path}: {operations[other].place}: this and {operations[first].place} wait for"
                    " different messages; a list of calls cannot do first what can be done first"
                )
        _wait(calls, run, sorted(run.missing[first]))
    if not all(run.started):
        lost = run.started.index(False)
        place = operations[lost].place
        raise TraceError(f"{path}: {place}: waits for itself by a circle of dependencies")
    if run.slots:
        calls.wait(list(run.slots.values()))


def _start(calls: RankCalls, run: _Progress) -> None:
    """Starts what may begin: all messages first, or else one calculation."""
    run.ready.sort()
    messages = [one for one in run.ready if run.operations[one].name != "calc"]
    chosen = messages or run.ready[:1]
    taken = set(chosen)
    run.ready = [one for one in run.ready if one not in taken]
    for number in chosen:
        operation = run.operations[number]
        if operation.name == "calc":
            calls.compute(operation.amount)
            run.begin(number)
            run.end(number)
        else:
            arguments = [operation.peer - calls.rank, operation.tag, operation.amount]
            run.slots[number] = calls.start(operation.name, arguments)
            run.begin(number)


def _wait(calls: RankCalls, run: _Progress, numbers: Sequence[int]) -> None:
    calls.wait([run.slots.pop(number) for number in numbers])
    for number in numbers:
        run.end(number)
