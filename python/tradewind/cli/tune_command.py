"""`tradewind tune`: the best algorithm for every operation of an experiment."""

from __future__ import annotations

from pathlib import Path

import click
from rich.table import Table

from tradewind.cli import console, options
from tradewind.config.experiment import Experiment
from tradewind.config.overrides import parse_assignments
from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.runs.heartbeat import Heartbeat
from tradewind.tuning import MeasuredTrials, SimulatedTrials, Tuner, Tuning
from tradewind.units import bytes_text, seconds_text


@click.command("tune")
@click.argument("experiment", type=click.Path(path_type=Path))
@options.output_file("The tuning file, such as tuning.json.", required=True)
@options.mpi_ranks("Measure on this many MPI processes.", default=None)
@click.option(
    "--limit",
    type=options.Finite(min=0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds that one trial may take.",
)
@click.option(
    "--repetitions",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="Repetitions of a measured trial.",
)
@options.launcher()
@options.assignments()
@options.fresh("Make the trials of the file again; by default they are taken over.")
@options.json_output()
def command(
    experiment: Path,
    output: Path,
    ranks: int | None,
    limit: float,
    repetitions: int,
    launcher: str | None,
    assignments: tuple[str, ...],
    fresh: bool,
    as_json: bool,
) -> int:
    """Find the best algorithm, radix and protocol for the operations of an EXPERIMENT.

    The search simulates the experiment's machine; with -n it measures on this machine. An experiment
    uses the file with algorithm = "tuned" and tuning = "tuning.json"; an MPI program with TRADEWIND_TUNING.
    """
    if output.suffix != ".json":
        raise ConfigError(f"{output}: the name of a tuning file ends in .json")
    overrides = parse_assignments(assignments)
    trials: SimulatedTrials | MeasuredTrials = SimulatedTrials(limit)
    if ranks is not None:
        overrides["program.ranks"] = ranks
        trials = MeasuredTrials(limit, repetitions, launcher)
        if launcher is None and ranks > usable_cores():
            console.note(
                f"{ranks} ranks share {usable_cores()} cores: the best choice here says nothing about "
                "a machine with enough of them"
            )
    loaded = Experiment.load(experiment, overrides)
    tuner = Tuner(loaded, trials, output, console.note)
    with Heartbeat(console.errors, lambda: f"so far: {tuner.progress}"):
        tuning = tuner.run(fresh=fresh)
    console.note(f"wrote {output} and {output.with_suffix('.table')}")
    if as_json:
        console.print_json(_json(tuning))
    else:
        console.output.print(_table(tuning))
    return 0


def _json(tuning: Tuning) -> dict[str, object]:
    entries = [
        {
            "operation": entry.operation,
            "ranks": entry.ranks,
            "bytes": entry.size,
            "from_bytes": low,
            "to_bytes": high,
            "algorithm": entry.algorithm,
            "options": dict(entry.options),
            "transport": entry.transport,
            "time_s": entry.time_s,
            "default_time_s": entry.default_time_s,
            "native_time_s": entry.native_time_s,
        }
        for entry, low, high in tuning.ranges()
    ]
    return {**tuning.about, "entries": entries, "trials": len(tuning.tried)}


def _table(tuning: Tuning) -> Table:
    """Returns the times of one operation and the gain."""
    table = Table(title=f"Best algorithms, by {tuning.about['by']}")
    has_native = any(entry.native_time_s is not None for entry in tuning.entries)
    for name in ("operation", "ranks", "bytes", "best", "time", "default", "gain"):
        table.add_column(name, justify="left" if name in ("operation", "best") else "right")
    if has_native:
        table.add_column("native", justify="right")
        table.add_column("gain", justify="right")
    for entry in tuning.entries:
        others = [entry.default_time_s, *([entry.native_time_s] if has_native else [])]
        cells = [
            entry.operation,
            str(entry.ranks),
            bytes_text(entry.size),
            entry.label,
            seconds_text(entry.time_s),
        ]
        for other in others:
            gain = entry.gain(other)
            cells.append("-" if other is None else seconds_text(other))
            cells.append("-" if gain is None else f"{gain:.0%}")
        table.add_row(*cells)
    return table
