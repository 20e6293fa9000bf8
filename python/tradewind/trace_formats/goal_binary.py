"""Schedules in GOAL that are compiled, the binary file that LogGOPSim and ATLAHS run.

    cookie   u64                    4223; 2342 in a file that a simulation has used up
    head     u32 u8 u8              ranks, largest number of a processor, largest of an interface
    table    (u64 u64) * ranks      begin and end of each rank, in bytes behind the cookie
    rank     u32 u32                operations, and those of them that may begin at once
             u32 * ...              the latter
             39 bytes * ...         the operations
             u32 * ...              the operations that wait for others, one list after the other

Numbers are little-endian and packed. An operation has the number of those that it waits for, its type, peer,
size, tag, processor and interface; then the length and the begin of the list of those that wait for its end,
and of the list of those that wait for its begin. Calculations are in nanoseconds.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core
from tradewind.errors import TraceError
from tradewind.trace_formats.goal_schedule import (
    MOST_BYTES,
    MOST_NANOSECONDS,
    MOST_RANKS,
    MOST_TAG,
    PS_PER_NS,
    Operation,
    add_calls,
)
from tradewind.trace_formats.rank_calls import RankCalls

if TYPE_CHECKING:
    from numpy.typing import NDArray

_COOKIE = (4223).to_bytes(8, "little")
_USED_UP = (2342).to_bytes(8, "little")
_HEAD = np.dtype([("ranks", "<u4"), ("cpu", "u1"), ("nic", "u1")])
_OPERATION = np.dtype(
    [
        ("missing", "<u4"),
        ("type", "u1"),
        ("peer", "<u4"),
        ("size", "<u8"),
        ("tag", "<u4"),
        ("cpu", "u1"),
        ("nic", "u1"),
        ("followers", "<u4"),
        ("first_follower", "<u4"),
        ("start_followers", "<u4"),
        ("first_start_follower", "<u4"),
    ]
)
_NAMES = {1: "send", 2: "recv", 3: "calc"}
_WORD = 4
_ANY = 2**32 - 1


def is_goal_binary(begin: bytes) -> bool:
    """Reports whether a file begins like a compiled schedule."""
    return begin.startswith((_COOKIE, _USED_UP))


def read_goal_binary(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads a compiled schedule.

    Returns:
        The arrays of a trace, and its facts.

    Raises:
        TraceError: If it is damaged, or no list of calls can express it.
    """
    data = _content(path)
    head = _part(path, data, 0, _HEAD, 1)[0]
    ranks = int(head["ranks"])
    if not 1 <= ranks <= MOST_RANKS:
        raise TraceError(f"{path}: has {ranks} ranks; allowed are 1..{MOST_RANKS}")
    for word in ("cpu", "nic"):
        if head[word]:
            raise TraceError(f"{path}: {word} {head[word]}: a rank of a trace has one, number 0")
    table = _part(path, data, _HEAD.itemsize, np.dtype("<u8"), 2 * ranks).reshape(-1, 2)
    builder = core.load().TraceBuilder(ranks)
    for rank, (begin, end) in enumerate(table.tolist()):
        if not begin <= end <= len(data):
            raise TraceError(f"{path}: the calls of rank {rank} lie beyond the end of the file")
        calls = RankCalls(builder, rank)
        calls.call("init")
        add_calls(path, calls, _operations(path, data[:end], begin, rank, ranks))
        calls.call("finalize")
        calls.finish()
    facts = {"complete": True, "converted_from": "GOAL (binary)", "command": path.name}
    return builder.finish(), facts


def _content(path: Path) -> memoryview:
    """Returns the file behind its cookie."""
    try:
        data = path.read_bytes()
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None
    if data.startswith(_USED_UP):
        raise TraceError(f"{path}: a simulation with --save-mem has used it up; compile it again")
    return memoryview(data)[len(_COOKIE) :]


def _part(path: Path, data: memoryview, at: int, kind: np.dtype[Any], count: int) -> NDArray[Any]:
    if at + count * kind.itemsize > len(data):
        raise TraceError(f"{path}: the file is truncated")
    return np.frombuffer(data, kind, count, at)


def _operations(path: Path, data: memoryview, begin: int, rank: int, ranks: int) -> list[Operation]:
    """Reads the operations of a rank, which ends where `data` does."""
    count, roots = _part(path, data, begin, np.dtype("<u4"), 2).tolist()
    at = begin + (2 + roots) * _WORD
    table = _part(path, data, at, _OPERATION, count)
    at += count * _OPERATION.itemsize
    lists = np.frombuffer(data, "<u4", (len(data) - at) // _WORD, at)
    operations = [
        _operation(f"{path}: rank {rank}, operation {number}", row, ranks)
        for number, row in enumerate(table)
    ]
    for ends in ("followers", "start_followers"):
        for number, length, first in zip(
            range(count), table[ends].tolist(), table[f"first_{ends[:-1]}"].tolist(), strict=True
        ):
            if first + length > len(lists):
                raise TraceError(f"{path}: rank {rank}, operation {number}: truncated dependencies")
            for later in lists[first : first + length].tolist():
                if later >= count:
                    raise TraceError(
                        f"{path}: rank {rank}, operation {number}: there is no operation {later}"
                    )
                waiting = operations[later]
                (waiting.requires if ends == "followers" else waiting.after_start).append(number)
    _check_counts(path, rank, operations, table["missing"].tolist())
    return operations


def _check_counts(path: Path, rank: int, operations: list[Operation], missing: list[int]) -> None:
    for number, (one, given) in enumerate(zip(operations, missing, strict=True)):
        found = len(one.requires) + len(one.after_start)
        if found != given:
            raise TraceError(
                f"{path}: rank {rank}, operation {number}: waits for {given} others, but {found} name it"
            )


def _operation(place: str, row: np.void, ranks: int) -> Operation:
    name = _NAMES.get(int(row["type"]))
    size, peer, tag = (int(row[key]) for key in ("size", "peer", "tag"))
    if name is None:
        raise TraceError(f"{place}: type {row['type']} is none of 1..3")
    where = place.split(": ", 1)[1]
    if name == "calc":
        if size > MOST_NANOSECONDS:
            raise TraceError(f"{place}: calc {size}: at most 10^15 ns")
        return Operation(where, name, size * PS_PER_NS)
    if _ANY in (peer, tag):
        raise TraceError(
            f"{place}: a receive from any source or with any tag: what matches is not said"
        )
    if peer >= ranks or size > MOST_BYTES or tag > MOST_TAG:
        raise TraceError(f"{place}: rank, bytes and tag must be at most {ranks - 1}, 2^50 and 2^31")
    return Operation(where, name, size, peer, tag)
