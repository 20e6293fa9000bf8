"""The plan of a result folder: the experiment whose runs it holds."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path

from tradewind.config.axes import Axis
from tradewind.config.experiment import Experiment
from tradewind.config.schema import written
from tradewind.errors import ConfigError
from tradewind.files import write_text
from tradewind.results.record import DamagedError, checked, damaged, is_sealed, load_record, sealed
from tradewind.runs.store import RunStore, opened

PLAN = "experiment.json"
_SCHEMA = "experiment 2"
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


@contextlib.contextmanager
def kept_runs(
    experiment: Experiment, folder: Path | None, note: Note, *, fresh: bool
) -> Iterator[RunStore]:
    """Opens the store of an experiment's runs and writes its plan; without a folder nothing is kept.

    Args:
        experiment: What is going to run.
        folder: The result folder, if there is one.
        note: Is told of a damaged plan, and of one that has changed.
        fresh: Removes the finished runs of the folder, so that all are made again.

    Raises:
        ConfigError: If another process writes into the folder, or it holds another experiment.
    """
    with opened(folder) as store:
        if folder is not None:
            check_plan(experiment, folder, note)
            if fresh:
                store.remove(experiment.members())
            write_plan(experiment, folder)
        yield store


def check_plan(experiment: Experiment, folder: Path, note: Note) -> None:
    """Refuses a folder with the results of another experiment, which would be replaced.

    Args:
        experiment: What is going to run.
        folder: The result folder.
        note: Is told of a damaged plan, and of one that has changed.

    Raises:
        ConfigError: If the results in the folder are of another experiment.
    """
    if not (folder / PLAN).is_file():
        return
    try:
        before = read_plan(folder)
    except DamagedError as error:
        note(f"{error}; it is written again")
        return
    if (before.raw, before.axes) == (experiment.raw, experiment.axes):
        return
    if not _is_a_change_of(experiment, before):
        raise ConfigError(
            f"{folder}: holds results of another experiment, {before.source}; "
            "choose another folder, or remove this one"
        )
    note(
        f"{folder}: the experiment has changed: finished runs that it still has are kept, its "
        "tables are written anew"
    )


def _is_a_change_of(experiment: Experiment, before: Experiment) -> bool:
    """Returns whether two experiments are of one file or one text, or tables with a run in common."""
    if experiment.text == before.text:
        return True
    if _file_of(experiment).is_file():
        return _file_of(experiment) == _file_of(before)
    if experiment.source != before.source:
        return False
    try:
        known = {member.key for member in before.members()}
    except ConfigError:
        return False
    return any(member.key in known for member in experiment.members())


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
        raise ConfigError(f"{folder}: {_why_no_results(folder)}")
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


def _why_no_results(folder: Path) -> str:
    expected = "expected a folder that tradewind simulate -o has written"
    if not folder.exists():
        return f"there is no such folder; {expected}"
    if not folder.is_dir():
        return f"is a file; {expected}"
    return f"no results of tradewind here ({PLAN} is missing); {expected}"


def _is_axis(axis: Axis) -> bool:
    """Returns whether everything in a value has the right type; in a damaged file it may not."""
    return (
        isinstance(axis.name, str)
        and len(axis.labels) == len(axis.values) > 0
        and all(isinstance(label, int | float | str) for label in axis.labels)
        and all(isinstance(values, dict) for values in axis.values)
    )
