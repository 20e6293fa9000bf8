"""Runs the command line of tradewind in a process of its own, and judges how that has ended.

The process is a copy of one that has loaded everything, so that a call takes milliseconds. Whatever would take
long is cut short once all checks are behind it: such an input counts as accepted.
"""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sys
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import click

from tradewind import cli, core
from tradewind.config.spec import Spec
from tradewind.errors import Error
from tradewind.host import available_memory
from tradewind.models import memory, run
from tradewind.runs import limits, workplace
from tradewind.runs.execution import Execution
from tradewind.studies import reproduction

CPU_LIMIT_S = 40
WALL_LIMIT_S = 300
RESIDENT_LIMIT = 2 * 2**30
# Arrays of networks are reserved whole and touched in part.
ADDRESS_LIMIT = 64 * 2**30

# A simulation that is really made has at most so many messages and packets, a model so many bytes and steps.
_MOST_EVENTS = 20_000
_MOST_BYTES_OF_RUN = 200e6
_MOST_BYTES = 24e6
_MOST_STEPS = 2
# With columns on demand, a plan finds the departure points on the edges of the parts of all ranks.
_LONGEST_EDGE = 10**5
_MOST_RANKS = 10_000

# Exit statuses of the copy that no command has.
_ACCEPTED, _ESCAPED = 90, 91


class _AcceptedError(BaseException):
    """All checks are passed and something long would begin now."""


@dataclass(frozen=True)
class Ending:
    """The end of a call.

    Args:
        status: Its exit status; 0 if it was cut short; negative: the number of a signal.
        text: All that it has written.
        is_late: Whether it took too long.
        is_large: Whether it took too much memory.
        has_escaped: Whether an exception came out of the command line.
    """

    status: int
    text: str
    is_late: bool = False
    is_large: bool = False
    has_escaped: bool = False

    def fault(self, *, must_fail: bool) -> str | None:
        """Returns the fault of this ending, or None.

        Args:
            must_fail: Whether the input must be refused.
        """
        if self.is_late:
            return "hang"
        if self.is_large:
            return "memory that was not foretold"
        if self.status < 0:
            return f"ended by {signal.Signals(-self.status).name}"
        if self.has_escaped or "Traceback (most recent call last)" in self.text:
            return "traceback"
        if self.status not in (0, 1, 2):
            return f"exit status {self.status}"
        if self.status and "error: " not in self.text.lower():
            return "an error that is not told"
        if must_fail and self.status != 2:
            return f"exit status {self.status} for an input that must be refused"
        return None

    def names_one_of(self, inputs: Sequence[str]) -> bool:
        """Returns whether wrong input was refused with the name of a file or folder; True if it was not.

        Args:
            inputs: The names.
        """
        told = self.text.partition("error: ")[2]
        return self.status != 2 or any(name in told for name in inputs)


class _ShortRuns(Execution):
    """Small simulations are made in this process; the first larger one ends the call."""

    def _make_runs(self) -> None:
        loaded = core.load()
        for member, prediction in list(self._waiting):
            if (
                prediction.packets + prediction.messages > _MOST_EVENTS
                or prediction.memory_bytes > _MOST_BYTES_OF_RUN
            ):
                raise _AcceptedError
            self._waiting.remove((member, prediction))
            try:
                self.store.save(member, loaded.simulate(member.spec.tables()), loaded.version)
            except Error as error:
                self._collect(member, {"kind": type(error).__name__, "message": str(error)})
                continue
            run = self.store.load(member, loaded.version)
            assert run is not None
            self._collect(member, run)

    def _stop_all(self) -> None:
        """Nothing goes on elsewhere."""


def load_everything() -> None:
    """Loads all commands, and puts short work in the place of long work; for the copies."""
    context = click.Context(cli.group)
    for name in cli.group.list_commands(context):
        cli.group.get_command(context, name)
    core.load()
    workplace.THIS_MACHINE = workplace.Workplace(_ShortRuns, available_memory, lambda: "here")
    _end_at_runs(reproduction)
    _end_at_long_plans()
    _end_models()


def _end_at_runs(module: Any) -> None:
    def accept(*given: object) -> NoReturn:
        raise _AcceptedError

    module._outcomes = accept


