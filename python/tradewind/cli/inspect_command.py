"""`tradewind inspect`: who says what to whom in a recorded program, when, and how long it takes."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from tradewind.aggregation import Aggregation, aggregate, aggregation_lines
from tradewind.cli import console, inspect_tables, options
from tradewind.config.machine import load_machine
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import problem_text
from tradewind.files import check_outputs, write_text
from tradewind.inspection.comparison import Comparison, Replayed, choice_rules, compare
from tradewind.inspection.doubts import doubts_of
from tradewind.inspection.summary import MOST_UNFOLDED, Inspection, inspect
from tradewind.runs.run import Run
from tradewind.runs.sweep import simulate
from tradewind.trace_file import Trace, command_text
from tradewind.trace_formats.recognition import EXPORTS, read_any
from tradewind.units import decimal_bytes_text, seconds_text

_MOST_ROWS = 12


@click.command("inspect")
@click.argument("trace", type=click.Path(path_type=Path))
@click.option(
    "--rank",
    type=int,
    metavar="N",
    help="Calls, call sites, wait states and sent messages of this rank only.",
)
@click.option(
    "--export",
    "export",
    type=(click.Choice(list(EXPORTS)), click.Path(path_type=Path)),
    metavar="FORMAT FILE",
    help="Only write the trace for another tool: goal, for LogGOPSim and ATLAHS; perfetto, a time"
    " line as JSON for ui.perfetto.dev.",
)
@click.option(
    "--check",
    "machines",
    multiple=True,
    metavar="MACHINE",
    help="Replay the recording on this machine, a name or a file, and compare the time of each call"
    " site. May be given several times.",
)
@click.option(
    "--aggregate",
    "with_aggregation",
    is_flag=True,
    help="Tell which messages program.aggregate = true would merge, and which not.",
)
@options.json_output(
    "Print one JSON object: all tables, or with --export what is written and what the format cannot say."
)
@options.output_folder("Folder for pictures and inspection.json.")
def command(
    trace: Path,
    rank: int | None,
    export: tuple[str, Path] | None,
    machines: tuple[str, ...],
    with_aggregation: bool,
    as_json: bool,
    folder: Path | None,
) -> int:
    """Say what a recorded program does.

    TRACE is a recording of tradewind, a schedule in GOAL, a time-independent trace of SimGrid, or an
    archive of OTF2. Tables tell the time in MPI by call and call site, the sizes
    of messages, who sends to whom, load imbalance, and wait states; then what the recording says of
    its own faults: calls that depend on timing, unmatched messages, calls recorded by name only.
    """
    for machine in machines:
        load_machine(machine)
    with _naming(trace):
        if export is not None:
            check_outputs([export[1]], [trace])
        read = read_any(trace)
        if export is not None:
            lost = _export(read, *export)
            if as_json:
                console.print_json(_exported(trace, *export, lost))
            return 0
        if machines and rank is not None:
            raise ConfigError("inspect: --check compares all ranks; leave out --rank")
        found = inspect(read, rank)
        checked = _check(read, found, trace, machines) if machines else None
        merged = aggregate(read) if with_aggregation else None
    if as_json:
        more = {} if merged is None else {"aggregation": merged.to_dict()}
        console.print_json(_content(found, checked, trace) | more)
    else:
        _print(found, trace)
        if merged is not None:
            _print_aggregation(merged)
        if checked is not None:
            _print_check(checked)
    if folder is not None:
        _write(found, checked, trace, folder)
    return 0


@contextlib.contextmanager
def _naming(trace: Path) -> Iterator[None]:
    """Lets every error name the trace."""
    try:
        yield
    except (ConfigError, TraceError) as error:
        if trace.name in str(error):
            raise
        raise type(error)(f"{trace}: {error}") from None


def _export(read: Trace, name: str, file: Path) -> list[str]:
    """Writes the trace for another tool, and returns what this cannot say."""
    lost = EXPORTS[name](read, file)
    console.note(f"wrote {file}")
    if lost:
        console.note(f"{name} cannot say: {'; '.join(lost)}")
    return lost


def _exported(trace: Path, name: str, file: Path, lost: list[str]) -> dict[str, Any]:
    """Returns what JSON tells of a trace that is written for another tool."""
    return {"trace": str(trace), "format": name, "written": str(file), "cannot_say": lost}


def _check(read: Trace, found: Inspection, trace: Path, machines: tuple[str, ...]) -> Comparison:
    """Replays the trace on each machine, with the algorithms of the library that was recorded."""
    rules = choice_rules(read)
    program = {
        "name": "trace",
        "trace": str(trace),
        "computation": "wall",
        "phases": "sites",
        "library": rules,
    }
    replays = []
    for machine in machines:
        run = simulate({"machine": machine, "program": program}, progress=False)
        assert isinstance(run, Run)
        phases = {phase.name: phase.mean_s for phase in run.phases}
        replays.append(Replayed(machine, run.time_s, phases))
    return compare(read, float(found.per_rank.total_s.max(initial=0.0)), replays, rules)


def _content(found: Inspection, checked: Comparison | None, trace: Path) -> dict[str, Any]:
    """Returns what JSON tells."""
    check = {} if checked is None else {"check": checked.to_dict()}
    return {"trace": str(trace), **found.to_dict(), **check}


def _print_check(checked: Comparison) -> None:
    console.output.print()
    if checked.sites:
        console.output.print(inspect_tables.check_table(checked, _MOST_ROWS))
    for machine, replayed_s in zip(checked.machines, checked.replayed_s, strict=True):
        change = inspect_tables.change(replayed_s, checked.recorded_s)
        console.output.print(
            f"{machine}: {seconds_text(replayed_s)} in all, where"
            f" {seconds_text(checked.recorded_s)} were recorded{change and f' ({change})'}",
            markup=False,
            highlight=False,
        )
    if checked.library != "none":
        console.note(
            f'collectives by the rules of the recorded library: library = "{checked.library}"'
        )
    if any(one.depends_on_timing for one in checked.sites):
        console.note("* depends on timing: another machine may make other calls there")


def _print_aggregation(merged: Aggregation) -> None:
    console.output.print()
    for line in aggregation_lines(merged.to_dict()):
        console.output.print(f"program.aggregate: {line}", markup=False, highlight=False)


def _print(found: Inspection, trace: Path) -> None:
    show = console.output.print
    for line in _headline(found, trace):
        show(line, markup=False, highlight=False)
    tables = [
        inspect_tables.calls_table(found.by_call, _MOST_ROWS),
        inspect_tables.sites_table(found.by_site, _MOST_ROWS),
        inspect_tables.ranks_table(found),
    ]
    if found.sizes:
        tables += [
            inspect_tables.sizes_table(found),
            inspect_tables.pairs_table(found, _MOST_ROWS),
        ]
    if found.waits:
        tables.append(inspect_tables.waits_table(found.waits, _MOST_ROWS))
    if found.unmatched:
        tables.append(inspect_tables.unmatched_table(found.unmatched, _MOST_ROWS))
    for table in tables:
        show()
        show(table)
    for note in _notes(found):
        console.note(note)


def _headline(found: Inspection, trace: Path) -> list[str]:
    facts = found.facts
    pairs = found.pairs
    whose = "; " if found.only_rank is None else f" of rank {found.only_rank}, which sends "
    sizes = facts.get("sizes")
    problem = f", {problem_text(sizes)}" if isinstance(sizes, dict) and sizes else ""
    return [
        f"{trace}: {command_text(facts) or 'a program'} on {found.ranks} ranks{problem},"
        f" {'complete' if facts.get('complete', True) else 'incomplete'}",
        f"{found.calls} calls{whose}{pairs.messages.sum()} messages with"
        f" {decimal_bytes_text(float(pairs.bytes.sum()))};"
        f" {seconds_text(found.time_s)} from the end of MPI_Init to"
        " MPI_Finalize",
    ]


def _notes(found: Inspection) -> list[str]:
    """Returns what a reader must know of the recording."""
    notes = doubts_of(found.facts, found.wildcards, found.timing, found.other)
    if found.waits is None:
        notes.append(f"no wait states: the trace has more than {MOST_UNFOLDED} calls")
    return notes


def _write(found: Inspection, checked: Comparison | None, trace: Path, folder: Path) -> None:
    from tradewind.plots import recording
    from tradewind.plots.style import save

    content = _content(found, checked, trace)
    written = [folder / "inspection.json"]
    write_text(written[0], json.dumps(content, allow_nan=False, indent=1) + "\n")
    figures = {name: draw(found, trace.name) for name, draw in recording.PICTURES.items()}
    if checked is not None:
        figures["check"] = recording.draw_check(checked, trace.name)
    for name, figure in figures.items():
        if figure is not None:
            written.append(save(figure, folder / f"{name}.png"))
    console.note(f"wrote {', '.join(map(str, written))}")
