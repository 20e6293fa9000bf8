"""The time that a tuning will take, roughly: its search rehearsed with predicted trials."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.runs.duration import LONG_S, rough_time, seconds_of
from tradewind.runs.limits import predict
from tradewind.tuning.search import Candidate, ProgramKey, Search
from tradewind.tuning.trials import Use

# Real time in s that rehearsals may take, all together; what is left is taken like what was done.
_BUDGET_S = 3.0
# The cost of a trial that cannot be predicted, since the core refuses it.
_REFUSED_S = 0.0
_SHORT_S = 45.0

Cost = Callable[[Use, Candidate], float]


@dataclass(frozen=True)
class Rehearsal:
    """The trials that a search is expected to make.

    Args:
        trials: Number of trials.
        seconds: Their cost, in s of real time.
        refused: Number of candidates beside them that the program does not accept.
    """

    trials: int
    seconds: float
    refused: int = 0

    def remarks(self, ways: Sequence[str], limit_s: float) -> list[str]:
        """Returns lines for people: trials, time, and what would shorten more than an hour.

        Args:
            ways: Further settings that would shorten it.
            limit_s: The present limit of a trial in s.
        """
        is_short = self.seconds < _SHORT_S
        time = "less than a minute" if is_short else f"about {rough_time(self.seconds)}"
        lines = [f"about {self.trials} trials, expected to take {time}"]
        if self.refused:
            lines[0] += f"; about {self.refused} more candidates are not possible in the program"
        if self.seconds > LONG_S:
            limit = f"a lower --limit for each trial (now {limit_s:g} s)"
            fewer = "fewer ranks, or fewer values in [sweep]"
            lines.append(f"what would shorten it: {'; '.join([*ways, limit, fewer])}")
        return lines


def rehearse(
    uses: Sequence[Use], cost: Cost, program_key: Callable[[Use, Candidate], str | None]
) -> Rehearsal:
    """Searches with predicted costs in place of times: about as many candidates are tried.

    Args:
        uses: The operations.
        cost: The cost of a trial in s; 0 for one that the program does not accept.
        program_key: A key that candidates share which are the same program.
    """
    until = time.monotonic() + _BUDGET_S
    costs: list[float] = []
    done = 0
    for use in uses:
        if done > 0 and time.monotonic() > until:
            break
        costs += _costs_of(use, cost, lambda one, use=use: program_key(use, one), until)  # type: ignore[misc]
        done += 1
    share = len(uses) / max(done, 1)
    refused = sum(one <= _REFUSED_S for one in costs)
    trials = len(costs) - refused
    return Rehearsal(round(share * trials), share * sum(costs), round(share * refused))


def _costs_of(use: Use, cost: Cost, key: ProgramKey, until: float) -> list[float]:
    """Returns the costs of all trials of an operation; past the time, they are like the last one."""
    costs: list[float] = []

    def trial(candidate: Candidate, bound: float) -> float:
        is_late = bool(costs) and time.monotonic() > until
        costs.append(costs[-1] if is_late else cost(use, candidate))
        return costs[-1]

    def key_in_time(candidate: Candidate) -> str | None:
        return None if time.monotonic() > until else key(candidate)

    Search(use.operation, use.ranks, trial, key_in_time).run()
    return costs


def simulated_cost(use: Use, candidate: Candidate, limit_s: float) -> float:
    """Returns the real time in s that a simulation is expected to take.

    Args:
        use: The operation.
        candidate: The algorithm with its options.
        limit_s: The time after which it is given up.
    """
    spec = use.spec(candidate)
    try:
        return min(limit_s, seconds_of(spec, predict(spec), usable_cores()))
    except ConfigError:
        return _REFUSED_S


def is_refused(use: Use, candidate: Candidate) -> bool:
    """Reports whether the program of an operation does not accept a candidate, so that it cannot be simulated."""
    return simulated_cost(use, candidate, 1.0) <= _REFUSED_S


def analytic(uses: Sequence[Use]) -> list[Use]:
    """Returns the operations on a network without queues; none if they are so already."""
    found = []
    for use in uses:
        spec = use.member.spec
        if spec.simulation.network == "analytic":
            return []
        changed = replace(spec, simulation=spec.simulation.changed(network="analytic"))
        found.append(replace(use, member=replace(use.member, spec=changed)))
    return found
