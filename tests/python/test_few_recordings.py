"""Programs of which few recordings do not tell all, and what their refusals say."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from recordings import NOBODY, NONBLOCKING, Recording, part

from tradewind.errors import TraceError
from tradewind.extrapolation import discover, expand, first_difference
from tradewind.extrapolation.alternatives import remarks_on_extents
from tradewind.extrapolation.counts import best_first
from tradewind.extrapolation.grids import GridRule, balanced
from tradewind.trace_file import TIMING, Trace


def dissemination(ranks: int) -> Trace:
    """A barrier by hand, with a message to the rank at a distance of 1, 2, 4, ..."""
    recording = Recording(ranks)
    for rank in range(ranks):
        for _ in range(3):
            for far in (2**turn for turn in range((ranks - 1).bit_length())):
                there, back = (rank + far) % ranks - rank, (rank - far) % ranks - rank
                recording.call(rank, "sendrecv", [there, 0, 64, back, 0, 64], site="a.c:7")
    return recording.trace()


@pytest.mark.parametrize(
    ("counts", "turns", "next_one"),
    [((9, 12, 16), 4, 17), ((17, 24, 32), 5, 33), ((5, 6, 8), 3, 9)],
)
def test_rounds_with_as_many_turns_in_all_recordings_are_told(
    counts: tuple[int, ...], turns: int, next_one: int
) -> None:
    traces = [dissemination(ranks) for ranks in counts]
    with pytest.raises(TraceError) as raised:
        discover(traces)
    named = ", ".join(map(str, counts))
    said = f"its rounds have {turns} turns on all of {named} ranks, so that nothing tells"
    assert f"sendrecv at a.c:7 (call 1): {said}" in str(raised.value)
    assert f"such as {next_one} ranks" in str(raised.value)
    pattern, _ = discover([*traces, dissemination(next_one)])
    for ranks in (20, 64):
        assert first_difference(Trace.of(expand(pattern, ranks)), dissemination(ranks)) is None


def columns_and_planes(ranks: int) -> Trace:
    """Columns of a grid with two axes, and planes of one with three; both are the same ranks on 27.

    A trace has the communicators of one parent first, where their members are equal.
    """
    nx, _ = sorted(balanced(ranks, 2))
    cubes = sorted(balanced(ranks, 3))
    recording = Recording(ranks)
    everybody = list(range(ranks))
    for rank in everybody:
        cube, square = (recording.builder.communicator(rank, everybody) for _ in range(2))
        members = {
            "column": [one for one in everybody if one % nx == rank % nx],
            "plane": [one for one in everybody if one % cubes[0] == rank % cubes[0]],
        }
        is_same = members["column"] == members["plane"]
        order = ("plane", "column") if is_same else ("column", "plane")
        comms = {name: recording.builder.communicator(rank, members[name]) for name in order}
        recording.call(rank, "comm_create", [cube], site="a.c:1")
        recording.call(rank, "comm_create", [square], site="a.c:2")
        recording.call(rank, "comm_create", [comms["column"]], comm=square, site="a.c:3")
        recording.call(rank, "comm_create", [comms["plane"]], comm=cube, site="a.c:4")
        for _ in range(2):
            far = 1
            for axis, extent in enumerate(cubes):
                place = rank // far % extent
                there, back = (((place + by) % extent - place) * far for by in (1, -1))
                message = [there, axis, 64, back, axis, 64]
                recording.call(rank, "sendrecv", message, site=f"a.c:{5 + axis}")
                far *= extent
            recording.call(rank, "alltoall", [200], comm=comms["column"], site="a.c:9")
            recording.call(rank, "allreduce", [24], comm=comms["plane"], site="a.c:10")
    return recording.trace()


def test_communicators_with_the_same_members_at_one_count_are_told_apart_by_their_age() -> None:
    pattern, _ = discover([columns_and_planes(ranks) for ranks in (12, 24, 27)])
    for ranks in (18, 36, 64):
        assert first_difference(Trace.of(expand(pattern, ranks)), columns_and_planes(ranks)) is None


def reversed_rows(ranks: int) -> Trace:
    nx, _ = sorted(balanced(ranks, 2))
    recording = Recording(ranks)
    for rank in range(ranks):
        members = [rank // nx * nx + x for x in range(nx)][::-1]
        comm = recording.builder.communicator(rank, members)
        recording.call(rank, "bcast", [0, 24], comm=comm, site="a.c:5")
    return recording.trace()


def test_rows_in_another_order_are_told() -> None:
    with pytest.raises(TraceError, match="it has 2, 1, 0, one of these in another order than that"):
        discover([reversed_rows(ranks) for ranks in (6, 9, 12)])


def halos_without_neighbours(ranks: int) -> Trace:
    """Sends to four sides of a grid from one line; the first and the last of a corner have no receiver."""
    nx, ny = sorted(balanced(ranks, 2))
    recording = Recording(ranks)
    for rank in range(ranks):
        x, y = rank % nx, rank // nx
        sides = ((0, y - 1), (1, x - 1), (1, x + 1), (0, y + 1))
        for _ in range(3):
            for tag, (axis, there) in enumerate(sides):
                step = (there - x) if axis else (there - y) * nx
                is_inside = 0 <= there < (nx if axis else ny)
                message = [step, tag, 80, step, 3 - tag, 80] if is_inside else 2 * [NOBODY, 0, 0]
                recording.call(rank, "sendrecv", message, site="a.c:7")
    return recording.trace()


def test_turns_that_begin_and_end_without_a_neighbour_are_whole() -> None:
    pattern, _ = discover([halos_without_neighbours(ranks) for ranks in (12, 16, 20)])
    for ranks in (6, 9, 25, 36):
        held = halos_without_neighbours(ranks)
        assert first_difference(Trace.of(expand(pattern, ranks)), held) is None


def in_the_order_of_arrival(ranks: int, flags: int) -> Trace:
    """Two messages that are completed by two calls in the order in which they came, and an allreduce."""
    recording = Recording(ranks)
    for rank in range(ranks):
        for turn in range(4):
            recording.call(rank, "allreduce", [8], site="a.c:7")
            for slot, far in enumerate((-1, 1)):
                there = (rank + far) % ranks - rank
                recording.call(
                    rank, "recv", [there, slot, 64, slot], flags=NONBLOCKING, site="a.c:8"
                )
            for slot, far in enumerate((1, -1)):
                there = (rank + far) % ranks - rank
                recording.call(rank, "send", [there, slot, 64], site="a.c:9")
            first = ((rank + 1) * 7919 * (ranks + turn) >> 4) % 2
            for slot in (first, 1 - first):
                recording.call(rank, "wait", [slot], flags=flags, site="a.c:10")
    return recording.trace()


def test_a_refusal_names_calls_that_depend_on_timing() -> None:
    said = "; these calls depend on timing, so that no rule predicts what they do: "
    with pytest.raises(TraceError) as raised:
        discover([in_the_order_of_arrival(ranks, TIMING) for ranks in (3, 4, 6, 9)])
    assert str(raised.value).endswith(f"{said}MPI_Test or MPI_Waitany at a.c:10")
    assert not str(raised.value).startswith("wait")
    with pytest.raises(TraceError) as raised:
        discover([in_the_order_of_arrival(ranks, 0) for ranks in (3, 4, 6, 9)])
    assert said not in str(raised.value)


@pytest.mark.parametrize(
    ("recorded", "order"),
    [
        ((6, 8, 10, 14), [16, 18, 12, 15, 17, 7, 13, 2, 3]),
        ((9, 15), [18, 12, 16, 17, 10, 13, 3, 2, 7]),
        ((4, 8), [16, 32, 10, 5, 2]),
        ((3, 4, 7), [8, 9, 5, 2]),
    ],
)
def test_a_count_to_record_is_larger_than_those_recorded_and_of_their_kind(
    recorded: tuple[int, ...], order: list[int]
) -> None:
    assert best_first(sorted(order), recorded) == order


def shares(ranks: int) -> Trace:
    recording = Recording(ranks)
    for rank in range(ranks):
        recording.call(rank, "allreduce", [8 * (1920 // ranks)], site="a.c:7")
    return recording.trace()


def test_remarks_do_not_advise_to_record_fewer_ranks_than_are_recorded() -> None:
    remarks = discover([shares(ranks) for ranks in (6, 8, 10, 14)])[1]
    assert any("may also be" in remark for remark in remarks)
    assert all(
        "; record 18 ranks, where they differ" in one for one in remarks if "may also be" in one
    )
    (told,) = remarks_on_extents(GridRule("ny = 2"), (6, 8, 10, 14))
    assert told.endswith("such as 16, where it is another")


def strips_of_neighbours(ranks: int) -> list[tuple[int, int]]:
    return [(rank, rank + far) for rank in range(ranks) for far in (-1, 1)]


def strips_of_a_master(ranks: int) -> list[tuple[int, int]]:
    return [(0, rank) for rank in range(1, ranks)]


@pytest.mark.parametrize("pairs", [strips_of_neighbours, strips_of_a_master])
def test_ways_to_cut_strips_are_told_with_an_extent_to_record(
    pairs: Callable[[int], list[tuple[int, int]]],
) -> None:
    def strips(ranks: int) -> Trace:
        """The second rank of each pair sends its block of 301 rows to the first one."""
        recording = Recording(ranks)
        for own, peer in pairs(ranks):
            if 0 <= peer < ranks:
                size = 8 * part(301, ranks, peer)
                recording.call(own, "recv", [peer - own, 0, size], site="a.c:7")
                recording.call(peer, "send", [own - peer, 0, size], site="a.c:8")
        return recording.trace()

    remarks = discover([strips(ranks) for ranks in (3, 4, 6, 7)])[1]
    told = [one for one in remarks if one.startswith("part(301")]
    assert told
    for one in told:
        assert one.endswith("; record a rank count with nx = 8, where they differ")
