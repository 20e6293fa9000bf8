"""Messages that follow each other by the ranks of their peers: the same steps in another order on each rank."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from tradewind.extrapolation.grids import offset_between
from tradewind.extrapolation.pattern import BY_RANK
from tradewind.extrapolation.steps import Peer
from tradewind.extrapolation.tree import GRAPHS, MESSAGES, CallNode, LoopNode, Neighbor, Node

# The properties of the calls of one run: all but their tags.
Run = tuple[Any, ...]


def ordered_runs(trees: Iterable[Sequence[Node]]) -> set[Run]:
    """Returns the calls whose peers ascend by rank on all ranks, where one has two peers or more.

    Args:
        trees: The calls of ranks of all traces.
    """
    ascend: dict[Run, bool] = {}
    longest: dict[Run, int] = {}
    for nodes in trees:
        for run, peers in _runs(nodes):
            ranks = [peer.other if peer is not None else -1 for peer in peers]
            is_ascending = all(a < b for a, b in itertools.pairwise(ranks)) and -1 not in ranks
            ascend[run] = ascend.get(run, True) and is_ascending
            longest[run] = max(longest.get(run, 0), len(ranks))
    return {run for run, ascends in ascend.items() if ascends and longest[run] > 1}


def with_order(nodes: Sequence[Node], known: set[Run]) -> list[Node]:
    """Returns the calls with these runs in the order of their steps, which is the same on all ranks."""
    result: list[Node] = []
    for run, group in _grouped(nodes):
        if run is None:
            result += [
                replace(node, body=with_order(node.body, known))
                if isinstance(node, LoopNode)
                else node
                for node in group
            ]
            continue
        calls = [node for node in group if isinstance(node, CallNode)]
        if run not in known:
            result += calls
        elif calls[0].key.name in GRAPHS:
            result += map(_with_neighbors_in_order, calls)
        else:
            marked = [replace(call, key=replace(call.key, order=BY_RANK)) for call in calls]
            marked.sort(key=lambda call: _place(call.peers[0]))
            result += marked
    return result


def _grouped(nodes: Sequence[Node]) -> Iterator[tuple[Run | None, list[Node]]]:
    for run, group in itertools.groupby(nodes, _run_of):
        yield run, list(group)


def _with_neighbors_in_order(node: CallNode) -> CallNode:
    def place(neighbor: Neighbor) -> tuple[Any, ...]:
        return neighbor.is_source, _place(neighbor.peer)

    neighbors = tuple(sorted(node.neighbors, key=place))
    return replace(node, key=replace(node.key, order=BY_RANK), neighbors=neighbors)


def _place(peer: Peer | None) -> tuple[int, ...]:
    """Returns the step to a peer, the last axis first, so that inner ranks keep their order."""
    if peer is None:
        return ()
    return tuple(reversed(offset_between(peer.extents, peer.rank, peer.other)))


def _run_of(node: Node) -> Run | None:
    """Returns what a call has in common with those of its run; None if it is in none."""
    if isinstance(node, LoopNode) or node.key.peers:
        return None
    is_message = MESSAGES.get(node.key.name) == 1 or (node.key.name == "wait" and node.peers)
    return node.key.without_tags if is_message or node.key.name in GRAPHS else None


def _runs(nodes: Sequence[Node]) -> Iterator[tuple[Run, list[Peer | None]]]:
    """Yields the peers of each run; of a neighbourhood collective its destinations, then its sources."""
    for run, group in _grouped(nodes):
        if run is None:
            for node in group:
                if isinstance(node, LoopNode):
                    yield from _runs(node.body)
            continue
        calls = [node for node in group if isinstance(node, CallNode)]
        if calls[0].key.name in GRAPHS:
            for call in calls:
                for is_source in (False, True):
                    yield run, [one.peer for one in call.neighbors if one.is_source == is_source]
        else:
            yield run, [call.peers[0] for call in calls]
