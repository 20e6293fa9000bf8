"""Execution of an experiment: one run, or a sweep of runs in parallel processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind import core, errors
from tradewind.config.experiment import Experiment
from tradewind.config.overrides import keyword_overrides
from tradewind.errors import ConfigError, DeadlockError, Error
from tradewind.runs.display import shown
from tradewind.runs.execution import Observer
from tradewind.runs.limits import check_runs
from tradewind.runs.origin import stamped
from tradewind.runs.plan import kept_runs
from tradewind.runs.run import Failure, Run, RunSet
from tradewind.runs.workplace import workplace

if TYPE_CHECKING:
    import xarray

_GO_ON = "the same call goes on from there"

Given = str | Path | Mapping[str, Any] | Experiment


def load(given: Given, overrides: Mapping[str, Any] | None = None) -> Experiment:
    """Returns the experiment itself, or reads the one that a path, name or table stands for."""
    if not isinstance(given, Experiment):
        return Experiment.load(given, overrides)
    if overrides:
        raise ConfigError(
            "an Experiment that is loaded already takes no overrides; give them to Experiment.load"
        )
    return given


def run_all(
    experiment: Experiment,
    folder: Path | None,
    observer: Observer | None = None,
    *,
    fresh: bool = False,
    scheduler: str | None = None,
    progress: bool | None = False,
) -> RunSet:
    """Makes all runs of an experiment, each in a process of its own.

    Args:
        experiment: What to run.
        folder: Where finished runs are kept; those that it has are not made again. None keeps
            nothing.
        observer: Is told what happens; default: as `progress` says.
        fresh: Makes the finished runs of the folder again.
        scheduler: Address of a Dask scheduler whose workers make the runs; default: this machine.
        progress: Shows how far the runs are, or nothing; None: if somebody watches.

    Raises:
        ConfigError: If any run is wrong, the folder holds another experiment, or the scheduler
            cannot be reached; nothing has started then.
        Interrupted: By Ctrl-C; finished runs are in the folder.
    """
    members = experiment.members()
    with workplace(scheduler) as place:
        predictions = check_runs(members, experiment.source, place.memory())
        with (
            kept_runs(experiment, folder, lambda text: None, fresh=fresh) as store,
            shown(members, predictions, progress) as display,
        ):
            advice = _GO_ON if folder else "none are kept without a folder"
            told = observer or display
            runs = place.execution(members, predictions, store, told, advice)
            return RunSet(experiment, runs.run())


def simulate(
    experiment: Given,
    overrides: Mapping[str, Any] | None = None,
    *,
    directory: str | Path | None = None,
    fresh: bool = False,
    scheduler: str | None = None,
    progress: bool | None = None,
    **arguments: Any,
) -> Run | RunSet:
    """Simulates an experiment.

    Values may be of numpy, tuples, ranges, paths and machines wherever tables have values.

    Args:
        experiment: Path of a TOML file, name of a shipped experiment, tables as a dict, or an
            Experiment.
        overrides: Values for dotted keys, such as {"machine.routing": "valiant"}.
        directory: Where finished runs are kept; those that it has are not made again. None keeps
            nothing.
        fresh: Makes the finished runs of the directory again.
        scheduler: Address of a Dask scheduler, such as tcp://host:8786; default: this machine.
        progress: Shows how far the runs are, or nothing; default: on a terminal and in a notebook.
        **arguments: Keys of [simulation] (threads, seed, packet_size, ...), or ranks.

    Returns:
        The run; or, if the experiment has a [sweep], all its runs. Both have `runs`, `time_s`,
        `delay`, `plot`, `to_dict`, `to_xarray` and `to_pandas`, and a table in notebooks.

    Raises:
        ConfigError: If the experiment is wrong.
        DeadlockError: If the simulated program cannot go on.
        Interrupted: By Ctrl-C.
    """
    loaded = load(experiment, {**keyword_overrides(arguments), **(overrides or {})})
    folder = None if directory is None else Path(directory)
    if not loaded.is_sweep and folder is None and scheduler is None:
        return _simulated_here(loaded, progress)
    runs = run_all(loaded, folder, fresh=fresh, scheduler=scheduler, progress=progress)
    return runs if loaded.is_sweep else _only_run(runs)


def _simulated_here(experiment: Experiment, progress: bool | None) -> Run:
    """Makes the only run of an experiment in this process."""
    members = experiment.members()
    predictions = check_runs(members, experiment.source)
    (member,), (prediction,) = members, predictions
    with shown(members, predictions, progress) as display:
        display.started(member, prediction)

        def advanced(done: int, hops: int, now: int) -> bool:
            display.advanced(member, done, hops, now)
            return True

        try:
            raw = stamped(core.load().simulate(member.spec.tables(), advanced))
        except DeadlockError as error:
            failure = Failure.of(member, DeadlockError.__name__, str(error))
            raise DeadlockError(failure.message) from None
        run = Run.of(member, raw)
        display.finished(member, run, resumed=False)
    return run


def _only_run(runs: RunSet) -> Run:
    """Returns the run of an experiment without a sweep.

    Raises:
        Error: Of the class with which it has failed.
    """
    if runs.runs:
        return runs[0]
    (failure,) = runs.failures
    kind = getattr(errors, failure.kind, Error)
    raise kind(failure.message)


def sweep(
    experiment: Given,
    directory: str | Path | None = None,
    *,
    fresh: bool = False,
    scheduler: str | None = None,
    progress: bool | None = None,
    overrides: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> xarray.Dataset:
    """Runs a sweep in parallel processes, of this machine or of a Dask cluster.

    It is `simulate(...).to_xarray()`, but for the attribute `failed`.

    Args:
        experiment: As for `simulate`.
        directory: Where finished runs are kept; those that it has are not made again. None keeps
            nothing.
        fresh: Makes the finished runs of the directory again.
        scheduler: Address of a Dask scheduler, such as tcp://host:8786; default: this machine.
        progress: Shows how far the runs are, or nothing; default: on a terminal and in a notebook.
        overrides: Values for dotted keys.
        **arguments: Keys of [simulation], or ranks. `resume=True` is accepted and is the default;
            `resume=False` is the same as `fresh=True`.

    Returns:
        A dataset with one dimension per swept key; runs that failed are NaN and are listed in
        the attribute `failed`.

    Raises:
        ConfigError: If the experiment is wrong.
        Error: If every run failed.
    """
    fresh = fresh or not arguments.pop("resume", True)
    loaded = load(experiment, {**keyword_overrides(arguments), **(overrides or {})})
    folder = None if directory is None else Path(directory)
    runs = run_all(loaded, folder, fresh=fresh, scheduler=scheduler, progress=progress)
    if not runs.runs:
        first = runs.failures[0]
        raise Error(f"every run failed; {first.member.label}: {first.kind}: {first.message}")
    dataset = runs.to_xarray()
    dataset.attrs["failed"] = [f"{entry.member.label}: {entry.message}" for entry in runs.failures]
    return dataset
