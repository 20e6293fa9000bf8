"""Schedules in the Group Operation Assembly Language (GOAL), the text that tools of LogGOPSim and ATLAHS read.

    num_ranks 2
    rank 0 {
    l1: calc 100
    l2: send 10b to 1 tag 3
    l2 requires l1
    }

GOAL says which operation may begin after which has ended (`requires`) or begun (`irequires`). Calculations
are in nanoseconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.errors import TraceError
from tradewind.files import load_text
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

_OPERATION = re.compile(
    r"(?:(?P<label>[A-Za-z]\w*)\s*:\s*)?"
    r"(?:(?P<calc>calc)\s+(?P<time>\d+)"
    r"|(?P<message>send|recv)\s+(?P<bytes>\d+)\s*b\s+(?P<side>to|from)\s+(?P<peer>-1|\d+)"
    r"(?:\s+tag\s+(?P<tag>-1|\d+))?)"
    r"(?:\s+cpu\s+(?P<cpu>\d+))?(?:\s+nic\s+(?P<nic>\d+))?"
)
_DEPENDENCY = re.compile(r"([A-Za-z]\w*)\s+(i?requires)\s+([A-Za-z]\w*)")
_RANKS = re.compile(r"num_ranks\s+(\d+)")
_RANK = re.compile(r"rank\s+(\d+)\s*\{")
_DIGITS = 19


def is_goal(text: str) -> bool:
    """Reports whether a text begins like a schedule."""
    return next((bool(_RANKS.fullmatch(line)) for _, line in _lines(text)), False)


def read_goal(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads a schedule.

    Returns:
        The arrays of a trace, and its facts.

    Raises:
        TraceError: If it is no schedule, or no list of calls can express it; the message has the line.
    """
    lines = _lines(load_text(path))
    number, line = next(lines, (1, ""))
    found = _RANKS.fullmatch(line)
    ranks = _number(found[1]) if found else 0
    if not 1 <= ranks <= MOST_RANKS:
        raise _error(path, number, f"num_ranks 1..{MOST_RANKS} must come first")
    builder = core.load().TraceBuilder(ranks)
    read: set[int] = set()
    for number, line in lines:
        start = _RANK.fullmatch(line)
        rank = _number(start[1]) if start else -1
        if not 0 <= rank < ranks or rank in read:
            raise _error(
                path, number, f'"{line[:60]}": expected "rank R {{" with a new R below {ranks}'
            )
        read.add(rank)
        calls = RankCalls(builder, rank)
        calls.call("init")
        add_calls(path, calls, _operations(path, lines, ranks))
        calls.call("finalize")
        calls.finish()
    if len(read) < ranks:
        missing = next(rank for rank in range(ranks) if rank not in read)
        raise TraceError(f"{path}: has no rank {missing}; num_ranks is {ranks}")
    return builder.finish(), {"complete": True, "converted_from": "GOAL", "command": path.name}


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields the lines with their numbers, without comments and empty ones."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        kept = ""
        while line:
            mark = "*/" if inside else "/*"
            before, found, after = line.partition(mark)
            if not inside:
                before, comment, _ = before.partition("//")
                kept += before
                if comment:
                    break
            inside, line = inside != bool(found), after
        if kept.strip():
            yield number, kept.strip()


def _number(text: str) -> int:
    return int(text) if len(text) <= _DIGITS else 10**_DIGITS


def _error(path: Path, line: int, reason: str) -> TraceError:
    return TraceError(f"{path}: line {line}: {reason}")


def _operations(path: Path, lines: Iterator[tuple[int, str]], ranks: int) -> list[Operation]:
    """Reads the operations of a rank up to the closing brace."""
    operations: list[Operation] = []
    labels: dict[str, int] = {}
    last = 0
    for number, line in lines:
        last = number
        if line == "}":
            return operations
        if edge := _DEPENDENCY.fullmatch(line):
            for label in (edge[1], edge[3]):
                if label not in labels:
                    raise _error(path, number, f'no operation before has the label "{label}"')
            later, earlier = operations[labels[edge[1]]], labels[edge[3]]
            (later.requires if edge[2] == "requires" else later.after_start).append(earlier)
            continue
        operation = _OPERATION.fullmatch(line)
        if operation is None:
            raise _error(path, number, f'"{line[:60]}" is no operation and no dependency')
        if operation["label"]:
            labels[operation["label"]] = len(operations)
        operations.append(_operation(path, number, operation, ranks))
    raise _error(path, last, 'the file ends before the "}" of a rank')


def _operation(path: Path, number: int, found: re.Match[str], ranks: int) -> Operation:
    for word in ("cpu", "nic"):
        if found[word] and _number(found[word]) > 0:
            raise _error(
                path, number, f"{word} {found[word]}: a rank of a trace has one {word}, number 0"
            )
    if found["calc"]:
        time = _number(found["time"])
        if time > MOST_NANOSECONDS:
            raise _error(path, number, f"calc {found['time']}: at most 10^15 ns")
        return Operation(f"line {number}", "calc", time * PS_PER_NS)
    name, size, tag = found["message"], _number(found["bytes"]), found["tag"] or "0"
    if found["side"] != ("to" if name == "send" else "from"):
        raise _error(path, number, f'{name} {found["side"]}: expected "send to" or "recv from"')
    if found["peer"] == "-1" or tag == "-1":
        raise _error(
            path, number, "a receive from any source or with any tag: what matches is not said"
        )
    peer = _number(found["peer"])
    if peer >= ranks or size > MOST_BYTES or _number(tag) > MOST_TAG:
        raise _error(
            path,
            number,
            f"{name}: rank, bytes and tag must be at most {ranks - 1}, 2^50 and 2^31",
        )
    return Operation(f"line {number}", name, size, peer, _number(tag))
