"""Schedules in the Group Operation Assembly Language (GOAL), the text that LogGOPSim and ATLAHS read.

    num_ranks 2
    rank 0 {
    l1: calc 100
    l2: send 10b to 1 tag 3
    l2 requires l1
    }

GOAL says which operation may begin after which has ended (`requires`) or begun (`irequires`). A recorded
program is a list of calls with waits. Such a list is made here:

    1. all operations that may begin are started, in the order of the file, messages before calculations
    2. of the operations that wait for messages, the one with the fewest of these is next: a wait
       for just these messages, then 1 again

Where two operations wait for different messages, either of which may come first, no list of calls does what
the schedule does, and it is refused with their lines. Calculations are in nanoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.errors import TraceError
from tradewind.files import load_text
from tradewind.trace_formats.rank_calls import RankCalls

_OPERATION = re.compile(
    r"(?:(?P<label>[A-Za-z]\w*)\s*:\s*)?"
    r"(?:(?P<calc>calc)\s+(?P<time>\d+)"
    r"|(?P<message>send|recv)\s+(?P<bytes>\d+)\s*b\s+(?P<side>to|from)\s+(?P<peer>-1|\d+)"
    r"(?:\s+tag\s+(?P<tag>-1|\d+))?)"
    r"(?:\s+cpu\s+(?P<cpu>\d+))?(?:\s+nic\s+(?P<nic>\d+))?"
)
_DEPENDENCY = re.compile(r"([A-Za-z]\w*)\s+(i?requires)\s+([A-Za-z]\w*)")
_RANKS = re.compile(r"num_ranks\s+(\d+)")
_RANK = re.compile(r"rank\s+(\d+)\s*\{")
_MOST_RANKS = 2**24
_MOST_BYTES = 2**50
_MOST_TAG = 2**31
_PS_PER_NS = 1000
_DIGITS = 19


@dataclass(eq=False)
class _Operation:
    line: int
    name: str
    amount: int
    peer: int = 0
    tag: int = 0
    requires: list[int] = field(default_factory=list)
    after_start: list[int] = field(default_factory=list)


def is_goal(text: str) -> bool:
    """Reports whether a text begins like a schedule."""
    return next((bool(_RANKS.fullmatch(line)) for _, line in _lines(text)), False)


def read_goal(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads a schedule.

    Returns:
        The arrays of a trace, and its facts.

    Raises:
        TraceError: If it is no schedule, or no list of calls can express it; the message has the line.
    """
    lines = _lines(load_text(path))
    number, line = next(lines, (1, ""))
    found = _RANKS.fullmatch(line)
    ranks = _number(found[1]) if found else 0
    if not 1 <= ranks <= _MOST_RANKS:
        raise _error(path, number, f"num_ranks 1..{_MOST_RANKS} must come first")
    builder = core.load().TraceBuilder(ranks)
    read: set[int] = set()
    for number, line in lines:
        start = _RANK.fullmatch(line)
        rank = _number(start[1]) if start else -1
        if not 0 <= rank < ranks or rank in read:
            raise _error(
                path, number, f'"{line[:60]}": expected "rank R {{" with a new R below {ranks}'
            )
        read.add(rank)
        calls = RankCalls(builder, rank)
        calls.call("init")
        _schedule(path, calls, _operations(path, lines, ranks))
        calls.call("finalize")
        calls.finish()
    if len(read) < ranks:
        missing = next(rank for rank in range(ranks) if rank not in read)
        raise TraceError(f"{path}: has no rank {missing}; num_ranks is {ranks}")
    return builder.finish(), {"complete": True, "converted_from": "GOAL", "command": path.name}


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines with their numbers, without comments and empty ones."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        kept = ""
        while line:
            mark = "*/" if inside else "/*"
            before, found, after = line.partition(mark)
            if not inside:
                before, comment, _ = before.partition("//")
                kept += before
                if comment:
                    break
            inside, line = inside != bool(found), after
        if kept.strip():
            yield number, kept.strip()


