"""`tradewind simulate`: one run or a sweep, with a progress bar, resumable."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from tradewind import core, mpi
from tradewind.cli import console, options
from tradewind.config.data_file import trace_remarks
from tradewind.config.experiment import Experiment
from tradewind.config.overrides import parse_assignments
from tradewind.config.tuning_file import remarks
from tradewind.errors import ConfigError
from tradewind.mpi.group import joined
from tradewind.report.output import write_results
from tradewind.runs.duration import Plan
from tradewind.runs.limits import Prediction, check_runs
from tradewind.runs.local import GO_ON
from tradewind.runs.plan import kept_runs
from tradewind.runs.progress import ProgressDisplay
from tradewind.runs.run import Run, RunSet
from tradewind.runs.workplace import Workplace, processes_of, workplace
from tradewind.units import bytes_text, seconds_text

# Kinds of failures that are wrong input.
_WRONG_INPUT = ("ConfigError", "TopologyError", "TraceError", "DeadlockError", "MessageError")


@click.command("simulate")
@click.argument("experiment", type=click.Path(path_type=Path))
@options.output_folder()
@click.option("--threads", type=click.IntRange(1, 256), help="Threads of each run.")
@options.assignments()
@options.fresh("Make runs again that are finished in the folder; by default they are kept.")
@options.plots()
@options.scheduler()
@options.json_output("Print one JSON object with the results.")
def command(
    experiment: Path,
    folder: Path | None,
    threads: int | None,
    assignments: tuple[str, ...],
    fresh: bool,
    plots: bool | None,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Simulate EXPERIMENT, a TOML file or the name of a shipped experiment.

    A sweep without -o keeps its results in tradewind-results/NAME; a single run without -o keeps nothing.
    Finished runs in the folder are kept, so that the same command continues an interrupted one.
    Processes that mpiexec has started share each run; the first one writes the results.
    """
    processes = mpi.world()[1]
    values: dict[str, Any] = parse_assignments(assignments)
    if threads is not None:
        values["simulation.threads"] = threads

    def simulate(place: Workplace) -> int:
        loaded = Experiment.load(experiment, values)
        kept = folder
        if kept is None and loaded.is_sweep:
            kept = Path("tradewind-results") / loaded.name
        runs = run_and_write(loaded, kept, place, fresh=fresh, plots=plots)
        if as_json:
            console.print_json(_json_of(runs))
        else:
            console.output.print(result_table(runs))
        return exit_status(runs)

    if processes > 1:
        if scheduler is not None:
            raise ConfigError("processes of mpiexec share each run: leave out --scheduler")
        return _share(simulate)
    with workplace(scheduler) as place:
        return simulate(place)


def _share(simulate: Callable[[Workplace], int]) -> int:
    """Leads or follows, as one of the processes that mpiexec has started."""
    with joined() as group:
        if group.is_first:
            return simulate(processes_of(group))
        console.mute()
        group.follow()
        return 0


def run_and_write(
    experiment: Experiment,
    folder: Path | None,
    place: Workplace,
    *,
    fresh: bool,
    plots: bool | None = None,
) -> RunSet:
    """Makes all runs with a progress display and writes the results.

    Args:
        experiment: The experiment to run.
        folder: The folder for results; None for a single run of which nothing is kept.
        place: The place of the runs.
        fresh: Makes the finished runs of the folder again.
        plots: Draws pictures, or none; None: if the runs take longer.

    Returns:
        The runs, finished and failed.

    Raises:
        ConfigError: If a run is wrong or too large for the memory, another process writes into the
            folder, or it has the results of another experiment; nothing has run then.
        Interrupted: On Ctrl-C; finished runs are in the folder.
    """
    members = experiment.members()
    predictions = check_runs(members, experiment.source, place.memory())
    with kept_runs(experiment, folder, console.note, fresh=fresh) as store:
        _announce(experiment, predictions, place)
        specs = [member.spec for member in members]
        for line in dict.fromkeys(
            line for spec in specs for line in (*remarks(spec), *trace_remarks(spec.program))
        ):
            console.note(line)
        version = core.load().version
        plan = Plan(members, predictions, place.cores())
        for line in plan.remarks_if_long(lambda member: store.load(member, version) is not None):
            console.note(line)
        by_position = {m.position: p for m, p in zip(members, predictions, strict=True)}
        with ProgressDisplay(console.errors, by_position) as display:
            advice = _advice(folder, fresh=fresh)
            execution = place.execution(members, predictions, store, display, advice)
            outcomes = execution.run()
        runs = RunSet(experiment, outcomes)
        if folder:
            write_results(runs, folder, console.note, plots=plots)
            console.note(f"results: {os.path.relpath(folder)}")
    return runs


def _advice(folder: Path | None, *, fresh: bool) -> str:
    """Says how to go on after an interruption."""
    if folder is None:
        return "none are kept without -o DIR"
    return "the same command without --fresh goes on from there" if fresh else GO_ON


def exit_status(runs: RunSet) -> int:
    """Returns 0 if every run finished; 2 if all failed by wrong input or a deadlock; else 1.

    Args:
        runs: The runs of a command.
    """
    if not runs.failures:
        return 0
    wrong = all(entry.kind in _WRONG_INPUT for entry in runs.failures)
    return 2 if wrong and not runs.runs else 1


def result_table(runs: RunSet) -> Table:
    """Returns the results for a terminal.

    Args:
        runs: The runs of a command.
    """
    table = Table(title=Text(runs.experiment.title), title_justify="left", box=None, pad_edge=False)
    names = [axis.name for axis in runs.axes]
    for name in names:
        table.add_column(name, no_wrap=True)
    has_grid = any(_grids_of(run) for run in runs)
    if has_grid:
        table.add_column("process grid", justify="right", no_wrap=True)
    for name in ("time", "delay median", "delay 99 %", "busiest", "simulated in", "memory"):
        table.add_column(name, justify="right", no_wrap=True)
    for run in runs:
        table.add_row(
            *[Text(str(run.parameters[name])) for name in names],
            *[", ".join(_grids_of(run))][:has_grid],
            *_cells(run),
        )
    return table


def _grids_of(run: Run) -> list[str]:
    """Returns the process grids of a run in words, given or chosen."""
    return [
        f"{name}{': ' if name else ''}{columns} x {rows}"
        for name, (columns, rows) in run.process_grids.items()
    ]


def _cells(run: Run) -> list[str]:
    return [
        seconds_text(run.time_s),
        seconds_text(run.delay.median_s),
        seconds_text(run.delay.p99_s),
        run.busiest_words,
        seconds_text(run.wall_s),
        bytes_text(run.peak_rss_bytes),
    ]


def _announce(experiment: Experiment, predictions: list[Prediction], place: Workplace) -> None:
    largest = max(predictions, key=lambda prediction: prediction.memory_bytes).text
    many = f"{len(predictions)} runs; the largest: " if len(predictions) > 1 else ""
    console.note(f"{experiment.title}: {many}{largest} ({place.words()})")


def _json_of(runs: RunSet) -> dict[str, Any]:
    if runs.experiment.is_sweep:
        return runs.to_dict()
    if runs.failures:
        failure = runs.failures[0]
        return {"error": {"kind": failure.kind, "message": failure.message}}
    whole = runs.to_dict()
    return {"experiment": whole["experiment"], "version": whole["version"], **runs[0].to_dict()}
