"""Runs of models with data on simulated ranks, and what they show."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tradewind import core
from tradewind.errors import ConfigError
from tradewind.models.case import Case
from tradewind.models.memory import Ranks, check_memory

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Snapshot:
    """Fields and numbers of one output time.

    Args:
        step: The number of the step.
        time_s: The model time in seconds.
        fields: Arrays by name, with the dimensions that the outline gives.
        numbers: Numbers by name, some in groups: diagnostics, norms, counts.
        about_numbers: For each number name (a dot separates group and member), meaning, unit and
            is_headline.
        spectra: Spectra at stations by name, with the dimensions that the outline gives.
    """

    step: int
    time_s: float
    fields: Mapping[str, Array]
    numbers: Mapping[str, Any]
    about_numbers: tuple[Mapping[str, Any], ...] = ()
    spectra: Mapping[str, Array] = field(default_factory=dict)

    def number(self, name: str) -> Any:
        """Returns a number by its name, in which a dot separates group and member."""
        group, _, member = name.partition(".")
        return self.numbers[group][member] if member else self.numbers[group]


@dataclass(frozen=True)
class Checkpointing:
    """Files of the state of a run.

    Args:
        every: Steps between two checkpoints; 0 for none.
        file: The file that each checkpoint replaces.
        restart: The checkpoint that the run begins with; None for the initial state.
    """

    every: int = 0
    file: Path | None = None
    restart: Path | None = None

    def settings(self) -> dict[str, object]:
        """Returns every, file and restart as the core reads them; nothing if neither is wanted."""
        if self.every == 0 and self.restart is None:
            return {}
        if self.every > 0 and self.file is None:
            raise ConfigError("checkpoints need a file to be written to")
        return {
            "every": self.every,
            "file": "" if self.file is None else str(self.file),
            "restart": "" if self.restart is None else str(self.restart),
        }


@dataclass(frozen=True)
class PhaseTimes:
    """The times of the processes in a phase of a run on MPI, a value for each process.

    Args:
        seconds: The wall-clock time.
        blocked_s: The part of it in calls of MPI that wait for messages or collectives.
        processor_s: The processor time.
        received_bytes: The bytes of received messages, without those of puts.
    """

    seconds: Array
    blocked_s: Array
    processor_s: Array
    received_bytes: Array


@dataclass
class ModelRun:
    """A run: planned, under way, ended early or complete.

    Args:
        case: The case.
        ranks: The number of ranks.
        outline: What is known before the first step: model, references, processes, steps,
            time_step_s, origin (since, calendar and start_s of a run with a date), axes, mesh, fields, fixed_fields, stations, numbers, about_numbers.
        library: The MPI library; empty for simulated ranks.
        snapshots: Output times in order, as far as the run has come.
        steps_done: The last step that was reported.
        messages: Messages between ranks, of a complete run.
        bytes: Their bytes.
        simulated_s: Simulated time in seconds, of a complete run on simulated ranks.
        step_s: Median time of the steps but the first, of a complete run on MPI.
        moved: Processes to which MPI has given another rank, of a complete run on MPI.
        phases: Times of its phases by their names, of a complete run on MPI.
    """

    case: Case
    ranks: int
    outline: Mapping[str, Any]
    library: str = ""
    snapshots: list[Snapshot] = field(default_factory=list)
    steps_done: int = 0
    messages: int = 0
    bytes: int = 0
    simulated_s: float = 0.0
    step_s: float = 0.0
    moved: int = 0
    phases: Mapping[str, PhaseTimes] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The title of the case, or the name of the model in words."""
        return self.case.title or str(self.outline["model"])

    @property
    def steps(self) -> int:
        """The number of steps; 0 if the run ends by itself."""
        return int(self.outline["steps"])

    @property
    def is_complete(self) -> bool:
        """True if the last output time has been shown."""
        return bool(self.snapshots) and self.snapshots[-1].step == self.steps

    @property
    def final(self) -> Snapshot:
        """The last output time.

        Raises:
            ConfigError: If there is none yet.
        """
        if not self.snapshots:
            raise ConfigError(f"{self.title}: the run has not shown anything yet")
        return self.snapshots[-1]

    def axis(self, dimension: str) -> Array:
        """Returns the coordinates along a dimension such as "lat".

        Raises:
            KeyError: If the model has no such dimension.
        """
        for axis in self.outline["axes"]:
            if axis["dimension"] == dimension:
                return axis["values"]  # type: ignore[no-any-return]
        raise KeyError(dimension)