def _number(text: str) -> int:
    return int(text) if len(text) <= _DIGITS else 10**_DIGITS


def _error(path: Path, line: int, reason: str) -> TraceError:
    return TraceError(f"{path}: line {line}: {reason}")


def _operations(path: Path, lines: Iterator[tuple[int, str]], ranks: int) -> list[_Operation]:
    """Reads the operations of a rank up to the closing brace."""
    operations: list[_Operation] = []
    labels: dict[str, int] = {}
    last = 0
    for number, line in lines:
        last = number
        if line == "}":
            return operations
        if edge := _DEPENDENCY.fullmatch(line):
            for label in (edge[1], edge[3]):
                if label not in labels:
                    raise _error(path, number, f'no operation before has the label "{label}"')
            later, earlier = operations[labels[edge[1]]], labels[edge[3]]
            (later.requires if edge[2] == "requires" else later.after_start).append(earlier)
            continue
        operation = _OPERATION.fullmatch(line)
        if operation is None:
            raise _error(path, number, f'"{line[:60]}" is no operation and no dependency')
        if operation["label"]:
            labels[operation["label"]] = len(operations)
        operations.append(_operation(path, number, operation, ranks))
    raise _error(path, last, 'the file ends before the "}" of a rank')


def _operation(path: Path, number: int, found: re.Match[str], ranks: int) -> _Operation:
    for word in ("cpu", "nic"):
        if found[word] and _number(found[word]) > 0:
            raise _error(
                path, number, f"{word} {found[word]}: a rank of a trace has one {word}, number 0"
            )
    if found["calc"]:
        time = _number(found["time"])
        if time > 10**15:
            raise _error(path, number, f"calc {found['time']}: at most 10^15 ns")
        return _Operation(number, "calc", time * _PS_PER_NS)
    name, size, tag = found["message"], _number(found["bytes"]), found["tag"] or "0"
    if found["side"] != ("to" if name == "send" else "from"):
        raise _error(path, number, f'{name} {found["side"]}: expected "send to" or "recv from"')
    if found["peer"] == "-1" or tag == "-1":
        raise _error(
            path, number, "a receive from any source or with any tag: what matches is not said"
        )
    peer = _number(found["peer"])
    if peer >= ranks or size > _MOST_BYTES or _number(tag) > _MOST_TAG:
        raise _error(
            path,
            number,
            f"{name}: rank, bytes and tag must be at most {ranks - 1}, 2^50 and 2^31",
        )
    return _Operation(number, name, size, peer, _number(tag))


class _Run:
    """The state of the schedule of a rank while its list of calls is made."""

    def __init__(self, operations: Sequence[_Operation]) -> None:
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


def _schedule(path: Path, calls: RankCalls, operations: Sequence[_Operation]) -> None:
    """Adds the calls that do what the operations of a rank do."""
    run = _Run(operations)
    while True:
        while run.ready:
            _start(calls, run)
        if not run.frontier:
            break
        first = min(run.frontier, key=lambda one: (len(run.missing[one]), one))
        for other in run.frontier:
            if not run.missing[first] <= run.missing[other]:
                raise _error(
                    path,
                    operations[other].line,
                    f"this and line {operations[first].line} wait for different messages; a list"
                    " of calls cannot do first what can be done first",
                )
        _wait(calls, run, sorted(run.missing[first]))
    if not all(run.started):
        lost = run.started.index(False)
        raise _error(path, operations[lost].line, "waits for itself by a circle of dependencies")
    if run.slots:
        calls.wait(list(run.slots.values()))


def _start(calls: RankCalls, run: _Run) -> None:
    """Starts what may begin: all messages first, or else one calculation."""
    run.ready.sort()
    messages = [one for one in run.ready if run.operations[one].name != "calc"]
    chosen = messages or run.ready[:1]
    run.ready = [one for one in run.ready if one not in set(chosen)]
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


def _wait(calls: RankCalls, run: _Run, numbers: Sequence[int]) -> None:
    calls.wait([run.slots.pop(number) for number in numbers])
    for number in numbers:
        run.end(number)
