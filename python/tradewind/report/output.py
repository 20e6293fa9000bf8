"""The result folder of an experiment: data, pictures and summary beside the finished runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tradewind import extras
from tradewind.config.axes import Axis
from tradewind.config.experiment import Experiment, Member
from tradewind.config.schema import written
from tradewind.errors import ConfigError, Error
from tradewind.files import write_text
from tradewind.plots import PLOTS, Plots, timeline
from tradewind.report.summary import summary_text
from tradewind.results.netcdf import write_netcdf
from tradewind.results.record import (
    DamagedError,
    checked,
    damaged,
    is_sealed,
    load_record,
    sealed,
)
from tradewind.runs.run import Failure, Run, RunSet
from tradewind.runs.store import RunStore

MISSING, DAMAGED = "Missing", "Damaged"
_AGAIN = "not finished: continue with tradewind simulate --resume"
_SCHEMA = "experiment 2"
PLAN = "experiment.json"
_PLAN = {"raw": dict, "text": str, "source": str, "directory": str, "overrides": dict}

Note = Callable[[str], None]


def write_plan(experiment: Experiment, folder: Path) -> None:
    """Writes what is going to run, so that `tradewind plot` can find the results later."""
    plan = {
        "source": experiment.source,
        "directory": str(experiment.directory.resolve()),
        "overrides": dict(experiment.overridden),
        "text": experiment.text,
        "raw": experiment.raw,
        "axes": [
            {"name": axis.name, "labels": axis.labels, "values": axis.values}
            for axis in experiment.axes
        ],
    }
    write_text(folder / PLAN, sealed(plan, _SCHEMA))


def check_plan(experiment: Experiment, folder: Path, note: Note) -> None:
    """Refuses a folder with the results of another experiment, which would be replaced.

    Args:
        experiment: What is going to run.
        folder: The result folder.
        note: Is told of a damaged plan, and of one that has changed.

    Raises:
        ConfigError: If the results in the folder are of another file with other contents.
    """
    if not (folder / PLAN).is_file():
        return
    try:
        before = read_plan(folder)
    except DamagedError as error:
        note(f"{error}; it is written again")
        return
    is_same_text = before.text == experiment.text
    if not is_same_text and _file_of(before) != _file_of(experiment):
        raise ConfigError(
            f"{folder}: holds results of another experiment, {before.source}; "
            "choose another folder, or remove this one"
        )
    if (before.raw, before.axes) != (experiment.raw, experiment.axes):
        note(f"{folder}: the experiment has changed; its results there are replaced")


def _file_of(experiment: Experiment) -> Path:
    return experiment.directory.resolve() / Path(experiment.source).name


def read_plan(folder: Path) -> Experiment:
    """Returns the experiment whose results are in the folder.

    Raises:
        DamagedError: If its file is not what was written.
        ConfigError: If the folder holds no results.
    """
    path = folder / PLAN
    if not path.is_file():
        raise ConfigError(f"{folder}: no results of tradewind here ({PLAN} is missing)")
    plan = load_record(path)
    if is_sealed(plan):
        plan = checked(plan, path, _SCHEMA)
    try:
        axes = tuple(
            Axis(axis["name"], tuple(axis["labels"]), tuple(axis["values"]))
            for axis in plan["axes"]
        )
        parts = {key: plan[key] for key in _PLAN}
    except (KeyError, TypeError) as error:
        raise damaged(path, f"not written by tradewind ({error!r})") from None
    for key, kind in _PLAN.items():
        if not isinstance(parts[key], kind):
            raise damaged(path, f"{key} = {written(parts[key])}")
    for axis in axes:
        if not _is_axis(axis):
            raise damaged(path, f"axis {written(axis.name)}")
    raw, text, source, directory, overrides = parts.values()
    return Experiment(raw, text, source, Path(directory), overrides, axes)


def _is_axis(axis: Axis) -> bool:
    """Returns whether everything in a value has the right type; in a damaged file it may not."""
    return (
        isinstance(axis.name, str)
        and len(axis.labels) == len(axis.values) > 0
        and all(isinstance(label, int | float | str) for label in axis.labels)
        and all(isinstance(values, dict) for values in axis.values)
    )


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


def write_results(runs: RunSet, folder: Path, note: Note) -> list[Path]:
    """Writes results.nc, pictures, time lines and summary.md, as far as packages allow.

    Args:
        runs: All runs of the experiment.
        folder: The result folder.
        note: Receives a message on everything left out.

    Returns:
        The pictures (PNG).
    """
    if runs.runs:
        _optional(lambda: write_netcdf(runs.to_xarray(), folder / "results.nc"), "xarray", note)
    pictures: list[Path] = []
    if runs.runs and extras.available("matplotlib"):
        pictures = runs.plot.write_all(folder)
    elif runs.runs:
        note('no pictures without matplotlib: pip install "tradewind[report]"')
    for index, run in enumerate(runs):
        if run.timeline is not None:
            timeline.export(run, folder / f"timeline-{index}.json")
    write_text(
        folder / "summary.md", summary_text(runs, [Path(picture.name) for picture in pictures])
    )
    return pictures


def write_pictures(runs: RunSet, folder: Path, kinds: tuple[str, ...], ending: str) -> list[Path]:
    """Writes chosen pictures; all that are possible if none is chosen."""
    plots: Plots = runs.plot
    if kinds:
        return [plots.write(kind, folder / f"{kind}{ending}") for kind in kinds]
    possible = [kind for kind, plot in PLOTS.items() if any(plot.suitable(run) for run in runs)]
    return [plots.write(kind, folder / f"{kind}{ending}") for kind in possible]


def _optional(action: Callable[[], None], package: str, note: Note) -> None:
    """Does without the file if the extra is not installed; any other failure stays an error."""
    try:
        action()
    except Error as error:
        if extras.available(package) or "pip install" not in str(error):
            raise
        note(str(error))
