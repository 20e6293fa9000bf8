"""The calls of each rank in a line, without loops, and in loops again.

Collectives of all ranks, and the ends of loops that have some in them, are barriers: they are the same on all ranks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import MESSAGES, ON_WINDOW, WORLD, CallNode, LoopNode, Node

if TYPE_CHECKING:
    from numpy.typing import NDArray

# If a rank has more entries without loops, loops with more turns stay as they are.
_MOST_UNROLLED, _MOST_TURNS = 1024, 32


@dataclass(eq=False, slots=True)
class Entry:
    """A place in the line of a rank.

    Args:
        node: The call, or a loop that is taken as one; None: a loop that stays begins or ends here.
        turns: The turns of the loop that begins here; 0: one ends.
        segment: The number of barriers before it.
        is_barrier: Whether it is one itself.
    """

    node: Node | None
    turns: int = 0
    segment: int = 0
    is_barrier: bool = False

    @property
    def call(self) -> CallNode | None:
        """The call; None if it is none."""
        return self.node if isinstance(self.node, CallNode) else None

    @property
    def message(self) -> CallNode | None:
        """The call if it is one to or from a peer of its own; otherwise None."""
        call = self.call
        return call if call and not call.key.peers and call.key.name in MESSAGES else None

    @property
    def wait(self) -> CallNode | None:
        """The call if it waits for requests; otherwise None."""
        call = self.call
        return call if call and not call.key.peers and call.key.name == "wait" else None


Line = list[Entry]


def lines_of(trees: Mapping[Member, Sequence[Node]]) -> dict[Member, Line] | None:
    """Returns the line of each rank; None if loops with barriers in them differ between ranks of a trace."""
    result: dict[Member, Line] = {}
    for trace in sorted({member[0] for member in trees}):
        own = {member: nodes for member, nodes in trees.items() if member[0] == trace}
        skeletons = {_skeleton(nodes) for nodes in own.values()}
        is_long = max(map(_unrolled_length, own.values())) > _MOST_UNROLLED
        lines = {m: list(_line(nodes, len(skeletons) == 1, is_long)) for m, nodes in own.items()}
        if not _set_barriers(list(lines.values())):
            return None
        result |= lines
    return {member: result[member] for member in trees}


def _skeleton(nodes: Sequence[Node]) -> tuple[Any, ...]:
    """Returns the collectives of all ranks, and the loops with such in them."""
    result: list[Any] = []
    for node in nodes:
        if isinstance(node, LoopNode):
            inner = _skeleton(node.body)
            result += [(node.turns, inner)] if inner else []
        elif _is_collective(node):
            result.append(node.key.without_tags)
    return tuple(result)


def _is_collective(call: CallNode) -> bool:
    name = call.key.name
    is_other = name in MESSAGES or name in ON_WINDOW or name == "wait"
    return call.key.group == WORLD and not is_other


def _unrolled_length(nodes: Sequence[Node]) -> int:
    return sum(
        node.turns * _unrolled_length(node.body) if isinstance(node, LoopNode) else 1
        for node in nodes
    )


def _line(nodes: Sequence[Node], stays: bool, is_long: bool) -> Iterator[Entry]:
    """Yields the entries of calls.

    Args:
        nodes: The calls.
        stays: Whether loops with collectives in them stay.
        is_long: Whether loops with many turns stay.
    """
    for node in nodes:
        if isinstance(node, CallNode) or node.peers:
            yield Entry(node)
            continue
        body = list(_line(node.body, stays, is_long))
        if (stays and _skeleton(node.body)) or (is_long and node.turns > _MOST_TURNS):
            yield Entry(None, node.turns)
            yield from body
            yield Entry(None)
        else:
            for _ in range(node.turns):
                yield from (replace(one, node=one.node and _copy(one.node)) for one in body)


def _copy(node: Node) -> Node:
    """Returns a node whose calls are others than those of the node, though equal."""
    if isinstance(node, CallNode):
        return replace(node)
    return replace(node, body=[_copy(one) for one in node.body])


def _set_barriers(lines: Sequence[Line]) -> bool:
    """Sets the barriers of the ranks of a trace; reports whether all ranks have the same loops that stay."""
    counts = [
        Counter(one.call.key.without_tags for one in line if one.call and _is_collective(one.call))
        for line in lines
    ]
    common = {key for key in counts[0] if len({some[key] for some in counts}) == 1}
    sequences = {tuple(_barriers(line, common)) for line in lines}
    if len(sequences) > 1:
        common = set()
        sequences = {tuple(_barriers(line, common)) for line in lines}
    for line in lines:
        segment = 0
        for one in line:
            one.is_barrier = one.node is None or (
                one.call is not None and one.call.key.without_tags in common
            )
            one.segment = segment
            segment += one.is_barrier
    return len(sequences) == 1


def _barriers(line: Line, common: set[tuple[str | int, ...]]) -> Iterator[Any]:
    for one in line:
        if one.node is None:
            yield one.turns
        elif one.call is not None and one.call.key.without_tags in common:
            yield one.call.key.without_tags


def in_loops_again(line: Sequence[Entry], names: Mapping[int, Any]) -> list[Node]:
    """Returns the calls of a line, with loops in the place of what repeats.

    Args:
        line: The line of a rank.
        names: What an entry is, by the identity of its node; equal ones repeat. Others are equal if all of their
            properties but their times are.
    """
    nodes, _ = _nested(line, 0, names)
    return nodes


def _nested(line: Sequence[Entry], at: int, names: Mapping[int, Any]) -> tuple[list[Node], int]:
    """Returns the calls from a place on to the end of the loop that stays, and the place behind it."""
    flat: list[Node] = []
    while at < len(line):
        one = line[at]
        at += 1
        if one.node is not None:
            flat.append(one.node)
        elif one.turns:
            body, at = _nested(line, at, names)
            flat.append(LoopNode(one.turns, body))
        else:
            break
    known: dict[Any, int] = {}
    symbols = [
        known.setdefault(names.get(id(node)) or properties(node), len(known)) for node in flat
    ]
    return _folded(flat, np.asarray(symbols, np.int64)), at


def properties(node: Node) -> tuple[Any, ...]:
    """Returns all that a call is but for its times."""
    if isinstance(node, LoopNode):
        bodies = node.rounds or [node.body]
        parts = tuple(tuple(map(properties, body)) for body in bodies)
        return node.turns, node.peers, node.family, parts
    peers = tuple(peer and peer.other for peer in node.peers)
    neighbors = tuple((one.peer and one.peer.other, one.size) for one in node.neighbors)
    numbers = node.numbers, node.slots, node.waits, node.comm, node.along
    return node.key, peers, neighbors, numbers


def _folded(nodes: Sequence[Node], symbols: NDArray[np.int64]) -> list[Node]:
    """Returns nodes with a loop in the place of the repetition that saves most, and so on in its body and around it."""
    found = _longest_repetition(symbols)
    if found is None:
        return list(nodes)
    first, length, turns = found
    end = first + length * turns
    copies = [nodes[at : at + length] for at in range(first, end, length)]
    body = [mean_of(some) for some in zip(*copies, strict=True)]
    loop = LoopNode(turns, _folded(body, symbols[first : first + length]))
    before = _folded(nodes[:first], symbols[:first])
    return [*before, loop, *_folded(nodes[end:], symbols[end:])]


def _longest_repetition(symbols: NDArray[np.int64]) -> tuple[int, int, int] | None:
    """Returns the first place, the length and the turns of the repetition that saves most entries; None: none is."""
    best: tuple[int, int, int] | None = None
    saved = 0
    for length in range(1, len(symbols) // 2 + 1):
        if len(symbols) - length <= saved:
            break
        equal = symbols[length:] == symbols[:-length]
        borders = np.flatnonzero(np.diff(np.concatenate(([False], equal, [False]))))
        runs = borders[1::2] - borders[::2]
        turns = runs // length + 1
        if len(runs) == 0 or (turns.max() - 1) * length <= saved:
            continue
        which = int(np.argmax(turns))
        best = int(borders[2 * which]), length, int(turns[which])
        saved = (best[2] - 1) * length
    return best


def mean_of(nodes: Sequence[Node]) -> Node:
    """Returns equal calls as one, with the mean of their times."""
    first = nodes[0]
    if isinstance(first, CallNode):
        calls = [node for node in nodes if isinstance(node, CallNode)]
        columns = zip(*(call.times for call in calls), strict=True)
        computed, processor, inside = (sum(column) / len(calls) for column in columns)
        return replace(first, times=(computed, processor, inside))
    loops = [node for node in nodes if isinstance(node, LoopNode)]
    rounds = [
        [mean_of(some) for some in zip(*bodies, strict=True)]
        for bodies in zip(*(loop.rounds for loop in loops), strict=True)
    ]
    if rounds:
        return replace(first, body=rounds[0], rounds=rounds)
    bodies = [loop.body for loop in loops]
    return replace(first, body=[mean_of(some) for some in zip(*bodies, strict=True)])
