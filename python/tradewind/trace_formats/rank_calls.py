"""RankCalls: the calls of one rank, collected in their order while a foreign trace is read."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Sequence

import numpy as np

from tradewind.core import TraceBuilder
from tradewind.trace_file import NONBLOCKING

WORLD = 0
# So many calls are handed to the trace together.
_CALLS_AT_ONCE = 256


class RankCalls:
    """Adds calls of a rank to a trace.

    Args:
        builder: The trace.
        rank: The rank.
    """

    def __init__(self, builder: TraceBuilder, rank: int) -> None:
        self.rank = rank
        self._builder = builder
        self._free: list[int] = []
        self._slots = 0
        self._computed = 0
        self._events: list[int] = []
        self._times: list[tuple[int, int]] = []

    def compute(self, picoseconds: int) -> None:
        """Lets time pass before the next call."""
        self._computed += picoseconds

    def string(self, text: str) -> int:
        """Returns the number of a text in the trace."""
        return self._builder.string(text)

    def call(
        self,
        name: str,
        arguments: Sequence[int] = (),
        *,
        comm: int = WORLD,
        flags: int = 0,
        site: str = "",
        inside: int = 0,
    ) -> None:
        """Adds a call.

        Args:
            name: Its name in traces.
            arguments: Its arguments; for a nonblocking call its slot, too.
            comm: The communicator.
            flags: The flags.
            site: The call site, if it is known.
            inside: The time in the call in ps.
        """
        number = self._builder.string(site) if site else -1
        self._events.append(self._builder.event(name, comm, arguments, flags, number))
        self._times.append((self._computed, inside))
        self._computed = 0
        if len(self._events) == _CALLS_AT_ONCE:
            self._hand_over()

    def start(self, name: str, arguments: Sequence[int], comm: int = WORLD, site: str = "") -> int:
        """Adds a nonblocking call and returns its slot."""
        slot = self.open()
        self.call(name, [*arguments, slot], comm=comm, flags=NONBLOCKING, site=site)
        return slot

    def open(self) -> int:
        """Returns the lowest slot that no open request has."""
        if self._free:
            return heapq.heappop(self._free)
        self._slots += 1
        return self._slots - 1

    def close(self, slots: Iterable[int]) -> None:
        """Frees slots whose requests are complete."""
        for slot in slots:
            heapq.heappush(self._free, slot)

    def wait(self, slots: Sequence[int], site: str = "") -> None:
        """Adds a wait for requests, which frees their slots."""
        self.call("wait", sorted(slots), site=site)
        self.close(slots)

    def finish(self) -> None:
        """Hands the rest of the calls to the trace."""
        if self._computed:
            self.call("finalize")
        self._hand_over()

    def _hand_over(self) -> None:
        times = np.array(self._times, np.int64).reshape(-1, 2)
        computed, inside = (np.ascontiguousarray(column) for column in times.T)
        events = np.array(self._events, np.int64)
        self._builder.add(self.rank, events, computed, computed, inside)
        self._events, self._times = [], []
