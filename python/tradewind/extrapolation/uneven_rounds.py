"""Rounds whose turns differ in their bytes alone, such as those of a ring in which blocks of uneven sizes are passed on.

    P = 3       rank 0          rank 1          rank 2
    blocks      5 items         4 items         4 items
    turn 0      5 to rank 1     4 to rank 2     4 to rank 0
    turn 1      4 to rank 1     5 to rank 2     4 to rank 0

A recording has a loop where turns that follow each other are equal, which is elsewhere on each rank: here rank 2 alone has
one. All turns together are one loop that counts them. Where nothing stands between several passes through the ring, a pass
is what repeats on all ranks.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tradewind.extrapolation.lines import mean_of
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode, LoopNode, Node

# The most calls in a round.
_LONGEST_ROUND = 8
# Longer loops stay as they are.
_MOST_CALLS = 4096
# The calls of a round, with all that is the same in each turn but for the peers.
Signature = tuple[Any, ...]
Trees = Mapping[Member, Sequence[Node]]


@dataclass
class _Seen:
    """The turns of rounds that were seen.

    Args:
        turns: The numbers of turns in each trace.
        periods: After how many turns the bytes repeat, wherever rounds are made in a trace.
        are_uneven: Whether the bytes of turns differ anywhere.
    """

    turns: dict[int, set[int]] = field(default_factory=dict)
    periods: dict[int, int] = field(default_factory=dict)
    are_uneven: bool = False

    def add(self, trace: int, turns: Sequence[Sequence[CallNode]]) -> None:
        """Takes the turns of rounds of a rank."""
        numbers = [[call.numbers for call in turn] for turn in turns]
        period = _period(numbers)
        self.turns.setdefault(trace, set()).add(len(turns))
        self.periods[trace] = math.lcm(self.periods.get(trace, 1), period)
        self.are_uneven |= any(one != numbers[0] for one in numbers)

    def passes(self, traces: int) -> int:
        """Returns through how many passes all traces go; 0 if these are no rounds."""
        if not self.are_uneven or len(self.turns) < traces:
            return 0
        if any(len(some) > 1 for some in self.turns.values()):
            return 0
        turns = {trace: min(some) for trace, some in self.turns.items()}
        passes = math.gcd(*(turns[one] // min(turns[one], self.periods[one]) for one in turns))
        counts = {count // passes for count in turns.values()}
        return passes if len(counts) > 1 and min(counts) > 1 else 0


def with_uneven_rounds(
    trees: Trees, traces: int, *, several: bool = False
) -> dict[Member, list[Node]] | None:
    """Returns the calls with loops that count their turns in the place of such rounds; None if there are none.

    They have the same number of turns wherever they are made in a trace, two or more, and not the same in all traces.

    Args:
        trees: The calls of all ranks.
        traces: The number of traces.
        several: Whether passes may follow each other with nothing between them.
    """
    seen: dict[Signature, _Seen] = {}
    finder = _Finder(several)
    for member, nodes in trees.items():
        for body in finder.bodies(nodes):
            for turns, _ in finder.rounds(body):
                seen.setdefault(_signature(turns[0]), _Seen()).add(member[0], turns)
    known = {signature: one.passes(traces) for signature, one in seen.items()}
    if not any(known.values()):
        return None
    return {member: finder.with_rounds(nodes, known) for member, nodes in trees.items()}


# The turns of rounds, and the first node and the one behind the last.
_Rounds = tuple[list[list[CallNode]], tuple[int, int]]


@dataclass(frozen=True)
class _Finder:
    """Finds rounds in the calls of a rank.

    Args:
        several: Whether loops in loops are taken apart, too.
    """

    several: bool

    def bodies(self, nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
        """Yields calls, and those in loops that are not taken apart."""
        yield nodes
        for node in nodes:
            if isinstance(node, LoopNode) and not self._is_part(node):
                yield from self.bodies(node.body)

    def _is_part(self, node: Node) -> bool:
        """Reports whether a node may be a part of rounds."""
        if isinstance(node, CallNode):
            is_message = node.key.name == "wait" or bool(node.peers)
            return is_message and not node.key.peers and not node.neighbors
        if node.rounds or node.peers or len(_unrolled(node)) > _MOST_CALLS:
            return False
        return all(self.several or isinstance(one, CallNode) for one in node.body) and all(
            map(self._is_part, node.body)
        )

    def rounds(self, nodes: Sequence[Node]) -> Iterator[_Rounds]:
        """Yields the rounds among calls that follow each other."""
        flat: list[tuple[CallNode, int]] = []
        for place, node in enumerate(nodes):
            if self._is_part(node):
                flat += [(call, place) for call in _unrolled(node)]
            else:
                yield from _rounds_among(flat)
                flat = []
        yield from _rounds_among(flat)

    def with_rounds(self, nodes: Sequence[Node], known: Mapping[Signature, int]) -> list[Node]:
        """Returns the calls of a rank with loops that count their turns, by the number of passes through them."""
        result: list[Node] = []
        at = 0
        for turns, (first, end) in self.rounds(nodes):
            passes = known.get(_signature(turns[0]), 0)
            if passes:
                result += [self._inner(node, known) for node in nodes[at:first]]
                loop = _loop(turns, passes)
                result.append(loop if passes == 1 else LoopNode(passes, [loop]))
                at = end
        return result + [self._inner(node, known) for node in nodes[at:]]

    def _inner(self, node: Node, known: Mapping[Signature, int]) -> Node:
        if not isinstance(node, LoopNode) or node.rounds or self._is_part(node):
            return node
        return replace(node, body=self.with_rounds(node.body, known))


def _unrolled(node: Node) -> list[CallNode]:
    if isinstance(node, CallNode):
        return [node]
    body = [call for one in node.body for call in _unrolled(one)]
    return body * min(node.turns, _MOST_CALLS + 1)


def _period(values: Sequence[Any]) -> int:
    """Returns after how many values the same ones follow, to the end."""
    lengths = (one for one in range(1, len(values)) if len(values) % one == 0)
    return next((one for one in lengths if values[one:] == values[:-one]), len(values))


def _rounds_among(flat: Sequence[tuple[CallNode, int]]) -> Iterator[_Rounds]:
    """Yields the rounds among calls with their places, of which no node is in two."""
    calls = [call for call, _ in flat]
    known: dict[Any, int] = {}
    what = [known.setdefault(_properties(call), len(known)) for call in calls]
    at = 0
    while at < len(calls):
        lengths = range(1, min(_LONGEST_ROUND, (len(calls) - at) // 2) + 1)
        turns = {length: _turns(what, at, length) for length in lengths}
        best = max(
            turns, key=lambda one: (one * turns[one] if turns[one] > 1 else 0, -one), default=0
        )
        if not best or turns[best] < 2:
            at += 1
            continue
        end = at + best * turns[best]
        is_cut = (at > 0 and flat[at - 1][1] == flat[at][1]) or (
            end < len(flat) and flat[end][1] == flat[end - 1][1]
        )
        if not is_cut:
            parts = [calls[first : first + best] for first in range(at, end, best)]
            yield parts, (flat[at][1], flat[end - 1][1] + 1)
        at = end


def _turns(what: Sequence[int], at: int, length: int) -> int:
    """Returns how often as many calls repeat from a place on."""
    first, turns = what[at : at + length], 1
    while what[at + turns * length : at + (turns + 1) * length] == first:
        turns += 1
    return turns


def _properties(call: CallNode) -> Any:
    """Returns all that is the same in each turn."""
    return call.key, tuple(peer and peer.other for peer in call.peers), call.slots, call.waits


def _signature(turn: Sequence[CallNode]) -> Signature:
    return tuple(call.key for call in turn)


def _loop(turns: Sequence[Sequence[CallNode]], passes: int) -> LoopNode:
    """Returns a pass as a loop that counts its turns, with the mean of the times of all passes."""
    length = len(turns) // passes
    rounds: list[list[Node]] = []
    for turn in range(length):
        calls = map(mean_of, zip(*turns[turn::length], strict=True))
        rounds.append([_at_turn(call, turn) for call in calls])
    return LoopNode(length, rounds[0], rounds)


def _at_turn(call: Node, turn: int) -> Node:
    assert isinstance(call, CallNode)
    return replace(call, peers=tuple(peer and peer.at_turn(turn) for peer in call.peers))
