"""Messages to both sides of a grid that are equal where its extent is 2, and a loop of two turns in a trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tradewind.extrapolation.tree import MESSAGES, CallNode, LoopNode, Node

# The most calls of a message: with a receive, and waits for both.
_MOST_CALLS = 4


def has_pairs(nodes: Sequence[Node]) -> bool:
    """Reports whether a rank has loops of two turns with a message, or with several and waits for them."""
    return any(
        isinstance(node, LoopNode) and (_is_pair(node) or has_pairs(node.body)) for node in nodes
    )


def without_pairs(nodes: Sequence[Node]) -> list[Node]:
    """Returns the calls of a rank with both messages in the place of such a loop."""
    result: list[Node] = []
    for node in nodes:
        if isinstance(node, LoopNode):
            body = without_pairs(node.body)
            result += 2 * body if _is_pair(node) else [replace(node, body=body)]
        else:
            result.append(node)
    return result


def _is_pair(loop: LoopNode) -> bool:
    if loop.turns != 2 or loop.rounds or loop.peers or len(loop.body) > _MOST_CALLS:
        return False
    names = {node.key.name if isinstance(node, CallNode) else "" for node in loop.body}
    return names <= {*MESSAGES, "wait"} and names != {"wait"}
