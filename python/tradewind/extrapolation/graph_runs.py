"""Calls that a rank makes for all its neighbours in a graph of ranks, one after the other: one call of the program."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tradewind.extrapolation.pattern import GRAPH_OF_RANKS
from tradewind.extrapolation.rank_graph import DIRECTIONS, RankGraph
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import (
    LISTS_OF_PEERS,
    Along,
    CallNode,
    LoopNode,
    Node,
)

# The properties of the calls of one run.
Run = tuple[Any, ...]
_Trees = Mapping[Member, Sequence[Node]]


def graph_runs(trees: _Trees, graphs: Sequence[RankGraph]) -> set[Run]:
    """Returns the runs of calls whose peers are on all ranks all neighbours, in the order of their ranks.

    Args:
        trees: The calls of each rank of each trace.
        graphs: The graph of ranks of each trace.
    """
    follows: dict[Run, bool] = {}
    for member, nodes in trees.items():
        for run, calls in _runs(nodes):
            whole = _turns(calls, graphs[member[0]], member[1]) is not None
            follows[run] = follows.get(run, True) and whole
    return {run for run, all_do in follows.items() if all_do}


def with_graph(
    nodes: Sequence[Node], member: Member, graphs: Sequence[RankGraph], known: set[Run]
) -> list[Node]:
    """Returns the calls of a rank with one call in the place of each run."""
    result: list[Node] = []
    for run, some in itertools.groupby(nodes, _run_of):
        if run is None or run not in known:
            result += [
                replace(node, body=with_graph(node.body, member, graphs, known))
                if isinstance(node, LoopNode)
                else node
                for node in some
            ]
            continue
        turns = _turns(_calls(some), graphs[member[0]], member[1])
        assert turns is not None
        result += turns
    return result


def _run_of(node: Node) -> Run | None:
    """Returns what a call has in common with those of its run; None if it has no peers."""
    if isinstance(node, LoopNode) or node.key.name not in DIRECTIONS:
        return None
    return node.key.without_tags, node.key.tags


def _calls(nodes: Iterable[Node]) -> list[CallNode]:
    return [node for node in nodes if isinstance(node, CallNode)]


def _runs(nodes: Sequence[Node]) -> Iterator[tuple[Run, list[CallNode]]]:
    for run, some in itertools.groupby(nodes, _run_of):
        if run is not None:
            yield run, _calls(some)
            continue
        for node in some:
            if isinstance(node, LoopNode):
                yield from _runs(node.body)


def _turns(calls: Sequence[CallNode], graph: RankGraph, rank: int) -> list[CallNode] | None:
    """Returns a call for each time that all neighbours had their turn; None if they are others."""
    name = calls[0].key.name
    if name in LISTS_OF_PEERS:
        found = [_of_list(call, graph, rank) for call in calls]
    else:
        links = graph.links[DIRECTIONS[name][0]]
        length = len(links.others[links.edges(rank)])
        if length == 0 or len(calls) % length:
            return None
        found = [
            _of_messages(calls[at : at + length], graph, rank)
            for at in range(0, len(calls), length)
        ]
    known = [call for call in found if call is not None]
    return known if len(known) == len(found) else None


def _of_messages(calls: Sequence[CallNode], graph: RankGraph, rank: int) -> CallNode | None:
    directions = DIRECTIONS[calls[0].key.name]
    weights = []
    for place, direction in enumerate(directions):
        links = graph.links[direction]
        edges = links.edges(rank)
        peers = [call.peers[place] for call in calls]
        others = [-1 if peer is None else peer.other for peer in peers]
        if others != links.others[edges].tolist():
            return None
        weights.append(tuple(links.weights[edges].tolist()))
    numbers = list(zip(*(call.numbers for call in calls), strict=True))
    along = [
        Along(weights[min(place, len(weights) - 1)], values) for place, values in enumerate(numbers)
    ]
    times = [
        sum(column) / len(calls) for column in zip(*(call.times for call in calls), strict=True)
    ]
    slots = tuple(slot for call in calls for slot in call.slots)
    return _made_from(calls[0], along, slots, (times[0], times[1], times[2]))


def _of_list(call: CallNode, graph: RankGraph, rank: int) -> CallNode | None:
    along = []
    for direction in DIRECTIONS[call.key.name]:
        links = graph.links[direction]
        edges = links.edges(rank)
        is_source = direction == DIRECTIONS[call.key.name][-1] and len(along) > 0
        listed = [one for one in call.neighbors if one.is_source == is_source]
        others = [-1 if one.peer is None else one.peer.other for one in listed]
        if others != links.others[edges].tolist():
            return None
        weights, sizes = links.weights[edges].tolist(), [one.size for one in listed]
        along.append(Along(tuple(weights), tuple(sizes)))
    return _made_from(call, along, call.slots, call.times)


def _made_from(
    call: CallNode,
    along: Sequence[Along],
    slots: tuple[int, ...],
    times: tuple[float, float, float],
) -> CallNode:
    return replace(
        call,
        key=replace(call.key, peers=GRAPH_OF_RANKS),
        peers=(),
        numbers=(),
        neighbors=(),
        slots=slots,
        times=times,
        along=tuple(along),
    )
