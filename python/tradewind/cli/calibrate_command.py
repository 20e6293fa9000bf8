"""`tradewind calibrate`: a machine file from measurements on this machine."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from tradewind import calibration, extras
from tradewind.bench import Measurements
from tradewind.calibration import Calibration, Comparison, Effort, Rounds, median_error
from tradewind.cli import console, options
from tradewind.cli.tables import plain_table
from tradewind.config.machine import load_machine
from tradewind.errors import ConfigError
from tradewind.files import write_text
from tradewind.host import usable_cores
from tradewind.units import seconds_text


@click.command("calibrate")
@options.mpi_ranks()
@options.output_file("The machine file, such as machines/mine.toml.", required=True)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder of measurements (NetCDF) instead of measuring.",
)
@click.option(
    "--repetitions",
    default=20,
    show_default=True,
    type=click.IntRange(1, 1_000_000),
    help="Repetitions of every case in a round.",
)
@click.option(
    "--precision",
    default=0.05,
    show_default=True,
    type=click.FloatRange(0.001, 1.0),
    help="Rounds end when half of the times are known to this share of them.",
)
@click.option(
    "--limit",
    default=300.0,
    show_default=True,
    type=click.FloatRange(0.0),
    help="Seconds after which no round begins.",
)
@options.fresh("Measure again; by default the kept rounds are taken over.")
@click.option(
    "--percentile",
    default=50.0,
    show_default=True,
    type=options.Finite(1, 99),
    help="Percentile of the repetitions; lower ones are steadier on a busy machine.",
)
@options.launcher()
@options.watchdog()
@options.json_output()
def command(
    ranks: int,
    output: Path,
    source: Path | None,
    repetitions: int,
    precision: float,
    limit: float,
    fresh: bool,
    percentile: float,
    launcher: str | None,
    as_json: bool,
) -> int:
    """Fit a machine file to measurements, then predict the collectives with it.

    Measures ping-pong, overheads, kernels and collectives on real MPI processes, in rounds until their
    times are precise, or reads them from a folder. Writes the machine file, and beside it a folder with
    measurements, errors and pictures. The next call takes over the rounds of that folder.
    """
    if output.suffix != ".toml":
        raise ConfigError(f"{output}: the name of a machine file ends in .toml")
    folder = output.with_name(f"{output.stem}-calibration")
    end = None
    if source is None:
        calibration.check_needs(ranks, launcher, output)
        _warn_if_busy()
        effort = Effort(repetitions, precision, limit, percentile)
        rounds = Rounds(ranks, launcher, repetitions)
        _measure(rounds, folder / calibration.FILE_NAME, effort, fresh=fresh)
        measured, end = rounds.joined(), _end_of(rounds, percentile)
    else:
        extras.need("scipy.optimize", "fits", "calibrate")
        measured = calibration.load_measurements(source)
    result = calibration.calibrate(measured, percentile)
    write_text(output, result.text)
    load_machine(output.resolve())
    console.note(f"wrote {output}")
    _write_evidence(result, measured, folder)
    if as_json:
        console.print_json({"machine": str(output), "rounds": end, **result.to_dict()})
    else:
        _print(result)
    return 0


def _measure(rounds: Rounds, path: Path, effort: Effort, *, fresh: bool) -> None:
    """Takes over the rounds that are kept and makes more, as far as the effort goes."""
    if not (extras.available("xarray") and extras.available("matplotlib")):
        console.note('there will be no pictures: pip install "tradewind[calibrate]"')
    if path.is_file() and not fresh:
        rounds.take_over(path)
        console.note(f"taking over {len(rounds.rounds)} rounds of {path}")
    calibration.measure_rounds(rounds, path, effort, console.note)


def _end_of(rounds: Rounds, percentile: float) -> dict[str, object]:
    """Returns what JSON says about the rounds."""
    width = rounds.width(percentile)
    known = width if math.isfinite(width) else None
    return {"count": len(rounds.rounds), "precision": known, "end": rounds.end}


def _warn_if_busy() -> None:
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else 0.0
    if load > 0.5:
        console.note(
            f"this machine is busy (load {load:.1f} on {usable_cores()} cores): times will be too "
            "long; --percentile 25 is steadier"
        )


def _write_evidence(result: Calibration, measured: dict[str, Measurements], folder: Path) -> None:
    """Writes measurements as NetCDF and pictures, as far as packages allow."""
    import json

    write_text(folder / "calibration.json", json.dumps(result.to_dict(), indent=1) + "\n")
    if not (extras.available("xarray") and extras.available("matplotlib")):
        console.note('no pictures and NetCDF files: pip install "tradewind[calibrate]"')
        return
    from tradewind.plots import calibration as plot
    from tradewind.plots.style import save
    from tradewind.results.netcdf import write_netcdf

    for name, measurements in measured.items():
        write_netcdf(measurements.to_xarray(), folder / f"{name}.nc")
    save(plot.draw(result.residuals, "What was fitted"), folder / "residuals.png")
    predicted = (*result.collectives, *result.neighbor)
    if predicted:
        save(plot.draw(predicted, "Predicted exchanges"), folder / "validation.png")
    console.note(f"wrote {folder}: measurements, pictures, calibration.json")


def _print(result: Calibration) -> None:
    console.output.print(_parameters(result))
    console.output.print(_table(result.residuals, "Residuals of the fit"))
    for entries, title in (
        (result.training, "Collectives that refined the fit"),
        (result.validation, "Collectives: predicted, not fitted"),
        (result.neighbor, "Neighbourhood exchange: predicted, not fitted"),
    ):
        if entries:
            console.output.print(_table(entries, title))
    if result.collectives or result.neighbor:
        console.output.print(_summary(result))


def _summary(result: Calibration) -> Table:
    """Returns the median error of each predicted operation."""
    table = plain_table(
        "Predicted operations", ("operation", "in the fit", "cases", "median error"), ("operation",)
    )
    for name, entry in result.errors_by_operation().items():
        in_fit = "yes" if entry["in_fit"] else "no"
        table.add_row(name, in_fit, str(entry["cases"]), f"{entry['median_error']:.1%}")
    return table


def _parameters(result: Calibration) -> Table:
    fit = result.fit
    table = Table(title=f"Messages through the {fit.path}")
    table.add_column("parameter")
    table.add_column("value", justify="right")
    for name, value in fit.values.items():
        per_byte = name.startswith("copy") or name == "per_byte"
        text = f"{value * 1e12:.3g} ps/B" if per_byte else seconds_text(value)
        table.add_row(name, text)
    if fit.path == "network":
        table.add_row("gap", seconds_text(fit.gap_s))
    limit = "none seen" if fit.eager_limit is None else f"{fit.eager_limit} B"
    table.add_row("eager limit", limit)
    table.add_row("memory bandwidth", f"{result.rates.memory / 1e9:.3g} GB/s")
    for name, rate in result.rates.kernels.items():
        table.add_row(name, f"{rate / 1e9:.3g} Gflop/s")
    for name, value in asdict(result.rates.local).items() if result.rates.local else ():
        table.add_row(f"local {name}", _local_text(name, value))
    return table


def _local_text(name: str, value: float | None) -> str:
    if value is None:
        return "none seen"
    if name == "cache":
        return f"{value:.0f} B"
    return seconds_text(value) if name == "block" else f"{value * 1e12:.3g} ps/B"


def _table(comparisons: Sequence[Comparison], title: str) -> Table:
    table = Table(title=f"{title}: median error {median_error(comparisons):.1%}")
    for name in ("operation", "kind"):
        table.add_column(name)
    for name in ("bytes", "measured (µs)", "simulated (µs)", "error"):
        table.add_column(name, justify="right")
    for entry in comparisons:
        table.add_row(
            entry.operation,
            entry.name,
            str(entry.size),
            f"{entry.measured_s * 1e6:.2f}",
            f"{entry.simulated_s * 1e6:.2f}",
            f"{entry.error:+.0%}",
        )
    return table
