"""Trials of candidates: simulated on the machine of an experiment, or measured on real MPI."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tradewind import bench, core, mpi
from tradewind.config import keys
from tradewind.config.experiment import Member, Spec, spec_key
from tradewind.config.schema import Section
from tradewind.errors import ConfigError, Interrupted, MpiError
from tradewind.models import pstswm
from tradewind.models.memory import Ranks
from tradewind.models.pstswm_mpi import run_on_mpi
from tradewind.runs.limits import check_runs
from tradewind.tuning.search import Candidate

PSTSWM = "pstswm"

# The transforms of a model with the MPI library's own collectives.
_NATIVE = {
    "pstswm.fft": ("native",),
    "pstswm.legendre": ("transpose.native", "sum.native"),
}


@dataclass(frozen=True)
class Use:
    """An operation within the program of a run.

    Args:
        operation: "alltoallv", "allreduce", "neighbor", or MODEL.KEY, a choice of a model.
        ranks: Ranks that take part in one.
        size: Bytes of a block, vector or message.
        stage: The stage of a transposition that it is, or "".
        count: Number of times that the program does it; for a choice of a model, its time steps.
        member: The run.
        key: The key of the program that takes algorithm and options in one word; "" if each has
            a key of its own.
    """

    operation: str
    ranks: int
    size: int
    stage: str
    count: int
    member: Member
    key: str = ""

    def spec(self, candidate: Candidate) -> Spec:
        """Returns the run with this operation alone and the candidate's algorithm."""
        spec: Spec = {section: dict(values) for section, values in self.member.spec.items()}
        if self.key:
            rest = {k: v for k, v in spec["program"].items() if k != "tuning" and v != keys.TUNED}
            spec["program"] = rest | {self.key: candidate.text}
            return spec
        program = {k: v for k, v in spec["program"].items() if k not in keys.ALGORITHM}
        if self.stage:
            program |= {"stage": self.stage, "backward": False}
        spec["program"] = program | candidate.settings
        return spec


def uses_of(member: Member) -> list[Use]:
    """Returns the operations of a run whose algorithm one can choose."""
    member = _with_mesh(member)
    found = core.load().operations(member.spec)
    return [
        Use(
            use["operation"],
            use["ranks"],
            use["bytes"],
            use["stage"],
            use["count"],
            member,
            use["key"],
        )
        for use in found
    ]


def _with_mesh(member: Member) -> Member:
    """Returns the run with a fixed mesh.

    The mesh of pstswm depends on the algorithms, and all trials need the same one.
    """
    program = member.spec["program"]
    if program["name"] != PSTSWM or "processes" in program:
        return member
    ranks = program["ranks"]
    assert isinstance(ranks, int)
    mesh = core.load().plan_pstswm(_settings(program), ranks)["processes"]
    return replace(member, spec={**member.spec, "program": program | {"processes": list(mesh)}})


def _settings(program: Section) -> Section:
    return {key: value for key, value in program.items() if key not in ("name", "ranks")}


@dataclass(frozen=True)
class SimulatedTrials:
    """Trials in the simulator.

    Args:
        limit_s: Real time that one may take.
    """

    limit_s: float

    def key(self, use: Use, candidate: Candidate) -> str:
        """Returns a key that is the same for the same simulation."""
        return spec_key(use.spec(candidate))

    def seconds(self, use: Use, candidate: Candidate, bound_s: float) -> float | None:
        """Returns the simulated time of one operation; None if it fails, or takes too long."""
        spec = use.spec(candidate)
        end = time.monotonic() + self.limit_s
        bound_ps = bound_s * use.count * 1e12

        def go_on(done: int, hops: int, now_ps: int) -> bool:
            return now_ps <= bound_ps and time.monotonic() < end

        try:
            check_runs([Member({}, (), spec, use.member.machine)], "tune")
            result = core.load().simulate(spec, go_on)
        except (ConfigError, Interrupted):
            return None
        return float(result["time_s"]) / use.count

    def native_seconds(self, use: Use) -> float | None:
        """Returns None: the library's own collectives are not known on a simulated machine."""
        return None


@dataclass(frozen=True)
class MeasuredTrials:
    """Trials on MPI processes of this machine.

    Args:
        limit_s: Real time that one may take.
        repetitions: Repetitions of each; their median counts.
        launcher: Command to use instead of mpiexec.
    """

    limit_s: float
    repetitions: int
    launcher: str | None = None

    def key(self, use: Use, candidate: Candidate) -> str:
        """Returns a key that is the same for the same measurement."""
        program = use.spec(candidate)["program"]
        text = json.dumps([program, self.repetitions, self.launcher], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def seconds(self, use: Use, candidate: Candidate, bound_s: float) -> float | None:
        """Returns the time of one operation; None if it fails, or takes too long.

        The median of the repetitions; of pstswm that of as many steps.
        """
        program = use.spec(candidate)["program"]
        ranks = program["ranks"]
        assert isinstance(ranks, int)
        try:
            if program["name"] == PSTSWM:
                return self._step_seconds(program, ranks)
            return self._program_seconds(program, ranks) / use.count
        except (ConfigError, MpiError):
            return None

    def _program_seconds(self, program: Section, ranks: int) -> float:
        words = [f"{key}={_word(value)}" for key, value in _settings(program).items()]
        amount = [f"repetitions={self.repetitions}", f"warm_up={max(self.repetitions // 10, 1)}"]
        result = mpi.run(
            ["run", str(program["name"]), *words, *amount],
            ranks,
            self.launcher,
            timeout=self.limit_s,
        )
        return float(np.median(result["seconds"]))

    def _step_seconds(self, program: Section, ranks: int) -> float | None:
        """Returns the time of a step with data, since the computation depends on the algorithms, too."""
        settings = {k: v for k, v in _settings(program).items() if k not in ("messages", "start")}
        case = pstswm.Case("tuning", settings | {"steps": max(self.repetitions, 2)})
        try:
            make = partial(run_on_mpi, launcher=self.launcher)
            planned = pstswm.plan(case, ranks, Ranks.started_by(self.launcher))
            return pstswm.step_seconds(planned, make, self.limit_s)
        except TimeoutError:
            return None

    def native_seconds(self, use: Use) -> float | None:
        """Returns the median time of the library's own collective, in one group alone; None if it has none.

        For pstswm that of a step with it, the fastest one if there are several ways to use it.
        """
        if use.operation in _NATIVE:
            ways = [Candidate(name) for name in _NATIVE[use.operation]]
            times = [self.seconds(use, way, float("inf")) for way in ways]
            return min((time for time in times if time is not None), default=None)
        if use.operation in bench.OPERATIONS:
            found = self._bench("collectives", use, operations=[use.operation], algorithm="native")
            return found.rows[0].median_s
        if use.member.spec["program"]["name"] == "neighbor":
            found = self._bench("neighbor", use, graph=_graph(use.member.spec["program"]))
            own = core.names("neighbor")
            return min(row.median_s for row in found.rows if row.name not in own)
        return None

    def _bench(self, name: str, use: Use, **settings: Any) -> bench.Measurements:
        return bench.measure(
            name,
            use.ranks,
            sizes=[use.size],
            repetitions=self.repetitions,
            launcher=self.launcher,
            **settings,
        )


def _graph(program: Section) -> bench.NeighborGraph:
    neighbors, processes = program["neighbors"], program.get("processes")
    assert isinstance(neighbors, int)
    grid = (processes[0], processes[1]) if isinstance(processes, list) else None
    return bench.NeighborGraph(grid, neighbors)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ",".join(map(str, value)) + "]"
    return str(value)
