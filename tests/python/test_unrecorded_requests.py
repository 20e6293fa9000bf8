"""Requests that a trace cannot hold: calls on them are named, counted, and known by their time."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_programs import calls, needs_mpicc, recorded

from tradewind.inspection.summary import inspect
from tradewind.trace_file import Trace

pytestmark = needs_mpicc

SLEEP = "#include <unistd.h>"
# The sleep of rank 0 is 0.3 s.
LEAST_S = 0.25
BETWEEN = """
    MPI_Comm between;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, world, 1 - rank, 0, &between);
"""
# Each completes `requests[0]`, the only one of two.
COMPLETIONS = {
    "MPI_Wait": "MPI_Wait(requests, MPI_STATUS_IGNORE);",
    "MPI_Waitall": "MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);",
    "MPI_Waitany": "MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);",
    "MPI_Waitsome": "MPI_Waitsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);",
    "MPI_Test": "while (!done) MPI_Test(requests, &done, MPI_STATUS_IGNORE);",
    "MPI_Testall": "while (!done) MPI_Testall(2, requests, &done, MPI_STATUSES_IGNORE);",
    "MPI_Testany": "while (!done) MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE);",
    "MPI_Testsome": (
        "while (!done) MPI_Testsome(2, requests, &done, indices, MPI_STATUSES_IGNORE);"
    ),
}


def told(trace: Trace) -> list[str]:
    """Returns the lines about calls that are not recorded."""
    return [line for line in trace.facts["warnings"] if line.startswith("not recorded")]


def seconds(trace: Trace, rank: int) -> dict[str, float]:
    """Returns the time of a rank in its calls, by name."""
    return {row.call: row.time_s for row in inspect(trace, rank).by_call}


def test_waits_for_messages_of_intercommunicators_are_named_with_their_time(tmp_path: Path) -> None:
    turns = [
        f"""
        MPI_Barrier(world);
        if (rank == 0) {{
            usleep(300000);
            MPI_Send(out, 8, MPI_CHAR, 0, 1, between);
        }} else {{
            int done = 0, index, indices[2];
            MPI_Request requests[2] = {{MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
            (void)done; (void)index; (void)indices;
            MPI_Irecv(in, 8, MPI_CHAR, 0, 1, between, requests);
            {completion}
        }}"""
        for completion in COMPLETIONS.values()
    ]
    trace = recorded(tmp_path, BETWEEN + "".join(turns), head=SLEEP)
    counted = ", ".join(f"{name} (1)" for name in sorted(COMPLETIONS))
    assert told(trace) == [
        "not recorded but as time: 16 calls on intercommunicators",
        f"not recorded but as time: {counted} of requests whose start is not recorded",
    ]
    found = inspect(trace, 1)
    assert found.other == {"MPI_Irecv": 8, **dict.fromkeys(COMPLETIONS, 1)}
    times = {row.call: row.time_s for row in found.by_call}
    assert min(times[name] for name in COMPLETIONS) > LEAST_S, times
    assert found.per_rank.share[1] > 0.8


@pytest.mark.parametrize("name", ["MPI_Wait", "MPI_Waitall", "MPI_Waitsome"])
def test_waits_that_return_an_error_are_named_with_their_time(tmp_path: Path, name: str) -> None:
    body = f"""{BETWEEN}
        MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
        MPI_Comm_set_errhandler(between, MPI_ERRORS_RETURN);
        MPI_Barrier(world);
        if (rank == 0) {{
            usleep(300000);
            MPI_Send(out, 8, MPI_CHAR, 0, 1, between);
        }} else {{
            int done = 0, indices[2];
            MPI_Request requests[2] = {{MPI_REQUEST_NULL, MPI_REQUEST_NULL}};
            (void)done; (void)indices;
            MPI_Irecv(in, 4, MPI_CHAR, 0, 1, between, requests);
            {COMPLETIONS[name]}
        }}"""
    trace = recorded(tmp_path, body, head=SLEEP)
    assert seconds(trace, 1).get(name, 0) > LEAST_S, told(trace)


def test_partitioned_messages_are_named_with_their_time(tmp_path: Path) -> None:
    body = """
    MPI_Request requests[2];
    MPI_Psend_init(out, 2, 8, MPI_CHAR, right, 0, world, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(in, 2, 8, MPI_CHAR, left, 0, world, MPI_INFO_NULL, &requests[1]);
    MPI_Startall(2, requests);
    if (rank == 0) usleep(300000);
    for (int i = 0; i < 2; ++i) MPI_Pready(i, requests[0]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    """
    trace = recorded(tmp_path, body, head=SLEEP)
    assert told(trace) == [
        "not recorded but as time: MPI_Pready (4), MPI_Precv_init (2), MPI_Psend_init (2)",
        "not recorded but as time: MPI_Request_free (4), MPI_Startall (2), MPI_Waitall (2) "
        "of requests whose start is not recorded",
    ]
    assert seconds(trace, 1)["MPI_Waitall"] > LEAST_S
    assert inspect(trace).per_rank.share[1] > 0.8


def test_a_wait_for_some_recorded_requests_completes_these(tmp_path: Path) -> None:
    body = f"""
    {BETWEEN}
    MPI_Request requests[3];
    MPI_Irecv(in, 8, MPI_CHAR, 0, 1, between, &requests[0]);
    MPI_Irecv(in + 8, 8, MPI_CHAR, 1 - rank, 1, world, &requests[1]);
    MPI_Isend(out, 8, MPI_CHAR, 1 - rank, 1, world, &requests[2]);
    if (rank == 0) usleep(300000);
    MPI_Send(out, 8, MPI_CHAR, 0, 1, between);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    """
    trace = recorded(tmp_path, body, head=SLEEP)
    assert told(trace) == ["not recorded but as time: 4 calls on intercommunicators"]
    made = [call for call in calls(trace, 1) if call.name not in ("comm_create", "other")]
    assert [str(call) for call in made] == ["recv(-1, 1, 8, 0)", "send(-1, 1, 8, 1)", "wait(0, 1)"]
    assert seconds(trace, 1)["MPI_Waitall"] > LEAST_S


def test_generalized_and_cancelled_requests_are_named(tmp_path: Path) -> None:
    head = """
    static int query(void* state, MPI_Status* status) {
        MPI_Status_set_elements(status, MPI_BYTE, 0);
        MPI_Status_set_cancelled(status, 0);
        return MPI_SUCCESS;
    }
    static int end(void* state) { return MPI_SUCCESS; }
    static int cancel(void* state, int is_complete) { return MPI_SUCCESS; }
    """
    body = f"""
    {BETWEEN}
    MPI_Request request;
    MPI_Grequest_start(query, end, cancel, NULL, &request);
    MPI_Grequest_complete(request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 8, MPI_CHAR, 0, 9, between, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send_init(out, 8, MPI_CHAR, 0, 1, between, &request);
    MPI_Start(&request);
    MPI_Recv(in, 8, MPI_CHAR, 0, 1, between, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    """
    assert told(recorded(tmp_path, body, head=head)) == [
        "not recorded but as time: 6 calls on intercommunicators",
        "not recorded but as time: MPI_Cancel (2), MPI_Request_free (2), MPI_Start (2), "
        "MPI_Wait (6) of requests whose start is not recorded",
    ]


def test_matched_probes_of_intercommunicators_are_no_receives(tmp_path: Path) -> None:
    body = f"""
    {BETWEEN}
    MPI_Message message;
    MPI_Request request;
    for (int i = 0; i < 2; ++i) MPI_Send(out, 8, MPI_CHAR, 0, i, between);
    MPI_Mprobe(0, 0, between, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 8, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 1, between, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 8, MPI_CHAR, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    """
    trace = recorded(tmp_path, body)
    assert {call.name for call in calls(trace, 0)} == {"comm_create", "other"}
    assert told(trace) == [
        "not recorded but as time: 12 calls on intercommunicators",
        "not recorded but as time: MPI_Wait (2) of requests whose start is not recorded",
    ]


def test_requests_from_before_recording_are_named_and_idle_ones_are_not(tmp_path: Path) -> None:
    body = """
    MPI_Request requests[3] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Send_init(out, 8, MPI_CHAR, right, 3, world, &requests[0]);
    MPI_Recv_init(in, 8, MPI_CHAR, left, 3, world, &requests[1]);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Pcontrol(0);
    MPI_Startall(2, requests);
    MPI_Pcontrol(1);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Startall(2, requests);
    MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
    """
    trace = recorded(tmp_path, body)
    assert told(trace) == [
        "not recorded but as time: MPI_Waitall (2) of requests whose start is not recorded"
    ]
    assert [str(call) for call in calls(trace, 0)[1:]] == [
        "send(1, 3, 8, 0)",
        "recv(1, 3, 8, 1)",
        "wait(0, 1)",
    ]


@pytest.mark.parametrize("name", ["MPI_Comm_idup", "MPI_Ibarrier"])
def test_waits_for_calls_without_messages_are_known_by_their_time(
    tmp_path: Path, name: str
) -> None:
    start = {
        "MPI_Comm_idup": "MPI_Comm made; MPI_Comm_idup(world, &made, &request);",
        "MPI_Ibarrier": f"{BETWEEN} MPI_Ibarrier(between, &request);",
    }
    body = f"""
    MPI_Request request;
    MPI_Barrier(world);
    if (rank == 0) usleep(300000);
    {start[name]}
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    """
    trace = recorded(tmp_path, body, head=SLEEP)
    assert "MPI_Wait (2) of requests" in told(trace)[-1]
    assert inspect(trace).per_rank.share[1] > 0.8
