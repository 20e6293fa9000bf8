"""Making the runs of an experiment, wherever that is, so that no finished run is lost."""

from __future__ import annotations

import contextlib
import signal
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, Protocol

from tradewind import core
from tradewind.config.experiment import Member
from tradewind.errors import Interrupted
from tradewind.results.record import DamagedError
from tradewind.runs.limits import Prediction
from tradewind.runs.run import ErrorRecord, Failure, Run
from tradewind.runs.store import RunStore


class Observer(Protocol):
    """Is told what happens; draws the progress bar, for example."""

    def started(self, member: Member, prediction: Prediction) -> None:
        """Is told that a run begins; once more for the same run if whoever made it was lost."""

    def advanced(self, member: Member, done_ranks: int, work_done: int, simulated_ps: int) -> None:
        """Is told how far a run is; `work_done` counts packet-hops, or messages if it has no packets."""

    def finished(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        """Is told that a run has ended, or was found finished."""

    def damaged(self, member: Member, reason: str) -> None:
        """Is told that the files of a run are damaged, so that it is made again."""


@dataclass
class Execution(ABC):
    """All runs of one experiment.

    Args:
        members: The runs, in the order in which the results are wanted.
        predictions: What is expected of each.
        store: Where finished runs go; those that it has are taken over.
        observer: Is told what happens.
        advice: How to go on after an interruption.
    """

    members: Sequence[Member]
    predictions: Sequence[Prediction]
    store: RunStore
    observer: Observer
    advice: str = "they are kept"
    _outcomes: dict[tuple[int, ...], Run | Failure] = field(default_factory=dict, init=False)
    _waiting: list[tuple[Member, Prediction]] = field(default_factory=list, init=False)

    def run(self) -> list[Run | Failure]:
        """Makes every run that is not finished.

        Returns:
            The outcomes in the order of the members.

        Raises:
            Interrupted: By Ctrl-C or SIGTERM; finished runs are stored.
        """
        self._take_over()
        try:
            try:
                with termination_as_interrupt():
                    self._make_runs()
            finally:
                self._stop_all()
        except KeyboardInterrupt:
            raise Interrupted(f"interrupted; {self._kept()}") from None
        return [self._outcomes[member.position] for member in self.members]

    @abstractmethod
    def _make_runs(self) -> None:
        """Makes what is in `_waiting` and calls `_collect` for each."""

    @abstractmethod
    def _stop_all(self) -> None:
        """Ends what still runs; also called when nothing does."""

    def _take_over(self) -> None:
        version = core.load().version
        for member, prediction in zip(self.members, self.predictions, strict=True):
            run = found(member, version, self.store, self.observer)
            if run is None:
                self._waiting.append((member, prediction))
            else:
                self._finish(member, run, resumed=True)
        # The longest first, so that the last one to end is a short one.
        self._waiting.sort(key=lambda entry: -entry[1].packets)

    def _collect(self, member: Member, outcome: Run | ErrorRecord) -> None:
        """Takes the run, which is stored, or records kind and message of an error."""
        if isinstance(outcome, Run):
            self._finish(member, outcome, resumed=False)
            return
        failure = Failure.of(member, **outcome)
        self.store.save_failure(member, failure.record(), core.load().version)
        self._finish(member, failure, resumed=False)

    def _finish(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        self._outcomes[member.position] = outcome
        self.observer.finished(member, outcome, resumed=resumed)

    def _kept(self) -> str:
        """Says what an execution that ends early leaves; the store knows it best."""
        others = [member for member in self.members if member.position not in self._outcomes]
        done = len(self._outcomes) + self.store.count(others, core.load().version)
        return f"{done} of {len(self.members)} runs are finished, {self.advice}"


def found(member: Member, version: str, store: RunStore, observer: Observer) -> Run | None:
    """Returns a run that is finished, and tells the observer of one that is damaged."""
    try:
        return store.read(member, version)
    except DamagedError as error:
        observer.damaged(member, str(error))
        return None


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
        answer = signal.getsignal(signal.SIGINT)
        if callable(answer):
            answer(number, frame)
        raise KeyboardInterrupt
