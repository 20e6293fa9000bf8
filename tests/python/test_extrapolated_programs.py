"""Programs in C, recorded at some rank counts: the pattern says what they do at another one, or why it cannot."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import extrapolated_programs as programs
import master_programs as masters
import pytest
from conftest import Cli, needs_mpi
from recorded_programs import compiled, launched, needs_mpicc, record

import tradewind as tw
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import (
    discover,
    expand,
    first_difference,
    load_pattern,
    pattern_text,
)
from tradewind.extrapolation.other_programs import other_program
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
    "gathered blocks": (programs.GATHERED_BLOCKS, (4, 6, 9), 7, ("8 * part(205, m, j)",)),
    "every other turn": (programs.EVERY_OTHER_TURN, (4, 6, 8, 9), 11, ("max(0, P // 2 - 2)",)),
    "whole quotients": (
        programs.QUOTIENTS,
        (4, 5, 6, 8, 9),
        11,
        (
            '"ceil(P / 2)"',
            '"P // 2 + 3"',
            '"(P + 1) // 3"',
            '"max(0, P // 2 - 2)"',
            '"P - 5"',
            '"24 * ((P + 2) // 4 + 1)"',
        ),
    ),
    "opposite meridians": (programs.POLES, (12, 18, 24), 40, ('["nx // 2", 0]',)),
    "a north fold": (
        programs.NORTH_FOLD,
        (6, 9, 12),
        15,
        ('when = "y == ny - 1 and nx - 1 - 2 * x != 0"',),
    ),
    "components": (
        programs.COMPONENTS,
        (4, 8, 14),
        22,
        ('when = "not inside"', "8 * part(90, nx, x)", "24 * part(170, nx, x)"),
    ),
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
        ('"peer + 100"', '"rank + 100"', '["rank * 500 + peer", "peer * 500 + rank"]'),
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
    "Cannon's product": (
        programs.CANNON,
        (4, 9, 16),
        25,
        ('[["-y", 0], ["y", 0]]', '[[0, "-x"], [0, "x"]]', 'loop = "nx"'),
    ),
    "transposes of equal blocks": (
        programs.TRANSPOSES_OF_EQUAL_BLOCKS,
        (2, 6, 9),
        20,
        ("8 * part(13, nx, x) * part(7, ny, y) * part(96, m, j)", 'group = "y"'),
    ),
    "a transpose without rest": (
        programs.TRANSPOSE_WITHOUT_REST,
        (3, 4, 6, 8),
        11,
        ("8 * (92 // P) * (45 // P)",),
    ),
    "gathered blocks of a grid": (
        programs.GATHERED_BLOCKS_OF_A_GRID,
        (4, 6, 9, 12),
        20,
        ("8 * part(23, nx, j % nx) * part(11, ny, j // nx % ny)",),
    ),
    "blocks of neighbours": (
        programs.BLOCKS_OF_NEIGHBORS,
        (4, 5, 7, 10),
        6,
        ('"8 * part(1000, nx, x)"', '"8 * part(1000, nx, peer_x)"'),
    ),
    "leaders of nodes": (
        programs.LEADERS_OF_NODES,
        (4, 8, 12),
        20,
        ('grid = "nx = 4"', 'about = "y"', 'when = "x == 0"'),
    ),
    "a master": (
        masters.MASTER,
        (4, 5, 7),
        10,
        ('offsets = [["-x"]]', '"8 * part(103, nx, peer_x)"', 'when = "rank == 0"'),
    ),
    "a master that waits for one after the other": (
        masters.WAITING_MASTER,
        (4, 5, 7),
        10,
        ('about = "recv"\noffsets = [["k + 1"]]\nwaits = ["r0"]',),
    ),
    "a master on a grid": (
        masters.MASTER_ON_A_GRID,
        (6, 9, 12, 15),
        20,
        ('["k % nx - x", "k // nx - y"]', '["nx - 1 - x", "ny - 1 - y"]'),
    ),
    "rings of uneven blocks": (
        masters.UNEVEN_RINGS,
        (4, 5, 7),
        10,
        ('"8 * part(103, nx, (x - k) % nx)"', '"8 * part(103, nx, (x + k + 1) % nx)"'),
    ),
    "rows and columns": (masters.ROWS_AND_COLUMNS, (4, 6, 9), 12, ('group = "x"',)),
    "shifts along rows and columns": (masters.SHIFTS, (4, 6, 9), 12, ('"k + 1"', '"-k"')),
    "odd and even pairs with tags": (
        masters.ODD_AND_EVEN_TAGS,
        (4, 5, 6, 7),
        9,
        ('tags = ["10 + k", "10 + k"]', "loop = 3"),
    ),
    "tags of turns": (programs.TAGS_OF_TURNS, (4, 5, 7), 9, ('tags = ["k"]', '"100 + 2 * k"')),
    "long pipeline": (programs.LONG_PIPELINE, (4, 5, 7), 9, ("loop = 150", 'tags = ["k"]')),
    "tags of distances": (
        programs.TAGS_OF_DISTANCES,
        (4, 6, 8),
        12,
        ('"(peer - rank) % P + 7", "(rank - peer) % P + 7"',),
    ),
    "tags of bits": (programs.TAGS_OF_BITS, (4, 8, 16), 32, ('tags = ["(rank ^ peer)"]',)),
    "mirrored partners": (
        programs.MIRRORED_PARTNERS,
        (4, 5, 7),
        11,
        ('when = "nx - 1 - 2 * x != 0"', '"8 * (500 // P)"'),
    ),
    "even counts": (programs.EVEN_COUNTS, (4, 5, 6, 7), 10, ('when = "P % 2 == 0"',)),
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


def recordings(folder: Path, body: str, counts: Sequence[int], **more: Any) -> list[Trace]:
    program = compiled(folder, body, **more)
    traces = []
    for ranks in counts:
        done = record(folder, *launched(ranks, str(program)))
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
    few = {
        "opposite meridians": 800,
        "pairwise exchange": 60,
        "tournament": 60,
        "locks": 256,
        "whole quotients": 41,
    }
    few |= {"odd and even pairs": 61, "several rounds": 61, "odd and even pairs with tags": 61}
    few |= {"rings of uneven blocks": 60, "tags of turns": 256, "a master": 256}
    ranks = few.get(name, 1024)
    predicted = Trace.of(expand(load_pattern(path), ranks))
    assert predicted.ranks == ranks
    if name == "tournament":
        with pytest.raises(TraceError, match=r"tournament.* has no value on 61 ranks"):
            expand(load_pattern(path), 61)
    program = {"name": "trace", "trace": str(path), "ranks": ranks}
    run = tw.simulate({"machine": {"name": "fattree-m"}, "program": program})
    assert run.time_s > 0


# A program without a rule, the rank counts at which it is recorded, and the reason that is told.
REFUSED: dict[str, tuple[str, Sequence[int], str]] = {
    "neighbours": (programs.SCATTERED_NEIGHBORS, (5, 8, 12), "neighbor_allgatherv at program.c"),
    "rounds": (
        programs.SCATTERED_ROUNDS,
        (5, 8, 12),
        r"send at program.c:\d+ \(call 1\): no offset and no formula gives its peers: rank ",
    ),
    "targets": (
        programs.SCATTERED_TARGETS,
        (5, 8, 12),
        r"put at program.c:\d+ .*: no offset and no formula gives its peers: rank 9 of 12 has rank 4,",
    ),
    "peers": (
        programs.PERMUTED,
        (5, 8, 12),
        "no offset and no formula gives its peers: .* rank 10 of 12 has rank 3, ",
    ),
    "blocks": (
        masters.STRANGE_BLOCKS,
        (4, 5, 7),
        r"sendrecv at program.c:\d+ .*: no rule gives its bytes, \[80, 88, 96, 112\]",
    ),
    "peers at times": (
        masters.PERMUTED_AT_TIMES,
        (5, 8, 12),
        "no offset and no formula gives its peers in some of its calls: .* rank 10 of 12 has rank 3, ",
    ),
    "a small count that hides a pattern": (
        programs.FAR_NEIGHBORS,
        (4, 5, 7, 9),
        "without 4 ranks there is a pattern of 5, 7, 9 ranks$",
    ),
    "a tree of another root": (programs.TREE_OF_ANOTHER_ROOT, (5, 8, 12), "no "),
    "communicators": (
        programs.SCATTERED_GROUPS,
        (5, 8, 12),
        r"none of rows, columns or planes \(rank 0 of 12, .*\); on 12 ranks it has 10, 5, 0$",
    ),
    "ranks that serve output": (
        programs.OUTPUT_SERVERS,
        (5, 8, 12),
        r"comm_create at program.c:\d+ .*: its communicator is none of rows, columns or planes "
        r"\(rank 0 of 12, .*\); on 12 ranks it has 0 to 9$",
    ),
    "blocks after a pipeline": (
        programs.STRANGE_TRANSPOSE,
        (3, 4, 5, 6, 8),
        r"alltoall at program.c:\d+ .*: no rule gives its bytes, \[\d+, ",
    ),
    "roots": (
        programs.STRANGE_ROOTS,
        (4, 5, 7, 11),
        r"bcast at program.c:\d+ .*: no rule gives its roots, \[\d+, ",
    ),
    "tags in turn": (programs.TAGS_IN_TURN, (4, 5, 7), r"no rule gives its tags, \[0, 1, 2\] \("),
    "a count that is too small": (
        programs.FAR_NEIGHBORS,
        (4, 5, 6),
        r": 4 ranks are too few to tell its neighbours apart, since the steps \[2\] and \[-2\] lead to "
        "the same rank; record larger counts",
    ),
    "two counts that are too small": (
        programs.FAR_NEIGHBORS,
        (3, 4, 7),
        r": 3 ranks are too few to tell its neighbours apart, since the steps \[\S+\] and \[\S+\] lead to the "
        r"same rank, and 4 ranks since the steps \[2\] and \[-2\] lead to the same rank; record larger counts",
    ),
    "two exchanges on one line": (
        programs.TWO_EXCHANGES_ON_ONE_LINE,
        (4, 6, 8),
        r"sendrecv at program.c:\d+: with these peers it is made on 6 ranks and not on 4, 8: one count tells no rule",
    ),
    "a branch at too few counts": (
        programs.EVEN_COUNTS,
        (4, 5, 6),
        "it is made on 4, 6 ranks and not on 5, and no rule was found that tells where",
    ),
    "a branch of large counts": (
        programs.BRANCH_OF_LARGE_COUNTS,
        (4, 8, 12),
        r"^sendrecv at .*; allreduce at program.c:(\d+): on 12 ranks alone; bcast at program.c:\d+, reduce "
        r"at program.c:\d+: on 4, 8 ranks alone$",
    ),
    "a branch at some counts": (
        programs.SOME_COUNTS,
        (4, 6, 8, 11),
        r"allreduce at program.c:\d+ .*: it is made on 6, 11 ranks and not on 4, 8, and no rule was "
        "found that tells where",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_without_a_rule_is_refused_with_call_ranks_and_reason(
    name: str, tmp_path: Path
) -> None:
    body, counts, said = REFUSED[name]
    with pytest.raises(TraceError) as raised:
        discover(recordings(tmp_path, body, counts))
    assert re.search(said, str(raised.value)), raised.value
    assert re.search(r"\(rank \d+ of \d+", str(raised.value))


def test_neighbours_at_a_distance_are_explained_at_larger_counts(tmp_path: Path) -> None:
    *traces, held = recordings(tmp_path, programs.FAR_NEIGHBORS, (5, 6, 8, 11))
    pattern, _ = discover(traces)
    assert first_difference(Trace.of(expand(pattern, 11)), held) is None


OTHER_PROGRAMS = {
    "with lines": (
        (),
        "^the recordings look like those of different programs, or builds of one: "
        r"init is at program.c:(\d+) on 4, 6 ranks and at program.c:(?!\1 )\d+ on 7, 8 ranks; those "
        "on 7, 8 ranks alone have barrier at program.c",
    ),
    "without lines": (
        ("-g0",),
        "^the recording on 8 ranks looks like one of another program, or takes another branch: it has "
        "barrier at main, which no other has, and lacks allreduce at main, which all others have$",
    ),
}


@pytest.mark.parametrize("name", OTHER_PROGRAMS)
def test_recordings_of_different_programs_are_told(name: str, tmp_path: Path) -> None:
    options, said = OTHER_PROGRAMS[name]
    one = "MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);"
    traces = recordings(tmp_path, one, (4, 6), options=options)
    counts = (8,) if options else (7, 8)
    traces += recordings(
        tmp_path, "MPI_Barrier(world);", counts, head="static int more;\n", options=options
    )
    with pytest.raises(TraceError, match=said):
        discover(traces)


def test_a_condition_on_the_rank_count_is_told_to_be_a_guess(tmp_path: Path) -> None:
    remarks = discover(recordings(tmp_path, programs.EVEN_COUNTS, (4, 5, 6, 7)))[1]
    said = (
        r"allreduce at program.c:\d+: it is made on 4, 6 ranks and not on 5, 7; the condition "
        '"P % 2 == 0" tells so, and may do so by chance'
    )
    others = ("the time before ", "so that what hangs on them looks constant")
    told = [remark for remark in remarks if not any(one in remark for one in others)]
    assert [remark for remark in told if re.match(said, remark)] == told != []


def test_what_powers_of_two_do_not_tell_is_told_and_refused_elsewhere(
    cli: Cli, tmp_path: Path
) -> None:
    *traces, held = recordings(tmp_path, programs.BUTTERFLY, (4, 8, 16, 32))
    pattern, remarks = discover(traces)
    no_peer = r"sendrecv at program.c:\d+ of rank {} has no peer: the step .* leads to x = {}, where nx = {}"
    known = r"known at powers of two only \(4, 8, 16 ranks\): on 6 ranks "
    assert any(re.match(known + no_peer.format(4, 6, 6), remark) for remark in remarks), remarks
    path = tmp_path / "a.pattern"
    path.write_text(pattern_text(pattern, remarks), encoding="utf-8")
    assert "# known at powers of two only" in path.read_text(encoding="utf-8")
    assert first_difference(Trace.of(expand(pattern, 32)), held) is None
    origin = "; the pattern was made from 4, 8, 16 ranks, all powers of two$"
    program = {"name": "trace", "trace": str(path), "ranks": 12}
    with pytest.raises(ConfigError, match="on 12 ranks " + no_peer.format(8, 12, 12) + origin):
        tw.simulate({"machine": {"name": "fattree-m"}, "program": program})
    more = recordings(tmp_path, programs.BUTTERFLY, (6,))
    assert not any("powers of two" in remark for remark in discover([*traces, *more])[1])
    files = [str(tmp_path / f"{ranks}.trace") for ranks in (4, 8, 16, 6)]
    done = cli("extrapolate", *files[:3], "-o", str(path), "--check", files[3])
    assert done.returncode == 1
    assert "6.trace differs from the pattern: on 6 ranks sendrecv at program.c" in done.stdout
    assert "known at powers of two only (4, 8, 16 ranks)" in done.stderr


@pytest.mark.parametrize(
    ("body", "counts", "said"),
    [
        (
            programs.DISSEMINATION,
            (4, 8, 16),
            r"powers of two only \(4, 8, 16 ranks\): nothing tells what "
            r".*ceil\(log2\(P\)\).* would be elsewhere; record 6 ranks",
        ),
        (
            programs.CANNON,
            (4, 9, 16),
            r"squares only \(4, 9, 16 ranks\): nothing tells nx from ny; record 6",
        ),
        (
            programs.PAIRS,
            (4, 6, 10),
            r"even counts only \(4, 6, 10 ranks\): on (\d+) ranks .*; record \1 ranks, if the program allows",
        ),
        (
            programs.HALVES,
            (6, 9, 15),
            r"multiples of 3 only \(6, 9, 15 ranks\): nothing tells what P // 2 would be elsewhere; record 7 ",
        ),
        (programs.BY_RANK, (9, 12, 16), ""),
    ],
)
def test_formulas_that_were_seen_at_one_kind_of_counts_are_told(
    body: str, counts: Sequence[int], said: str, tmp_path: Path
) -> None:
    remarks = discover(recordings(tmp_path, body, counts))[1]
    known = [remark for remark in remarks if remark.startswith("known at ")]
    assert len(known) == bool(said)
    assert all(re.match("known at " + said, remark) for remark in known), remarks


def test_imbalance_that_a_pattern_leaves_out_is_told(tmp_path: Path) -> None:
    remarks = discover(recordings(tmp_path, programs.MIRRORED_PARTNERS, (4, 5, 7)))[1]
    said = r"the time before \w+ at program.c:\d+ is \d\.\d times the mean on one of the ranks"
    assert any(re.match(said, remark) for remark in remarks), remarks


def test_formulas_with_as_many_numbers_as_values_are_told_to_be_guesses(tmp_path: Path) -> None:
    remarks = discover(recordings(tmp_path, programs.THRESHOLDS, (4, 6, 9)))[1]
    for said in (
        r"bcast at program.c:\d+: 80 \* \(ceil\(P / 2\) - 1\) may fit \[80, 160, 320\] by chance; record more",
        r"turns of the loop of allreduce at program.c:\d+: .* may fit \[2, 3\] by chance; record more",
    ):
        assert any(re.match(said, remark) for remark in remarks), remarks
    remarks = discover(recordings(tmp_path, programs.HALVES, (4, 5, 6, 7, 10)))[1]
    assert not any("by chance" in remark or "known at" in remark for remark in remarks), remarks


def test_turns_that_fit_three_counts_by_chance_are_told(tmp_path: Path) -> None:
    traces = recordings(tmp_path, programs.TURNS_OF_A_SOLVER, (5, 7, 10))
    said = r"turns of the loop of allreduce at program.c:\d+: P // 2 \+ 5 may also be ceil\(3 \* sqrt\(P\)\)"
    remarks = discover(traces)[1]
    assert any(re.match(said, remark) for remark in remarks), remarks
    # Another recording refutes them, and the reason does not praise what the rest would give.
    traces += recordings(tmp_path, programs.TURNS_OF_A_SOLVER, (4,))
    with pytest.raises(TraceError, match=f"5, 7, 10 ranks, of which a remark says: {said}"):
        discover(traces)


def test_numerators_that_recordings_leave_open_are_told(tmp_path: Path) -> None:
    remarks = discover(recordings(tmp_path, programs.TRANSPOSE_WITHOUT_REST, (3, 4, 6, 8)))[1]
    said = r"alltoall at .*: 8 \* \(92 // P\) \* \(45 // P\) may also be 8 \* \(92 // P\) \* \(47 // P\); record 23 ranks"
    assert any(re.match(said, remark) for remark in remarks), remarks


def test_one_recording_is_not_told_from_others(tmp_path: Path) -> None:
    assert other_program(recordings(tmp_path, programs.STRANGE_ROOTS, (4,))) == ""


def test_other_numbers_that_fit_few_rank_counts_are_told(tmp_path: Path) -> None:
    pattern, remarks = discover(recordings(tmp_path, programs.THIRDS, (4, 6, 8)))
    said = [
        r"turns of the loop of allreduce at program.c:\d+: ceil\(log2\(P\)\) may also be P // 3 \+ 1",
        r"bcast at program.c:\d+: 80 \* ceil\(log2\(P\)\) may also be 80 \* \(P // 3 \+ 1\)",
    ]
    for words in said:
        assert any(re.match(words, remark) for remark in remarks), remarks
    # Twelve ranks tell: the program has five turns there, and the pattern four.
    assert all("record 12 ranks" in remark for remark in remarks if "may also be P" in remark)
    (held,) = recordings(tmp_path, programs.THIRDS, (10,))
    assert first_difference(Trace.of(expand(pattern, 10)), held) is None
    pattern, remarks = discover(recordings(tmp_path, programs.THIRDS, (4, 5, 6, 8, 9)))
    assert "P // 3 + 1" in pattern_text(pattern)
    assert not [remark for remark in remarks if "may also be" in remark]
    assert first_difference(Trace.of(expand(pattern, 10)), held) is None


def test_communicators_of_a_node_are_told_to_be_known_at_the_recorded_nodes_only(
    tmp_path: Path,
) -> None:
    traces = recordings(tmp_path, programs.NODES, (4, 6, 8))
    told = [one for one in discover(traces)[1] if "MPI_Comm_split_type" in one]
    assert len(told) == 1 and "all recordings are of one node" in told[0]
    traces = [
        replace(one, facts={**one.facts, "hosts": [f"node{i}" for i in range(one.ranks // 2)]})
        for one in traces
    ]
    told = [one for one in discover(traces)[1] if "MPI_Comm_split_type" in one]
    assert "was recorded with 4 ranks on 2, 6 ranks on 3, 8 ranks on 4 nodes" in told[0]
    remarks = discover(recordings(tmp_path, programs.GATHERED_BLOCKS, (4, 6, 9)))[1]
    assert not any("node" in one for one in remarks)
