"""Where runs are made: processes of this machine, or the workers of a Dask scheduler."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from tradewind.runs.execution import Execution
from tradewind.runs.limits import UNLIMITED, available_memory
from tradewind.runs.local import LocalExecution
from tradewind.units import bytes_text


@dataclass(frozen=True)
class Workplace:
    """What makes runs.

    Args:
        execution: Takes members, predictions, store, observer and resume, as Execution does.
        memory: Bytes that a run may need, as far as that is known before it begins.
        words: What there is, for people.
    """

    execution: Callable[..., Execution]
    memory: Callable[[], int]
    words: Callable[[], str]


THIS_MACHINE = Workplace(
    LocalExecution, available_memory, lambda: f"{bytes_text(available_memory())} available"
)


@contextlib.contextmanager
def workplace(scheduler: str | None = None) -> Iterator[Workplace]:
    """Where to make runs.

    Args:
        scheduler: Address of a Dask scheduler, such as tcp://host:8786; None for processes of
            this machine.

    Raises:
        ConfigError: If the scheduler cannot be reached.
        Error: If the package distributed is missing.
    """
    if scheduler is None:
        yield THIS_MACHINE
        return
    from tradewind.runs.dask_cluster import DaskExecution, connected

    with connected(scheduler) as client:
        # Workers look at their memory themselves, when a run begins.
        execution = partial(DaskExecution, client=client)
        yield Workplace(execution, lambda: UNLIMITED, partial(_workers_of, client))


def _workers_of(client: Any) -> str:
    """How many there are now; more may come."""
    threads = client.nthreads()
    words = f"{len(threads)} workers with {sum(threads.values())} threads"
    return f"{words} at {client.scheduler.address}"
