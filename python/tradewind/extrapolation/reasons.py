"""Why no rule tells which ranks make a call: its tags, its peers, its order, too few ranks, or rank counts without it."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from tradewind.errors import TraceError
from tradewind.extrapolation.grids import Vector
from tradewind.extrapolation.steps import Step, simplest
from tradewind.extrapolation.template import (
    Member,
    Template,
    TemplateCall,
    calls_of,
    loops_of,
    refuse,
)
from tradewind.trace_file import WILDCARD

NO_RULE = "no rule tells which ranks make it"
_MOST_NAMED, _MOST_PEERS = 6, 3
# Reports whether a condition is true on some ranks and false on the others of all that are given.
Explains = Callable[[AbstractSet[Member], Sequence[Member]], bool]
# Two steps along the axes of a grid.
_Pair = tuple[tuple[int, ...], tuple[int, ...]]


class TooFewRanksError(TraceError):
    """A call that is refused since two neighbours of a rank are one in some recordings.

    Args:
        text: The message.
        named: The call and its call site.
        counts: The numbers of ranks of these recordings.
        otherwise: The message if they are not the reason.
    """

    def __init__(self, text: str, named: str, counts: Container[int], otherwise: str) -> None:
        super().__init__(text)
        self.named, self.counts, self.otherwise = named, counts, otherwise


class Reasons:
    """The calls of a template, which tell why one of them has no rule.

    Args:
        calls: The calls of the template.
        ranks: The number of ranks of each trace.
        extents: The grid of the call in each trace.
        explains: Tells whether a condition fits.
    """

    def __init__(
        self,
        calls: Sequence[TemplateCall],
        ranks: Sequence[int],
        extents: Sequence[Vector],
        explains: Explains,
    ) -> None:
        self._calls, self._ranks, self._extents = calls, ranks, extents
        self._explains = explains
        self._everybody = [
            (trace, rank) for trace, count in enumerate(ranks) for rank in range(count)
        ]

    def refusal(self, call: TemplateCall, present: AbstractSet[Member]) -> TraceError:
        """Makes the error for a call of which no condition tells which ranks make it.

        Args:
            call: The call.
            present: The ranks that make it, or run its loop.
        """
        alike = [one for one in self._calls if one.key.without_tags == call.key.without_tags]
        members = sorted(present)
        error = refuse(call, self._reason(call, alike, present), members, self._ranks)
        few, counts = self._too_few_ranks(alike, present)
        if not few:
            return error
        text = str(refuse(call, few, members, self._ranks))
        return TooFewRanksError(text, call.named, counts, str(error))

    def _reason(
        self, call: TemplateCall, alike: Sequence[TemplateCall], present: AbstractSet[Member]
    ) -> str:
        """Returns what differs between a call and others of the same kind and place."""
        same_tags = [one for one in alike if one.key.tags == call.key.tags]
        same_peers = [one for one in alike if _steps(one) == _steps(call)]
        both = [one for one in same_tags if _steps(one) == _steps(call)]
        if call.key.flags & WILDCARD:
            return f"it receives from any source; {NO_RULE} with which peers: {self._peers(alike)}"
        found = self._by_count(_makers(alike) | {member[:2] for member in present})
        if found:
            return found
        if len(same_peers) > len(both) and self._are_explained(same_peers):
            return f"no rule gives its tags, {_tags(same_peers)}{self._shared_line(call)}"
        if len(both) > 1 and self._are_explained(both):
            return "no rule tells how often, or at which place among its calls, a rank makes it"
        if _has_many_peers(same_tags) and self._are_explained(same_tags):
            return self._no_peers(same_tags)
        if len(alike) > len(same_tags) and call.steps:
            known = f"tags, {_tags(alike)}, and peers: {self._peers(alike)}"
            return f"{NO_RULE} with which {known}{self._shared_line(call)}"
        if len(same_tags) > len(both):
            return f"{NO_RULE} with which peers: {self._peers(same_tags)}"
        return self._by_count(present) or NO_RULE

    def _shared_line(self, call: TemplateCall) -> str:
        """Returns what is to be said if ranks begin with other calls of the same line; otherwise nothing."""
        first: dict[Member, tuple[int, str]] = {}
        for one in self._calls:
            for member, node in one.seen.items() if one.key.site == call.key.site else ():
                found = node.place, one.key.name
                first[member[:2]] = min(first.get(member[:2], found), found)
        names = {name for _, name in first.values()}
        if not call.key.site or len(names) == 1:
            return ""
        return (
            f"; some ranks begin with {' and others with '.join(sorted(names))} on this line: give each call "
            "a line of its own, and record again"
        )

    def _no_peers(self, calls: Sequence[TemplateCall]) -> str:
        """Returns what is to be said of calls whose peers have no rule, with examples of those that have none."""
        # Those that all ranks make have an offset: it is not they that lack one.
        strange = [one for one in calls if _makers([one]) < set(self._everybody)]
        if len(strange) == len(calls):
            return f"no offset and no formula gives its peers: {self._peers(calls)}"
        return (
            f"no offset and no formula gives its peers in some of its calls: {self._peers(strange)}"
        )

    def _are_explained(self, calls: Sequence[TemplateCall]) -> bool:
        """Reports whether a condition tells which ranks make any of some calls."""
        return self._explains(_makers(calls), self._everybody)

    def _too_few_ranks(
        self, alike: Sequence[TemplateCall], present: AbstractSet[Member]
    ) -> tuple[str, Sequence[int]]:
        """Returns what is to be said if two of the neighbours are one rank at some counts, and all else is explained.

        With it go these counts; it is empty otherwise.
        """
        steps = list(dict.fromkeys(_whole_steps(alike)))
        # The traces in which two steps lead to the same rank.
        small: dict[_Pair, set[int]] = {}
        for trace, extents in enumerate(self._extents):
            for first, second in itertools.combinations(steps, 2):
                if _is_same_place(first, second, extents):
                    small.setdefault((first, second), set()).add(trace)
        traces = set().union(*small.values())
        if not small or not self._are_explained_without(traces, alike, present):
            return "", ()
        pairs = sorted(_fewest_pairs(small), key=lambda pair: min(pair[1]))
        words = [
            f"{_numbers(sorted({self._ranks[trace] for trace in where}))} ranks"
            f"{'' if number else ' are too few to tell its neighbours apart,'} since the steps "
            f"{list(one)} and {list(other)} lead to the same rank"
            for number, ((one, other), where) in enumerate(pairs)
        ]
        said = f"{', and '.join(words)}; record larger counts in their place"
        return said, sorted({self._ranks[trace] for trace in traces})

    def _are_explained_without(
        self, small: Container[int], alike: Sequence[TemplateCall], present: AbstractSet[Member]
    ) -> bool:
        """Reports whether conditions tell which ranks make some calls, and which are present, without some traces."""
        rest = [member for member in self._everybody if member[0] not in small]
        groups = {"": {member[:2] for member in present}}
        for one in alike:
            groups.setdefault(f"{one.key.tags} {_steps(one)}", set()).update(_makers([one]))
        # Many conditions explain a single recording.
        is_single = len({member[0] for member in rest}) == 1
        for group in groups.values():
            makers = group.intersection(rest)
            if 0 < len(makers) < len(rest) and (is_single or not self._explains(makers, rest)):
                return False
        return bool(rest)

    def _peers(self, calls: Sequence[TemplateCall]) -> str:
        """Returns examples of peers."""
        seen = [(member[:2], node) for one in calls for member, node in one.seen.items()]
        found: dict[tuple[int, ...], int] = {}
        for member, node in sorted(seen, key=lambda pair: pair[0]):
            peer = next((one for one in node.peers if one is not None), None)
            if peer is not None:
                found.setdefault(member, peer.other)
        few = list(found.items())[-_MOST_PEERS:]
        return ", ".join(
            f"rank {member[1]} of {self._ranks[member[0]]} has rank {peer}" for member, peer in few
        )

    def _by_count(self, present: AbstractSet[Member]) -> str:
        """Returns what is to be said if all ranks make a call at some counts, and none at others."""
        makers = {member[:2] for member in present}
        traces = {member[0] for member in makers}
        everybody = sum(self._ranks[trace] for trace in traces)
        if len(makers) < everybody or len(traces) == len(self._ranks):
            return ""
        return f"{on_some_counts(traces, self._ranks)}, and no rule was found that tells where"


def no_turns(template: Sequence[Template], ranks: Sequence[int]) -> TraceError | None:
    """Returns the error for the first rounds that have as many turns in all recordings; None if there are none."""
    for loop in loops_of(template):
        turns = set(loop.seen.values())
        call = next(calls_of(loop.body), None)
        if not loop.is_counted or len(turns) > 1 or call is None:
            continue
        (number,) = turns
        said = (
            f"its rounds have {number} turns on all of {_numbers(sorted(set(ranks)))} ranks, so that nothing tells "
            "how many they have on others; record a rank count with another number of turns"
        )
        if all((count - 1).bit_length() == number for count in ranks):
            said += f", such as {2**number + 1} ranks if it grows with the logarithm"
        return refuse(call, said, list(call.seen), ranks)
    return None


def on_some_counts(traces: AbstractSet[int], ranks: Sequence[int]) -> str:
    """Returns on which rank counts a call is made, and on which it is not, or in how many of all recordings."""
    made = sorted({ranks[trace] for trace in traces})
    not_made = sorted({count for trace, count in enumerate(ranks) if trace not in traces})
    if set(made) & set(not_made):
        return f"it is made in {len(traces)} of {len(ranks)} recordings"
    return f"it is made on {_numbers(made)} ranks and not on {_numbers(not_made)}"


def _makers(calls: Sequence[TemplateCall]) -> set[Member]:
    return {member[:2] for one in calls for member in one.seen}


def _has_many_peers(calls: Sequence[TemplateCall]) -> bool:
    """Reports whether there are many more steps to peers than calls of a rank."""
    steps = {str(_steps(one)) for one in calls}
    of_ranks = Counter(member[:2] for one in calls for member in one.seen)
    return len(steps) > 2 * max(of_ranks.values(), default=0)


def _numbers(counts: Sequence[int]) -> str:
    return ", ".join(map(str, counts))


def _tags(calls: Sequence[TemplateCall]) -> str:
    """Returns the first tags of some calls."""
    tags = {tag for one in calls for tag in one.key.tags}
    some = sorted(tags, key=lambda tag: (isinstance(tag, str), tag))
    more = ", ..." if len(some) > _MOST_NAMED else ""
    return f"[{', '.join(map(str, some[:_MOST_NAMED]))}{more}]"


def _steps(call: TemplateCall) -> list[list[Step] | None]:
    """Returns the simplest step to each of the peers."""
    return [None if steps is None else simplest(steps) for steps in call.steps]


def _whole_steps(calls: Sequence[TemplateCall]) -> Iterator[tuple[int, ...]]:
    """Yields the steps of some calls that are whole numbers."""
    for one in calls:
        for step in _steps(one):
            if step and all(isinstance(number, int) for number in step):
                yield tuple(int(number) for number in step)


def _fewest_pairs(small: Mapping[_Pair, set[int]]) -> Iterator[tuple[_Pair, set[int]]]:
    """Yields pairs of steps that cover all traces of any pair, those of most traces first, with what each adds."""
    left = set().union(*small.values())
    while left:
        pair = max(
            small, key=lambda one: (len(small[one] & left), max(small[one] & left, default=-1))
        )
        yield pair, small[pair] & left
        left -= small[pair]


def _is_same_place(one: Sequence[int], other: Sequence[int], extents: Vector) -> bool:
    """Reports whether two steps that differ along one axis lead to the same place on it."""
    differ = [(a - b, extent) for a, b, extent in zip(one, other, extents, strict=True) if a != b]
    return len(differ) == 1 and differ[0][1] > 1 and differ[0][0] % differ[0][1] == 0
