"""`tradewind run`: a mini-model with real data on simulated ranks, its fields, maps and norms."""

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
from tradewind.models import pstswm
from tradewind.models.pstswm import Case, ModelRun
from tradewind.runs.store import write_text
from tradewind.units import decimal_bytes_text, seconds_text


@click.command("run")
@click.argument("model", type=click.Choice(["pstswm", *run_solvers.MODELS]))
@click.argument("case", type=click.Path(path_type=Path))
@click.option(
    "--simulated-ranks",
    "ranks",
    type=click.IntRange(1, 100_000),
    default=1,
    show_default=True,
    help="Ranks that share the grid; the result is the same to the last bit, or to rounding where "
    "Legendre sums are distributed.",
)
@click.option(
    "-o", "--output", "folder", type=click.Path(path_type=Path), help="Folder for fields and maps."
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object with the diagnostics.")
def command(model: str, case: Path, ranks: int, folder: Path | None, as_json: bool) -> int:
    """Run MODEL as the TOML file CASE says.

    With -o the fields go to fields.nc (NetCDF, CF conventions), maps of the first and the last
    output to map-start.png and map-end.png, the diagnostics to diagnostics.json.
    """
    if model in run_solvers.MODELS:
        return run_solvers.run(model, case, ranks, folder, as_json)
    loaded = Case.load(case)
    begin = time.perf_counter()
    result = _run_with_progress(loaded, ranks)
    wall_s = time.perf_counter() - begin
    summary = _json_of(result, wall_s)
    if folder is not None:
        _write(result, summary, folder)
    if as_json:
        console.print_json(summary)
    else:
        console.output.print(_table(result))
        _tell(result, wall_s)
    return 0


def _run_with_progress(case: Case, ranks: int) -> ModelRun:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} steps"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console.errors, disable=not console.errors.is_terminal) as bar:
        task = bar.add_task(case.title, total=None)
        return pstswm.run(
            case, ranks, lambda step, steps: bar.update(task, completed=step, total=steps)
        )


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
    console.note(
        f"{steps} steps on {px} x {py} simulated ranks in {seconds_text(wall_s)}: "
        f"{run.messages} messages, {decimal_bytes_text(run.bytes)}"
    )


def _json_of(run: ModelRun, wall_s: float) -> dict[str, Any]:
    return {
        "model": "pstswm",
        "title": run.case.title,
        "settings": run.case.settings,
        "ranks": run.ranks,
        "processes": list(run.grid["processes"]),
        "steps": run.grid["steps"],
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
