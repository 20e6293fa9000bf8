"""Traces that are damaged: a program with every call that a trace can hold, and schedules, as text and compiled."""

from __future__ import annotations

import functools
import random
import struct
from collections.abc import Sequence
from typing import Any

import numpy as np

from tradewind import core
from tradewind.trace_file import NO_PEER, NONBLOCKING, PERSISTENT, TIMING, WILDCARD, write_trace

RANKS = 4
_EXCLUSIVE, _UNCHECKED = 16, 32
_PS = 10**6
_LARGEST = 2**63 - 1
# Numbers that sizes, peers, turns and indices should not be.
_EXTREMES = (0, 1, -1, 2, 3, 4, 7, 100, 2**24, 2**31, 2**47, 2**50, 2**62, -(2**40), -(2**63))

SCHEDULE = """num_ranks 2
rank 0 {
l1: calc 100
l2: send 10b to 1 tag 3
l2 requires l1
l3: recv 20b from 1 tag 4 cpu 0 nic 0
l3 irequires l2 // and more
}
rank 1 {
get: recv 10b from 0 tag 3
send 20b to 0 tag 4
l3: calc 70
l3 requires get
}
"""
ACTIONS = """0 init
1 init
0 compute 1e6
0 isend 1 5 1e3
1 irecv 0 5 1000
1 location solver.c 17
1 wait 0 1 5
0 waitall
0 allreduce 10 2e3 1
1 allreduce 10 2e3 1
0 alltoallv 9 1 2 9 1 4
1 alltoallv 9 4 3 9 2 3
0 finalize
1 finalize
"""

Call = tuple[str, Sequence[int], int, int]


def _call(name: str, *arguments: int, flags: int = 0, comm: int = 0) -> Call:
    return name, arguments, flags, comm


def _messages(rank: int) -> list[Call]:
    right, left = (rank + 1) % RANKS - rank, (rank - 1) % RANKS - rank
    pair = rank ^ 1
    return [
        _call("sendrecv", right, 1, 100, left, 1, 100),
        _call("sendrecv", NO_PEER, 0, 0, NO_PEER, 0, 0),
        _call("recv", left, 2, 64, 0, flags=NONBLOCKING | WILDCARD),
        _call("ssend", right, 2, 64, 1, flags=NONBLOCKING),
        _call("wait", 0, 1, flags=TIMING),
        _call("recv", left, 3, 32, 0, flags=NONBLOCKING | PERSISTENT),
        _call("send", right, 3, 32),
        _call("wait", 0),
        _call("recv", pair - rank, 4, 16, 0, flags=NONBLOCKING),
        _call("recv", pair - rank, 4, 16, 1, flags=NONBLOCKING),
        _call("rsend", pair - rank, 4, 16),
        _call("bsend", pair - rank, 4, 16),
        _call("wait", 0, 1),
        _call("bsend", right, 5, 8),
        _call("probe", left, 5, 8),
        _call("recv", left, 5, 8),
    ]


def _collectives(rank: int) -> list[Call]:
    right, left = (rank + 1) % RANKS - rank, (rank - 1) % RANKS - rank
    own = [rank + one for one in range(RANKS)]
    graph = (1, right, 70, 1, left, 70)
    return [
        _call("barrier"),
        _call("bcast", 1, 40),
        _call("reduce", 2, 48),
        _call("gather", 0, 8),
        _call("gatherv", 1, 8 + rank, *((8, 9, 10, 11) if rank == 1 else ())),
        _call("scatter", 0, 16),
        _call("scatterv", 3, 4 + rank, *((4, 5, 6, 7) if rank == RANKS - 1 else ())),
        _call("allreduce", 24),
        _call("scan", 8),
        _call("exscan", 8),
        _call("reduce_scatter_block", 8),
        _call("reduce_scatter", 8, 16, 24, 32),
        _call("allgather", 8),
        _call("allgatherv", 1, 2, 3, 4),
        _call("alltoall", 10),
        _call("alltoallv", *own, *own),
        _call("neighbor_alltoallv", *graph),
        _call("neighbor_allgatherv", *graph),
        _call("barrier", 0, flags=NONBLOCKING),
        _call("alltoallv", *own, *own, 1, flags=NONBLOCKING),
        _call("neighbor_alltoallv", *graph, 2, flags=NONBLOCKING),
        _call("wait", 1),
        _call("wait", 0, 2),
    ]


