"""Execution of an experiment: one run, or a sweep of runs in parallel processes."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind import core
from tradewind.config.experiment import Experiment, Member
from tradewind.config.overrides import keyword_overrides
from tradewind.errors import ConfigError, Error
from tradewind.runs.execution import Observer
from tradewind.runs.limits import Prediction, check_runs
from tradewind.runs.local import GO_ON
from tradewind.runs.plan import kept_runs
from tradewind.runs.run import Failure, Run, RunSet
from tradewind.runs.workplace import workplace

if TYPE_CHECKING:
    import xarray

Given = str | Path | Mapping[str, Any] | Experiment


class Silent:
    """An observer that draws nothing."""

    def started(self, member: Member, prediction: Prediction) -> None:
        """Does nothing."""

    def advanced(self, member: Member, done_ranks: int, work_done: int, simulated_ps: int) -> None:
        """Does nothing."""

    def finished(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        """Does nothing."""

    def damaged(self, member: Member, reason: str) -> None:
        """Does nothing."""


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
) -> RunSet:
    """Makes all runs of an experiment, each in a process of its own.

    Args:
        experiment: What to run.
        folder: Where finished runs are kept; those that it has are not made again. None keeps
            nothing.
        observer: Is told what happens.
        fresh: Makes the finished runs of the folder again.
        scheduler: Address of a Dask scheduler whose workers make the runs; default: this machine.

    Raises:
        ConfigError: If any run is wrong, the folder holds another experiment, or the scheduler
            cannot be reached; nothing has started then.
        Interrupted: By Ctrl-C; finished runs are in the folder.
    """
    members = experiment.members()
    shown = observer or Silent()
    with workplace(scheduler) as place:
        predictions = check_runs(members, experiment.source, place.memory())
        with kept_runs(experiment, folder, lambda text: None, fresh=fresh) as store:
            advice = GO_ON if folder else "none are kept without a folder"
            runs = place.execution(members, predictions, store, shown, advice)
            return RunSet(experiment, runs.run())


def simulate(
    experiment: Given, overrides: Mapping[str, Any] | None = None, **arguments: Any
) -> Run | RunSet:
    """Simulates an experiment.

    Args:
        experiment: Path of a TOML file, name of a shipped experiment, tables as a dict, or an Experiment.
        overrides: Values for dotted keys, such as {"machine.routing": "valiant"}.
        **arguments: Keys of [simulation] (threads, seed, packet_size, ...), or ranks.

    Returns:
        The run; or, if the experiment has a [sweep], all its runs.

    Raises:
        ConfigError: If the experiment is wrong.
        DeadlockError: If the simulated program cannot go on.
        Interrupted: By Ctrl-C.
    """
    loaded = load(experiment, {**keyword_overrides(arguments), **(overrides or {})})
    if loaded.is_sweep:
        return run_all(loaded, None)
    (member,) = loaded.members()
    check_runs([member], loaded.source)
    raw = core.load().simulate(member.spec.tables(), lambda done, hops, now: True)
    return Run.of(member, raw)


def sweep(
    experiment: Given,
    directory: str | Path | None = None,
    *,
    fresh: bool = False,
    resume: bool = True,
    scheduler: str | None = None,
    overrides: Mapping[str, Any] | None = None,
    **arguments: Any,
) -> xarray.Dataset:
    """Runs a sweep in parallel processes, of this machine or of a Dask cluster.

    Args:
        experiment: As for `simulate`.
        directory: Where finished runs are kept; those that it has are not made again. None keeps
            nothing.
        fresh: Makes the finished runs of the directory again.
        resume: The default, for scripts that say it; False is the same as `fresh`.
        scheduler: Address of a Dask scheduler, such as tcp://host:8786; default: this machine.
        overrides: Values for dotted keys.
        **arguments: Keys of [simulation], or ranks.

    Returns:
        A dataset with one dimension per swept key; runs that failed are NaN and are listed in
        the attribute `failed`.

    Raises:
        ConfigError: If the experiment is wrong.
        Error: If every run failed.
    """
    loaded = load(experiment, {**keyword_overrides(arguments), **(overrides or {})})
    folder = Path(directory) if directory else None
    runs = run_all(loaded, folder, fresh=fresh or not resume, scheduler=scheduler)
    if not runs.runs:
        first = runs.failures[0]
        raise Error(f"every run failed; {first.member.label}: {first.kind}: {first.message}")
    dataset = runs.to_xarray()
    dataset.attrs["failed"] = [f"{entry.member.label}: {entry.message}" for entry in runs.failures]
    return dataset
