"""`tradewind extrapolate`: the rule behind recordings of a program at several rank counts."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from tradewind.cli import console, options
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import (
    Computation,
    Pattern,
    calls_in,
    compared_computation,
    discover,
    expand,
    first_difference,
    has_graph,
    pattern_text,
    problem_text,
    read_problem,
)
from tradewind.extrapolation.grids import GridError, GridRule
from tradewind.extrapolation.mesh_hint import mesh_hint
from tradewind.extrapolation.problem import GRAPH, PARTITION
from tradewind.extrapolation.rank_graph import GraphFiles
from tradewind.extrapolation.steps import OutsideError
from tradewind.files import check_is_no_input, write_text
from tradewind.inspection.doubts import doubts_of_replay
from tradewind.runs.heartbeat import Heartbeat, has_bars
from tradewind.trace_file import Trace
from tradewind.trace_formats.recognition import read_any

# A search that is not done by then is told of, in seconds.
_QUIET_S = 10.0


@click.command("extrapolate")
@click.argument(
    "words",
    nargs=-1,
    required=True,
    metavar="[NAME=NUMBER | graph=FILE | partition=FILE | TRACE]...",
)
@options.output_file("the pattern, such as my_model.pattern", required=True)
@click.option(
    "--grid",
    metavar="RULE",
    help='Process grid: line, "balanced 2", "rising 3", "nx = 4"...; default: what fits best.',
)
@click.option(
    "--check",
    "held",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="TRACE",
    help="Recording at another rank count, compared with the pattern: call by call, and the computation "
    "between calls.",
)
@options.json_output("Print one JSON object with grid, rank counts, remarks and checks.")
def command(
    words: tuple[str, ...], output: Path, grid: str | None, held: tuple[Path, ...], as_json: bool
) -> int:
    """Find the rule behind recordings of one program.

    Each TRACE is a recording, or a trace of another program that inspect reads; expected are three or
    more rank counts. The pattern is a text that people read and change. It is a program for any number
    of ranks: name it in an experiment as program.trace. A call that no rule explains is named, with its
    ranks, and there is no pattern.

    If the size of the problem differs, NAME=NUMBER says it for the traces that follow, such as
    n=100 small*.trace n=200 large*.trace. record --size writes it into the trace.

    Of a program on a mesh without structure, graph=FILE partition=FILE says who has neighbours where: a
    graph of METIS and the rank of each vertex, or an edge list and no partition. {ranks} in a name stands
    for the ranks of the trace, as in partition=mesh.part.{ranks}.
    """
    paths, problems, files = _read(words)
    check_is_no_input(output, [*paths, *held])
    recorded = [read_any(path) for path in paths]
    for path, trace in zip(paths, recorded, strict=True):
        if trace.facts.get("complete") is False:
            raise TraceError(f"{path}: the recording is not complete")
    if grid is not None:
        _check_grid(GridRule(grid), paths, recorded)
    given = [_sizes(trace) | problem for trace, problem in zip(recorded, problems, strict=True)]
    kept = {str(path): read_any(path) for path in held}
    graphs = []
    if files is not None:
        for trace in recorded:
            check_is_no_input(output, files.paths(trace.ranks))
            graphs.append(files.read(trace.ranks))
    try:
        with _telling_of_long_searches(is_quiet=as_json):
            pattern, remarks = discover(recorded, grid, given, graphs)
    except TraceError as error:
        hint = "" if graphs else mesh_hint(error, recorded)
        raise TraceError(f"{error}; {hint}") if hint else error from None
    if files is not None and not has_graph(pattern):
        remarks.append("no call is made for all neighbours in the graph")
    largest = max(range(len(recorded)), key=lambda place: recorded[place].ranks)
    remarks += [f"{paths[largest]}: {one}" for one in doubts_of_replay(recorded[largest])]
    heading = [
        "What a program says to whom, for any number of ranks (docs/howto/extrapolate.md).",
        *remarks,
    ]
    write_text(output, pattern_text(pattern, heading))
    checks = {path: _checked(pattern, trace, files) for path, trace in kept.items()}
    if as_json:
        console.print_json(
            {
                "pattern": str(output),
                "grid": pattern.grid.words,
                "made_from": pattern.made_from,
                "calls": sum(1 for _ in calls_in(pattern.body)),
                "remarks": remarks,
                "checks": {path: one.difference or "equal" for path, one in checks.items()},
                "computation": {
                    path: one.computation.to_dict()
                    for path, one in checks.items()
                    if one.computation
                },
            }
        )
    else:
        _print(pattern, output, remarks, checks)
    return 1 if any(one.difference for one in checks.values()) else 0


@contextlib.contextmanager
def _telling_of_long_searches(*, is_quiet: bool) -> Iterator[None]:
    """Says on standard error that a search goes on which takes long, as those do that end in a refusal."""
    begin = time.monotonic()

    def words() -> str:
        return (
            f"still looking for the rule, after {time.monotonic() - begin:.0f} s; each kind of rule is tried "
            "before a call is refused"
        )

    with contextlib.ExitStack() as stack:
        if not is_quiet and has_bars(console.errors):
            stack.enter_context(console.errors.status("looking for the rule"))
        elif not is_quiet:
            stack.enter_context(Heartbeat(console.errors, words, first_s=_QUIET_S))
        yield


def _read(words: Sequence[str]) -> tuple[list[Path], list[dict[str, int]], GraphFiles | None]:
    """Returns the traces, for each the sizes that stand before it, and the files of the graph of ranks."""
    paths: list[Path] = []
    problems: list[dict[str, int]] = []
    problem: dict[str, int] = {}
    files: dict[str, str] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or Path(word).exists():
            paths.append(Path(word))
            problems.append(problem)
        elif name in (GRAPH, PARTITION):
            if files.setdefault(name, value) != value:
                raise ConfigError(f"{name}={value}: {name}={files[name]} is given, too")
        else:
            problem = problem | read_problem(word)
    if PARTITION in files and GRAPH not in files:
        raise ConfigError(f"partition={files[PARTITION]}: is given without graph=FILE")
    return paths, problems, GraphFiles(**files) if files else None


def _check_grid(rule: GridRule, paths: Sequence[Path], recorded: Sequence[Trace]) -> None:
    """Refuses a rule that has no process grid for the ranks of a recording."""
    for path, trace in zip(paths, recorded, strict=True):
        try:
            rule.extents(trace.ranks)
        except GridError as error:
            hint = '; expected a rule for all rank counts, such as "balanced 2" or "nx = 2"'
            raise GridError(f"{path}: {error}{hint}", rule.words) from None


def _sizes(trace: Trace) -> dict[str, int]:
    """Returns the sizes that a recording tells."""
    given = trace.facts.get("sizes")
    if not given:
        return {}
    if not isinstance(given, dict):
        raise TraceError("the sizes of the problem in a trace are no table")
    return read_problem(problem_text(given))


@dataclass(frozen=True)
class _Check:
    """A recording beside the pattern.

    Args:
        difference: How their calls differ, or why there is nothing to compare; None if they are equal.
        computation: The computation between calls that are equal.
    """

    difference: str | None = None
    computation: Computation | None = None


def _checked(pattern: Pattern, trace: Trace, files: GraphFiles | None) -> _Check:
    """Compares a recording with the pattern at its ranks and size."""
    problem = {name: size for name, size in _sizes(trace).items() if name in pattern.sizes}
    graph = files.read(trace.ranks) if files is not None and has_graph(pattern) else None
    try:
        predicted = Trace.of(expand(pattern.with_sizes(problem), trace.ranks, graph=graph))
    except OutsideError as error:
        return _Check(f"differs from the pattern: {error}")
    except (ConfigError, TraceError) as error:
        return _Check(f"has {trace.ranks} ranks, for which the pattern has no calls: {error}")
    found = first_difference(predicted, trace, names=("the pattern", "the recording"))
    if found:
        return _Check(f"differs from the pattern: {found}")
    return _Check(computation=compared_computation(predicted, trace))


def _print(
    pattern: Pattern, output: Path, remarks: list[str], checks: Mapping[str, _Check]
) -> None:
    counts = ", ".join(map(str, pattern.made_from))
    number = sum(1 for _ in calls_in(pattern.body))
    console.output.print(
        f"{number} calls on a process grid by the rule {pattern.grid.words}, from {counts} ranks: {output}"
    )
    for remark in remarks:
        console.note(remark)
    for path, one in checks.items():
        console.output.print(f"{path} {one.difference or 'equals the pattern, call by call'}")
        if one.computation:
            words = one.computation.words()
            console.output.print(f"{path}: {words}", markup=False, highlight=False)
            if one.computation.is_off:
                console.note(
                    f"warning: {path}: {one.computation.warning()}; add recordings, of longer "
                    f"computation if possible, or change the times in {output}"
                )
