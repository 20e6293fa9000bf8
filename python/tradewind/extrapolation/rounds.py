"""Rounds: repeated calls whose peers or tags follow the number of the turn, such as rank xor 2 ** k, as loops that count."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tradewind.extrapolation.steps import Steps, common_steps
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode, Key, LoopNode, Node

# The most calls in a round.
_LONGEST_ROUND = 8
# The calls of a round, without peers and tags.
Signature = tuple[tuple[Any, ...], ...]
# By how much each tag of each call grows from turn to turn.
Growth = tuple[tuple[int, ...], ...]
# The rounds of a program, with the growth of their tags; None where it differs.
Rounds = Mapping[Signature, Growth | None]


class RoundsOf:
    """Finds the rounds in the calls of ranks.

    Args:
        trees: The calls of ranks, which stay as they are.
    """

    def __init__(self, trees: Mapping[Member, Sequence[Node]]) -> None:
        self._trees = trees
        # The rounds that begin at a place of a body, by its identity: lengths and turns.
        self._repeated: dict[tuple[int, int], list[tuple[int, int]]] = {}
        self._numbers: dict[int, list[int]] = {}

    def known(self, traces: int, *, with_fixed: bool = False, with_equal: bool = False) -> Rounds:
        """Returns the rounds that are in all traces, and not everywhere the same number of times.

        Args:
            traces: The number of traces.
            with_fixed: Whether rounds whose tags count the turns may have the same number of turns everywhere.
            with_equal: Whether any rounds may.
        """
        bodies = [(m[0], body) for m, nodes in self._trees.items() for body in _bodies(nodes)]
        growth: dict[Signature, set[Growth]] = {}
        for _, body in bodies:
            for first, length, count in self._rounds(body, {}):
                if count > 1:
                    one = body[first : first + 2 * length]
                    growth.setdefault(_signature(one[:length]), set()).add(_growth_of(one, length))
        rounds = {
            one: min(several) if len(several) == 1 else None for one, several in growth.items()
        }
        turns: dict[Signature, set[int]] = {}
        found: dict[Signature, set[int]] = {}
        for trace, body in bodies:
            for first, length, count in self._rounds(body, rounds):
                signature = _signature(body[first : first + length])
                turns.setdefault(signature, set()).add(count)
                found.setdefault(signature, set()).add(trace)
        return {
            one: rounds[one]
            for one, counts in turns.items()
            if one in rounds
            and len(found[one]) == traces
            and (with_equal or len(counts) > 1 or (with_fixed and any(map(any, rounds[one] or ()))))
        }

    def in_loops(self, known: Rounds) -> dict[Member, list[Node]]:
        """Returns the calls with these rounds as loops that count their turns."""
        return {member: self._with_rounds(nodes, known) for member, nodes in self._trees.items()}

    def _with_rounds(self, nodes: Sequence[Node], known: Rounds) -> list[Node]:
        result: list[Node] = []
        at = 0
        for first, length, count in self._rounds(nodes, known):
            signature = _signature(nodes[first : first + length])
            if signature in known:
                result += [self._inner(node, known) for node in nodes[at:first]]
                own = known[signature] if count == 1 else _growth_of(nodes[first:], length)
                assert own is not None
                result.append(_loop(nodes[first : first + length * count], own))
                at = first + length * count
        return result + [self._inner(node, known) for node in nodes[at:]]

    def _inner(self, node: Node, known: Rounds) -> Node:
        if not isinstance(node, LoopNode) or node.rounds:
            return node
        return replace(node, body=self._with_rounds(node.body, known))

    def _rounds(self, nodes: Sequence[Node], known: Rounds) -> list[tuple[int, int, int]]:
        """Lists the rounds of a body: the first call, the calls of a round, the turns.

        A single turn is one if it is a turn of known rounds.
        """
        result = []
        lengths = {len(one) for one in known}
        at = 0
        while at < len(nodes):
            repeated = self._repeated_at(nodes, at)
            # Calls of several known rounds may look like turns of longer ones on some ranks.
            some = [one for one in repeated if _signature(nodes[at : at + one[0]]) in known]
            best = max(some or repeated, key=lambda one: (one[0] * one[1], -one[0]), default=(0, 0))
            if best[1] > 1:
                result.append((at, *best))
                at += best[0] * best[1]
            elif single := next(
                (one for one in lengths if _is_turn(nodes[at : at + one], known)), 0
            ):
                result.append((at, single, 1))
                at += single
            else:
                at += 1
        return result

    def _repeated_at(self, nodes: Sequence[Node], at: int) -> list[tuple[int, int]]:
        """Returns the rounds that may begin at a place: the calls of each, and its turns."""
        where = id(nodes), at
        if where not in self._repeated:
            if id(nodes) not in self._numbers:
                self._numbers[id(nodes)] = _numbers_of(nodes)
            numbers = self._numbers[id(nodes)]
            self._repeated[where] = [
                (length, turns)
                for length in range(1, _LONGEST_ROUND + 1)
                if (turns := _turns(nodes, numbers, at, length)) > 1
            ]
        return self._repeated[where]


def _bodies(nodes: Sequence[Node]) -> Iterator[Sequence[Node]]:
    yield nodes
    for node in nodes:
        if isinstance(node, LoopNode) and not node.rounds:
            yield from _bodies(node.body)


def _numbers_of(nodes: Sequence[Node]) -> list[int]:
    """Returns numbers that are equal for calls that differ in tags at most; a loop is equal to nothing."""
    return [
        node.key.number if isinstance(node, CallNode) else -1 - place
        for place, node in enumerate(nodes)
    ]


def _loop(nodes: Sequence[Node], growth: Growth) -> LoopNode:
    length = len(growth)
    bodies = [nodes[at : at + length] for at in range(0, len(nodes), length)]
    tags = [_tags(node, steps) for node, steps in zip(bodies[0], growth, strict=True)]
    keys = [_with_tags(node, own) for node, own in zip(bodies[0], tags, strict=True)]
    rounds = [
        [_at_turn(node, turn, key) for node, key in zip(body, keys, strict=True)]
        for turn, body in enumerate(bodies)
    ]
    return LoopNode(len(rounds), rounds[0], rounds)


def _with_tags(node: Node, tags: tuple[int | str, ...]) -> Key:
    assert isinstance(node, CallNode)
    return node.key if node.key.tags == tags else replace(node.key, tags=tags)


def _at_turn(node: Node, turn: int, key: Key) -> Node:
    assert isinstance(node, CallNode)
    peers = tuple([peer and peer.at_turn(turn) for peer in node.peers])
    return replace(node, peers=peers, key=key)


def _growth(first: Node, second: Node) -> tuple[int, ...]:
    """Returns by how much the tags of a call grow from turn to turn."""
    assert isinstance(first, CallNode)
    assert isinstance(second, CallNode)
    return tuple(
        0 if tag == later else int(later) - int(tag)
        for tag, later in zip(first.key.tags, second.key.tags, strict=True)
    )


def _growth_of(nodes: Sequence[Node], length: int) -> Growth:
    """Returns the growth of the tags of each call of the first turn."""
    return tuple(map(_growth, nodes[:length], nodes[length : 2 * length]))


def _tags(first: Node, growth: Sequence[int]) -> tuple[int | str, ...]:
    """Returns the tags of a call of a round, as texts where they grow."""
    assert isinstance(first, CallNode)
    return tuple(growing_tag(tag, step) for tag, step in zip(first.key.tags, growth, strict=True))


def growing_tag(tag: int | str, step: int) -> int | str:
    """Returns a tag of the first turn, as a text if it grows from turn to turn."""
    if not step:
        return tag
    grown = "k" if abs(step) == 1 else f"{abs(step)} * k"
    return f"{tag} - {grown}" if step < 0 else f"{tag} + {grown}" if tag != 0 else grown


def _signature(nodes: Sequence[Node]) -> Signature:
    return tuple(node.key.without_tags for node in nodes if isinstance(node, CallNode))


def _is_turn(nodes: Sequence[Node], known: Rounds) -> bool:
    """Reports whether calls may be the first turn of known rounds."""
    if not all(isinstance(node, CallNode) for node in nodes) or not known.get(_signature(nodes)):
        return False
    return all(all(steps) for node in nodes for steps in _steps(node, 0).values())


def _turns(nodes: Sequence[Node], numbers: Sequence[int], at: int, length: int) -> int:
    """Returns the number of turns from a call on if a round has that many calls; 1 if it is none.

    Args:
        nodes: Calls and loops.
        numbers: The number of each, as `_numbers_of` gives it.
        at: The place of the call.
        length: The calls of a round.
    """
    round_numbers, turn = numbers[at : at + length], 1
    if numbers[at + length : at + 2 * length] != round_numbers:
        return 1
    first = nodes[at : at + length]
    growth = [
        _growth(a, b) for a, b in zip(first, nodes[at + length : at + 2 * length], strict=True)
    ]
    # Peers may be the same in all turns if tags count these.
    is_told = any(map(any, growth))
    steps: list[Mapping[int, Steps]] = [_steps(node, 0, is_told) for node in first]
    if not any(steps):
        return 1
    while True:
        here = slice(at + turn * length, at + (turn + 1) * length)
        if numbers[here] != round_numbers:
            return turn
        body = nodes[here]
        narrowed = [
            _narrowed(node, turn, known, one, is_told)
            for node, known, one in zip(body, steps, first, strict=True)
        ]
        if not all(one is not None for one in narrowed):
            return turn
        before = nodes[at + (turn - 1) * length : at + turn * length]
        grown = [_growth(a, b) for a, b in zip(before, body, strict=True)]
        if grown != growth:
            return turn
        steps = [one for one in narrowed if one is not None]
        turn += 1


def _steps(node: Node, turn: int, is_told: bool = False) -> Mapping[int, Steps]:
    """Returns the steps to the peers of a call; without the turn in them only if its tags tell the turn."""
    assert isinstance(node, CallNode)
    return {
        place: peer.at_turn(turn).steps if is_told else peer.at_turn(turn).steps_of_turn
        for place, peer in enumerate(node.peers)
        if peer is not None
    }


def _narrowed(
    node: Node, turn: int, known: Mapping[int, Steps], first: Node, is_told: bool
) -> Mapping[int, Steps] | None:
    """Returns the steps that a call of a later turn leaves possible; None if it is not of these rounds."""
    assert isinstance(node, CallNode)
    assert isinstance(first, CallNode)
    # A wait with a peer is for the request of this one, in each turn another.
    has_other_waits = node.waits != first.waits and not (node.waits and node.peers)
    if (
        len(node.slots) != len(first.slots)
        or has_other_waits
        or len(node.peers) != len(first.peers)
    ):
        return None
    if node.neighbors or node.along:
        return None
    result = {}
    for place, peer in enumerate(node.peers):
        if (peer is None) != (place not in known):
            return None
        if peer is not None:
            steps = common_steps(known[place], peer.at_turn(turn))
            if steps is None or not (is_told or any("k" in str(s) for one in steps for s in one)):
                return None
            result[place] = steps
    return result
