"""One simulation that MPI processes share: what they are told, and what is shown of the result."""

from __future__ import annotations

from typing import Any

from tradewind import mpi
from tradewind.cli import console
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.runs.limits import check_runs
from tradewind.units import seconds_text


def words_of_run(experiment: Experiment) -> list[str]:
    """The arguments of `tradewind-mpi` for the only run of an experiment.

    Raises:
        ConfigError: If it has several runs, or cannot work.
    """
    members = experiment.members()
    if len(members) > 1:
        raise ConfigError(
            f"{experiment.source}: a sweep of {len(members)} runs; processes share one run, "
            "tradewind simulate without mpiexec makes sweeps"
        )
    check_runs(members, experiment.source)
    return ["simulate", *mpi.words_of(members[0].spec)]


def join_run(experiment: Experiment, *, as_json: bool) -> int:
    """Takes part in a run, as one of the processes that mpiexec has started."""
    result = mpi.join(words_of_run(experiment))
    if result is not None:
        show_shared_run(experiment, result, as_json=as_json)
    return 0


def show_shared_run(experiment: Experiment, result: dict[str, Any], *, as_json: bool) -> None:
    """Prints what the first process has reported."""
    if as_json:
        console.print_json(result)
        return
    console.output.print(
        f"{experiment.title}: {seconds_text(result['time_ps'] * 1e-12)}, hash {result['hash']}, "
        f"simulated by {result['processes']} processes in {seconds_text(result['wall_s'])}",
        highlight=False,
        markup=False,
    )
