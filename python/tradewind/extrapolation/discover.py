"""The rule behind recordings of one program at several rank counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.fit import fit_presence, fit_whole
from tradewind.extrapolation.formula import Formula
from tradewind.extrapolation.grids import AXES, GridRule, Vector, rules
from tradewind.extrapolation.pattern import ALL, Pattern, PatternCall, PatternLoop, PatternNode
from tradewind.extrapolation.samples import Samples, names_of
from tradewind.extrapolation.template import (
    Member,
    Merger,
    Template,
    TemplateCall,
    TemplateLoop,
    calls_of,
    refuse,
)
from tradewind.extrapolation.times import fit_time
from tradewind.extrapolation.tree import CallNode, LoopNode, Node, Reader
from tradewind.trace_file import NONBLOCKING, Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

FEWEST_TRACES = 3
_PICOSECONDS = 1e12
# Calls whose numbers are lists of one entry for each rank of the communicator, and how many fixed numbers stand before.
_LISTS = {"gatherv": 2, "scatterv": 2, "allgatherv": 0, "alltoallv": 0, "reduce_scatter": 0}
_REFUSED = (
    "neighbor_allgatherv",
    "neighbor_alltoallv",
    "win_create",
    "put",
    "get",
    "accumulate",
    "put_signal",
    "wait_signal",
)


def discover(traces: Sequence[Trace], grid: str | None = None) -> tuple[Pattern, list[str]]:
    """Finds the pattern of a program.

    Args:
        traces: Recordings at three or more different rank counts.
        grid: The rule of the process grid; None: the one with the fewest different calls.

    Returns:
        The pattern, and remarks on its fits.

    Raises:
        TraceError: If there are too few traces, or a call is not explained; the message names call and ranks.
    """
    counts = sorted({trace.ranks for trace in traces})
    if len(counts) < FEWEST_TRACES:
        said = ", ".join(map(str, counts))
        raise TraceError(
            f"extrapolation needs traces at {FEWEST_TRACES} or more rank counts; given: {said}"
        )
    ordered = sorted(traces, key=lambda trace: trace.ranks)
    choices = [GridRule(grid)] if grid is not None else rules(counts)
    found = sorted(_templates(ordered, choices), key=lambda one: one[0])
    first: TraceError | None = None
    for _, rule, merger, trees in found:
        try:
            return _Fitter(rule, ordered, merger, trees).pattern()
        except TraceError as error:
            first = first or error
    assert first is not None
    raise first


Trees = dict[Member, list[Node]]


def _templates(
    traces: Sequence[Trace], choices: Sequence[GridRule]
) -> Iterator[tuple[tuple[int, int], GridRule, Merger, Trees]]:
    """Yields each rule with its template; its size and its place among the rules tell how simple it is."""
    for number, rule in enumerate(choices):
        readers = [Reader(trace, rule) for trace in traces]
        merger = Merger([reader.extents for reader in readers])
        trees: Trees = {}
        # Ranks in the middle of a large grid have most calls, and no doubt about their neighbours.
        for trace in reversed(range(len(traces))):
            own = {rank: readers[trace].tree(rank) for rank in range(traces[trace].ranks)}
            for rank in sorted(own, key=lambda rank: -_size(own[rank])):
                merger.add((trace, rank), own[rank])
                trees[trace, rank] = own[rank]
        calls = list(calls_of(merger.template))
        strange = sum("?" in call.key.group + call.key.about for call in calls)
        yield (len(calls) + 10 * strange, number), rule, merger, trees


def _size(nodes: Sequence[Node]) -> int:
    return sum(_size(node.body) if isinstance(node, LoopNode) else 1 for node in nodes)


class _Fitter:
    """Turns a template into a pattern."""

    def __init__(
        self, rule: GridRule, traces: Sequence[Trace], merger: Merger, trees: Trees
    ) -> None:
        self._rule, self._traces, self._template = rule, traces, merger.template
        self._ranks = [trace.ranks for trace in traces]
        self._extents = [rule.extents(count) for count in self._ranks]
        self._members = list(trees)
        self._names = names_of(self._members, self._ranks, self._extents)
        self._place = {member: i for i, member in enumerate(self._members)}
        self._labels: dict[int, str] = {}
        self._waits = _Requests(self._template, trees, self._labels)
        self.remarks: list[str] = []

    def pattern(self) -> tuple[Pattern, list[str]]:
        body = self._nodes(self._template)
        return Pattern(self._rule, body, self._ranks), list(dict.fromkeys(self.remarks))

    def _nodes(self, template: Sequence[Template]) -> list[PatternNode]:
        return [
            self._loop(one) if isinstance(one, TemplateLoop) else self._call(one)
            for one in template
        ]

    def _samples(self, members: Sequence[Member], values: Sequence[int]) -> Samples:
        places = np.asarray([self._place[member] for member in members])
        names = {name: known[places] for name, known in self._names.items()}
        return Samples(names, np.asarray(values), np.asarray([trace for trace, _ in members]))

    def _loop(self, loop: TemplateLoop) -> PatternLoop:
        members = list(loop.seen)
        turns = fit_whole(self._samples(members, [loop.seen[member] for member in members]))
        some = next(calls_of(loop.body))
        if turns is None:
            known = sorted(set(loop.seen.values()))[:6]
            raise refuse(
                some, f"no rule gives the turns of its loop, {known}", members, self._ranks
            )
        when = self._presence(some, set(loop.seen), None)
        return PatternLoop(turns, self._nodes(loop.body), when)

    def _presence(self, call: TemplateCall, present: set[Member], offset: Vector | None) -> str:
        wanted = [int(member in present) for member in self._members]
        inside = None if offset is None else self._inside(offset)
        condition = fit_presence(self._samples(self._members, wanted), inside)
        if condition is None:
            raise refuse(call, "no rule tells which ranks make it", sorted(present), self._ranks)
        return condition

    def _inside(self, offset: Vector) -> NDArray[np.bool_]:
        inside = np.ones(len(self._members), bool)
        for axis, step in zip(AXES, offset, strict=False):
            place = self._names[axis] + step
            inside &= (place >= 0) & (place < self._names[f"n{axis}"])
        return inside

    def _call(self, call: TemplateCall) -> PatternCall:
        key, members = call.key, list(call.seen)
        if key.name in _REFUSED:
            raise refuse(call, "is not extrapolated", members, self._ranks)
        if "?" in key.group + key.about:
            raise refuse(
                call, "its communicator is none of rows, columns or planes", members, self._ranks
            )
        offset = next((one for one in call.offsets if one is not None), None)
        result = PatternCall(
            key.name,
            key.group,
            self._labels.get(id(call), ""),
            key.flags & ~NONBLOCKING,
            key.site,
            key.about,
            self._presence(call, set(members), offset),
            [list(one or ()) for one in call.offsets],
            tags=list(key.tags),
        )
        existing = [
            [member for member in members if call.seen[member].offsets[i] is not None]
            for i in range(len(call.offsets))
        ]
        if any(len(some) < len(members) for some in existing):
            result.peers_when = [
                self._presence(call, set(some), one) if some else "P < 0"
                for some, one in zip(existing, call.offsets, strict=True)
            ]
        self._numbers(call, existing, result)
        result.waits = self._waits.of(call)
        result.computed = self._time(call, 0)
        result.processor = self._time(call, 1)
        return result

    def _numbers(
        self, call: TemplateCall, existing: Sequence[Sequence[Member]], result: PatternCall
    ) -> None:
        """Fits bytes, roots and counts; those of messages on the ranks whose peers exist."""
        everybody = list(call.seen)
        fixed = _LISTS.get(call.key.name)
        count = min(len(call.seen[member].numbers) for member in everybody)
        for place in range(count if fixed is None else fixed):
            members = (existing[place] if existing else everybody) or everybody
            values = [call.seen[member].numbers[place] for member in members]
            formula = fit_whole(self._samples(members, values))
            if formula is None:
                known = sorted(set(values))[:6]
                raise refuse(call, f"no rule gives its bytes, {known}", members, self._ranks)
            self._remark_quotient(call, formula)
            result.numbers.append(formula)
        if fixed is not None:
            self._lists(call, everybody, fixed, result)

    def _lists(
        self, call: TemplateCall, members: Sequence[Member], fixed: int, result: PatternCall
    ) -> None:
        parts = 2 if call.key.name == "alltoallv" else 1
        with_list = [member for member in members if len(call.seen[member].numbers) > fixed]
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
            formula = fit_whole(Samples(names, samples.values, samples.trace))
            if formula is None:
                known = sorted(set(values))[:6]
                raise refuse(call, f"no rule gives its counts, {known}", members, self._ranks)
            self._remark_quotient(call, formula)
            result.counts.append(formula)

    def _remark_quotient(self, call: TemplateCall, formula: Formula) -> None:
        """Says that a quotient is a guess where it is no whole number."""
        if " / " in str(formula) and "ceil" not in str(formula):
            where = f" at {call.key.site}" if call.key.site else ""
            self.remarks.append(
                f"{call.key.name}{where}: {formula} is rounded where it is no whole number; "
                "write part(N, nx, x) for blocks of N points"
            )

    def _time(self, call: TemplateCall, which: int) -> str | int:
        """Fits the time of computation before a call, averaged over the ranks of each trace."""
        means: dict[int, list[float]] = {}
        for (trace, _), node in call.seen.items():
            means.setdefault(trace, []).append(node.times[which] / _PICOSECONDS)
        ranks = np.asarray([float(self._ranks[trace]) for trace in means])
        seconds = np.asarray([float(np.mean(values)) for values in means.values()])
        formula, error = fit_time(ranks, seconds)
        if which == 1 and error > 0.25 and seconds.max() > 1e-5:
            where = f" at {call.key.site}" if call.key.site else ""
            self.remarks.append(
                f"the time before {call.key.name}{where} is fitted to {error:.0%} only"
            )
        return 0 if formula == "0" else formula


class _Requests:
    """Knows which calls start the requests that a wait completes.

    Args:
        template: The calls.
        trees: The calls of each rank.
        labels: Gets a label for each call that starts a request, by its identity.
    """

    def __init__(self, template: Sequence[Template], trees: Trees, labels: dict[int, str]) -> None:
        self._owner: dict[int, TemplateCall] = {}
        self._completes: dict[int, set[str]] = {}
        self._leaves: set[int] = set()
        self._labels = labels
        for call in calls_of(template):
            for node in call.seen.values():
                self._owner[id(node)] = call
            if call.key.flags & NONBLOCKING:
                labels[id(call)] = f"r{len(labels)}"
        for tree in trees.values():
            self._walk(tree, {})

    def of(self, call: TemplateCall) -> list[str]:
        """Returns the labels that a wait completes."""
        if call.key.name != "wait":
            return []
        if id(call) not in self._leaves:
            return [ALL]
        return sorted(self._completes.get(id(call), ()), key=lambda label: int(label[1:]))

    def _walk(self, nodes: Sequence[Node], open_slots: dict[int, str]) -> None:
        for node in nodes:
            if isinstance(node, LoopNode):
                # Requests that a turn leaves open are completed in the next one.
                for _ in range(min(2, node.turns)):
                    self._walk(node.body, open_slots)
            elif node.slot >= 0:
                open_slots[node.slot] = self._labels[id(self._owner[id(node)])]
            elif node.key.name == "wait":
                self._note(node, open_slots)

    def _note(self, node: CallNode, open_slots: dict[int, str]) -> None:
        wait = id(self._owner[id(node)])
        done = {open_slots.pop(slot) for slot in node.waits if slot in open_slots}
        self._completes.setdefault(wait, set()).update(done)
        if open_slots:
            self._leaves.add(wait)