def plan(case: Case, ranks: int = 1, where: Ranks = Ranks.SIMULATED) -> ModelRun:
    """Checks a case on a number of ranks; nothing has been computed yet.

    Args:
        case: The case.
        ranks: The number of ranks that the grid is divided among.
        where: The kind of ranks, which decides whose memory they need.

    Raises:
        ConfigError: If the grid, the ranks, the algorithms or the time step do not fit, or need more
            memory than there is.
    """
    with case.named():
        case = case.on(ranks)
        check_memory(case.model, case.settings, ranks, where)
        return ModelRun(case, ranks, core.load().plan_model(case.model, case.settings, ranks))


def run(case: Case, ranks: int = 1, progress: Progress | None = None) -> ModelRun:
    """Runs a case with real data on simulated ranks.

    Args:
        case: The case.
        ranks: The number of ranks that the grid is divided among.
        progress: Is told the step and the number of steps.

    Raises:
        ConfigError: If the grid, the ranks or the settings do not fit.
        Error: If the run fails, such as one that becomes unstable.
    """
    planned = plan(case, ranks)
    simulate(planned, progress)
    return planned


def simulate(
    run: ModelRun, progress: Progress | None = None, checkpoints: Checkpointing | None = None
) -> None:
    """Makes a planned run on simulated ranks; what it has shown when it is ended stays in it.

    Raises:
        ConfigError: If a checkpoint is of another run or cannot be read.
        Error: If the run fails, such as one that becomes unstable.
    """
    recorder = Recorder(run, progress)
    files = (checkpoints or Checkpointing()).settings()
    done = core.load().run_model(run.case.model, run.case.settings, run.ranks, recorder, files)
    run.messages, run.bytes, run.simulated_s = done["messages"], done["bytes"], done["simulated_s"]


def step_seconds(
    run: ModelRun, make: Callable[[ModelRun, Progress], None], limit_s: float = math.inf
) -> float:
    """Makes a planned run; returns the time of a step in seconds, the first one left out.

    On MPI the median, otherwise the mean.

    Args:
        run: From `plan`, of two steps or more.
        make: `simulate`, or `run_on_mpi`.
        limit_s: The time after which the run is ended.

    Raises:
        ConfigError: If the run was too short to be timed.
        Error: As `make`.
        TimeoutError: After `limit_s`.
    """
    reports: list[tuple[int, float]] = []
    end = time.perf_counter() + limit_s

    def progress(step: int, steps: int) -> None:
        now = time.perf_counter()
        reports.append((step, now))
        if now > end:
            raise TimeoutError

    make(run, progress)
    # Reports of other processes may come together.
    if run.step_s > 0:
        return run.step_s
    (first, begin), (last, finish) = reports[0], reports[-1]
    if last == first:
        raise ConfigError(f"a run of {last} steps was too short to be timed")
    return (finish - begin) / (last - first)


@dataclass
class Recorder:
    """Keeps what a run reports."""

    run: ModelRun
    progress: Progress | None = None

    def stepped(self, step: int) -> None:
        """Takes note of a finished step."""
        self.run.steps_done = step
        if self.progress is not None:
            self.progress(step, self.run.steps)

    def observed(self, output: Mapping[str, Any]) -> None:
        """Takes note of an output time: step, time_s, fields, spectra, numbers, about_numbers."""
        self.run.snapshots.append(
            Snapshot(
                output["step"],
                output["time_s"],
                output["fields"],
                output["numbers"],
                tuple(output["about_numbers"]),
                output["spectra"],
            )
        )
