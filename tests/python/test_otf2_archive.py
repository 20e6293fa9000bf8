"""Archives of OTF2: what Score-P records of programs becomes their calls."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from otf2_program import Program
from trace_cases import calls_of_rank

from tradewind.errors import TraceError
from tradewind.inspection.summary import inspect
from tradewind.trace_file import read_facts
from tradewind.trace_formats.collective_sizes import Collective, arguments_of
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
    pair = program.comm("pair", [0, 2])
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


def test_a_damaged_archive_is_refused(tmp_path: Path) -> None:
    anchor = _archive(tmp_path)
    (anchor.parent / "traces" / "1.evt").unlink()
    anchor.with_suffix(".def").write_bytes(b"nothing")
    with pytest.raises(TraceError, match="cannot be read as an archive of OTF2"):
        read_any(anchor)


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


def test_an_alltoall_is_taken_as_not_in_place() -> None:
    (first, *_) = _parts("alltoall", [(120, 120)] * 4)
    assert arguments_of(first, [first]) == [30]
