"""Loops that have a single turn at some rank counts: a recording has their calls without a loop there."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import Any

from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import LoopNode, Node

# A call of the program, without peers and tags.
Call = tuple[Any, ...]
# Bodies of one loop of the program, or the program itself: the rank and its calls.
Level = Sequence[tuple[Member, Sequence[Node]]]


def with_single_turns(trees: Mapping[Member, Sequence[Node]]) -> dict[Member, list[Node]] | None:
    """Returns the calls with a loop of one turn around those that are in a loop in other traces.

    Args:
        trees: The calls of all ranks of all traces.

    Returns:
        The calls; None if there are no such loops.
    """
    result = _wrapped(list(trees.items()))
    if all(map(_same_loops, trees.values(), result)):
        return None
    return dict(zip(trees, result, strict=True))


def _same_loops(nodes: Sequence[Node], wrapped: Sequence[Node]) -> bool:
    """Reports whether no loop was put around some of the calls."""
    return sum(map(_loops_in, nodes)) == sum(map(_loops_in, wrapped))


def _loops_in(node: Node) -> int:
    return 1 + sum(map(_loops_in, node.body)) if isinstance(node, LoopNode) else 0


def _wrapped(level: Level) -> list[list[Node]]:
    result = [list(nodes) for _, nodes in level]
    for loop in _loops(level):
        single = _with_single_turn(level, loop)
        result = [
            list(_around(nodes, loop)) if member[0] in single else nodes
            for (member, _), nodes in zip(level, result, strict=True)
        ]
        places = [
            (one, at)
            for one, nodes in enumerate(result)
            for at, node in enumerate(nodes)
            if isinstance(node, LoopNode) and not loop.isdisjoint(_calls(node))
        ]
        bodies = []
        for one, at in places:
            node = result[one][at]
            assert isinstance(node, LoopNode)
            bodies.append((level[one][0], node.body))
        for (one, at), body in zip(places, _wrapped(bodies), strict=True):
            node = result[one][at]
            assert isinstance(node, LoopNode)
            result[one][at] = replace(node, body=body)
    return result


def _loops(level: Level) -> list[set[Call]]:
    """Returns the calls of each loop of the program: those that are in one loop on some rank belong together."""
    found: list[set[Call]] = []
    seen: set[frozenset[Call]] = set()
    for _, nodes in level:
        for node in nodes:
            calls = frozenset(_calls(node)) if isinstance(node, LoopNode) else frozenset()
            if not calls or calls in seen:
                continue
            seen.add(calls)
            joined = [one for one in found if not one.isdisjoint(calls)]
            found = [one for one in found if one.isdisjoint(calls)]
            found.append(set(calls).union(*joined))
    return found


def _with_single_turn(level: Level, loop: AbstractSet[Call]) -> set[int]:
    """Returns the traces that have calls of a loop without one around them, and none of them in a loop as well."""
    outside: dict[int, set[Call]] = {}
    inside: dict[int, set[Call]] = {}
    for member, nodes in level:
        for node in nodes:
            if not isinstance(node, LoopNode):
                outside.setdefault(member[0], set()).add(node.key.without_tags)
            else:
                direct = (one for one in node.body if not isinstance(one, LoopNode))
                inside.setdefault(member[0], set()).update(one.key.without_tags for one in direct)
    return {
        trace
        for trace, calls in outside.items()
        if (calls & loop) and not (calls & loop & inside.get(trace, set()))
    }


def _around(nodes: Sequence[Node], loop: set[Call]) -> Iterator[Node]:
    """Yields the calls with a loop of one turn around those of a loop that follow each other."""
    for is_turn, some in itertools.groupby(nodes, lambda node: loop.issuperset(_calls(node))):
        turn = list(some)
        # A body that has nothing else is itself the turn of a loop.
        if is_turn and len(turn) < len(nodes):
            yield LoopNode(1, turn)
        else:
            yield from turn


def _calls(node: Node) -> Iterator[Call]:
    """Yields the calls of a node, in all loops."""
    if not isinstance(node, LoopNode):
        yield node.key.without_tags
        return
    for one in node.body:
        yield from _calls(one)
