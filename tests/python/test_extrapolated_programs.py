"""Programs in C, recorded at some rank counts: the pattern says what they do at another one, or why it cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

import extrapolated_programs as programs
import pytest
from conftest import needs_mpi
from recorded_programs import compiled, mpiexec, needs_mpicc, record

import tradewind as tw
from tradewind.errors import TraceError
from tradewind.extrapolation import (
    discover,
    expand,
    first_difference,
    load_pattern,
    pattern_text,
)
from tradewind.trace_file import Trace, read_trace

pytestmark = [needs_mpi, needs_mpicc]

# A program, the rank counts at which it is recorded, one at which it is not, and what its pattern says.
PREDICTED: dict[str, tuple[str, Sequence[int], int, Sequence[str]]] = {
    "neighbours on a Cartesian grid": (
        programs.CARTESIAN_NEIGHBORS,
        (9, 12, 16),
        20,
        ("null_peers = true", 'call = "neighbor_alltoallv"'),
    ),
    "neighbours on a distributed graph": (
        programs.DISTRIBUTED_GRAPH,
        (9, 12, 16),
        20,
        ("sources = 8", 'peers_when = ["y > 0", "inside"'),
    ),
    "opposite meridians": (programs.POLES, (12, 18, 24), 40, ('["nx // 2", 0]',)),
    "transposed partners": (programs.TRANSPOSED_PARTNERS, (9, 16, 25), 36, ('["y - x", "x - y"]',)),
    "two grids": (programs.TWO_GRIDS, (18, 27, 36), 24, ('grid = "rising 3"',)),
    "two grids by hand": (programs.TWO_GRIDS_BY_HAND, (18, 27, 36), 24, ('grid = "',)),
    "recursive doubling": (
        programs.RECURSIVE_DOUBLING,
        (4, 8, 16),
        32,
        ('"(x ^ (2 ** k)) - x"', 'index = "k"', '"10 + k"'),
    ),
    "tournament": (
        programs.TOURNAMENT,
        (4, 6, 8),
        12,
        ('["tournament(nx, x, k) - x"]', '"rank * P + peer", "peer * P + rank"'),
    ),
    "rings of blocks": (
        programs.RINGS_OF_BLOCKS,
        (6, 9, 12, 20),
        25,
        ("part_snake(22, nx, peer_x)", "part(11, ny, peer_y)"),
    ),
    "neighbours by rank": (
        programs.BY_RANK,
        (9, 12, 16),
        20,
        ('order = "rank"', "offsets = [[-1, -1]]", 'call = "neighbor_alltoallv"'),
    ),
    "tags of senders": (
        programs.TAGS_OF_SENDERS,
        (9, 12, 16),
        20,
        ('"peer + 100"', '"rank + 100"'),
    ),
    "dissemination": (programs.DISSEMINATION, (5, 8, 12), 20, ('"2 ** k"', "ceil(log2(P))")),
    "trees": (
        programs.TREES,
        (5, 6, 7, 12),
        11,
        ("inside and x % 2 ** (k + 1) == 0", "min(2 ** k, nx - peer_x)"),
    ),
    "odd and even pairs": (programs.ODD_AND_EVEN, (4, 5, 7), 8, ("(x + k) % 2 == 0",)),
    "folded doubling": (
        programs.FOLDED_DOUBLING,
        (5, 6, 8, 12),
        13,
        ('"folded(nx, x, k) - x"', 'loop = "floor(log2(P))"'),
    ),
    "several rounds": (
        programs.SEVERAL_ROUNDS,
        (4, 5, 6, 8),
        11,
        ('loop = "P"', 'when = "inside"', '"2 ** (ceil(log2(nx)) - 1 - k)"'),
    ),
    "own sums": (
        programs.OWN_SUMS,
        (4, 5, 6, 8),
        11,
        ("loop = 6", 'when = "inside and rank >= 2 * 2 ** floor(log2(P)) - P"'),
    ),
    "a tree after a ring": (
        programs.TREE_AFTER_A_RING,
        (5, 8, 12),
        11,
        ('group = "x"', 'when = "x % 2 ** (k + 1) == 2 ** k"'),
    ),
    "prefix sums": (programs.PREFIX_SUMS, (5, 6, 7, 12), 13, ('when = "inside"', '"-(2 ** k)"')),
    "pairwise exchange": (programs.PAIRWISE, (4, 5, 7), 12, ('["-(k + 1)"]', 'loop = "(P - 1)"')),
    "puts and fences": (
        programs.PUTS_AND_FENCES,
        (9, 12, 16),
        20,
        ('call = "fence"', "window = 0"),
    ),
    "post, start, complete, wait": (
        programs.GENERAL_ACTIVE_TARGET,
        (9, 12, 16),
        20,
        ('call = "post"', 'call = "wait_posts"'),
    ),
    "locks": (programs.LOCKS, (5, 8, 12), 16, ('about = "all"', 'call = "flush"')),
}


def recordings(folder: Path, body: str, counts: Sequence[int]) -> list[Trace]:
    program = compiled(folder, body)
    traces = []
    for ranks in counts:
        done = record(folder, *mpiexec(ranks, str(program)))
        assert done.returncode == 0, done.stderr
        traces.append(read_trace((folder / "made.trace").rename(folder / f"{ranks}.trace")))
    return traces


@pytest.fixture(scope="module", params=PREDICTED)
def found(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[str, Path, Trace]:
    """The name of a program, the file of its pattern, and the recording that was held back."""
    body, counts, held, _ = PREDICTED[request.param]
    folder = tmp_path_factory.mktemp("program")
    *traces, last = recordings(folder, body, [*counts, held])
    path = folder / "a.pattern"
    path.write_text(pattern_text(discover(traces)[0]), encoding="utf-8")
    return request.param, path, last


def test_a_recording_that_was_held_back_is_predicted(found: tuple[str, Path, Trace]) -> None:
    name, path, last = found
    predicted = Trace.of(expand(load_pattern(path), last.ranks))
    assert first_difference(predicted, last, with_sites=True) is None
    for words in PREDICTED[name][3]:
        assert words in path.read_text(encoding="utf-8")


def test_a_pattern_runs_on_many_ranks(found: tuple[str, Path, Trace]) -> None:
    name, path, _ = found
    few = {"opposite meridians": 800, "pairwise exchange": 60, "tournament": 60, "locks": 256}
    few |= {"odd and even pairs": 61, "several rounds": 61}
    ranks = few.get(name, 1024)
    predicted = Trace.of(expand(load_pattern(path), ranks))
    assert predicted.ranks == ranks
    if name == "tournament":
        with pytest.raises(TraceError, match=r"tournament.* has no value on 61 ranks"):
            expand(load_pattern(path), 61)
    program = {"name": "trace", "trace": str(path), "ranks": ranks}
    run = tw.simulate({"machine": {"name": "fattree-m"}, "program": program})
    assert run.time_s > 0


REFUSED = {
    "neighbours": (programs.SCATTERED_NEIGHBORS, "neighbor_allgatherv at program.c"),
    "rounds": (programs.SCATTERED_ROUNDS, "send at program.c"),
    "targets": (programs.SCATTERED_TARGETS, "put at program.c"),
    "a tree of another root": (programs.TREE_OF_ANOTHER_ROOT, "no rule"),
    "communicators": (programs.SCATTERED_GROUPS, "none of rows, columns or planes"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_without_a_rule_is_refused_with_call_and_ranks(name: str, tmp_path: Path) -> None:
    body, said = REFUSED[name]
    traces = recordings(tmp_path, body, (5, 8, 12))
    with pytest.raises(TraceError) as raised:
        discover(traces)
    assert said in str(raised.value)
    assert re.search(r"\(rank \d+ of \d+", str(raised.value))


def test_other_numbers_that_fit_few_rank_counts_are_told(tmp_path: Path) -> None:
    pattern, remarks = discover(recordings(tmp_path, programs.THIRDS, (4, 6, 8)))
    said = [
        r"turns of the loop of allreduce at program.c:\d+: ceil\(log2\(P\)\) may also be P // 3 \+ 1",
        r"bcast at program.c:\d+: 80 \* ceil\(log2\(P\)\) may also be 80 \* \(P // 3 \+ 1\)",
    ]
    for words in said:
        assert any(re.match(words, remark) for remark in remarks), remarks
    # Five ranks tell: the program has two turns there, and the pattern three.
    assert all("record 5 ranks" in remark for remark in remarks if "may also be P" in remark)
    (held,) = recordings(tmp_path, programs.THIRDS, (10,))
    assert first_difference(Trace.of(expand(pattern, 10)), held) is None
    with pytest.raises(TraceError, match="no rule gives the turns of its loop"):
        discover(recordings(tmp_path, programs.THIRDS, (4, 5, 6, 8)))
