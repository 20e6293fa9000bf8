"""Trials of candidates: simulated on the machine of an experiment, or measured on real MPI."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from tradewind import bench, core, mpi
from tradewind.config import keys
from tradewind.config.experiment import Member
from tradewind.config.parts import alone, phases
from tradewind.config.schema import Section
from tradewind.config.spec import Program, Spec
from tradewind.config.tuning_file import Entry, Tuning
from tradewind.errors import ConfigError, Interrupted, MpiError
from tradewind.models.case import Case
from tradewind.models.memory import Ranks
from tradewind.models.run import plan, step_seconds
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.runs.limits import check_runs
from tradewind.tuning.same_program import program_key
from tradewind.tuning.search import Candidate, default_candidate

# The transforms and mesh exchanges of models with the MPI library's own collectives.
_NATIVE = {
    "pstswm.fft": ("native",),
    "pstswm.legendre": ("transpose.native", "sum.native"),
    "mesh": ("native", "native_nonblocking"),
}


@dataclass(frozen=True)
class Use:
    """An operation within the program of a run.

    Args:
        operation: "alltoallv", "allreduce", "neighbor", or MODEL.KEY, a choice of a model.
        ranks: Ranks that take part in one.
        size: Bytes of a block, vector or message.
        stages: The stage of a transposition that it is, or "", for the program or each of `phases`.
        count: Number of times that the program does it; for a choice of a model, its time steps.
        member: The run.
        key: The key of the program that takes algorithm and options in one word; "" if each has
            a key of its own.
        phases: The numbers of the phases that it is in; none for a program without phases.
        others: Ranks and bytes of other calls of the operation in the same program, which have choices of
            their own.
    """

    operation: str
    ranks: int
    size: int
    stages: tuple[str, ...]
    count: int
    member: Member
    key: str = ""
    phases: tuple[int, ...] = ()
    others: tuple[tuple[int, int], ...] = ()

    def spec(self, candidate: Candidate) -> Spec:
        """Returns the run with this operation alone and the candidate's algorithm.

        Args:
            candidate: The algorithm with its options.
        """
        spec = self.member.spec
        if self.key:
            rest = {k: v for k, v in spec.program.items() if k != "tuning" and v != keys.TUNED}
            return replace(spec, program=Program(rest | self._by_key(candidate)))
        changes = [_stage(stage) | candidate.settings for stage in self.stages]
        if self.phases:
            return replace(spec, program=alone(spec.program, self.phases, changes))
        program = {k: v for k, v in spec.program.items() if k not in keys.algorithm()}
        return replace(spec, program=Program(program | changes[0]))

    def _by_key(self, candidate: Candidate) -> Section:
        """Returns the settings that give the candidate to these calls, and the default to the others."""
        if not self.others:
            return {self.key: candidate.text}
        default = default_candidate(self.operation)
        chosen = [((self.ranks, self.size), candidate), *((one, default) for one in self.others)]
        table = Tuning([_entry(self.operation, *shape, one) for shape, one in chosen])
        return {self.key: keys.TUNED, "tuning": table.table_text()}

    @property
    def shape(self) -> tuple[str, int, int]:
        """Operation, ranks and bytes, by which a tuning chooses."""
        return self.operation, self.ranks, self.size

    @property
    def phase_names(self) -> tuple[str, ...]:
        """The names of its phases, as results have them."""
        if not self.phases:
            return ()
        parts = phases(self.member.spec.program)
        return tuple(parts[index].name for index in self.phases)


def _entry(operation: str, ranks: int, size: int, one: Candidate) -> Entry:
    """Returns the entry of a tuning that has not been timed."""
    by = one.transport or "two_sided"
    return Entry(operation, ranks, size, one.algorithm, one.options, 0.0, "", transport=by)


def _stage(stage: str) -> Section:
    """Returns the settings of a transposition that runs one stage."""
    return {"stage": stage, "backward": False} if stage else {}


def uses_of(member: Member) -> list[Use]:
    """Returns the operations of a run whose algorithm one can choose.

    Args:
        member: A run of the experiment.
    """
    member = _with_mesh(member)
    uses: list[Use] = []
    for told in core.load().operations(member.spec.tables()):
        use = _use(told, member)
        same = [one for one in uses if use.phases and one.shape == use.shape]
        if same:
            uses[uses.index(same[0])] = _joined(same[0], use)
        else:
            uses.append(use)
    return [_with_others(use, uses) for use in uses]


def _with_others(use: Use, uses: Sequence[Use]) -> Use:
    """Tells a use which other calls of its operation there are, where one key chooses for all."""
    if not use.key:
        return use
    same = [one for one in uses if one.key == use.key and one.operation == use.operation]
    others = tuple((one.ranks, one.size) for one in same if one.shape != use.shape)
    return replace(use, others=others)


def _use(told: Mapping[str, Any], member: Member) -> Use:
    """Makes the use of an operation from what the core tells of it."""
    program = member.spec.program
    in_phase = told["phase"] >= 0
    name = program.text(f"phase[{told['phase']}].kind") if in_phase else program.name
    stage = told["stage"] if "stage" in keys.programs()[name].keys else ""
    numbers = (told["phase"],) if in_phase else ()
    of = (told["operation"], told["ranks"], told["bytes"])
    return Use(*of, (stage,), told["count"], member, told["key"], numbers)


def _joined(one: Use, other: Use) -> Use:
    """Joins two phases that do the same operation on as many ranks and bytes.

    A tuning has one choice for both, so trials run both.
    """
    if set(one.phases) & set(other.phases):
        return one
    return replace(
        one,
        stages=one.stages + other.stages,
        count=one.count + other.count,
        phases=one.phases + other.phases,
    )


def _with_mesh(member: Member) -> Member:
    """Fixes the process grid of a model: it may depend on the algorithms, but not among trials."""
    program = member.spec.program
    if program.name not in keys.models() or "processes" in program:
        return member
    mesh = core.load().processes({"program": dict(program)})
    if mesh is None:
        return member
    return replace(member, spec=replace(member.spec, program=program.changed(processes=list(mesh))))


def _settings(program: Program) -> Section:
    return {key: value for key, value in program.items() if key not in ("name", "ranks")}


@dataclass(frozen=True)
class SimulatedTrials:
    """Trials in the simulator.

    Args:
        limit_s: Real time that one may take.
    """

    limit_s: float

    def check(self, use: Use, candidate: Candidate, source: str) -> None:
        """Refuses an operation that cannot be simulated.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
            source: The experiment's file, for messages.

        Raises:
            ConfigError: If the machine has too few nodes, or this computer too little memory.
        """
        check_runs([Member({}, (), use.spec(candidate), use.member.machine)], source)

    def key(self, use: Use, candidate: Candidate) -> str:
        """Returns a key that is the same for the same simulation.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
        """
        return use.spec(candidate).key

    def seconds(self, use: Use, candidate: Candidate, bound_s: float) -> float | None:
        """Returns the simulated time of one operation; None if it fails, or takes too long.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
            bound_s: The time of one operation beyond which a trial ends, in seconds.
        """
        spec = use.spec(candidate)
        end = time.monotonic() + self.limit_s
        bound_ps = bound_s * use.count * 1e12

        def go_on(done: int, hops: int, now_ps: int) -> bool:
            return now_ps <= bound_ps and time.monotonic() < end

        try:
            self.check(use, candidate, "tune")
            result = core.load().simulate(spec.tables(), go_on)
        except (ConfigError, Interrupted):
            return None
        return float(result["time_s"]) / use.count

    def program_key(self, use: Use, candidate: Candidate) -> str | None:
        """Returns None: candidates that are the same program have the same simulated time anyway.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
        """
        return None

    def native_seconds(self, use: Use) -> float | None:
        """Returns None: the library's own collectives are not known on a simulated machine.

        Args:
            use: The operation, its ranks and its size in bytes.
        """
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

    def check(self, use: Use, candidate: Candidate, source: str) -> None:
        """Does nothing: a measurement tells itself what it lacks.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
            source: The experiment's file, for messages.
        """

    def key(self, use: Use, candidate: Candidate) -> str:
        """Returns a key that is the same for the same measurement.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
        """
        program = use.spec(candidate).program
        text = json.dumps([dict(program), self.repetitions, self.launcher], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def seconds(self, use: Use, candidate: Candidate, bound_s: float) -> float | None:
        """Returns the time of one operation; None if it fails, or takes too long.

        The median of the repetitions; of pstswm that of as many steps.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
            bound_s: The time of one operation beyond which a trial ends, in seconds.
        """
        program = use.spec(candidate).program
        try:
            if keys.programs()[program.name].is_timed_with_data:
                return self._step_seconds(program)
            return self._program_seconds(program) / use.count
        except (ConfigError, MpiError):
            return None

    def program_key(self, use: Use, candidate: Candidate) -> str | None:
        """Returns a key that candidates share which are the same program; None if not known.

        That is not known of models that are timed with their computation.

        Args:
            use: The operation, its ranks and its size in bytes.
            candidate: The algorithm with its options.
        """
        spec = use.spec(candidate)
        if keys.programs()[spec.program.name].is_timed_with_data:
            return None
        return program_key(spec)

    def _program_seconds(self, program: Program) -> float:
        words = [f"{key}={_word(value)}" for key, value in _settings(program).items()]
        amount = [f"repetitions={self.repetitions}", f"warm_up={max(self.repetitions // 10, 1)}"]
        result = mpi.run(
            ["run", program.name, *words, *amount],
            program.ranks,
            self.launcher,
            timeout=self.limit_s,
        )
        return float(np.median(result["seconds"]))

    def _step_seconds(self, program: Program) -> float | None:
        """Returns the time of a step with data: the computation depends on the algorithms, too."""
        known = keys.models()[program.name].run_keys
        settings = {k: v for k, v in _settings(program).items() if k in known and k != "messages"}
        case = Case(program.name, "tuning", settings | {"steps": max(self.repetitions, 2)})
        try:
            make = partial(run_on_mpi, launcher=self.launcher)
            planned = plan(case, program.ranks, Ranks.started_by(self.launcher))
            return step_seconds(planned, make, self.limit_s)
        except TimeoutError:
            return None

    def native_seconds(self, use: Use) -> float | None:
        """Returns the median time of the library's own collective; None if it has none.

        It is measured as candidates are, where the program takes the algorithm "native". For pstswm
        and homme that is a step with it, the fastest one if there are several ways to use it.

        Args:
            use: The operation, its ranks and its size in bytes.
        """
        if use.operation in _NATIVE:
            ways = [Candidate(name) for name in _NATIVE[use.operation]]
            times = [self.seconds(use, way, float("inf")) for way in ways]
            return min((time for time in times if time is not None), default=None)
        if use.operation in bench.operations():
            same_way = self.seconds(use, Candidate("native"), float("inf"))
            if same_way is not None:
                return same_way
            found = self._bench("collectives", use, operations=[use.operation], algorithm="native")
            return found.rows[0].median_s
        if use.member.spec.program.name == "neighbor":
            found = self._bench("neighbor", use, graph=_graph(use.member.spec.program))
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


def _graph(program: Program) -> bench.NeighborGraph:
    neighbors, processes = program.whole("neighbors"), program.get("processes")
    grid = (processes[0], processes[1]) if isinstance(processes, list) else None
    return bench.NeighborGraph(grid, neighbors)


def _word(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ",".join(map(str, value)) + "]"
    return str(value)
