"""Calls that a rank makes for all its neighbours in a graph of ranks, one after the other: one call of the program.

A sweep over the neighbours makes one call for each, or several in the same order: a receive and a wait, say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tradewind.extrapolation.pattern import GRAPH_OF_RANKS
from tradewind.extrapolation.rank_graph import DIRECTIONS, RankGraph
from tradewind.extrapolation.requests import Trees
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import LISTS_OF_PEERS, Along, CallNode, LoopNode, Node

# The properties of a call; of a wait those of the call whose request it completes, too.
_Call = tuple[Any, ...]
# The properties of the calls that a sweep makes for each neighbour.
Sweep = tuple[_Call, ...]
_MOST_CALLS = 4


def graph_sweeps(trees: Trees, graphs: Sequence[RankGraph]) -> set[Sweep]:
    """Returns the sweeps that all ranks with neighbours make, and in which their calls are all of their kind.

    Args:
        trees: The calls of each rank of each trace.
        graphs: The graph of ranks of each trace.
    """
    # With one neighbour two calls may be one sweep of both, or two sweeps.
    known: set[Sweep] = set()
    for member, nodes in trees.items():
        reader = _Reader(graphs[member[0]], member[1], None)
        reader.read(nodes)
        known |= reader.found
    while known:
        made: Counter[_Call] = Counter()
        for member, nodes in trees.items():
            made.update(_calls(nodes))
            reader = _Reader(graphs[member[0]], member[1], known)
            reader.read(nodes)
            made.subtract(reader.made)
        wrong = {call for call, left in made.items() if left}
        if not any(wrong & set(sweep) for sweep in known):
            break
        known = {sweep for sweep in known if not wrong & set(sweep)}
    return known


def with_sweeps(
    nodes: Sequence[Node], member: Member, graphs: Sequence[RankGraph], known: set[Sweep]
) -> list[Node]:
    """Returns the calls of a rank with one call, or a loop, in the place of each sweep."""
    return _Reader(graphs[member[0]], member[1], known).read(nodes)


def _call_of(node: Node) -> _Call | None:
    """Returns the properties of a call with peers; None of all others."""
    if isinstance(node, LoopNode) or node.key.name not in DIRECTIONS:
        return None
    return node.key.without_tags, node.key.tags


def _calls(nodes: Sequence[Node]) -> Iterator[_Call]:
    for node in nodes:
        if isinstance(node, LoopNode):
            yield from _calls(node.body)
        elif (call := _call_of(node)) is not None:
            yield call


@dataclass(frozen=True)
class _Request:
    """A request that was started in a sweep.

    Args:
        call: What started it.
        turn: The number of the neighbour.
        turns: The number of neighbours.
    """

    call: _Call
    turn: int
    turns: int


@dataclass
class _Reader:
    """Finds the sweeps of one rank.

    Args:
        graph: The graph.
        rank: The rank.
        known: The sweeps; None: all that are made for two neighbours or more.
        found: The sweeps that were found.
        made: The calls with peers in them.
    """

    graph: RankGraph
    rank: int
    known: set[Sweep] | None
    found: set[Sweep] = field(default_factory=set)
    made: Counter[_Call] = field(default_factory=Counter)
    _open: dict[int, _Request] = field(default_factory=dict)

    def read(self, nodes: Sequence[Node]) -> list[Node]:
        """Returns the calls with one call, or a loop, in the place of each sweep."""
        result: list[Node] = []
        at = 0
        while at < len(nodes):
            node = nodes[at]
            if isinstance(node, LoopNode):
                before = dict(self._open)
                result.append(replace(node, body=self.read(node.body)))
                self._open = before
                at += 1
                continue
            sweep, length = self._sweep(nodes, at)
            if sweep is None:
                result.append(node)
                for slot in (*node.slots, *node.waits):
                    self._open.pop(slot, None)
            else:
                result.append(sweep)
            at += length
        return result

    def _sweep(self, nodes: Sequence[Node], at: int) -> tuple[Node | None, int]:
        """Returns the sweep that begins at a place, and the number of its calls."""
        periods = range(1, _MOST_CALLS + 1)
        # The longest counts where the sweeps are known: two calls for one neighbour are not two sweeps.
        for period in periods if self.known is None else reversed(periods):
            block = self._block(nodes, at, period)
            if block is None:
                continue
            opened = dict(self._open)
            sweep = self._signature(block, period, opened)
            turns = len(block) // period
            is_sure = turns > 1 or block[0].key.name in LISTS_OF_PEERS
            if sweep is None or not (is_sure if self.known is None else sweep in self.known):
                continue
            self._open = opened
            self.found.add(sweep)
            self.made.update(call for call in map(_call_of, block) if call is not None)
            calls = [self._made_from(block[place::period]) for place in range(period)]
            whole = calls[0] if period == 1 else LoopNode(turns, list(calls), peers=GRAPH_OF_RANKS)
            return whole, len(block)
        return None, 1

    def _block(self, nodes: Sequence[Node], at: int, period: int) -> list[CallNode] | None:
        """Returns as many calls as a sweep of a period has from a place on; None if it cannot be one."""
        first = nodes[at]
        assert isinstance(first, CallNode)
        if first.key.name in LISTS_OF_PEERS:
            length = 1 if period == 1 else 0
        else:
            length = period * self._turns(first)
        block = [node for node in nodes[at : at + length] if isinstance(node, CallNode)]
        return block if length > 0 and len(block) == length else None

    def _turns(self, first: CallNode) -> int:
        """Returns for how many neighbours a sweep is made that begins with a call; 0: none begins with it."""
        if first.key.name == "wait":
            request = self._open.get(first.waits[0]) if len(first.waits) == 1 else None
            return request.turns if request is not None and request.turn == 0 else 0
        if first.key.name not in DIRECTIONS:
            return 0
        return self.graph.links[DIRECTIONS[first.key.name][0]].count(self.rank)

    def _signature(
        self, block: Sequence[CallNode], period: int, opened: dict[int, _Request]
    ) -> Sweep | None:
        """Returns the calls for each neighbour; None if they are others, or for others.

        Args:
            block: The calls.
            period: How many there are for each neighbour.
            opened: The open requests; those of the block are put in and taken out.
        """
        sweep: list[_Call] = []
        turns = len(block) // period
        for number, node in enumerate(block):
            turn, place = divmod(number, period)
            call = self._call(node, turn, opened)
            if call is None or (turn > 0 and call != sweep[place]):
                return None
            if turn == 0:
                sweep.append(call)
            for slot in node.slots:
                opened[slot] = _Request(call, turn, turns)
        return tuple(sweep)

    def _call(self, node: CallNode, turn: int, opened: dict[int, _Request]) -> _Call | None:
        """Returns what a call for a neighbour is; None if it is none for this one."""
        if node.key.name == "wait":
            request = opened.pop(node.waits[0], None) if len(node.waits) == 1 else None
            if request is None or request.turn != turn:
                return None
            return "wait", node.key.without_tags, request.call
        if node.key.name not in DIRECTIONS:
            return None
        if node.key.name in LISTS_OF_PEERS:
            is_neighborhood = self._has_all_peers(node)
        else:
            is_neighborhood = self._has_peers_of(node, turn)
        return _call_of(node) if is_neighborhood else None

    def _has_peers_of(self, node: CallNode, turn: int) -> bool:
        """Reports whether the peers of a call are the neighbours with a number."""
        for peer, direction in zip(node.peers, DIRECTIONS[node.key.name], strict=True):
            links = self.graph.links[direction]
            others = links.others[links.edges(self.rank)]
            if peer is None or turn >= len(others) or peer.other != others[turn]:
                return False
        return True

    def _has_all_peers(self, node: CallNode) -> bool:
        """Reports whether the lists of a call have all neighbours."""
        directions = DIRECTIONS[node.key.name]
        for is_source, direction in zip((False, True), directions, strict=False):
            links = self.graph.links[direction]
            listed = [one.peer for one in node.neighbors if one.is_source == is_source]
            others = [-1 if peer is None else peer.other for peer in listed]
            if others != links.others[links.edges(self.rank)].tolist():
                return False
        return True

    def _made_from(self, calls: Sequence[CallNode]) -> CallNode:
        """Returns one call in the place of those for all neighbours."""
        first = calls[0]
        columns = list(zip(*(call.times for call in calls), strict=True))
        times = [sum(column) / len(calls) for column in columns]
        return replace(
            first,
            key=replace(first.key, peers=GRAPH_OF_RANKS),
            peers=(),
            numbers=(),
            neighbors=(),
            slots=tuple(slot for call in calls for slot in call.slots),
            waits=tuple(slot for call in calls for slot in call.waits),
            times=(times[0], times[1], times[2]),
            along=tuple(self._along(calls)),
        )

    def _along(self, calls: Sequence[CallNode]) -> Iterator[Along]:
        first = calls[0]
        directions = DIRECTIONS.get(first.key.name, ())
        weights = []
        for direction in directions:
            links = self.graph.links[direction]
            weights.append(tuple(links.weights[links.edges(self.rank)].tolist()))
        if first.key.name in LISTS_OF_PEERS:
            for is_source, some in zip((False, True), weights, strict=False):
                sizes = [one.size for one in first.neighbors if one.is_source == is_source]
                yield Along(some, tuple(sizes))
        elif directions:
            numbers = zip(*(call.numbers for call in calls), strict=True)
            for place, values in enumerate(numbers):
                yield Along(weights[min(place, len(weights) - 1)], values)
