"""Traces of other tools, read and written: GOAL, SimGrid, Perfetto."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trace_cases import NONBLOCKING, US, Recording, calls_of_rank, every_call, halo

import tradewind as tw
from tradewind.cache import cache_folder
from tradewind.cli import main
from tradewind.errors import ConfigError, TraceError
from tradewind.inspection.summary import inspect
from tradewind.runs.run import Run
from tradewind.trace_formats.collective_rounds import Member, rounds_of
from tradewind.trace_formats.recognition import EXPORTS, as_trace, read_any

_PS_PER_NS = 1000


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _file(tmp_path: Path, text: str, name: str = "schedule.goal") -> Path:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def _run(path: Path, ranks: int) -> Run:
    return tw.simulate(
        {
            "machine": {
                "topology": {"name": "torus", "extents": [ranks], "nodes_per_switch": 1},
                "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
            },
            "program": {"name": "trace", "trace": str(path)},
        }
    )


_PAIR = """
num_ranks 2
// A comment, /* and
/* another one
   over lines */
rank 0 {
l1: calc 100
l2: send 10b to 1 tag 3
l2 requires l1
l3: calc 50 cpu 0
l3 irequires l2
l4: recv 20 b from 1 tag 4 cpu 0 nic 0
l4 requires l3
l5: calc 7
l5 requires l4
l5 requires l2
}
rank 1 {
recv 10b from 0 tag 3
l2: send 20b to 0 tag 4
}
"""


def test_a_schedule_becomes_the_calls_that_do_the_same(tmp_path: Path) -> None:
    trace = read_any(_file(tmp_path, _PAIR))
    assert calls_of_rank(trace, 0) == [
        ("MPI_Init", [], 0),
        ("MPI_Isend", [1, 3, 10, 0], 100 * _PS_PER_NS),
        ("MPI_Irecv", [1, 4, 20, 1], 50 * _PS_PER_NS),
        ("MPI_Waitall", [0, 1], 0),
        ("MPI_Finalize", [], 7 * _PS_PER_NS),
    ]
    assert [name for name, *_ in calls_of_rank(trace, 1)] == [
        "MPI_Init",
        "MPI_Irecv",
        "MPI_Isend",
        "MPI_Waitall",
        "MPI_Finalize",
    ]
    assert trace.facts["converted_from"] == "GOAL"


def test_what_needs_fewer_messages_does_not_wait_for_more(tmp_path: Path) -> None:
    text = """num_ranks 2
