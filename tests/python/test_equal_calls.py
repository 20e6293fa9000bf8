"""Calls that follow each other on one line of a program, and have equal messages at some rank counts."""

from __future__ import annotations

import re

import pytest
from recordings import Recording, part

from tradewind.errors import TraceError
from tradewind.extrapolation import discover, expand, first_difference
from tradewind.extrapolation.grids import balanced
from tradewind.trace_file import Trace


def transposes(ranks: int, *, back_through_columns: bool) -> Trace:
    """Transposes there and back in a function that has one alltoallv: in rows, or in rows and columns."""
    nx, ny = sorted(balanced(ranks, 2))
    recording = Recording(ranks)

    def transpose(rank: int, comm: int, parts: int, place: int, points: tuple[int, int]) -> None:
        ours, theirs = points
        counts = [16 * part(ours, parts, place) * part(theirs, parts, j) for j in range(parts)]
        back = [16 * part(ours, parts, j) * part(theirs, parts, place) for j in range(parts)]
        recording.call(rank, "alltoallv", [*counts, *back], comm=comm, site="fft.c:9")

    for rank in range(ranks):
        x, y = rank % nx, rank // nx
        row, column = recording.row_and_column(rank, nx, ny)
        for _ in range(6):
            transpose(rank, row, nx, x, (26, 34))
            if back_through_columns:
                transpose(rank, column, ny, y, (22, 26))
                transpose(rank, column, ny, y, (26, 22))
            transpose(rank, row, nx, x, (34, 26))
    return recording.trace()


TOLD = (
    r"alltoallv at fft.c:9: on 4 ranks such calls that follow each other are equal, and the recordings "
    r"have a loop of them; on .*9, 12 ranks they differ, and so do the loops; leave 4 out, or record "
    "larger counts in their place"
)


def test_calls_that_are_equal_at_some_rank_counts_are_the_reason_of_a_refusal() -> None:
    counts = (4, 9, 12, 16)
    traces = [transposes(ranks, back_through_columns=True) for ranks in counts]
    with pytest.raises(TraceError, match=TOLD):
        discover(traces[:3])
    traces = [transposes(ranks, back_through_columns=True) for ranks in (9, 12, 15, 16, 20)]
    pattern, remarks = discover(traces[:4])
    assert first_difference(Trace.of(expand(pattern, 20)), traces[4]) is None
    assert not any("follow each other" in remark for remark in remarks)


def test_loops_of_equal_calls_at_some_rank_counts_are_told() -> None:
    traces = [transposes(ranks, back_through_columns=False) for ranks in (4, 9, 12)]
    try:
        told = discover(traces)[1]
    except TraceError as error:
        told = [str(error)]
    assert any(re.match(TOLD, one) for one in told), told
