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


def mapped(graph: ItemGraph, owners: Numbers, ranks: int, ranks_per_node: int) -> Numbers:
    """Returns the partition with its parts in another order, so that less leaves the nodes.

    METIS divides the graph of the ranks among nodes, and its recursive bisection numbers the nodes so
    that close ones have close numbers. Ranks move from nodes with too many to others until every node
    but the last is full. If the given order is better, it stays.

    Args:
        graph: The items and what two neighbours exchange.
        owners: The part of each item.
        ranks: The number of parts.
        ranks_per_node: The ranks of a node.

    Raises:
        ConfigError: If a node is to have no rank.
        Error: If pymetis is not installed.
    """
    if ranks_per_node < 1:
        raise ConfigError(f"ranks per node: {ranks_per_node}, expected 1 or more")
    nodes = -(-ranks // ranks_per_node)
    if nodes == 1 or ranks_per_node == 1:
        return owners
    between = rank_graph(graph, owners, ranks)
    node_of = _filled(between, divided(between, nodes, recursive=True), ranks_per_node)
    order = np.argsort(node_of, kind="stable")
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
