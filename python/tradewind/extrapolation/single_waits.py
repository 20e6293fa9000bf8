"""Waits for one request after the other: each belongs to the peer of its request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tradewind.extrapolation.tree import MESSAGES, CallNode, Key, LoopNode, Node


def single_waits(trees: Iterable[Sequence[Node]]) -> set[Key]:
    """Returns the waits that complete a single request on all ranks.

    Args:
        trees: The calls of ranks of all traces.
    """
    single: dict[Key, bool] = {}
    for nodes in trees:
        for wait in _waits(nodes):
            single[wait.key] = single.get(wait.key, True) and len(wait.waits) == 1
    return {key for key, is_single in single.items() if is_single}


def with_single_waits(nodes: Sequence[Node], known: set[Key]) -> list[Node]:
    """Returns the calls of a rank, in which these waits have the peers of their requests."""
    return _Walk(known).over(nodes)


def _waits(nodes: Sequence[Node]) -> Iterator[CallNode]:
    for node in nodes:
        if isinstance(node, LoopNode):
            yield from _waits(node.body)
        elif node.key.name == "wait" and not node.key.peers:
            yield node


@dataclass
class _Walk:
    """Knows the requests that are open on a rank.

    Args:
        known: The waits that complete a single request.
    """

    known: set[Key]
    _open: dict[int, CallNode] = field(default_factory=dict)

    def over(self, nodes: Sequence[Node]) -> list[Node]:
        """Returns the calls, in which waits have the peers of their requests."""
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, LoopNode):
                result.append(replace(node, body=self.over(node.body)))
                continue
            result.append(self._with_peer(node) if node.key in self.known else node)
            for slot in node.waits:
                self._open.pop(slot, None)
            if node.slots and MESSAGES.get(node.key.name) == 1:
                self._open |= dict.fromkeys(node.slots, node)
        return result

    def _with_peer(self, wait: CallNode) -> CallNode:
        started = self._open.get(wait.waits[0])
        if started is None or not started.peers:
            return wait
        key = replace(
            wait.key, group=started.key.group, grid=started.key.grid, about=started.key.name
        )
        return replace(wait, key=key, peers=started.peers)
