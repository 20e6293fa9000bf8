"""Rounds in which some ranks pause, such as those of a binomial tree, as loops that count their turns.

In a binomial tree rank 0 sends in all turns, and all others receive once:

    P = 5       rank 0    rank 1    rank 2    rank 3    rank 4
    turn 0      to 1      from 0
    turn 1      to 2      to 3      from 0    from 1
    turn 2      to 4                                    from 0

A program may pass through such a loop several times in a row, and through one kind of them behind the other. The loops of
the recordings are unrolled, the calls are cut into passes, and what repeats is put into loops again. A rank that pauses
in a whole pass has an empty loop in its place, so that the same repeats on all ranks.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from tradewind.extrapolation.gaps import Gaps, Visit, ordered_visits
from tradewind.extrapolation.lines import Entry, Line, in_loops_again, lines_of, properties
from tradewind.extrapolation.pairs_in_turns import shifts_of, turns_of_pairs
from tradewind.extrapolation.passes import (
    Label,
    close,
    labels_by_use,
    loops_of,
    passes_by_distance,
    plain_labels,
    waits_of,
    with_waits,
)
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode, LoopNode, Node
from tradewind.extrapolation.turns import (
    Segment,
    tags_of,
    turns_by_distance,
    turns_grow,
)

Trees = Mapping[Member, Sequence[Node]]
# A pass through a loop of rounds: what is before it since the last barrier is told by its numbers.
Pass = tuple[int, ...]
# Returns the turn of each call of some passes; None if they are no rounds.
TurnsOf = Callable[[Sequence[Segment]], "list[list[int]] | None"]


def with_pauses(trees: Trees, traces: int) -> list[dict[Member, list[Node]]]:
    """Returns the calls with loops in the place of rounds, in each way in which calls can be told apart.

    Args:
        trees: The calls of all ranks.
        traces: The number of traces.
    """
    lines = lines_of(trees)
    if lines is None:
        return []
    plain, by_use = plain_labels(lines), labels_by_use(lines)
    several = [plain]
    if len(set(by_use.values())) > len(set(plain.values())):
        several.append(by_use)
    return [one for labels in several for one in _versions(_Rounds(lines, labels, traces))]


def _versions(rounds: _Rounds) -> Iterator[dict[Member, list[Node]]]:
    """Yields the calls with the loops whose turns distances tell, and with others as well."""
    rounds.find_by_distance()
    if not rounds.place():
        return
    if rounds.is_found:
        yield rounds.in_loops()
    known = rounds.find_pairs()
    if known:
        yield rounds.in_loops()
    rounds.forget(known)
    if rounds.cut_into_turns() and rounds.find_pairs():
        yield rounds.in_loops()


class _Loop:
    """A loop of rounds.

    Args:
        labels: The calls that it makes.
        segments: The calls of each rank in each pass.
        turns: The turn of each of them.
        of_pairs: Whether it is one of exchanges at one distance.
    """

    def __init__(
        self,
        labels: tuple[Label, ...],
        segments: Mapping[tuple[Member, Pass], Sequence[Entry]],
        turns: Sequence[Sequence[int]],
        of_pairs: bool,
    ) -> None:
        self.labels, self.segments, self._of_pairs = labels, segments, of_pairs
        self._turns: dict[int, int] = {}
        self._counts: dict[int, int] = {}
        for ((member, _), some), own in zip(segments.items(), turns, strict=True):
            self._counts[member[0]] = max(self._counts.get(member[0], 0), max(own) + 1)
            self._turns |= {id(one): turn for one, turn in zip(some, own, strict=True)}
        self._tags: dict[Any, tuple[int | str, ...] | None] = {}
        self._set_tags(lambda member, where: ())
        self._set_tags(lambda member, where: (member[0], *where))

    def _set_tags(self, where: Callable[[Member, Pass], Pass]) -> None:
        """Finds the tags of each call of the program in passes that have something in common."""
        seen: dict[Any, list[tuple[int, CallNode]]] = {}
        for (member, one_pass), some in self.segments.items():
            for one in some:
                if one.call:
                    what = one.call.key.without_tags, where(member, one_pass)
                    seen.setdefault(what, []).append((self._turns[id(one)], one.call))
        self._tags |= {what: tags_of(calls) for what, calls in seen.items()}

    def node(self, member: Member, one_pass: Pass) -> LoopNode:
        """Returns a pass of a rank as a loop that counts its turns."""
        rounds: list[list[Node]] = [[] for _ in range(self._counts[member[0]])]
        for one in self.segments.get((member, one_pass), ()):
            call = one.call
            assert call is not None
            turn = self._turns[id(one)]
            what = call.key.without_tags
            tags = self._tags[what, ()] or self._tags[what, (member[0], *one_pass)] or call.key.tags
            peers = tuple(
                peer and (peer.without_formulas() if self._of_pairs else peer.at_turn(turn))
                for peer in call.peers
            )
            rounds[turn].append(replace(call, key=replace(call.key, tags=tags), peers=peers))
        return LoopNode(len(rounds), rounds[0], rounds, family=self.labels)


class _Rounds:
    """The loops of rounds in the lines of all ranks.

    Args:
        lines: The lines.
        labels: The label of each message, by the identity of its entry.
        traces: The number of traces.
    """

    def __init__(
        self, lines: Mapping[Member, Line], labels: Mapping[int, Label], traces: int
    ) -> None:
        self._lines, self._labels, self._traces = lines, labels, traces
        self._loops: list[_Loop] = []
        # The loop and pass of each entry in one.
        self._of: dict[int, tuple[int, Pass]] = {}
        self._visits: dict[tuple[int, int], Sequence[Visit]] = {}
        self._gaps: dict[int, int] = {}
        # The turn of each entry in a loop around calls that follow each other.
        self._turns: dict[int, int] = {}

    @property
    def is_found(self) -> bool:
        """True if there are some."""
        return bool(self._loops)

    def find_by_distance(self) -> None:
        """Finds the loops in which distances tell the turns."""
        passes = passes_by_distance(self._lines, self._labels)
        for labels in loops_of(self._lines, self._labels, passes):
            of = {place: one for label in labels for place, one in passes[label].of.items()}
            is_folded = passes[labels[0]].is_folded
            turns_of = partial(turns_by_distance, is_folded=is_folded)
            self._add(labels, with_waits(self._lines, of, is_folded=is_folded), turns_of)

    def _add(self, labels: tuple[Label, ...], of: Mapping[int, Pass], turns_of: TurnsOf) -> None:
        """Takes a loop, unless its calls are no rounds or others stand between them."""
        segments: dict[tuple[Member, Pass], list[Entry]] = {}
        for member, line in self._lines.items():
            for one_pass, some in itertools.groupby(line, lambda one: of.get(id(one))):
                if one_pass is None:
                    continue
                if (member, one_pass) in segments:
                    return
                segments[member, one_pass] = list(some)
        calls = [
            (member, [one.call for one in some if one.call])
            for (member, _), some in segments.items()
        ]
        turns = turns_of(calls)
        if turns is None or not turns_grow(calls, turns, self._traces):
            return
        self._of |= {place: (len(self._loops), one_pass) for place, one_pass in of.items()}
        self._loops.append(_Loop(labels, segments, turns, turns_of is turns_of_pairs))

    def place(self) -> bool:
        """Orders the passes between barriers; reports whether all ranks agree."""
        sequences: dict[tuple[int, int], list[list[Visit]]] = {}
        visit_of: dict[int, Visit] = {}
        for member, line in self._lines.items():
            for segment, some in itertools.groupby(line, lambda one: one.segment):
                own = sequences.setdefault((member[0], segment), [])
                own.append([])
                for one in some:
                    found = self._of.get(id(one))
                    if found is not None:
                        visit = found[0], found[1][1]
                        visit_of[id(one)] = visit
                        if own[-1][-1:] != [visit]:
                            own[-1].append(visit)
        for where, some_visits in sequences.items():
            ordered = ordered_visits(some_visits)
            if ordered is None:
                return False
            self._visits[where] = ordered
        self._gaps = Gaps(self._lines, self._visits, visit_of).numbers()
        return True

    def cut_into_turns(self) -> bool:
        """Cuts calls that follow each other into the turns of a loop around them; reports whether there are some.

        All ranks have as many turns, and the same calls in each.
        """
        repeated: dict[tuple[int, int], list[tuple[int, int]]] = {}
        runs = list(self._runs())
        for (member, segment, gap, _), run in runs:
            known = [properties(one.node) for one in run if one.node]
            repeated.setdefault((segment, gap), []).append((member[0], _repetitions(known)))
        for (_, segment, gap, _), run in runs:
            some = repeated[segment, gap]
            turns = math.gcd(*(count for _, count in some))
            if len({trace for trace, _ in some}) == self._traces:
                length = len(run) // turns
                self._turns |= {id(one): place // length for place, one in enumerate(run)}
        return any(self._turns.values())

    def forget(self, loops: int) -> None:
        """Forgets the loops that were found last."""
        del self._loops[len(self._loops) - loops :]
        self._of = {place: one for place, one in self._of.items() if one[0] < len(self._loops)}

    def find_pairs(self) -> int:
        """Finds the loops of exchanges at one distance among other calls; returns their number."""
        shifts: dict[Label, set[tuple[int, int]]] = {}
        for line in self._lines.values():
            for one in line:
                if one.message and id(one) not in self._of:
                    shifts.setdefault(self._labels[id(one)], set()).update(shifts_of(one.message))
        single = {
            label: next(iter(some))
            for label, some in shifts.items()
            if len(some) == 1 and (0, 0) not in some
        }
        before = len(self._loops)
        for labels in self._in_turn(single):
            of = self._passes_of_pairs(set(labels))
            if of is not None:
                self._add(labels, of, turns_of_pairs)
        return len(self._loops) - before

    def _in_turn(self, single: Mapping[Label, tuple[int, int]]) -> list[tuple[Label, ...]]:
        """Returns the calls at one distance of which each comes after the other, and after itself."""
        after: dict[Label, set[Label]] = {label: {label} for label in single}
        repeated: set[Label] = set()
        for _, run in self._runs():
            known = [self._labels[id(one)] for one in run if one.message]
            for one, other in itertools.pairwise(known):
                if one in single and other in single and single[one] == single[other]:
                    after[one].add(other)
                    repeated |= {one} & {other}
        close(after)
        families = (
            tuple(other for other in single if other in after[one] and one in after[other])
            for one in single
        )
        return [
            family for family in dict.fromkeys(families) if len(family) > 1 or family[0] in repeated
        ]

    def _runs(self) -> Iterator[tuple[tuple[Member, int, int, int], list[Entry]]]:
        """Yields the messages and waits that follow each other on a rank.

        With them go the number of barriers and of passes before them, and their turn of the loop around them.
        """
        for member, line in self._lines.items():
            for where, some in itertools.groupby(line, self._where):
                if where is not None:
                    yield (member, *where), list(some)

    def _where(self, one: Entry) -> tuple[int, int, int] | None:
        if id(one) in self._of or not (one.message or one.wait):
            return None
        return one.segment, self._gaps[id(one)], self._turns.get(id(one), 0)

    def _passes_of_pairs(self, labels: set[Label]) -> dict[int, Pass] | None:
        """Returns the passes of exchanges at one distance; None if they are not the same on all ranks."""
        of: dict[int, Pass] = {}
        found: dict[Member, set[Pass]] = {}
        seen: dict[tuple[Member, int, int, int], int] = {}
        owners = {
            id(wait): {self._labels.get(id(one)) for one in started}
            for line in self._lines.values()
            for wait, started in waits_of(line)
        }
        for where, run in self._runs():
            for is_own, some in itertools.groupby(
                run,
                lambda one: (
                    (self._labels[id(one)] in labels)
                    if one.message
                    else owners.get(id(one), set()) <= labels
                ),
            ):
                group = list(some)
                if not is_own or not any(one.message for one in group):
                    continue
                number = seen.get(where, 0)
                seen[where] = number + 1
                one_pass = (*where[1:], number)
                found.setdefault(where[0], set()).add(one_pass)
                of.update({id(one): one_pass for one in group})
        for trace in {member[0] for member in found}:
            if len({frozenset(s) for member, s in found.items() if member[0] == trace}) > 1:
                return None
        return of

    def in_loops(self) -> dict[Member, list[Node]]:
        """Returns the calls with a loop that counts its turns in the place of each pass, and others around them."""
        nodes = {
            (loop, member, one_pass): one.node(member, one_pass)
            for loop, one in enumerate(self._loops)
            for member in self._lines
            for one_pass in {own for who, own in one.segments if who[0] == member[0]}
        }
        names = self._names(nodes)
        return {
            member: in_loops_again(list(self._with_loops(member, line, nodes)), names)
            for member, line in self._lines.items()
        }

    def _names(self, nodes: Mapping[tuple[int, Member, Pass], LoopNode]) -> dict[int, Any]:
        """Returns names for the passes, which are equal if these are on all ranks, by the identity of a rank's loop."""
        contents: dict[tuple[int, int, Pass], list[Any]] = {}
        for (loop, member, one_pass), node in nodes.items():
            contents.setdefault((loop, member[0], one_pass), []).append(properties(node))
        numbers: dict[Any, int] = {}
        name_of = {
            where: ("pass", where[0], numbers.setdefault(tuple(some), len(numbers)))
            for where, some in contents.items()
        }
        return {
            id(node): name_of[loop, member[0], one_pass]
            for (loop, member, one_pass), node in nodes.items()
        }

    def _with_loops(
        self, member: Member, line: Line, nodes: Mapping[tuple[int, Member, Pass], LoopNode]
    ) -> Iterator[Entry]:
        for segment, some in itertools.groupby(line, lambda one: one.segment):
            visits = self._visits.get((member[0], segment), ())
            done = 0
            made: set[tuple[int, Pass]] = set()
            for one in some:
                found = self._of.get(id(one))
                is_by_distance = found is not None and len(found[1]) == 2
                if is_by_distance:
                    assert found is not None
                    until = visits.index((found[0], found[1][1])) + 1
                elif one.is_barrier:
                    until = len(visits)
                else:
                    until = self._gaps[id(one)]
                for loop, number in visits[done:until]:
                    yield Entry(nodes[loop, member, (segment, number)])
                done = max(done, until)
                if found is None:
                    yield one
                elif not is_by_distance and found not in made:
                    made.add(found)
                    yield Entry(nodes[found[0], member, found[1]])
            for loop, number in visits[done:]:
                yield Entry(nodes[loop, member, (segment, number)])


def _repetitions(known: Sequence[Any]) -> int:
    """Returns how often the same repeats, from the first to the last."""
    lengths = (one for one in range(1, len(known) + 1) if len(known) % one == 0)
    return next(len(known) // one for one in lengths if known[one:] == known[: len(known) - one])