def _one_sided(rank: int) -> list[Call]:
    right, pair = (rank + 1) % RANKS - rank, (rank ^ 1) - rank
    group = [_call("post", 0, pair), _call("wait_posts", 0)]
    if rank % 2:
        group = [
            _call("start", 0, pair, flags=_UNCHECKED if rank > 1 else 0),
            _call("put", 0, pair, 500),
            _call("complete", 0),
        ]
    elif rank > 0:
        group[0] = _call("post", 0, pair, flags=_UNCHECKED)
    return [
        _call("win_create", 0, 4096),
        _call("fence", 0),
        _call("put", 0, right, 300),
        _call("get", 0, right, 200, 0, flags=NONBLOCKING),
        _call("accumulate", 0, right, 100),
        _call("wait", 0),
        _call("fence", 0),
        *group,
        _call("lock", 0, -rank, flags=_EXCLUSIVE),
        _call("put", 0, -rank, 70),
        _call("flush", 0, -rank),
        _call("unlock", 0, -rank),
        _call("barrier"),
        _call("win_free", 0),
        _call("put_signal", 0, right, 300, 5, 0, flags=NONBLOCKING),
        _call("wait_signal", 0, 5, 1),
        _call("wait", 0),
    ]


def every_call() -> dict[str, Any]:
    """Returns the arrays of a correct program with every call that a trace can hold, some of them in loops."""
    builder = core.load().TraceBuilder(RANKS)
    phase, unknown = builder.string("assembly"), builder.string("MPI_Pack")
    site = builder.string("solver.f90:212")
    for rank in range(RANKS):
        row = builder.communicator(rank, [rank % 2, rank % 2 + 2])
        calls = [
            _call("init"),
            _call("comm_create", row),
            _call("region", phase),
            *_messages(rank),
            *_collectives(rank),
            *_one_sided(rank),
            *[_call("allreduce", 16, comm=row), *[_call("barrier")] * 3] * 5,
            _call("comm_free", row),
            _call("file", 4096),
            _call("other", unknown),
            _call("finalize"),
        ]
        events = [
            builder.event(name, comm, list(arguments), flags, site if name == "allreduce" else -1)
            for name, arguments, flags, comm in calls
        ]
        computed = np.full(len(events), _PS, np.int64)
        builder.add(rank, np.asarray(events, np.int64), computed, computed, 3 * computed)
    return dict(builder.finish())


@functools.cache
def _original() -> dict[str, Any]:
    return every_call()


def damaged_arrays(rng: random.Random) -> tuple[dict[str, Any], str]:
    """Returns the arrays of that program with some wrong numbers, and which arrays have them."""
    names = core.load().trace_arrays()
    arrays = dict(_original())
    stories = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        name = rng.choice(names)
        array = np.array(arrays[name], np.int64)
        if not len(array):
            continue
        place = rng.randrange(len(array))
        # Most numbers are small: another of the same array often gives a program that is still a program.
        nearby = min(max(int(array[place]) + rng.choice((-1, 1)), NO_PEER), _LARGEST)
        array[place] = rng.choice((rng.choice(_EXTREMES), nearby, int(rng.choice(array.tolist()))))
        arrays[name] = array
        stories.append(f"{name}[{place}] = {array[place]}")
    return arrays, ", ".join(stories) or "nothing"


def write_damaged(path: Any, rng: random.Random) -> str:
    """Writes a trace that is a whole archive of wrong numbers; returns what is wrong."""
    arrays, story = damaged_arrays(rng)
    write_trace(path, arrays, {"complete": True})
    return story


def compiled_schedule() -> bytes:
    """Returns a compiled schedule: rank 0 computes and then sends to rank 1 what that receives, and back."""
    # Type, peer, size and tag of an operation.
    send, recv, calc = 1, 2, 3
    ranks = [
        [(calc, 0, 100, 0), (send, 1, 10, 3), (recv, 1, 20, 4)],
        [(recv, 0, 10, 3), (send, 0, 20, 4), (calc, 0, 70, 0)],
    ]
    sections = []
    for operations in ranks:
        # Each waits for the end of the one before it.
        section = struct.pack("<III", len(operations), 1, 0)
        for number, (kind, peer, size, tag) in enumerate(operations):
            has_next = number + 1 < len(operations)
            section += struct.pack(
                "<IBIQIBBIIII", number > 0, kind, peer, size, tag, 0, 0, has_next, number, 0, 0
            )
        followers = range(1, len(operations))
        sections.append(section + struct.pack(f"<{len(followers)}I", *followers))
    table, at = b"", 6 + 16 * len(ranks)
    for section in sections:
        table += struct.pack("<QQ", at, at + len(section))
        at += len(section)
    return struct.pack("<QIBB", 4223, len(ranks), 0, 0) + table + b"".join(sections)
