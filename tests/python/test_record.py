"""Recordings of each kind of call."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from recorded_programs import (
    NO_PEER,
    NONBLOCKING,
    PERSISTENT,
    TIMING,
    WILDCARD,
    Call,
    calls,
    compiled,
    launched,
    mpiexec,
    needs_mpicc,
    record,
    recorded,
)

from tradewind.inspection.summary import inspect
from tradewind.trace.record import collect
from tradewind.trace_file import Trace, read_trace

pytestmark = needs_mpicc


def texts(trace: Trace, rank: int = 0) -> list[str]:
    return [str(call) for call in calls(trace, rank)]


def test_each_call_of_a_ring_is_recorded_with_its_place(tmp_path: Path) -> None:
    body = """for (int step = 0; step < 50; ++step) {
        MPI_Request requests[2];
        MPI_Irecv(in, 100, MPI_DOUBLE, left, 7, world, &requests[0]);
        MPI_Isend(out, 100, MPI_DOUBLE, right, 7, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }"""
    trace = recorded(tmp_path, body, ranks=3)
    for rank in range(3):
        right, left = (rank + 1) % 3 - rank, (rank - 1) % 3 - rank
        made = calls(trace, rank)
        assert [call.arguments for call in made[:3]] == [
            (left, 7, 800, 0),
            (right, 7, 800, 1),
            (0, 1),
        ]
        assert [call.name for call in made] == ["recv", "send", "wait"] * 50
        assert [call.flags for call in made[:3]] == [NONBLOCKING, NONBLOCKING, 0]
        assert len({call.site for call in made}) == 3
        assert all(call.site.startswith("program.c:") for call in made)
    assert trace.facts["complete"] is True
    assert trace.facts["warnings"] == []


def test_all_forms_of_sending_and_receiving_are_known(tmp_path: Path) -> None:
    body = """
    char *space = malloc(1 << 16);
    MPI_Buffer_attach(space, 1 << 16);
    MPI_Request request;
    if (rank == 0) {
        MPI_Send(out, 3, MPI_INT, 1, 1, world);
        MPI_Ssend(out, 4, MPI_CHAR, 1, 2, world);
        MPI_Bsend(out, 5, MPI_CHAR, 1, 3, world);
        MPI_Barrier(world);
        MPI_Rsend(out, 6, MPI_CHAR, 1, 4, world);
        MPI_Issend(out, 7, MPI_CHAR, 1, 5, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Recv(in, 3, MPI_INT, 0, 1, world, MPI_STATUS_IGNORE);
        MPI_Recv(in, 4, MPI_CHAR, 0, 2, world, MPI_STATUS_IGNORE);
        MPI_Recv(in, 999, MPI_CHAR, 0, 3, world, MPI_STATUS_IGNORE);
        MPI_Irecv(in, 6, MPI_CHAR, 0, 4, world, &request);
        MPI_Barrier(world);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(in, 7, MPI_CHAR, 0, 5, world, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(out, 8, MPI_CHAR, right, 6, in, 99, MPI_CHAR, left, 6, world, MPI_STATUS_IGNORE);
    MPI_Sendrecv_replace(out, 9, MPI_CHAR, right, 7, left, 7, world, MPI_STATUS_IGNORE);
    MPI_Isendrecv(out, 10, MPI_CHAR, right, 8, in, 10, MPI_CHAR, left, 8, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 9, world);
    MPI_Recv(in, 1, MPI_CHAR, MPI_PROC_NULL, 9, world, MPI_STATUS_IGNORE);
    """
    trace = recorded(tmp_path, body)
    both = [
        "sendrecv(PEER, 6, 8, PEER, 6, 8)",
        "sendrecv(PEER, 7, 9, PEER, 7, 9)",
        "sendrecv(PEER, 8, 10, PEER, 8, 10, 0)",
        "wait(0,)",
        f"send({NO_PEER}, 0, 0)",
        f"recv({NO_PEER}, 0, 0)",
    ]
    assert texts(trace, 0) == [
        *("send(1, 1, 12)", "ssend(1, 2, 4)", "bsend(1, 3, 5)", "barrier()", "rsend(1, 4, 6)"),
        *("ssend(1, 5, 7, 0)", "wait(0,)"),
        *(text.replace("PEER", "1") for text in both),
    ]
    assert texts(trace, 1) == [
        *("recv(-1, 1, 12)", "recv(-1, 2, 4)", "recv(-1, 3, 5)", "recv(-1, 4, 6, 0)", "barrier()"),
        *("wait(0,)", "recv(-1, 5, 7)"),
        *(text.replace("PEER", "-1") for text in both),
    ]


def test_wildcards_and_short_messages_say_what_matched(tmp_path: Path) -> None:
    body = """
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    if (rank == 0) {
        MPI_Irecv(in, 1000, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Recv(in, 1000, MPI_CHAR, MPI_ANY_SOURCE, 5, world, &status);
        MPI_Probe(1, MPI_ANY_TAG, world, &status);
        MPI_Recv(in, 1000, MPI_CHAR, 1, 6, world, &status);
        MPI_Mprobe(MPI_ANY_SOURCE, 7, world, &message, &status);
        MPI_Mrecv(in, 1000, MPI_CHAR, &message, &status);
        MPI_Mprobe(1, 8, world, &message, &status);
        MPI_Imrecv(in, 1000, MPI_CHAR, &message, &request);
        MPI_Wait(&request, &status);
    } else {
        for (int i = 0; i < 5; ++i) MPI_Send(out, 10 + i, MPI_CHAR, 0, 4 + i, world);
    }"""
    made = calls(recorded(tmp_path, body), 0)
    assert [str(call) for call in made] == [
        *("recv(1, 4, 10, 0)", "wait(0,)", "recv(1, 5, 11)", "probe(1, 6, 12)", "recv(1, 6, 12)"),
        *("probe(1, 7, 13)", "recv(1, 7, 13)", "probe(1, 8, 14)", "recv(1, 8, 14, 0)", "wait(0,)"),
    ]
    assert [call.flags & WILDCARD for call in made] == [1, 0, 1, 1, 0, 1, 1, 0, 0, 0]


def test_tests_without_success_are_counted_and_their_time_is_waiting(tmp_path: Path) -> None:
    body = """
    MPI_Request request;
    int flag = 0, index;
    MPI_Barrier(world);
    if (rank == 0) {
        MPI_Irecv(in, 8, MPI_CHAR, 1, 1, world, &request);
        while (!flag) {
            MPI_Test(&request, &flag, MPI_STATUS_IGNORE);
            for (volatile int i = 0; i < 200; ++i) {}
        }
        flag = 0;
        while (!flag) MPI_Iprobe(1, 2, world, &flag, MPI_STATUS_IGNORE);
        MPI_Recv(in, 8, MPI_CHAR, 1, 2, world, MPI_STATUS_IGNORE);
        MPI_Irecv(in, 8, MPI_CHAR, 1, 3, world, &request);
        MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE);
    } else {
        for (double begin = MPI_Wtime(); MPI_Wtime() < begin + 0.2;) {}
        for (int i = 1; i < 4; ++i) MPI_Send(out, 8, MPI_CHAR, 0, i, world);
    }"""
    trace = recorded(tmp_path, body)
    made = calls(trace, 0)[1:]
    assert [call.name for call in made] == ["recv", "wait", "probe", "recv", "recv", "wait"]
    assert [call.flags & TIMING for call in made] == [0, TIMING, TIMING, 0, 0, TIMING]
    assert trace.facts["failed_tests"] > 0
    first = int(trace.arrays["time_first"][0])
    inside = trace.arrays["inside"][first:].tolist()
    # Time from test to test is waiting, too.
    assert inside[3] > 1.2e11


def test_persistent_requests_are_messages_at_each_start(tmp_path: Path) -> None:
    body = """
    MPI_Request requests[2];
    MPI_Recv_init(in, 64, MPI_CHAR, left, 3, world, &requests[0]);
    MPI_Ssend_init(out, 32, MPI_CHAR, right, 3, world, &requests[1]);
    for (int i = 0; i < 2; ++i) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Start(&requests[0]);
    MPI_Start(&requests[1]);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);"""
    made = calls(recorded(tmp_path, body), 0)
    turn = ["recv(1, 3, 32, 0)", "ssend(1, 3, 32, 1)"]
    assert [str(call) for call in made] == [
        *(2 * [*turn, "wait(0, 1)"]),
        *(*turn, "wait(1,)", "wait(0,)"),
    ]
    assert {call.flags for call in made[:2]} == {PERSISTENT | NONBLOCKING}


def test_a_freed_send_completes_at_the_end(tmp_path: Path) -> None:
    body = """
    MPI_Request request;
    MPI_Isend(out, 8, MPI_CHAR, right, 3, world, &request);
    MPI_Request_free(&request);
    MPI_Recv(in, 8, MPI_CHAR, left, 3, world, MPI_STATUS_IGNORE);"""
    assert texts(recorded(tmp_path, body)) == ["send(1, 3, 8, 0)", "recv(1, 3, 8)", "wait(0,)"]


def test_many_requests_are_open_at_once(tmp_path: Path) -> None:
    body = """
    enum { COUNT = 3000 };
    static MPI_Request in_requests[COUNT], out_requests[COUNT];
    for (int i = 0; i < COUNT; ++i)
        MPI_Irecv(in, 8, MPI_CHAR, left, i, world, &in_requests[i]);
    for (int i = 0; i < COUNT; ++i)
        MPI_Isend(out, 8, MPI_CHAR, right, i, world, &out_requests[i]);
    MPI_Waitall(COUNT, out_requests, MPI_STATUSES_IGNORE);
    for (int i = COUNT; i-- > 0;) MPI_Wait(&in_requests[i], MPI_STATUS_IGNORE);
    """
    made = calls(recorded(tmp_path, body), 0)
    assert [call.arguments for call in made[:3000]] == [(1, i, 8, i) for i in range(3000)]
    assert made[6000].arguments == tuple(range(3000, 6000))
    assert [call.arguments for call in made[6001:]] == [(i,) for i in reversed(range(3000))]


def test_a_cancelled_receive_receives_nothing(tmp_path: Path) -> None:
    body = """
    MPI_Request request;
    MPI_Irecv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, 3, world, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);"""
    assert texts(recorded(tmp_path, body)) == [f"recv({NO_PEER}, 0, 0, 0)", "wait(0,)"]


COLLECTIVES = {
    "MPI_Barrier(world)": "barrier()",
    "MPI_Bcast(out, 5, MPI_INT, 1, world)": "bcast(1, 20)",
    "MPI_Reduce(out, in, 5, MPI_INT, MPI_SUM, 1, world)": "reduce(1, 20)",
    "MPI_Gather(out, 3, MPI_INT, in, 3, MPI_INT, 1, world)": "gather(1, 12)",
    "MPI_Gatherv(out, 3, MPI_INT, in, counts, places, MPI_INT, 0, world)": "gatherv(0, 12, 12, 8)",
    "MPI_Gatherv(out, 3, MPI_INT, in, counts, places, MPI_INT, 1, world)": "gatherv(1, 12)",
    "MPI_Scatter(out, 3, MPI_INT, in, 3, MPI_INT, 1, world)": "scatter(1, 12)",
    "MPI_Scatterv(out, counts, places, MPI_INT, in, 3, MPI_INT, 0, world)": "scatterv(0, 12, 12, 8)",
    "MPI_Allreduce(MPI_IN_PLACE, in, 5, MPI_INT, MPI_SUM, world)": "allreduce(20,)",
    "MPI_Scan(out, in, 5, MPI_INT, MPI_SUM, world)": "scan(20,)",
    "MPI_Exscan(out, in, 5, MPI_INT, MPI_SUM, world)": "exscan(20,)",
    "MPI_Reduce_scatter_block(out, in, 5, MPI_INT, MPI_SUM, world)": "reduce_scatter_block(20,)",
    "MPI_Reduce_scatter(out, in, counts, MPI_INT, MPI_SUM, world)": "reduce_scatter(12, 8)",
    "MPI_Allgather(out, 2, MPI_INT, in, 2, MPI_INT, world)": "allgather(8,)",
    "MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, in, 2, MPI_INT, world)": "allgather(8,)",
    "MPI_Allgatherv(out, 3, MPI_INT, in, counts, places, MPI_INT, world)": "allgatherv(12, 8)",
    "MPI_Alltoall(out, 2, MPI_INT, in, 2, MPI_INT, world)": "alltoall(8,)",
    "MPI_Alltoallv(out, counts, places, MPI_INT, in, backs, places, MPI_INT, world)": (
        "alltoallv(12, 8, 12, 8)"
    ),
    "MPI_Alltoallw(out, counts, places, types, in, backs, places, types, world)": (
        "alltoallv(12, 2, 12, 2)"
    ),
}
# Counts that differ between the ranks, and types.
COUNTS = """
    int counts[2] = {3, 2}, backs[2] = {3, 2}, places[2] = {0, 64};
    MPI_Datatype types[2] = {MPI_INT, MPI_CHAR};
    if (rank == 1) { counts[0] = counts[1] = 2; backs[0] = backs[1] = 2; types[0] = MPI_CHAR; }
"""


def blocking(call: str) -> str:
    """Makes ranks agree: Reduce_scatter and the gathers take the counts of rank 0 everywhere."""
    same = any(name in call for name in ("Reduce_scatter(", "Allgatherv", "Gatherv", "Scatterv"))
    text = call.replace("counts", "same") if same else call
    return text.replace("3, MPI_INT", "3 - rank, MPI_INT") if "same" in text else text


def test_every_collective_has_its_bytes(tmp_path: Path) -> None:
    lines = "\n".join(f"    {blocking(call)};" for call in COLLECTIVES)
    body = f"{COUNTS}\n    int same[2] = {{3, 2}};\n{lines}"
    assert texts(recorded(tmp_path, body)) == list(COLLECTIVES.values())


def test_nonblocking_and_persistent_collectives_have_slots(tmp_path: Path) -> None:
    def form(call: str, start: bool) -> str:
        name, _, rest = blocking(call).partition("(")
        own = name.removeprefix("MPI_")
        if start:
            return f"MPI_I{own[0].lower()}{own[1:]}({rest[:-1]}, &request);"
        return f"{name}_init({rest[:-1]}, MPI_INFO_NULL, &request);"

    wait = "MPI_Wait(&request, MPI_STATUS_IGNORE);"
    lines = [f"{form(call, True)} {wait}" for call in COLLECTIVES]
    lines += [
        f"{form(call, False)} MPI_Start(&request); {wait} MPI_Request_free(&request);"
        for call in COLLECTIVES
    ]
    body = f"{COUNTS}\n    int same[2] = {{3, 2}};\n    MPI_Request request;\n" + "\n".join(lines)
    made = calls(recorded(tmp_path, body), 0)

    def expected(text: str) -> str:
        return (
            text.replace("()", "(0,)")
            .replace(",)", ")")
            .replace(")", ", 0)")
            .replace("(0, 0)", "(0,)")
        )

    wanted = [line for text in COLLECTIVES.values() for line in (expected(text), "wait(0,)")]
    assert [str(call) for call in made] == 2 * wanted
    assert {call.flags for call in made[0 : len(wanted) : 2]} == {NONBLOCKING}
    assert {call.flags for call in made[len(wanted) :: 2]} == {NONBLOCKING | PERSISTENT}


def test_communicators_are_known_by_their_ranks(tmp_path: Path) -> None:
    body = """
    MPI_Comm half, copy, later, line, one, none;
    MPI_Request request;
    MPI_Comm_split(world, rank / 2, -rank, &half);
    MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, half);
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, half);
    MPI_Comm_dup(half, &copy);
    MPI_Comm_free(&half);
    MPI_Bcast(out, 1, MPI_INT, 0, copy);
    MPI_Comm_idup(copy, &later, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(later);
    int extents[1] = {4}, periods[1] = {1};
    MPI_Cart_create(world, 1, extents, periods, 0, &line);
    MPI_Neighbor_alltoall(out, 2, MPI_INT, in, 2, MPI_INT, line);
    MPI_Comm_split(world, rank ? MPI_UNDEFINED : 0, 0, &none);
    MPI_Group group, all;
    MPI_Comm_group(world, &all);
    int ranks[2] = {3, 1};
    MPI_Group_incl(all, 2, ranks, &group);
    MPI_Comm_create(world, group, &one);
    if (one != MPI_COMM_NULL) MPI_Barrier(one);
    """
    trace = recorded(tmp_path, body, ranks=4)
    wait = trace.strings.index("MPI_Wait")
    assert [f"{call} {call.comm}" for call in calls(trace, 1)] == [
        *("comm_create(2,) 0", f"send({NO_PEER}, 0, 0) 2", "allreduce(4,) 2", "comm_create(3,) 2"),
        *("comm_free(2,) 0", "bcast(0, 4) 3", "comm_create(4,) 3", f"other({wait},) 0"),
        "barrier() 4",
        *("comm_create(5,) 0", "neighbor_alltoallv(2, -1, 8, 1, 8, 2, -1, 8, 1, 8) 5"),
        *("comm_create(-1,) 0", "comm_create(6,) 0", "barrier() 6"),
    ]
    arrays = {name: values.tolist() for name, values in trace.arrays.items()}
    first, last = arrays["comm_first"][1:3]
    places = [
        arrays["group_first"][group : group + 2] for group in arrays["comm_group"][first:last]
    ]
    members = [arrays["group_ranks"][begin:end] for begin, end in places]
    assert members == [[0, 1, 2, 3], [1], [1, 0], [1, 0], [1, 0], [0, 1, 2, 3], [3, 1]]


def test_graphs_of_neighbours_have_peers_and_bytes(tmp_path: Path) -> None:
    body = """
    MPI_Comm graph;
    int from[1] = {left}, to[2] = {right, left};
    int sources[2] = {left, right}, weights[2] = {1, 1};
    MPI_Dist_graph_create_adjacent(world, 2, sources, weights, 2, to, weights, MPI_INFO_NULL, 0, &graph);
    (void)from;
    int counts[2] = {3, 4}, backs[2] = {3, 4}, places[2] = {0, 64};
    MPI_Neighbor_alltoallv(out, counts, places, MPI_INT, in, backs, places, MPI_INT, graph);
    MPI_Request request;
    MPI_Ineighbor_allgather(out, 1, MPI_INT, in, 1, MPI_INT, graph, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    """
    assert texts(recorded(tmp_path, body, ranks=3), 1) == [
        "comm_create(2,)",
        "neighbor_alltoallv(2, 1, 12, -1, 16, 2, -1, 12, 1, 16)",
        "neighbor_allgatherv(2, 1, 4, -1, 4, 2, -1, 4, 1, 4, 0)",
        "wait(0,)",
    ]


def test_derived_datatypes_count_as_their_bytes(tmp_path: Path) -> None:
    body = """
    MPI_Datatype column;
    MPI_Type_vector(10, 2, 7, MPI_DOUBLE, &column);
    MPI_Type_commit(&column);
    MPI_Sendrecv(out, 2, column, right, 1, in, 999, MPI_DOUBLE, left, 1, world, MPI_STATUS_IGNORE);
    """
    assert texts(recorded(tmp_path, body)) == ["sendrecv(1, 1, 320, 1, 1, 320)"]


def test_one_sided_calls_name_window_and_target(tmp_path: Path) -> None:
    body = """
    MPI_Win window;
    MPI_Group all, other;
    MPI_Request request;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, 1, &right, &other);
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, world, &window);
    MPI_Win_fence(0, window);
    MPI_Put(out, 8, MPI_CHAR, right, 0, 8, MPI_CHAR, window);
    MPI_Win_fence(0, window);
    MPI_Win_post(other, 0, window);
    MPI_Win_start(other, 0, window);
    MPI_Get(out, 9, MPI_CHAR, right, 0, 9, MPI_CHAR, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
    MPI_Accumulate(out, 2, MPI_INT, right, 0, 2, MPI_INT, MPI_SUM, window);
    MPI_Rput(out, 3, MPI_CHAR, right, 8, 3, MPI_CHAR, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_flush(right, window);
    MPI_Win_unlock(right, window);
    MPI_Win_lock_all(0, window);
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    """
    assert texts(recorded(tmp_path, body), 1) == [
        *("win_create(0, 65536)", "fence(0,)", "put(0, -1, 8)", "fence(0,)", "post(0, -1)"),
        *("start(0, -1)", "get(0, -1, 9)", "complete(0,)", "wait_posts(0,)", "lock(0, -1)"),
        *("accumulate(0, -1, 8)", "put(0, -1, 3, 0)", "wait(0,)", "flush(0, -1)", "unlock(0, -1)"),
        *("lock(0, -1, 0)", "unlock(0, -1, 0)", "win_free(0,)"),
    ]


def test_files_are_time_and_bytes(tmp_path: Path) -> None:
    body = """
    MPI_File file;
    MPI_Request request;
    MPI_File_open(world, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_write_at_all(file, 100 * rank, out, 100, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_iread_at(file, 0, in, 10, MPI_INT, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
    """
    wanted = ["file(0,)", "file(100,)", "file(40, 0)", "wait(0,)", "file(0,)"]
    assert texts(recorded(tmp_path, body)) == wanted


def test_messages_that_files_need_are_not_those_of_the_program(tmp_path: Path) -> None:
    body = """
    MPI_File file;
    MPI_Offset place;
    MPI_File_open(world, "data", MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    MPI_File_set_atomicity(file, 1);
    MPI_File_set_info(file, MPI_INFO_NULL);
    MPI_File_seek_shared(file, 0, MPI_SEEK_SET);
    MPI_File_get_position_shared(file, &place);
    MPI_File_get_size(file, &place);
    MPI_File_close(&file);
    MPI_Barrier(world);
    if (rank == 0) MPI_File_delete("data", MPI_INFO_NULL);
    """
    assert texts(recorded(tmp_path, body)) == [*["file(0,)"] * 7, "barrier()", "file(0,)"]


def test_programs_switch_recording_and_name_regions(tmp_path: Path) -> None:
    body = """
    MPI_Comm copy;
    MPI_Request request;
    MPI_Pcontrol(0);
    MPI_Comm_dup(world, &copy);
    MPI_Barrier(copy);
    MPI_Pcontrol(1);
    MPI_Pcontrol(2, "solver");
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, copy);
    MPI_Irecv(in, 4, MPI_CHAR, left, 0, world, &request);
    MPI_Pcontrol(0);
    MPI_Send(out, 4, MPI_CHAR, right, 0, world);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Pcontrol(1);
    """
    trace = recorded(tmp_path, body)
    made = calls(trace, 0)
    assert trace.strings[made[0].arguments[0]] == "solver"
    assert [str(call) for call in made[1:]] == ["allreduce(4,)", "recv(1, 0, 4, 0)", "wait(0,)"]
    assert (made[0].name, made[1].comm) == ("region", 2)


def test_computation_is_measured_by_wall_clock_and_by_processor_time(tmp_path: Path) -> None:
    body = """
    for (int step = 0; step < 5; ++step) {
        const clock_t end = clock() + CLOCKS_PER_SEC / 50;
        while (clock() < end) {}
        usleep(30000);
        MPI_Barrier(world);
    }
    """
    trace = recorded(tmp_path, body, ranks=4, head="#include <time.h>\n#include <unistd.h>")
    begin, end = trace.arrays["time_first"][:2].tolist()
    computed = trace.arrays["computed"][begin:end].sum() / 1e12
    processor = trace.arrays["processor"][begin:end].sum() / 1e12
    assert computed > 0.25
    assert 0.1 <= processor < 0.14


def test_the_share_of_mpi_is_that_of_inspect(tmp_path: Path) -> None:
    # One rank computes, and the others wait for it in MPI_Finalize, which counts no more.
    body = """
    MPI_Barrier(world);
    const double begin = MPI_Wtime();
    while (MPI_Wtime() < begin + (rank == 0 ? 0.3 : 0.05));
    """
    done = record(tmp_path, *launched(2, str(compiled(tmp_path, body))))
    told = re.search(r"(\d+)% of the time in MPI", done.stderr)
    assert told is not None
    share = inspect(read_trace(tmp_path / "made.trace")).per_rank.share
    assert int(told[1]) == round(100 * share.mean()) < 40


def test_what_a_trace_cannot_hold_is_told_by_name(tmp_path: Path) -> None:
    body = """
    MPI_Request request;
    if (rank == 0) MPI_Psend_init(out, 2, 8, MPI_CHAR, 1, 0, world, MPI_INFO_NULL, &request);
    else MPI_Precv_init(in, 2, 8, MPI_CHAR, 0, 0, world, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    if (rank == 0) for (int i = 0; i < 2; ++i) MPI_Pready(i, request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Comm between;
    MPI_Intercomm_create(MPI_COMM_SELF, 0, world, 1 - rank, 0, &between);
    MPI_Barrier(between);
    """
    trace = recorded(tmp_path, body)
    assert trace.facts["warnings"] == [
        "not recorded but as time: MPI_Pready (2), MPI_Precv_init (1), MPI_Psend_init (1)",
        "not recorded but as time: 2 calls on intercommunicators",
        "not recorded but as time: MPI_Request_free (2), MPI_Start (2), MPI_Wait (2) of requests "
        "whose start is not recorded",
    ]
    assert Call("other", (0,)).name in {call.name for call in calls(trace, 0)}


PYTHON_PROGRAM = """
from mpi4py import MPI
import numpy as np
world = MPI.COMM_WORLD
data = np.full(50, float(world.rank))
def reduced():
    world.Allreduce(MPI.IN_PLACE, data)
for _ in range(3):
    reduced()
requests = [world.Isend(data, 1 - world.rank, 4), world.Irecv(np.empty(80), 1 - world.rank, 4)]
MPI.Request.Waitall(requests)
"""


def test_python_programs_are_recorded(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(PYTHON_PROGRAM, encoding="utf-8")
    done = record(tmp_path, *mpiexec(2, "program.py"))
    assert done.returncode == 0, done.stderr
    trace = read_trace(tmp_path / "made.trace")
    # The sites are lines of the program, not of mpi4py.
    sites = [call.site for call in calls(trace, 0) if not call.name.startswith("comm_")]
    assert sites == [*(3 * ["program.py:7"]), *(2 * ["program.py:10"]), "program.py:11"]
    made = texts(trace)
    assert [text for text in made if not text.startswith("comm_")] == [
        *(3 * ["allreduce(400,)"]),
        *("send(1, 4, 400, 0)", "recv(1, 4, 400, 1)", "wait(0, 1)"),
    ]


TWO_LINES = """
from mpi4py import MPI
world = MPI.COMM_WORLD
for _ in range(3):
    world.Barrier(); world.Barrier()
    world.Barrier()
"""


def test_lines_of_python_are_named_on_each_rank_by_itself(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    (tmp_path / "program.py").write_text(TWO_LINES, encoding="utf-8")
    done = record(tmp_path, *mpiexec(2, "program.py"), options=["--keep-raw"])
    assert done.returncode == 0, done.stderr
    raw = tmp_path / "made.trace.raw"
    # The number of a line is its place in a table of addresses: elsewhere it may be of another line.
    _copy_as_rank_1(raw, b"program.py:5", b"program.py:6")
    collect(raw, tmp_path / "made.trace")
    trace = read_trace(tmp_path / "made.trace")
    for rank, (first, second) in enumerate([(5, 6), (6, 5)]):
        barriers = [call for call in calls(trace, rank) if call.name == "barrier"]
        expected = [*(2 * [f"program.py:{first}"]), f"program.py:{second}"] * 3
        assert [call.site for call in barriers] == expected
        # Both calls of the first line are calls of the loop.
        assert [-3, 3] in trace.items_of(rank)[0].tolist()


def _copy_as_rank_1(raw: Path, one: bytes, other: bytes) -> None:
    """Gives rank 1 the raw files of rank 0 with two names of equal length exchanged."""
    content = (raw / "definitions.0").read_bytes()
    marker = b"@" * len(one)
    exchanged = content.replace(one, marker).replace(other, one).replace(marker, other)
    assert exchanged.count(one) == content.count(other) > 0 < exchanged.count(other)
    (raw / "definitions.1").write_bytes(exchanged[:12] + (1).to_bytes(4, "little") + exchanged[16:])
    shutil.copy(raw / "events.0", raw / "events.1")
