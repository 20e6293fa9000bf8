"""`tradewind run semi_lagrangian` and `tradewind run helmholtz`."""

from __future__ import annotations

import json
import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from tradewind import core, extras
from tradewind.cli import console
from tradewind.models import solvers
from tradewind.models.solvers import SolverCase
from tradewind.models.solvers_mpi import run_on_mpi
from tradewind.runs.execution import termination_as_interrupt
from tradewind.runs.store import write_text
from tradewind.units import decimal_bytes_text, seconds_text

MODELS = tuple(solvers.MODELS)
_ARRAYS = ("tracer", "longitude_deg", "latitude_deg", "height_m")


@dataclass(frozen=True)
class Place:
    """The ranks or processes that run a case.

    Args:
        ranks: Number of ranks.
        on_mpi: MPI processes instead of simulated ranks.
        launcher: Command to use instead of mpiexec.
    """

    ranks: int
    on_mpi: bool
    launcher: str | None = None


def run(model: str, path: Path, place: Place, folder: Path | None, as_json: bool) -> int:
    """Runs the case in the file and shows what it has found."""
    case = SolverCase.load(model, path)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    begin = time.perf_counter()
    with termination_as_interrupt():
        result = _run_with_progress(case, place, folder)
    wall_s = time.perf_counter() - begin
    numbers = {key: value for key, value in result.items() if key not in _ARRAYS}
    summary: dict[str, Any] = {
        "model": model,
        "title": case.title,
        "settings": case.settings,
        "ranks": place.ranks,
        "wall_s": wall_s,
    } | numbers
    if folder is not None:
        _write(case, result, summary, folder)
    if as_json:
        console.print_json(summary)
        return 0
    console.output.print(_table(case, numbers))
    cx, cy = numbers["processes"]
    kind = f"ranks of {numbers['mpi_library']}" if place.on_mpi else "simulated ranks"
    console.note(
        f"{cx} x {cy} {kind} in {seconds_text(wall_s)}: {numbers['messages']} messages, "
        f"{decimal_bytes_text(numbers['bytes'])}"
    )
    return 0


def _run_with_progress(case: SolverCase, place: Place, folder: Path | None) -> dict[str, Any]:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} steps"),
        TimeRemainingColumn(),
    )
    hidden = not console.errors.is_terminal or case.model != "semi_lagrangian"
    with Progress(*columns, console=console.errors, disable=hidden) as bar:
        steps = int(case.settings.get("steps", 1))  # type: ignore[arg-type]
        task = bar.add_task(case.title, total=steps)

        def advance(step: int) -> None:
            bar.update(task, completed=step)

        if place.on_mpi:
            return run_on_mpi(case, place.ranks, advance, launcher=place.launcher, folder=folder)
        return solvers.run(case, place.ranks, advance)


def _table(case: SolverCase, numbers: dict[str, Any]) -> Table:
    table = Table(title=Text(case.title), title_justify="left", box=None, show_header=False)
    lines = _advection_lines if case.model == "semi_lagrangian" else _solver_lines
    for name, value in lines(numbers):
        table.add_row(name, value)
    return table


def _advection_lines(numbers: dict[str, Any]) -> list[tuple[str, str]]:
    halo = numbers["halo"]
    lines = [
        ("mean, before and after", f"{numbers['initial_mean']:.6g}, {numbers['mean']:.6g}"),
        ("lowest, highest", f"{numbers['lowest']:.4g}, {numbers['highest']:.4g}"),
        ("fastest wind", f"{numbers['fastest_wind_m_s']:.1f} m/s"),
        ("Courant number", f"{numbers['courant']:.2f}"),
        ("halo", f"{numbers['halo_rows']} rows, {halo['columns']} columns in all steps"),
        ("columns sent", str(halo["columns_sent"])),
        (
            "halo exchange",
            f"{halo['messages']} messages, {decimal_bytes_text(halo['bytes'])}",
        ),
        (
            "of these requests",
            f"{halo['request_messages']} messages, {decimal_bytes_text(halo['request_bytes'])}",
        ),
    ]
    if "error" in numbers:
        norms = (f"{numbers['error'][norm]:.4e}" for norm in ("l1", "l2", "maximum"))
        lines.insert(0, ("error l1, l2, max", ", ".join(norms)))
    return lines


def _solver_lines(numbers: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("iterations", str(numbers["iterations"])),
        ("reductions", str(numbers["reductions"])),
        ("residual", f"{numbers['residuals'][-1]:.6e}"),
        ("true residual", f"{numbers['true_residual']:.6e}"),
        ("error of the solution", f"{numbers['error']:.4e}"),
    ]


def _write(case: SolverCase, result: dict[str, Any], summary: dict[str, Any], folder: Path) -> None:
    write_text(folder / "diagnostics.json", json.dumps(summary, indent=1) + "\n")
    if "tracer" in result:
        if extras.available("xarray"):
            from tradewind.report.dataset import write_netcdf

            write_netcdf(_dataset(case, result), folder / "fields.nc")
        else:
            console.note('no fields.nc: pip install "tradewind[report]"')
    console.note(f"results: {os.path.relpath(folder)}")


def _dataset(case: SolverCase, result: dict[str, Any]) -> Any:
    """Returns the tracer at the end, with CF metadata."""
    xarray = extras.need("xarray", "datasets")
    coordinates = {
        "lat": (
            ("lat",),
            result["latitude_deg"],
            {"standard_name": "latitude", "units": "degrees_north", "axis": "Y"},
        ),
        "lon": (
            ("lon",),
            result["longitude_deg"],
            {"standard_name": "longitude", "units": "degrees_east", "axis": "X"},
        ),
        "height": (
            ("height",),
            result["height_m"],
            {"standard_name": "height", "units": "m", "axis": "Z", "positive": "up"},
        ),
    }
    tracer = (
        ("lat", "lon", "height"),
        result["tracer"],
        {"units": "1", "long_name": "first tracer at the end of the run"},
    )
    attributes = {
        "Conventions": "CF-1.11",
        "title": case.title,
        "source": "Tradewind, semi-Lagrangian advection",
        "tradewind_version": core.load().version,
        "settings": json.dumps(case.settings),
    }
    return xarray.Dataset({"tracer": tracer}, coordinates, attributes)
