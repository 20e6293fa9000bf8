"""The processes that mpiexec has started, when they share runs: the first leads, the others follow."""

from __future__ import annotations

import contextlib
import importlib
import pickle
import signal
import sys
import threading
import traceback
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, NoReturn

from tradewind import core
from tradewind.errors import ConfigError, Error
from tradewind.mpi.launch import world

# Set once, when MPI has been started.
_has_joined = False

# The settings of a run by part and key; `tradewind.config` is above this layer.
Tables = Mapping[str, Mapping[str, object]]


@dataclass(frozen=True)
class _End:
    """The end of a run on one process."""

    kind: str
    message: str
    cpu_s: float = 0.0
    peak_rss_bytes: int = 0


@dataclass
class _Interrupts:
    """SIGINT, held back while the processes do something together.

    A process that left in the midst of it would let the others wait for ever.

    Args:
        before: The handler from before.
        are_held: They are noted, and end the next simulation that looks for them.
        is_pending: One has been noted.
    """

    before: Any = None
    are_held: bool = False
    is_pending: bool = False

    def handle(self, number: int, frame: Any) -> None:
        """Handles a signal."""
        if self.are_held:
            self.is_pending = True
        elif callable(self.before):
            self.before(number, frame)

    @contextlib.contextmanager
    def installed(self) -> Iterator[None]:
        """Handles SIGINT, in the main thread."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        self.before = signal.signal(signal.SIGINT, self.handle)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, self.before)

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Holds them back."""
        before, self.are_held = self.are_held, True
        try:
            yield
        finally:
            self.are_held = before

    def raise_pending(self) -> None:
        """Raises KeyboardInterrupt if one has been noted."""
        if self.is_pending:
            self.is_pending = False
            raise KeyboardInterrupt


@dataclass(frozen=True)
class Group:
    """All processes of one job.

    Args:
        process: Number of this one; the first leads.
        processes: Number of processes.
        mpi: The module tradewind._processes.
        interrupts: SIGINT in this process.
    """

    process: int
    processes: int
    mpi: Any
    interrupts: _Interrupts = field(default_factory=_Interrupts)

    @property
    def is_first(self) -> bool:
        """True on the process that leads."""
        return self.process == 0

    def __str__(self) -> str:
        """Returns a description for people."""
        return f"{self.processes} processes of {self.mpi.library()} share each run"

    def simulate(self, spec: Tables, progress: core.Progress) -> core.RawRun:
        """Simulates one run on all processes; called on the first process.

        Returns:
            The result of `core.simulate`, with the processor time of all processes, and the peak memory of
            the one that needed most.

        Raises:
            Error: The error of the run.
            KeyboardInterrupt: If any process was interrupted.
        """
        with self.interrupts.held():
            self._exchange(spec)
            raw, ends = self._take_part(spec, progress)
        for end in ends:
            if end.kind == "KeyboardInterrupt":
                raise KeyboardInterrupt
        for end in ends:
            if end.kind:
                raise _error(end)
        assert raw is not None
        raw["cpu_s"] = sum(end.cpu_s for end in ends)
        raw["peak_rss_bytes"] = max(end.peak_rss_bytes for end in ends)
        return raw

    def follow(self) -> None:
        """Takes part in every run until the first process ends; called on the other processes."""
        with self.interrupts.held():
            while (spec := self._exchange(None)[0]) is not None:
                self._take_part(spec, lambda done, hops, now: True)

    def _take_part(
        self, spec: Tables, progress: core.Progress
    ) -> tuple[core.RawRun | None, list[_End]]:
        raw = None

        def interruptible(done_ranks: int, work_done: int, simulated_ps: int) -> bool:
            self.interrupts.raise_pending()
            return progress(done_ranks, work_done, simulated_ps)

        try:
            raw = core.load().simulate(spec, interruptible, self.mpi.group())
            own = _End("", "", raw["cpu_s"], raw["peak_rss_bytes"])
        except (Error, KeyboardInterrupt) as error:
            # The engine reports it to all processes, so that all of them come here.
            own = _End(type(error).__name__, str(error))
        except MemoryError:
            self._give_up("there is not enough memory for this run")
        except BaseException:
            traceback.print_exc()
            self._give_up("an error that the other processes do not know")
        return raw, self._exchange(own)

    def _exchange(self, own: Any) -> list[Any]:
        return [pickle.loads(given) for given in self.mpi.exchange(pickle.dumps(own))]

    def _give_up(self, reason: str) -> NoReturn:
        """Ends the job after an error that the other processes cannot know."""
        place = f"process {self.process} of {self.processes}"
        sys.stderr.write(f"error: {place} ends the whole job: {reason}\n")
        sys.stderr.flush()
        self.mpi.abort(1)
        raise SystemExit(1)

    def has_refusals(self, own: str) -> bool:
        """Reports whether a process before this one, or any other if this one takes part, does not.

        Args:
            own: The reason of this process for taking no part; empty if it does.
        """
        reasons = self._exchange(own)
        return any(reasons[: self.process] if own else reasons)

    def end(self) -> None:
        """Lets the others go, and ends MPI."""
        with self.interrupts.held():
            if self.is_first:
                self._exchange(None)
            self.mpi.finish()


def _error(end: _End) -> Error:
    from tradewind import errors

    kind = getattr(errors, end.kind, Error)
    error = kind(end.message)
    assert isinstance(error, Error)
    return error


class DeclinedError(ConfigError):
    """Another process of the job has refused to take part, and tells why."""


def _started() -> Group:
    """Starts MPI in this process."""
    global _has_joined
    _has_joined = True
    try:
        module = importlib.import_module("tradewind._processes")
    except ImportError as error:
        raise ConfigError(
            f"no MPI: tradewind was installed without one, or it cannot be loaded ({error})"
        ) from None
    process, processes = module.start()
    return Group(process, processes, module)


@contextlib.contextmanager
def joined() -> Iterator[Group]:
    """Starts MPI in a process that mpiexec has started; all others do the same.

    Raises:
        ConfigError: If there is no MPI, or launcher and library are not of the same MPI.
        DeclinedError: If another process takes no part.
    """
    group = _started()
    expected = world()[1]
    if group.has_refusals(""):
        group.mpi.finish()
        raise DeclinedError("another process takes no part")
    try:
        if group.processes != expected:
            raise ConfigError(
                f"{expected} processes were started, but MPI sees {group.processes}: the launcher "
                f"does not belong to the MPI library of tradewind, {group.mpi.library()}"
            )
        with group.interrupts.installed():
            yield group
    finally:
        with group.interrupts.installed():
            group.end()


def decline(reason: str) -> str:
    """Lets the other processes know that this one takes no part, which they would wait for.

    Args:
        reason: Why.

    Returns:
        What this process tells the user; empty if another one tells its own reason.
    """
    try:
        group = _started()
    except ConfigError:
        return reason
    tells = not group.has_refusals(reason)
    group.mpi.finish()
    return f"process {group.process} of {group.processes}: {reason}" if tells else ""


def has_joined() -> bool:
    """Reports whether this process has met the others."""
    return _has_joined
