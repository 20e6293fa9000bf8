"""A member that is simulated in a process of its own, as its parent sees it."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from tradewind.config.experiment import Member
from tradewind.runs.results import Run
from tradewind.runs.store import RunStore

_GRACE_S = 3.0

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
    _failure: dict[str, str] | None = None
    _done: bool = False

    @classmethod
    def start(cls, member: Member, folder: Path) -> RunProcess:
        """Starts the process; the result goes to the folder of a RunStore."""
        task = {
            "parameters": dict(member.parameters),
            "position": member.position,
            "spec": member.spec,
            "machine": member.machine,
            "folder": str(folder),
        }
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
            pipe.write(json.dumps(task).encode())
        return cls(member, process)

    @property
    def output(self) -> IO[bytes]:
        """What to wait for before `read`."""
        assert self.process.stdout is not None
        return self.process.stdout

    def read(self, progress: Progress) -> bool:
        """Takes in what the process has said; False if that was all."""
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

    def outcome(self, store: RunStore, version: str) -> Run | dict[str, str]:
        """After the end: the run from the store, or kind and message of the error."""
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
