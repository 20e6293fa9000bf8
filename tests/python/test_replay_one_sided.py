"""Replay of one-sided calls and nonblocking collectives: programs recorded on real MPI, and times by hand."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import needs_mpi
from recorded_programs import calls, mpiexec, needs_mpicc, recorded
from recorded_programs import record as record_c
from recordings import Recording, save
from test_replay import RANKS, Table, as_experiment, record, replayed, summary

import tradewind as tw
from tradewind import mpi
from tradewind.errors import DeadlockError
from tradewind.trace_file import read_trace

NONBLOCKING, EXCLUSIVE = 4, 16
# LogGOPS in picoseconds, on an analytic network: overhead, latency, time per byte, a control message.
OVER, LATENCY, PER_BYTE = 1_500_000, 2_500_000, 6000
CONTROL = LATENCY + 63 * PER_BYTE
LOGGOPS: Table = {
    "topology": {"name": "star", "nodes": 16},
    "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
    "nic": {"gap": "1 us"},
    "message": {
        "latency": "2500 ns",
        "gap_per_byte": "6 ns/B",
        "overhead_send": "1500 ns",
        "overhead_receive": "1500 ns",
        "eager_limit": "65535 B",
        "control_size": "64 B",
    },
}

WINDOW = """
    MPI_Win window;
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, world, &window);
"""
FREE = "MPI_Win_free(&window);"
FENCE = """
    MPI_Win_fence(0, window);
    MPI_Put(out, 5000, MPI_CHAR, right, 0, 5000, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Get(out, 3000, MPI_CHAR, left, 0, 3000, MPI_CHAR, window);
    MPI_Win_fence(0, window);
"""
# Even ranks put into the memory of the next ones.
POST_START = """
    MPI_Group all, other;
    MPI_Comm_group(world, &all);
    const int partner = rank ^ 1;
    MPI_Group_incl(all, 1, &partner, &other);
    if (rank % 2) {
        MPI_Win_post(other, 0, window);
        MPI_Win_wait(window);
    } else {
        MPI_Win_start(other, 0, window);
        MPI_Put(out, 5000, MPI_CHAR, partner, 0, 5000, MPI_CHAR, window);
        MPI_Win_complete(window);
    }
"""
LOCKS = """
    if (rank % 2) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, rank - 1, 0, window);
        MPI_Accumulate(out, 100, MPI_INT, rank - 1, 0, 100, MPI_INT, MPI_SUM, window);
        MPI_Win_flush(rank - 1, window);
        MPI_Get(out + 4096, 3000, MPI_CHAR, rank - 1, 0, 3000, MPI_CHAR, window);
        MPI_Win_unlock(rank - 1, window);
    }
"""
# All ranks take the same exclusive lock of rank 0.
QUEUE = """
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window);
    MPI_Put(out, 8, MPI_CHAR, 0, 8 * rank, 8, MPI_CHAR, window);
    MPI_Win_unlock(0, window);
