"""Templates that may lead to a pattern, merged as far as their order tells: those with the fewest calls first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence

from tradewind.extrapolation.template import Member, Merger, calls_of
from tradewind.extrapolation.tree import LoopNode, Node, View

# A call on a communicator that no grid has counts as so many more.
_STRANGE = 10


class Candidate:
    """The template of a view, to which one rank after the other is added.

    Args:
        view: The view.
        number: Its place among the views.
        trees: The calls of each rank.
    """

    def __init__(self, view: View, number: int, trees: dict[Member, list[Node]]) -> None:
        self.view, self.number, self.trees = view, number, trees
        self.merger = Merger()
        # The calls of the ranks so far, which those of more ranks add to.
        self.size = 0
        # Ranks in the middle of a large grid have most calls, and no doubt about their neighbours; the first is last.
        self._left = sorted(trees, key=lambda one: (-one[0], -_size(trees[one])))[::-1]

    @property
    def is_complete(self) -> bool:
        """True if all ranks were added."""
        return not self._left

    def add_rank(self) -> None:
        """Merges the calls of one more rank."""
        member = self._left.pop()
        self.merger.add(member, self.trees[member])
        calls = list(calls_of(self.merger.template))
        strange = sum("?" in call.key.group + call.key.about for call in calls)
        self.size = len(calls) + _STRANGE * strange

    def has_size(self, size: int) -> bool:
        """Reports whether the template of all ranks has so many calls."""
        while self.size <= size and not self.is_complete:
            self.add_rank()
        return self.size == size


def in_order(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """Yields candidates with all their ranks, those with the fewest calls first, then by their places.

    Ranks are added to the one with the fewest calls so far, as no rank takes calls away.
    """
    waiting = [(one.size, one.number, place) for place, one in enumerate(candidates)]
    heapq.heapify(waiting)
    while waiting:
        _, number, place = heapq.heappop(waiting)
        one = candidates[place]
        if one.is_complete:
            yield one
        else:
            one.add_rank()
            heapq.heappush(waiting, (one.size, number, place))


def _size(nodes: Sequence[Node]) -> int:
    return sum(
        sum(map(_size, node.rounds)) + _size(node.body) if isinstance(node, LoopNode) else 1
        for node in nodes
    )
