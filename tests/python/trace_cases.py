"""Traces for tests, made by hand, and an unfolded copy of their calls to compare with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from tradewind import core
from tradewind.inspection.timeline import timeline_of
from tradewind.trace_file import Trace, read_trace, write_trace

US = 10**6
WILDCARD, TIMING, NONBLOCKING, PERSISTENT = 1, 2, 4, 8
NO_PEER = np.iinfo(np.int64).min


@dataclass
class Recording:
    """Records calls of some ranks.

    Args:
        ranks: The number of ranks.
    """

    ranks: int
    calls: list[list[tuple[str, list[int], int, int, int]]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.builder = core.load().TraceBuilder(self.ranks)
        self.calls = [[] for _ in range(self.ranks)]
        self._events: list[list[int]] = [[] for _ in range(self.ranks)]

    def call(
        self,
        rank: int,
        name: str,
        arguments: Sequence[int] = (),
        *,
        comm: int = 0,
        flags: int = 0,
        site: str = "",
        computed: int = 0,
        inside: int = 0,
    ) -> None:
        """Adds a call; times are in ps."""
        number = self.builder.string(site) if site else -1
        event = self.builder.event(name, comm, list(arguments), flags, number)
        self._events[rank].append(event)
        self.calls[rank].append((name, list(arguments), flags, computed, inside))

    def arrays(self) -> dict[str, Any]:
        """Returns the arrays of the trace."""
        for rank in range(self.ranks):
            times = np.array([call[3:] for call in self.calls[rank]], np.int64).reshape(-1, 2)
            computed, inside = (np.ascontiguousarray(column) for column in times.T)
            events = np.array(self._events[rank], np.int64)
            self.builder.add(rank, events, computed, computed, inside)
        return self.builder.finish()

    def write(self, path: Path, **facts: object) -> Path:
        """Writes the trace and returns its path."""
        known = {"complete": True, "command": ["./program", "namelist"], **facts}
        write_trace(path, self.arrays(), known)
        return path

    def trace(self, path: Path) -> Trace:
        """Writes the trace and reads it again."""
        return read_trace(self.write(path))


def halo(columns: int, steps: int, size: int = 8192) -> Recording:
    """Records a halo exchange on a square of ranks, with an allreduce in each step."""
    ranks = columns * columns
    recording = Recording(ranks)
    for rank in range(ranks):
        x, y = rank % columns, rank // columns
        peers = [
            y * columns + (x + 1) % columns,
            y * columns + (x - 1) % columns,
            (y + 1) % columns * columns + x,
            (y - 1) % columns * columns + x,
        ]

        def add(
            name: str, arguments: list[int], site: str, flags: int = 0, rank: int = rank
        ) -> None:
            recording.call(
                rank, name, arguments, flags=flags, site=site, computed=2 * US, inside=US
            )

        add("init", [], "")
        for _ in range(steps):
            for slot, peer in enumerate(peers):
                add("recv", [peer - rank, slot ^ 1, size, slot], "halo.f90:42", NONBLOCKING)
            for slot, peer in enumerate(peers):
                add("send", [peer - rank, slot, size, 4 + slot], "halo.f90:48", NONBLOCKING)
            add("wait", list(range(8)), "halo.f90:60")
            add("allreduce", [8], "solver.f90:212")
        add("finalize", [], "")
    return recording


def every_call(path: Path) -> Trace:
    """Records every call that has a shape of its own once, on 4 ranks."""
    recording = Recording(4)
    row = [
        recording.builder.communicator(rank, [0, 2] if rank % 2 == 0 else [1, 3])
        for rank in range(4)
    ]
    text = recording.builder.string("MPI_Pack")
    phase = recording.builder.string("assembly")
    for rank in range(4):
        add: Callable[..., None] = lambda *given, rank=rank, **named: recording.call(  # noqa: E731
            rank, *given, computed=US, inside=3 * US, **named
        )
        right, left = (rank + 1) % 4 - rank, (rank - 1) % 4 - rank
        add("init")
        add("region", [phase])
        add("sendrecv", [right, 1, 100, left, 1, 100])
        add("sendrecv", [NO_PEER, 0, 0, NO_PEER, 0, 0])
        add("recv", [left, 2, 64, 0], flags=NONBLOCKING | WILDCARD)
        add("ssend", [right, 2, 64, 1], flags=NONBLOCKING)
        add("wait", [0, 1], flags=TIMING)
        add("recv", [left, 3, 32, 0], flags=NONBLOCKING | PERSISTENT)
        add("send", [right, 3, 32])
        add("wait", [0])
        add("barrier")
        add("bcast", [1, 40])
        add("reduce", [2, 48])
        add("gather", [0, 8])
        add("gatherv", [1, 8 + rank, *((8, 9, 10, 11) if rank == 1 else ())])
        add("scatter", [0, 16])
        add("scatterv", [3, 4 + rank, *((4, 5, 6, 7) if rank == 3 else ())])
        add("allreduce", [24])
        add("scan", [8])
        add("exscan", [8])
        add("reduce_scatter_block", [8])
        add("reduce_scatter", [8, 16, 24, 32])
        add("allgather", [8])
        add("allgatherv", [1, 2, 3, 4])
        add("alltoall", [10])
        add("alltoallv", [*(rank + one for one in range(4)), *(rank + one for one in range(4))])
        add("neighbor_alltoallv", [1, right, 70, 1, left, 70])
        add("allreduce", [16], comm=row[rank])
        add("comm_create", [row[rank]])
        add("file", [4096])
        add("other", [text])
        add("finalize")
    return recording.trace(path)


def calls_of_rank(trace: Trace, rank: int) -> list[tuple[str, list[int], int]]:
    """Returns name, arguments and computation in ps of the calls of a rank."""
    timeline = timeline_of(trace, 10**6)
    calls = timeline.calls
    at = timeline.at[timeline.rank == rank]
    computed = (calls.seconds("computed") / calls.turns)[at]
    arguments = trace.arrays["arguments"]
    first, count = calls.of_event("first")[at], calls.of_event("count")[at]
    return [
        (calls.names[kind], arguments[begin : begin + size].tolist(), round(time * 1e12))
        for kind, begin, size, time in zip(calls.kind[at], first, count, computed, strict=True)
    ]