"""
OVERLAP = """
    MPI_Request requests[2];
    MPI_Ibarrier(world, &requests[0]);
    MPI_Iallreduce(out, in, 1000, MPI_DOUBLE, MPI_SUM, world, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
"""


def flight(size: int) -> int:
    return LATENCY + (size - 1) * PER_BYTE


def barrier(ranks: int) -> int:
    """The time of a dissemination barrier whose ranks begin together."""
    return (ranks - 1).bit_length() * (2 * OVER + CONTROL)


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


def loggops(path: Path, **settings: Any) -> tw.Run:
    """Replays a trace without computation on the analytic network."""
    run = tw.simulate(
        {
            "machine": LOGGOPS,
            "simulation": {"network": "analytic"},
            "program": {"name": "trace", "trace": str(path), "computation": "none", **settings},
        }
    )
    assert isinstance(run, tw.Run)
    return run


PROGRAMS: dict[str, tuple[str, int, int, int]] = {
    # Name: body, ranks, messages, picoseconds.
    "fence": (
        FENCE,
        4,
        8 + 3 * 4 * 2,
        3 * barrier(4) + OVER + flight(5000) + CONTROL + OVER + CONTROL + flight(3000),
    ),
    "post and start": (
        POST_START,
        6,
        3,
        OVER + CONTROL + OVER + flight(5000) + CONTROL + OVER + CONTROL,
    ),
    "lock and flush": (
        LOCKS,
        4,
        4,
        OVER + 2 * CONTROL + OVER + flight(400) + CONTROL + OVER + CONTROL + flight(3000) + OVER,
    ),
}


@needs_mpi
@needs_mpicc
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recorded_program_takes_the_time_of_its_messages(name: str, tmp_path: Path) -> None:
    body, ranks, messages, picoseconds = PROGRAMS[name]
    recorded(tmp_path, WINDOW + body + FREE, ranks)
    run = loggops(tmp_path / "made.trace")
    assert run.counts["messages"] == messages
    assert round(run.time_s * 1e12) == picoseconds


@needs_mpi
@needs_mpicc
def test_exclusive_locks_are_recorded_and_held_one_after_the_other(tmp_path: Path) -> None:
    trace = recorded(tmp_path, WINDOW + QUEUE + FREE, 4)
    assert [call.flags for call in calls(trace, 2) if call.name == "lock"] == [EXCLUSIVE]
    # Each rank but the last one to get it holds the lock from its grant to the arrival of its unlock.
    hold = CONTROL + OVER + flight(8) + CONTROL + OVER + CONTROL
    run = loggops(tmp_path / "made.trace")
    assert run.time_s * 1e12 > 3 * hold
    assert run.counts["messages"] == 4


@needs_mpi
@needs_mpicc
def test_checks_that_a_program_leaves_out_send_nothing(tmp_path: Path) -> None:
    body = """
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    MPI_Put(out, 1000, MPI_CHAR, right, 0, 1000, MPI_CHAR, window);
    MPI_Win_flush_all(window);
    MPI_Win_unlock_all(window);
    """
    recorded(tmp_path, WINDOW + body + FREE, 4)
    run = loggops(tmp_path / "made.trace")
    assert round(run.time_s * 1e12) == OVER + flight(1000) + CONTROL


@needs_mpi
@needs_mpicc
def test_nonblocking_collectives_of_a_recorded_program_run_side_by_side(tmp_path: Path) -> None:
    recorded(tmp_path, OVERLAP, 4)
    run = loggops(tmp_path / "made.trace", allreduce="recursive_k:radix=2")
    round_ = 2 * OVER + flight(8000)
    # The allreduce begins behind the first message of the barrier, and is the longer one.
    assert run.counts["messages"] == 2 * 4 * 2
    assert 2 * round_ <= round(run.time_s * 1e12) <= 2 * round_ + barrier(4)


# Exchanges in which a rank has a block for itself, and as its own neighbour on a ring of one rank.
OWN_BLOCKS = [
    "MPI_Alltoall(out, 40, MPI_INT, in, 40, MPI_INT, world)",
    "MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, in, 40, MPI_INT, world)",
    "MPI_Alltoallv(out, counts, places, MPI_INT, in, counts, places, MPI_INT, world)",
    "MPI_Alltoallw(out, counts, places, types, in, counts, places, types, world)",
    "MPI_Neighbor_allgather(out, 40, MPI_INT, in, 40, MPI_INT, grid)",
    "MPI_Neighbor_alltoall(out, 40, MPI_INT, in, 40, MPI_INT, grid)",
    "MPI_Neighbor_alltoallv(out, same, places, MPI_INT, in, same, places, MPI_INT, grid)",
]
OWN_BLOCKS_BEFORE = """
    int counts[3], same[4] = {3, 3, 5, 5}, places[4] = {0, 64, 128, 192};
    for (int i = 0; i < 3; ++i) counts[i] = 10 * (rank + i + 1);
    MPI_Datatype types[3] = {MPI_INT, MPI_INT, MPI_INT};
    MPI_Comm grid;
    MPI_Cart_create(world, 2, (int[]){1, 3}, (int[]){1, 1}, 0, &grid);
    MPI_Request request;
"""


def in_form(call: str, form: str) -> str:
    """Writes a collective as a blocking, nonblocking or persistent call."""
    name, _, rest = call.removeprefix("MPI_").partition("(")
    wait = "MPI_Wait(&request, MPI_STATUS_IGNORE);"
    if form == "nonblocking":
        return f"MPI_I{name.lower()}({rest[:-1]}, &request); {wait}"
    if form == "persistent":
        start = f"MPI_{name}_init({rest[:-1]}, MPI_INFO_NULL, &request); MPI_Start(&request);"
        return f"{start} {wait} MPI_Request_free(&request);"
    return f"{call};"


@needs_mpi
@needs_mpicc
def test_own_blocks_are_no_messages_in_any_form_of_recorded_calls(tmp_path: Path) -> None:
    counted = {}
    for form in ("blocking", "nonblocking", "persistent"):
        folder = tmp_path / form
        folder.mkdir()
        lines = "\n".join(in_form(call, form) for call in OWN_BLOCKS)
        recorded(folder, OWN_BLOCKS_BEFORE + lines, 3)
        run = loggops(folder / "made.trace")
        counted[form] = run.counts["messages"], run.counts["bytes"]
    assert counted["nonblocking"] == counted["persistent"] == counted["blocking"]
    # Each rank sends to the two others.
    assert counted["blocking"][0] == 6 * len(OWN_BLOCKS)


def test_a_program_that_never_posts_is_a_named_deadlock(tmp_path: Path) -> None:
    recording = Recording(2)
    for rank in range(2):
        recording.call(rank, "win_create", [0, 64])
    recording.call(0, "start", [0, 1])
    path = save(recording.trace(), tmp_path / "a.trace")
    with pytest.raises(DeadlockError, match="rank 0 waits for the post of a window by rank 1"):
        loggops(path)


def mixture(ranks: int) -> Recording:
    """A program with all kinds of one-sided calls, and nonblocking collectives, whose ranks are not alike."""
    recording = Recording(ranks)
    for rank in range(ranks):
        right = (rank + 1) % ranks - rank
        recording.call(rank, "win_create", [0, 1 << 20])
        for turn in range(3):
            recording.call(rank, "fence", [0])
            recording.call(rank, "accumulate", [0, right, 1000 * (rank + 1)])
            recording.call(rank, "allreduce", [80000, 0], flags=NONBLOCKING)
            recording.call(rank, "get", [0, right, 200000])
            recording.call(rank, "fence", [0], computed=1e-6 * rank)
            recording.call(rank, "lock", [0, -rank], flags=EXCLUSIVE)
            recording.call(rank, "put", [0, -rank, 70000])
            recording.call(rank, "unlock", [0, -rank])
            recording.call(rank, "wait", [0])
            recording.call(rank, "put_signal", [0, right, 30000, 5, 0], flags=NONBLOCKING)
            recording.call(rank, "wait_signal", [0, 5, turn + 1])
            recording.call(rank, "wait", [0])
    return recording


@needs_mpi
def test_processes_that_share_a_replay_get_the_times_of_one(tmp_path: Path) -> None:
    save(mixture(16).trace(), tmp_path / "a.trace")
    file = tmp_path / "a.toml"
    file.write_text(
        """
[machine.topology]
name = "torus"
extents = [4, 4]
nodes_per_switch = 1
[machine.link]
bandwidth = "10 GB/s"
latency = "100 ns"
[program]
name = "trace"
trace = "a.trace"
""",
        encoding="utf-8",
    )
    done = subprocess.run(
        [*mpiexec(2, sys.executable), "-m", "tradewind", "simulate", str(file), "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    alone = tw.simulate(file)
    assert isinstance(alone, tw.Run)
    assert alone.hash in done.stdout


# Exchanges by puts, without computation but the copies out of windows.
BY_PUTS: list[Table] = [
    {"kind": "alltoallv", "bytes": 2000, "algorithm": "ring_k", "transport": "puts"},
    {"kind": "alltoallv", "bytes": 90000, "algorithm": "pairwise", "transport": "puts"},
    {"kind": "allreduce", "bytes": 4096, "algorithm": "ring", "transport": "puts"},
]
# Memory that copies at once, as far as whole picoseconds allow.
FAST_MEMORY: Table = {"name": "fattree-m", "node": {"memory_bandwidth": "1000000 TB/s"}}


@needs_mpi
@needs_mpicc
def test_exchanges_by_puts_replay_to_the_same_messages_and_time(tmp_path: Path) -> None:
    experiment = as_experiment(BY_PUTS)
    for phase in experiment["phase"]:
        algorithm = phase[phase["kind"]]
        phase[phase["kind"]] = {"algorithm": algorithm, "transport": phase.pop("transport")}
    direct = tw.simulate({"machine": FAST_MEMORY, "program": experiment})
    trace = str(record(BY_PUTS, tmp_path))
    program = {"name": "trace", "trace": trace, "computation": "none"}
    again = tw.simulate({"machine": FAST_MEMORY, "program": program})
    assert summary(again)[1:] == summary(direct)[1:]
    # A copy takes a picosecond in the program, and nothing in a replay without computation.
    copies = direct.counts["messages"] / RANKS
    assert 0 <= round((direct.time_s - again.time_s) * 1e12) <= copies
    names = {call.name for call in calls(read_trace(Path(trace)), 0)}
    assert names == {"put_signal", "wait_signal", "wait"}


@needs_mpi
@needs_mpicc
def test_a_model_by_puts_sends_the_messages_that_it_sends_otherwise_and_go_aheads(
    tmp_path: Path,
) -> None:
    counts = {}
    for exchange in ("synchronous", "puts"):
        folder = tmp_path / exchange
        folder.mkdir()
        settings = ["ne=4", "steps=2", f"exchange={exchange}"]
        done = record_c(folder, *mpiexec(8, str(mpi.find().program), "run", "homme", *settings))
        assert done.returncode == 0, done.stderr
        program = {"name": "homme", "ranks": 8, "ne": 4, "steps": 2, "exchange": exchange}
        direct = tw.simulate({"machine": "fattree-m", "program": program})
        counts[exchange] = (replayed(folder / "made.trace").counts, direct.counts)
    # A run on MPI also sends sums and fields at the end, the same for both exchanges.
    for key in ("messages", "bytes"):
        more = [counts["puts"][of][key] - counts["synchronous"][of][key] for of in (0, 1)]
        assert more[0] == more[1] > 0
