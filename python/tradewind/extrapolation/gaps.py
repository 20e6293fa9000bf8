"""The places of calls between the passes of loops of rounds, which all ranks go through, with calls of theirs or not.

A call that stands between two passes of its rank may come before or after other passes, in which this rank pauses. It is
where the other end of its message is, or where ranks that take part in more passes have it.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tradewind.extrapolation.lines import Entry, Line
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode, LoopNode

# The number of a loop of rounds, and of a pass of it between two barriers.
Visit = tuple[int, int]
# Both ends of a message, its tag and communicator.
_Channel = tuple[int, int, Hashable, str]


def ordered_visits(sequences: Sequence[Sequence[Visit]]) -> list[Visit] | None:
    """Returns all visits in an order that all ranks keep; None if there is none.

    Args:
        sequences: The visits of each rank in which it has calls.
    """
    behind: dict[Visit, set[Visit]] = {}
    for visits in sequences:
        for one in visits:
            behind.setdefault(one, set())
        for one, other in itertools.pairwise(visits):
            behind[one].add(other)
    before = dict.fromkeys(behind, 0)
    for others in behind.values():
        for other in others:
            before[other] += 1
    # The one with the fewest passes before it is next where several may be.
    ready = [(number, loop) for (loop, number), count in before.items() if not count]
    heapq.heapify(ready)
    result: list[Visit] = []
    while ready:
        number, loop = heapq.heappop(ready)
        result.append((loop, number))
        for other in behind[loop, number]:
            before[other] -= 1
            if not before[other]:
                heapq.heappush(ready, (other[1], other[0]))
    return result if len(result) == len(behind) else None


@dataclass
class _Place:
    """Between which passes a call may be: after `first` of them at least, and `last` at most."""

    entry: Entry
    first: int
    last: int
    visits: Sequence[Visit] = ()


@dataclass
class Gaps:
    """Knows between which passes each call is.

    Args:
        lines: The lines of the ranks of all traces.
        visits: For each trace and number of barriers the passes before the next one.
        visit_of: The pass of each entry that is in one, by its identity.
    """

    lines: Mapping[Member, Line]
    visits: Mapping[tuple[int, int], Sequence[Visit]]
    visit_of: Mapping[int, Visit]
    _places: dict[Member, list[_Place]] = field(default_factory=dict)

    def numbers(self) -> dict[int, int]:
        """Returns for each entry that is in no pass how many of those since the last barrier come before it."""
        for member, line in self.lines.items():
            self._places[member] = list(self._bounds(member[0], line))
        for _ in range(2):
            self._meet()
            for places in self._places.values():
                _tighten(places)
        self._as_others()
        return {id(one.entry): one.first for some in self._places.values() for one in some}

    def _bounds(self, trace: int, line: Line) -> Iterator[_Place]:
        """Yields the places of the calls of a rank that are in no pass, as its own calls tell them."""
        for segment, some in itertools.groupby(line, lambda one: one.segment):
            visits = self.visits.get((trace, segment), ())
            place_of = {visit: place for place, visit in enumerate(visits)}
            waiting: list[_Place] = []
            first = 0
            for one in some:
                visit = self.visit_of.get(id(one))
                if visit is None:
                    waiting.append(_Place(one, first, len(visits), visits))
                    continue
                for place in waiting:
                    place.last = min(place.last, place_of[visit])
                yield from waiting
                waiting = []
                first = place_of[visit] + 1
            yield from waiting

    def _meet(self) -> None:
        """Narrows the places of both ends of messages to those that both may have."""
        ends: dict[tuple[int, str, _Channel], list[_Place]] = {}
        for (trace, rank), places in self._places.items():
            for place in places:
                if place.entry.message and place.visits:
                    for kind, channel in _channels(rank, place.entry.message):
                        ends.setdefault((trace, kind, channel), []).append(place)
        for (trace, kind, channel), some in ends.items():
            others = ends.get((trace, "recv", channel), []) if kind == "send" else []
            for one, other in zip(some, others, strict=False):
                first, last = max(one.first, other.first), min(one.last, other.last)
                if one.entry.segment == other.entry.segment and first <= last:
                    one.first = other.first = first
                    one.last = other.last = last

    def _as_others(self) -> None:
        """Puts calls whose places are open where ranks have them whose places are not, or as early as they may be."""
        known: set[Hashable] = set()
        for places in self._places.values():
            for place in places:
                if place.first == place.last:
                    known.add(_surroundings(place, place.first))
        for places in self._places.values():
            least, segment = 0, -1
            for place in places:
                least = max(place.first, least if place.entry.segment == segment else 0)
                segment = place.entry.segment
                able = range(least, place.last + 1)
                fitting = (gap for gap in able if _surroundings(place, gap) in known)
                place.first = least = next(fitting, least) if len(able) > 1 else least


def _surroundings(place: _Place, gap: int) -> Hashable:
    """Returns what a call is, and the loops before and after it if it is after so many passes."""
    node, visits = place.entry.node, place.visits
    while isinstance(node, LoopNode):
        node = node.body[0]
    what = node.key.without_tags if node else None
    before = visits[gap - 1][0] if gap else -1
    return what, before, visits[gap][0] if gap < len(visits) else -1


def _tighten(places: Sequence[_Place]) -> None:
    """Narrows the places of the calls of a rank to what those before and after them leave open."""
    for one, other in itertools.pairwise(places):
        if one.entry.segment == other.entry.segment:
            other.first = max(other.first, one.first)
    for one, other in itertools.pairwise(reversed(places)):
        if one.entry.segment == other.entry.segment:
            other.last = min(other.last, one.last)


def _channels(rank: int, call: CallNode) -> Iterator[tuple[str, _Channel]]:
    """Yields the ends of messages that a call is."""
    kinds = ("send", "recv") if call.key.name == "sendrecv" else (call.key.name,)
    for kind, peer, tag in zip(kinds, call.peers, call.key.tags, strict=True):
        if peer is None or kind == "probe":
            continue
        is_receive = kind == "recv"
        ends = (peer.other, rank) if is_receive else (rank, peer.other)
        yield "recv" if is_receive else "send", (*ends, tag, call.key.group)
