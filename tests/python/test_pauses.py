"""Rounds in which some ranks pause: trees, sorts by odd and even pairs, prefix sums, and folded recursive doubling."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial

import numpy as np
import pausing_programs as programs
import pytest
from pausing_programs import Body, Call, in_turn, powers, recorded
from recordings import Recording, balanced

from tradewind.errors import TraceError
from tradewind.extrapolation import discover, expand, first_difference, pattern_text
from tradewind.extrapolation.formula import folded
from tradewind.trace_file import Trace

POWERS, ANY = (4, 8, 16), (4, 6, 9)
# A program, rank counts, one that is held back, whether an allreduce ends each step, and what the pattern says.
EXPLAINED: dict[str, tuple[Body, Sequence[int], int, bool, Sequence[str]]] = {
    "reduce by a tree": (
        programs.reduce_by_tree,
        ANY,
        13,
        True,
        (
            'when = "inside and x % 2 ** (k + 1) == 0"\noffsets = [["2 ** k"]]',
            'when = "x % 2 ** (k + 1) == 2 ** k"\noffsets = [["-(2 ** k)"]]',
        ),
    ),
    "broadcast and reduce by a tree": (
        programs.broadcast_and_reduce,
        ANY,
        11,
        False,
        ('offsets = [["2 ** (ceil(log2(nx)) - 1 - k)"]]', "x % 2 ** (ceil(log2(nx)) - k) == 0"),
    ),
    "broadcast by a tree of a power of two": (
        programs.broadcast_by_tree,
        POWERS,
        32,
        True,
        ('when = "x % 2 ** (ceil(log2(nx)) - k) == 0"',),
    ),
    "broadcast from small ranks": (
        programs.broadcast_from_small_ranks,
        ANY,
        13,
        True,
        ('when = "inside and x < 2 ** k"', 'tags = ["k"]'),
    ),
    "gather by a tree": (
        programs.gather_by_tree,
        ANY,
        11,
        True,
        ('numbers = ["16 * (min(2 ** k, nx - peer_x))"]',),
    ),
    "scatter by a tree": (
        programs.scatter_by_tree,
        (5, 6, 7, 12),
        11,
        True,
        ("min(2 ** (ceil(log2(nx)) - 1 - k), nx - peer_x)",),
    ),
    "prefix sums": (programs.prefix_sums, ANY, 12, False, ('when = "inside"',)),
    "prefix sums with requests": (
        programs.prefix_sums_at_once,
        (5, 6, 7, 12),
        13,
        True,
        ('when = "x >= 2 ** k or x + 2 ** k < nx"',),
    ),
    "prefix sums with MPI_PROC_NULL": (
        programs.prefix_sums_with_nobody,
        ANY,
        13,
        True,
        ('peers_when = ["inside", "inside"]',),
    ),
    "recursive doubling with pauses": (
        programs.doubling_with_pauses,
        ANY,
        13,
        True,
        ('when = "inside"', 'offsets = [["(x ^ (2 ** k)) - x"]'),
    ),
    "odd and even pairs": (
        programs.odd_and_even,
        (4, 5, 7),
        8,
        True,
        ('loop = "P"', 'when = "rank < P - 1 and (x + k) % 2 == 0"'),
    ),
    "odd and even pairs one step after the other": (
        programs.odd_and_even,
        (4, 5, 7),
        9,
        False,
        ('loop = "3 * P"', "(x + k % nx) % 2 == 0"),
    ),
    "odd and even pairs with MPI_PROC_NULL": (
        programs.odd_and_even_with_nobody,
        (4, 5, 7),
        8,
        True,
        ('when = "rank == 0 or (x + k) % 2 == 0"',),
    ),
    "odd and even pairs in the order of ranks": (
        programs.odd_and_even_in_order,
        (4, 5, 7),
        8,
        True,
        ('tags = ["k"]',),
    ),
    "odd and even pairs with requests": (
        programs.odd_and_even_at_once,
        (4, 5, 7),
        8,
        True,
        ('when = "x >= (x + k) % 2 and x + 1 < nx + (x + k) % 2"',),
    ),
    "recursive doubling with a fold": (
        programs.doubling_with_fold,
        (5, 8, 12),
        13,
        True,
        ('loop = "floor(log2(P))"', 'offsets = [["-(2 ** floor(log2(nx)))"]]'),
    ),
    "recursive doubling with pairs": (
        programs.doubling_with_pairs,
        (5, 6, 8, 12),
        11,
        True,
        ('"folded(nx, x, k) - x"', "rank < 2 * (P - 2 ** floor(log2(P)))"),
    ),
}


@pytest.mark.parametrize("name", EXPLAINED)
def test_rounds_with_pauses_are_predicted_call_by_call(name: str) -> None:
    body, counts, held, reduces, words = EXPLAINED[name]
    make = partial(recorded, body, reduces=reduces)
    pattern, _ = discover([make(ranks) for ranks in counts])
    predicted = Trace.of(expand(pattern, held))
    assert first_difference(predicted, make(held), with_sites=True) is None
    text = pattern_text(pattern)
    for some in words:
        assert some in text


# A program, whether an allreduce ends each step, and what the pattern says.
SEVERAL: dict[str, tuple[Body, bool, Sequence[str]]] = {
    "three kinds of rounds": (
        in_turn(programs.odd_and_even, programs.prefix_sums, programs.broadcast_by_tree),
        True,
        ('when = "rank < P - 1 and (x + k) % 2 == 0"', 'when = "inside"'),
    ),
    "three kinds of rounds one step after the other": (
        in_turn(programs.odd_and_even, programs.prefix_sums, programs.broadcast_by_tree),
        False,
        ("loop = 3", 'loop = "P"', 'offsets = [["2 ** (ceil(log2(nx)) - 1 - k)"]]'),
    ),
    "prefix sums, pairs in order and a tree": (
        in_turn(programs.prefix_sums, programs.odd_and_even_in_order, programs.reduce_by_tree),
        False,
        ('when = "x % 2 ** (k + 1) == 2 ** k"',),
    ),
    "prefix sums with requests, a gather and doubling": (
        in_turn(
            programs.prefix_sums_at_once, programs.gather_by_tree, programs.doubling_with_pauses
        ),
        False,
        ('numbers = ["16 * (min(2 ** k, nx - peer_x))"]',),
    ),
    "three trees": (
        in_turn(
            programs.broadcast_from_small_ranks, programs.scatter_by_tree, programs.reduce_by_tree
        ),
        False,
        ("min(2 ** (ceil(log2(nx)) - 1 - k), nx - peer_x)",),
    ),
    "pairs around prefix sums": (
        in_turn(programs.odd_and_even, programs.prefix_sums, programs.odd_and_even),
        True,
        ('loop = "P"',),
    ),
    "pairs with requests and a tree": (
        in_turn(programs.odd_and_even_at_once, programs.reduce_by_tree),
        False,
        ('loop = "P"',),
    ),
    "pairs beside neighbours": (
        in_turn(programs.neighbors, programs.odd_and_even),
        False,
        ('loop = "P"', "offsets = [[-1]]\ntags = [5]"),
    ),
    "neighbours, a tree down and a tree up": (
        in_turn(programs.neighbors, programs.broadcast_and_reduce),
        False,
        ("offsets = [[1]]\ntags = [5]",),
    ),
    "a tree up three times": (in_turn(*[programs.reduce_by_tree] * 3), False, ("loop = 9",)),
    "a tree that waits at its end, twice": (
        in_turn(*[programs.reduce_by_tree, programs.broadcast_at_once] * 2),
        False,
        ("loop = 6",),
    ),
    "prefix sums with and without MPI_PROC_NULL": (
        in_turn(
            programs.prefix_sums_with_nobody,
            programs.prefix_sums,
            programs.prefix_sums_with_nobody,
        ),
        False,
        ('peers_when = ["inside", "inside"]',),
    ),
    "doubling with a fold twice": (
        in_turn(*[programs.doubling_with_fold] * 2),
        True,
        ("loop = 2", 'offsets = [["-(2 ** floor(log2(nx)))"]]'),
    ),
    "doubling with a fold ten times": (
        in_turn(*[programs.doubling_with_fold] * 10),
        False,
        ("loop = 30", 'loop = "floor(log2(P))"'),
    ),
    "doubling with pairs ten times": (
        in_turn(*[programs.doubling_with_pairs] * 10),
        False,
        ("loop = 30", '"folded(nx, x, k) - x"'),
    ),
    "doubling in order twice": (
        in_turn(*[programs.doubling_in_order] * 2),
        True,
        ("x % 2 ** (k + 1) >= 2 ** k",),
    ),
    "doubling by one line ten times": (
        in_turn(*[programs.doubling_by_one_line] * 10),
        False,
        ("loop = 30", 'when = "inside and rank >= 2 * 2 ** floor(log2(P)) - P"'),
    ),
    "doubling by one line with two sizes, beside neighbours": (
        in_turn(
            programs.doubling_by_one_line,
            programs.neighbors,
            programs.doubling_by_one_line,
            partial(programs.doubling_by_one_line, size=64),
            programs.neighbors,
        ),
        True,
        ("numbers = [64]", "numbers = [128]"),
    ),
    "doubling with a fold around a tree": (
        in_turn(
            programs.neighbors,
            programs.doubling_with_fold,
            programs.broadcast_by_tree,
            programs.doubling_with_fold,
        ),
        True,
        ('loop = "floor(log2(P))"',),
    ),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_rounds_in_a_row_are_predicted_call_by_call(name: str) -> None:
    body, reduces, words = SEVERAL[name]
    make = partial(recorded, body, reduces=reduces)
    pattern, _ = discover([make(ranks) for ranks in (4, 5, 6, 8)])
    for held in (7, 11, 12, 16):
        predicted = Trace.of(expand(pattern, held))
        assert first_difference(predicted, make(held), with_sites=True) is None
    text = pattern_text(pattern)
    for some in words:
        assert some in text


def rows(ranks: int) -> Trace:
    """Records a tree in each row of a process grid."""
    nx, _ = balanced(ranks, 2)
    recording = Recording(ranks)
    for rank in range(ranks):
        call: Call = partial(_call, recording, rank)
        for _ in range(3):
            programs.reduce_by_tree(call, rank % nx, nx)
            recording.call(rank, "allreduce", [8])
    return recording.trace()


def _call(recording: Recording, rank: int, name: str, arguments: list[int], line: int) -> None:
    recording.call(rank, name, arguments, site=f"a.c:{line}")


def test_trees_in_the_rows_of_a_grid_are_explained() -> None:
    pattern, _ = discover([rows(ranks) for ranks in (9, 12, 20)])
    assert pattern.grid.words == "balanced 2"
    assert first_difference(Trace.of(expand(pattern, 30)), rows(30), with_sites=True) is None


def test_a_partner_in_folded_doubling_is_the_partner_of_its_partner() -> None:
    for ranks in (5, 6, 7, 8, 12, 13):
        power = 1 << (ranks.bit_length() - 1)
        some = [rank for rank in range(ranks) if rank >= 2 * (ranks - power) or rank % 2]
        for k, _ in powers(power):
            partners = folded(ranks, np.asarray(some), k)
            assert sorted(partners) == some
            assert list(folded(ranks, partners, k)) == some
        assert np.all(np.isnan(folded(ranks, np.asarray(some), ranks.bit_length() - 1)))


def test_a_fold_without_a_power_of_two_is_told_to_be_a_guess() -> None:
    traces = [recorded(programs.doubling_with_fold, ranks) for ranks in (5, 7, 12)]
    assert any(
        "may also be ceil(log2(P)) - 1; record a power of two" in r for r in discover(traces)[1]
    )


def with_gaps(call: Call, rank: int, ranks: int) -> None:
    """Prefix sums without the messages of ranks that follow no rule."""
    for k, bit in powers(ranks):
        if rank + bit < ranks and (rank * 7919 + 31 * k) % 11 < 7:
            call("send", [bit, 1, 64], 1)
        if rank >= bit and ((rank - bit) * 7919 + 31 * k) % 11 < 7:
            call("recv", [-bit, 1, 64], 2)


def with_strange_bytes(call: Call, rank: int, ranks: int) -> None:
    """A tree whose messages have sizes that follow no rule."""
    for k, bit in powers(ranks):
        if rank < bit and rank + bit < ranks:
            call("send", [bit, 1, 8 + (rank * 7919 + 31 * k) % 11], 1)
        elif bit <= rank < 2 * bit:
            call("recv", [-bit, 1, 8 + ((rank - bit) * 7919 + 31 * k) % 11], 2)


def from_the_middle(call: Call, rank: int, ranks: int) -> None:
    """A tree whose root is another one for each number of ranks."""
    root = ranks // 3
    place = (rank - root) % ranks
    for _, bit in powers(ranks):
        if place < bit and place + bit < ranks:
            call("send", [(rank + bit) % ranks - rank, 1, 8], 1)
        elif bit <= place < 2 * bit:
            call("recv", [(rank - bit) % ranks - rank, 1, 8], 2)


def odd_and_even_with_gaps(call: Call, rank: int, ranks: int) -> None:
    for k in range(ranks):
        peer = 1 if (rank + k) % 2 == 0 else -1
        first = min(rank, rank + peer)
        if 0 <= rank + peer < ranks and (first * 7919 + 31 * k) % 11 < 8:
            call("sendrecv", [peer, 1, 8, peer, 1, 8], 1)


@pytest.mark.parametrize(
    "body",
    [
        with_gaps,
        with_strange_bytes,
        from_the_middle,
        odd_and_even_with_gaps,
        in_turn(programs.prefix_sums, with_gaps, programs.prefix_sums),
        in_turn(from_the_middle, programs.reduce_by_tree, from_the_middle),
        in_turn(programs.reduce_by_tree, odd_and_even_with_gaps),
    ],
)
@pytest.mark.parametrize("counts", [(4, 8, 16), (4, 6, 9)])
def test_rounds_that_follow_no_rule_are_refused_with_call_and_ranks(
    body: Body, counts: Sequence[int]
) -> None:
    with pytest.raises(TraceError) as raised:
        discover([recorded(body, ranks) for ranks in counts])
    assert re.search(r"at a\.c:\d", str(raised.value))
    assert re.search(r"rank|recorded at", str(raised.value))


def test_a_call_beside_rounds_that_follows_no_rule_is_named() -> None:
    def body(call: Call, rank: int, ranks: int) -> None:
        programs.doubling_with_fold(call, rank, ranks)
        call("bcast", [0, 8 * (ranks * 7919 % 5 + 1)], 60)

    with pytest.raises(TraceError, match=r"^bcast at a\.c:60 .*no rule gives its bytes"):
        discover([recorded(body, ranks) for ranks in (4, 5, 6, 8)])
