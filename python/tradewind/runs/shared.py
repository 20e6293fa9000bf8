"""Runs that processes of MPI share, one run after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

from tradewind import core
from tradewind.config.experiment import Member
from tradewind.errors import Error
from tradewind.mpi.group import Group
from tradewind.runs.execution import Execution
from tradewind.runs.limits import available_memory
from tradewind.runs.results import Run
from tradewind.runs.workplace import Workplace


@dataclass
class SharedExecution(Execution):
    """Runs on all processes of a group, led by its first one.

    Args:
        group: From `mpi.group.joined`.
    """

    group: Any = None

    def _make_runs(self) -> None:
        for member, prediction in self._waiting:
            self.observer.started(member, prediction)
            self._collect(member, self._made(member))

    def _made(self, member: Member) -> Run | dict[str, str]:
        def progress(done_ranks: int, work_done: int, simulated_ps: int) -> bool:
            self.observer.advanced(member, done_ranks, work_done, simulated_ps)
            return True

        try:
            raw = self.group.simulate(member.spec, progress)
        except Error as error:
            return {"kind": type(error).__name__, "message": str(error)}
        version = core.load().version
        self.store.save(member, raw, version)
        run = self.store.load(member, version)
        return run or {"kind": "Error", "message": "the result could not be stored"}

    def _stop_all(self) -> None:
        """Nothing runs beside this."""


def processes_of(group: Group) -> Workplace:
    """The processes of a group as a place for runs."""
    execution = partial(SharedExecution, group=group)
    return Workplace(execution, available_memory, lambda: str(group))
