"""The comparison of two traces, call by call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tradewind.extrapolation.tree import MESSAGES
from tradewind.trace_file import NO_PEER, NONBLOCKING, Trace

_SITES = 3


def first_difference(one: Trace, other: Trace, with_sites: bool = False) -> str | None:
    """Returns what the first different call is; None if all calls of all ranks are equal.

    Args:
        one: A trace.
        other: A trace.
        with_sites: Whether call sites are compared, too.
    """
    if one.ranks != other.ranks:
        return f"{one.ranks} and {other.ranks} ranks"
    for rank in range(one.ranks):
        pairs = itertools.zip_longest(_calls(one, rank), _calls(other, rank))
        for number, (a, b) in enumerate(pairs):
            if a is None or b is None:
                return f"rank {rank}: {'the first' if b is None else 'the other'} has call {number}"
            if a[:_SITES] != b[:_SITES] or (with_sites and a != b):
                return f"rank {rank}, call {number}: {_text(a)} and {_text(b)}"
    return None


def _text(call: tuple[Any, ...]) -> str:
    return f"{call[0]} {call[2]}"


def _calls(trace: Trace, rank: int) -> Iterator[tuple[Any, ...]]:
    """Yields name and flags, communicator, arguments and site of each call; slots by the age of their requests."""
    events = trace.arrays["events"].reshape(-1, 6).tolist()
    arguments = trace.arrays["arguments"]
    open_slots: list[int] = []
    for event in _unfolded(trace, rank):
        call, comm, flags, site, first, count = events[event]
        numbers = arguments[first : first + count].tolist()
        name = trace.calls[call]
        if name in MESSAGES:
            # Without a peer tag and bytes do not matter.
            for at in range(0, 3 * MESSAGES[name], 3):
                if numbers[at] == NO_PEER:
                    numbers[at + 1 : at + 3] = 0, 0
        if flags & NONBLOCKING:
            open_slots.append(numbers.pop())
        elif name == "wait":
            done = [slot for slot in numbers if slot in open_slots]
            numbers = sorted(open_slots.index(slot) for slot in done)
            open_slots = [slot for slot in open_slots if slot not in done]
        elif name in ("region", "other"):
            numbers = [trace.strings[numbers[0]]]
        elif name in ("comm_create", "comm_free"):
            numbers = [_members(trace, rank, numbers[0])]
        text = trace.strings[site] if site >= 0 else ""
        yield (name, flags), _members(trace, rank, comm), tuple(numbers), text


def _members(trace: Trace, rank: int, comm: int) -> tuple[int, ...]:
    if comm < 0:
        return ()
    return tuple(trace.members(rank, comm).tolist())


def _unfolded(trace: Trace, rank: int) -> Iterator[int]:
    items = trace.items_of(rank)[0].tolist()

    def walk(at: int, stop: int) -> Iterator[int]:
        while at < stop:
            value, length = items[at]
            if value < 0:
                for _ in range(-value):
                    yield from walk(at + 1, at + 1 + length)
            else:
                yield value
            at += 1 + length

    yield from walk(0, len(items))
