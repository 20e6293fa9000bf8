"""`tradewind explain`: the critical path of a run, its bounds, and what a change gains."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from tradewind import mpi
from tradewind.cli import console, options
from tradewind.cli.explain_tables import (
    bounds_table,
    kinds_table,
    phases_table,
    resources_table,
    shares_table,
    trials_table,
)
from tradewind.config.overrides import parse_assignments
from tradewind.errors import ConfigError
from tradewind.results.critical_path import CriticalPath
from tradewind.runs.heartbeat import Heartbeat
from tradewind.runs.run import Run
from tradewind.runs.what_if import Change, Question, Trials, bounds_without, changes_of
from tradewind.units import seconds_text

_MOST_ROWS = 8


@click.command("explain")
@click.argument("experiment", type=click.Path(path_type=Path))
@click.option("--run", "number", type=int, metavar="N", help="Run N of a sweep, from 1.")
@click.option(
    "--try-for",
    "seconds",
    type=options.Finite(min=0),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Real time for trying changes; 0 tries none.",
)
@options.assignments()
@options.json_output("Print one JSON object with the path, the bounds and the changes.")
def command(
    experiment: Path,
    number: int | None,
    seconds: float,
    assignments: tuple[str, ...],
    as_json: bool,
) -> int:
    """Say where the time of one simulated run goes.

    EXPERIMENT is a TOML file or the name of a shipped experiment. The critical path leads from the
    last completion back to the start, through ranks and messages; its parts add up to the
    simulated time. Then changes are tried that may make the run faster: placement, process grid,
    algorithm, and the parts of the machine on the path. Each is simulated.
    """
    if mpi.world()[1] > 1:
        raise ConfigError("explain follows the path in one process: leave out mpiexec")
    question = Question(experiment, parse_assignments(assignments), number)
    doing = ["the run itself"]

    def announce(change: Change) -> None:
        doing[0] = change.words
        console.note(f"trying {change.words}")

    begin = time.monotonic()
    with Heartbeat(console.errors, lambda: _so_far(doing[0], time.monotonic() - begin)):
        run = question.run({"simulation.critical_path": True})
        path = run.critical_path
        assert path is not None
        path.check(run.time_s)
        bounds = _bounds(question, run) if seconds > 0 else {}
        found = changes_of(run.spec, path) if seconds > 0 else []
        trials = question.try_all(found, run.time_s, seconds, announce)
    if as_json:
        console.print_json(_json_of(run, path, bounds, trials))
    else:
        _print(run, path, bounds, trials)
    return 0


def _so_far(doing: str, seconds: float) -> str:
    return f"so far: simulating {doing}, {timedelta(seconds=round(seconds))}"


def _bounds(question: Question, run: Run) -> dict[str, float]:
    """Returns the simulated times without some causes of delay."""
    times = {}
    for words, changes in bounds_without(run.spec).items():
        try:
            times[words] = question.run(changes).time_s
        except ConfigError as error:
            console.note(f"{words}: not simulated: {error}")
    return times


def _print(run: Run, path: CriticalPath, bounds: dict[str, float], trials: Trials) -> None:
    show = console.output.print
    words = (
        f"{run.spec.program.name} on {run.machine}, {run.ranks} ranks: {seconds_text(run.time_s)}"
    )
    show(
        f"{words}; {len(path)} steps, {path.handovers} times from one rank to another",
        markup=False,
        highlight=False,
    )
    tables = [kinds_table(path), phases_table(path)]
    for title, column, shares in (
        ("waits at ports", "port", path.by_link()),
        ("messages", "from - to rank", path.by_pair()),
        ("ranks", "rank", path.by_rank()),
    ):
        if shares:
            tables.append(shares_table(title, column, shares, _MOST_ROWS))
    tables.append(resources_table(run))
    if bounds:
        tables.append(bounds_table(bounds, run.time_s))
    if trials.tried:
        tables.append(trials_table(trials))
    for table in tables:
        show()
        show(table)
    for change, reason in trials.refused:
        console.note(f"{change.words}: not possible here: {reason}")
    if trials.left:
        words = ", ".join(change.words for change in trials.left)
        console.note(f"not tried, as the time was up (--try-for): {words}")


def _json_of(
    run: Run, path: CriticalPath, bounds: dict[str, float], trials: Trials
) -> dict[str, Any]:
    return {
        **run.to_dict(),
        "critical_path": path.to_dict(),
        "without": bounds,
        "changes": [trial.to_dict() for trial in trials.tried],
        "not_possible": [
            {"change": change.words, "settings": dict(change.settings), "reason": reason}
            for change, reason in trials.refused
        ],
        "not_tried": [change.words for change in trials.left],
    }
