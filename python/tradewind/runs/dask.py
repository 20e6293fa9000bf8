"""Runs on the workers of a Dask scheduler: what the client does, and what a worker does."""

from __future__ import annotations

import contextlib
import logging
import queue
import selectors
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypedDict

from tradewind import core, extras
from tradewind.config.experiment import Member, MemberRecord
from tradewind.errors import ConfigError, Error
from tradewind.host import available_memory
from tradewind.runs.execution import Execution
from tradewind.runs.limits import Prediction, check_runs, predict
from tradewind.runs.local import RunProcess, stop_all
from tradewind.runs.run import ErrorRecord, Run
from tradewind.runs.store import RunStore

# The time limit of connecting, also to a scheduler that was lost.
_PATIENCE_S = 5
# Between two messages of a worker.
_PERIOD_S = 0.5


class _DaskTask(MemberRecord):
    """The order to a worker.

    It is a run, the version of tradewind that has resolved it, and the topic of what there is to tell.
    """

    version: str
    topic: str


class _DaskResult(TypedDict, total=False):
    """The answer of a worker: the result of the core, or else the error of the run."""

    raw: core.RawRun
    failed: ErrorRecord


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """Connects to a scheduler; yields a client of it.

    Args:
        address: Such as tcp://host:8786.

    Raises:
        ConfigError: If it cannot be reached.
        Error: If the package distributed is missing.
    """
    distributed = extras.need("distributed", "Dask schedulers", "dask")
    # Its messages come as exceptions.
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    try:
        # A client that is made with an address that cannot be would complain once more at exit.
        distributed.comm.resolve_address(address)
        client = distributed.Client(address, timeout=_PATIENCE_S, set_as_default=False)
    except (OSError, ValueError) as error:
        said = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise ConfigError(
            f"--scheduler {address}: there is no Dask scheduler that answers within "
            f"{_PATIENCE_S} s: {said}"
        ) from None
    with client:
        yield client


@dataclass
class DaskExecution(Execution):
    """Runs on the workers of a client's scheduler; what a lost worker had is made again.

    Args:
        client: From `connected`.
    """

    client: Any = None
    _futures: dict[tuple[int, ...], Any] = field(default_factory=dict, init=False)
    _running: set[tuple[int, ...]] = field(default_factory=set, init=False)
    _news: queue.SimpleQueue[dict[str, Any]] = field(default_factory=queue.SimpleQueue, init=False)

    def _make_runs(self) -> None:
        topic = f"tradewind-{uuid.uuid4().hex}"
        self.client.subscribe_topic(topic, lambda event: self._news.put(event[1]))
        try:
            for entry in self._waiting:
                self._submit(entry[0], topic)
            known = {member.position: (member, expected) for member, expected in self._waiting}
            while self._futures:
                news = self._news.get()
                position = tuple(news["position"])
                if position in self._futures:
                    self._hear(news, *known[position])
        finally:
            if self.client.status == "running":
                self.client.unsubscribe_topic(topic)

    def _submit(self, member: Member, topic: str) -> None:
        task: _DaskTask = {
            **member.record(),
            "version": core.load().version,
            "topic": topic,
        }
        key = f"{topic}-{len(self._futures)}"
        future = self.client.submit(simulate_member, task, key=key, pure=False)
        self._futures[member.position] = future
        ended = {"position": member.position, "ended": True}
        future.add_done_callback(lambda future: self._news.put(ended))

    def _hear(self, news: dict[str, Any], member: Member, prediction: Prediction) -> None:
        if "started" in news:
            self._running.add(member.position)
            self.observer.started(member, prediction)
        elif "progress" in news and member.position in self._running:
            self.observer.advanced(member, *news["progress"])
        elif "ended" in news:
            self._running.discard(member.position)
            self._collect(member, self._outcome(member, self._futures.pop(member.position)))

    def _outcome(self, member: Member, future: Any) -> Run | ErrorRecord:
        if future.status == "error":
            error = future.exception()
            return {"kind": type(error).__name__, "message": str(error)}
        if future.status != "finished":
            raise Error(
                f"the Dask scheduler {self.client.scheduler.address} was lost; {self._kept()}"
            )
        result: _DaskResult = future.result()
        future.release()
        if "failed" in result:
            return result["failed"]
        version = core.load().version
        self.store.save(member, result["raw"], version)
        run = self.store.load(member, version)
        return run or {"kind": "Error", "message": "the result could not be stored"}

    def _stop_all(self) -> None:
        """Workers end a cancelled run within a second."""
        if self._futures and self.client.status == "running":
            self.client.cancel(list(self._futures.values()))
        self._futures.clear()


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
        """Returns False if the run was cancelled, or its client has gone."""
        state = self.worker.state.tasks.get(self.key)
        return state is not None and state.state not in ("cancelled", "released")

    def tell(self, **message: Any) -> None:
        """Sends a message to the client."""
        self.worker.log_event(self.topic, {"position": list(self.member.position), **message})

    def progress(self, done_ranks: int, work_done: int, simulated_ps: int) -> None:
        """Tells the client twice a second at the most."""
        if time.monotonic() - self.told >= _PERIOD_S:
            self.told = time.monotonic()
            self.tell(progress=[done_ranks, work_done, simulated_ps])


def simulate_member(task: _DaskTask) -> _DaskResult:
    """Makes one run.

    Args:
        task: The run.

    Returns:
        The result of the core, or the error.
    """
    distributed = extras.need("distributed", "Dask workers", "dask")
    worker = distributed.get_worker()
    member = Member.of(task)
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


def _made(here: _Task) -> _DaskResult:
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
    """Listens until the process has said everything, or nobody wants to hear it any more."""
    with selectors.DefaultSelector() as selector:
        selector.register(run.output, selectors.EVENT_READ)
        while here.is_wanted():
            if selector.select(timeout=_PERIOD_S) and not run.read(here.progress):
                return


def _failed(kind: str, message: str) -> _DaskResult:
    return {"failed": {"kind": kind, "message": message}}
