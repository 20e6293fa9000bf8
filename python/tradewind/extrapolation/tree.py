"""The calls of one rank as a tree of loops, with peers on a process grid."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tradewind.extrapolation.grids import GridRule, Vector, group_axes
from tradewind.extrapolation.rank_graph import RankGraph
from tradewind.extrapolation.steps import Peer, peer_of
from tradewind.trace_file import NO_PEER, NONBLOCKING, Trace

WORLD, SELF = "world", "self"
FIXED_COMMS = (WORLD, SELF)
_ABOUT_GROUPS, _ABOUT_STRINGS = ("comm_create", "comm_free"), ("region", "other")
# Stands between the axes of a communicator and the rule of their grid, if that is not the grid of the pattern.
ON_GRID = " of "
# The peers of a call on a window, if they are all its ranks.
EVERYBODY = "all"
# Calls whose arguments start with messages, and how many.
MESSAGES = {"send": 1, "ssend": 1, "rsend": 1, "bsend": 1, "recv": 1, "probe": 1, "sendrecv": 2}
GRAPHS = ("neighbor_allgatherv", "neighbor_alltoallv")
# Calls with a window and a peer, and how many numbers follow.
ACCESSES = {"put": 1, "get": 1, "accumulate": 1, "put_signal": 2}
# Calls that name a window and a list of its ranks.
WINDOW_PEERS = ("post", "start", "lock", "unlock", "flush")
WINDOW_CALLS = ("win_create", "win_free", "fence", "complete", "wait_posts", "wait_signal")
ON_WINDOW = (*ACCESSES, *WINDOW_PEERS, *WINDOW_CALLS)
# Calls with a list of peers whose length differs from rank to rank.
LISTS_OF_PEERS = (*GRAPHS, *WINDOW_PEERS)

# The number of the properties of each call but for its tags.
_numbers: dict[tuple[str | int, ...], int] = {}


@dataclass(frozen=True)
class Key:
    """The properties that calls of different ranks share if they are the same call of the program.

    Args:
        name: The call.
        flags: Its flags.
        site: Its call site; empty if not known.
        group: The axes of its communicator, and which of several with these axes, such as "x", "xy 2".
        tags: The tags of its messages; a text if they grow with k.
        about: The communicator that it makes or frees, the phase that it begins, the name of an unknown call, or `all`;
            of a wait for one request the call that started it.
        grid: The rule of the grid of its peers; empty: that of the pattern.
        window: The number of its window; -1: none.
        order: `rank`, if calls that follow each other do so by the ranks of their peers; otherwise empty.
        peers: `graph`, if it stands for calls to all neighbours in a graph of ranks; otherwise empty.
    """

    name: str
    flags: int
    site: str
    group: str
    tags: tuple[int | str, ...] = ()
    about: str = ""
    grid: str = ""
    window: int = -1
    order: str = ""
    peers: str = ""

    @cached_property
    def without_tags(self) -> tuple[str | int, ...]:
        """The properties that a message without a peer has, too."""
        what = self.name, self.flags, self.site, self.group, self.about
        return *what, self.grid, self.window, self.order, self.peers

    @cached_property
    def number(self) -> int:
        """A number for these properties, which is quick to compare."""
        return _numbers.setdefault(self.without_tags, len(_numbers))


@dataclass(frozen=True)
class Neighbor:
    """A rank in the list of peers of a call.

    Args:
        peer: The rank; None for one that does not exist.
        size: The bytes of its message.
        is_source: Whether the message comes from there.
    """

    peer: Peer | None
    size: int
    is_source: bool


@dataclass(frozen=True)
class Along:
    """A number that calls pass along all edges of a rank in a graph of ranks.

    Args:
        weights: The weights of the edges.
        numbers: The number of each.
    """

    weights: tuple[int, ...]
    numbers: tuple[int, ...]


@dataclass
class CallNode:
    """A call of one rank, or its calls to all neighbours in a graph of ranks.

    Args:
        key: What it is.
        peers: The peers of its messages; None for one that does not exist.
        numbers: Bytes, roots or counts, in the order of the arguments.
        neighbors: The peers of a neighbourhood collective or of a call on a window.
        slots: The slots of the requests that it starts.
        waits: The slots that it completes.
        comm: The number of its communicator on the rank.
        place: How an error names it.
        times: Mean of computation by wall clock and by processor time before it, and of the time inside, in ps.
        along: What calls to all neighbours in a graph pass; then there are neither peers nor numbers.
    """

    key: Key
    peers: tuple[Peer | None, ...]
    numbers: tuple[int, ...]
    neighbors: tuple[Neighbor, ...]
    slots: tuple[int, ...]
    waits: tuple[int, ...]
    comm: int
    place: int
    times: tuple[float, float, float]
    along: tuple[Along, ...] = ()


@dataclass
class LoopNode:
    """A loop of one rank.

    Args:
        turns: Its number of turns.
        body: What is in a turn.
        rounds: What is in each turn, if the loop counts them; the first is the body.
        peers: `graph`, if each turn is for a neighbour in a graph of ranks, the calls of all of which are in the body;
            otherwise empty.
        family: The calls that it makes, if ranks may pause in it: then all have the same turns, some with nothing in them.
    """

    turns: int
    body: list[Node] = field(default_factory=list)
    rounds: list[list[Node]] = field(default_factory=list)
    peers: str = ""
    family: tuple[Any, ...] = ()


Node = CallNode | LoopNode


@dataclass(frozen=True)
class View:
    """The grids on which traces are seen.

    Args:
        rule: The grid of the pattern.
        of_comms: The grids of communicators, by their number on a rank, if they are others.
        of_calls: The grids of the peers of calls, by name, site and number of the communicator, if they are others.
        with_formulas: Whether steps may be formulas, and loops may count their turns.
        graphs: The graph of ranks of each trace; none: nobody knows one.
        with_pauses: Whether ranks may pause in loops that count their turns.
        with_single_turns: Whether calls stand for a loop of one turn if they are in a loop in other traces.
    """

    rule: GridRule
    of_comms: Mapping[int, GridRule] = field(default_factory=dict)
    of_calls: Mapping[tuple[str, str, int], GridRule] = field(default_factory=dict)
    with_formulas: bool = False
    graphs: Sequence[RankGraph] = ()
    with_pauses: bool = False
    with_single_turns: bool = False

    def grid_of_call(self, name: str, site: str, comm: int) -> GridRule:
        """Returns the grid of the peers of a call."""
        own = self.of_comms.get(comm, self.rule)
        return self.of_calls.get((name, site, comm), own)

    def words(self, rule: GridRule) -> str:
        """Returns how a pattern names a grid: not at all if it is its own."""
        return "" if rule == self.rule else rule.words


class Reader:
    """Reads the trees of the ranks of one trace.

    Args:
        trace: The trace.
        view: The grids.
        known: The axes of communicators in traces whose grids have more than one rank along all axes.
    """

    def __init__(
        self, trace: Trace, view: View, known: Mapping[int, AbstractSet[str]] | None = None
    ) -> None:
        self.trace, self.view = trace, view
        self._known = known or {}
        self._events = trace.arrays["events"].reshape(-1, 6).tolist()
        self._arguments = trace.arrays["arguments"]
        self._shapes = dict(enumerate(trace.calls))
        self._groups: dict[tuple[int, int], str | None] = {}
        self._places: dict[tuple[int, int], tuple[list[int], int]] = {}
        self._extents: dict[GridRule, Vector] = {}
        self._keys: dict[tuple[Any, ...], Key] = {}
        # The numbers of communicators of the rank that is read, if they are others than those of the trace.
        self._by_age: dict[int, int] = {}

    def tree(self, rank: int) -> list[Node]:
        """Returns the calls of a rank."""
        arrays = self.trace.arrays
        found, at = self.trace.items_of(rank)
        items = found.tolist()
        self._by_age = self._numbers_by_age(rank, items)
        times = np.stack(
            [arrays[name][at : at + len(items)] for name in ("computed", "processor", "inside")]
        ).T.tolist()
        return self._nodes(rank, items, times, 0, len(items), 1)

    def _numbers_by_age(self, rank: int, items: Sequence[Sequence[int]]) -> dict[int, int]:
        """Returns numbers in the order of creation for communicators with the same members, as others have them.

        A trace has those of one parent first, so that a column that is as long as a plane may change places with it.
        """
        first = self.trace.arrays["comm_first"]
        alike: dict[tuple[int, ...], list[int]] = {}
        for comm in range(len(FIXED_COMMS), int(first[rank + 1] - first[rank])):
            alike.setdefault(tuple(self._members(rank, comm)[0]), []).append(comm)
        several = [comms for comms in alike.values() if len(comms) > 1]
        if not several:
            return {}
        made = [
            int(self._arguments[self._events[value][4]])
            for value, _ in items
            if value >= 0 and self._shapes[self._events[value][0]] == "comm_create"
        ]
        if len(set(made)) < len(made):
            return {}
        age = {comm: place for place, comm in enumerate(made)}
        return {
            comm: number
            for comms in several
            if all(comm in age for comm in comms)
            for comm, number in zip(sorted(comms, key=age.__getitem__), comms, strict=True)
        }

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
        comm = self._by_age.get(comm, comm)
        numbers = self._arguments[first : first + count].tolist()
        slots = (numbers.pop(),) if flags & NONBLOCKING else ()
        name, text = self._shapes[call], self.trace.strings[site] if site >= 0 else ""
        about, about_comm = "", -1
        if name in _ABOUT_GROUPS:
            made = numbers.pop()
            about_comm = self._by_age.get(made, made)
            about = self._name(rank, about_comm)
        elif name in _ABOUT_STRINGS:
            about = self.trace.strings[numbers.pop()]
        rule = self.view.grid_of_call(name, text, comm)
        window = numbers.pop(0) if name in ON_WINDOW else -1
        peers: list[Peer | None] = []
        neighbors: tuple[Neighbor, ...] = ()
        tags: tuple[int, ...] = ()
        waits: tuple[int, ...] = ()
        if name in MESSAGES:
            peers = [self._peer(rank, comm, peer, rule) for peer in numbers[::3]]
            tags, numbers = tuple(numbers[1::3]), numbers[2::3]
        elif name in ACCESSES:
            peers = [self._peer(rank, comm, numbers.pop(0), rule)]
        elif name in GRAPHS:
            neighbors, numbers = self._graph(rank, comm, numbers, rule), []
        elif name in WINDOW_PEERS and self._is_everybody(rank, comm, numbers):
            about, numbers = EVERYBODY, []
        elif name in WINDOW_PEERS:
            neighbors = tuple(
                Neighbor(self._peer(rank, comm, peer, rule), 0, False) for peer in numbers
            )
            numbers = []
        elif name == "wait":
            waits, numbers = tuple(numbers), []
        group = self._name(rank, comm)
        what = event, group, about
        if what not in self._keys:
            words = self.view.words(rule)
            self._keys[what] = Key(name, flags, text, group, tags, about, words, window)
        key = self._keys[what]
        return CallNode(
            key, tuple(peers), tuple(numbers), neighbors, slots, waits, comm, place, times
        )

    def _graph(
        self, rank: int, comm: int, numbers: Sequence[int], rule: GridRule
    ) -> tuple[Neighbor, ...]:
        """Reads the destinations and sources of a neighbourhood collective."""
        result: list[Neighbor] = []
        at = 0
        for is_source in (False, True):
            end = at + 1 + 2 * numbers[at]
            for pair in range(at + 1, end, 2):
                peer = self._peer(rank, comm, numbers[pair], rule)
                result.append(Neighbor(peer, numbers[pair + 1], is_source))
            at = end
        return tuple(result)

    def _is_everybody(self, rank: int, comm: int, peers: Sequence[int]) -> bool:
        members, own = self._members(rank, comm)
        size = len(members)
        return len(peers) == size > 1 and list(peers) == list(range(-own, size - own))

    def _name(self, rank: int, comm: int) -> str:
        """Returns the name of a communicator; with a question mark if it is none of the grid's."""
        if comm < 0:
            return "none"
        return self.group(rank, comm) or f"? {comm}"

    def group(self, rank: int, comm: int) -> str | None:
        """Returns the axes of a communicator, with a number from the second with these axes on."""
        if comm < len(FIXED_COMMS):
            return FIXED_COMMS[comm]
        if (rank, comm) not in self._groups:
            rule = self.view.of_comms.get(comm, self.view.rule)
            extents = rule.extents(self.trace.ranks)
            choices = group_axes(extents, self.trace.members(rank, comm), rank)
            axes = next(
                (one for one in choices if one in self._known.get(comm, ())),
                choices[0] if choices else None,
            )
            words = self.view.words(rule)
            name = f"{axes or SELF}{ON_GRID if words else ''}{words}"
            earlier = [self.group(rank, other) for other in range(len(FIXED_COMMS), comm)]
            same = sum(one is not None and _unnumbered(one) == name for one in earlier)
            if same:
                name = name.replace(axes or SELF, f"{axes or SELF} {same + 1}", 1)
            self._groups[rank, comm] = None if axes is None else name
        return self._groups[rank, comm]

    def _members(self, rank: int, comm: int) -> tuple[list[int], int]:
        """Returns the ranks of a communicator of a rank, and its own place among them."""
        if (rank, comm) not in self._places:
            members = self.trace.members(rank, comm).tolist()
            self._places[rank, comm] = members, members.index(rank)
        return self._places[rank, comm]

    def _peer(self, rank: int, comm: int, peer: int, rule: GridRule) -> Peer | None:
        if peer == NO_PEER:
            return None
        members, own = self._members(rank, comm)
        if rule not in self._extents:
            self._extents[rule] = rule.extents(self.trace.ranks)
        other, extents = members[own + peer], self._extents[rule]
        view = self.view
        return peer_of(extents, rank, other, -1, view.with_formulas, view.with_pauses)


def _unnumbered(name: str) -> str:
    """Returns the name of a communicator without its number among those with the same axes."""
    axes, of, grid = name.partition(ON_GRID)
    return axes.split(" ")[0] + of + grid
