"""`tradewind run`: a mini-model with real data, on MPI or simulated ranks; fields, maps, norms."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import click
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from tradewind import core, extras
from tradewind.cli import console, options
from tradewind.cli.run_folder import (
    CHECKPOINT,
    NUMBERS,
    earlier,
    remove_output,
    restore,
    set_aside,
)
from tradewind.cli.run_tables import final_numbers, numbers_over_time
from tradewind.config import keys, places
from tradewind.errors import ConfigError, Error, Interrupted
from tradewind.files import make_folder, write_text
from tradewind.models.case import Case
from tradewind.models.memory import Ranks
from tradewind.models.run import Checkpointing, ModelRun, plan, simulate
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.runs.duration import LONG_S
from tradewind.runs.execution import termination_as_interrupt
from tradewind.runs.heartbeat import Heartbeat
from tradewind.runs.local import GO_ON
from tradewind.units import decimal_bytes_text, seconds_text

# The time after which the pace of a run is known well enough.
_FIRST_STEPS_S = 10.0


class _ModelName(click.ParamType):  # type: ignore[type-arg]
    """The name of a model; the core is asked for the names when the command is used."""

    name = "model"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        if value not in keys.models():
            known = ", ".join(repr(name) for name in keys.models())
            self.fail(f"{value!r} is not one of {known}.", param, ctx)
        return value

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[click.shell_completion.CompletionItem]:
        return [
            click.shell_completion.CompletionItem(name)
            for name in keys.models()
            if name.startswith(incomplete)
        ]


@dataclass(frozen=True)
class _Place:
    """The ranks of a run and the files that it writes.

    Args:
        on_mpi: MPI processes instead of simulated ranks.
        launcher: The command instead of mpiexec.
        folder: The folder of results.
        checkpoints: The files of its state.
        replaces: The first step removes what an earlier run has left in the folder. A run that fails
            before, as its checkpoint is foreign, leaves that.
        reorder: MPI may renumber the processes.
    """

    on_mpi: bool
    launcher: str | None
    folder: Path | None
    checkpoints: Checkpointing
    replaces: bool = False
    reorder: bool = False

    def clear(self) -> None:
        """Removes what an earlier run has left, if this one replaces it."""
        if self.replaces and self.folder is not None:
            remove_output(self.folder, (self.checkpoints.restart, self.checkpoints.file))


@click.command("run")
@click.argument("model", type=_ModelName())
@click.argument("case", type=click.Path(path_type=Path))
@options.mpi_ranks(default=None)
@click.option(
    "--simulated-ranks",
    type=click.IntRange(1, options.MOST_RANKS),
    help="Ranks simulated in this process; 1 if neither this nor -n is given. The result is the "
    "same to the last bit, or to rounding where sums are distributed, for any number of either.",
)
@options.output_folder("Folder for fields and maps.")
@click.option(
    "--checkpoint-every",
    type=click.IntRange(min=1),
    metavar="STEPS",
    help=f"Write the state to {CHECKPOINT} in the folder of -o after every so many steps.",
)
@click.option(
    "--restart",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Begin with the state in a checkpoint of the same case on as many ranks; the run goes on "
    "as if it had not been interrupted, to the last bit.",
)
@options.fresh(
    "Make the run again that is complete in the folder; by default it is kept, and one that was "
    "interrupted goes on from its checkpoint."
)
@click.option(
    "--reorder",
    is_flag=True,
    help="With -n: let MPI renumber the processes by the graph of the halo "
    "(MPI_Dist_graph_create_adjacent). The results are the same.",
)
@options.launcher('With -n: instead of mpiexec, such as "srun -n {n}".')
@options.watchdog()
@options.json_output("Print one JSON object with the numbers.")
def command(
    model: str,
    case: Path,
    ranks: int | None,
    simulated_ranks: int | None,
    folder: Path | None,
    checkpoint_every: int | None,
    restart: Path | None,
    fresh: bool,
    reorder: bool,
    launcher: str | None,
    as_json: bool,
) -> int:
    """Run MODEL as the TOML file CASE says.

    With -o the fields go to fields.nc (NetCDF, CF conventions), maps of the first and the last
    output to map-start.png and map-end.png, zonal means to section-end.png, the numbers to
    diagnostics.json and over time to series.png, spectra at points to spectra.nc and spectra.png.
    A run that is stopped or fails leaves there what it has shown until then. The same command goes on
    from its last checkpoint, and keeps a run that is complete.
    """
    if ranks is not None and simulated_ranks is not None:
        raise ConfigError("-n is for MPI processes, --simulated-ranks for simulated ones: give one")
    if launcher is not None and ranks is None:
        raise ConfigError("--launcher starts MPI processes: give their number with -n")
    if reorder and ranks is None:
        raise ConfigError("--reorder is for MPI processes: give their number with -n")
    if reorder and not keys.models()[model].has_halo:
        raise ConfigError(f"{model} has no halo by whose graph MPI can renumber the processes")
    checkpoints = _checkpoints(model, checkpoint_every, restart, folder)
    where = Ranks.SIMULATED if ranks is None else Ranks.started_by(launcher)
    planned = plan(
        Case.load(model, places.find_case(model, case)), ranks or simulated_ranks or 1, where
    )
    place = _Place(ranks is not None, launcher, folder, checkpoints, reorder=reorder)
    kept, place = _go_on(planned, place, fresh=fresh)
    if kept is not None:
        _show(planned, kept, as_json=as_json)
        return 0
    if folder is not None:
        make_folder(folder)
    _tell_plan(planned, place)
    _show(planned, *_made(planned, place, as_json=as_json), as_json=as_json)
    return 0


def _go_on(
    planned: ModelRun, place: _Place, *, fresh: bool
) -> tuple[dict[str, Any] | None, _Place]:
    """Returns the numbers of a run that is complete in its folder, or else the place to make it."""
    folder = place.folder
    if folder is None:
        return None, place
    if fresh:
        return None, replace(place, replaces=True)
    found = earlier(folder, planned, on_mpi=place.on_mpi, note=console.note)
    if found is not None and restore(planned, found):
        console.note(f"kept: {planned.title}: complete in {os.path.relpath(folder)}")
        return found, place
    planned.snapshots.clear()
    file = folder / CHECKPOINT
    if place.checkpoints.restart is not None or not file.is_file():
        return None, place
    console.note(f"going on from {os.path.relpath(file)}; --fresh starts anew")
    if found is not None:
        aside = set_aside(folder, found)
        console.note(f"the output until there is in {os.path.relpath(aside)}")
    return None, replace(place, checkpoints=replace(place.checkpoints, restart=file))


def _made(planned: ModelRun, place: _Place, *, as_json: bool) -> tuple[dict[str, Any], float]:
    """Makes a run; returns its numbers and its wall time. What an interrupted one has is kept."""
    begin = time.perf_counter()
    with termination_as_interrupt():
        try:
            _run(planned, place)
        except (KeyboardInterrupt, Error) as error:
            _keep(planned, time.perf_counter() - begin, place)
            if planned.snapshots and not as_json:
                _print_numbers(planned)
            if isinstance(error, KeyboardInterrupt):
                raise Interrupted(_interruption(planned, place)) from None
            raise
        wall_s = time.perf_counter() - begin
        return _keep(planned, wall_s, place), wall_s


def _show(
    planned: ModelRun, summary: dict[str, Any], wall_s: float | None = None, *, as_json: bool
) -> None:
    if as_json:
        console.print_json(summary)
        return
    _print_numbers(planned)
    if wall_s is not None:
        _tell_end(planned, wall_s)


def _checkpoints(
    model: str, every: int | None, restart: Path | None, folder: Path | None
) -> Checkpointing:
    if every is None and restart is None:
        return Checkpointing()
    if not keys.models()[model].can_restart:
        raise ConfigError(f"{model} has no checkpoints")
    if restart is not None and not restart.is_file():
        raise ConfigError(f"--restart {restart}: there is no such file")
    if every is None:
        return Checkpointing(restart=restart)
    if folder is None:
        raise ConfigError("--checkpoint-every needs a folder for the file: give it with -o")
    return Checkpointing(every, folder / CHECKPOINT, restart)


def _tell_plan(run: ModelRun, place: _Place) -> None:
    """Says before the first step what is worth knowing then."""
    px, py = run.outline["processes"]
    parts = [f"{px} x {py} {'MPI' if place.on_mpi else 'simulated'} ranks"]
    if run.steps:
        parts.append(f"{run.steps} steps of {run.outline['time_step_s']:g} s")
    for about in run.outline["about_numbers"]:
        meaning, unit = about["meaning"], "" if about["unit"] == "1" else f" {about['unit']}"
        name, _, remark = meaning.partition(" (")
        remark = f" ({remark}" if remark else ""
        parts.append(f"{name} {run.outline['numbers'][about['name']]:.4g}{unit}{remark}")
    console.note(f"{run.title}: {', '.join(parts)}")


def _run(run: ModelRun, place: _Place) -> None:
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} steps"),
        TimeRemainingColumn(),
    )
    hidden = not console.errors.is_terminal or run.steps == 0
    begin = time.monotonic()
    pace = _Pace(begin, can_restart=keys.models()[run.case.model].can_restart)
    heartbeat = Heartbeat(console.errors, lambda: _so_far(run, time.monotonic() - begin))
    with heartbeat, Progress(*columns, console=console.errors, disable=hidden) as bar:
        task = bar.add_task(run.title, total=None)

        def advance(step: int, steps: int) -> None:
            bar.update(task, completed=step, total=steps)
            pace.stepped(step, steps)

        if not place.on_mpi:
            simulate(run, advance, place.checkpoints)
            return
        run_on_mpi(
            run,
            advance,
            place.checkpoints,
            launcher=place.launcher,
            folder=place.folder,
            reorder=place.reorder,
        )
        if place.reorder:
            console.note(f"MPI has moved {run.moved} of {run.ranks} processes to other ranks")


@dataclass
class _Pace:
    """Says once, after the first steps, that a run will take more than an hour.

    Args:
        begin: The time when the run began.
        can_restart: Whether the model writes checkpoints.
        is_told: True when nothing is left to be said.
    """

    begin: float
    can_restart: bool
    is_told: bool = False

    def stepped(self, step: int, steps: int) -> None:
        """Takes note of a finished step."""
        seconds = time.monotonic() - self.begin
        if self.is_told or step == 0 or seconds < _FIRST_STEPS_S:
            return
        self.is_told = True
        whole = seconds * steps / step
        if whole > LONG_S:
            kept = "; --checkpoint-every keeps its state" if self.can_restart else ""
            console.note(
                f"expected to take about {whole / 3600:.1f} h; what would shorten it: more MPI processes "
                f"(-n), a coarser grid, fewer steps{kept}"
            )


def _so_far(run: ModelRun, seconds: float) -> str:
    """Says how far a run is and, from its pace, how much time is left."""
    taken = f"so far: step {run.steps_done} of {run.steps}" if run.steps else "so far: running"
    words = f"{taken} in {timedelta(seconds=round(seconds))}"
    if run.steps_done:
        left = timedelta(seconds=round(seconds * (run.steps / run.steps_done - 1)))
        words += f", about {left} left"
    return words


def _interruption(run: ModelRun, place: _Place) -> str:
    if run.steps == 0:
        return "interrupted"
    kept = f"{len(run.snapshots)} output times"
    folder = place.folder
    where = "are lost without -o DIR" if folder is None else f"are in {os.path.relpath(folder)}"
    said = f"interrupted after step {run.steps_done} of {run.steps}; {kept} {where}"
    file = place.checkpoints.file
    if file is not None and file.exists():
        said += f"; {GO_ON}"
    return said


def _keep(run: ModelRun, wall_s: float, place: _Place) -> dict[str, Any]:
    """Writes what the run has shown, if anything; returns its summary."""
    summary = _summary(run, wall_s, on_mpi=place.on_mpi)
    if place.folder is not None and run.snapshots:
        place.clear()
        _write(run, summary, place.folder)
    return summary


def _print_numbers(run: ModelRun) -> None:
    many = len(run.snapshots) > 1
    console.output.print(numbers_over_time(run) if many else final_numbers(run))


def _tell_end(run: ModelRun, wall_s: float) -> None:
    px, py = run.outline["processes"]
    kind = f"ranks of {run.library}" if run.library else "simulated ranks"
    steps = f"{run.steps} steps on " if run.steps else ""
    console.note(
        f"{steps}{px} x {py} {kind} in {seconds_text(wall_s)}: "
        f"{run.messages} messages, {decimal_bytes_text(run.bytes)}"
    )


def _summary(run: ModelRun, wall_s: float, *, on_mpi: bool) -> dict[str, Any]:
    """Returns the run in numbers; those of the last output time stand at the top, too."""
    summary: dict[str, Any] = {
        "model": run.case.model,
        "title": run.title,
        "settings": run.case.settings,
        "ranks": run.ranks,
        "processes": list(run.outline["processes"]),
        "on_mpi": on_mpi,
        "mpi_library": run.library or None,
        "tradewind_version": core.load().version,
        "steps": run.steps,
        "steps_done": run.steps_done,
        "complete": run.is_complete,
        **run.outline["numbers"],
        "wall_s": wall_s,
        "messages": run.messages,
        "bytes": run.bytes,
        "about_numbers": [dict(one) for one in run.final.about_numbers] if run.snapshots else [],
        "snapshots": [
            {"step": snapshot.step, "time_s": snapshot.time_s, **snapshot.numbers}
            for snapshot in run.snapshots
        ],
    }
    return summary | (dict(run.final.numbers) if run.snapshots else {})


def _write(run: ModelRun, summary: dict[str, Any], folder: Path) -> None:
    if run.outline["fields"]:
        _write_fields(run, folder)
    # The last file, as it says that the run is complete.
    write_text(folder / NUMBERS, json.dumps(summary, indent=1) + "\n")
    console.note(f"results: {os.path.relpath(folder)}")


def _write_fields(run: ModelRun, folder: Path) -> None:
    if extras.available("xarray"):
        from tradewind.models.dataset import to_dataset, to_station_dataset
        from tradewind.results.netcdf import write_netcdf

        write_netcdf(to_dataset(run), folder / "fields.nc")
        if run.outline["stations"]:
            write_netcdf(to_station_dataset(run), folder / "spectra.nc")
    else:
        console.note('no fields.nc: pip install "tradewind[report]"')
    if not extras.available("matplotlib"):
        console.note('no maps: pip install "tradewind[report]"')
        return
    from tradewind.plots import cells, maps, sections, series, spectra
    from tradewind.plots.style import save

    first, last = run.snapshots[0], run.snapshots[-1]
    named: Sequence[tuple[str, Any]] = (("start", first), ("end", last))
    for name, snapshot in named if last is not first else named[1:]:
        save(maps.draw(run, snapshot), folder / f"map-{name}.png")
    if cells.is_on_faces(run) and len(run.snapshots) > 2:
        save(cells.draw_strip(run), folder / "strip.png")
    if run.outline["stations"]:
        save(spectra.draw(run), folder / "spectra.png")
    if sections.sections(run):
        save(sections.draw(run, last), folder / "section-end.png")
    if series.headlines(run):
        save(series.draw(run), folder / "series.png")
