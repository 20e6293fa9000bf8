"""The comparison of two traces, call by call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

from tradewind.extrapolation.tree import MESSAGES
from tradewind.trace_file import NO_PEER, NONBLOCKING, Trace

_SITES = 3
# Members of a communicator that are named.
_SHOWN = 8


def first_difference(
    one: Trace,
    other: Trace,
    with_sites: bool = False,
    names: tuple[str, str] = ("the first", "the other"),
    *,
    each_loop_once: bool = False,
) -> str | None:
    """Returns what the first different call is; None if all calls of all ranks are equal.

    Args:
        one: A trace.
        other: A trace.
        with_sites: Whether call sites are compared, too.
        names: What both are called in the answer.
        each_loop_once: Whether the first turn of each loop stands for all; loops may then be of any length.
    """
    first, second = names
    if one.ranks != other.ranks:
        return f"{one.ranks} and {other.ranks} ranks"
    for rank in range(one.ranks):
        pairs = itertools.zip_longest(
            *(_calls(trace, rank, each_loop_once) for trace in (one, other))
        )
        for number, (a, b) in enumerate(pairs):
            if a is None or b is None:
                longer, more = (first, a) if b is None else (second, b)
                assert more is not None
                return f"rank {rank}: only {longer} has call {number}, {_text(more, rank)}"
            if a[:_SITES] != b[:_SITES] or (with_sites and a != b):
                said = f"{_text(a, rank)} in {first}, {_text(b, rank)} in {second}"
                return f"rank {rank}, call {number}: {said}"
    return None


def _text(call: tuple[Any, ...], rank: int) -> str:
    """Returns a call in words: of messages the peers, tags and bytes, and the place in the source."""
    (name, _), members, numbers, site = call
    words = f"{name} {numbers}"
    if name in MESSAGES:
        own = members.index(rank) if rank in members else rank
        triples = zip(*(numbers[at : 3 * MESSAGES[name] : 3] for at in range(3)), strict=True)
        words = f"{name} " + " and ".join(
            "without peer"
            if peer == NO_PEER
            else f"with rank {own + peer}, tag {tag}, {size} bytes"
            for peer, tag, size in triples
        )
    elif name in ("comm_create", "comm_free"):
        shown = ", ".join(map(str, numbers[0][:_SHOWN]))
        words = f"{name} of ranks {shown}{', ...' if len(numbers[0]) > _SHOWN else ''}"
    return words + (f" at {site}" if site else "")


def _calls(trace: Trace, rank: int, each_loop_once: bool) -> Iterator[tuple[Any, ...]]:
    """Yields name and flags, communicator, arguments and site of each call; slots by the age of their requests."""
    events = trace.arrays["events"].reshape(-1, 6).tolist()
    arguments = trace.arrays["arguments"]
    open_slots: list[int] = []
    members: dict[int, tuple[int, ...]] = {}
    for event in _unfolded(trace, rank, each_loop_once):
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
        if comm not in members:
            members[comm] = _members(trace, rank, comm)
        yield (name, flags), members[comm], tuple(numbers), text


def _members(trace: Trace, rank: int, comm: int) -> tuple[int, ...]:
    if comm < 0:
        return ()
    return tuple(trace.members(rank, comm).tolist())


def _unfolded(trace: Trace, rank: int, each_loop_once: bool) -> Iterator[int]:
    items = trace.items_of(rank)[0].tolist()

    def walk(at: int, stop: int) -> Iterator[int]:
        while at < stop:
            value, length = items[at]
            if value < 0:
                for _ in range(1 if each_loop_once else -value):
                    yield from walk(at + 1, at + 1 + length)
            else:
                yield value
            at += 1 + length

    yield from walk(0, len(items))
