"""A hint for programs whose neighbours no rule gives: they may be those of a mesh."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.grids import Vector, coordinates, rules
from tradewind.inspection.calls import calls_of
from tradewind.inspection.messages import ends_of
from tradewind.trace_file import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

HINT = "if neighbours come from a mesh, give it as graph=FILE"
# A refusal: the call, its call site, the reason.
_CALL = re.compile(r"(\w+)(?: at (.*?))? \(call [^)]*\): (.*)")
# Its words if the peers are the reason, or may be that of its bytes, and those of other reasons that name peers.
_OF_PEERS = (" with which peers: ", " gives its peers", "no rule gives its bytes, ")
_OTHERWISE = ("it receives from any source", "there is a pattern of")
# Blocks that differ by a point along two axes have so many sizes.
_MOST_SIZES = 4


@dataclass(frozen=True)
class _Links:
    """The messages of a call in a recording.

    Args:
        ranks: The number of ranks.
        rank: The ranks that make it, once for each peer.
        peer: The peers.
        bytes: What is sent in all of the messages of the two.
    """

    ranks: int
    rank: Numbers
    peer: Numbers
    bytes: Numbers

    @classmethod
    def of(cls, name: str, site: str, trace: Trace) -> _Links:
        """Finds the messages of a call at a call site; empty: where it is not known."""
        calls = calls_of(trace)
        ends = ends_of(calls)
        places = calls.of_event("site")[ends.at]
        known = [place for place, text in enumerate(trace.strings) if text == site]
        chosen = calls.is_call(name)[ends.at] & (np.isin(places, known) if site else places < 0)
        both = np.stack([ends.rank[chosen], ends.peer[chosen]])
        (rank, peer), pair = np.unique(both, axis=1, return_inverse=True)
        total = np.zeros(len(rank), np.int64)
        np.add.at(total, pair.ravel(), ends.bytes[chosen] * ends.turns[chosen])
        return cls(trace.ranks, rank, peer, total)

    @property
    def are_mutual(self) -> bool:
        """True if each peer has the rank as its own peer."""
        pairs = set(zip(self.rank.tolist(), self.peer.tolist(), strict=True))
        return all((peer, rank) in pairs for rank, peer in pairs)

    def are_steps_on(self, extents: Vector) -> bool:
        """Reports whether all ranks of a grid have peers at the same steps, but for those that lead over open ends.

        The messages along a step must have few sizes, as blocks of a grid have.
        """
        everybody = np.stack(coordinates(extents, np.arange(self.ranks)))
        size = np.asarray(extents)[:, None]
        ways = (everybody[:, self.peer] - everybody[:, self.rank]) % size
        # The shorter way around, which leads over an end or not.
        ways = np.where(2 * ways > size, ways - size, ways)
        steps, number = np.unique(ways, axis=1, return_inverse=True)
        at_step = [number.ravel() == place for place in range(steps.shape[1])]
        if any(len(np.unique(self.bytes[chosen])) > _MOST_SIZES for chosen in at_step):
            return False
        return any(
            all(
                np.array_equal(
                    _inside(everybody + step[:, None], size, open_axes), np.sort(self.rank[chosen])
                )
                for step, chosen in zip(steps.T, at_step, strict=True)
            )
            for count in range(len(extents) + 1)
            for open_axes in itertools.combinations(range(len(extents)), count)
        )


def _inside(places: Numbers, size: Numbers, axes: Sequence[int]) -> Numbers:
    """Returns the ranks whose places are in the grid along some axes."""
    chosen = places[list(axes)]
    return np.flatnonzero(np.all((chosen >= 0) & (chosen < size[list(axes)]), axis=0))


def mesh_hint(error: TraceError, traces: Sequence[Trace]) -> str:
    """Returns what helps if a call was refused for its peers, and these look like those of a mesh; otherwise nothing.

    Args:
        error: Why there is no pattern.
        traces: The recordings, for which no graph was given.
    """
    found = _CALL.match(str(error))
    if found is None or any(words in found[3] for words in _OTHERWISE):
        return ""
    if not any(words in found[3] for words in _OF_PEERS):
        return ""
    links = [_Links.of(found[1], found[2] or "", trace) for trace in traces]
    return HINT if _are_of_a_mesh(links) else ""


def _are_of_a_mesh(links: Sequence[_Links]) -> bool:
    """Reports whether neighbours are mutual, several but not all ranks, and by no rule the steps on a process grid."""
    largest = max(links, key=lambda one: one.ranks)
    most = np.bincount(largest.rank, minlength=1).max()
    if not 1 < most < largest.ranks - 1 or not all(one.are_mutual for one in links):
        return False
    return not any(
        all(one.are_steps_on(rule.extents(one.ranks)) for one in links)
        for rule in rules([one.ranks for one in links])
    )
