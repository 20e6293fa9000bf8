"""Programs whose calls are known at any number of ranks, as traces."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from tradewind import core
from tradewind.extrapolation.grids import balanced
from tradewind.trace_file import Trace, write_trace

NOBODY = -(2**63)
NONBLOCKING = 4


def part(total: int, parts: int, index: int) -> int:
    return total // parts + (index < total % parts)


class Recording:
    """The calls of all ranks, with seconds of computation before each, and those inside it."""

    def __init__(self, ranks: int) -> None:
        self.ranks = ranks
        self.builder = core.load().TraceBuilder(ranks)
        self._calls: list[list[tuple[int, float, float]]] = [[] for _ in range(ranks)]

    def call(
        self,
        rank: int,
        name: str,
        arguments: Sequence[int] = (),
        *,
        comm: int = 0,
        flags: int = 0,
        site: str = "",
        computed: float = 0.0,
        inside: float = 0.0,
    ) -> None:
        number = self.builder.string(site) if site else -1
        event = self.builder.event(name, comm, list(arguments), flags, number)
        self._calls[rank].append((event, computed, inside))

    def row_and_column(self, rank: int, nx: int, ny: int) -> tuple[int, int]:
        """Creates the communicators of a rank's row and column in a process grid."""
        x, y = rank % nx, rank // nx
        row = self.builder.communicator(rank, [y * nx + i for i in range(nx)])
        self.call(rank, "comm_create", [row])
        column = self.builder.communicator(rank, [x + nx * i for i in range(ny)])
        self.call(rank, "comm_create", [column])
        return row, column

    def trace(self) -> Trace:
        for rank, calls in enumerate(self._calls):
            events = np.asarray([event for event, _, _ in calls], np.int64)
            times, inside = (
                np.asarray([round(1e12 * one[place]) for one in calls], np.int64)
                for place in (1, 2)
            )
            self.builder.add(rank, events, times, times, inside)
        return Trace.of(self.builder.finish(), {"complete": True})


def halo(
    ranks: int,
    points: Sequence[int] = (360, 180),
    *,
    steps: int = 8,
    periodic: bool = True,
    null_peers: bool = False,
) -> Trace:
    """A halo exchange in two or three dimensions, whose blocks are cut from `points`, and an allreduce."""
    extents = balanced(ranks, len(points))
    recording = Recording(ranks)
    for rank in range(ranks):
        place = list(np.unravel_index(rank, extents[::-1]))[::-1]
        sizes = [part(n, p, int(i)) for n, p, i in zip(points, extents, place, strict=True)]
        recording.call(rank, "init")
        for _ in range(steps):
            slots = []
            for what, (axis, step) in itertools.product(
                ("recv", "send"), itertools.product(range(len(points)), (-1, 1))
            ):
                there = [int(i) for i in place]
                there[axis] += step
                inside = 0 <= there[axis] < extents[axis]
                there[axis] %= extents[axis]
                peer = int(np.ravel_multi_index(there[::-1], extents[::-1])) - rank
                face = 8 * int(np.prod(sizes)) // sizes[axis]
                tag = 2 * axis + (step > 0 if what == "send" else step < 0)
                if not periodic and not inside:
                    if not null_peers:
                        continue
                    peer, face = NOBODY, 0
                slots.append(len(slots))
                recording.call(
                    rank,
                    what,
                    [peer, tag, face, slots[-1]],
                    flags=NONBLOCKING,
                    site=f"halo.f90:{10 + tag}",
                )
            recording.call(rank, "wait", slots, site="halo.f90:30")
            recording.call(rank, "allreduce", [8], computed=3.0 / ranks)
        recording.call(rank, "finalize")
    return recording.trace()


def shifts(ranks: int, *, by_turns: bool = False) -> Trace:
    """An exchange of all with all, whose requests are open at once: from rank - i, to rank + i."""
    recording = Recording(ranks)
    pairs = [("recv", -1), ("send", 1)]
    turns = range(1, ranks)
    order = [(one, i) for i in turns for one in pairs]
    if not by_turns:
        order = [(one, i) for one in pairs for i in turns]
    for rank in range(ranks):
        for _ in range(3):
            for slot, ((name, sign), i) in enumerate(order):
                peer = (rank + sign * i) % ranks - rank
                recording.call(
                    rank, name, [peer, 0, 120, slot], flags=NONBLOCKING, site=f"a2a.c:{name}"
                )
            recording.call(rank, "wait", range(len(order)), site="a2a.c:9")
    return recording.trace()


