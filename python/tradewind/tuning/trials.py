"""Trials of candidates: simulated on the machine of an experiment, or measured on real MPI."""

from __future__ import annotations

import hashlib
import json
import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from tradewind import bench, core, mpi
from tradewind.config import keys
from tradewind.config.experiment import Member, Spec, spec_key
from tradewind.errors import ConfigError, Interrupted, MpiError
from tradewind.runs.limits import check_runs
from tradewind.tuning.search import Candidate


@dataclass(frozen=True)
class Use:
    """An operation within the program of a run.

    Args:
        operation: "alltoallv" or "allreduce".
        ranks: Ranks that take part in one.
        size: Bytes of a block or vector.
        stage: The stage of a transposition that it is, or "".
        count: How often the program does it.
        member: The run.
    """

    operation: str
    ranks: int
    size: int
    stage: str
    count: int
    member: Member

    def spec(self, candidate: Candidate) -> Spec:
        """The run with this operation alone and the candidate's algorithm."""
        spec: Spec = {section: dict(values) for section, values in self.member.spec.items()}
        program = {k: v for k, v in spec["program"].items() if k not in keys.ALGORITHM}
        if self.stage:
            program |= {"stage": self.stage, "backward": False}
        spec["program"] = program | candidate.settings
        return spec


def uses_of(member: Member) -> list[Use]:
    """The operations of a run whose algorithm one can choose."""
    found = core.load().operations(member.spec)
    return [
        Use(use["operation"], use["ranks"], use["bytes"], use["stage"], use["count"], member)
        for use in found
    ]


@dataclass(frozen=True)
class SimulatedTrials:
    """Trials in the simulator.

    Args:
        limit_s: Real time that one may take.
    """

    limit_s: float

    def key(self, use: Use, candidate: Candidate) -> str:
        """The same for the same simulation."""
        return spec_key(use.spec(candidate))

    def seconds(self, use: Use, candidate: Candidate, bound_s: float) -> float | None:
        """Simulated time of one operation; None if it does not work, or takes too long."""
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
        """Nobody knows the library's own collectives on a simulated machine."""
        return None


@dataclass(frozen=True)
class MeasuredTrials:
    """Trials on MPI processes of this machine.

    Args:
        limit_s: Real time that one may take.
        repetitions: Of each; their median counts.
        launcher: Instead of mpiexec.
    """

    limit_s: float
    repetitions: int
    launcher: str | None = None

    def key(self, use: Use, candidate: Candidate) -> str:
        """The same for the same measurement."""
        program = use.spec(candidate)["program"]
        text = json.dumps([program, self.repetitions, self.launcher], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def seconds(self, use: Use, candidate: Candidate, bound_s: float) -> float | None:
        """Median time of one operation; None if it does not work, or takes too long."""
        program = dict(use.spec(candidate)["program"])
        name, ranks = str(program.pop("name")), program.pop("ranks")
        assert isinstance(ranks, int)
        words = [f"{key}={_word(value)}" for key, value in program.items()]
        amount = [f"repetitions={self.repetitions}", f"warm_up={max(self.repetitions // 10, 1)}"]
        try:
            result = mpi.run(
                ["run", name, *words, *amount], ranks, self.launcher, timeout=self.limit_s
            )
        except (ConfigError, MpiError):
            return None
        return float(np.median(result["seconds"])) / use.count

    def native_seconds(self, use: Use) -> float | None:
        """Median time of the library's own collective, in one group alone."""
        result = bench.measure(
            "collectives",
            use.ranks,
            operations=[use.operation],
            algorithm="native",
            sizes=[use.size],
            repetitions=self.repetitions,
            launcher=self.launcher,
        )
        return result.rows[0].median_s


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ",".join(map(str, value)) + "]"
    return str(value)
