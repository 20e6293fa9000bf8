"""The rule behind recordings of one program at several rank counts."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace

from tradewind.errors import TraceError
from tradewind.extrapolation.alternatives import (
    remarks_on_extents,
    remarks_on_grids,
    remarks_on_same_parts,
    remarks_on_short_axes,
)
from tradewind.extrapolation.candidates import Candidate, in_order
from tradewind.extrapolation.components import with_components
from tradewind.extrapolation.consistency import check_messages
from tradewind.extrapolation.equal_calls import remarks_on_equal_calls
from tradewind.extrapolation.equal_peers import has_pairs, without_pairs
from tradewind.extrapolation.fitter import Fitter
from tradewind.extrapolation.flat_grids import known_axes
from tradewind.extrapolation.graph_sweeps import graph_sweeps, with_sweeps
from tradewind.extrapolation.grids import GridRule, rules
from tradewind.extrapolation.groups import strange_group
from tradewind.extrapolation.nodes import remarks_on_nodes
from tradewind.extrapolation.null_peers import with_whole_turns
from tradewind.extrapolation.order import ordered_runs, with_order
from tradewind.extrapolation.other_numbers import is_doubt
from tradewind.extrapolation.other_programs import (
    calls_of_some,
    different_programs,
    other_program,
)
from tradewind.extrapolation.pattern import Pattern, without_graph
from tradewind.extrapolation.pauses import with_pauses
from tradewind.extrapolation.problem import Problem, varied
from tradewind.extrapolation.rank_graph import RankGraph
from tradewind.extrapolation.reasons import TooFewRanksError, no_turns
from tradewind.extrapolation.rounds import RoundsOf
from tradewind.extrapolation.samples import Setups
from tradewind.extrapolation.several_grids import views_of_several_grids
from tradewind.extrapolation.single_turns import with_single_turns
from tradewind.extrapolation.single_waits import single_waits, with_single_waits
from tradewind.extrapolation.tags import tag_forms, with_tags
from tradewind.extrapolation.template import (
    NO_GROUP_OF_GRID,
    Member,
    NoFormulaError,
    Template,
    calls_of,
)
from tradewind.extrapolation.timing import calls_on_time
from tradewind.extrapolation.tree import LoopNode, Node, Reader, View
from tradewind.extrapolation.uneven_rounds import with_uneven_rounds
from tradewind.extrapolation.unseen_counts import remarks_on_kind
from tradewind.trace_file import Trace

FEWEST_TRACES = 3
# Longer bodies are slow to merge.
_LONG_BODY = 100
Trees = dict[Member, list[Node]]
# A pattern, and remarks on its fits.
Fit = tuple[Pattern, list[str]]


def discover(
    traces: Sequence[Trace],
    grid: str | None = None,
    problems: Sequence[Problem] = (),
    graphs: Sequence[RankGraph] = (),
) -> tuple[Pattern, list[str]]:
    """Finds the pattern of a program.

    Args:
        traces: Recordings at three or more different rank counts.
        grid: The rule of the process grid; None: the one with the fewest different calls.
        problems: The sizes of the problem of each recording, by name; none: the problem is the same in all.
        graphs: The graph of ranks of each recording, whose neighbours calls may be made for; none: no call is.

    Returns:
        The pattern, and remarks on its fits.

    Raises:
        TraceError: If there are too few traces, or a call is not explained; the message names call and ranks.
        ConfigError: If the sizes have other names in some of the recordings.
    """
    counts = sorted({trace.ranks for trace in traces})
    if len(counts) < FEWEST_TRACES:
        said = ", ".join(map(str, counts))
        raise TraceError(
            f"extrapolation needs traces at {FEWEST_TRACES} or more rank counts; given: {said}"
        )
    given = varied(problems or [{} for _ in traces])
    places = sorted(range(len(traces)), key=lambda place: traces[place].ranks)
    ordered = [traces[place] for place in places]
    if said := different_programs(ordered):
        raise TraceError(said)
    setups = Setups([trace.ranks for trace in ordered], [given[place] for place in places])
    ordered_graphs = [graphs[place] for place in places] if graphs else []
    try:
        return _discover(ordered, setups, ordered_graphs, grid)
    except TooFewRanksError as error:
        reason = _checked(error, ordered, setups, ordered_graphs, grid)
    except TraceError as error:
        reason = error
        if len(counts) > FEWEST_TRACES:
            reason = _without_smallest(error, ordered, setups, ordered_graphs, grid)
    reason = _equal_turns(ordered, setups, ordered_graphs, grid) or reason
    more = [
        _members(reason, ordered),
        calls_of_some(ordered, but=str(reason)),
        calls_on_time(ordered, but=str(reason)),
    ]
    raise TraceError("; ".join([str(reason), *filter(None, more)]))


def _equal_turns(
    traces: Sequence[Trace], setups: Setups, graphs: Sequence[RankGraph], grid: str | None
) -> TraceError | None:
    """Returns the error for rounds that would explain the calls, but have as many turns in all recordings; None if none do."""
    counts = sorted(set(setups.ranks))
    for rule in [GridRule(grid)] if grid is not None else rules(counts):
        view = View(rule, with_formulas=True, graphs=graphs)
        trees = _along_graphs(_trees(traces, view), view)
        rounds = RoundsOf(trees)
        equal = rounds.known(len(traces), with_equal=True)
        if len(equal) == len(rounds.known(len(traces))):
            continue
        one = Candidate(view, 0, rounds.in_loops(equal))
        while not one.is_complete:
            one.add_rank()
        template = one.merger.template
        try:
            _fitted(view, setups, template, one.trees)
        except TraceError:
            continue
        if error := no_turns(template, setups.ranks):
            return error
    return None


def _members(reason: TraceError, traces: Sequence[Trace]) -> str:
    """Says who is in the communicator for which a call is refused; empty if another reason is told."""
    found = re.search(rf"{NO_GROUP_OF_GRID} \(rank (\d+) of (\d+)", str(reason))
    if found is None:
        return ""
    rank, ranks = map(int, found.groups())
    trace = next(trace for trace in traces if trace.ranks == ranks)
    return strange_group(trace, rank, rules([trace.ranks for trace in traces]))


def _without_smallest(
    error: TraceError,
    traces: Sequence[Trace],
    setups: Setups,
    graphs: Sequence[RankGraph],
    grid: str | None,
) -> TraceError:
    """Returns why there is no pattern: another reason if the recordings at the smallest count hide it."""
    small = min(setups.ranks)
    rest = _without([small], traces, setups, graphs)
    try:
        _, remarks = _discover(*rest, grid)
    except TraceError as other:
        is_same = _place_of(other) == _place_of(error)
        return error if is_same or isinstance(other, TooFewRanksError) else other
    counts = ", ".join(map(str, sorted(set(rest[1].ranks))))
    doubt = next(
        (f", of which a remark says: {remark}" for remark in remarks if is_doubt(remark)), ""
    )
    return TraceError(f"{error}; without {small} ranks there is a pattern of {counts} ranks{doubt}")


def _without(
    counts: Container[int],
    traces: Sequence[Trace],
    setups: Setups,
    graphs: Sequence[RankGraph],
) -> tuple[list[Trace], Setups, list[RankGraph]]:
    """Returns the recordings at other rank counts, with their setups and graphs."""
    left = [place for place, ranks in enumerate(setups.ranks) if ranks not in counts]
    kept = [graphs[place] for place in left] if graphs else []
    return [traces[place] for place in left], setups.of(left), kept


def _place_of(error: TraceError) -> str:
    """Returns the call and call site that an error names."""
    return re.split(r" \(call|: ", str(error))[0]


def _checked(
    error: TooFewRanksError,
    traces: Sequence[Trace],
    setups: Setups,
    graphs: Sequence[RankGraph],
    grid: str | None,
) -> TraceError:
    """Returns why there is no pattern: too few ranks only if the other recordings have one."""
    rest = _without(error.counts, traces, setups, graphs)
    try:
        _discover(*rest, grid)
    except TooFewRanksError as other:
        checked = _checked(other, *rest, grid)
        return error if isinstance(checked, TooFewRanksError) else checked
    except TraceError as other:
        return other if len(set(rest[1].ranks)) > 1 else TraceError(error.otherwise)
    return error


def _discover(
    ordered: Sequence[Trace], setups: Setups, ordered_graphs: Sequence[RankGraph], grid: str | None
) -> Fit:
    """Finds the pattern of recordings, by ascending number of ranks."""
    counts = sorted(set(setups.ranks))
    choices = [GridRule(grid)] if grid is not None else rules(counts)
    plain = [View(rule, graphs=ordered_graphs) for rule in choices]
    found = list(_candidates(ordered, plain))
    simplest = next(in_order(found))
    first = _fit(simplest, setups) if _is_everywhere(simplest, len(ordered)) else None
    if first is None or isinstance(first, TraceError):
        # Formulas and several grids explain more; so they are asked only where numbers and one grid do not.
        more = [replace(view, with_formulas=True) for view in plain]
        more += [
            replace(view, graphs=ordered_graphs)
            for view in views_of_several_grids(ordered, choices, rules(counts))
        ]
        found += _candidates(ordered, more, len(plain))
    known = {} if first is None else {id(simplest): first}
    chosen, refused = _first_fit(found, setups, known)
    if chosen is None:
        # A loop of one turn at some rank counts looks like other calls.
        views = [replace(view, with_single_turns=True) for view in plain]
        views += [replace(view, with_formulas=True) for view in views]
        with_loops = list(_candidates(ordered, views))
        chosen, _ = _first_fit(with_loops, setups, {})
        found = with_loops if chosen is not None else found
    if chosen is None:
        # Few programs have rounds in which ranks pause.
        pausing = [replace(view, with_formulas=True, with_pauses=True) for view in plain]
        with_loops = list(_candidates(ordered, pausing))
        chosen, reasons = _first_fit(with_loops, setups, {})
        # The template with the fewest calls is nearest to the program, and so is the reason why it is refused. But
        # numbers without a formula have none in other loops either, whatever becomes of the calls before them, and
        # ranks that are too few tell no loops.
        is_sure = isinstance(refused[0], NoFormulaError | TooFewRanksError)
        if reasons and not is_sure and _fewest_calls(with_loops) <= _fewest_calls(found):
            refused = reasons
        found = with_loops
    if chosen is None:
        if said := other_program(ordered):
            raise TraceError(said)
        raise _told(refused, remarks_on_equal_calls(simplest.trees, setups.ranks))
    one, (pattern, remarks) = chosen
    others = _as_simple(one, found, setups) if grid is None else []
    remarks += remarks_on_equal_calls(simplest.trees, setups.ranks)
    remarks += remarks_on_grids(pattern, others, counts)
    remarks += remarks_on_extents(pattern.grid, counts)
    remarks += remarks_on_same_parts(pattern.grid, counts)
    remarks += remarks_on_short_axes(pattern, counts)
    remarks += remarks_on_kind(pattern, counts)
    return pattern, [*remarks, *_remarks_on(setups), *remarks_on_nodes(ordered)]


def _told(refused: Sequence[TraceError], equal_calls: Iterator[str]) -> TraceError:
    """Returns why the simplest template leads to no pattern.

    It may have formulas that fit by chance where neighbours are one rank; another one tells this of the same call.
    Calls that are equal at some rank counts have other loops there.
    """
    first = refused[0]
    if isinstance(first, NoFormulaError):
        return first
    for words in equal_calls:
        return TraceError(f"{words} ({first})")
    known = [
        error
        for error in refused
        if isinstance(error, TooFewRanksError)
        and str(first).startswith((f"{error.named} ", f"{error.named}:"))
    ]
    # The one with the fewest axes is easiest to read.
    return min(known, key=lambda error: len(str(error)), default=first)


def _fewest_calls(found: Sequence[Candidate]) -> int:
    """Returns the number of calls of the smallest template."""
    return min(one.size for one in found)


def _remarks_on(setups: Setups) -> list[str]:
    """Returns what the choice of recordings leaves open."""
    if not setups.sizes or setups.are_independent:
        return []
    sizes = ", ".join(setups.sizes)
    return [
        f"{sizes} and the ranks change together in all recordings, so that a formula may have one in the "
        "place of the other; add a recording of a known size at another rank count"
    ]


def _as_simple(chosen: Candidate, found: Sequence[Candidate], setups: Setups) -> list[Pattern]:
    """Returns the patterns of other grids that explain the traces by as many calls as the chosen one."""
    fits = [
        _fit(one, setups)
        for one in found
        if one.view.rule != chosen.view.rule and not one.view.graphs and one.has_size(chosen.size)
    ]
    return [fit[0] for fit in fits if not isinstance(fit, TraceError)]


def _is_everywhere(found: Candidate, traces: int) -> bool:
    """Reports whether all calls are in all traces: otherwise rounds may grow with the number of ranks."""
    return all(
        len({member[0] for member in call.seen}) == traces
        for call in calls_of(found.merger.template)
    )


def _first_fit(
    found: Sequence[Candidate], setups: Setups, known: Mapping[int, Fit | TraceError]
) -> tuple[tuple[Candidate, Fit] | None, list[TraceError]]:
    """Returns the simplest template that leads to a pattern, with it, and why simpler ones do not.

    Args:
        found: The templates.
        setups: The setups of the traces.
        known: What some of the templates lead to, by their identity.
    """
    refused: list[TraceError] = []
    for one in in_order(found):
        fit = known.get(id(one)) or _fit(one, setups)
        if not isinstance(fit, TraceError):
            return (one, fit), refused
        refused.append(fit)
    return None, refused


def _fit(found: Candidate, setups: Setups) -> Fit | TraceError:
    """Returns the pattern that a template leads to and remarks on it, or why it leads to none."""
    view = found.view
    try:
        pattern, remarks = _fitted(view, setups, found.merger.template, found.trees)
        counts = sorted(set(setups.ranks))
        if view.with_pauses:
            # Conditions on turns are many, so that some may fit by chance.
            remarks += check_messages(without_graph(pattern), counts, everywhere=True)
        elif not view.graphs:
            remarks += check_messages(pattern, counts)
    except TraceError as error:
        return error
    return pattern, remarks


def _fitted(view: View, setups: Setups, template: Sequence[Template], trees: Trees) -> Fit:
    """Returns the pattern of a template, in which two components may share a line of the program, and remarks on it.

    Raises:
        TraceError: If there is none.
    """
    refused: NoFormulaError | None = None
    while True:
        try:
            return Fitter(view, setups, template, trees).pattern()
        except NoFormulaError as error:
            refused = refused or error
            parts = with_components(template, error.call, view.rule, setups.ranks)
            if parts is None:
                raise refused from None
            template = parts
        except TraceError as error:
            raise refused or error from None


def _candidates(
    traces: Sequence[Trace], views: Sequence[View], first: int = 0
) -> Iterator[Candidate]:
    """Yields the templates of each view that has some of its own; nothing is merged yet."""
    for number, view in enumerate(views, first):
        trees = _trees(traces, view)
        if view.with_single_turns:
            wrapped = with_single_turns(trees)
            if wrapped is None:
                # The template is that of the view without such loops.
                continue
            trees = wrapped
        if not view.with_formulas and not view.graphs:
            trees = _with_short_bodies(trees, len(traces))
        if view.with_formulas and not view.with_pauses:
            trees = with_whole_turns(trees) or trees
        versions = [trees] if view.with_formulas else [_along_graphs(trees, view)]
        if view.with_pauses:
            versions = _versions_with_pauses(_along_graphs(trees, view), len(traces))
        elif view.with_formulas:
            forms = tag_forms(trees.values())
            if forms:
                versions.append({m: with_tags(tree, forms) for m, tree in trees.items()})
            versions = [_along_graphs(version, view) for version in versions]
            if any(map(has_pairs, versions[0].values())):
                versions += [
                    {m: without_pairs(tree) for m, tree in version.items()} for version in versions
                ]
            waits = single_waits(versions[0].values())
            if waits:
                versions = [
                    {m: with_single_waits(tree, waits) for m, tree in version.items()}
                    for version in versions
                ]
            versions += [
                {m: with_order(tree, runs) for m, tree in version.items()}
                for version in versions
                if (runs := ordered_runs(version.values()))
            ]
            uneven = _versions_with_uneven_rounds(versions, len(traces))
            versions += _versions_with_rounds([*versions, *uneven], len(traces))
            versions += uneven
        yield from (Candidate(view, number, version) for version in versions)


def _with_short_bodies(trees: Trees, traces: int) -> Trees:
    """Returns the calls with a loop in the place of very many that differ in tags alone, which count them."""
    if max(map(_longest, trees.values()), default=0) <= _LONG_BODY:
        return trees
    rounds = RoundsOf(trees)
    return rounds.in_loops(rounds.known(traces, with_fixed=True))


def _along_graphs(trees: Trees, view: View) -> Trees:
    """Returns the calls with one in the place of those to all neighbours in a graph, if the view has graphs."""
    if not view.graphs:
        return trees
    known = graph_sweeps(trees, view.graphs)
    return {member: with_sweeps(tree, member, view.graphs, known) for member, tree in trees.items()}


def _versions_with_rounds(versions: Sequence[Trees], traces: int) -> list[Trees]:
    """Returns those versions that have rounds, with loops that count their turns in their place."""
    result = []
    for trees in versions:
        rounds = RoundsOf(trees)
        known = rounds.known(traces)
        if known:
            result.append(rounds.in_loops(known))
    return result


def _versions_with_uneven_rounds(versions: Sequence[Trees], traces: int) -> list[Trees]:
    """Returns those versions that have rounds whose turns differ in their bytes, with loops in their place."""
    result = []
    for trees in versions:
        for several in (False, True):
            found = with_uneven_rounds(trees, traces, several=several)
            if found is not None:
                result.append(found)
                trees = found
    return result


def _versions_with_pauses(trees: Trees, traces: int) -> list[Trees]:
    """Returns the calls with loops that count their turns, if there are some in which ranks may pause."""
    forms = tag_forms(trees.values())
    versions = [trees]
    if forms:
        versions.append({m: with_tags(tree, forms) for m, tree in trees.items()})
    pausing = [one for version in versions for one in with_pauses(version, traces)]
    return [*pausing, *_versions_with_rounds([*pausing, *versions], traces)]


def _trees(traces: Sequence[Trace], view: View) -> Trees:
    known = known_axes(traces, view)
    return {
        (number, rank): tree
        for number, trace in enumerate(traces)
        for reader in (Reader(trace, view, known),)
        for rank, tree in ((rank, reader.tree(rank)) for rank in range(trace.ranks))
    }


def _longest(nodes: Sequence[Node]) -> int:
    """Returns the length of the longest body among some calls and the loops in them."""
    inner = (_longest(node.body) for node in nodes if isinstance(node, LoopNode))
    return max(len(nodes), *inner, 0)
