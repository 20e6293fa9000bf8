"""The formulas and conditions of the calls of a template: a pattern."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.conditions import axes_of_condition, fit_presence
from tradewind.extrapolation.cuts import remarks_on_cuts
from tradewind.extrapolation.fit import POWERS_OF_TWO, fit_turns, fit_whole, is_rounded
from tradewind.extrapolation.fit_sizes import gives
from tradewind.extrapolation.formula import Formula
from tradewind.extrapolation.grids import AXES, GridRule
from tradewind.extrapolation.middles import remarks_on_condition, remarks_on_root, root_of
from tradewind.extrapolation.other_numbers import remarks_on_numbers
from tradewind.extrapolation.pattern import (
    GRAPH_OF_RANKS,
    Pattern,
    PatternCall,
    PatternLoop,
    PatternNode,
)
from tradewind.extrapolation.reasons import Reasons, on_some_counts
from tradewind.extrapolation.requests import DifferentWaitsError, Requests, Trees
from tradewind.extrapolation.samples import Samples, Setups
from tradewind.extrapolation.steps import (
    Step,
    Steps,
    by_turns,
    doubtful_steps,
    is_inside,
    moves_by,
    names_of_peer,
    simplest,
)
from tradewind.extrapolation.template import (
    NO_GROUP_OF_GRID,
    Member,
    Template,
    TemplateCall,
    TemplateLoop,
    calls_of,
    refuse,
    refuse_number,
)
from tradewind.extrapolation.times import (
    fit_time_in_loops,
    mean_times,
    remarks_on_times,
    spread_of_times,
)
from tradewind.extrapolation.tree import GRAPHS, LISTS_OF_PEERS, ON_GRID, WINDOW_PEERS, View
from tradewind.extrapolation.universe import Universe
from tradewind.trace_file import NONBLOCKING, WILDCARD

# Calls whose numbers are lists of one entry for each rank of the communicator, and how many fixed numbers stand before.
_LISTS = {"gatherv": 2, "scatterv": 2, "allgatherv": 0, "alltoallv": 0, "reduce_scatter": 0}
# Calls whose first number is the root.
_WITH_ROOT = ("bcast", "reduce", "gather", "scatter", "gatherv", "scatterv")
# Loops that have no turns at some rank counts need so many counts, and different numbers of turns, for a formula.
_FEWEST_COUNTS = 3
# The most steps to a peer that are tried where several formulas lead to it.
_MOST_STEPS = 16
INDEX = "k"
DIFFERENT_WAITS = "some ranks wait for requests of other calls than the rest"


class Fitter:
    """Turns a template into a pattern.

    Args:
        view: The grids.
        setups: The setups of the traces.
        template: The calls of all of them.
        trees: The calls of each rank.
    """

    def __init__(
        self, view: View, setups: Setups, template: Sequence[Template], trees: Trees
    ) -> None:
        self._view, self._template = view, template
        self.setups, self._ranks = setups, setups.ranks
        self._all = Universe(list(trees), setups)
        self._labels: dict[int, str] = {}
        self._waits = Requests(self._template, trees, self._labels)
        self.remarks: list[str] = []
        # The longest mean time before each call in s, the error of its fit, and its name.
        self.fits: list[tuple[float, float, str]] = []
        # The longest time before each call in s, its ratio to the mean of the ranks, and the name of the call.
        self.spreads: list[tuple[float, float, str]] = []
        # The turns of the loops around a call.
        self.turns: list[Formula] = []
        # Conditions that the peer is another rank, for waits of the same ranks.
        self.moves: dict[GridRule, list[str]] = {}

    def pattern(self) -> tuple[Pattern, list[str]]:
        """Returns the pattern, and remarks.

        Raises:
            TraceError: If no rule explains a call.
        """
        body = self._nodes(self._template, self._all)
        remarks = [*self.remarks, *remarks_on_times(self.fits, self.spreads)]
        made_from = list(dict.fromkeys(self._ranks))
        problem: dict[str, Formula] = dict(self.setups.problems[-1])
        return Pattern(self._view.rule, body, made_from, problem), list(dict.fromkeys(remarks))

    def _nodes(self, template: Sequence[Template], universe: Universe) -> list[PatternNode]:
        return [
            self._loop(one, universe)
            if isinstance(one, TemplateLoop)
            else _CallFitter(self, one, universe).fitted()
            for one in template
        ]

    def _loop(self, loop: TemplateLoop, universe: Universe) -> PatternLoop:
        members, seen = list(loop.seen), loop.seen
        if loop.family:
            # Ranks that pause in all turns run the loop, too.
            turns_of = {member[0]: turns for member, turns in seen.items()}
            members = [member for member in universe.members if member[0] in turns_of]
            seen = {member: turns_of[member[0]] for member in members}
        if loop.peers:
            when = self.presence(next(calls_of(loop.body)), set(members), None, universe)
            own = Universe(members, self.setups)
            return PatternLoop(GRAPH_OF_RANKS, self._nodes(loop.body, own), when)
        traces = {member[0] for member in members}
        if not loop.is_counted and any(one[0] not in traces for one in universe.members):
            # Traces without the loop may have no turns of it.
            fitted = self._with_no_turns(loop, universe)
            if fitted is not None:
                return fitted
        samples = universe.samples(self._view.rule, members, [seen[member] for member in members])
        turns = fit_turns(samples, with_pauses=self._view.with_pauses)
        some = next(calls_of(loop.body), None)
        if some is None:
            raise TraceError("a loop has no calls that all its ranks make")
        if turns is None:
            known = sorted(set(seen.values()))[:6]
            raise refuse(
                some, f"no rule gives the turns of its loop, {known}", members, self._ranks
            )
        when = self.presence(some, set(members), None, universe)
        self.remarks += remarks_on_numbers(
            f"turns of the loop of {some.named}", turns, samples, self._view.rule
        )
        if turns == POWERS_OF_TWO and all(count & (count - 1) for count in self._ranks):
            self.remarks.append(
                f"the turns {turns} may also be ceil(log2(P)) - 1; record a power of two, where they differ"
            )
        inner = universe
        if loop.is_counted:
            for call in calls_of(loop.body):
                call.steps = tuple(one and by_turns(one, str(turns)) for one in call.steps)
            turn_of = [(*member, turn) for member in members for turn in range(seen[member])]
            inner = Universe(turn_of, self.setups)
        self.turns.append(turns)
        body = self._nodes(loop.body, inner)
        self.turns.pop()
        self.remark_missing(some, when, members, universe)
        return PatternLoop(turns, body, when, INDEX if loop.is_counted else "")

    def _with_no_turns(self, loop: TemplateLoop, universe: Universe) -> PatternLoop | None:
        """Returns the loop if a formula gives its turns, which are none on ranks that do not run it."""
        members = list(loop.seen)
        seen = [loop.seen.get(member, 0) for member in universe.members]
        if len(set(seen)) < _FEWEST_COUNTS:
            return None
        samples = universe.samples(self._view.rule, universe.members, seen)
        turns = fit_turns(samples)
        if turns is None and len({self._ranks[member[0]] for member in members}) >= _FEWEST_COUNTS:
            own = universe.samples(self._view.rule, members, [loop.seen[one] for one in members])
            turns = fit_turns(own)
        some = next(calls_of(loop.body), None)
        if not isinstance(turns, str) or some is None:
            return None
        bounded = f"max(0, {turns})" if " - " in turns else turns
        if not gives(bounded, samples.names, samples.values):
            return None
        self.remarks += remarks_on_numbers(
            f"turns of the loop of {some.named}", bounded, samples, self._view.rule
        )
        body = self._nodes(loop.body, Universe(members, self.setups))
        return PatternLoop(bounded, body)

    def rule_of(self, call: TemplateCall) -> GridRule:
        """Returns the grid of the peers and formulas of a call."""
        return GridRule(call.key.grid) if call.key.grid else self._view.rule

    def presence(
        self,
        call: TemplateCall,
        present: set[Member],
        step: Sequence[Step] | None,
        universe: Universe,
    ) -> str:
        """Returns the condition on which ranks make a call, or have one of its peers.

        Raises:
            TraceError: If there is none.
        """
        rule = self.rule_of(call)
        if call.key.peers and call.key.name not in LISTS_OF_PEERS:
            # Ranks without neighbours need no condition.
            name, graphs = self._starter(call).key.name, self._view.graphs
            some = [one for one in universe.members if graphs[one[0]].has_edges(name, one[1])]
            universe = Universe(some, self.setups)
        wanted = [int(member in present) for member in universe.members]
        inside = None if step is None else is_inside(step, universe.names(rule))
        samples = universe.samples(rule, universe.members, wanted)
        moves = self.moves.setdefault(rule, [])
        steps = [step] if step is not None else [simplest(one) for one in call.steps if one]
        moves += [one for one in map(moves_by, steps) if one and one not in moves]
        condition = fit_presence(
            samples,
            inside,
            with_pauses=self._view.with_pauses,
            by_formula=any(isinstance(one, str) for one in step or ()),
            others=moves,
        )
        if condition is None or self._is_chance(condition, rule, present):
            raise self._refusal(call, present)
        names = samples.names if inside is None else {**samples.names, "inside": inside}
        self.remarks += remarks_on_condition(
            call.named, condition, names, samples.values.astype(bool)
        )
        return condition

    def _is_chance(self, condition: str, rule: GridRule, present: set[Member]) -> bool:
        """Reports whether a condition on extents alone is that of calls which have nothing to do with these extents."""
        axes = axes_of_condition(condition)
        if not axes or rule.axes == 1:
            return False
        traces = {member[0] for member in present}
        return not any(
            {member[0] for member in call.seen} == traces and self._is_along(call, axes, rule)
            for call in calls_of(self._template)
        )

    def _is_along(self, call: TemplateCall, axes: AbstractSet[str], rule: GridRule) -> bool:
        """Reports whether a call has a peer or a communicator along one of these axes of a grid."""
        for name in (call.key.group, call.key.about):
            letters, _, words = name.partition(ON_GRID)
            known = set(letters.split(" ")[0])
            if (
                known <= set(AXES)
                and known & axes
                and GridRule(words or self._view.rule.words) == rule
            ):
                return True
        if self.rule_of(call) != rule:
            return False
        steps = [*call.steps, *(neighbor.steps for neighbor in call.neighbors)]
        return any(
            step != 0 and axis in axes
            for one in steps
            if one is not None
            for axis, step in zip(AXES, simplest(one), strict=False)
        )

    def remark_missing(
        self, call: TemplateCall, when: str, members: Sequence[Member], universe: Universe
    ) -> None:
        """Says that a call, or the loop it begins, is not made at some rank counts: its condition may fit by chance.

        Raises:
            TraceError: If it is made at one count only.
        """
        traces = {member[0] for member in members}
        if len(traces) == len({member[0] for member in universe.members}):
            return
        is_elsewhere = any(
            other is not call
            and other.named == call.named
            and any(member[0] not in traces for member in other.seen)
            for other in calls_of(self._template)
        )
        said = f"{call.named}: {_as_it_is(call) if is_elsewhere else ''}{on_some_counts(traces, self._ranks)}"
        if call.key.flags & WILDCARD:
            said = f"{call.named}: it receives from any source, so that timing may decide about its peers"
        if len({self._ranks[trace] for trace in traces}) == 1:
            one = f"rank {members[0][1]} of {self._ranks[members[0][0]]}"
            raise TraceError(f"{said}: one count tells no rule; record more of them ({one}, ...)")
        # Ranks without neighbours in a graph need no condition.
        if when:
            self.remarks.append(
                f'{said}; the condition "{when}" tells so, and may do so by chance: check the pattern '
                "at another count"
            )

    def _refusal(self, call: TemplateCall, present: set[Member]) -> TraceError:
        """Makes the error for a call of which no condition tells which ranks make it."""
        rule = self.rule_of(call)

        def explains(makers: AbstractSet[Member], everybody: Sequence[Member]) -> bool:
            wanted = [int(member in makers) for member in everybody]
            samples = Universe(everybody, self.setups).samples(rule, everybody, wanted)
            return fit_presence(samples, None) is not None

        extents = [rule.extents(count) for count in self._ranks]
        calls = list(calls_of(self._template))
        return Reasons(calls, self._ranks, extents, explains).refusal(call, present)

    def _starter(self, call: TemplateCall) -> TemplateCall:
        """Returns the call whose requests a wait completes for one neighbour after the other; others themselves."""
        try:
            return self._waits.started_by(call) if call.key.name == "wait" else call
        except DifferentWaitsError as error:
            raise refuse(call, DIFFERENT_WAITS, error.members, self._ranks) from None

    def label(self, call: TemplateCall) -> str:
        """Returns the label of the request that a call starts, or nothing."""
        return self._labels.get(id(call), "")

    def waits(self, call: TemplateCall) -> list[str]:
        """Returns the labels of the requests that a call completes."""
        return self._waits.of(call)

    @property
    def with_pauses(self) -> bool:
        """True if ranks may pause in loops that count their turns."""
        return self._view.with_pauses

    @property
    def ranks(self) -> Sequence[int]:
        """The number of ranks of each trace."""
        return self._ranks


def _as_it_is(call: TemplateCall) -> str:
    """Returns the words that tell a call from others of its line."""
    return (
        "with these peers " if call.steps or call.neighbors else "with this communicator or place "
    )


class _CallFitter:
    """Turns a call of the template into a call of the pattern.

    Args:
        fitter: What knows all calls.
        call: The call.
        universe: The ranks that may make it.
    """

    def __init__(self, fitter: Fitter, call: TemplateCall, universe: Universe) -> None:
        self._fitter, self._call, self._universe = fitter, call, universe
        self._members = list(call.seen)
        self._rule = fitter.rule_of(call)

    def fitted(self) -> PatternCall:
        """Returns the call of the pattern.

        Raises:
            TraceError: If no rule explains it.
        """
        call, key = self._call, self._call.key
        if "?" in key.group + key.about:
            raise self._refusal(NO_GROUP_OF_GRID)
        steps, presence = self._steps_and_presence()
        result = PatternCall(
            key.name,
            key.group,
            self._fitter.label(call),
            key.flags & ~NONBLOCKING,
            key.site,
            key.about,
            key.grid,
            key.window,
            presence,
            steps,
            tags=list(key.tags),
            order=key.order,
            peers=key.peers,
        )
        existing = [
            [member for member in self._members if call.seen[member].peers[place] is not None]
            for place in range(len(call.steps))
        ]
        if any(len(some) < len(self._members) for some in existing):
            result.peers_when = [
                self._presence(some, one) if some else "P < 0"
                for some, one in zip(existing, steps, strict=True)
            ]
        if key.peers:
            self._along(result)
        else:
            self._numbers(existing, result)
            self._neighbors(result)
        self._fitter.remark_missing(call, result.when, self._members, self._universe)
        for one in (*call.steps, *(neighbor.steps for neighbor in call.neighbors)):
            self._remark_steps(one)
        try:
            result.waits = self._fitter.waits(call)
        except DifferentWaitsError as error:
            raise self._refusal(DIFFERENT_WAITS, error.members) from None
        result.computed = self._time(0)
        result.processor = self._time(1)
        if result.call == "file":
            result.io = self._time(2)
        return result

    def _steps_and_presence(self) -> tuple[list[list[Step]], str]:
        """Returns the simplest steps to the peers by which a condition tells the ranks that make the call, and this.

        Raises:
            TraceError: If there is none.
        """
        call = self._call
        simple = [simplest(one) if one is not None else [] for one in call.steps]
        first = next((one for one in call.steps if one), None)
        if first is None or not self._fitter.with_pauses:
            step = next((one for one in simple if one), None)
            return simple, self._presence(self._members, step)
        refused: TraceError | None = None
        for step in self._sorted_steps(first):
            try:
                presence = self._presence(self._members, step)
            except TraceError as error:
                refused = refused or error
                continue
            pairs = zip(call.steps, simple, strict=True)
            return [step if own == first else other for own, other in pairs], presence
        assert refused is not None
        raise refused

    def _sorted_steps(self, steps: Steps) -> list[list[Step]]:
        """Returns the steps to a peer, those that do not wrap around the grid first."""
        names = self._samples(self._members, [0] * len(self._members)).names
        some = map(list, itertools.islice(itertools.product(*steps), _MOST_STEPS))
        return sorted(some, key=lambda step: not np.all(is_inside(step, names)))

    def _refusal(self, why: str, members: Sequence[Member] | None = None) -> TraceError:
        return refuse(self._call, why, members or self._members, self._fitter.ranks)

    def _presence(self, present: Sequence[Member], step: Sequence[Step] | None) -> str:
        return self._fitter.presence(self._call, set(present), step, self._universe)

    def _samples(self, members: Sequence[Member], values: Sequence[int]) -> Samples:
        return self._universe.samples(self._rule, members, values)

    def _whole(
        self,
        what: str,
        members: Sequence[Member],
        values: Sequence[int],
        step: Sequence[Step] = (),
    ) -> Formula:
        """Fits a number of some ranks, which may depend on where the peer at a step is."""
        samples = self._samples(members, values)
        names = {**samples.names, **names_of_peer(step, samples.names)}
        known = replace(samples, names=names)
        formula = fit_whole(known)
        if formula is None:
            raise refuse_number(self._call, what, values, members, self._fitter.ranks)
        self._remark_guesses(formula, known)
        return formula

    def _along(self, result: PatternCall) -> None:
        """Fits the numbers that calls pass along the edges of a graph of ranks."""
        nodes = self._call.seen
        if self._call.key.name in WINDOW_PEERS:
            return
        for place in range(len(nodes[self._members[0]].along)):
            parts = {member: nodes[member].along[place] for member in self._members}
            members = [member for member, part in parts.items() for _ in part.numbers]
            weights = np.asarray([weight for part in parts.values() for weight in part.weights])
            values = [number for part in parts.values() for number in part.numbers]
            samples = self._samples(members, values)
            formula = fit_whole(replace(samples, names={**samples.names, "weight": weights}))
            if formula is None:
                pairs = list(zip(weights.tolist(), values, strict=True))
                what = "bytes by the weight of edges"
                raise refuse_number(self._call, what, pairs, self._members, self._fitter.ranks)
            result.numbers.append(formula)

    def _neighbors(self, result: PatternCall) -> None:
        """Fits the list of peers of a neighbourhood collective, or of a call on a window."""
        neighbors, conditions = self._call.neighbors, []
        result.null_peers = any(
            neighbor.peer is None for one in neighbors for neighbor in one.seen.values()
        )
        for one in neighbors:
            if result.null_peers and len(one.seen) < len(self._members):
                raise self._refusal("some peers are left out of its lists, others MPI_PROC_NULL")
            existing = [member for member, found in one.seen.items() if found.peer is not None]
            step = simplest(one.steps) if one.steps is not None else []
            result.offsets.append(step)
            conditions.append(self._neighbor_presence(existing, step) if existing else "P < 0")
            if self._call.key.name in GRAPHS:
                sizes = [one.seen[member].size for member in existing]
                result.numbers.append(
                    self._whole("bytes", existing, sizes, step) if existing else 0
                )
        result.sources = sum(one.is_source for one in neighbors)
        if any(conditions):
            result.peers_when = conditions

    def _neighbor_presence(self, existing: Sequence[Member], step: Sequence[Step]) -> str:
        """Returns the condition on which a peer is in the lists of those that make the call."""
        own = Universe(self._members, self._fitter.setups)
        try:
            return self._fitter.presence(self._call, set(existing), step, own)
        except TraceError:
            raise self._refusal(
                f"no rule tells which ranks have the peer at {step}", existing
            ) from None

    def _numbers(self, existing: Sequence[Sequence[Member]], result: PatternCall) -> None:
        """Fits bytes, roots and counts; those of messages on the ranks whose peers exist."""
        call, everybody = self._call, self._members
        fixed = _LISTS.get(call.key.name)
        count = min(len(call.seen[member].numbers) for member in everybody)
        for place in range(count if fixed is None else fixed):
            # A put with a signal has two numbers for its one peer.
            there = existing[min(place, len(existing) - 1)] if existing else everybody
            members = there or everybody
            values = [call.seen[member].numbers[place] for member in members]
            step = result.offsets[place] if place < len(existing) and existing[place] else ()
            what = "roots" if place == 0 and call.key.name in _WITH_ROOT else "bytes"
            samples = self._samples(members, values)
            root = root_of(call.key.group, samples) if what == "roots" else None
            if root is not None:
                self._remark_guesses(root, samples)
            result.numbers.append(root or self._whole(what, members, values, step))
            if what == "roots":
                self._fitter.remarks += remarks_on_root(call.named, result.numbers[-1], samples)
        if fixed is not None:
            self._lists(fixed, result)

    def _lists(self, fixed: int, result: PatternCall) -> None:
        call = self._call
        parts = 2 if call.key.name == "alltoallv" else 1
        with_list = [member for member in self._members if len(call.seen[member].numbers) > fixed]
        for part in range(parts):
            repeated: list[Member] = []
            values: list[int] = []
            places: list[int] = []
            sizes: list[int] = []
            for member in with_list:
                numbers = call.seen[member].numbers[fixed:]
                size = len(numbers) // parts
                repeated += [member] * size
                values += numbers[part * size : (part + 1) * size]
                places += range(size)
                sizes += [size] * size
            samples = self._samples(repeated, values)
            names = {**samples.names, "j": np.asarray(places), "m": np.asarray(sizes)}
            known = replace(samples, names=names)
            formula = fit_whole(known)
            if formula is None:
                members = self._members
                raise refuse_number(self._call, "counts", values, members, self._fitter.ranks)
            self._remark_guesses(formula, known)
            result.counts.append(formula)

    def _remark_guesses(self, formula: Formula, samples: Samples) -> None:
        """Says where the recordings leave open how an extent is cut, or a quotient is rounded."""
        self._fitter.remarks.extend(remarks_on_cuts(formula, samples, self._rule))
        self._fitter.remarks.extend(
            remarks_on_numbers(self._call.named, formula, samples, self._rule)
        )
        if " / " in str(formula) and is_rounded(formula):
            self._fitter.remarks.append(
                f"{self._call.named}: {formula} is rounded where it is no whole number, but blocks may have whole "
                "elements of several bytes; write part(N, nx, x) for N points, 8 * part(N, nx, x) for N doubles"
            )

    def _remark_steps(self, steps: Steps | None) -> None:
        """Says that a number may be a part of an extent, which is the same in all recordings, or another distance."""
        for step, twin in doubtful_steps(steps or ()):
            self._fitter.remarks.append(
                f"{self._call.named}: the step {step} may also be {twin}, as there are two turns at most; "
                "record rank counts with more"
            )
        for one in steps or ():
            formulas = [step for step in one if isinstance(step, str) and " // 2" in step]
            if isinstance(one[0], int) and abs(one[0]) > 1 and formulas:
                self._fitter.remarks.append(
                    f"{self._call.named}: the step {one[0]} may also be {formulas[0]}; "
                    "record rank counts where they differ"
                )

    def _time(self, which: int) -> str | int:
        """Fits a time of the call, averaged over the ranks of each trace; `which`: its place among those of a call."""
        means = mean_times(self._call.seen, which)
        seconds = np.asarray(list(means.values()))
        setups = self._fitter.setups.of(list(means))
        formula, error = fit_time_in_loops(setups, seconds, self._rule, self._fitter.turns)
        if which > 0:
            name = f"{'before' if which == 1 else 'in'} {self._call.named}"
            self._fitter.fits.append((float(seconds.max()), error, name))
            spread = spread_of_times(self._call.seen, self._fitter.ranks, which)
            self._fitter.spreads.append((*spread, name))
        return 0 if formula == "0" else formula
