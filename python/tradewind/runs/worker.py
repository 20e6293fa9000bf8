"""One simulated run in a process of its own: settings come in as JSON, progress and outcome go out."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

from tradewind import core, errors
from tradewind.config.experiment import Member, MemberRecord
from tradewind.runs.origin import stamped
from tradewind.runs.store import RunStore


class WorkerTask(MemberRecord):
    """The order to a process: a run, and the folder of the RunStore that gets its result."""

    folder: str


class _Reporter:
    """Writes one JSON object per line to the parent process."""

    def __init__(self) -> None:
        # Output of libraries must not mix with the lines for the parent.
        self._file = os.fdopen(os.dup(1), "w", encoding="utf-8")
        os.dup2(2, 1)

    def send(self, **message: Any) -> bool:
        """Writes a message; returns False if nobody listens any more."""
        try:
            self._file.write(json.dumps(message) + "\n")
            self._file.flush()
        except BrokenPipeError:
            return False
        return True

    def progress(self, done_ranks: int, work_done: int, simulated_ps: int) -> bool:
        """Tells how far the run is, for the core; returns False to stop the run."""
        return self.send(progress=[done_ranks, work_done, simulated_ps])


# The option of the system call of that name, from <sys/prctl.h>.
_PR_SET_PDEATHSIG = 1


def end_with_parent() -> None:
    """Lets the kernel end this process when the one that has started it is killed (Linux)."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


def main() -> int:
    """Makes a run that standard input describes; returns the exit status."""
    end_with_parent()
    reporter = _Reporter()
    try:
        return _make_run(reporter)
    except MemoryError:
        reporter.send(
            failed={"kind": "MemoryError", "message": "there is not enough memory for this run"}
        )
        return 1


def _make_run(reporter: _Reporter) -> int:
    """Reads a `WorkerTask` from standard input, makes the run, stores the result."""
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        # An interrupt has reached the parent before the task was written.
        return 130
    task: WorkerTask = json.loads(line)
    member = Member.of(task)
    store = RunStore(Path(task["folder"]))
    try:
        loaded = core.load()
        raw = stamped(loaded.simulate(member.spec.tables(), reporter.progress))
        store.save(member, raw, loaded.version)
    except errors.Interrupted:
        return 130
    except errors.Error as error:
        reporter.send(failed={"kind": type(error).__name__, "message": str(error)})
        return 1
    reporter.send(done=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
