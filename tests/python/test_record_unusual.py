"""Programs that end requests, make communicators or call MPI_Pcontrol in ways that few do."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_programs import (
    NO_PEER,
    Call,
    calls,
    compiled,
    launched,
    needs_mpicc,
    record,
    recorded,
)

import tradewind as tw
from tradewind.inspection.summary import inspect
from tradewind.trace_file import Trace, read_trace

pytestmark = needs_mpicc

LAPTOP = {"name": "laptop"}


def replayed(trace: Path, **program: object) -> tw.Run:
    """Simulates a recording."""
    named = {"name": "trace", "trace": str(trace), **program}
    return tw.simulate({"machine": LAPTOP, "program": named})


def named(trace: Trace, rank: int, *names: str) -> list[Call]:
    """Returns the calls of a rank with some names."""
    return [call for call in calls(trace, rank) if call.name in names]


@pytest.mark.parametrize("name", ["(char*)8", "NULL", '""'])
def test_the_second_level_of_control_needs_no_name(tmp_path: Path, name: str) -> None:
    # Programs that give 2 alone leave anything in the place of a name.
    body = f'MPI_Pcontrol(2, {name}); MPI_Barrier(world); MPI_Pcontrol(2, "solver");'
    trace = recorded(tmp_path, body)
    assert [call.name for call in calls(trace, 0)] == ["barrier", "region"]
    assert trace.facts["complete"] is True


@pytest.mark.parametrize("source", ["MPI_ANY_SOURCE", "left"])
@pytest.mark.parametrize("start", ["Irecv", "Recv_init"])
def test_a_receive_that_was_cancelled_may_be_freed(tmp_path: Path, source: str, start: str) -> None:
    exchange = "MPI_Sendrecv(out, 100, MPI_BYTE, right, 1, in, 100, MPI_BYTE, left, 1, world, MPI_STATUS_IGNORE);"
    begin = "MPI_Start(&request);" if start == "Recv_init" else ""
    body = f"""
    MPI_Request request;
    MPI_{start}(in + 200, 64, MPI_BYTE, {source}, 9, world, &request); {begin}
    {exchange}
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    {exchange}
    """
    trace = recorded(tmp_path, body)
    assert trace.facts["complete"] is True
    assert [call.name for call in calls(trace, 0)] == ["recv", "sendrecv", "wait", "sendrecv"]
    assert calls(trace, 0)[0].arguments[0] == NO_PEER
    assert replayed(tmp_path / "made.trace").counts["messages"] == 4


def test_a_receive_that_a_request_for_its_status_completes_may_be_freed(tmp_path: Path) -> None:
    body = """
    int done = 0;
    MPI_Request request;
    MPI_Status status;
    if (rank == 0) MPI_Send(out, 8, MPI_BYTE, 1, 1, world);
    if (rank == 1) {
        MPI_Irecv(in, 4096, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
        while (!done) MPI_Request_get_status(request, &done, &status);
        MPI_Request_free(&request);
    }
    MPI_Barrier(world);
    """
    trace = recorded(tmp_path, body)
    assert [call.name for call in calls(trace, 1)] == ["recv", "wait", "barrier"]
    assert calls(trace, 1)[0].arguments[:3] == (-1, 1, 8)
    assert replayed(tmp_path / "made.trace").time_s > 0


def test_requests_that_an_error_has_ended_are_not_those_of_later_calls(tmp_path: Path) -> None:
    body = """
    MPI_Request requests[2];
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    for (int i = 0; i < 3; ++i) {
        const int size = i == 0 ? 10 : 4096, tag = i == 0 ? 2 : 7;
        MPI_Irecv(in, size, MPI_BYTE, left, tag, world, &requests[0]);
        MPI_Isend(out, 100, MPI_BYTE, right, tag, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    """
    trace = recorded(tmp_path, body)
    received = [call.arguments[1:3] for call in named(trace, 0, "recv")]
    assert [tag for tag, _ in received] == [2, 7, 7]
    assert [size for _, size in received[1:]] == [100, 100]
    # A library may leave the send open, and have one handle for all sends that are complete.
    ended = [call.arguments for call in named(trace, 0, "wait")]
    assert [len(slots) for slots in ended[1:3]] == [2, 2]
    for call, slots in zip(named(trace, 0, "recv"), ended, strict=False):
        assert call.arguments[-1] in slots


def test_a_persistent_receive_that_an_error_has_ended_may_start_again(tmp_path: Path) -> None:
    body = """
    MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
    MPI_Request requests[1];
    MPI_Recv_init(in, 50, MPI_BYTE, left, 3, world, &requests[0]);
    for (int i = 0; i < 3; ++i) {
        MPI_Start(&requests[0]);
        MPI_Send(out, i == 0 ? 100 : 40, MPI_BYTE, right, 3, world);
        MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    """
    trace = recorded(tmp_path, body)
    received = [call.arguments[1:3] for call in named(trace, 0, "recv")]
    assert [tag for tag, _ in received] == [3, 3, 3]
    assert [size for _, size in received[1:]] == [40, 40]
    assert len(named(trace, 0, "wait")) == 3


def test_what_a_program_gets_is_among_its_messages(tmp_path: Path) -> None:
    body = """
    MPI_Win window;
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, world, &window);
    MPI_Win_fence(0, window);
    for (int i = 0; i < 3; ++i) MPI_Get(out, 1000, MPI_BYTE, right, 0, 1000, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
    """
    done = record(tmp_path, *launched(2, str(compiled(tmp_path, body))))
    assert "6 messages with 6000 bytes" in done.stderr
    pairs = inspect(read_trace(tmp_path / "made.trace")).pairs
    assert (pairs.messages.sum(), pairs.bytes.sum()) == (6, 6000)


@pytest.mark.parametrize("ranks", [1, 2, 3])
def test_blocks_of_neighbors_on_a_small_circle_arrive_from_the_other_side(
    tmp_path: Path, ranks: int
) -> None:
    body = """
    MPI_Comm circle;
    const int is_periodic = 1, starts[2] = {0, 10000};
    const int sent[2] = {4000, 8000}, received[2] = {8000, 4000};
    MPI_Cart_create(world, 1, &size, &is_periodic, 0, &circle);
    MPI_Neighbor_alltoallv(out, sent, starts, MPI_BYTE, in, received, starts, MPI_BYTE, circle);
    """
    recorded(tmp_path, body, ranks)
    assert replayed(tmp_path / "made.trace").time_s > 0


def test_communicators_may_be_started_in_other_orders_on_other_ranks(tmp_path: Path) -> None:
    body = """
    MPI_Comm from[2], made[2];
    MPI_Request requests[2];
    for (int i = 0; i < 2; ++i) MPI_Comm_dup(world, &from[i]);
    for (int i = 0; i < 2; ++i) {
        const int one = i ^ rank;
        MPI_Comm_idup(from[one], &made[one], &requests[i]);
    }
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    for (int i = 0; i < 2; ++i) {
        const int bytes = 1000 * (i + 1);
        if (rank == 0) MPI_Send(out, bytes, MPI_BYTE, 1, 5, made[i]);
        if (rank == 1) MPI_Recv(in, bytes, MPI_BYTE, 0, 5, made[i], MPI_STATUS_IGNORE);
    }
    """
    trace = recorded(tmp_path, body)
    (sent, received) = (named(trace, rank, name) for rank, name in ((0, "send"), (1, "recv")))
    assert [call.comm for call in sent] == [call.comm for call in received]
    assert not inspect(trace).unmatched
    assert replayed(tmp_path / "made.trace").counts["messages"] == 2


def test_the_program_itself_is_no_output(tmp_path: Path) -> None:
    program = compiled(tmp_path, "")
    before = program.read_bytes()
    done = record(tmp_path, *launched(2, str(program)), options=["-o", str(program)])
    assert done.returncode == 2
    assert "program: is read, as " in done.stderr
    assert program.read_bytes() == before
