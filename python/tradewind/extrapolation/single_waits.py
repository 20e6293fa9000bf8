"""Waits for one request after the other: each belongs to the peer of its request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from tradewind.extrapolation.tree import MESSAGES, CallNode, Key, LoopNode, Node


def single_waits(trees: Iterable[Sequence[Node]]) -> set[Key]:
    """Returns the waits that complete a single request of a message on all ranks.

    Args:
        trees: The calls of ranks of all traces.
    """
    single: dict[Key, bool] = {}
    for nodes in trees:
        _Walk(single).over(nodes)
    return {key for key, is_single in single.items() if is_single}


def with_single_waits(nodes: Sequence[Node], known: set[Key]) -> list[Node]:
    """Returns the calls of a rank, in which these waits have the peers of their requests."""
    return _Walk({}, known).over(nodes)


@dataclass
class _Walk:
    """Knows the requests that are open on a rank.

    Args:
        single: Gets for each wait whether it completes a single request of a message, each time.
        known: The waits that get peers.
    """

    single: dict[Key, bool]
    known: set[Key] = field(default_factory=set)
    _open: dict[int, CallNode] = field(default_factory=dict)

    def over(self, nodes: Sequence[Node]) -> list[Node]:
        """Returns the calls, in which waits have the peers of their requests."""
        result: list[Node] = []
        for node in nodes:
            if isinstance(node, LoopNode):
                result.append(replace(node, body=self.over(node.body)))
                continue
            result.append(self._wait(node) if node.key.name == "wait" else node)
            for slot in node.waits:
                self._open.pop(slot, None)
            if node.slots and node.peers and MESSAGES.get(node.key.name) == 1:
                self._open |= dict.fromkeys(node.slots, node)
        return result

    def _wait(self, wait: CallNode) -> CallNode:
        started = self._open.get(wait.waits[0]) if len(wait.waits) == 1 else None
        self.single[wait.key] = self.single.get(wait.key, True) and started is not None
        if started is None or wait.key not in self.known:
            return wait
        key = replace(
            wait.key, group=started.key.group, grid=started.key.grid, about=started.key.name
        )
        return replace(wait, key=key, peers=started.peers)
