"""Measurements for a calibration, made in rounds and kept, until their times are known well enough."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, log
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from tradewind import bench, core
from tradewind.bench import Measurements, Row
from tradewind.bench.intervals import FEWEST_VALUES, signed_rank_interval
from tradewind.calibration.machine_file import processor_name
from tradewind.errors import ConfigError, Interrupted
from tradewind.files import write_text
from tradewind.results.record import read_sealed, sealed

# Measurements for the fit, in this order.
NEEDED = ("pingpong", "overhead", "kernels")
COLLECTIVES, NEIGHBOR = "collectives", "neighbor"
SIZES = tuple(8 << step for step in range(18))
_COLLECTIVE_SIZES = (8, 256, 4096, 32768, 262144)
FILE_NAME = "measurements.json"
_SCHEMA = "calibration 1"

Note = Callable[[str], None]
Round = Mapping[str, Measurements]


@dataclass(frozen=True)
class Effort:
    """The work that measurements may take.

    Args:
        repetitions: Repetitions of every case in a round.
        precision: Half the relative width of the interval of a time at which rounds end.
        limit_s: Seconds after which no round begins.
        percentile: Percentile of the repetitions of a round that is their time.
    """

    repetitions: int = 20
    precision: float = 0.05
    limit_s: float = 300.0
    percentile: float = 50.0


@dataclass
class Rounds:
    """Rounds of the same measurements.

    Args:
        ranks: MPI processes.
        launcher: Command to use instead of mpiexec.
        repetitions: Repetitions of every case in a round.
        rounds: The measurements of each round by name.
        end: The reason why no more were made, in words.
    """

    ranks: int
    launcher: str | None
    repetitions: int
    rounds: list[Round] = field(default_factory=list)
    end: str = ""

    @property
    def about(self) -> dict[str, Any]:
        """The conditions under which rounds belong together."""
        return {
            "ranks": self.ranks,
            "launcher": self.launcher,
            "repetitions": self.repetitions,
            "processor": processor_name(),
            "tradewind": core.load().version,
        }

    def joined(self) -> dict[str, Measurements]:
        """Returns the measurements with the repetitions of all rounds."""
        return {
            name: replace(
                first,
                rows=tuple(
                    replace(
                        row,
                        seconds=np.concatenate(
                            [other[name].rows[i].seconds for other in self.rounds]
                        ),
                    )
                    for i, row in enumerate(first.rows)
                ),
            )
            for name, first in self.rounds[0].items()
        }

    def width(self, percentile: float) -> float:
        """Returns half the relative width of the interval of a fitted time: the median over all.

        The interval is that of the times of the rounds; of fewer than six rounds it is their range.
        Of one round the width is infinite.
        """
        if len(self.rounds) < 2:
            return float("inf")
        rows = [
            [one[name].rows[i].percentile_s(percentile) for one in self.rounds]
            for name in NEEDED
            for i in range(len(self.rounds[0][name].rows))
        ]
        return median(_half_width([log(max(value, 1e-12)) for value in times]) for times in rows)

    def save(self, path: Path) -> None:
        """Writes all rounds."""
        rounds = [{name: _plain(one) for name, one in done.items()} for done in self.rounds]
        write_text(path, sealed({"about": self.about, "rounds": rounds}, _SCHEMA))

    def take_over(self, path: Path) -> None:
        """Reads the rounds of a file that was written under the same conditions.

        Raises:
            ConfigError: If the conditions differ, or the file is damaged.
        """
        record = read_sealed(path, _SCHEMA)
        about = record["about"]
        for key, value in self.about.items():
            if about.get(key) != value:
                raise ConfigError(
                    f"{path}: was measured with {key} = {about.get(key)}, not {value}; --fresh "
                    "measures again"
                )
        self.rounds = [
            {name: _measurements(name, raw) for name, raw in done.items()}
            for done in record["rounds"]
        ]


def _half_width(logs: Sequence[float]) -> float:
    if len(logs) < FEWEST_VALUES:
        return exp((max(logs) - min(logs)) / 2) - 1.0
    found = signed_rank_interval(logs)
    return exp((found.high - found.low) / 2) - 1.0


def measure_rounds(rounds: Rounds, path: Path, effort: Effort, note: Note) -> None:
    """Measures until times are known to the precision, or the time is up, and says which.

    Args:
        rounds: Rounds that exist already; more are added.
        path: The file that keeps them, written after each round.
        effort: The work that this may take.
        note: Receives a message on each round and at the end.

    Raises:
        MpiError: If a job fails.
        Interrupted: On Ctrl-C; finished rounds are in the file.
    """
    begin = time.monotonic()
    while not rounds.end:
        width = rounds.width(effort.percentile)
        spent = time.monotonic() - begin
        known = f"half of the times are known to {width:.1%} or better"
        if len(rounds.rounds) >= FEWEST_VALUES and width <= effort.precision:
            rounds.end = f"precise enough after {len(rounds.rounds)} rounds: {known}"
        elif rounds.rounds and spent >= effort.limit_s:
            rounds.end = (
                f"the limit of {effort.limit_s:g} s is reached after {len(rounds.rounds)} rounds: "
                f"{known}, not to {effort.precision:.1%}"
            )
        else:
            note(f"round {len(rounds.rounds) + 1} on {rounds.ranks} ranks")
            _measure_one(rounds, path)
    note(rounds.end)


def _measure_one(rounds: Rounds, path: Path) -> None:
    try:
        rounds.rounds.append(
            {
                name: bench.measure(
                    name,
                    rounds.ranks,
                    sizes=SIZES if name in NEEDED else _COLLECTIVE_SIZES,
                    repetitions=rounds.repetitions,
                    launcher=rounds.launcher,
                )
                for name in (*NEEDED, COLLECTIVES, NEIGHBOR)
            }
        )
    except KeyboardInterrupt:
        raise Interrupted(
            f"interrupted; {len(rounds.rounds)} rounds are in {path}, and the next call adds to them"
        ) from None
    rounds.save(path)


def _plain(one: Measurements) -> dict[str, Any]:
    rows = [
        [row.operation, row.name, row.size, row.seconds.tolist(), dict(row.values)]
        for row in one.rows
    ]
    return {
        "ranks": one.ranks,
        "library": one.library,
        "nodes": one.nodes,
        "cores": one.cores,
        "rows": rows,
    }


def _measurements(name: str, raw: Mapping[str, Any]) -> Measurements:
    rows = tuple(
        Row(operation, kind, size, np.array(seconds), values)
        for operation, kind, size, seconds, values in raw["rows"]
    )
    return Measurements(name, raw["ranks"], raw["library"], rows, raw["nodes"], raw["cores"])
