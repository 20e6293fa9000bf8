"""The calls of one rank as a tree of loops, with peers as offsets in a process grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from tradewind.extrapolation.grids import GridRule, Vector, group_axes, offset_between
from tradewind.trace_file import NO_PEER, NONBLOCKING, Trace

WORLD, SELF = "world", "self"
_FIXED = (WORLD, SELF)
_ABOUT_GROUPS, _ABOUT_STRINGS = ("comm_create", "comm_free"), ("region", "other")
# Calls whose arguments start with messages, and how many.
MESSAGES = {"send": 1, "ssend": 1, "rsend": 1, "bsend": 1, "recv": 1, "probe": 1, "sendrecv": 2}


@dataclass(frozen=True)
class Key:
    """The properties that calls of different ranks share if they are the same call of the program.

    Args:
        name: The call.
        flags: Its flags.
        site: Its call site; empty if not known.
        group: The axes of its communicator, and which of several with these axes, such as "x", "xy 2".
        tags: The tags of its messages.
        about: The communicator that it makes or frees, the phase that it begins, or the name of an unknown call.
    """

    name: str
    flags: int
    site: str
    group: str
    tags: tuple[int, ...] = ()
    about: str = ""

    @cached_property
    def without_tags(self) -> tuple[str, int, str, str, str]:
        """The properties that a message without a peer has, too."""
        return self.name, self.flags, self.site, self.group, self.about


@dataclass
class CallNode:
    """A call of one rank.

    Args:
        key: What it is.
        offsets: The peers of its messages; None for one that does not exist.
        numbers: Bytes, roots or counts, in the order of the arguments.
        slot: The slot of the request that it starts; -1: none.
        waits: The slots that it completes.
        place: How an error names it.
        times: Mean of computation by wall clock and by processor time before it, and of the time inside, in ps.
    """

    key: Key
    offsets: tuple[Vector | None, ...]
    numbers: tuple[int, ...]
    slot: int
    waits: tuple[int, ...]
    place: int
    times: tuple[float, float, float]


@dataclass
class LoopNode:
    """A loop of one rank."""

    turns: int
    body: list[Node] = field(default_factory=list)


Node = CallNode | LoopNode


class Reader:
    """Reads the trees of the ranks of one trace, seen on one process grid.

    Args:
        trace: The trace.
        rule: The rule of the grid.
    """

    def __init__(self, trace: Trace, rule: GridRule) -> None:
        self.trace = trace
        self.extents = rule.extents(trace.ranks)
        self._events = trace.arrays["events"].reshape(-1, 6).tolist()
        self._arguments = trace.arrays["arguments"]
        self._shapes = dict(enumerate(trace.calls))
        self._groups: dict[tuple[int, int], str | None] = {}

    def tree(self, rank: int) -> list[Node]:
        """Returns the calls of a rank."""
        arrays = self.trace.arrays
        found, at = self.trace.items_of(rank)
        items = found.tolist()
        times = np.stack(
            [arrays[name][at : at + len(items)] for name in ("computed", "processor", "inside")]
        ).T.tolist()
        return self._nodes(rank, items, times, 0, len(items), 1)

    def _nodes(
        self,
        rank: int,
        items: Sequence[Sequence[int]],
        times: Sequence[Sequence[int]],
        first: int,
        end: int,
        turns: int,
    ) -> list[Node]:
        nodes: list[Node] = []
        at = first
        while at < end:
            value, length = items[at]
            if value < 0:
                body = self._nodes(rank, items, times, at + 1, at + 1 + length, -value * turns)
                nodes.append(LoopNode(-value, body))
            else:
                mean = [time / turns for time in times[at]]
                nodes.append(self._call(rank, value, at, (mean[0], mean[1], mean[2])))
            at += 1 + length
        return nodes

    def _call(
        self, rank: int, event: int, place: int, times: tuple[float, float, float]
    ) -> CallNode:
        call, comm, flags, site, first, count = self._events[event]
        numbers = self._arguments[first : first + count].tolist()
        slot = numbers.pop() if flags & NONBLOCKING else -1
        name = self._shapes[call]
        offsets: tuple[Vector | None, ...] = ()
        tags: tuple[int, ...] = ()
        waits: tuple[int, ...] = ()
        if name in MESSAGES:
            messages = [numbers[3 * i : 3 * i + 3] for i in range(MESSAGES[name])]
            offsets = tuple(self._offset(rank, comm, peer) for peer, _, _ in messages)
            tags = tuple(tag for _, tag, _ in messages)
            numbers = [size for _, _, size in messages]
        elif name == "wait":
            waits, numbers = tuple(numbers), []
        about = ""
        if name in _ABOUT_GROUPS:
            about, numbers = self._name(rank, numbers[0]), []
        elif name in _ABOUT_STRINGS:
            about, numbers = self.trace.strings[numbers[0]], []
        text = self.trace.strings[site] if site >= 0 else ""
        key = Key(name, flags, text, self._name(rank, comm), tags, about)
        return CallNode(key, offsets, tuple(numbers), slot, waits, place, times)

    def _name(self, rank: int, comm: int) -> str:
        """Returns the name of a communicator; with a question mark if it is none of the grid's."""
        if comm < 0:
            return "none"
        return self.group(rank, comm) or f"? {comm}"

    def group(self, rank: int, comm: int) -> str | None:
        """Returns the axes of a communicator, with a number from the second with these axes on."""
        if comm < len(_FIXED):
            return _FIXED[comm]
        if (rank, comm) not in self._groups:
            axes = group_axes(self.extents, self.trace.members(rank, comm), rank)
            earlier = [self.group(rank, other) or "" for other in range(len(_FIXED), comm)]
            same = sum(one.split(" ")[0] == (axes or SELF) for one in earlier)
            name = None if axes is None else f"{axes or SELF}{f' {same + 1}' if same else ''}"
            self._groups[rank, comm] = name
        return self._groups[rank, comm]

    def _offset(self, rank: int, comm: int, peer: int) -> Vector | None:
        if peer == NO_PEER:
            return None
        members = self.trace.members(rank, comm)
        own = int(np.searchsorted(members, rank))
        if own >= len(members) or members[own] != rank:
            own = int(np.flatnonzero(members == rank)[0])
        return offset_between(self.extents, rank, int(members[own + peer]))
