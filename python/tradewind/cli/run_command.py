"""`tradewind run`: a mini-model with real data, on MPI or simulated ranks; fields, maps, norms."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from tradewind import extras
from tradewind.cli import console, run_solvers
from tradewind.errors import ConfigError, Error, Interrupted
from tradewind.models import pstswm
from tradewind.models.memory import Ranks
from tradewind.models.pstswm import Case, ModelRun
from tradewind.models.pstswm_mpi import run_on_mpi
from tradewind.runs.execution import termination_as_interrupt
from tradewind.runs.store import write_text
from tradewind.units import decimal_bytes_text, seconds_text


@click.command("run")
@click.argument("model", type=click.Choice(["pstswm", *run_solvers.MODELS]))
@click.argument("case", type=click.Path(path_type=Path))
@click.option(
    "-n", "--ranks", "mpi_ranks", type=click.IntRange(1, 100_000), help="Number of MPI processes."
)
@click.option(
    "--simulated-ranks",
    type=click.IntRange(1, 100_000),
    help="Ranks simulated in this process; 1 if neither this nor -n is given. The result is the "
    "same to the last bit, or to rounding where sums are distributed, for any number of either.",
)
@click.option(
    "-o", "--output", "folder", type=click.Path(path_type=Path), help="Folder for fields and maps."
)
@click.option("--launcher", help='With -n: instead of mpiexec, such as "srun -n {n}".')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the diagnostics.")
def command(
    model: str,
    case: Path,
    mpi_ranks: int | None,
    simulated_ranks: int | None,
    folder: Path | None,
    launcher: str | None,
    as_json: bool,
) -> int:
    """Run MODEL as the TOML file CASE says.

    With -o the fields go to fields.nc (NetCDF, CF conventions), maps of the first and the last
    output to map-start.png and map-end.png, the diagnostics to diagnostics.json. A run that is
    stopped or fails leaves there what it has shown until then.
    """
    if mpi_ranks is not None and simulated_ranks is not None:
        raise ConfigError("-n is for MPI processes, --simulated-ranks for simulated ones: give one")
    if launcher is not None and mpi_ranks is None:
        raise ConfigError("--launcher starts MPI processes: give their number with -n")
    if model in run_solvers.MODELS:
        ranks = mpi_ranks or simulated_ranks or 1
        place = run_solvers.Place(ranks, mpi_ranks is not None, launcher)
        return run_solvers.run(model, case, place, folder, as_json)
    where = Ranks.SIMULATED if mpi_ranks is None else Ranks.started_by(launcher)
    planned = pstswm.plan(Case.load(case), mpi_ranks or simulated_ranks or 1, where)
    _tell_plan(planned, "MPI" if mpi_ranks else "simulated")
    begin = time.perf_counter()
    with termination_as_interrupt():
        try:
            _run(planned, mpi_ranks is not None, launcher, folder)
        except (KeyboardInterrupt, Error) as error:
            _keep(planned, time.perf_counter() - begin, folder)
            if planned.snapshots and not as_json:
                console.output.print(_table(planned))
            if isinstance(error, KeyboardInterrupt):
                raise Interrupted(_interruption(planned, folder)) from None
            raise
        wall_s = time.perf_counter() - begin
        summary = _keep(planned, wall_s, folder)
    if as_json:
        console.print_json(summary)
    else:
        console.output.print(_table(planned))
        _tell(planned, wall_s)
    return 0


def _tell_plan(run: ModelRun, kind: str) -> None:
    """What is worth knowing before the first step."""
    px, py = run.grid["processes"]
    console.note(
        f"{run.case.title}: {px} x {py} {kind} ranks, {run.grid['steps']} steps of "
        f"{run.case.time_step_s:g} s, Courant number {run.grid['courant_number']:.3f} "
        f"(waves of {run.grid['fastest_wave_m_s']:.1f} m/s; stable below 1)"
    )


def _run(run: ModelRun, on_mpi: bool, launcher: str | None, folder: Path | None) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} steps"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console.errors, disable=not console.errors.is_terminal) as bar:
        task = bar.add_task(run.case.title, total=None)

        def advance(step: int, steps: int) -> None:
            bar.update(task, completed=step, total=steps)

        if not on_mpi:
            pstswm.simulate(run, advance)
            return
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        run_on_mpi(run, advance, launcher=launcher, folder=folder)


def _interruption(run: ModelRun, folder: Path | None) -> str:
    kept = f"{len(run.snapshots)} output times"
    where = "are lost without -o DIR" if folder is None else f"are in {os.path.relpath(folder)}"
    return f"interrupted after step {run.steps_done} of {run.grid['steps']}; {kept} {where}"


def _keep(run: ModelRun, wall_s: float, folder: Path | None) -> dict[str, Any]:
    """Writes what the run has shown, if anything; returns its summary."""
    summary = _json_of(run, wall_s)
    if folder is not None and run.snapshots:
        _write(run, summary, folder)
    return summary


def _table(run: ModelRun) -> Table:
    """Diagnostics over time, for a terminal."""
    table = Table(title=Text(run.case.title), title_justify="left", box=None, pad_edge=False)
    has_norms = "depth_error" in run.snapshots[0].diagnostics
    names = ["day", "mean depth (m)", "energy (m³/s²)", "pot. enstrophy", "fastest wind"]
    norms = ["depth l1", "depth l2", "depth max", "wind l2"] if has_norms else []
    for name in names + norms:
        table.add_column(name, justify="right", no_wrap=True)
    for snapshot in run.snapshots:
        values = snapshot.diagnostics
        cells = [
            f"{snapshot.time_s / 86400:.4g}",
            f"{values['mass_m']:.6f}",
            f"{values['energy_m3_s2']:.9e}",
            f"{values['potential_enstrophy_1_m_s2']:.9e}",
            f"{values['fastest_wind_m_s']:.3f} m/s",
        ]
        if has_norms:
            depth, wind = values["depth_error"], values["wind_error"]
            cells += [f"{value:.4e}" for value in (depth["l1"], depth["l2"], depth["maximum"])]
            cells.append(f"{wind['l2']:.4e}")
        table.add_row(*cells)
    return table


def _tell(run: ModelRun, wall_s: float) -> None:
    px, py = run.grid["processes"]
    steps = run.grid["steps"]
    kind = f"ranks of {run.library}" if run.library else "simulated ranks"
    console.note(
        f"{steps} steps on {px} x {py} {kind} in {seconds_text(wall_s)}: "
        f"{run.messages} messages, {decimal_bytes_text(run.bytes)}"
    )


def _json_of(run: ModelRun, wall_s: float) -> dict[str, Any]:
    return {
        "model": "pstswm",
        "title": run.case.title,
        "settings": run.case.settings,
        "ranks": run.ranks,
        "processes": list(run.grid["processes"]),
        "mpi_library": run.library or None,
        "steps": run.grid["steps"],
        "steps_done": run.steps_done,
        "complete": run.is_complete,
        "courant_number": run.grid["courant_number"],
        "wall_s": wall_s,
        "messages": run.messages,
        "bytes": run.bytes,
        "snapshots": [
            {"step": snapshot.step, "time_s": snapshot.time_s, **snapshot.diagnostics}
            for snapshot in run.snapshots
        ],
    }


def _write(run: ModelRun, summary: dict[str, Any], folder: Path) -> None:
    write_text(folder / "diagnostics.json", json.dumps(summary, indent=1) + "\n")
    if extras.available("xarray"):
        from tradewind.models.fields import to_dataset
        from tradewind.report.dataset import write_netcdf

        write_netcdf(to_dataset(run), folder / "fields.nc")
    else:
        console.note('no fields.nc: pip install "tradewind[report]"')
    if extras.available("matplotlib"):
        from tradewind.plots import maps
        from tradewind.plots.style import save

        for name, snapshot in (("start", run.snapshots[0]), ("end", run.snapshots[-1])):
            save(maps.draw(run, snapshot), folder / f"map-{name}.png")
    else:
        console.note('no maps: pip install "tradewind[report]"')
    console.note(f"results: {os.path.relpath(folder)}")
