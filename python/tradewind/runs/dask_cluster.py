"""Runs on the workers of a Dask scheduler."""

from __future__ import annotations

import contextlib
import logging
import queue
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from tradewind import core, extras
from tradewind.config.experiment import Member
from tradewind.errors import ConfigError, Error
from tradewind.runs.dask_worker import simulate_member
from tradewind.runs.execution import Execution
from tradewind.runs.limits import Prediction
from tradewind.runs.results import Run

# Of connecting, also to a scheduler that was lost.
_PATIENCE_S = 5


@contextlib.contextmanager
def connected(address: str) -> Iterator[Any]:
    """A client of the scheduler.

    Args:
        address: Such as tcp://host:8786.

    Raises:
        ConfigError: If it cannot be reached.
        Error: If the package distributed is missing.
    """
    distributed = extras.need("distributed", "Dask schedulers", "dask")
    # What it has to say comes as exceptions.
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
        task = {
            "parameters": dict(member.parameters),
            "position": list(member.position),
            "spec": member.spec,
            "machine": member.machine,
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

    def _outcome(self, member: Member, future: Any) -> Run | dict[str, str]:
        if future.status == "error":
            error = future.exception()
            return {"kind": type(error).__name__, "message": str(error)}
        if future.status != "finished":
            raise Error(
                f"the Dask scheduler {self.client.scheduler.address} was lost; {self._kept()}"
            )
        result = future.result()
        future.release()
        if "failed" in result:
            failed: dict[str, str] = result["failed"]
            return failed
        version = core.load().version
        self.store.save(member, result["raw"], version)
        run = self.store.load(member, version)
        return run or {"kind": "Error", "message": "the result could not be stored"}

    def _stop_all(self) -> None:
        """Workers end a cancelled run within a second."""
        if self._futures and self.client.status == "running":
            self.client.cancel(list(self._futures.values()))
        self._futures.clear()
