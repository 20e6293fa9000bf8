"""The calls of a pattern that are made for all neighbours in a graph of ranks, carried out."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.formula import whole
from tradewind.extrapolation.groups import Communicators
from tradewind.extrapolation.pattern import PatternCall, PatternLoop
from tradewind.extrapolation.rank_graph import DIRECTIONS, Links, RankGraph
from tradewind.extrapolation.tree import ACCESSES, GRAPHS, MESSAGES, WINDOW_PEERS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class EdgeValues:
    """The arguments of a call on the edges of a graph, in one direction.

    Args:
        links: The edges.
        peers: The step from the own place in the communicator to that of the neighbour, for each edge.
        tags: The tag for each edge; none: the call has none.
        numbers: For each number of the call its value on each edge.
    """

    links: Links
    peers: Numbers
    tags: Numbers | None
    numbers: list[Numbers]


class AlongGraph:
    """Evaluates calls on the edges of a graph of ranks.

    Args:
        graph: The graph; None: none was given.
        comms: The communicators of the pattern.
        ranks: The number of ranks.
    """

    def __init__(self, graph: RankGraph | None, comms: Communicators, ranks: int) -> None:
        self._graph, self._comms, self._ranks = graph, comms, ranks

    def values(
        self, call: PatternCall, names: Mapping[str, Any], present: NDArray[np.bool_], own: Numbers
    ) -> list[EdgeValues]:
        """Returns the arguments of a call in each of its directions.

        Args:
            call: The call.
            names: The values of the names in formulas on each rank.
            present: Which ranks make the call.
            own: The place of each rank in the communicator.

        Raises:
            TraceError: If there is no graph, the call has other lists than it needs, or a formula fails.
        """
        if self._graph is None:
            raise TraceError(
                f"{call.call}: its peers are those of a graph of ranks; expected the file of one as program.graph"
            )
        _check(call)
        result = []
        for place, direction in enumerate(DIRECTIONS[call.call]):
            links = self._graph.links[direction]
            owners, there = links.owners, present[links.owners]
            peers = self._comms.index(call.group, links.others, there, owners) - own[owners]
            known = {
                name: value[owners] if np.shape(value) == (self._ranks,) else value
                for name, value in names.items()
            } | {"weight": links.weights, "peer": links.others}
            count = len(links.others)
            tags = whole(call.tags[place], known, count, there) if call.tags else None
            formulas = call.numbers if call.call in ACCESSES else call.numbers[place : place + 1]
            numbers = [whole(formula, known, count, there) for formula in formulas]
            result.append(EdgeValues(links, peers, tags, numbers))
        return result

    @staticmethod
    def arguments(call: PatternCall, values: Sequence[EdgeValues], rank: int) -> list[list[int]]:
        """Returns the arguments of each of the calls that a rank makes, without their slots."""
        parts = []
        for one in values:
            edges = one.links.edges(rank)
            columns = [one.peers, *([] if one.tags is None else [one.tags]), *one.numbers]
            parts.append(np.stack([column[edges] for column in columns], 1).tolist())
        if call.call in GRAPHS:
            return [[number for part in parts for number in (len(part), *itertools.chain(*part))]]
        if call.call in WINDOW_PEERS:
            return [[call.window, *(peer for (peer,) in parts[0])]]
        if len({len(part) for part in parts}) > 1:
            raise TraceError(
                f"{call.call}: rank {rank} sends to {len(parts[0])} neighbours in the graph, and receives "
                f"from {len(parts[1])}"
            )
        head = [call.window] if call.call in ACCESSES else []
        return [[*head, *itertools.chain(*edge)] for edge in zip(*parts, strict=True)]


def check_loop(loop: PatternLoop) -> None:
    """Throws TraceError if a loop over the neighbours holds other things than calls for them."""
    for node in loop.body:
        if isinstance(node, PatternLoop) or not node.peers or node.call in (*GRAPHS, *WINDOW_PEERS):
            what = "a loop" if isinstance(node, PatternLoop) else node.call
            raise TraceError(
                f'loop = "graph" has {what} in it; expected calls for one neighbour, with peers = "graph"'
            )


def _check(call: PatternCall) -> None:
    """Throws TraceError if the lists of a call do not fit one that is made for all neighbours."""
    if call.call not in DIRECTIONS:
        known = ", ".join(DIRECTIONS)
        raise TraceError(f'{call.call}: peers = "graph" is for {known}')
    if call.offsets or call.peers_when or call.order:
        raise TraceError(
            f'{call.call}: has offsets, peers_when or order beside peers = "graph", which gives all of them'
        )
    directions = len(DIRECTIONS[call.call])
    numbers = 0 if call.call in WINDOW_PEERS else ACCESSES.get(call.call, directions)
    for what, given, expected in (
        ("numbers", len(call.numbers), numbers),
        ("tags", len(call.tags), MESSAGES.get(call.call, 0)),
    ):
        if given != expected:
            raise TraceError(f"{call.call}: has {given} {what}, must have {expected}")
    if call.call in (*ACCESSES, *WINDOW_PEERS) and call.window < 0:
        raise TraceError(f"{call.call}: window is missing")