def _end_at_long_plans() -> None:
    predict: Any = limits.predict

    def predict_and_end(spec: Spec) -> Any:
        program = spec.program
        grid = program.get("grid")
        is_wide = isinstance(grid, list) and max(grid) > _LONGEST_EDGE
        is_long = is_wide or program.ranks > _MOST_RANKS
        if program.get("exchange") == "on_demand" and is_long:
            raise _AcceptedError
        return predict(spec)

    vars(limits)["predict"] = predict_and_end


def _end_models() -> None:
    check: Any = memory.check_memory

    def check_and_end(model: str, settings: Any, ranks: int, *where: Any) -> None:
        check(model, settings, ranks, *where)
        if memory.needed_memory(model, settings, ranks) > _MOST_BYTES:
            raise _AcceptedError

    vars(run)["check_memory"] = check_and_end

    def stepped(recorder: Any, step: int) -> None:
        if step >= _MOST_STEPS:
            raise _AcceptedError

    recorder_class: Any = run.Recorder
    recorder_class.stepped = stepped


def call_here(folder: Path, arguments: Sequence[str]) -> None:
    """Runs `tradewind` in this process, which then has what the command loads on the way.

    Raises:
        RuntimeError: If it fails.
    """
    with (
        contextlib.chdir(folder),
        Path(os.devnull).open("w", encoding="utf-8") as nowhere,
        contextlib.redirect_stdout(nowhere),
        contextlib.redirect_stderr(nowhere),
    ):
        status = cli.main(list(arguments))
    if status:
        raise RuntimeError(f"fuzz: tradewind {' '.join(arguments)} ended with status {status}")


def call(folder: Path, arguments: Sequence[str]) -> Ending:
    """Runs `tradewind` with these arguments in a folder, in a copy of this process."""
    log = folder / "output.txt"
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _be_called(folder, arguments, log)
    status, is_late, is_large = _wait(child)
    text = log.read_text(encoding="utf-8", errors="replace") if log.is_file() else ""
    if status == -signal.SIGXCPU:
        is_late = True
    if status == _ACCEPTED:
        return Ending(0, text, is_late, is_large)
    has_escaped = status == _ESCAPED
    return Ending(1 if has_escaped else status, text, is_late, is_large, has_escaped)


def _wait(child: int) -> tuple[int, bool, bool]:
    """Its status, and whether it was ended for its time or for its memory."""
    end = time.monotonic() + WALL_LIMIT_S
    # The copy begins with the memory of this process.
    largest = _resident_bytes(os.getpid()) + RESIDENT_LIMIT
    pause_s = 0.002
    while True:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status), False, False
        is_late, is_large = time.monotonic() > end, _resident_bytes(child) > largest
        if is_late or is_large:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return -signal.SIGKILL, is_late, is_large
        time.sleep(pause_s)
        pause_s = min(2 * pause_s, 0.05)


def _resident_bytes(process: int) -> int:
    try:
        words = Path(f"/proc/{process}/statm").read_text(encoding="ascii").split()
    except OSError:
        return 0
    return int(words[1]) * resource.getpagesize() if words else 0


def _be_called(folder: Path, arguments: Sequence[str], log: Path) -> NoReturn:
    """The copy: never returns."""
    status = _ESCAPED
    try:
        os.setsid()
        with _output_to(log):
            os.chdir(folder)
            _limit()
            status = cli.main(list(arguments))
    except _AcceptedError:
        status = _ACCEPTED
    except BaseException:
        with log.open("a", encoding="utf-8") as file:
            traceback.print_exc(file=file)
    finally:
        os._exit(status)


@contextlib.contextmanager
def _output_to(log: Path) -> Iterator[None]:
    descriptor = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    for stream in (1, 2):
        os.dup2(descriptor, stream)
    # The streams may have been replaced, in a test for example; the descriptors are the files.
    sys.stdout, sys.stderr = (
        open(stream, "w", encoding="utf-8", errors="backslashreplace", closefd=False)  # noqa: SIM115
        for stream in (1, 2)
    )
    try:
        yield
    finally:
        sys.stdout.flush()
        sys.stderr.flush()


def _limit() -> None:
    resource.setrlimit(resource.RLIMIT_AS, (ADDRESS_LIMIT, ADDRESS_LIMIT))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_LIMIT_S, CPU_LIMIT_S + 5))
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**28, 2**28))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
