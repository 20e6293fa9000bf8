"""Runs that take less time than a process of their own would need to start."""

from __future__ import annotations

from collections.abc import Sequence

from tradewind import core
from tradewind.config.experiment import Member
from tradewind.errors import Error, Interrupted
from tradewind.runs.execution import Failure, Observer
from tradewind.runs.limits import Prediction
from tradewind.runs.results import Run
from tradewind.runs.store import RunStore

# Events of a run that takes a fraction of a second.
_MOST_EVENTS = 300_000
# After an interruption: finished runs are in the store and are not made again.
GO_ON = "the same command goes on from there"


def is_short(prediction: Prediction) -> bool:
    """True if a process of its own would cost more than it is worth."""
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
            found: Run | Failure | None = store.load(member, version)
            resumed = found is not None
            if found is None:
                observer.started(member, prediction)
                found = _run(member, store, version)
            observer.finished(member, found, resumed=resumed)
            outcomes.append(found)
    except KeyboardInterrupt:
        kept = f"{store.count(members, version)} runs are finished"
        raise Interrupted(f"interrupted; {kept}, {GO_ON}") from None
    return outcomes


def _run(member: Member, store: RunStore, version: str) -> Run | Failure:
    try:
        raw = core.load().simulate(member.spec, lambda done, hops, now: True)
    except Interrupted:
        raise KeyboardInterrupt from None
    except Error as error:
        failure = Failure(member, type(error).__name__, str(error))
        store.save_failure(member, {"kind": failure.kind, "message": failure.message}, version)
        return failure
    store.save(member, raw, version)
    return Run(dict(member.parameters), member.spec, member.machine, raw)
