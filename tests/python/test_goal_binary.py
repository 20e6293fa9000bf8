"""Compiled schedules in GOAL, as LogGOPSim runs them."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

import tradewind as tw
from tradewind.errors import TraceError
from tradewind.trace_formats.recognition import as_trace, format_of, read_any

COOKIE, USED_UP = 4223, 2342
SEND, RECV, CALC = 1, 2, 3
NODE = "<IBIQIBBIIII"


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@dataclass
class Node:
    """An operation, with the numbers of those whose ends and begins it waits for."""

    kind: int
    size: int
    peer: int = 0
    tag: int = 0
    requires: list[int] = field(default_factory=list)
    irequires: list[int] = field(default_factory=list)


def compiled(ranks: list[list[Node]], cookie: int = COOKIE, cpu: int = 0) -> bytes:
    """Returns the file that the compiler of LogGOPSim makes of a schedule."""
    sections, table = [], b""
    at = 6 + 16 * len(ranks)
    for nodes in ranks:
        roots = [i for i, node in enumerate(nodes) if not node.requires and not node.irequires]
        section = struct.pack(f"<II{len(roots)}I", len(nodes), len(roots), *roots)
        lists: list[int] = []
        for number, node in enumerate(nodes):
            after = [i for i, other in enumerate(nodes) for one in other.requires if one == number]
            begun = [i for i, other in enumerate(nodes) for one in other.irequires if one == number]
            missing = len(node.requires) + len(node.irequires)
            first = len(lists)
            lists += after + begun
            places = (len(after), first, len(begun), first + len(after))
            section += struct.pack(
                NODE, missing, node.kind, node.peer, node.size, node.tag, cpu, 0, *places
            )
        section += struct.pack(f"<{len(lists)}I", *lists)
        table += struct.pack("<QQ", at, at + len(section))
        at += len(section)
        sections.append(section)
    return struct.pack("<QIBB", cookie, len(ranks), cpu, 0) + table + b"".join(sections)


PAIR = [
    [
        Node(CALC, 100),
        Node(SEND, 10, 1, 3, requires=[0]),
        Node(CALC, 50, irequires=[1]),
        Node(RECV, 20, 1, 4, requires=[2]),
        Node(CALC, 7, requires=[3, 1]),
    ],
    [Node(RECV, 10, 0, 3), Node(SEND, 20, 0, 4)],
]
TEXT = """num_ranks 2
rank 0 {
l1: calc 100
l2: send 10b to 1 tag 3
l2 requires l1
l3: calc 50
l3 irequires l2
l4: recv 20b from 1 tag 4
l4 requires l3
l5: calc 7
l5 requires l4
l5 requires l2
}
rank 1 {
recv 10b from 0 tag 3
send 20b to 0 tag 4
}
"""


def binary(tmp_path: Path, content: bytes) -> Path:
    path = tmp_path / "schedule.bin"
    path.write_bytes(content)
    return path


def test_a_compiled_schedule_has_the_calls_of_its_text(tmp_path: Path) -> None:
    text = tmp_path / "schedule.goal"
    text.write_text(TEXT, encoding="utf-8")
    path = binary(tmp_path, compiled(PAIR))
    found = format_of(path)
    assert found is not None and found.name == "GOAL (binary)"
    from_binary, from_text = read_any(path), read_any(text)
    for name, values in from_text.arrays.items():
        assert np.array_equal(values, from_binary.arrays[name]), name
    assert from_binary.facts["converted_from"] == "GOAL (binary)"


def test_a_compiled_schedule_is_simulated(tmp_path: Path) -> None:
    path = binary(tmp_path, compiled(PAIR))
    run = tw.simulate(
        {"machine": "fattree-m", "program": {"name": "trace", "trace": str(path)}},
    )
    assert run.counts["messages"] == 2
    assert run.counts["bytes"] == 30


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (compiled(PAIR, cookie=USED_UP), "a simulation with --save-mem has used it up"),
        (compiled(PAIR)[:20], "truncated"),
        (compiled(PAIR)[:-4], "rank 1 lie beyond the end"),
        (compiled([]), "has 0 ranks"),
        (compiled(PAIR, cpu=1), "cpu 1: a rank of a trace has one, number 0"),
        (compiled([[Node(7, 1)]]), "rank 0, operation 0: type 7 is none of 1..3"),
        (compiled([[Node(SEND, 1, 5)]]), "must be at most 0, 2^50 and 2^31"),
        (compiled([[Node(RECV, 1, 2**32 - 1)]]), "from any source or with any tag"),
        (compiled([[Node(CALC, 2**60)]]), "at most 10^15 ns"),
        (
            compiled([[Node(CALC, 1, requires=[1]), Node(CALC, 1, requires=[0])]]),
            "rank 0, operation 0: waits for itself by a circle",
        ),
        (
            compiled(
                [
                    [
                        Node(RECV, 1, 0, 1),
                        Node(RECV, 1, 0, 2),
                        Node(CALC, 1, requires=[0]),
                        Node(CALC, 1, requires=[1]),
                    ]
                ]
            ),
            "rank 0, operation 3: this and rank 0, operation 2 wait for different messages",
        ),
    ],
)
def test_faults_name_rank_and_operation(tmp_path: Path, content: bytes, said: str) -> None:
    path = binary(tmp_path, content)
    with pytest.raises(TraceError) as error:
        as_trace(path)
    assert said in str(error.value)
    assert str(path) in str(error.value)


def test_damaged_files_are_refused_or_read(tmp_path: Path) -> None:
    whole = compiled(PAIR)
    random = np.random.default_rng(5)
    for _ in range(300):
        content = bytearray(whole)
        for place in random.integers(8, len(whole), 3).tolist():
            content[place] = int(random.choice([0, 1, 127, 255, content[place] ^ 1]))
        path = binary(tmp_path, bytes(content[: int(random.integers(9, len(whole) + 1))]))
        try:
            as_trace(path)
        except TraceError as error:
            assert "\n" not in str(error)
