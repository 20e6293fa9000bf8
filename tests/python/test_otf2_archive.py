"""Archives of OTF2: what Score-P records of programs becomes their calls."""

from __future__ import annotations

import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from otf2_program import Program
from trace_cases import calls_of_rank

from tradewind.errors import TraceError
from tradewind.inspection.summary import inspect
from tradewind.trace_file import Trace, read_facts
from tradewind.trace_formats import otf2_archive, otf2_requests
from tradewind.trace_formats.collective_sizes import Collective, arguments_of, fits_two_sizes
from tradewind.trace_formats.otf2_archive import read_otf2
from tradewind.trace_formats.recognition import as_trace, read_any

pytest.importorskip("otf2")

_PS_PER_NS = 1000
_NO_ROOT = 2**32 - 1


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


def _archive(tmp_path: Path) -> Path:
    """Writes what Score-P would record of a program on 3 ranks."""
    program = Program(tmp_path / "scorep", 3)
    world, none = program.world, _NO_ROOT
    pair = program.comm("pair", [0, 2], world)
    for rank in range(3):
        right, left = (rank + 1) % 3, (rank - 1) % 3
        program.call(rank, "MPI_Init")
        program.call(rank, "MPI_Irecv", ("mpi_irecv_request", (10,)), before=200)
        program.call(rank, "MPI_Issend", ("mpi_isend", (right, world, 5, 1000, 20)))
        program.call(
            rank,
            "MPI_Waitall",
            ("mpi_irecv", (left, world, 5, 1000, 10)),
            ("mpi_isend_complete", (20,)),
        )
        program.call(rank, "MPI_Comm_rank")
        program.call(
            rank,
            "MPI_Sendrecv",
            ("mpi_send", (right, world, 6, 500)),
            ("mpi_recv", (left, world, 6, 500)),
        )
        program.collective(rank, "MPI_Barrier", "BARRIER", world, none, 0, 0)
        program.collective(rank, "MPI_Allreduce", "ALLREDUCE", world, none, 24, 24)
        # In place: the own block does not count.
        program.collective(rank, "MPI_Allreduce", "ALLREDUCE", world, none, 16, 16)
        sent = 3 * 64 if rank == 1 else 0
        program.collective(rank, "MPI_Bcast", "BCAST", world, 1, sent, 64)
        own = 8 * (rank + 1)
        program.collective(rank, "MPI_Allgatherv", "ALLGATHERV", world, none, 3 * own, 48)
        program.collective(rank, "MPI_Reduce_scatter", "REDUCE_SCATTER", world, none, 48, 3 * own)
        program.collective(rank, "MPI_Scan", "SCAN", world, none, 8 * (3 - rank), 8 * (rank + 1))
        received = 0 if rank else 48
        program.collective(rank, "MPI_Gatherv", "GATHERV", world, 0, own, received)
        if rank == 0:
            program.call(rank, "MPI_Send", ("mpi_send", (1, pair, 7, 77)))
        if rank == 2:
            program.call(rank, "MPI_Recv", ("mpi_recv", (0, pair, 7, 77)))
        program.call(rank, "MPI_Finalize")
    return program.close()


def test_an_archive_of_otf2_becomes_calls(tmp_path: Path) -> None:
    trace = read_any(_archive(tmp_path))
    assert calls_of_rank(trace, 0) == [
        ("MPI_Init", [], 0),
        ("MPI_Irecv", [2, 5, 1000, 0], 200 * _PS_PER_NS),
        ("MPI_Issend", [1, 5, 1000, 1], 100 * _PS_PER_NS),
        ("MPI_Waitall", [0, 1], 100 * _PS_PER_NS),
        # MPI_Comm_rank is no call of a trace; its time is computation.
        ("MPI_Sendrecv", [1, 6, 500, 2, 6, 500], 250 * _PS_PER_NS),
        ("MPI_Barrier", [], 100 * _PS_PER_NS),
        ("MPI_Allreduce", [8], 100 * _PS_PER_NS),
        ("MPI_Allreduce", [8], 100 * _PS_PER_NS),
        ("MPI_Bcast", [1, 64], 100 * _PS_PER_NS),
        ("MPI_Allgatherv", [8, 16, 24], 100 * _PS_PER_NS),
        ("MPI_Reduce_scatter", [8, 16, 24], 100 * _PS_PER_NS),
        ("MPI_Scan", [8], 100 * _PS_PER_NS),
        ("MPI_Gatherv", [0, 8, 8, 16, 24], 100 * _PS_PER_NS),
        ("MPI_Send", [1, 7, 77], 100 * _PS_PER_NS),
        ("MPI_Finalize", [], 100 * _PS_PER_NS),
    ]
    found = inspect(trace)
    assert not found.unmatched
    assert (0, 2) in set(
        zip(found.pairs.source.tolist(), found.pairs.destination.tolist(), strict=True)
    )
    assert found.per_rank.inside_s[0] == pytest.approx(50e-9 * 13)


