"""Critical paths of runs that have kept none: short runs are simulated again with the record of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tradewind import core
from tradewind.errors import Error, Interrupted
from tradewind.runs.run import Failure, Run, RunSet


@dataclass(frozen=True)
class WithPaths:
    """Runs with their critical paths.

    Args:
        runs: The runs.
        too_long: The number of finished runs for which there was no time.
        refused: The number of those that cannot be repeated with the record.
    """

    runs: RunSet
    too_long: int = 0
    refused: int = 0


def with_critical_paths(runs: RunSet, seconds: float) -> WithPaths:
    """Returns the runs with critical paths, as far as the time allows.

    The processor time that each run took decides, so that the same results give the same choice.

    Args:
        runs: The outcomes of an experiment.
        seconds: The processor time in s that all repeated runs may take.
    """
    added: dict[int, Run] = {}
    refused = 0
    wanted = sorted((run for run in runs if run.critical_path is None), key=lambda run: run.cpu_s)
    for number, run in enumerate(wanted):
        seconds -= run.cpu_s
        if seconds < 0:
            too_long = len(wanted) - number
            return WithPaths(_replaced(runs, added), too_long, refused)
        again = _again(run)
        if again is None:
            refused += 1
        else:
            added[id(run)] = again
    return WithPaths(_replaced(runs, added), 0, refused)


def _again(run: Run) -> Run | None:
    """Returns the run with its critical path; None if it cannot be repeated."""
    tables = run.spec.tables()
    tables["simulation"] |= {"critical_path": True, "threads": 1}
    try:
        raw = core.load().simulate(tables, lambda done, hops, now: True)
    except Interrupted:
        raise
    except Error:
        return None
    # A file that the program reads, such as a trace, may have changed since.
    if raw["hash"] != run.hash or not raw.get("critical_path"):
        return None
    return replace(run, raw={**run.raw, "critical_path": raw["critical_path"]})


def _replaced(runs: RunSet, added: Mapping[int, Run]) -> RunSet:
    outcomes: list[Run | Failure] = [added.get(id(one), one) for one in runs.outcomes]
    return replace(runs, outcomes=outcomes)
