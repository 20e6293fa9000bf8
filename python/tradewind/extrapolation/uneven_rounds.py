"""Rounds whose turns differ in their bytes alone, such as those of a ring in which blocks of uneven sizes are passed on.

    P = 3       rank 0          rank 1          rank 2
    blocks      5 items         4 items         4 items
    turn 0      5 to rank 1     4 to rank 2     4 to rank 0
    turn 1      4 to rank 1     5 to rank 2     4 to rank 0

A recording has a loop where turns that follow each other are equal, which is elsewhere on each rank: here rank 2 alone has
one. All turns together are one loop that counts them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode, LoopNode, Node

# The most calls in a round.
_LONGEST_ROUND = 8
# Longer loops stay as they are.
_MOST_TURNS = 1024
# The calls of a round, with all that is the same in each turn but for the peers.
Signature = tuple[Any, ...]
Trees = Mapping[Member, Sequence[Node]]


@dataclass
class _Seen:
    """What is known of rounds.

    Args:
        turns: The numbers of turns in each trace.
        are_uneven: Whether the bytes of turns differ anywhere.
    """

    turns: dict[int, set[int]] = field(default_factory=dict)
    are_uneven: bool = False


def with_uneven_rounds(trees: Trees, traces: int) -> dict[Member, list[Node]] | None:
    """Returns the calls with loops that count their turns in the place of such rounds; None if there are none.

    They have the same number of turns wherever they are made in a trace, two or more, and not the same in all traces.

    Args:
        trees: The calls of all ranks.
        traces: The number of traces.
    """
    seen: dict[Signature, _Seen] = {}
    for member, nodes in trees.items():
        for body in _bodies(nodes):
            for turns, length, _ in _rounds_of(body):
                one = seen.setdefault(_signature(turns[:length]), _Seen())
                one.turns.setdefault(member[0], set()).add(len(turns) // length)
                one.are_uneven |= _are_uneven(turns, length)
    known = {signature for signature, one in seen.items() if _is_known(one, traces)}
    if not known:
        return None
    return {member: _with_rounds(nodes, known) for member, nodes in trees.items()}


def _is_known(one: _Seen, traces: int) -> bool:
    counts = {count for some in one.turns.values() for count in some}
    is_same = all(len(some) == 1 for some in one.turns.values())
    return one.are_uneven and is_same and len(one.turns) == traces and len(counts) > 1


def _bodies(nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    """Yields the calls that follow each other outside of loops that hold others, and those in each of these."""
    yield nodes
    for node in nodes:
        if isinstance(node, LoopNode) and not _is_simple(node):
            yield from _bodies(node.body)


def _is_simple(loop: LoopNode) -> bool:
    """Reports whether a loop may be a part of rounds."""
    is_plain = not loop.rounds and not loop.peers and loop.turns <= _MOST_TURNS
    calls = all(isinstance(node, CallNode) and _is_of_rounds(node) for node in loop.body)
    return is_plain and calls and len(loop.body) <= _LONGEST_ROUND


def _is_of_rounds(call: CallNode) -> bool:
    is_wait = call.key.name == "wait"
    return not call.key.peers and not call.neighbors and (is_wait or bool(call.peers))


def _rounds_of(nodes: Sequence[Node]) -> Iterator[tuple[list[CallNode], int, tuple[int, int]]]:
    """Yields the calls of rounds, the number of those in a turn, and the first node and the one behind the last."""
    flat: list[tuple[CallNode, int]] = []
    for place, node in enumerate([*nodes, None]):
        if isinstance(node, LoopNode) and _is_simple(node):
            body = [one for one in node.body if isinstance(one, CallNode)]
            flat += [(one, place) for _ in range(node.turns) for one in body]
        elif isinstance(node, CallNode) and _is_of_rounds(node):
            flat.append((node, place))
        else:
            yield from _rounds_among(flat)
            flat = []


def _rounds_among(
    flat: Sequence[tuple[CallNode, int]],
) -> Iterator[tuple[list[CallNode], int, tuple[int, int]]]:
    """Yields the rounds among calls that follow each other, of which no node is in two."""
    calls = [call for call, _ in flat]
    what = [_properties(call) for call in calls]
    at = 0
    while at < len(calls):
        lengths = range(1, min(_LONGEST_ROUND, (len(calls) - at) // 2) + 1)
        turns = {length: _turns(what, at, length) for length in lengths}
        best = max(turns, key=lambda one: (one * turns[one] if turns[one] > 1 else 0, -one), default=0)
        if not best or turns[best] < 2:
            at += 1
            continue
        end = at + best * turns[best]
        is_cut = (at > 0 and flat[at - 1][1] == flat[at][1]) or (
            end < len(flat) and flat[end][1] == flat[end - 1][1]
        )
        if not is_cut:
            yield calls[at:end], best, (flat[at][1], flat[end - 1][1] + 1)
        at = end


def _turns(what: Sequence[Any], at: int, length: int) -> int:
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


def _are_uneven(calls: Sequence[CallNode], length: int) -> bool:
    return any(
        call.numbers != calls[place % length].numbers for place, call in enumerate(calls)
    )


def _with_rounds(nodes: Sequence[Node], known: set[Signature]) -> list[Node]:
    """Returns the calls of a rank with these rounds as loops that count their turns."""
    result: list[Node] = []
    at = 0
    for calls, length, (first, end) in _rounds_of(nodes):
        if _signature(calls[:length]) in known:
            result += [_inner(node, known) for node in nodes[at:first]]
            result.append(_loop(calls, length))
            at = end
    return result + [_inner(node, known) for node in nodes[at:]]


def _inner(node: Node, known: set[Signature]) -> Node:
    if isinstance(node, LoopNode) and not _is_simple(node) and not node.rounds:
        return replace(node, body=_with_rounds(node.body, known))
    return node


def _loop(calls: Sequence[CallNode], length: int) -> LoopNode:
    rounds: list[list[Node]] = [
        [
            replace(call, peers=tuple(peer and peer.at_turn(at // length) for peer in call.peers))
            for call in calls[at : at + length]
        ]
        for at in range(0, len(calls), length)
    ]
    return LoopNode(len(rounds), rounds[0], rounds)
