"""The summary of a trace: counts, bytes, pairs, imbalance, wait states and faults of the recording."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from trace_cases import (
    NO_PEER,
    NONBLOCKING,
    TIMING,
    US,
    WILDCARD,
    Recording,
    every_call,
    halo,
)

import tradewind as tw
from tradewind.cli import main
from tradewind.errors import ConfigError, TraceError
from tradewind.inspection.summary import Inspection, inspect
from tradewind.inspection.timeline import KINDS, timeline_of, unfolded
from tradewind.trace_file import read_trace


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _waits(found: Inspection) -> dict[str, float]:
    """Returns the wait states in us."""
    assert found.waits is not None
    times: dict[str, float] = {}
    for row in found.waits:
        times[row.state] = times.get(row.state, 0.0) + row.time_s * 1e6
    return {state: pytest.approx(time) for state, time in times.items()}


def test_calls_of_loops_are_counted_with_their_turns(tmp_path: Path) -> None:
    found = inspect(halo(3, 50).trace(tmp_path / "a.trace"))
    counts = {row.call: row.count for row in found.by_call}
    assert counts == {
        "MPI_Irecv": 9 * 50 * 4,
        "MPI_Isend": 9 * 50 * 4,
        "MPI_Waitall": 9 * 50,
        "MPI_Allreduce": 9 * 50,
        "MPI_Init": 9,
        "MPI_Finalize": 9,
    }
    assert found.calls == sum(counts.values())
    sites = {(row.call, row.site): row.bytes for row in found.by_site}
    assert sites["MPI_Isend", "halo.f90:48"] == 9 * 50 * 4 * 8192
    assert sites["MPI_Allreduce", "solver.f90:212"] == 9 * 50 * 8
    assert sites["MPI_Init", "unknown"] == 0


def test_pairs_and_sizes_are_those_of_the_sends(tmp_path: Path) -> None:
    found = inspect(halo(3, 10).trace(tmp_path / "a.trace"))
    assert found.sizes == [(8192, 16383, 9 * 40, 9 * 40 * 8192)]
    matrix, width = found.pairs.binned(9)
    assert width == 1
    assert np.count_nonzero(matrix) == 9 * 4
    assert set(matrix[matrix > 0].tolist()) == {10 * 8192.0}
    np.testing.assert_array_equal(matrix, matrix.T)
    coarse, width = found.pairs.binned(4)
    assert (coarse.shape, width) == ((3, 3), 3)
    assert coarse.sum() == matrix.sum()
    assert not found.unmatched


def test_the_messages_of_one_rank_are_those_that_it_sends(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "a.trace"
    whole = inspect(halo(3, 10).trace(file))
    assert main(["inspect", str(file), "--rank", "3", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["messages"], told["bytes"]) == (40, 40 * 8192)
    assert told["pairs"]["source"] == [3] * 4 and sum(told["pairs"]["messages"]) == 40
    assert told["collective_bytes"] == 10 * 8
    assert told["time_s"] == whole.per_rank.total_s[3]
    assert main(["inspect", str(file), "--rank", "3"]) == 0
    assert "of rank 3, which sends 40 messages with 328 kB; " in capsys.readouterr().out


def test_folded_and_unfolded_calls_give_the_same_sums(tmp_path: Path) -> None:
    random = np.random.default_rng(5)
    recording = Recording(2)
    for rank in range(2):
        body = [
            (name, int(size)) for name, size in zip("aabab", random.integers(1, 99, 5), strict=True)
        ]
        for _ in range(3):
            for name, size in body * int(random.integers(2, 6)):
                call = "allreduce" if name == "a" else "allgather"
                recording.call(rank, call, [size], computed=size, inside=2 * size)
    trace = recording.trace(tmp_path / "a.trace")
    found = inspect(trace)
    for name, label in (("allreduce", "MPI_Allreduce"), ("allgather", "MPI_Allgather")):
        own = [call for calls in recording.calls for call in calls if call[0] == name]
        row = next(row for row in found.by_call if row.call == label)
        assert row.count == len(own)
        assert row.bytes == sum(call[1][0] for call in own)
        assert row.time_s == pytest.approx(1e-12 * sum(call[4] for call in own))
    timeline = timeline_of(trace, 10**6)
    for rank in range(2):
        at = timeline.at[timeline.rank == rank]
        events = np.array(trace.arrays["events"]).reshape(-1, 6)[timeline.calls.event[at]]
        sizes = trace.arrays["arguments"][events[:, 4]]
        assert sizes.tolist() == [call[1][0] for call in recording.calls[rank]]


def test_loops_in_loops_are_unfolded_in_their_order() -> None:
    # 2 x (a 3 x (b c)) d 2 x (e)
    items = [-2, 4, 0, 0, -3, 2, 1, 0, 2, 0, 3, 0, -2, 1, 4, 0]
    assert unfolded(np.array(items)).tolist() == [1, *[3, 4] * 3, 1, *[3, 4] * 3, 5, 7, 7]


def test_bytes_of_collectives_are_what_a_rank_contributes(tmp_path: Path) -> None:
    found = inspect(every_call(tmp_path / "a.trace"))
    bytes_ = {row.call: row.bytes for row in found.by_call}
    assert bytes_["MPI_Bcast"] == 40
    assert bytes_["MPI_Reduce"] == 4 * 48
    assert bytes_["MPI_Gather"] == 4 * 8
    assert bytes_["MPI_Gatherv"] == 8 + 9 + 10 + 11
    assert bytes_["MPI_Scatter"] == 4 * 16
    assert bytes_["MPI_Scatterv"] == 4 + 5 + 6 + 7
    assert bytes_["MPI_Reduce_scatter_block"] == 4 * 4 * 8
    assert bytes_["MPI_Reduce_scatter"] == 4 * (8 + 16 + 24 + 32)
    assert bytes_["MPI_Allgatherv"] == 1 + 2 + 3 + 4
    assert bytes_["MPI_Alltoall"] == 4 * 4 * 10
    assert bytes_["MPI_Alltoallv"] == sum(r + c for r in range(4) for c in range(4))
    assert bytes_["MPI_Neighbor_alltoallv"] == 4 * 70
    assert bytes_["MPI_Allreduce"] == 4 * (24 + 16)
    assert not found.unmatched


def test_what_no_recording_predicts_is_flagged(tmp_path: Path) -> None:
    found = inspect(every_call(tmp_path / "a.trace"))
    assert found.wildcards == 4
    assert found.timing == {"MPI_Test or MPI_Waitany": 4}
    assert found.other == {"MPI_Pack": 4}


def test_a_message_without_its_other_end_is_named(tmp_path: Path) -> None:
    recording = halo(2, 3)
    recording.call(1, "send", [2, 99, 77], site="tail.c:5")
    recording.call(3, "recv", [-3, 7, 20])
    recording.call(0, "send", [1, 8, 100])
    recording.call(1, "recv", [-1, 8, 90])
    recording.call(0, "send", [1, 9, 10])
    recording.call(1, "recv", [-1, 9, 1000])
    found = inspect(recording.trace(tmp_path / "a.trace"))
    told = {(one.rank, one.peer, one.tag): one for one in found.unmatched}
    assert len(told) == 3
    lost = told[1, 3, 99]
    assert (lost.call, lost.site, lost.bytes) == ("MPI_Send", "tail.c:5", 77)
    assert (lost.sends, lost.receives, lost.reason) == (1, 0, "no receive")
    assert told[3, 0, 7].reason == "no send"
    assert told[0, 1, 8].reason == "larger than its receive"
    assert told[0, 1, 8].bytes == 100


def test_messages_of_two_communicators_do_not_match(tmp_path: Path) -> None:
    recording = Recording(2)
    twin = [recording.builder.communicator(rank, [0, 1]) for rank in range(2)]
    recording.call(0, "send", [1, 0, 8])
    recording.call(1, "recv", [-1, 0, 8], comm=twin[1])
    found = inspect(recording.trace(tmp_path / "a.trace"))
    assert sorted(one.reason for one in found.unmatched) == ["no receive", "no send"]


def test_peers_are_ranks_of_the_communicator(tmp_path: Path) -> None:
    recording = Recording(4)
    numbers = {rank: recording.builder.communicator(rank, [3, 1]) for rank in (1, 3)}
    recording.call(3, "send", [1, 0, 8], comm=numbers[3])
    recording.call(1, "recv", [-1, 0, 8], comm=numbers[1])
    recording.call(2, "send", [NO_PEER, 0, 0])
    found = inspect(recording.trace(tmp_path / "a.trace"))
    assert (found.pairs.source.tolist(), found.pairs.destination.tolist()) == ([3], [1])
    assert not found.unmatched


def test_time_in_init_and_finalize_is_no_share_of_mpi(tmp_path: Path) -> None:
    recording = Recording(2)
    for rank in range(2):
        recording.call(rank, "init", computed=900 * US, inside=800 * US)
        recording.call(rank, "barrier", computed=(1 + 2 * rank) * US, inside=US)
        recording.call(rank, "finalize", computed=2 * US, inside=700 * US)
    times = inspect(recording.trace(tmp_path / "a.trace")).per_rank
    assert times.computed_s.tolist() == pytest.approx([3e-6, 5e-6])
    assert times.inside_s.tolist() == pytest.approx([1e-6, 1e-6])
    assert times.share.tolist() == pytest.approx([1 / 4, 1 / 6])


def test_the_imbalance_is_that_of_the_slowest_rank(tmp_path: Path) -> None:
    recording = Recording(4)
    for rank, time in enumerate((1, 1, 1, 5)):
        recording.call(rank, "barrier", computed=time * US)
    computation = inspect(recording.trace(tmp_path / "a.trace")).to_dict()["computation_s"]
    assert computation == {
        "min": pytest.approx(1e-6),
        "mean": pytest.approx(2e-6),
        "max": pytest.approx(5e-6),
        "imbalance": pytest.approx(3 / 5),
    }


def test_a_late_sender_lets_its_receiver_wait(tmp_path: Path) -> None:
    recording = Recording(2)
    recording.call(0, "send", [1, 0, 8], computed=30 * US, inside=US)
    recording.call(1, "recv", [-1, 0, 8], computed=10 * US, inside=25 * US)
    found = inspect(recording.trace(tmp_path / "a.trace"))
    assert _waits(found) == {"late sender": 20}
    assert found.per_rank.wait_s.tolist() == pytest.approx([0, 20e-6])


def test_a_probe_waits_for_a_late_sender(tmp_path: Path) -> None:
    recording = Recording(2)
    for _ in range(3):
        recording.call(0, "send", [1, 0, 8], computed=30 * US)
        recording.call(0, "send", [1, 1, 8])
        # The second message was there before, and the first one is probed twice.
        recording.call(1, "probe", [-1, 0, 8], computed=10 * US, inside=20 * US)
        recording.call(1, "probe", [-1, 0, 8])
        recording.call(1, "recv", [-1, 0, 8])
        recording.call(1, "recv", [-1, 1, 8])
    found = inspect(recording.trace(tmp_path / "a.trace"))
    assert _waits(found) == {"late sender": 60}
    assert found.waits is not None
    assert [wait.call for wait in found.waits] == ["MPI_Probe"]


def test_the_wait_of_a_nonblocking_receive_is_that_of_its_wait(tmp_path: Path) -> None:
    recording = Recording(2)
    recording.call(0, "send", [1, 0, 8], computed=30 * US, inside=US)
    recording.call(1, "recv", [-1, 0, 8, 0], flags=NONBLOCKING, computed=10 * US)
    recording.call(1, "wait", [0], computed=15 * US, inside=8 * US)
    found = inspect(recording.trace(tmp_path / "a.trace"))
    assert _waits(found) == {"late sender": 5}
    assert found.waits is not None
    assert found.waits[0].call == "MPI_Wait"


def test_a_late_receiver_lets_its_sender_wait(tmp_path: Path) -> None:
    recording = Recording(2)
    recording.call(0, "ssend", [1, 0, 8], computed=10 * US, inside=30 * US)
    recording.call(1, "recv", [-1, 0, 8], computed=25 * US, inside=15 * US)
    assert _waits(inspect(recording.trace(tmp_path / "a.trace"))) == {"late receiver": 15}


def test_a_sender_that_is_done_before_the_receiver_comes_does_not_wait(tmp_path: Path) -> None:
    recording = Recording(2)
    recording.call(0, "send", [1, 0, 8], computed=10 * US, inside=US)
    recording.call(1, "recv", [-1, 0, 8], computed=25 * US, inside=US)
    assert _waits(inspect(recording.trace(tmp_path / "a.trace"))) == {}


@pytest.mark.parametrize(
    ("call", "arguments", "waits"),
    [
        ("barrier", [], {"wait at barrier": 30 + 20}),
        ("allreduce", [8], {"wait at NxN": 30 + 20}),
        # Rank 0 waits for its root; rank 2 comes later.
        ("bcast", [1, 8], {"late broadcast": 10}),
        # The root waits for the first of the others.
        ("reduce", [0, 8], {"early reduce": 10}),
        ("scan", [8], {}),
    ],
)
def test_waits_at_collectives_are_those_of_scalasca(
    tmp_path: Path, call: str, arguments: list[int], waits: dict[str, float]
) -> None:
    recording = Recording(3)
    for rank, time in enumerate((10, 20, 40)):
        recording.call(rank, call, arguments, computed=time * US, inside=(45 - time) * US)
    assert _waits(inspect(recording.trace(tmp_path / "a.trace"))) == waits


def test_ranks_begin_together_at_the_end_of_init(tmp_path: Path) -> None:
    recording = Recording(2)
    for rank in range(2):
        recording.call(rank, "init", computed=rank * 500 * US, inside=rank * 50 * US)
        recording.call(rank, "barrier", computed=(10 + rank) * US, inside=5 * US)
    assert _waits(inspect(recording.trace(tmp_path / "a.trace"))) == {"wait at barrier": 1}


def test_tables_of_one_rank_hold_its_calls_only(tmp_path: Path) -> None:
    trace = halo(3, 10).trace(tmp_path / "a.trace")
    found = inspect(trace, 4)
    assert found.calls == 10 * 10 + 2
    assert found.sizes == [(8192, 16383, 40, 40 * 8192)]
    assert sum(row.share for row in found.by_call) == pytest.approx(100 / (100 + 202))
    with pytest.raises(ConfigError, match=r"rank 9: the trace has ranks 0\.\.8"):
        inspect(trace, 9)


@pytest.mark.parametrize(
    ("arguments", "comm", "told"),
    [
        ([1, 0, 8], 0, "rank 1 names rank 2 of a communicator of 2"),
        ([-2, 0, 8], 0, "rank 1 names rank -1 of a communicator of 2"),
        ([0, 0, 8], 7, "rank 1: send names communicator 7; it has 2"),
    ],
)
def test_calls_that_name_what_is_not_there_are_refused(
    tmp_path: Path,
    arguments: list[int],
    comm: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    recording = Recording(2)
    recording.call(1, "send", arguments, comm=comm)
    with pytest.raises(TraceError, match=told):
        inspect(recording.trace(tmp_path / "a.trace"))
    assert main(["inspect", str(tmp_path / "a.trace")]) == 2
    error = capsys.readouterr().err
    assert f"a.trace: {told}" in error.replace("\n", "")


def test_the_command_prints_tables_and_says_what_to_doubt(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = halo(2, 5)
    recording.call(0, "recv", [1, 3, 8], flags=WILDCARD)
    recording.call(0, "wait", [], flags=TIMING)
    file = recording.write(tmp_path / "a.trace", complete=False, warnings=["one rank is missing"])
    assert main(["inspect", str(file)]) == 0
    told = capsys.readouterr()
    assert "./program namelist on 4 ranks, incomplete" in told.out
    for title in ("by call", "by call site", "over ranks", "message sizes", "unmatched messages"):
        assert f"\n{title}" in told.out
    assert "solver.f90:212" in told.out
    for words in ("one rank is missing", "any source", "depend on timing", "ended before"):
        assert words in told.err


def test_a_replay_says_what_to_doubt(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recording = Recording(3)
    text = recording.builder.string("MPI_Pready")
    recording.call(0, "send", [1, 7, 64], site="a.c:5")
    recording.call(1, "recv", [-1, 7, 64], flags=WILDCARD)
    for tag in range(5):
        recording.call(0, "send", [2, tag, 8], site="a.c:9")
    recording.call(1, "other", [text])
    warnings = ["not recorded but as time: MPI_Pready (1)"]
    recording.write(tmp_path / "a.trace", complete=False, warnings=warnings)
    experiment = tmp_path / "a.toml"
    experiment.write_text(
        'machine = "torus-m"\n[program]\nname = "trace"\ntrace = "a.trace"\n'
        '[sweep]\n"program.slowdown" = [1.0, 2.0]\n'
    )
    for more in ([], ["--set", "program.aggregate=true"]):
        assert (
            main(["simulate", str(experiment), "-o", str(tmp_path / f"out{len(more)}"), *more]) == 0
        )
        told = capsys.readouterr().err
        for line in (
            "a.trace: not recorded but as time: MPI_Pready (1)",
            "a.trace: incomplete: the program ended before MPI_Finalize",
            "a.trace: 1 call receives from any source",
            "a.trace: recorded by name only, and left out of replays: 1 MPI_Pready",
            "a.trace: unmatched: MPI_Send at a.c:9 of rank 0, peer 2, tag 0, 8 bytes: 1 sends and"
            " 0 receives, no receive",
            "a.trace: unmatched: 2 more; tradewind inspect lists them",
        ):
            assert told.count(line) == 1, told


def test_a_pattern_whose_messages_lack_an_end_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ["[pattern]", "version = 1", 'grid = "line"', "[[do]]", 'call = "init"']
    for name, offset in (("send", 1), ("recv", -1)):
        lines += ["[[do]]", f'call = "{name}"', f"offsets = [[{offset}]]", "tags = [0]"]
        lines += ["numbers = [100]", 'when = "P % 4 == 0 or x == 0"']
    (tmp_path / "a.pattern").write_text("\n".join([*lines, "[[do]]", 'call = "finalize"']))
    experiment = tmp_path / "a.toml"
    experiment.write_text('machine = "torus-m"\n[program]\nname = "trace"\ntrace = "a.pattern"\n')
    for ranks, lacks in ((8, False), (6, True)):
        status = main(["simulate", str(experiment), "--set", f"program.ranks={ranks}"])
        told = capsys.readouterr().err
        assert status == (2 if lacks else 0)
        said = "on 6 ranks MPI_Send of rank 0 to or from rank 1 with tag 0: 1 sends and 0 receives"
        assert (f"{said}, no receive" in told) == lacks


def test_one_sided_transfers_count_as_messages(tmp_path: Path) -> None:
    recording = Recording(3)
    for rank in range(3):
        recording.call(rank, "win_create", [0, 4096])
        recording.call(rank, "fence", [0])
        if rank == 0:
            recording.call(rank, "put", [0, 1, 800])
            recording.call(rank, "get", [0, 2, 80])
            recording.call(rank, "accumulate", [0, 1, 8])
        recording.call(rank, "fence", [0])
    recording.call(1, "send", [1, 0, 16])
    recording.call(2, "recv", [-1, 0, 16])
    trace = recording.trace(tmp_path / "a.trace")
    found = inspect(trace)
    pairs = zip(found.pairs.source, found.pairs.destination, found.pairs.bytes, strict=True)
    # A get moves data from its target to the rank that calls it.
    assert sorted(map(tuple, pairs)) == [(0, 1, 808), (1, 2, 16), (2, 0, 80)]
    assert found.pairs.messages.sum() == 4
    assert sum(row[2] for row in found.sizes) == 4 and not found.unmatched
    assert sum(row[3] for row in inspect(trace, 1).sizes) == 16


def test_json_holds_everything(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = halo(2, 5).write(tmp_path / "a.trace")
    assert main(["inspect", str(file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ranks"] == 4
    assert found["messages"] == 4 * 5 * 4
    assert found["bytes"] == found["messages"] * 8192
    assert found["time_s"] == pytest.approx((5 * 10 * 3 + 2) * 1e-6)
    assert sum(found["pairs"]["bytes"]) == found["bytes"]
    assert len(found["per_rank"]["computed_s"]) == 4


def test_pictures_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    file = every_call(tmp_path / "a.trace") and tmp_path / "a.trace"
    assert main(["inspect", str(file), "-o", str(tmp_path / "out")]) == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    pictures = ("matrix", "calls", "ranks", "timeline", "sizes")
    assert names == {"inspection.json", *(f"{name}.png" for name in pictures)}
    assert all(path.stat().st_size > 1000 for path in (tmp_path / "out").glob("*.png"))


def test_the_excerpt_of_the_time_line_has_the_calls_of_its_time(tmp_path: Path) -> None:
    # Each step takes 10 calls of 3 us: 1 us inside, behind 2 us of computation.
    found = inspect(halo(2, 40).trace(tmp_path / "a.trace")).excerpt
    assert found is not None
    assert found.ranks == 4
    whole_s = 40 * 10 * 3e-6
    assert found.begin_s + found.end_s == pytest.approx(whole_s, rel=0.02)
    assert (found.end_s - found.begin_s) / whole_s == pytest.approx(60 / 400, rel=0.02)
    assert np.all(found.leave_s > found.begin_s) and np.all(found.enter_s < found.end_s)
    assert 4 * 60 <= len(found.rank) <= 4 * 64
    assert found.leave_s - found.enter_s == pytest.approx(1e-6)
    names = [list(KINDS)[kind] for kind in found.kind.tolist()]
    assert names.count("messages") == pytest.approx(8 * names.count("collectives"), abs=8 * 4)
    assert set(names) == {"messages", "waits and probes", "collectives"}


def test_a_program_without_messages_has_no_pictures_of_them(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    recording = Recording(300)
    for rank in range(300):
        recording.call(rank, "barrier", computed=US, inside=US)
    file = recording.write(tmp_path / "a.trace")
    assert main(["inspect", str(file), "-o", str(tmp_path / "out")]) == 0
    assert not (tmp_path / "out" / "matrix.png").exists()
    assert (tmp_path / "out" / "ranks.png").exists()


@pytest.mark.parametrize(
    ("library", "rules"),
    [("Open MPI v5.0.11", "openmpi"), ("MPICH Version: 5.0.2", "mpich"), ("Intel(R) MPI", "none")],
)
def test_the_comparison_takes_the_rules_of_the_recorded_library(
    library: str, rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recording = Recording(6)
    for rank in range(6):
        recording.call(rank, "bcast", [0, 1 << 20], computed=US, inside=US)
    file = recording.write(tmp_path / "a.trace", library=library)
    assert main(["inspect", str(file), "--check", "torus-m", "--json"]) == 0
    check = json.loads(capsys.readouterr().out)["check"]
    assert check["library"] == rules
    chosen = {"openmpi": "chain", "mpich": "binomial", "none": "binomial"}[rules]
    program = {"name": "trace", "trace": str(file), "computation": "wall", "bcast": chosen}
    run = tw.simulate({"machine": "torus-m", "program": program})
    assert isinstance(run, tw.Run)
    assert check["replayed_s"] == [run.time_s]
    assert main(["inspect", str(file), "--check", "torus-m"]) == 0
    assert (f'library = "{rules}"' in capsys.readouterr().err) == (rules != "none")


def test_a_replay_is_compared_with_the_recording_by_call_site(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file = halo(2, 5).write(tmp_path / "a.trace")
    command = ["inspect", str(file), "--check", "fattree-m", "--check", "torus-m"]
    assert main([*command, "--json"]) == 0
    check = json.loads(capsys.readouterr().out)["check"]
    assert check["machines"] == ["fattree-m", "torus-m"]
    run = tw.simulate(
        {
            "machine": "fattree-m",
            "program": {
                "name": "trace",
                "trace": str(file),
                "computation": "wall",
                "phases": "sites",
            },
        }
    )
    assert isinstance(run, tw.Run)
    assert check["replayed_s"][0] == run.time_s
    recording = inspect(read_trace(file))
    # Calls and the computation between them fill the time of the ranks, which end together.
    inside_s = sum(site["replayed_s"][0] for site in check["sites"])
    whole_s = inside_s + float(recording.per_rank.computed_s.sum())
    assert 0.9 * 4 * run.time_s < whole_s < 4 * run.time_s
    assert {site["call"] for site in check["sites"]} == {"irecv", "isend", "wait", "allreduce"}
    assert sum(site["recorded_s"] for site in check["sites"]) == pytest.approx(
        float(recording.per_rank.inside_s.sum())
    )
    assert main([*command, "-o", str(tmp_path / "out")]) == 0
    told = capsys.readouterr().out
    assert "recorded and replayed time" in told
    assert "torus-m: " in told
    assert main([*command, "--rank", "1"]) == 2
    assert "leave out --rank" in capsys.readouterr().err
    # A long path would be shortened in the message.
    monkeypatch.chdir(tmp_path)
    Path("other.trace").write_text("", encoding="utf-8")
    for machine, why in (
        ("nowhere", "unknown machine"),
        ("other.trace", "is a file, but no machine file, whose name ends in .toml"),
    ):
        assert main(["inspect", str(file), "--check", machine]) == 2
        told = capsys.readouterr().err.splitlines()
        assert [line[: line.index(";")] for line in told] == [
            f'error: machine: name = "{machine}": {why}'
        ]
