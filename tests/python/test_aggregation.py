"""Aggregation: messages that are started together as one, where both sides agree, and nowhere else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli
from recordings import NONBLOCKING, Recording, halo, save

import tradewind as tw
from tradewind.aggregation import aggregate
from tradewind.errors import ConfigError
from tradewind.extrapolation import expand, first_difference, load_pattern
from tradewind.trace_file import Trace

WILDCARD, TIMING = 1, 2
# Times in seconds of LogGOPS.
SEND, RECEIVE, LATENCY, PER_BYTE = 10e-9, 20e-9, 1e-6, 100e-12
MACHINE = {
    "topology": {"name": "star", "nodes": 64},
    "link": {"bandwidth": "10 GB/s", "latency": "1 us"},
    "message": {
        "latency": "1 us",
        "gap_per_byte": "100 ps/B",
        "overhead_send": "10 ns",
        "overhead_receive": "20 ns",
        "eager_limit": "1 GiB",
    },
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def replayed(path: Path, **settings: Any) -> tw.Run:
    program = {"name": "trace", "trace": str(path), **settings}
    run = tw.simulate(
        {"machine": MACHINE, "program": program, "simulation": {"network": "analytic"}}
    )
    assert isinstance(run, tw.Run)
    return run


def pair(
    messages: int,
    size: int,
    *,
    turns: int = 1,
    waits: int = 1,
    receive_waits: int | None = None,
    flags: int = 0,
    wait_flags: int = 0,
    between: str = "",
    computed: float = 0.0,
) -> Trace:
    """Messages from rank 0 to rank 1, with tags 0, 1, ..., completed by a number of waits on each side."""
    recording = Recording(2)
    for rank, name in enumerate(("send", "recv")):
        groups = waits if rank == 0 or receive_waits is None else receive_waits
        for _ in range(turns):
            for slot in range(messages):
                if slot == 1 and between:
                    recording.call(rank, between)
                own = NONBLOCKING | (flags if rank else 0)
                recording.call(
                    rank, name, [1 - 2 * rank, slot, size, slot], flags=own, computed=computed
                )
            for slots in np.array_split(np.arange(messages), groups):
                recording.call(rank, "wait", slots.tolist(), flags=wait_flags)
    return recording.trace()


def test_n_messages_of_b_bytes_take_the_time_of_one_of_n_times_b(tmp_path: Path) -> None:
    # hoefler2010: a message takes o_s + (s - 1) G + L + o_r; here the interface is the slowest part.
    count, size = 7, 2000
    path = save(pair(count, size), tmp_path / "a.trace")
    many, one = replayed(path), replayed(path, aggregate=True)
    assert (many.counts["messages"], one.counts["messages"]) == (count, 1)
    assert many.counts["bytes"] == one.counts["bytes"] == count * size
    ends = SEND + LATENCY + RECEIVE
    assert one.time_s == pytest.approx(ends + (count * size - 1) * PER_BYTE, abs=1e-12)
    assert many.time_s == pytest.approx(ends + count * (size - 1) * PER_BYTE, abs=1e-12)
    assert many.hash != one.hash


def test_small_messages_save_an_overhead_each(tmp_path: Path) -> None:
    # The processor that receives is the slowest part.
    count, size = 50, 8
    path = save(pair(count, size), tmp_path / "a.trace")
    start = SEND + LATENCY
    assert replayed(path).time_s == pytest.approx(
        start + (size - 1) * PER_BYTE + count * RECEIVE, abs=1e-12
    )
    assert replayed(path, aggregate=True).time_s == pytest.approx(
        start + (count * size - 1) * PER_BYTE + RECEIVE, abs=1e-12
    )


def test_the_merged_trace_is_that_of_a_program_with_one_message() -> None:
    found = aggregate(pair(5, 100, turns=9, computed=1e-6))
    assert found.to_dict() == {"messages": 45, "merged": 45, "made": 9, "refused": {}}
    merged = Trace.of(found.arrays)
    assert first_difference(merged, pair(1, 500, turns=9)) is None
    # The loop is a loop as before, and no computation is lost: the data of a message are there at its end.
    assert len(merged.arrays["items"]) == 2 * 2 * 3
    assert merged.arrays["computed"].tolist() == [0, 45_000_000, 0, 0, 9_000_000, 36_000_000]


REFUSED: dict[str, tuple[Trace, str]] = {
    "other batches": (pair(4, 8, receive_waits=2), "other batches"),
    "any source": (pair(4, 8, flags=WILDCARD), "any source"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_messages_that_both_sides_do_not_batch_alike_stay_and_are_told(name: str) -> None:
    trace, why = REFUSED[name]
    found = aggregate(trace)
    assert first_difference(Trace.of(found.arrays), trace) is None
    assert (found.merged, found.made) == (0, 0)
    ((said, count),) = found.refused.items()
    assert why in said
    assert count == 4


@pytest.mark.parametrize(
    "trace",
    [pair(4, 8, waits=4), pair(4, 8, wait_flags=TIMING), pair(2, 8, between="barrier")],
    ids=["a wait for each", "waits that depend on timing", "a barrier between"],
)
def test_messages_that_are_not_started_and_completed_together_are_no_batch(trace: Trace) -> None:
    found = aggregate(trace)
    assert (found.merged, found.refused) == (0, {})
    assert first_difference(Trace.of(found.arrays), trace) is None


def test_a_probed_message_stays() -> None:
    recording = Recording(2)
    for slot in range(2):
        recording.call(0, "send", [1, 3, 8, slot], flags=NONBLOCKING)
    recording.call(0, "wait", [0, 1])
    recording.call(1, "probe", [-1, 3, 8])
    for slot in range(2):
        recording.call(1, "recv", [-1, 3, 8, slot], flags=NONBLOCKING)
    recording.call(1, "wait", [0, 1])
    assert aggregate(recording.trace()).refused == {"a message is probed": 2}


def test_loops_that_are_folded_in_other_ways_are_compared_turn_by_turn() -> None:
    recording = Recording(2)
    for turn in range(6):
        for rank, name in enumerate(("send", "recv")):
            for slot in range(2):
                recording.call(rank, name, [1 - 2 * rank, slot, 8, slot], flags=NONBLOCKING)
            recording.call(rank, "wait", [0, 1])
            if rank and turn % 2:
                recording.call(rank, "region", [recording.builder.string("odd")])
    assert aggregate(recording.trace()).made == 6


def two_fields(ranks: int) -> Trace:
    """Two fields, each exchanged with both neighbours of a ring before one wait."""
    recording = Recording(ranks)
    for rank in range(ranks):
        for _ in range(5):
            slots = []
            for name, field, step in [
                (name, field, step)
                for name in ("recv", "send")
                for field in (0, 1)
                for step in (1, -1)
            ]:
                peer = (rank + step) % ranks - rank
                way = step if name == "send" else -step
                slots.append(len(slots))
                arguments = [peer, 10 * field + (way > 0), 400, slots[-1]]
                recording.call(rank, name, arguments, flags=NONBLOCKING)
            recording.call(rank, "wait", slots)
            recording.call(rank, "allreduce", [8])
    return recording.trace()


def test_fields_of_a_halo_travel_together_and_ranks_still_share_their_calls(
    tmp_path: Path,
) -> None:
    trace = two_fields(12)
    found = aggregate(trace)
    assert (found.merged, found.made, found.refused) == (12 * 5 * 4, 12 * 5 * 2, {})
    streams = (len(found.arrays["stream_first"]), len(trace.arrays["stream_first"]))
    assert streams[0] == streams[1]
    path = save(trace, tmp_path / "a.trace")
    plain, merged = replayed(path), replayed(path, aggregate=True)
    saved = plain.counts["messages"] - merged.counts["messages"]
    assert saved == 12 * 5 * 2
    assert plain.counts["bytes"] == merged.counts["bytes"]
    # With one field there is nothing to merge.
    assert aggregate(halo(16, steps=3)).merged == 0


def test_it_is_swept_and_works_on_patterns(cli: Cli, tmp_path: Path) -> None:
    pattern = tmp_path / "a.pattern"
    head = '[pattern]\nversion = 1\ngrid = "line"\n'
    calls = [
        f'[[do]]\ncall = "{name}"\nlabel = "{name}{tag}"\noffsets = [[{step}]]\ntags = [{tag}]\n'
        "numbers = [64]\n"
        for name, step in (("recv", -1), ("send", 1))
        for tag in (0, 1)
    ]
    pattern.write_text(head + "".join(calls) + '[[do]]\ncall = "wait"\nwaits = ["all"]\n')
    assert aggregate(Trace.of(expand(load_pattern(pattern), 32))).made == 32
    (tmp_path / "a.toml").write_text(
        'machine = "torus-m"\n[program]\nname = "trace"\ntrace = "a.pattern"\nranks = 32\n'
        '[sweep]\n"program.aggregate" = [false, true]\n'
    )
    done = cli("simulate", str(tmp_path / "a.toml"), "--json", "-o", str(tmp_path / "out"))
    assert done.returncode == 0, done.stderr
    runs = json.loads(done.stdout)["runs"]
    assert [run["messages"] for run in runs] == [64, 32]
    assert done.stderr.count("program.aggregate: 64 of 64 messages are merged into 32") == 1


def test_an_unpacked_trace_is_merged_once(tmp_path: Path) -> None:
    path = save(pair(4, 8), tmp_path / "a.trace")
    run = replayed(path, aggregate=True)
    assert replayed(path, aggregate=True).hash == run.hash
    (merged,) = (tmp_path / "cache" / "tradewind" / "traces").glob("*-merged.*-unpacked")
    assert replayed(merged, aggregate=True, ranks=2).counts["messages"] == 1
    with pytest.raises(ConfigError, match="merged"):
        replayed(merged, ranks=2)


def test_inspect_tells_what_would_be_merged(cli: Cli, tmp_path: Path) -> None:
    path = save(pair(4, 8, receive_waits=2), tmp_path / "a.trace")
    done = cli("inspect", str(path), "--aggregate")
    assert done.returncode == 0, done.stderr
    told_lines = [
        "0 of 4 messages are merged",
        "4 stay: the other rank receives them in other batches",
    ]
    assert all(line in done.stdout for line in told_lines)
    run = 'machine = "torus-m"\n[program]\nname = "trace"\ntrace = "a.trace"\naggregate = true\n'
    (tmp_path / "a.toml").write_text(run)
    for _ in range(2):
        done = cli("simulate", str(tmp_path / "a.toml"))
        assert all(line in done.stderr for line in told_lines), done.stderr
    path = save(pair(4, 8), tmp_path / "b.trace")
    told = json.loads(cli("inspect", str(path), "--aggregate", "--json").stdout)
    assert told["aggregation"] == {"messages": 4, "merged": 4, "made": 1, "refused": {}}
