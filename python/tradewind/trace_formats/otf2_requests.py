"""Requests: the requests of one rank, by their numbers in an archive of OTF2."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import numpy as np

from tradewind.trace_formats.otf2_calls import Call

_STARTS = ("MpiIsend", "MpiIrecvRequest", "NonBlockingCollectiveRequest")
_ENDS = (
    "MpiIsendComplete",
    "MpiIrecv",
    "NonBlockingCollectiveComplete",
    "MpiRequestCancelled",
)
_MOST_RECENT = 1024


class Requests:
    """The requests of a rank that are not complete."""

    def __init__(self) -> None:
        self._open: dict[int, tuple[int, Call]] = {}
        self._started = 0
        self._completed: bytearray | None = None

    def start(self, number: int, call: Call) -> None:
        """Takes a call as open until its request is complete.

        The number of a request that is not complete may be given again: then it never will be.
        """
        if number in self._open:
            _lose(self._open.pop(number)[1])
        if self._completed is None or self._completed[self._started]:
            call.is_open = True
            self._open[number] = (self._started, call)
        else:
            _lose(call)
        self._started += 1

    def completed(self, number: int) -> Call | None:
        """Returns the call whose request is complete, if it is known."""
        _, call = self._open.pop(number, (0, None))
        if call is not None:
            call.is_open = False
        return call

    def lose(self, completed: bytearray) -> None:
        """Closes the requests that will never be complete, now and when they are started.

        Args:
            completed: For each request, in the order in which they are started, whether it will be complete.
        """
        self._completed = completed
        for number, (place, call) in list(self._open.items()):
            if not completed[place]:
                _lose(call)
                del self._open[number]

    def close(self) -> None:
        """Closes all requests."""
        for _, call in self._open.values():
            _lose(call)
        self._open = {}


def completed_requests(events: Iterable[tuple[Any, Any]]) -> dict[Any, bytearray]:
    """Returns for each location whether its requests, in their order, will be complete.

    Args:
        events: The locations and records of an archive.
    """
    found: defaultdict[Any, _Completions] = defaultdict(_Completions)
    for location, event in events:
        kind = type(event).__name__
        if kind in _STARTS:
            found[location].start(event.request_id)
        elif kind in _ENDS:
            found[location].end(event.request_id)
    return {location: one.completed for location, one in found.items()}


class _Completions:
    """The requests of a location, with hardly any memory for those that are never complete."""

    def __init__(self) -> None:
        self.completed = bytearray()
        self._recent: dict[int, int] = {}
        # Numbers in ascending order, and the places of their requests.
        self._old = np.empty((0, 2), np.uint64)

    def start(self, number: int) -> None:
        self._recent[number] = len(self.completed)
        self.completed.append(0)
        if len(self._recent) == _MOST_RECENT:
            joined = np.concatenate([self._old, np.array([*self._recent.items()], np.uint64)])
            self._old = joined[np.argsort(joined[:, 0], kind="stable")]
            self._recent = {}

    def end(self, number: int) -> None:
        place = self._recent.pop(number, None)
        if place is None and len(self._old):
            at = int(np.searchsorted(self._old[:, 0], np.uint64(number), side="right")) - 1
            if at >= 0 and self._old[at, 0] == number:
                place = int(self._old[at, 1])
        if place is not None:
            self.completed[place] = 1


def _lose(call: Call) -> None:
    """Leaves a call as it is; a receive has matched nothing."""
    call.is_open = False
    call.is_lost = call.name == "recv"
