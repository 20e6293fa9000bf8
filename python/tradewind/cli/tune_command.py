"""`tradewind tune`: the best algorithm for every operation of an experiment."""

from __future__ import annotations

import os
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from tradewind.cli import console, options
from tradewind.config import keys
from tradewind.config.experiment import Experiment
from tradewind.config.overrides import parse_assignments
from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.runs.heartbeat import Heartbeat
from tradewind.tuning import MeasuredTrials, SimulatedTrials, Tuner, Tuning
from tradewind.tuning.contest import FEWEST_PAIRS
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
@click.option(
    "--pairs",
    default=12,
    show_default=True,
    type=click.IntRange(FEWEST_PAIRS, 1000),
    help="Times that the fastest and the default are measured in turns, with -n.",
)
@options.launcher()
@options.watchdog()
@options.assignments()
@options.fresh("Make the trials of the file again; by default they are taken over.")
@options.json_output()
def command(
    experiment: Path,
    output: Path,
    ranks: int | None,
    limit: float,
    repetitions: int,
    pairs: int,
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
    tuner = Tuner(loaded, trials, output, console.note, pairs)
    with Heartbeat(console.errors, lambda: f"so far: {tuner.progress}"):
        tuning = tuner.run(fresh=fresh)
    console.note(f"wrote {output} and {output.with_suffix('.table')}")
    if keys.programs()[loaded.members()[0].spec.program.name].kinds:
        file = os.path.relpath(output, loaded.directory)
        console.note(f"phases that name no algorithm take it with --set program.tuning={file}")
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
            "verdict": entry.verdict,
            "fastest": entry.fastest,
            "ratio": entry.ratio,
            "ratio_interval": _ends(entry.ratio_low, entry.ratio_high),
            "pairs": entry.pairs,
            "candidates": entry.candidates,
            "programs": entry.programs,
            **({"phases": list(entry.phases)} if entry.phases else {}),
            "native_ratio": entry.native_ratio,
            "native_ratio_interval": _ends(entry.native_ratio_low, entry.native_ratio_high),
        }
        for entry, low, high in tuning.ranges()
    ]
    return {**tuning.about, "entries": entries, "trials": len(tuning.tried)}


def _ends(low: float | None, high: float | None) -> list[float] | None:
    return None if low is None or high is None else [low, high]


def _gain(ratio: float | None, low: float | None, high: float | None) -> str:
    """Returns the time saved in words: a share with its interval, or that there is no difference."""
    if ratio is None or low is None or high is None:
        return "-"
    if low <= 1.0 <= high:
        return "no difference"
    if low == high:
        return f"{1 - ratio:.0%}"
    return f"{1 - ratio:.0%} ({1 - high:.0%} to {1 - low:.0%})"


def _table(tuning: Tuning) -> Table:
    """Returns the times of one operation and the gain, with the 95 % interval if it is measured."""
    table = Table(title=f"Best algorithms, by {tuning.about['by']}")
    has_native = any(entry.native_time_s is not None for entry in tuning.entries)
    has_phases = any(entry.phases for entry in tuning.entries)
    texts = ("operation", "best", "phases")
    for name in ("operation", "ranks", "bytes", "best", "time", "default", "gain"):
        table.add_column(name, justify="left" if name in texts else "right")
        if name == "operation" and has_phases:
            table.add_column("phases", overflow="fold")
    if has_native:
        table.add_column("native", justify="right")
        table.add_column("gain", justify="right")
    for entry in tuning.entries:
        default_s, native_s = (
            "-" if time is None else seconds_text(time)
            for time in (entry.default_time_s, entry.native_time_s)
        )
        cells: list[str | Text] = [
            entry.operation,
            *[Text(", ".join(entry.phases))][:has_phases],
            str(entry.ranks),
            bytes_text(entry.size),
            entry.label,
            seconds_text(entry.time_s),
            default_s,
            _gain(entry.ratio, entry.ratio_low, entry.ratio_high),
        ]
        if has_native:
            native = (entry.native_ratio, entry.native_ratio_low, entry.native_ratio_high)
            cells += [native_s, _gain(*native)]
        table.add_row(*cells)
    return table