rank 0 {
a: recv 1b from 1 tag 1
b: recv 1b from 1 tag 2
c: send 1b to 1 tag 3
c requires a
c requires b
d: send 1b to 1 tag 4
d requires a
}
rank 1 {
send 1b to 0 tag 1
send 1b to 0 tag 2
recv 1b from 0 tag 3
recv 1b from 0 tag 4
}
"""
    trace = read_any(_file(tmp_path, text))
    words = [
        (name, arguments[1] if "I" in name[4:5] and len(arguments) > 3 else None)
        for name, arguments, _ in calls_of_rank(trace, 0)
    ]
    assert words == [
        ("MPI_Init", None),
        ("MPI_Irecv", 1),
        ("MPI_Irecv", 2),
        ("MPI_Wait", None),
        ("MPI_Isend", 4),
        ("MPI_Wait", None),
        ("MPI_Isend", 3),
        ("MPI_Waitall", None),
        ("MPI_Finalize", None),
    ]


def _on_rank_0(*lines: str) -> str:
    inside = "\n".join(lines)
    return f"num_ranks 2\nrank 0 {{\n{inside}\n}}\nrank 1 {{\n}}\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            _on_rank_0(
                "a: recv 1b from 1 tag 1",
                "b: recv 1b from 1 tag 2",
                "c: send 1b to 1",
                "c requires a",
                "d: send 1b to 1",
                "d requires b",
            ),
            "line 7: this and line 5 wait for different messages",
        ),
        (_on_rank_0("recv 1b from -1"), "line 3: a receive from any source"),
        (_on_rank_0("recv 1b from 1 tag -1"), "line 3: a receive from any source or with any tag"),
        (_on_rank_0("calc 5 cpu 1"), "line 3: cpu 1: a rank of a trace has one cpu"),
        (_on_rank_0("send 1b to 1 nic 2"), "line 3: nic 2"),
        (_on_rank_0("send 1b to 2"), "line 3: send: rank, bytes and tag must be at most 1"),
        (_on_rank_0("send 1b from 1"), 'line 3: send from: expected "send to"'),
        (_on_rank_0("send 1 to 1"), 'line 3: "send 1 to 1" is no operation'),
        (_on_rank_0("a: calc 1", "a requires b"), 'line 4: no operation before has the label "b"'),
        (
            _on_rank_0("a: calc 1", "b: calc 1", "a requires b", "b irequires a"),
            "line 3: waits for itself",
        ),
        ("num_ranks 2\nrank 0 {\n}\n", "has no rank 1; num_ranks is 2"),
        ("num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n", "line 4"),
        ("num_ranks 2\nrank 0 {\ncalc 1\n", 'line 3: the file ends before the "}"'),
        ("num_ranks 0\n", "num_ranks 1.."),
        ("num_ranks 1\nrank 0 {\ncalc 99999999999999999999999999\n}\n", "line 3: calc"),
    ],
)
def test_schedules_that_no_list_of_calls_does_are_refused_with_their_line(
    tmp_path: Path, text: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["inspect", str(_file(tmp_path, text))]) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1


def test_a_trace_written_as_goal_replays_to_the_same_time(tmp_path: Path) -> None:
    """Computation is whole nanoseconds and equal in all turns, so that nothing is rounded."""
    recording = Recording(9)
    for rank in range(9):
        right, left = (rank + 1) % 9 - rank, (rank - 1) % 9 - rank
        for _ in range(7):
            time = (3 + rank) * US
            recording.call(rank, "recv", [left, 1, 5000, 0], flags=4, computed=time)
            recording.call(rank, "send", [right, 1, 5000, 1], flags=4, computed=time)
            recording.call(rank, "wait", [0], computed=time)
            recording.call(rank, "sendrecv", [left, 2, 70000, right, 2, 70000], computed=time)
            recording.call(rank, "wait", [1], computed=time)
    original = recording.write(tmp_path / "a.trace")
    assert main(["inspect", str(original), "--export", "goal", str(tmp_path / "a.goal")]) == 0
    given, taken = _run(original, 9), _run(tmp_path / "a.goal", 9)
    assert taken.counts["messages"] == given.counts["messages"] == 9 * 14
    assert taken.time_s == given.time_s > 0


@pytest.mark.parametrize("name", sorted(EXPORTS))
def test_an_export_tells_in_json_what_is_written(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, written = str(tmp_path / "a.trace"), str(tmp_path / "a.out")
    every_call(Path(file))
    assert main(["inspect", file, "--export", name, written, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    lost = told.pop("cannot_say")
    assert told == {"trace": file, "format": name, "written": written}
    assert lost
    assert all(isinstance(one, str) for one in lost)


def test_a_schedule_is_written_as_it_was_read(tmp_path: Path) -> None:
    first = _file(tmp_path, _PAIR)
    for name in ("b.goal", "c.goal"):
        assert main(["inspect", str(first), "--export", "goal", str(tmp_path / name)]) == 0
        assert calls_of_rank(read_any(tmp_path / name), 0) == calls_of_rank(read_any(first), 0)
        first = tmp_path / name


def _ring_with_itself(rank: int, ranks: int) -> list[int]:
    """The neighbours of a ring: the rank itself, the next one, and the one before with no bytes."""
    right, left = (rank + 1) % ranks - rank, (rank - 1) % ranks - rank
    return [3, 0, 8, right, 16, left, 0, 3, 0, 8, left, 16, right, 0]


@pytest.mark.parametrize("ranks", [1, 2, 3, 4, 5, 7, 8])
@pytest.mark.parametrize(
    ("call", "arguments"),
    [
        ("barrier", lambda rank, ranks: []),
        ("bcast", lambda rank, ranks: [ranks // 2, 8]),
        ("reduce", lambda rank, ranks: [ranks - 1, 8]),
        ("allreduce", lambda rank, ranks: [8]),
        ("scan", lambda rank, ranks: [8]),
        ("gather", lambda rank, ranks: [0, 8]),
        (
            "scatterv",
            lambda rank, ranks: [0, 5 + rank, *range(5, 5 + ranks)][: 2 + ranks * (not rank)],
        ),
        (
            "gatherv",
            lambda rank, ranks: [0, 5 + rank, *range(5, 5 + ranks)][: 2 + ranks * (not rank)],
        ),
        ("allgather", lambda rank, ranks: [8]),
        ("allgatherv", lambda rank, ranks: list(range(1, 1 + ranks))),
        ("reduce_scatter", lambda rank, ranks: list(range(1, 1 + ranks))),
        ("reduce_scatter_block", lambda rank, ranks: [8]),
        ("alltoall", lambda rank, ranks: [8]),
        (
            "alltoallv",
            lambda rank, ranks: (
                [10 * rank + to for to in range(ranks)]
                + [10 * source + rank for source in range(ranks)]
            ),
        ),
        ("neighbor_alltoallv", lambda rank, ranks: _ring_with_itself(rank, ranks)),
    ],
)
def test_every_message_of_a_collective_has_both_ends(ranks: int, call: str, arguments: Any) -> None:
    sends: Counter[tuple[int, int, int]] = Counter()
    receives: Counter[tuple[int, int, int]] = Counter()
    # Ranks go through their rounds until all are done; a round ends when its messages have come.
    left = {
        rank: rounds_of(call, Member(rank, ranks, arguments(rank, ranks))) for rank in range(ranks)
    }
    begun: set[int] = set()
    for _ in range(4 * ranks + 4):
        for rank, rounds in left.items():
            if rounds and rank not in begun:
                sends.update((rank, to, size) for to, size in rounds[0].sends)
                begun.add(rank)
        for rank in sorted(begun):
            wanted = Counter((source, rank, size) for source, size in left[rank][0].receives)
            if all(sends[one] - receives[one] >= count for one, count in wanted.items()):
                receives += wanted
                left[rank] = left[rank][1:]
                begun.discard(rank)
    assert not any(left.values())
    assert sends == receives
    assert all(source != to for source, to, _ in sends)
    if ranks > 1:
        assert sends


def test_every_call_is_written_as_messages_or_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    every_call(tmp_path / "a.trace")
    out = tmp_path / "a.goal"
    assert main(["inspect", str(tmp_path / "a.trace"), "--export", "goal", str(out)]) == 0
    told = capsys.readouterr().err
    for words in ("collectives: written as messages", "MPI_Pack: left out", "MPI_Ssend"):
        assert words in told
    found = inspect(read_any(out))
    assert not found.unmatched
    assert found.ranks == 4


def test_nonblocking_collectives_are_counted_among_those_written_as_messages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = Recording(2)
    for rank in range(2):
        recording.call(rank, "init")
        recording.call(rank, "barrier")
        recording.call(rank, "alltoall", [8, 0], flags=NONBLOCKING)
        recording.call(rank, "allreduce", [8, 1], flags=NONBLOCKING)
        recording.call(rank, "wait", [0, 1])
        recording.call(rank, "finalize")
    file = recording.write(tmp_path / "a.trace")
    assert main(["inspect", str(file), "--export", "goal", str(tmp_path / "a.goal")]) == 0
    assert "collectives: written as messages (6);" in capsys.readouterr().err


def test_the_time_line_holds_each_call_and_an_arrow_for_each_message(tmp_path: Path) -> None:
    file = halo(2, 3).write(tmp_path / "a.trace")
    assert main(["inspect", str(file), "--export", "perfetto", str(tmp_path / "a.json")]) == 0
    events = json.loads((tmp_path / "a.json").read_text())["traceEvents"]
    assert events[0]["name"] == "process_name"
    assert events[0]["args"] == {"name": "./program namelist"}
    slices = [one for one in events if one["ph"] == "X" and one.get("cat") == "MPI"]
    assert Counter(one["name"] for one in slices) == {
        "MPI_Init": 4,
        "MPI_Irecv": 48,
        "MPI_Isend": 48,
        "MPI_Waitall": 12,
        "MPI_Allreduce": 12,
        "MPI_Finalize": 4,
    }
    assert all(one["dur"] == pytest.approx(1.0) for one in slices)
    begins = {one["id"]: one for one in events if one["ph"] == "s"}
    ends = {one["id"]: one for one in events if one["ph"] == "f"}
    assert len(begins) == 48
    assert begins.keys() == ends.keys()
    assert all(begins[one]["ts"] < ends[one]["ts"] for one in begins)


_ACTIONS = """# a comment
0 init
1 init
0 compute 1e9
0 isend 1 5 1e6
1 irecv 0 5 1e6
1 location solver.c 17
1 test 0 1 5
1 wait 0 1 5
0 waitall
0 allreduce 10 2e9 1
1 allreduce 10 2e9 1
0 alltoallv 9 1 2 9 3 4
1 alltoallv 9 4 3 9 2 1
0 finalize
1 finalize
"""


def test_actions_of_simgrid_becomecalls_of_rank(tmp_path: Path) -> None:
    trace = read_any(_file(tmp_path, _ACTIONS, "actions.txt"))
    assert calls_of_rank(trace, 0) == [
        ("MPI_Init", [], 0),
        ("MPI_Isend", [1, 5, 10**6, 0], 10**12),
        ("MPI_Wait", [0], 0),
        ("MPI_Allreduce", [40], 0),
        ("MPI_Alltoallv", [1, 2, 3, 4], 2 * 10**12),
        ("MPI_Finalize", [], 0),
    ]
    assert [name for name, *_ in calls_of_rank(trace, 1)][:4] == [
        "MPI_Init",
        "MPI_Irecv",
        "MPI_Test or MPI_Waitany",
        "MPI_Wait",
    ]
    assert trace.strings == ("solver.c:17",)
    assert len(trace.facts["warnings"]) == 2


def test_a_list_names_the_files_of_the_ranks(tmp_path: Path) -> None:
    (tmp_path / "ti").mkdir()
    _file(tmp_path / "ti", "0 init 1\n0 send 1 0 10\n0 finalize\n", "rank0.txt")
    _file(tmp_path / "ti", "1 init\n1 recv 0 0 80\n1 finalize\n", "rank1.txt")
    trace = read_any(_file(tmp_path, "ti/rank0.txt\nti/rank1.txt\n", "list.txt"))
    found = inspect(trace)
    assert not found.unmatched
    # With a word after `init` amounts are numbers of doubles.
    assert found.pairs.bytes.tolist() == [80]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("0 init\n0 levitate 3\n", 'line 2: unknown action "levitate"; known: init'),
        ("0 init\n0 send 1 0 8\n", "line 2: send: value 1 is"),
        ("0 init\n0 send 0 0\n", "line 2: send: value 3 is nothing"),
        ("0 init\n0 compute inf\n", "line 2: compute: value 1"),
        ("0 init\n0 compute nan\n", "line 2: compute: value 1"),
        ("0 init\n2 init\n", "has no actions of rank 1"),
        ("0 init\nx init\n", 'line 2: "x" is no rank'),
        ("0 init\n0 bcast 8 0 99\n", "line 2: bcast: value 3"),
    ],
)
def test_actions_that_do_not_fit_are_refused_with_their_line(
    tmp_path: Path, text: str, told: str
) -> None:
    with pytest.raises(TraceError) as raised:
        read_any(_file(tmp_path, text, "actions.txt"))
    assert told in str(raised.value)


def test_a_listed_file_that_is_missing_is_named(tmp_path: Path) -> None:
    _file(tmp_path, "0 init\n", "rank0.txt")
    with pytest.raises(TraceError, match=r"line 2: there is no file rank1\.txt"):
        read_any(_file(tmp_path, "rank0.txt\nrank1.txt\n", "list.txt"))


def test_a_schedule_is_the_trace_of_an_experiment(tmp_path: Path) -> None:
    path = _file(tmp_path, _PAIR)
    run = _run(path, 2)
    assert run.ranks == 2
    assert run.counts["messages"] == 2
    assert run.time_s > 150e-9


def test_a_faulty_schedule_is_a_fault_of_the_experiment(tmp_path: Path) -> None:
    path = _file(tmp_path, _on_rank_0("calc 5 cpu 1"))
    with pytest.raises(ConfigError, match="line 3: cpu 1"):
        _run(path, 2)


def test_a_foreign_trace_is_converted_once_for_each_content(tmp_path: Path) -> None:
    path = _file(tmp_path, _PAIR)
    first = as_trace(path)
    assert first.parent == cache_folder() / "traces"
    written = first.stat().st_mtime_ns
    assert as_trace(path) == first
    assert first.stat().st_mtime_ns == written
    path.write_text(_PAIR.replace("calc 100", "calc 1000"), encoding="utf-8")
    assert as_trace(path) != first


def test_mutations_of_texts_crash_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    random = np.random.default_rng(3)
    words = [
        b"-1",
        b"0",
        b"99999999999999999999",
        b"}",
        b"{",
        b"requires",
        b"\0",
        b"\xff",
        b"calc 1\n",
    ]
    refused = 0
    for seed in range(200):
        text = bytearray((_PAIR if seed % 2 else _ACTIONS).encode())
        for place in random.integers(0, len(text), 1 + seed % 3).tolist():
            text[place : place + seed % 5] = words[int(random.integers(0, len(words)))]
        path = tmp_path / f"{seed}.txt"
        path.write_bytes(text)
        status = main(["inspect", str(path), "--json"])
        told = capsys.readouterr()
        assert status in (0, 2), told.err
        assert status == 0 or told.err.count("\n") == 1
        refused += status == 2
    assert 20 < refused < 200
