"""The critical path of a simulated run: what its end had to wait for, back to the start."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tradewind.core import RawRun
from tradewind.errors import Error

# The kinds of steps in words; the core has their names.
MEANINGS: Mapping[str, str] = {
    "compute": "computation of ranks",
    "local_work": "copies and sums of ranks",
    "overhead": "processor time for messages",
    "progress": "a partner that computes and makes no call",
    "injection_queue": "behind other messages of the same interface",
    "back_pressure": "interface held up: no room in the first switch",
    "port_queue": "behind other packets at a port",
    "credit": "no room behind a port",
    "memory": "behind other data at the memory of a node",
    "wire": "latencies, and the bytes of the message itself",
    "node_copy": "messages within a node",
    "rendezvous": "announcements and answers of long messages",
}
_NO_PORT = -1


@dataclass(frozen=True)
class Share:
    """A part of the critical path.

    Args:
        name: What it is about.
        time_ps: Its time in ps; the parts of a split add up to that of the path.
        share: The same, divided by the time of the path.
        steps: The number of its steps.
    """

    name: str
    time_ps: int
    share: float
    steps: int

    @property
    def time_s(self) -> float:
        """Its time in s."""
        return self.time_ps * 1e-12

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class CriticalPath:
    """The steps between the start of a run and its end, each of which begins where the last ended.

    Args:
        columns: Arrays of one entry per step: kind (index into `kinds`), begin_ps, end_ps, rank,
            partner (differs from rank for steps of a message), phase (index into `phases`, or -1),
            switch, port, to_switch (-1 for a node) and link_class (-1 where no port is named).
        kinds: The names of the kinds of steps.
        phases: The names of the phases of the program.
        classes: The names of the classes of links.
    """

    columns: Mapping[str, Any]
    kinds: Sequence[str]
    phases: Sequence[str]
    classes: Sequence[str]

    @classmethod
    def of(cls, raw: RawRun) -> CriticalPath | None:
        """Makes it from the result of the core; None if the run did not keep it."""
        given = raw.get("critical_path")
        if not given:
            return None
        columns = {name: column for name, column in given.items() if name != "kinds"}
        phases = [phase["name"] for phase in raw["phases"]]
        classes = [entry["name"] for entry in raw["links"]["classes"]]
        return cls(columns, list(given["kinds"]), phases, classes)

    def __len__(self) -> int:
        """Returns the number of steps."""
        return len(self.columns["kind"])

    @property
    def time_ps(self) -> int:
        """The time of all steps together, which is the simulated time of the run."""
        return int(self._durations().sum())

    @property
    def handovers(self) -> int:
        """The number of times that the path goes on at another rank."""
        rank, partner = self.columns["rank"], self.columns["partner"]
        return int(np.count_nonzero(rank[1:] != rank[:-1])) + int(
            len(self) > 0 and partner[-1] != rank[-1]
        )

    def by_kind(self) -> list[Share]:
        """Splits the time by what took it."""
        return self._split([self.kinds[kind] for kind in self.columns["kind"]])

    def by_phase(self) -> list[Share]:
        """Splits the time by the phase of the program that the rank was in, or sent its message."""
        return self._split([self._phase(index) for index in self.columns["phase"]])

    def by_phase_and_kind(self) -> dict[str, list[Share]]:
        """Splits the time of each phase by kind; shares are those of the whole path."""
        names = np.array([self._phase(index) for index in self.columns["phase"]])
        kinds = np.array(self.kinds)[self.columns["kind"]]
        return {
            phase.name: self._split(kinds[names == phase.name].tolist(), names == phase.name)
            for phase in self.by_phase()
        }

    def by_link(self) -> list[Share]:
        """Splits the time that messages waited at ports of switches by port."""
        at = self.columns["port"] != _NO_PORT
        return self._split([self._port(int(i)) for i in np.flatnonzero(at)], at)

    def by_pair(self) -> list[Share]:
        """Splits the time that messages were under way by their source and destination."""
        rank, partner = self.columns["rank"], self.columns["partner"]
        between = rank != partner
        names = [f"{rank[i]} - {partner[i]}" for i in np.flatnonzero(between)]
        return self._split(names, between)

    def by_rank(self) -> list[Share]:
        """Splits the time that ranks were busy themselves by rank."""
        rank, partner = self.columns["rank"], self.columns["partner"]
        own = rank == partner
        return self._split([str(number) for number in rank[own]], own)

    def share_of(self, *kinds: str) -> float:
        """Returns the share of some kinds of steps in the time of the path, in 0..1."""
        return sum(entry.share for entry in self.by_kind() if entry.name in kinds)

    def check(self, time_s: float) -> None:
        """Checks that the steps lead from the start to the end of the run without a gap.

        Args:
            time_s: The simulated time of the run.

        Raises:
            Error: If they do not: a fault of the simulator.
        """
        begin, end = self.columns["begin_ps"], self.columns["end_ps"]
        if len(self) == 0:
            whole = time_s == 0
        else:
            whole = bool(
                begin[0] == 0
                and np.array_equal(begin[1:], end[:-1])
                and end[-1] == round(time_s * 1e12)
            )
        if not whole:
            raise Error(
                "the critical path has a gap: this is a fault of the simulator, please report it"
            )

    def to_dict(self) -> dict[str, Any]:
        """Returns all splits as plain values, for JSON."""
        return {
            "time_ps": self.time_ps,
            "steps": len(self),
            "handovers": self.handovers,
            "kinds": [entry.to_dict() for entry in self.by_kind()],
            "phases": [
                {**entry.to_dict(), "kinds": [one.to_dict() for one in kinds]}
                for entry, kinds in zip(
                    self.by_phase(), self.by_phase_and_kind().values(), strict=True
                )
            ],
            "links": [entry.to_dict() for entry in self.by_link()],
            "pairs": [entry.to_dict() for entry in self.by_pair()],
            "ranks": [entry.to_dict() for entry in self.by_rank()],
        }

    def _durations(self) -> Any:
        return self.columns["end_ps"] - self.columns["begin_ps"]

    def _phase(self, index: int) -> str:
        return self.phases[index] if index >= 0 else "outside phases"

    def _port(self, step: int) -> str:
        """Returns the port at which a step waited, in words."""
        here, target = (int(self.columns[name][step]) for name in ("switch", "to_switch"))
        if target < 0:
            return f"switch {here}, port {int(self.columns['port'][step])}, to its node"
        kind = int(self.columns["link_class"][step])
        name = self.classes[kind] if 0 <= kind < len(self.classes) else "link"
        return f"switch {here} to switch {target} ({name})"

    def _split(self, names: Sequence[Any], chosen: Any = None) -> list[Share]:
        """Adds up the chosen steps of each name; the largest sum comes first."""
        durations = self._durations()
        times: dict[Any, list[int]] = {}
        for name, time in zip(
            names, durations if chosen is None else durations[chosen], strict=True
        ):
            entry = times.setdefault(name, [0, 0])
            entry[0] += int(time)
            entry[1] += 1
        whole = max(int(durations.sum()), 1)
        shares = [Share(name, time, time / whole, steps) for name, (time, steps) in times.items()]
        return sorted(shares, key=lambda one: (-one.time_ps, str(one.name)))
