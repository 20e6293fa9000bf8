"""The mapping of ranks onto nodes: an order of the parts of a mesh that keeps neighbours together.

Ranks fill node after node. Giving the parts of a partition other numbers therefore moves them to other
nodes, on a simulated machine and under any launcher alike.
"""

from __future__ import annotations

import numpy as np

from tradewind.config.partition import ItemGraph, Numbers, divided
from tradewind.errors import ConfigError


def rank_graph(graph: ItemGraph, owners: Numbers, ranks: int) -> ItemGraph:
    """Returns the graph of the ranks; weights are the points that two of them exchange."""
    source = np.repeat(owners, np.diff(graph.first))
    target = owners[graph.neighbors]
    between = source != target
    keys = source[between] * ranks + target[between]
    pairs, places = np.unique(keys, return_inverse=True)
    weights = np.bincount(places, graph.weights[between]).astype(np.int64)
    first = np.searchsorted(pairs // ranks, np.arange(ranks + 1))
    return ItemGraph(first.astype(np.int64), pairs % ranks, weights, np.arange(ranks))


def volume_between_nodes(between: ItemGraph, ranks_per_node: int) -> int:
    """Returns the points that ranks of different nodes exchange, each pair counted once.

    Args:
        between: The graph of the ranks, in the order in which they fill nodes.
        ranks_per_node: The ranks of a node.
    """
    source = np.repeat(np.arange(len(between.owners)), np.diff(between.first))
    differ = source // ranks_per_node != between.neighbors // ranks_per_node
    return int(between.weights[differ].sum()) // 2


def nodes_of(between: ItemGraph, ranks_per_node: int, nodes_per_switch: int = 1) -> Numbers:
    """Returns the node of each rank for which little leaves switches, and then nodes.

    METIS divides the graph of the ranks among switches, and the ranks of each switch among its nodes.
    Its recursive bisection numbers the parts so that close ones have close numbers. Ranks move from parts
    with too many to others until every one but the last is full.

    Args:
        between: The graph of the ranks.
        ranks_per_node: The ranks of a node.
        nodes_per_switch: The nodes of a switch; 1: switches do not count.

    Raises:
        ConfigError: If a node is to have no rank, or a switch no node.
        Error: If pymetis is not installed.
    """
    if ranks_per_node < 1 or nodes_per_switch < 1:
        raise ConfigError(
            f"{ranks_per_node} ranks per node, {nodes_per_switch} nodes per switch: expected 1 or more"
        )
    switch = _blocks(between, ranks_per_node * nodes_per_switch)
    if nodes_per_switch == 1:
        return switch
    node = np.empty(len(switch), np.int64)
    for one in range(int(switch.max()) + 1):
        members = np.flatnonzero(switch == one)
        inside = _blocks(_among(between, members), ranks_per_node)
        node[members] = one * nodes_per_switch + inside
    return node


def _blocks(between: ItemGraph, size: int) -> Numbers:
    """Divides ranks into blocks of `size`, the last of which may be smaller."""
    parts = -(-len(between.owners) // size)
    if parts == 1:
        return np.zeros(len(between.owners), np.int64)
    return _filled(between, divided(between, parts, recursive=True), size)


def _among(graph: ItemGraph, members: Numbers) -> ItemGraph:
    """Returns the graph of some vertices, in their order."""
    number = np.full(len(graph.owners), -1)
    number[members] = np.arange(len(members))
    source = number[np.repeat(np.arange(len(graph.owners)), np.diff(graph.first))]
    target = number[graph.neighbors]
    inside = (source >= 0) & (target >= 0)
    first = np.searchsorted(source[inside], np.arange(len(members) + 1))
    return ItemGraph(
        first.astype(np.int64), target[inside], graph.weights[inside], np.arange(len(members))
    )


def mapped(graph: ItemGraph, owners: Numbers, ranks: int, ranks_per_node: int) -> Numbers:
    """Returns the partition with its parts in another order, so that less leaves the nodes.

    The nodes are those of `nodes_of`. If the given order is better, it stays.

    Args:
        graph: The items and what two neighbours exchange.
        owners: The part of each item.
        ranks: The number of parts.
        ranks_per_node: The ranks of a node.

    Raises:
        ConfigError: If a node is to have no rank.
        Error: If pymetis is not installed.
    """
    if ranks_per_node == 1:
        return owners
    between = rank_graph(graph, owners, ranks)
    order = np.argsort(nodes_of(between, ranks_per_node), kind="stable")
    number = np.empty(ranks, np.int64)
    number[order] = np.arange(ranks)
    moved = rank_graph(graph, number[owners], ranks)
    is_better = volume_between_nodes(moved, ranks_per_node) < volume_between_nodes(
        between, ranks_per_node
    )
    return number[owners] if is_better else owners


def _filled(between: ItemGraph, node_of: Numbers, ranks_per_node: int) -> Numbers:
    """Moves ranks until no node has more than its ranks, and only the last one has fewer."""
    nodes = int(node_of.max()) + 1
    wanted = np.full(nodes, ranks_per_node)
    wanted[-1] = len(node_of) - ranks_per_node * (nodes - 1)
    node_of = node_of.copy()
    sizes = np.bincount(node_of, minlength=nodes)
    while np.any(sizes > wanted):
        best: tuple[int, int, int] | None = None
        for rank in np.flatnonzero((sizes > wanted)[node_of]):
            pull = np.zeros(nodes, np.int64)
            part = slice(between.first[rank], between.first[rank + 1])
            np.add.at(pull, node_of[between.neighbors[part]], between.weights[part])
            gain = np.where(sizes < wanted, pull - pull[node_of[rank]], np.iinfo(np.int64).min)
            to = int(np.argmax(gain))
            if best is None or gain[to] > best[0]:
                best = (int(gain[to]), int(rank), to)
        assert best is not None
        _, chosen, to = best
        sizes[node_of[chosen]] -= 1
        sizes[to] += 1
        node_of[chosen] = to
    return node_of
