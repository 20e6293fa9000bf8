"""What a Dask worker does: it makes one run in a process of its own and hands the result back."""

from __future__ import annotations

import contextlib
import selectors
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tradewind import core, extras
from tradewind.config.experiment import Member
from tradewind.errors import ConfigError
from tradewind.runs.limits import available_memory, check_runs, predict
from tradewind.runs.process import RunProcess, stop_all
from tradewind.runs.results import Run
from tradewind.runs.store import RunStore

_PERIOD_S = 0.5


@dataclass
class _Places:
    """Lets as many runs begin as threads and memory allow, and always one."""

    threads: int = 0
    runs: int = 0
    changed: threading.Condition = field(default_factory=threading.Condition)

    @contextlib.contextmanager
    def taken(
        self, member: Member, memory: int, threads: int, is_wanted: Callable[[], bool]
    ) -> Iterator[None]:
        with self.changed:
            while self.runs and not self._fits(member, memory, threads) and is_wanted():
                self.changed.wait(_PERIOD_S)
            self.runs += 1
            self.threads += member.threads
        try:
            yield
        finally:
            with self.changed:
                self.runs -= 1
                self.threads -= member.threads
                self.changed.notify_all()

    def _fits(self, member: Member, memory: int, threads: int) -> bool:
        return self.threads + member.threads <= threads and memory < available_memory()


_PLACES = _Places()


@dataclass
class _Task:
    """The run of this thread and the worker that it runs on."""

    member: Member
    topic: str
    worker: Any
    key: Any
    told: float = 0.0

    def is_wanted(self) -> bool:
        """False if the run was cancelled, or its client has gone."""
        state = self.worker.state.tasks.get(self.key)
        return state is not None and state.state not in ("cancelled", "released")

    def tell(self, **message: Any) -> None:
        """Something for the client."""
        self.worker.log_event(self.topic, {"position": list(self.member.position), **message})

    def progress(self, done_ranks: int, work_done: int, simulated_ps: int) -> None:
        """Tells the client twice a second at the most."""
        if time.monotonic() - self.told >= _PERIOD_S:
            self.told = time.monotonic()
            self.tell(progress=[done_ranks, work_done, simulated_ps])


def simulate_member(task: Mapping[str, Any]) -> dict[str, Any]:
    """Makes one run.

    Args:
        task: parameters, position, spec and machine of a Member, the version of tradewind that
            has resolved it, and the topic of what there is to tell.

    Returns:
        {"raw": result of the core}, or {"failed": {"kind": ..., "message": ...}}.
    """
    distributed = extras.need("distributed", "Dask workers", "dask")
    worker = distributed.get_worker()
    position = tuple(task["position"])
    member = Member(task["parameters"], position, task["spec"], task["machine"])
    here = _Task(member, task["topic"], worker, worker.get_current_task())
    if core.load().version != task["version"]:
        versions = f"tradewind {core.load().version}, asked for are runs of {task['version']}"
        return _failed("ConfigError", f"the Dask worker {worker.address} has {versions}")
    needed = predict(member.spec).memory_bytes
    with _PLACES.taken(member, needed, worker.state.nthreads, here.is_wanted):
        try:
            check_runs([member], f"Dask worker {worker.address}")
        except ConfigError as error:
            return _failed(type(error).__name__, str(error))
        return _made(here)


def _made(here: _Task) -> dict[str, Any]:
    here.tell(started=here.worker.address)
    with tempfile.TemporaryDirectory(prefix="run-", dir=here.worker.local_directory) as folder:
        run = RunProcess.start(here.member, Path(folder))
        try:
            _listen(run, here)
        except BaseException:
            stop_all([run])
            raise
        if not here.is_wanted():
            stop_all([run])
            return _failed("Interrupted", "cancelled")
        outcome = run.outcome(RunStore(Path(folder)), core.load().version)
        return {"raw": outcome.raw} if isinstance(outcome, Run) else {"failed": outcome}


def _listen(run: RunProcess, here: _Task) -> None:
    """Until the process has said everything, or nobody wants to hear it any more."""
    with selectors.DefaultSelector() as selector:
        selector.register(run.output, selectors.EVENT_READ)
        while here.is_wanted():
            if selector.select(timeout=_PERIOD_S) and not run.read(here.progress):
                return


def _failed(kind: str, message: str) -> dict[str, Any]:
    return {"failed": {"kind": kind, "message": message}}
