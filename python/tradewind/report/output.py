"""The result folder of an experiment: data, pictures and summary beside the finished runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tradewind import extras
from tradewind.config.experiment import Member
from tradewind.errors import ConfigError, Error
from tradewind.files import write_text
from tradewind.plots import PLOTS, Plots, timeline
from tradewind.report.summary import summary_text
from tradewind.results.netcdf import write_content
from tradewind.results.record import DamagedError
from tradewind.runs.plan import Note, read_plan
from tradewind.runs.run import Failure, Run, RunSet
from tradewind.runs.store import RunStore

MISSING, DAMAGED = "Missing", "Damaged"
# Pictures take about that long; runs that took less get them only where they are asked for.
_DRAWING_S = 4.0
_AGAIN = "not finished: tradewind simulate makes it when it is called again"


def load_results(folder: Path, version: str) -> RunSet:
    """Returns the finished runs of a folder.

    Raises:
        ConfigError: If there are none.
    """
    runs = load_outcomes(folder, version)
    if not runs.runs:
        raise ConfigError(
            f"{folder}: no finished run of version {version}; run the experiment again"
        )
    return runs


def load_outcomes(folder: Path, version: str) -> RunSet:
    """Returns the runs of a folder: finished, failed with their error, MISSING or DAMAGED.

    Raises:
        ConfigError: If no experiment was run there.
    """
    experiment = read_plan(folder)
    store = RunStore(folder / "runs")
    return RunSet(experiment, [_outcome(member, store, version) for member in experiment.members()])


def _outcome(member: Member, store: RunStore, version: str) -> Run | Failure:
    try:
        run = store.read(member, version)
        error = None if run else store.load_failure(member)
    except DamagedError as damage:
        return Failure(member, DAMAGED, str(damage))
    return run or Failure(member, **(error or {"kind": MISSING, "message": _AGAIN}))


def write_results(
    runs: RunSet, folder: Path, note: Note, *, plots: bool | None = True
) -> list[Path]:
    """Writes results.nc, pictures, time lines and summary.md, as far as packages allow.

    Args:
        runs: All runs of the experiment.
        folder: The result folder.
        note: Receives a message on everything left out.
        plots: Draws pictures, or none; None: if the runs took longer than drawing does, or the
            folder has pictures.

    Returns:
        The pictures (PNG).
    """
    if runs.runs:
        _optional(lambda: write_content(runs.content(), folder / "results.nc"), "netCDF4", note)
    pictures = _pictures(runs, folder, note, plots) if runs.runs else []
    for index, run in enumerate(runs):
        if run.timeline is not None:
            timeline.export(run, folder / f"timeline-{index}.json")
    write_text(
        folder / "summary.md", summary_text(runs, [Path(picture.name) for picture in pictures])
    )
    return pictures


def _pictures(runs: RunSet, folder: Path, note: Note, plots: bool | None) -> list[Path]:
    if plots is None:
        has_some = any((folder / f"{kind}.png").exists() for kind in PLOTS)
        plots = has_some or sum(run.wall_s for run in runs) >= _DRAWING_S
        if not plots:
            note(f"no pictures of such short runs: tradewind plot {folder}, or --plots")
    if not plots:
        return []
    if not extras.available("matplotlib"):
        note('no pictures without matplotlib: pip install "tradewind[report]"')
        return []
    return runs.plot.write_all(folder)


def write_pictures(runs: RunSet, folder: Path, kinds: tuple[str, ...], ending: str) -> list[Path]:
    """Writes chosen pictures; all that are possible if none is chosen."""
    plots: Plots = runs.plot
    if kinds:
        return [plots.write(kind, folder / f"{kind}{ending}") for kind in kinds]
    return [plots.write(kind, folder / f"{kind}{ending}") for kind in plots.possible()]


def _optional(action: Callable[[], None], package: str, note: Note) -> None:
    """Does without the file if the extra is not installed; any other failure stays an error."""
    try:
        action()
    except Error as error:
        if extras.available(package) or "pip install" not in str(error):
            raise
        note(str(error))
