"""The places of runs: processes of this machine or of MPI, or the workers of a Dask scheduler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from tradewind import core
from tradewind.config.experiment import Member
from tradewind.errors import Error
from tradewind.host import UNLIMITED, available_memory, usable_cores
from tradewind.runs.execution import Execution
from tradewind.runs.local import LocalExecution
from tradewind.runs.origin import stamped
from tradewind.runs.run import ErrorRecord, Run
from tradewind.units import bytes_text

if TYPE_CHECKING:
    from tradewind.mpi.group import Group


@dataclass(frozen=True)
class Workplace:
    """A place that makes runs.

    Args:
        execution: Takes members, predictions, store, observer and advice, as Execution does.
        memory: Bytes that a run may need, as far as that is known before it begins.
        words: What there is, for people.
        cores: The number of cores that make runs.
    """

    execution: Callable[..., Execution]
    memory: Callable[[], int]
    words: Callable[[], str]
    cores: Callable[[], int] = usable_cores


THIS_MACHINE = Workplace(
    LocalExecution, available_memory, lambda: f"{bytes_text(available_memory())} available"
)


@contextlib.contextmanager
def workplace(scheduler: str | None = None) -> Iterator[Workplace]:
    """Chooses where to make runs.

    Args:
        scheduler: Address of a Dask scheduler, such as tcp://host:8786; None for processes of
            this machine.

    Raises:
        ConfigError: If the scheduler cannot be reached.
        Error: If the package distributed is missing.
    """
    if scheduler is None:
        yield THIS_MACHINE
        return
    from tradewind.runs.dask import DaskExecution, connected

    with connected(scheduler) as client:
        # Workers look at their memory themselves, when a run begins.
        execution = partial(DaskExecution, client=client)
        yield Workplace(
            execution,
            lambda: UNLIMITED,
            partial(_workers_of, client),
            lambda: max(1, sum(client.nthreads().values())),
        )


def _workers_of(client: Any) -> str:
    """Says how many there are now; more may come."""
    threads = client.nthreads()
    words = f"{len(threads)} workers with {sum(threads.values())} threads"
    return f"{words} at {client.scheduler.address}"


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

    def _made(self, member: Member) -> Run | ErrorRecord:
        def progress(done_ranks: int, work_done: int, simulated_ps: int) -> bool:
            self.observer.advanced(member, done_ranks, work_done, simulated_ps)
            return True

        try:
            raw = stamped(self.group.simulate(member.spec.tables(), progress))
        except Error as error:
            return {"kind": type(error).__name__, "message": str(error)}
        version = core.load().version
        self.store.save(member, raw, version)
        run = self.store.load(member, version)
        return run or {"kind": "Error", "message": "the result could not be stored"}

    def _stop_all(self) -> None:
        """Does nothing: no run goes on beside this process."""


def processes_of(group: Group) -> Workplace:
    """Makes a place for runs of the processes of a group."""
    execution = partial(SharedExecution, group=group)
    return Workplace(execution, available_memory, lambda: str(group))