def transposes(ranks: int, points: Sequence[int] = (130, 70), *, steps: int = 4) -> Trace:
    """Exchanges in rows and columns of a process grid, rooted collectives, and a message round the world."""
    nx, ny = balanced(ranks, 2)
    recording = Recording(ranks)
    for rank in range(ranks):
        x = rank % nx
        row, column = recording.row_and_column(rank, nx, ny)
        for _ in range(steps):
            sent = [16 * part(points[0], nx, j) * part(points[1], nx, x) for j in range(nx)]
            received = [16 * part(points[0], nx, x) * part(points[1], nx, j) for j in range(nx)]
            recording.call(rank, "alltoallv", sent + received, comm=row)
            recording.call(rank, "alltoall", [64 * 3600 // ranks], comm=column)
            recording.call(
                rank, "allgatherv", [8 * part(100, ny, j) for j in range(ny)], comm=column
            )
            recording.call(rank, "bcast", [0, 400])
            counts = [8 * part(1000, ranks, j) for j in range(ranks)]
            recording.call(rank, "gatherv", [0, counts[rank], *(counts if rank == 0 else [])])
            if rank == 0:
                recording.call(rank, "send", [ranks - 1, 3, 80])
            if rank == ranks - 1:
                recording.call(rank, "recv", [1 - ranks, 3, 80])
        recording.call(rank, "reduce", [ranks - 1, 8 * ranks])
    return recording.trace()


def single_waits(ranks: int, *, periodic: bool = False, by_rank: bool = False) -> Trace:
    """A halo exchange with the four neighbours that waits for one request after the other."""
    nx, ny = balanced(ranks, 2)
    recording = Recording(ranks)
    for rank in range(ranks):
        x, y = rank % nx, rank // nx
        places = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
        peers = [
            (a % nx) + (b % ny) * nx - rank
            for a, b in places
            if periodic or (0 <= a < nx and 0 <= b < ny)
        ]
        if by_rank:
            peers.sort()
        for _ in range(3):
            slots = 0
            for what in ("recv", "send"):
                for peer in peers:
                    recording.call(rank, what, [peer, 1, 800, slots], flags=NONBLOCKING)
                    slots += 1
            for slot in range(slots):
                recording.call(rank, "wait", [slot], site="halo.f90:30")
            recording.call(rank, "allreduce", [8])
    return recording.trace()


def signals(ranks: int, *, steps: int = 3) -> Trace:
    """Puts around a ring, each with a signal that the receiver waits for."""
    recording = Recording(ranks)
    for rank in range(ranks):
        recording.call(rank, "win_create", [0, 4096])
        for step in range(steps):
            recording.call(rank, "put_signal", [0, (rank + 1) % ranks - rank, 8 * ranks, 2])
            recording.call(rank, "wait_signal", [0, 2, step + 1])
        recording.call(rank, "win_free", [0])
    return recording.trace()


def pencils(
    ranks: int, points: Sequence[int] = (200, 121, 31), *, steps: int = 3, rounds_down: bool = False
) -> Trace:
    """Transposes of a field whose pencils have blocks of different sizes in all three dimensions."""
    nx, ny = balanced(ranks, 2)
    cut = (lambda n, p, i: part(n, p, p - 1 - i)) if rounds_down else part
    first, second, third = points
    recording = Recording(ranks)
    for rank in range(ranks):
        x, y = rank % nx, rank // nx
        row, column = recording.row_and_column(rank, nx, ny)
        for _ in range(steps):
            sent = [
                8 * cut(first, ny, y) * cut(second, nx, x) * cut(third, nx, j) for j in range(nx)
            ]
            back = [
                8 * cut(first, ny, y) * cut(second, nx, j) * cut(third, nx, x) for j in range(nx)
            ]
            recording.call(rank, "alltoallv", sent + back, comm=row)
            sent = [
                8 * cut(third, nx, x) * cut(first, ny, y) * cut(second, ny, j) for j in range(ny)
            ]
            back = [
                8 * cut(third, nx, x) * cut(first, ny, j) * cut(second, ny, y) for j in range(ny)
            ]
            recording.call(rank, "alltoallv", sent + back, comm=column)
    return recording.trace()


def krylov(ranks: int, *, iterations: int = 30, restarts: int = 3) -> Trace:
    """A restarted solver: halos along a line, sums whose length grows, and loops within loops."""
    recording = Recording(ranks)
    for rank in range(ranks):
        for _ in range(restarts):
            for iteration in range(iterations):
                for tag, step in ((0, 1), (1, -1)):
                    there, back = rank + step, rank - step
                    recording.call(
                        rank,
                        "sendrecv",
                        [
                            step if 0 <= there < ranks else NOBODY,
                            tag,
                            800 if 0 <= there < ranks else 0,
                            -step if 0 <= back < ranks else NOBODY,
                            tag,
                            800 if 0 <= back < ranks else 0,
                        ],
                    )
                recording.call(rank, "allreduce", [8 * (iteration % 3 + 1)])
            recording.call(rank, "barrier")
    return recording.trace()


def blocks_round(
    ranks: int, points: Sequence[int] = (103, 77), *, steps: int = 5, periodic: bool = True
) -> Trace:
    """A matrix whose blocks are sent to the next rank of a row: what arrives has the size of another's block."""
    nx, ny = balanced(ranks, 2)
    recording = Recording(ranks)
    for rank in range(ranks):
        x, y = rank % nx, rank // nx
        after, before = (x + 1) % nx, (x - 1) % nx
        own, other = (8 * part(points[0], nx, i) * part(points[1], ny, y) for i in (x, before))
        for _ in range(steps):
            if periodic:
                recording.call(rank, "sendrecv", [after - x, 1, own, before - x, 1, other])
            else:
                if x < nx - 1:
                    recording.call(rank, "send", [1, 1, own])
                if x > 0:
                    recording.call(rank, "recv", [-1, 1, other])
    return recording.trace()


def save(trace: Trace, path: Path) -> Path:
    """Writes a trace."""
    blob = b"".join(text.encode() for text in trace.strings)
    write_trace(path, {**trace.arrays, "strings": blob}, dict(trace.facts))
    return path
