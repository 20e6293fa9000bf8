"""Rounds in which some ranks pause, such as those of a binomial tree, as loops that count their turns.

In a binomial tree rank 0 sends in all turns, and all others receive once:

    P = 5       rank 0    rank 1    rank 2    rank 3    rank 4
    turn 0      to 1      from 0
    turn 1      to 2      to 3      from 0    from 1
    turn 2      to 4                                    from 0

A family of calls is what one loop of the program makes. The turn of a call is told by the distance of its peer, if the
distances are 2 ** k from small to large, or from large to small. Where all are the same, the exchanges before it tell.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from tradewind.extrapolation.pairs_in_turns import shifts_of, turns_of_pairs
from tradewind.extrapolation.rounds import growing_tag
from tradewind.extrapolation.steps import Peer
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import MESSAGES, CallNode, LoopNode, Node

Trees = Mapping[Member, Sequence[Node]]
# A call of the program, without peers and tags.
Call = tuple[str | int, ...]
# Calls that one loop of the program makes.
Family = tuple[Call, ...]
# Calls of one family that follow each other on a rank, with the rank.
Segment = tuple[Member, Sequence[CallNode]]
# Returns the turn of each call of some segments; None if they are no rounds.
TurnsOf = Callable[[Sequence[Segment]], "list[list[int]] | None"]
# The most calls of a rank that loops are unrolled to.
_MOST_UNROLLED = 4096


def with_pauses(trees: Trees, traces: int) -> dict[Member, list[Node]] | None:
    """Returns the calls with loops in the place of rounds in which ranks pause; None if there are none.

    Args:
        trees: The calls of all ranks.
        traces: The number of traces.
    """
    result: Trees = trees
    is_found = False
    for turns_of in (turns_by_distance, turns_of_pairs):
        rounds = _Rounds(result, traces, turns_of)
        is_found |= bool(rounds.calls)
        result = rounds.in_loops()
    # Exchanges by turns with the same two ranks are loops in a trace, which are others on each rank.
    flat = {member: _unrolled(tree, None) for member, tree in result.items()}
    calls = _Rounds(flat, traces, turns_of_pairs).calls
    if calls:
        flat = {member: _unrolled(tree, calls) for member, tree in result.items()}
        return _Rounds(flat, traces, turns_of_pairs).in_loops()
    return {member: list(tree) for member, tree in result.items()} if is_found else None


def turns_by_distance(segments: Sequence[Segment]) -> list[list[int]] | None:
    """Returns the turn of each call; None if the distances are not 2 ** k in order, from small to large or back."""
    axes = {axis for _, calls in segments for call in calls for axis, _ in shifts_of(call)}
    if len(axes) > 1:
        return None
    powers = [[_power(call) for call in calls] for _, calls in segments]
    known = [[power for power in one if power is not None] for one in powers]
    if any(-1 in one for one in known):
        return None
    if all(one == sorted(one) for one in known):
        turns = powers
    elif all(one == sorted(one, reverse=True) for one in known):
        last: dict[int, int] = {}
        for (member, _), one in zip(segments, known, strict=True):
            last[member[0]] = max(last.get(member[0], 0), *one, 0)
        turns = [
            [None if power is None else last[member[0]] - power for power in one]
            for (member, _), one in zip(segments, powers, strict=True)
        ]
    else:
        return None
    return [_filled(calls, one) for (_, calls), one in zip(segments, turns, strict=True)]


def _power(call: CallNode) -> int | None:
    """Returns k if the peers of a call are 2 ** k ranks away; -1 if they are not, None if there are none."""
    distances = {distance for _, distance in shifts_of(call)}
    if not distances:
        return None
    distance = distances.pop()
    return distance.bit_length() - 1 if not distances and distance & (distance - 1) == 0 else -1


def _filled(calls: Sequence[CallNode], turns: Sequence[int | None]) -> list[int]:
    """Returns the turns with those of calls without a peer, which are in each turn; a wait is in that before it."""
    result: list[int] = []
    last: dict[Call, int] = {}
    for call, known in zip(calls, turns, strict=True):
        key = call.key.without_tags
        if known is not None:
            turn = known
        elif call.peers:
            turn = last.get(key, -1) + 1
        else:
            turn = max(result[-1] if result else 0, last.get(key, -1) + 1)
        last[key] = turn
        result.append(turn)
    return result


class _Rounds:
    """The rounds among the calls of all ranks.

    Args:
        trees: The calls.
        traces: The number of traces.
        turns_of: What tells the turns.
    """

    def __init__(self, trees: Trees, traces: int, turns_of: TurnsOf) -> None:
        self._trees, self._turns_of = trees, turns_of
        runs = [(member, run) for member, tree in trees.items() for run in _runs(tree)]
        self._family, self._group = _families([run for _, run in runs])
        segments: dict[Family, list[Segment]] = {}
        for member, run in runs:
            for family, calls in itertools.groupby(run, self._family_of):
                segments.setdefault(family, []).append((member, list(calls)))
        # The turn of each call, by its identity, and the turns of rounds in each trace.
        self._turn: dict[int, int] = {}
        self._turns: dict[Family, dict[int, int]] = {}
        self._tags: dict[Call, tuple[int | str, ...]] = {}
        for family, some in segments.items():
            turns = turns_of(some)
            if turns is not None and turns_grow(some, turns, traces):
                self._add(family, some, turns)

    @property
    def calls(self) -> set[Call]:
        """The calls that are in rounds."""
        return {call for family in self._turns for call in family}

    def in_loops(self) -> dict[Member, list[Node]]:
        """Returns the calls with loops in the place of rounds."""
        if not self._turns:
            return {member: list(tree) for member, tree in self._trees.items()}
        return {member: self._in_loops(tree, member[0]) for member, tree in self._trees.items()}

    def _family_of(self, call: CallNode) -> Family:
        return self._family[call.key.without_tags]

    def _add(
        self, family: Family, segments: Sequence[Segment], turns: Sequence[Sequence[int]]
    ) -> None:
        of_traces = self._turns[family] = {}
        seen: dict[Call, list[tuple[int, CallNode]]] = {}
        for (member, calls), own in zip(segments, turns, strict=True):
            of_traces[member[0]] = max(of_traces.get(member[0], 0), max(own) + 1)
            for call, turn in zip(calls, own, strict=True):
                self._turn[id(call)] = turn
                seen.setdefault(call.key.without_tags, []).append((turn, call))
        for key, some in seen.items():
            tags = tags_of(some)
            if tags is not None:
                self._tags[key] = tags

    def _in_loops(self, nodes: Sequence[Node], trace: int) -> list[Node]:
        result: list[Node] = []
        for run, some in itertools.groupby(nodes, _is_message):
            if not run:
                result += [
                    replace(node, body=self._in_loops(node.body, trace))
                    if isinstance(node, LoopNode) and _is_plain(node)
                    else node
                    for node in some
                ]
                continue
            calls = [node for node in some if isinstance(node, CallNode)]
            for family in self._group[calls[0].key.without_tags]:
                own = [call for call in calls if self._family_of(call) == family]
                result += [self._loop(family, own, trace)] if family in self._turns else own
        return result

    def _loop(self, family: Family, calls: Sequence[CallNode], trace: int) -> LoopNode:
        rounds: list[list[Node]] = [[] for _ in range(self._turns[family][trace])]
        for call in calls:
            turn = self._turn[id(call)]
            tags = self._tags.get(call.key.without_tags, call.key.tags)
            peers = tuple(peer and self._at_turn(peer, turn) for peer in call.peers)
            rounds[turn].append(replace(call, key=replace(call.key, tags=tags), peers=peers))
        return LoopNode(len(rounds), rounds[0], rounds, family=family)

    def _at_turn(self, peer: Peer, turn: int) -> Peer:
        # Peers at one distance have a number as their step.
        if self._turns_of is turns_of_pairs:
            return replace(peer, with_formulas=False)
        return peer.at_turn(turn)


def turns_grow(segments: Sequence[Segment], turns: Sequence[Sequence[int]], traces: int) -> bool:
    """Reports whether rounds have two turns or more in each trace, and not the same number in all."""
    found: dict[int, set[int]] = {}
    for (member, _), own in zip(segments, turns, strict=True):
        found.setdefault(member[0], set()).update(own)
    counts = {max(some) for some in found.values()}
    return len(found) == traces and len(counts) > 1 and min(map(len, found.values())) > 1


def tags_of(seen: Sequence[tuple[int, CallNode]]) -> tuple[int | str, ...] | None:
    """Returns the tags of a call, as texts where they grow with the turn; None if they follow no turn."""
    result: list[int | str] = []
    for place, first in enumerate(seen[0][1].key.tags):
        known = {(turn, one.key.tags[place]) for turn, one in seen if one.peers[place] is not None}
        tag = _tag(known) if known else first
        if tag is None:
            return None
        result.append(tag)
    return tuple(result)


def _tag(known: AbstractSet[tuple[int, int | str]]) -> int | str | None:
    """Returns the tag that a message has in these turns; None if there is none."""
    numbers = {(turn, tag) for turn, tag in known if isinstance(tag, int)}
    if len(numbers) < len(known):
        texts = {tag for _, tag in known}
        return texts.pop() if len(texts) == 1 else None
    (first, tag), (last, other) = min(numbers), max(numbers)
    step = (other - tag) // max(last - first, 1)
    start = tag - step * first
    if any(tag != start + step * turn for turn, tag in numbers):
        return None
    grown = growing_tag(start, step)
    return grown.removeprefix("0 + ") if isinstance(grown, str) else grown


def _is_message(node: Node) -> bool:
    """Reports whether a call may be in rounds."""
    if isinstance(node, LoopNode) or node.key.peers:
        return False
    return node.key.name in MESSAGES or node.key.name == "wait"


def _is_plain(loop: LoopNode) -> bool:
    return not loop.rounds and not loop.peers


def _runs(nodes: Sequence[Node]) -> Iterator[list[CallNode]]:
    """Yields the messages and waits that follow each other, in all loops."""
    for run, some in itertools.groupby(nodes, _is_message):
        if run:
            yield [node for node in some if isinstance(node, CallNode)]
            continue
        for node in some:
            if isinstance(node, LoopNode) and _is_plain(node):
                yield from _runs(node.body)


def _families(
    runs: Sequence[Sequence[CallNode]],
) -> tuple[dict[Call, Family], dict[Call, list[Family]]]:
    """Returns the family of each call, and the families that are in runs with it, in their order.

    Calls of which each comes after the other somewhere are in one loop.
    """
    after: dict[Call, set[Call]] = {}
    beside: dict[Call, set[Call]] = {}
    for run in runs:
        calls = [call.key.without_tags for call in run]
        for call in calls:
            after.setdefault(call, {call})
            beside.setdefault(call, {call})
        for one, other in itertools.pairwise(calls):
            after[one].add(other)
            beside[one].add(other)
            beside[other].add(one)
    _close(after)
    _close(beside)
    family = {
        call: tuple(other for other in after if other in reached and call in after[other])
        for call, reached in after.items()
    }
    # A family comes before those that are reached from it: it reaches more.
    order = sorted(dict.fromkeys(family.values()), key=lambda one: -len(after[one[0]]))
    return family, {
        call: [one for one in order if one[0] in together] for call, together in beside.items()
    }


def _close(reached: dict[Call, set[Call]]) -> None:
    """Adds to what each call reaches what is reached from there."""
    is_complete = False
    while not is_complete:
        is_complete = True
        for call, known in reached.items():
            more = set().union(*(reached[other] for other in known))
            if len(more) > len(known):
                reached[call], is_complete = more, False


def _unrolled(nodes: Sequence[Node], calls: AbstractSet[Call] | None) -> list[Node]:
    """Returns the calls without loops that have nothing but these calls in them; None: nothing but messages."""
    result: list[Node] = []
    for node in nodes:
        if not isinstance(node, LoopNode) or not _is_plain(node):
            result.append(node)
            continue
        body = _unrolled(node.body, calls)
        is_short = node.turns * len(body) <= _MOST_UNROLLED
        if is_short and all(
            isinstance(one, CallNode)
            and _is_message(one)
            and (calls is None or one.key.without_tags in calls)
            for one in body
        ):
            result += [replace(one) for _ in range(node.turns) for one in body]
        else:
            result.append(replace(node, body=body))
    return result
