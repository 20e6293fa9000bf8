"""The time that runs will take, roughly, and what would shorten them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tradewind.config.experiment import Member
from tradewind.config.spec import Simulation, Spec
from tradewind.errors import ConfigError
from tradewind.runs.limits import Prediction, predict

# Runs that are expected to take longer are announced.
LONG_S = 3600.0
# Measured on one core: docs/explanation/performance.md. A packet passes some four switches.
_PACKETS_PER_S = 1.0e6
_MESSAGES_PER_S = 2.0e6
# A change that leaves more of the time is not worth mentioning.
_WORTH_SAYING = 0.9


@dataclass(frozen=True)
class Plan:
    """Runs that are to be made, and the cores that make them.

    Args:
        members: The runs.
        predictions: Their sizes.
        cores: The cores that they share.
    """

    members: Sequence[Member]
    predictions: Sequence[Prediction]
    cores: int

    @property
    def seconds(self) -> float:
        """The expected real time of all of them."""
        times = [self._seconds_of(*one) for one in self._runs]
        threads = [min(member.threads, self.cores) for member in self.members]
        busy = sum(time * count for time, count in zip(times, threads, strict=True))
        return max(max(times, default=0.0), busy / max(1, self.cores))

    def without(self, is_finished: Callable[[Member], bool]) -> Plan:
        """Returns the plan without runs that are finished."""
        left = [one for one in self._runs if not is_finished(one[0])]
        return Plan([one[0] for one in left], [one[1] for one in left], self.cores)

    def remarks(self) -> list[str]:
        """Returns lines for people: how long it takes, and what would shorten the longest run."""
        longest = max(self._runs, key=lambda one: self._seconds_of(*one))
        whole, own = self.seconds, self._seconds_of(*longest)
        lines = [f"expected to take about {rough_time(whole)}"]
        if len(self.members) > 1:
            lines.append(f"the longest run takes about {rough_time(own)}: {longest[0].label}")
        return [*lines, f"what would shorten it: {'; '.join(self._ways(longest[0], own))}"]

    def remarks_if_long(self, is_finished: Callable[[Member], bool]) -> list[str]:
        """Returns the remarks if the runs that are not finished will take more than an hour.

        Args:
            is_finished: Tells whether a run need not be made; it is asked if all would take that long.
        """
        if self.seconds <= LONG_S:
            return []
        left = self.without(is_finished)
        return left.remarks() if left.seconds > LONG_S else []

    @property
    def _runs(self) -> list[tuple[Member, Prediction]]:
        return list(zip(self.members, self.predictions, strict=True))

    def _seconds_of(self, member: Member, prediction: Prediction) -> float:
        return seconds_of(member.spec, prediction, self.cores)

    def _ways(self, member: Member, now: float) -> Iterator[str]:
        """Yields changes of a run with the time that it would take then."""
        for words, changed in _changes(member.spec.simulation, self.cores).items():
            spec = replace(member.spec, simulation=changed)
            try:
                then = self._seconds_of(replace(member, spec=spec), predict(spec))
            except ConfigError:
                continue
            if then < _WORTH_SAYING * now:
                yield f"{words} (about {rough_time(then)})"
        yield "fewer ranks"
        yield "more machines (--scheduler)"


def _changes(simulation: Simulation, cores: int) -> dict[str, Simulation]:
    """Returns settings of a simulation that make it faster, by the option that gives them."""
    changes = {}
    if simulation.threads < cores:
        changes[f"--threads {cores}"] = simulation.changed(threads=cores)
    if simulation.network != "analytic":
        if simulation.get("packet_size", 0) != 0:
            changes["--set simulation.packet_size=auto"] = simulation.changed(packet_size=0)
        changes["--set simulation.network=analytic, without queues"] = simulation.changed(
            network="analytic"
        )
    return changes


def seconds_of(spec: Spec, prediction: Prediction, cores: int) -> float:
    """Returns the real time in s that a run is expected to take.

    Args:
        spec: Its settings.
        prediction: Its size.
        cores: The cores that it may use.
    """
    work = prediction.messages / _MESSAGES_PER_S
    if spec.simulation.network != "analytic":
        work += prediction.packets / _PACKETS_PER_S
    return work / max(1, min(spec.simulation.threads, cores))


def rough_time(seconds: float) -> str:
    """Returns a rough time in words: "3 h", "2 days"."""
    if seconds < 5400:
        return f"{max(1, round(seconds / 60))} min"
    if seconds < 48 * 3600:
        return f"{seconds / 3600:.0f} h"
    return f"{seconds / 86400:.0f} days"
