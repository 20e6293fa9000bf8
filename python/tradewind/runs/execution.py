"""Running the members of an experiment in parallel processes that lose no finished run."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Protocol

from tradewind import core
from tradewind.config.experiment import Member, usable_cores
from tradewind.errors import Interrupted
from tradewind.runs.limits import Prediction, available_memory
from tradewind.runs.results import Run
from tradewind.runs.store import RunStore

_GRACE_S = 3.0


@dataclass(frozen=True)
class Failure:
    """A run that did not finish: the class of its error and what it said."""

    member: Member
    kind: str
    message: str


class Observer(Protocol):
    """Is told what happens; draws the progress bar, for example."""

    def started(self, member: Member, prediction: Prediction) -> None:
        """A run begins."""

    def advanced(
        self, member: Member, done_ranks: int, packet_hops: int, simulated_ps: int
    ) -> None:
        """A run has come further."""

    def finished(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        """A run has ended, or was found finished."""


@dataclass
class _Worker:
    member: Member
    prediction: Prediction
    process: subprocess.Popen[bytes]
    buffer: bytes = b""
    failure: dict[str, str] | None = None
    done: bool = False


@dataclass
class Execution:
    """All runs of one experiment.

    Args:
        members: The runs, in the order in which the results are wanted.
        predictions: What is expected of each.
        store: Where finished runs go, and where `resume` looks for them.
        observer: Is told what happens.
        resume: Takes over runs that are finished already.
        advice: How to go on after an interruption.
    """

    members: Sequence[Member]
    predictions: Sequence[Prediction]
    store: RunStore
    observer: Observer
    resume: bool = False
    advice: str = "they are kept"
    _outcomes: dict[tuple[int, ...], Run | Failure] = field(default_factory=dict, init=False)
    _workers: dict[int, _Worker] = field(default_factory=dict, init=False)
    _waiting: list[tuple[Member, Prediction]] = field(default_factory=list, init=False)

    def run(self) -> list[Run | Failure]:
        """Makes every run that is not finished.

        Returns:
            The outcomes in the order of the members.

        Raises:
            Interrupted: By Ctrl-C or SIGTERM; finished runs are stored.
        """
        self._take_over()
        selector = selectors.DefaultSelector()
        try:
            with termination_as_interrupt():
                while self._waiting or self._workers:
                    self._start_some(selector)
                    for key, _ in selector.select(timeout=0.5):
                        self._read(key.fd, selector)
        except KeyboardInterrupt:
            kept = f"{len(self._outcomes)} of {len(self.members)} runs are finished"
            raise Interrupted(f"interrupted; {kept}, {self.advice}") from None
        finally:
            self._stop_all()
            selector.close()
        return [self._outcomes[member.position] for member in self.members]

    def _take_over(self) -> None:
        version = core.load().version
        for member, prediction in zip(self.members, self.predictions, strict=True):
            run = self.store.load(member, version) if self.resume else None
            if run is None:
                self._waiting.append((member, prediction))
            else:
                self._finish(member, run, resumed=True)
        # The longest first, so that the last one to end is a short one.
        self._waiting.sort(key=lambda entry: -entry[1].packets)

    def _start_some(self, selector: selectors.BaseSelector) -> None:
        for entry in list(self._waiting):
            if self._workers and not self._fits(entry):
                continue
            self._waiting.remove(entry)
            worker = _start(*entry, self.store.folder)
            assert worker.process.stdout is not None
            self._workers[worker.process.stdout.fileno()] = worker
            selector.register(worker.process.stdout, selectors.EVENT_READ)
            self.observer.started(*entry)

    def _fits(self, entry: tuple[Member, Prediction]) -> bool:
        threads = sum(_threads(worker.member) for worker in self._workers.values())
        if threads + _threads(entry[0]) > usable_cores():
            return False
        return entry[1].memory_bytes < available_memory()

    def _read(self, descriptor: int, selector: selectors.BaseSelector) -> None:
        worker = self._workers[descriptor]
        data = os.read(descriptor, 1 << 16)
        if not data:
            selector.unregister(descriptor)
            del self._workers[descriptor]
            self._collect(worker)
            return
        *lines, worker.buffer = (worker.buffer + data).split(b"\n")
        for line in lines:
            self._hear(worker, json.loads(line))

    def _hear(self, worker: _Worker, message: dict[str, Any]) -> None:
        if "progress" in message:
            self.observer.advanced(worker.member, *message["progress"])
        worker.failure = message.get("failed", worker.failure)
        worker.done = message.get("done", worker.done)

    def _collect(self, worker: _Worker) -> None:
        assert worker.process.stdout is not None
        worker.process.stdout.close()
        status = worker.process.wait()
        version = core.load().version
        run = self.store.load(worker.member, version) if worker.done else None
        if run is not None:
            self._finish(worker.member, run, resumed=False)
            return
        error = worker.failure or {"kind": "Error", "message": _death(status)}
        self.store.save_failure(worker.member, error, version)
        self._finish(worker.member, Failure(worker.member, **error), resumed=False)

    def _finish(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        self._outcomes[member.position] = outcome
        self.observer.finished(member, outcome, resumed=resumed)

    def _stop_all(self) -> None:
        for worker in self._workers.values():
            worker.process.terminate()
        end = time.monotonic() + _GRACE_S
        for worker in self._workers.values():
            try:
                worker.process.wait(timeout=max(0.0, end - time.monotonic()))
            except subprocess.TimeoutExpired:
                worker.process.kill()
                worker.process.wait()
            if worker.process.stdout is not None:
                worker.process.stdout.close()
        self._workers.clear()


def _start(member: Member, prediction: Prediction, folder: Path) -> _Worker:
    task = {
        "parameters": dict(member.parameters),
        "position": member.position,
        "spec": member.spec,
        "machine": member.machine,
        "folder": str(folder),
    }
    # A session of its own keeps Ctrl-C in the terminal from the worker: the parent ends it.
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "tradewind.runs.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    assert process.stdin is not None
    # A worker that died at once is noticed when its output ends.
    with contextlib.suppress(BrokenPipeError), process.stdin as pipe:
        pipe.write(json.dumps(task).encode())
    return _Worker(member, prediction, process)


def _threads(member: Member) -> int:
    threads = member.spec["simulation"]["threads"]
    assert isinstance(threads, int)
    return threads


def _death(status: int) -> str:
    if status >= 0:
        return f"the simulating process ended with status {status} and left no result"
    name = signal.Signals(-status).name
    hint = "; it may have run out of memory" if name == "SIGKILL" else ""
    return f"the simulating process was ended by {name}{hint}"


class termination_as_interrupt:  # noqa: N801 - used like a function
    """Makes SIGTERM end a run as Ctrl-C does, where signals can be set."""

    def __enter__(self) -> None:
        self._before: Any = None
        with contextlib.suppress(ValueError):
            self._before = signal.signal(signal.SIGTERM, self._raise)

    def __exit__(self, *details: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGTERM, self._before)

    @staticmethod
    def _raise(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt
