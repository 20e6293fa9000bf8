"""Runs on this machine: in parallel processes, as many as cores and memory allow, or right here."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import IO, Any

from tradewind import core
from tradewind.config.experiment import Member
from tradewind.errors import Error, Interrupted
from tradewind.host import available_memory, usable_cores
from tradewind.runs.execution import Execution, Observer, found
from tradewind.runs.limits import Prediction
from tradewind.runs.origin import stamped
from tradewind.runs.run import ErrorRecord, Failure, Run
from tradewind.runs.store import RunStore
from tradewind.runs.worker import WorkerTask

_GRACE_S = 3.0
# Events of a run that takes a fraction of a second.
_MOST_EVENTS = 300_000
# After an interruption: finished runs are in the store and are not made again.
GO_ON = "the same command goes on from there"

# Done ranks, packet-hops and simulated ps.
Progress = Callable[[int, int, int], None]


@dataclass
class RunProcess:
    """A process that makes one run and stores its result.

    Args:
        member: The run.
        process: Tells progress and outcome on its standard output.
    """

    member: Member
    process: subprocess.Popen[bytes]
    _buffer: bytes = b""
    _failure: ErrorRecord | None = None
    _done: bool = False

    @classmethod
    def start(cls, member: Member, folder: Path) -> RunProcess:
        """Starts the process; the result goes to the folder of a RunStore."""
        task: WorkerTask = {**member.record(), "folder": str(folder)}
        # A session of its own keeps Ctrl-C in the terminal from the process: the parent ends it.
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "tradewind.runs.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        assert process.stdin is not None
        # A process that died at once is noticed when its output ends.
        with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
            pipe.write(json.dumps(task).encode() + b"\n")
        return cls(member, process)

    @property
    def output(self) -> IO[bytes]:
        """The output of the process, to wait for before `read`."""
        assert self.process.stdout is not None
        return self.process.stdout

    def read(self, progress: Progress) -> bool:
        """Takes in what the process has said; returns False if that was all."""
        data = os.read(self.output.fileno(), 1 << 16)
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._hear(json.loads(line), progress)
        return bool(data)

    def _hear(self, message: dict[str, Any], progress: Progress) -> None:
        if "progress" in message:
            progress(*message["progress"])
        self._failure = message.get("failed", self._failure)
        self._done = message.get("done", self._done)

    def outcome(self, store: RunStore, version: str) -> Run | ErrorRecord:
        """Returns the run from the store, or the error; waits for the end of the process."""
        self.output.close()
        status = self.process.wait()
        run = store.load(self.member, version) if self._done else None
        return run or self._failure or {"kind": "Error", "message": _death(status)}


def stop_all(processes: Iterable[RunProcess]) -> None:
    """Ends processes that still run: asks them, then insists."""
    running = list(processes)
    for entry in running:
        entry.process.terminate()
    end = time.monotonic() + _GRACE_S
    for entry in running:
        try:
            entry.process.wait(timeout=max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            entry.process.kill()
            entry.process.wait()
        entry.output.close()


def _death(status: int) -> str:
    if status >= 0:
        return f"the simulating process ended with status {status} and left no result"
    name = signal.Signals(-status).name
    hint = "; it may have run out of memory" if name == "SIGKILL" else ""
    return f"the simulating process was ended by {name}{hint}"


@dataclass
class LocalExecution(Execution):
    """Runs that are made here, each in a process of its own."""

    _running: dict[int, RunProcess] = field(default_factory=dict, init=False)

    def _make_runs(self) -> None:
        with selectors.DefaultSelector() as selector:
            while self._waiting or self._running:
                self._start_some(selector)
                for key, _ in selector.select(timeout=0.5):
                    self._read(key.fd, selector)

    def _start_some(self, selector: selectors.BaseSelector) -> None:
        for entry in list(self._waiting):
            if self._running and self._free_threads() < 1:
                return
            if self._running and not self._fits(entry):
                continue
            self._waiting.remove(entry)
            run = RunProcess.start(entry[0], self.store.folder)
            self._running[run.output.fileno()] = run
            selector.register(run.output, selectors.EVENT_READ)
            self.observer.started(*entry)

    def _free_threads(self) -> int:
        return usable_cores() - sum(run.member.threads for run in self._running.values())

    def _fits(self, entry: tuple[Member, Prediction]) -> bool:
        if entry[0].threads > self._free_threads():
            return False
        return entry[1].memory_bytes < available_memory()

    def _read(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        run = self._running[descriptor]
        if not run.read(partial(self.observer.advanced, run.member)):
            selector.unregister(descriptor)
            del self._running[descriptor]
            self._collect(run.member, run.outcome(self.store, core.load().version))

    def _stop_all(self) -> None:
        stop_all(self._running.values())
        self._running.clear()


def is_short(prediction: Prediction) -> bool:
    """Returns whether a process of its own would cost more than it is worth."""
    return prediction.packets + prediction.messages <= _MOST_EVENTS


def run_here(
    members: Sequence[Member],
    predictions: Sequence[Prediction],
    store: RunStore,
    observer: Observer,
) -> list[Run | Failure]:
    """Makes runs one after the other in this process; finished ones in the store are kept.

    Args:
        members: The runs.
        predictions: What is expected of each.
        store: Where finished runs go and come from.
        observer: Is told what happens.

    Raises:
        Interrupted: By Ctrl-C; finished runs are stored.
    """
    outcomes: list[Run | Failure] = []
    version = core.load().version
    try:
        for member, prediction in zip(members, predictions, strict=True):
            outcome: Run | Failure | None = found(member, version, store, observer)
            resumed = outcome is not None
            if outcome is None:
                observer.started(member, prediction)
                outcome = _run(member, store, version)
            observer.finished(member, outcome, resumed=resumed)
            outcomes.append(outcome)
    except KeyboardInterrupt:
        kept = f"{store.count(members, version)} runs are finished"
        raise Interrupted(f"interrupted; {kept}, {GO_ON}") from None
    return outcomes


def _run(member: Member, store: RunStore, version: str) -> Run | Failure:
    try:
        raw = stamped(core.load().simulate(member.spec.tables(), lambda done, hops, now: True))
    except Interrupted:
        raise KeyboardInterrupt from None
    except Error as error:
        failure = Failure.of(member, type(error).__name__, str(error))
        store.save_failure(member, failure.record(), version)
        return failure
    store.save(member, raw, version)
    return Run.of(member, raw)