@pytest.mark.parametrize("late_ns", [0, 2 * 10**9])
def test_clocks_of_an_archive_that_disagree_are_told(tmp_path: Path, late_ns: int) -> None:
    program = Program(tmp_path / "scorep", 2)
    for rank in range(2):
        program.call(rank, "MPI_Init", before=100 + late_ns * (1 - rank) + 1000 * rank)
        for tag in range(3):
            record = ("mpi_send", (1, program.world, tag, 8))
            if rank:
                record = ("mpi_recv", (0, program.world, tag, 8))
            program.call(rank, "MPI_Recv" if rank else "MPI_Send", record)
        program.call(rank, "MPI_Finalize")
    found = inspect(read_any(program.close()))
    assert not found.unmatched
    told = "the clocks of ranks disagree: 3 of 3 messages are received before they are sent, by up to 2 s"
    warnings = found.facts.get("warnings", [])
    assert [line.partition(";")[0] for line in warnings] == ([told] if late_ns else [])


def test_the_folder_of_an_archive_is_enough(tmp_path: Path) -> None:
    anchor = _archive(tmp_path)
    assert as_trace(anchor.parent) == as_trace(anchor)
    assert read_facts(as_trace(anchor))["converted_from"] == "OTF2"


@pytest.mark.parametrize(
    ("region", "operation", "values", "told"),
    [
        ("MPI_Alltoallv", "ALLTOALLV", (24, 24), "which rank"),
        ("MPI_Neighbor_alltoall", "ALLTOALL", (24, 24), "which rank"),
        ("MPI_Allgatherv", "ALLGATHERV", (7, 48), "do not add up"),
        ("MPI_Allreduce", "ALLREDUCE", (7, 7), "no blocks for 3 ranks"),
    ],
)
def test_collectives_that_otf2_does_not_describe_are_refused(
    tmp_path: Path, region: str, operation: str, values: tuple[int, int], told: str
) -> None:
    program = Program(tmp_path / "scorep", 3)
    for rank in range(3):
        program.collective(rank, region, operation, program.world, _NO_ROOT, *values)
    with pytest.raises(TraceError, match=told):
        read_any(program.close())


