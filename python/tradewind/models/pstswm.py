"""The spectral shallow water model: cases, runs on simulated ranks, and what a run shows."""

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
from tradewind.config import keys
from tradewind.config.files import load_toml
from tradewind.config.program import resolve_tuning
from tradewind.config.schema import Section, Where, as_table, complete, read_table
from tradewind.errors import ConfigError
from tradewind.models.memory import Ranks, check_memory

Array = NDArray[np.float64]
Progress = Callable[[int, int], None]

_PS_PER_S = 10**12
_DAY_S = 86400.0
# Days of the cases of Williamson et al. (1992).
_DAYS = {1: 12.0, 2: 5.0, 3: 5.0, 4: 5.0, 5: 15.0, 6: 14.0}


@dataclass(frozen=True)
class Case:
    """One case to run.

    Args:
        title: For people.
        settings: What the core wants, in base units.
    """

    title: str
    settings: Section

    @property
    def time_step_s(self) -> float:
        """The time step in seconds."""
        return float(self.settings["time_step"]) / _PS_PER_S  # type: ignore[arg-type]

    @property
    def levels(self) -> int:
        """The number of independent levels."""
        return int(self.settings["levels"])  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Case:
        """Reads a case file: a table [pstswm], and perhaps a title in [experiment].

        Raises:
            ConfigError: Naming file, key, value and what is allowed.
        """
        return cls.read(load_toml(path), str(path), path.parent)

    @classmethod
    def read(cls, raw: Mapping[str, Any], source: str = "case", directory: Path = Path()) -> Case:
        """Reads a case from a table of tables.

        Args:
            raw: The tables.
            source: Where they come from, for messages.
            directory: Where the relative path of a tuning file starts.

        Raises:
            ConfigError: Naming key, value and what is allowed.
        """
        for name in raw:
            if name not in ("pstswm", "experiment"):
                raise ConfigError(f"{source}: unknown table [{name}]; allowed: pstswm, experiment")
        about = read_table(
            as_table(raw.get("experiment", {}), Where(source, "experiment")),
            keys.EXPERIMENT,
            Where(source, "experiment"),
        )
        where = Where(source, "pstswm")
        table = as_table(raw.get("pstswm", {}), where)
        section = complete(read_table(table, keys.PSTSWM_RUN, where), keys.PSTSWM_RUN, where)
        section = resolve_tuning(section, where, directory)
        days = section.pop("days", _DAYS.get(int(section["case"]), 1.0))  # type: ignore[arg-type]
        every = section.pop("output_every_hours", None)
        step_s = float(section["time_step"]) / _PS_PER_S  # type: ignore[arg-type]
        section["steps"] = _steps(float(days) * _DAY_S, step_s, "days", days, where)  # type: ignore[arg-type]
        if every is not None:
            section["output_every"] = _steps(
                float(every) * 3600.0,  # type: ignore[arg-type]
                step_s,
                "output_every_hours",
                every,
                where,
            )
        title = str(about.get("title", f"shallow water case {section['case']}"))
        return cls(title, section)


def _steps(length_s: float, step_s: float, key: str, value: object, where: Where) -> int:
    count = round(length_s / step_s)
    if count < 1 or not math.isclose(count * step_s, length_s, rel_tol=1e-9):
        raise where.error(key, value, f"expected a multiple of the time step, {step_s:g} s")
    return count


@dataclass(frozen=True)
class Snapshot:
    """All fields at one time, each [level, latitude from the north, longitude].

    Args:
        step: Number of the step.
        time_s: Model time.
        fields: Arrays by name: depth_m, east_wind_m_s, north_wind_m_s, vorticity_1_s,
            divergence_1_s.
        diagnostics: Means, extremes and norms of level 0.
    """

    step: int
    time_s: float
    fields: Mapping[str, Array]
    diagnostics: Mapping[str, Any]


@dataclass
class ModelRun:
    """A run: planned, under way, ended early or complete.

    Args:
        case: What is run.
        ranks: On how many ranks.
        grid: latitude_deg, longitude_deg, ground_m [latitude, longitude], processes, steps,
            fastest_wave_m_s, courant_number, fields (names).
        library: The MPI library; empty for simulated ranks.
        snapshots: In the order of time, as far as the run has come.
        steps_done: How far it has come.
        messages: Messages between ranks, of a complete run.
        bytes: Their bytes.
        step_s: Median time of its steps but the first, of a complete run on MPI.
    """

    case: Case
    ranks: int
    grid: Mapping[str, Any]
    library: str = ""
    snapshots: list[Snapshot] = field(default_factory=list)
    steps_done: int = 0
    messages: int = 0
    bytes: int = 0
    step_s: float = 0.0

    @property
    def is_complete(self) -> bool:
        """Whether the last step has been shown."""
        return bool(self.snapshots) and self.snapshots[-1].step == self.grid["steps"]


def plan(case: Case, ranks: int = 1, where: Ranks = Ranks.SIMULATED) -> ModelRun:
    """Checks a case on a number of ranks; nothing has been computed yet.

    Args:
        case: What to run.
        ranks: How many ranks the grid is divided among.
        where: Where they will be, which decides whose memory they need.

    Raises:
        ConfigError: If the grid, the ranks, the algorithms or the time step do not fit, or need more
            memory than there is.
    """
    check_memory("pstswm", case.settings, ranks, where)
    return ModelRun(case, ranks, core.load().plan_pstswm(case.settings, ranks))


def run(case: Case, ranks: int = 1, progress: Progress | None = None) -> ModelRun:
    """Runs a case with real data on simulated ranks.

    Args:
        case: What to run.
        ranks: How many ranks the grid is divided among.
        progress: Is told the step and the number of steps.

    Raises:
        ConfigError: If the grid, the ranks or the time step do not fit.
        Error: If the run becomes unstable.
    """
    planned = plan(case, ranks)
    simulate(planned, progress)
    return planned


def simulate(run: ModelRun, progress: Progress | None = None) -> None:
    """Makes a planned run on simulated ranks; what it has shown when it is ended stays in it.

    Raises:
        Error: If the run becomes unstable.
    """
    recorder = Recorder(run, progress)
    traffic = core.load().run_pstswm(run.case.settings, run.ranks, recorder)
    run.messages, run.bytes = traffic["messages"], traffic["bytes"]


def step_seconds(
    run: ModelRun, make: Callable[[ModelRun, Progress], None], limit_s: float = math.inf
) -> float:
    """Makes a planned run; returns the time of a step in seconds, the first one left out.

    On MPI the median, otherwise the mean.

    Args:
        run: From `plan`, of two steps or more.
        make: `simulate`, or `run_on_mpi`.
        limit_s: After this time the run is ended.

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
    """Keeps what a run tells of itself."""

    run: ModelRun
    progress: Progress | None = None

    def stepped(self, step: int) -> None:
        """The run has come to this step."""
        self.run.steps_done = step
        if self.progress is not None:
            self.progress(step, int(self.run.grid["steps"]))

    def observed(self, snapshot: Mapping[str, Any]) -> None:
        """Fields and diagnostics of one time: step, time_s, diagnostics, and arrays by name."""
        rest = dict(snapshot)
        step, time_s, diagnostics = (rest.pop(key) for key in ("step", "time_s", "diagnostics"))
        self.run.snapshots.append(Snapshot(step, time_s, rest, diagnostics))
