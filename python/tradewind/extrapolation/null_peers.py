"""Turns of a loop that begin and end with calls without a peer, which a recording takes for a loop between the turns.

the program    2 x  [ null  A  null ]
a recording    null  A  2 x [ null ]  A  null
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode, LoopNode, Node

# The most turns of calls without a peer that are sides of a process grid.
_MOST_SIDES = 4


def with_whole_turns(trees: Mapping[Member, Sequence[Node]]) -> dict[Member, list[Node]] | None:
    """Returns the calls with such turns whole, and calls without a peer one by one; None if there are none such."""
    whole = {member: list(_whole(tree)) for member, tree in trees.items()}
    if all(len(whole[member]) == len(tree) for member, tree in trees.items()):
        return None
    return {member: _one_by_one(tree, is_inner=False) for member, tree in whole.items()}


def _whole(nodes: Sequence[Node]) -> Iterator[Node]:
    at = 0
    while at < len(nodes):
        end, loop = _turns_from(nodes, at)
        if loop is None:
            yield nodes[at]
        else:
            yield loop
        at = end


def _turns_from(nodes: Sequence[Node], first: int) -> tuple[int, LoopNode | None]:
    """Returns the turns that begin at a place and where they end; without such turns the next place."""
    for at in range(first + 1, len(nodes)):
        node = nodes[at]
        if not isinstance(node, LoopNode) or node.rounds:
            continue
        between = node if _is_null(node) else node.body[-1]
        if not isinstance(between, LoopNode) or not _is_null(between):
            continue
        part = between.body
        before = _sides(nodes, first, part)
        after = between.turns - before
        start = first + _length(nodes, first, part)
        if before < 1 or after < 1:
            continue
        # Either one loop for the turns but the last, or two turns around what is between them.
        inner = list(nodes[start:at]) if between is node else node.body[:-1]
        end = at + 1 + len(inner)
        is_whole = bool(inner) and (between is node or start == at)
        if is_whole and _same(inner, nodes[at + 1 : end]) and _sides(nodes, end, part) == after:
            turns = 2 if between is node else node.turns + 1
            return end + _length(nodes, end, part), LoopNode(
                turns, part * before + inner + part * after
            )
    return first + 1, None


def _sides(nodes: Sequence[Node], at: int, part: Sequence[Node]) -> int:
    """Returns how often some calls are made from a place on."""
    if at < len(nodes):
        node = nodes[at]
        if isinstance(node, LoopNode):
            return node.turns if _same(node.body, part) else 0
    return int(_same(nodes[at : at + len(part)], part))


def _length(nodes: Sequence[Node], at: int, part: Sequence[Node]) -> int:
    """Returns the number of nodes that these are."""
    return 1 if at < len(nodes) and isinstance(nodes[at], LoopNode) else len(part)


def _is_null(loop: LoopNode) -> bool:
    """Reports whether a loop has messages without a peer alone."""
    return not loop.rounds and all(
        isinstance(one, CallNode) and one.peers and not any(one.peers) for one in loop.body
    )


def _one_by_one(nodes: Sequence[Node], *, is_inner: bool) -> list[Node]:
    """Returns calls with those without a peer one by one within loops."""
    result: list[Node] = []
    for node in nodes:
        if not isinstance(node, LoopNode) or node.rounds:
            result.append(node)
        elif is_inner and _is_null(node) and node.turns <= _MOST_SIDES:
            result += node.turns * node.body
        else:
            result.append(replace(node, body=_one_by_one(node.body, is_inner=True)))
    return result


def _same(some: Sequence[Node], others: Sequence[Node]) -> bool:
    return len(some) == len(others) and all(map(_same_node, some, others))


def _same_node(one: Node, other: Node) -> bool:
    if isinstance(one, LoopNode) or isinstance(other, LoopNode):
        return (
            isinstance(one, LoopNode)
            and isinstance(other, LoopNode)
            and one.turns == other.turns
            and _same(one.body, other.body)
        )
    first, second = (
        (node.key, node.peers, node.numbers, node.neighbors, node.slots, node.waits, node.comm)
        for node in (one, other)
    )
    return first == second