def test_a_damaged_archive_is_refused(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    anchor = _archive(tmp_path)
    (anchor.parent / "traces" / "1.evt").unlink()
    anchor.with_suffix(".def").write_bytes(b"nothing")
    with pytest.raises(TraceError, match="cannot be read as an archive of OTF2"):
        read_any(anchor)
    # The C library prints nothing of its own.
    assert capfd.readouterr() == ("", "")


def _names(trace: Trace, rank: int = 0) -> list[tuple[str, list[int]]]:
    """Returns the calls of a rank without times."""
    return [(name, arguments) for name, arguments, _ in calls_of_rank(trace, rank)]


def _warnings(trace: Trace) -> Sequence[str]:
    warnings = trace.facts.get("warnings", [])
    assert isinstance(warnings, list)
    return warnings


def test_the_world_that_is_created_in_init_is_no_call(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    for rank in range(2):
        program.collective(rank, "MPI_Init", "CREATE_HANDLE", program.world, _NO_ROOT, 0, 0)
        program.collective(rank, "MPI_Barrier", "BARRIER", program.world, _NO_ROOT, 0, 0)
        program.collective(rank, "MPI_Finalize", "DESTROY_HANDLE", program.world, _NO_ROOT, 0, 0)
    trace = read_any(program.close())
    assert _names(trace) == [("MPI_Init", []), ("MPI_Barrier", []), ("MPI_Finalize", [])]
    # Time begins where MPI_Init ends, and ends where MPI_Finalize begins.
    assert inspect(trace).to_dict()["time_s"] == pytest.approx(250e-9)


def test_communicators_are_made_and_freed(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    copy = program.comm("", range(2), program.world)
    for rank in range(2):
        created = (program.otf2.CollectiveOp.CREATE_HANDLE, program.world, _NO_ROOT, 0, 0)
        program.call(
            rank, "MPI_Comm_dup", ("comm_create", (copy,)), ("mpi_collective_end", created)
        )
        program.collective(rank, "MPI_Comm_free", "DESTROY_HANDLE", copy, _NO_ROOT, 0, 0)
    assert _names(read_any(program.close())) == [("MPI_Comm_create", [2]), ("MPI_Comm_free", [2])]


def test_messages_on_a_copy_of_the_world_match_only_there(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    copy = program.comm("", range(2), program.world)
    for comm in (program.world, copy):
        program.call(0, "MPI_Send", ("mpi_send", (1, comm, 3, 8)))
    for comm in (copy, program.world):
        program.call(1, "MPI_Recv", ("mpi_recv", (0, comm, 3, 8)))
    trace = read_any(program.close())
    calls = trace.calls
    found = {
        (calls[call], comm) for call, comm in trace.arrays["events"].reshape(-1, 6)[:, :2].tolist()
    }
    assert found == {("send", 0), ("send", 2), ("recv", 0), ("recv", 2)}


def test_every_rank_has_collectives_alone(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    alone = program.alone()
    for rank in range(2):
        size = 8 * (rank + 1)
        program.collective(rank, "MPI_Allgatherv", "ALLGATHERV", alone, _NO_ROOT, size, size)
        program.collective(rank, "MPI_Gatherv", "GATHERV", alone, 0, size, size)
    trace = read_any(program.close())
    for rank in range(2):
        size = 8 * (rank + 1)
        assert _names(trace, rank) == [
            ("MPI_Allgatherv", [size]),
            ("MPI_Gatherv", [0, size, size]),
        ]


def test_functions_named_like_calls_are_computation(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    for rank in range(2):
        program.function(rank, "mpi_exchange", is_entered=True)
        program.collective(rank, "MPI_Barrier", "BARRIER", program.world, _NO_ROOT, 0, 0)
        program.function(rank, "mpi_exchange", is_entered=False)
        program.call(rank, "MPI_Finalize")
    assert calls_of_rank(read_any(program.close()), 0) == [
        ("MPI_Barrier", [], 100 * _PS_PER_NS),
        ("MPI_Finalize", [], 200 * _PS_PER_NS),
    ]


def test_regions_may_have_names_with_parentheses(tmp_path: Path) -> None:
    program = Program(tmp_path / "tau", 2)
    program.call(0, "MPI_Ssend()", ("mpi_send", (1, program.world, 3, 8)))
    program.call(1, "MPI_Recv()", ("mpi_recv", (0, program.world, 3, 8)))
    assert _names(read_any(program.close())) == [("MPI_Ssend", [1, 3, 8])]


def test_regions_may_be_those_of_call_stacks(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2, has_stacks=True)
    for rank in range(2):
        program.call(rank, "MPI_Init")
        program.collective(rank, "MPI_Barrier", "BARRIER", program.world, _NO_ROOT, 0, 0)
    assert _names(read_any(program.close())) == [("MPI_Init", []), ("MPI_Barrier", [])]


def test_tests_that_find_nothing_are_waiting_time(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    for rank in range(2):
        other = 1 - rank
        program.call(rank, "MPI_Irecv", ("mpi_irecv_request", (1,)))
        program.call(rank, "MPI_Isend", ("mpi_isend", (other, program.world, 0, 8, 2)))
        for _ in range(10):
            program.call(rank, "MPI_Test", before=5)
        program.call(rank, "MPI_Test", ("mpi_irecv", (other, program.world, 0, 8, 1)), before=50)
        program.call(rank, "MPI_Wait", ("mpi_isend_complete", (2,)))
        program.call(rank, "MPI_Wait")
        program.call(rank, "MPI_Finalize")
    trace = read_any(program.close())
    assert calls_of_rank(trace, 0)[2:] == [
        ("MPI_Test or MPI_Waitany", [0], 100 * _PS_PER_NS),
        ("MPI_Wait", [1], 100 * _PS_PER_NS),
        ("MPI_Finalize", [], 200 * _PS_PER_NS),
    ]
    assert inspect(trace).timing == {"MPI_Test or MPI_Waitany": 2}
    (warning,) = _warnings(trace)
    assert warning.startswith("2 waits complete nothing of the archive")


def test_probes_are_kept_by_name(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    program.call(0, "MPI_Send", ("mpi_send", (1, program.world, 3, 8)))
    program.call(1, "MPI_Init")
    program.call(1, "MPI_Probe")
    program.call(1, "MPI_Iprobe", before=5)
    program.call(1, "MPI_Recv", ("mpi_recv", (0, program.world, 3, 8)))
    trace = read_any(program.close())
    assert [(name, time) for name, _, time in calls_of_rank(trace, 1)[1:]] == [
        ("MPI_Probe", 100 * _PS_PER_NS),
        ("MPI_Recv", 105 * _PS_PER_NS),
    ]
    assert inspect(trace).other == {"MPI_Probe": 1}


def test_persistent_receives_from_nobody_take_no_slots(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    for _ in range(100):
        for rank in range(2):
            # At rank 0 the first request receives from MPI_PROC_NULL: it is started only.
            send = ("mpi_isend", (1, program.world, 0, 8, 2))
            starts = [("mpi_irecv_request", (1,)), *([] if rank else [send])]
            program.call(rank, "MPI_Startall", *starts)
            ends = ("mpi_isend_complete", (2,))
            if rank:
                ends = ("mpi_irecv", (0, program.world, 0, 8, 1))
            program.call(rank, "MPI_Waitall", ends)
    trace = read_any(program.close())
    assert _names(trace) == [("MPI_Start (send)", [1, 0, 8, 0]), ("MPI_Wait", [0])] * 100
    assert len(trace.arrays["items"]) < 20
    assert not inspect(trace).unmatched


def test_a_freed_send_is_complete_at_the_end(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    program.call(0, "MPI_Isend", ("mpi_isend", (1, program.world, 0, 8, 2)))
    program.call(0, "MPI_Request_free")
    program.call(1, "MPI_Recv", ("mpi_recv", (0, program.world, 0, 8)))
    for rank in range(2):
        program.call(rank, "MPI_Finalize")
    assert _names(read_any(program.close())) == [
        ("MPI_Isend", [1, 0, 8, 0]),
        ("MPI_Wait", [0]),
        ("MPI_Finalize", []),
    ]


def test_a_copied_communicator_has_no_request(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    copy = program.comm("", range(2), program.world)
    for rank in range(2):
        program.call(rank, "MPI_Comm_idup", ("non_blocking_collective_request", (7,)))
        operation = program.otf2.CollectiveOp.CREATE_HANDLE
        end = (operation, program.world, _NO_ROOT, 0, 0, 7)
        program.call(
            rank,
            "MPI_Wait",
            ("comm_create", (copy,)),
            ("non_blocking_collective_complete", end),
        )
        program.call(rank, "MPI_Finalize")
    assert _names(read_any(program.close())) == [("MPI_Comm_create", [2]), ("MPI_Finalize", [])]


def test_nonblocking_messages_without_requests_do_not_block(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    for rank in range(2):
        other = 1 - rank
        program.call(rank, "MPI_Irecv")
        program.call(rank, "MPI_Isend", ("mpi_send", (other, program.world, 0, 10**6)))
        program.call(rank, "MPI_Waitall", ("mpi_recv", (other, program.world, 0, 10**6)))
    trace = read_any(program.close())
    assert _names(trace) == [
        ("MPI_Isend", [1, 0, 10**6, 0]),
        ("MPI_Irecv", [1, 0, 10**6, 1]),
        ("MPI_Waitall", [0, 1]),
    ]
    assert any("no requests of nonblocking messages" in line for line in _warnings(trace))


def test_time_in_which_buffers_are_written_is_left_out(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    for rank in range(2):
        # The record that finds its buffer full has its time before: so MPI_Init ends early.
        end = program.now(rank) + 110 + 10**9
        program.call(rank, "MPI_Init", ("buffer_flush", (end,)))
        program.pause(rank, 10**9, "measurement_on_off", program.otf2.MeasurementMode.OFF)
        program.call(rank, "MPI_Finalize")
    trace = read_any(program.close())
    # The first call has 40 ns of the 1 s between both.
    assert inspect(trace).to_dict()["time_s"] == pytest.approx(140e-9)
    flushed, paused = _warnings(trace)
    assert "written 2 times while the program ran; these 2 s" in flushed
    assert "off for a part of the program" in paused


def _walls(folder: Path, steps: int) -> Path:
    """Writes an archive of halos between walls: receives from MPI_PROC_NULL have requests of their own."""
    program = Program(folder, 2)
    world, request = program.world, 0
    for rank in range(2):
        program.call(rank, "MPI_Init")
    for _ in range(steps):
        request += 3
        for rank in range(2):
            program.call(rank, "MPI_Irecv", ("mpi_irecv_request", (request,)))
            program.call(rank, "MPI_Irecv", ("mpi_irecv_request", (request + 1,)))
            program.call(rank, "MPI_Isend", ("mpi_isend", (1 - rank, world, 0, 80, request + 2)))
            program.call(
                rank,
                "MPI_Waitall",
                ("mpi_irecv", (1 - rank, world, 0, 80, request + rank)),
                ("mpi_isend_complete", (request + 2,)),
            )
            program.collective(rank, "MPI_Allreduce", "ALLREDUCE", world, _NO_ROOT, 16, 16)
    for rank in range(2):
        program.call(rank, "MPI_Finalize")
    return program.close()


def test_memory_hardly_grows_with_the_calls_of_an_archive(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otf2_archive, "_MOST_PENDING", 100)
    monkeypatch.setattr(otf2_requests, "_MOST_RECENT", 100)
    peaks = []
    for steps in (100, 600, 3000):
        anchor = _walls(tmp_path / str(steps), steps)
        tracemalloc.start()
        read_otf2(anchor)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    # The first one has what is imported and compiled once. Between the others there are 24,000 calls.
    assert peaks[2] < peaks[1] + 500_000


def test_receives_that_match_nothing_are_the_same_whenever_that_is_known(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    walls = _walls(tmp_path / "walls", 50)
    others = Program(tmp_path / "others", 2)
    for rank in range(2):
        # The number of a send that is freed, or cancelled, is given to others.
        for freed in ((), ("mpi_request_cancelled", (1,)), ()):
            others.call(rank, "MPI_Isend", ("mpi_isend", (1 - rank, others.world, 0, 8, 1)))
            others.call(rank, "MPI_Cancel", *([freed] if freed else []))
        others.call(rank, "MPI_Irecv", ("mpi_irecv_request", (1,)))
        others.call(rank, "MPI_Irecv", ("mpi_irecv_request", (1,)))
        record = ("mpi_irecv", (1 - rank, others.world, 0, 8, 1))
        others.call(rank, "MPI_Wait", record)
        others.call(rank, "MPI_Finalize")
    for anchor in (walls, others.close()):
        found = []
        for most in (0, 7, 10**6):
            monkeypatch.setattr(otf2_archive, "_MOST_PENDING", most)
            arrays, facts = read_otf2(anchor)
            trace = Trace.of(arrays, facts)
            found.append([calls_of_rank(trace, rank) for rank in range(2)])
        assert found[0] == found[1] == found[2]
    assert [name for name, _, _ in found[0][0]] == [
        *("MPI_Isend", "MPI_Isend", "MPI_Wait", "MPI_Isend", "MPI_Irecv", "MPI_Wait"),
        # The first and the third send are never complete.
        *("MPI_Waitall", "MPI_Finalize"),
    ]


def _one_sided(program: Program) -> None:
    """Writes one-sided calls of rank 0 and a window of both ranks."""
    window = program.window()
    collective, lock = program.otf2.CollectiveOp, program.otf2.LockType
    process = program.otf2.RmaSyncLevel.PROCESS
    atomic = program.otf2.RmaAtomicType.FETCH_AND_ADD
    fence = ("rma_collective_end", (collective.BARRIER, process, window, _NO_ROOT, 0, 0))
    for rank in range(2):
        program.call(rank, "MPI_Win_create", ("rma_win_create", (window,)))
        program.call(rank, "MPI_Win_fence", ("rma_collective_begin", ()), fence)
    program.call(0, "MPI_Put", ("rma_put", (window, 1, 100, 1)))
    program.call(0, "MPI_Rget", ("rma_get", (window, 1, 50, 2)))
    program.call(0, "MPI_Wait", ("rma_op_complete_non_blocking", (window, 2)))
    program.call(0, "MPI_Win_lock", ("rma_request_lock", (window, 1, 0, lock.EXCLUSIVE)))
    program.call(0, "MPI_Fetch_and_op", ("rma_atomic", (window, 1, atomic, 4, 4, 3)))
    program.call(0, "MPI_Win_flush", ("rma_op_complete_remote", (window, 3)))
    program.call(0, "MPI_Win_unlock", ("rma_release_lock", (window, 1, 0)))
    everybody = 2**32 - 1
    program.call(0, "MPI_Win_lock_all", ("rma_request_lock", (window, everybody, 0, lock.SHARED)))
    program.call(0, "MPI_Win_unlock_all", ("rma_release_lock", (window, everybody, 0)))
    origin, none = program.group(1), program.otf2.RmaSyncLevel.NONE
    program.call(0, "MPI_Win_post", ("rma_group_sync", (process, window, origin)))
    program.call(0, "MPI_Win_test", ("rma_group_sync", (none, window, origin)))
    program.call(0, "MPI_Win_wait", ("rma_group_sync", (process, window, origin)))
    target = program.group(0)
    program.call(1, "MPI_Win_start", ("rma_group_sync", (process, window, target)))
    program.call(1, "MPI_Win_complete", ("rma_group_sync", (process, window, target)))
    for rank in range(2):
        program.call(rank, "MPI_Win_free", ("rma_win_destroy", (window,)))


def test_one_sided_calls_have_their_windows_and_targets(tmp_path: Path) -> None:
    program = Program(tmp_path / "scorep", 2)
    _one_sided(program)
    trace = read_any(program.close())
    assert _names(trace) == [
        ("MPI_Win_create", [0, 0]),
        ("MPI_Win_fence", [0]),
        ("MPI_Put", [0, 1, 100]),
        ("MPI_Rget", [0, 1, 50, 0]),
        ("MPI_Wait", [0]),
        ("MPI_Win_lock", [0, 1]),
        ("MPI_Accumulate", [0, 1, 4]),
        ("MPI_Win_flush", [0, 1]),
        ("MPI_Win_unlock", [0, 1]),
        ("MPI_Win_lock", [0, 0, 1]),
        ("MPI_Win_unlock", [0, 0, 1]),
        ("MPI_Win_post", [0, 1]),
        ("MPI_Win_wait", [0]),
        ("MPI_Win_free", [0]),
    ]
    assert _names(trace, 1)[2:4] == [("MPI_Win_start", [0, -1]), ("MPI_Win_complete", [0])]
    assert not inspect(trace).other
    lock = trace.calls.index("lock")
    events = trace.arrays["events"].reshape(-1, 6)
    # The first lock is exclusive.
    assert sorted(events[events[:, 0] == lock, 2].tolist()) == [0, 16]


def _parts(operation: str, sizes: Sequence[tuple[int, int]]) -> list[Collective]:
    return [
        Collective(operation, None, place, len(sizes), 0, sent, received)
        for place, (sent, received) in enumerate(sizes)
    ]


@pytest.mark.parametrize("ranks", range(2, 8))
@pytest.mark.parametrize("is_in_place", [False, True])
def test_a_scan_has_the_same_bytes_on_all_ranks(ranks: int, is_in_place: bool) -> None:
    less = int(is_in_place)
    sizes = [(24 * (ranks - at - less), 24 * (at + 1 - less)) for at in range(ranks)]
    parts = _parts("scan", sizes)
    assert [arguments_of(part, parts) for part in parts] == [[24]] * ranks


def test_collectives_that_may_be_in_place_are_told(tmp_path: Path) -> None:
    (first, *_) = _parts("allreduce", [(96, 96)] * 4)
    assert fits_two_sizes(first)
    assert arguments_of(first, [first]) == [24]
    program = Program(tmp_path / "scorep", 4)
    for rank in range(4):
        for size in (96, 24, 100):
            program.collective(
                rank, "MPI_Allreduce", "ALLREDUCE", program.world, _NO_ROOT, size, size
            )
    trace = read_any(program.close())
    # 24 bytes are three blocks of 8 in place, rather than four of 6.
    assert [arguments for _, arguments in _names(trace)] == [[24], [8], [25]]
    assert _warnings(trace)[0].startswith("2 collectives have bytes that fit two sizes of a block")


def test_an_alltoall_is_taken_as_not_in_place() -> None:
    (first, *_) = _parts("alltoall", [(120, 120)] * 4)
    assert arguments_of(first, [first]) == [30]


def test_definitions_that_the_package_cannot_read_are_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from otf2.definitions import Comm

    def fail(*_: Any) -> None:
        raise KeyError(6)

    anchor = _archive(tmp_path)
    monkeypatch.setattr(Comm, "_construct", fail)
    with pytest.raises(TraceError, match="communicators between two groups"):
        read_any(anchor)
    assert not capsys.readouterr().err
