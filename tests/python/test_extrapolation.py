"""Patterns: what the recordings of a program at some rank counts say about all others."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli, needs_mpi
from recorded_programs import needs_mpicc
from recordings import (
    NOBODY,
    NONBLOCKING,
    Recording,
    blocks_round,
    halo,
    krylov,
    part,
    pencils,
    save,
    shifts,
    signals,
    single_waits,
    transposes,
)

import tradewind as tw
from tradewind import extrapolation, mpi
from tradewind.cli import extrapolate_command, main
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import (
    calls_in,
    discover,
    expand,
    first_difference,
    load_pattern,
    pattern_text,
)
from tradewind.extrapolation.alternatives import remarks_on_extents
from tradewind.extrapolation.counts import made_from, other_counts
from tradewind.extrapolation.fit import fit_whole
from tradewind.extrapolation.formula import evaluate, part_ceil, part_last, part_rest
from tradewind.extrapolation.grids import GridRule, balanced, coordinates, rank_at
from tradewind.extrapolation.other_numbers import remarks_on_numbers
from tradewind.extrapolation.samples import Samples
from tradewind.trace_file import WILDCARD, Trace, read_trace

Make = Callable[[int], Trace]
# The process grid of a program with that many ranks.
GRID = "processes=[{},{}]"


def uneven_halo(ranks: int) -> Trace:
    return halo(ranks, (347, 181))


# Programs, the rank counts at which they are recorded, and one at which they are not.
PROGRAMS: dict[str, tuple[Make, tuple[int, ...], int]] = {
    "periodic halo": (halo, (16, 36, 64), 144),
    "halo of blocks of different sizes": (uneven_halo, (20, 42, 72), 132),
    "halo with open ends": (lambda p: halo(p, periodic=False), (16, 36, 64), 144),
    "halo with null peers": (
        lambda p: halo(p, periodic=False, null_peers=True),
        (12, 30, 56),
        90,
    ),
    "halo in three dimensions": (lambda p: halo(p, (48, 48, 24), steps=3), (27, 48, 64), 216),
    "transposes in rows and columns": (transposes, (16, 36, 64), 144),
    "transposes of pencils": (pencils, (12, 20, 30), 42),
    "pencils whose last blocks are larger": (
        lambda p: pencils(p, (210, 130, 43), rounds_down=True),
        (12, 20, 30),
        56,
    ),
    "solver": (krylov, (8, 12, 20), 50),
    "waits for one request each": (single_waits, (9, 16, 25), 42),
    "waits by rank": (lambda p: single_waits(p, by_rank=True), (9, 16, 25), 42),
    "waits by rank on a torus": (
        lambda p: single_waits(p, periodic=True, by_rank=True),
        (9, 16, 25),
        42,
    ),
    "puts with signals": (signals, (5, 8, 12), 30),
    "all to all with all requests open": (shifts, (4, 6, 9), 12),
    "all to all in turns": (lambda p: shifts(p, by_turns=True), (5, 6, 9), 13),
    "blocks that go round": (blocks_round, (12, 20, 30), 56),
    "blocks that go to the end": (lambda p: blocks_round(p, periodic=False), (12, 20, 30), 56),
}


@cache
def patterns_of(make: Make, counts: tuple[int, ...]) -> tw.extrapolation.Pattern:
    """Returns the pattern of a program; it is searched for once, and no test changes it."""
    return discover([make(ranks) for ranks in counts])[0]


@pytest.mark.parametrize("program", PROGRAMS)
def test_a_recording_that_was_held_back_is_predicted_call_by_call(
    program: str, tmp_path: Path
) -> None:
    make, counts, held = PROGRAMS[program]
    text = pattern_text(patterns_of(make, counts))
    (tmp_path / "a.pattern").write_text(text)
    predicted = Trace.of(expand(load_pattern(tmp_path / "a.pattern"), held))
    assert first_difference(predicted, make(held), with_sites=True) is None
    # The comparison can tell: another rank count differs.
    assert first_difference(predicted, make(counts[0])) is not None


def test_a_pattern_takes_the_same_simulated_time_as_the_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    pattern = patterns_of(halo, (16, 36, 64))
    (tmp_path / "a.pattern").write_text(pattern_text(pattern))
    save(halo(100), tmp_path / "a.trace")
    times = [
        tw.simulate(
            {
                "machine": {"name": "fattree-m"},
                "program": {"name": "trace", "trace": str(tmp_path / name), **more},
            }
        ).time_s
        for name, more in (("a.pattern", {"ranks": 100}), ("a.trace", {}))
    ]
    # Computation is a fit; here it is exact but for the rounding of its factor.
    assert times[0] == pytest.approx(times[1], rel=1e-3)


# Our programs, the rank counts at which they are recorded, and one at which they are not.
OURS = (9, 12, 16), 20
NO_POWERS = (4, 5, 6, 8), 11


@needs_mpi
@needs_mpicc
@pytest.mark.parametrize(
    ("settings", "counts"),
    [
        (["halo", "grid=[240,180,144]", "width=2", "repeat=3", "process_grid=squarest"], OURS),
        (["transposition", "grid=[240,180,144]", "algorithm=native"], OURS),
        (["gcr", "flops=1", "iterations=6", "algorithm=native"], OURS),
        (["gcr", "flops=1", "iterations=6", "algorithm=recursive_doubling"], NO_POWERS),
        (["helmholtz", "grid=[240,180,16]", "method=gcr", "algorithm=native", GRID], OURS),
        (["grid_point_step", "grid=[240,180,16]", "algorithm=native", GRID], OURS),
    ],
    ids=lambda one: "" if isinstance(one, tuple) else f"{one[0]}-{one[-1]}",
)
def test_our_programs_on_mpi_are_predicted_call_by_call(
    settings: list[str], counts: tuple[Sequence[int], int], tmp_path: Path
) -> None:
    recorded_at, held_back = counts
    traces = {}
    for ranks in (*recorded_at, held_back):
        path = tmp_path / f"{ranks}.trace"
        command = [sys.executable, "-m", "tradewind"]
        run = [*command, "mpiexec", "-n", str(ranks), str(mpi.find().program), "run"]
        own = [word.format(*balanced(ranks, 2)) for word in settings]
        subprocess.run(
            [*command, "record", "-o", str(path), "--", *run, *own],
            check=True,
            capture_output=True,
        )
        traces[ranks] = read_trace(path)
    held = traces.pop(held_back)
    pattern, _ = discover(list(traces.values()))
    predicted = Trace.of(expand(pattern, held_back))
    assert first_difference(predicted, held, with_sites=True) is None


def test_people_change_a_pattern_and_name_a_problem_size(tmp_path: Path) -> None:
    text = pattern_text(patterns_of(uneven_halo, (20, 42, 72)))
    assert "part(347, nx, x)" in text
    changed = text.replace("part(347, nx, x)", "part(width, nx, x)").replace(
        "[sizes]", "[sizes]\nwidth = 694"
    )
    (tmp_path / "a.pattern").write_text(changed)
    predicted = Trace.of(expand(load_pattern(tmp_path / "a.pattern"), 132))
    assert first_difference(predicted, halo(132, (694, 181))) is None


def test_other_ways_to_cut_blocks_that_fit_the_recordings_are_told() -> None:
    def program(ranks: int) -> Trace:
        recording = Recording(ranks)
        counts = [8 * int(part_last(22, ranks, index)) for index in range(ranks)]
        for rank in range(ranks):
            recording.call(rank, "allgatherv", counts)
        return recording.trace()

    # On 3, 4 and 6 ranks odd rounds are dealt to all before the rest is, so that part_snake fits, too.
    pattern, remarks = discover([program(ranks) for ranks in (3, 4, 6)])
    assert remarks == [
        "part_last(22, m, j) may also be part_snake; record a rank count with m = 5, where they differ"
    ]
    assert first_difference(Trace.of(expand(pattern, 5)), program(5)) is None
    assert discover([program(ranks) for ranks in (3, 4, 5, 6)])[1] == []


def faces(ranks: int) -> Trace:
    """Records a halo of periodic blocks of 31^3 points, with the points around each block in its faces."""
    extents = balanced(ranks, 3)[::-1]

    def body(call: Callable[..., None], rank: int) -> None:
        own = [int(one) for one in coordinates(extents, rank)]
        sizes = [int(part(31, extent, at)) + 2 for extent, at in zip(extents, own, strict=True)]
        for _ in range(4):
            for axis in range(3):
                size = 8 * sizes[axis - 1] * sizes[axis - 2]
                up, down = (
                    int(rank_at(extents, [at + step * (n == axis) for n, at in enumerate(own)]))
                    for step in (1, -1)
                )
                for to, source in ((up, down), (down, up)):
                    ends = [to - rank, axis, size, source - rank, axis, size]
                    call("sendrecv", ends, site="halo.c:4")

    return recorded(body, ranks)


def test_faces_with_the_points_around_blocks_are_explained() -> None:
    pattern, remarks = discover([faces(ranks) for ranks in (8, 12, 27)])
    assert pattern.grid == GridRule("rising 3")
    for ranks in (18, 64, 120):
        assert first_difference(Trace.of(expand(pattern, ranks)), faces(ranks)) is None
    # Along an extent of 2 both neighbours are the same rank, which is told.
    _, told = discover([faces(ranks) for ranks in (8, 12, 18)])
    assert any(
        "nx = 2 in all recordings; record a number of ranks such as 36" in one for one in told
    )
    assert not any("= 2 in all recordings" in one for one in remarks)
    assert any(one.startswith("nx // 2, ny // 2 and nz // 2 are the same") for one in remarks)


@pytest.mark.parametrize(
    ("size", "expected"),
    [
        (lambda ranks, rank: 8 * -(-100 // ranks), "8 * ceil(100 / P)"),
        (lambda ranks, rank: 8 * part_ceil(100, ranks, rank), "8 * part_ceil(100, nx, x)"),
        (lambda ranks, rank: 8 * part_rest(100, ranks, rank), "8 * part_rest(100, nx, x)"),
        (lambda ranks, rank: 24 * (part(100, ranks, rank) + 4), "24 * (part(100, nx, x) + 4)"),
    ],
)
def test_blocks_that_are_rounded_or_have_points_around_them_are_explained(
    size: Callable[[int, int], int], expected: str
) -> None:
    def program(ranks: int) -> Trace:
        def body(call: Callable[..., None], rank: int) -> None:
            call("gather", [int(size(ranks, rank)), 0])

        return recorded(body, ranks)

    pattern, _ = discover([program(ranks) for ranks in (3, 7, 9, 11)])
    assert expected in pattern_text(pattern)
    assert first_difference(Trace.of(expand(pattern, 13)), program(13)) is None


def test_a_grid_that_explains_the_recordings_as_well_is_told() -> None:
    def halves(ranks: int) -> Trace:
        recording = Recording(ranks)
        for rank in range(ranks):
            first = rank < ranks // 2
            members = range(ranks // 2) if first else range(ranks // 2, ranks)
            comm = recording.builder.communicator(rank, list(members))
            recording.call(rank, "comm_create", [comm])
            recording.call(rank, "allreduce", [8], comm=comm)
        return recording.trace()

    _, remarks = discover([halves(ranks) for ranks in (4, 6, 8)])
    assert 'the process grid "balanced 2" may also be "ny = 2"; record 12 ranks' in " ".join(
        remarks
    )
    pattern, _ = discover([halves(ranks) for ranks in (4, 6, 8, 12)])
    assert first_difference(Trace.of(expand(pattern, 20)), halves(20)) is None


def test_only_times_that_count_are_told_if_their_fit_is_bad() -> None:
    def program(ranks: int, short_s: float) -> Trace:
        recording = Recording(ranks)
        for rank in range(ranks):
            # No line goes through the times on 8, 12 and 20 ranks.
            recording.call(rank, "barrier", computed=short_s if ranks == 12 else short_s / 9)
            recording.call(rank, "allreduce", [8], computed=16.0 / ranks)
        return recording.trace()

    for short_s, is_told in ((1e-3, False), (0.1, True)):
        _, remarks = discover([program(ranks, short_s) for ranks in (8, 12, 20)])
        told = [remark for remark in remarks if "the fit of the time" in remark]
        assert len(told) == is_told
        assert all(remark.startswith("the fit of the time before barrier") for remark in told)


def test_traces_of_other_programs_are_extrapolated(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for ranks in (4, 6, 8, 10):
        lines = [f"num_ranks {ranks}"]
        for rank in range(ranks):
            right, left = (rank + 1) % ranks, (rank - 1) % ranks
            lines += [f"rank {rank} {{", f"a: send {960 // 8}b to {right} tag 3"]
            lines += [f"b: recv {960 // 8}b from {left} tag 3", "b requires a", "}"]
        (tmp_path / f"{ranks}.goal").write_text("\n".join(lines) + "\n")
    traces = [str(tmp_path / f"{ranks}.goal") for ranks in (4, 6, 8)]
    held = str(tmp_path / "10.goal")
    done = cli("extrapolate", *traces, "-o", str(tmp_path / "a.pattern"), "--check", held)
    assert done.returncode == 0, done.stderr
    assert "equals the pattern, call by call" in " ".join(done.stdout.split())


def halo_bytes(rank: int, extents: tuple[int, int], points: tuple[int, int]) -> int:
    """Returns what a rank of `halo` sends in a step."""
    nx, ny = extents
    wide, high = part(points[0], nx, rank % nx), part(points[1], ny, rank // nx)
    return 2 * 8 * (wide + high)


def test_a_pattern_takes_another_process_grid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    text = pattern_text(patterns_of(uneven_halo, (20, 42, 72)))
    assert 'grid = "balanced 2"' in text
    (tmp_path / "a.pattern").write_text(text)
    (tmp_path / "fixed.pattern").write_text(text.replace("balanced 2", "9 x 8"))
    # 72 ranks are 9 x 8 by the rule.
    pattern = load_pattern(tmp_path / "fixed.pattern")
    assert first_difference(Trace.of(expand(pattern, 72)), halo(72, (347, 181))) is None
    with pytest.raises(TraceError, match="process grid 9 x 8 has 72 ranks, the program 60"):
        expand(pattern, 60)
    program = {"name": "trace", "trace": str(tmp_path / "a.pattern"), "ranks": 72}
    experiment = {
        "machine": "fattree-m",
        "program": {**program, "computation": "none"},
        "placement": {"rule": "tiles"},
        "sweep": {"program.processes": [[9, 8], [72, 1]]},
    }
    square, line = tw.simulate(experiment)
    assert [run.process_grids for run in (square, line)] == [{"": (9, 8)}, {"": (72, 1)}]
    plain = tw.simulate({key: table for key, table in experiment.items() if key != "sweep"})
    assert (plain.time_s, plain.counts) == (square.time_s, square.counts)
    sent = [halo_bytes(rank, (72, 1), (347, 181)) for rank in range(72)]
    assert line.counts["bytes"] - square.counts["bytes"] == 8 * (
        sum(sent) - sum(halo_bytes(rank, (9, 8), (347, 181)) for rank in range(72))
    )
    for key, value, told in (
        ("processes", [5, 4], "process grid 5 x 4 has 20 ranks, the program 72"),
        ("processes", [3, 4, 6], "process grid 3 x 4 x 6: that of the pattern has 2 extents"),
        ("allreduce", "quick", "there is no algorithm 'quick'; known are: recursive_doubling"),
        ("sites", "no.c:1 bcast=linear", 'no call of the trace is at "no.c:1"'),
    ):
        place = re.escape(f"experiment: program.{key} = {json.dumps(value)}: {told}")
        with pytest.raises(ConfigError, match=f"^{place}"):
            tw.simulate({"machine": "fattree-m", "program": {**program, key: value}})
    (unpacked,) = (tmp_path / "cache" / "tradewind" / "traces").glob("*-72-9x8.*-unpacked")
    with pytest.raises(ConfigError, match="the product must be 72 ranks"):
        tw.simulate(
            {
                "machine": "fattree-m",
                "program": {**program, "trace": str(unpacked), "processes": [5, 4]},
            }
        )
    save(halo(16), tmp_path / "a.trace")
    recorded = {"name": "trace", "trace": str(tmp_path / "a.trace"), "processes": [8, 2]}
    with pytest.raises(ConfigError, match="a recording keeps its own"):
        tw.simulate({"machine": "fattree-m", "program": recorded})


def test_the_time_of_computation_is_a_function_of_the_ranks() -> None:
    pattern = patterns_of(halo, (16, 36, 64))
    sums = [call for call in calls_in(pattern.body) if call.call == "allreduce"]
    assert [float(evaluate(call.processor, {"P": 1000})) for call in sums] == pytest.approx(
        [3e-3] * len(sums), rel=1e-3
    )


def refusal(make: Make, counts: tuple[int, ...] = (16, 36, 64)) -> str:
    with pytest.raises(TraceError) as raised:
        patterns_of(make, counts)
    return str(raised.value)


def irregular(ranks: int) -> Trace:
    recording = Recording(ranks)
    for rank in range(ranks):
        recording.call(rank, "allreduce", [8 * (rank * 7919 % 13 + 1)], site="solve.c:7")
    return recording.trace()


def random_peers(ranks: int) -> Trace:
    recording = Recording(ranks)
    for rank in range(ranks):
        if (rank * 7919) % 11 < 4:
            recording.call(rank, "barrier", site="odd.c:3")
        recording.call(rank, "allreduce", [8])
    return recording.trace()


def strange_groups(ranks: int) -> Trace:
    recording = Recording(ranks)
    for rank in range(ranks):
        members = [r for r in range(ranks) if r * 7919 % 5 == rank * 7919 % 5][::-1]
        comm = recording.builder.communicator(rank, members)
        recording.call(rank, "allreduce", [8], comm=comm)
    return recording.trace()


def test_calls_that_no_rule_explains_are_named_with_their_ranks() -> None:
    bytes_of_nobody = refusal(irregular)
    assert "allreduce at solve.c:7" in bytes_of_nobody
    assert "no rule gives its bytes" in bytes_of_nobody
    assert "rank 0 of 64" in bytes_of_nobody or "rank 0 of 16" in bytes_of_nobody
    ranks_of_nobody = refusal(random_peers)
    assert "barrier at odd.c:3" in ranks_of_nobody
    assert "which ranks" in ranks_of_nobody
    assert "none of rows, columns or planes" in refusal(strange_groups)


def from_any_source(ranks: int) -> Trace:
    """Rank 0 receives from all others in the order in which their messages came."""
    recording = Recording(ranks)
    for turn in range(1, ranks):
        other = 1 + (turn * 7919 + ranks) % (ranks - 1)
        recording.call(0, "recv", [other, 0, 64], flags=WILDCARD)
    for rank in range(1, ranks):
        recording.call(rank, "send", [-rank, 0, 64])
    return recording.trace()


def test_a_receive_from_any_source_without_a_rule_is_told_to_be_one() -> None:
    said = refusal(from_any_source, (8, 12, 20))
    assert "recv (call 0): it receives from any source; no rule tells which ranks make it" in said


def pairs_by_rank(ranks: int) -> Trace:
    """Receives are posted in the order of ranks, and two of them are waited for at a time."""
    recording = Recording(ranks)
    for rank in range(ranks):
        steps = sorted((rank + step) % ranks - rank for step in (-2, -1, 1, 2))
        for slot, step in enumerate(steps):
            recording.call(rank, "recv", [step, 0, 64, slot], flags=NONBLOCKING)
        for slot in (0, 2):
            recording.call(rank, "wait", [slot, slot + 1])
        for step in steps:
            recording.call(rank, "send", [step, 0, 64])
    return recording.trace()


def test_waits_for_requests_of_different_calls_are_refused() -> None:
    assert "some ranks wait for requests of other calls than the rest" in refusal(
        pairs_by_rank, (8, 12, 20)
    )


def test_traces_at_two_rank_counts_are_too_few() -> None:
    assert "given: 16, 36" in refusal(halo, (16, 36, 16))


def test_a_loop_whose_turns_depend_on_the_ranks_is_a_loop() -> None:
    def doubling(ranks: int) -> Trace:
        recording = Recording(ranks)
        for rank in range(ranks):
            for _ in range(3 * ranks):
                recording.call(rank, "barrier")
                recording.call(rank, "allreduce", [16])
        return recording.trace()

    pattern = patterns_of(doubling, (5, 7, 11))
    assert first_difference(Trace.of(expand(pattern, 40)), doubling(40)) is None
    assert sum(1 for _ in calls_in(pattern.body)) == 2


def test_requests_that_a_turn_leaves_open_are_completed_in_the_next_one() -> None:
    def pipelined(ranks: int) -> Trace:
        recording = Recording(ranks)
        for rank in range(ranks):
            right, left = (rank + 1) % ranks - rank, (rank - 1) % ranks - rank
            recording.call(rank, "recv", [left, 0, 64, 0], flags=NONBLOCKING)
            for turn in range(9):
                recording.call(rank, "send", [right, 0, 64])
                if turn < 8:
                    recording.call(rank, "recv", [left, 0, 64, 1 - turn % 2], flags=NONBLOCKING)
                recording.call(rank, "wait", [turn % 2])
        return recording.trace()

    pattern = patterns_of(pipelined, (5, 7, 11))
    assert first_difference(Trace.of(expand(pattern, 16)), pipelined(16)) is None


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (("version = 1", "version = 9"), "version = 9"),
        (('grid = "balanced 2"', 'grid = "spiral"'), "expected line, balanced 2"),
        (('call = "init"', 'call = "inti"'), 'call "inti" is unknown'),
        (("tags = [0]", "tag = [0]"), "unknown key"),
        (("part(347, nx, x)", "part(347, nx, w)"), "w is unknown"),
        (("part(347, nx, x)", "part(347, nx"), "is no formula"),
        (("part(347, nx, x)", "__import__('os')"), "is not allowed"),
        (("part(347, nx, x)", "part(-347, nx, x)"), "negative"),
        (("offsets = [[-1, 0]]", "offsets = [[-1]]"), "do not have 2 steps"),
        (("offsets = [[-1, 0]]", 'offsets = [["nx // w", 0]]'), "w is unknown"),
        (("offsets = [[-1, 0]]", 'offsets = [["1 / 0", 0]]'), "infinite or too large"),
        (("offsets = [[-1, 0]]", "offsets = [[[1], 0]]"), "expected a list of steps"),
        (("loop = 8", 'loop = 8\nindex = "x"'), "expected a name of its own"),
        (("loop = 8", 'loop = 1e12\nindex = "k"'), "allowed are"),
        (('call = "allreduce"', 'call = "put"\nwindow = 0'), "has 0 offsets, must have 1"),
        (('call = "allreduce"', 'call = "fence"'), "window is missing"),
        (('call = "allreduce"', 'call = "allreduce"\ngroup = "x of spiral"'), "expected line"),
        (('call = "allreduce"', 'call = "allreduce"\ngrid = "nx = 7"'), "no multiple"),
        (('call = "allreduce"', 'call = "allreduce"\norder = "rank"'), "is for messages"),
        (("tags = [0]", 'tags = [0]\norder = "size"'), 'expected "rank"'),
        (("tags = [0]", 'tags = ["peer - 1000"]'), "negative"),
        (("loop = 8", "loop = 1e400"), "too large"),
        (("loop = 8", "loop = 4611686018427387904"), "computes for too long in loops"),
    ],
)
def test_a_pattern_with_a_mistake_is_refused_in_one_line(
    change: tuple[str, str], said: str, tmp_path: Path
) -> None:
    text = pattern_text(patterns_of(uneven_halo, (20, 42, 72)))
    assert change[0] in text
    path = tmp_path / "a.pattern"
    path.write_text(text.replace(*change))
    with pytest.raises((TraceError, ConfigError)) as raised:
        expand(load_pattern(path), 30)
    assert said in str(raised.value)
    assert "\n" not in str(raised.value)


def test_rules_of_grids() -> None:
    assert balanced(12, 2) == (4, 3)
    assert balanced(64, 3) == (4, 4, 4)
    assert balanced(7, 2) == (7, 1)
    assert GridRule("rising 2").extents(12) == (3, 4)
    assert GridRule("nx = 4").extents(12) == (4, 3)
    assert GridRule("ny = 4").extents(12) == (3, 4)
    with pytest.raises(TraceError, match="no multiple"):
        GridRule("nx = 5").extents(12)


def test_the_command_writes_a_pattern_that_an_experiment_names(cli: Cli, tmp_path: Path) -> None:
    for ranks in (16, 36, 64, 100):
        save(halo(ranks, steps=3), tmp_path / f"a{ranks}.trace")
    done = cli(
        "extrapolate",
        *(str(tmp_path / f"a{ranks}.trace") for ranks in (16, 36, 64)),
        "-o",
        str(tmp_path / "a.pattern"),
        "--check",
        str(tmp_path / "a100.trace"),
        "--json",
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["grid"] == "balanced 2"
    assert list(told["checks"].values()) == ["equal"]
    (tmp_path / "a.toml").write_text(
        '[machine]\nname = "torus-m"\n[program]\nname = "trace"\ntrace = "a.pattern"\n'
        '[sweep]\n"program.ranks" = [64, 256]\n'
    )
    swept = cli("simulate", str(tmp_path / "a.toml"), "--json", "-o", str(tmp_path / "out"))
    assert swept.returncode == 0, swept.stderr
    assert len(json.loads(swept.stdout)["runs"]) == 2


def test_more_ranks_than_the_machine_has_room_for_are_refused_before_their_calls_are_written(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.pattern").write_text(pattern_text(patterns_of(halo, (16, 36, 64))))
    (tmp_path / "a.toml").write_text(
        '[machine]\nname = "fattree-m"\n[program]\nname = "trace"\ntrace = "a.pattern"\nranks = 3000000\n'
    )
    done = cli("simulate", str(tmp_path / "a.toml"))
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    assert "program.ranks = 3000000: the machine has room for 1..390625" in line
    # The calls of all ranks take long to write.
    monkeypatch.setattr(
        extrapolation, "expand_for_replay", lambda *_: pytest.fail("the calls were written")
    )
    with pytest.raises(ConfigError, match="has room for"):
        tw.simulate(tmp_path / "a.toml")


def test_a_check_that_fails_is_said_and_gives_status_1(cli: Cli, tmp_path: Path) -> None:
    for ranks in (16, 36, 64):
        save(halo(ranks, steps=3), tmp_path / f"a{ranks}.trace")
    save(halo(100, steps=4), tmp_path / "other.trace")
    done = cli(
        "extrapolate",
        *(str(tmp_path / f"a{ranks}.trace") for ranks in (16, 36, 64)),
        "-o",
        str(tmp_path / "a.pattern"),
        "--check",
        str(tmp_path / "other.trace"),
    )
    assert done.returncode == 1
    assert "differs from the pattern: rank 0" in done.stdout
    assert "the recording" in done.stdout


@pytest.mark.parametrize(
    ("grid", "told"),
    [
        ("8 x 4", "a4.trace: process grid 8 x 4 has 32 ranks, the program 4; expected a rule"),
        ("nx = 4", 'a6.trace: grid = "nx = 4": 6 ranks are no multiple of it; expected a rule'),
        ("square", 'grid = "square": expected line, balanced 2, '),
    ],
)
def test_a_grid_that_a_recording_does_not_have_is_refused(
    grid: str, told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = [str(save(halo(ranks), tmp_path / f"a{ranks}.trace")) for ranks in (4, 6, 8)]
    output = str(tmp_path / "a.pattern")
    assert main(["extrapolate", *paths, "-o", output, "--grid", grid]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.replace(f"{tmp_path}/", "").startswith(f"error: {told}")


@pytest.mark.parametrize("words", [[], ["--json"]])
def test_a_long_search_says_that_it_goes_on(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def searched(*_: object) -> None:
        time.sleep(1.2)
        raise TraceError("send (call 1): no rule")

    monkeypatch.setattr(extrapolate_command, "discover", searched)
    monkeypatch.setattr(extrapolate_command, "_QUIET_S", 0.1)
    path = str(save(halo(4), tmp_path / "a.trace"))
    assert main(["extrapolate", path, "-o", str(tmp_path / "a.pattern"), *words]) == 2
    *notes, error = capsys.readouterr().err.splitlines()
    assert error == "error: send (call 1): no rule"
    assert len(notes) == (0 if words else 1)
    assert all(note.startswith("still looking for the rule, after ") for note in notes)


@pytest.mark.parametrize("content", [b"", b"PK", b"hello", b"PK\x03\x04" + bytes(100)])
def test_a_file_that_is_no_trace_is_told_in_one_line(
    content: bytes, cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "a.trace"
    path.write_bytes(content)
    done = cli("extrapolate", str(path), "-o", str(tmp_path / "a.pattern"))
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "a.trace" in done.stderr
    assert not (tmp_path / "a.pattern").exists()


def everyone(ranks: int) -> Trace:
    """A rank receives from all others, then sends to them: calls whose number grows with the ranks."""

    def body(call: Callable[..., None], rank: int) -> None:
        others = [other - rank for other in range(ranks) if other != rank]
        for slot, peer in enumerate(others):
            call("recv", [peer, 0, 100, slot], flags=NONBLOCKING)
        for slot, peer in enumerate(others, len(others)):
            call("send", [peer, 0, 100, slot], flags=NONBLOCKING)
        call("wait", range(2 * len(others)))

    return recorded(body, ranks)


def to_the_root(ranks: int) -> Trace:
    """Rank 0 receives from all others, one after the other."""

    def body(call: Callable[..., None], rank: int) -> None:
        for other in range(1, ranks) if rank == 0 else ():
            call("recv", [other, 0, 100])
        if rank > 0:
            call("send", [-rank, 0, 100])

    return recorded(body, ranks)


def recorded(body: Callable[..., None], ranks: int) -> Trace:
    recording = Recording(ranks)
    for rank in range(ranks):
        body(partial(recording.call, rank), rank)
    return recording.trace()


@pytest.mark.parametrize("make", [everyone, to_the_root])
def test_what_is_accepted_without_a_remark_holds_elsewhere(make: Callable[[int], Trace]) -> None:
    wrong = []
    for counts in itertools.combinations((4, 5, 6, 8, 9), 3):
        try:
            pattern, remarks = discover([make(ranks) for ranks in counts])
        except TraceError:
            continue
        predicted = Trace.of(expand(pattern, 11))
        if not remarks and first_difference(predicted, make(11)) is not None:
            wrong.append((counts, pattern))
    assert wrong == []


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((4, 8, 16), [32, 64, 128, 256]),
        ((2, 8, 32), [16, 64, 128, 256]),
        ((4, 9, 25), [16, 36, 49, 64]),
        ((6, 9, 12), [15, 18, 21, 24]),
        ((5, 6, 9), [8, 10, 11, 12]),
    ],
)
def test_other_counts_are_of_the_kind_of_the_recorded_ones(
    counts: tuple[int, ...], expected: list[int]
) -> None:
    assert other_counts(counts) == expected


@pytest.mark.parametrize(
    ("counts", "expected"),
    [
        ((), ""),
        ((4, 8, 16), "; the pattern was made from 4, 8, 16 ranks, all powers of two"),
        ((4, 9, 16), "; the pattern was made from 4, 9, 16 ranks, all squares"),
        ((6, -4, 0), "; the pattern was made from 6, -4, 0 ranks"),
        (range(1, 90), "; the pattern was made from 1, 2, 3, 4, 5, 6, 7, 8, ... ranks"),
    ],
)
def test_the_recorded_counts_are_told_with_what_they_have_in_common(
    counts: Sequence[int], expected: str
) -> None:
    assert made_from(counts) == expected


@pytest.mark.parametrize(
    ("other", "told"),
    [
        (
            signals,
            "has put_signal, wait_signal, win_create and 1 more, which no other has, and lacks ",
        ),
        (transposes, "has allgatherv, alltoall, .* which no other has, and lacks allreduce, "),
    ],
)
def test_recordings_of_two_programs_have_no_pattern(other: Make, told: str) -> None:
    one = [halo(ranks, (48, 48, 24), steps=3) for ranks in (8, 12)]
    with pytest.raises(TraceError, match=told):
        discover([*one, other(9)])


def test_a_difference_is_told_in_words() -> None:
    def sending(size: int, turns: int = 1) -> Trace:
        def body(call: Callable[..., None], rank: int) -> None:
            for _ in range(turns):
                call("sendrecv", [1 - 2 * rank, 3, size, NOBODY, 3, 0], site="a.c:7")

        return recorded(body, 2)

    told = first_difference(sending(8), sending(16), names=("the pattern", "the recording"))
    assert told == (
        "rank 0, call 0: sendrecv with rank 1, tag 3, 8 bytes and without peer at a.c:7 in the pattern, "
        "sendrecv with rank 1, tag 3, 16 bytes and without peer at a.c:7 in the recording"
    )
    told = first_difference(sending(8), sending(8, 2))
    assert told is not None and told.startswith(
        "rank 0: only the other has call 1, sendrecv with rank 1"
    )
    created = first_difference(transposes(16), halo(16))
    assert created is not None and "comm_create of ranks 0, 1, 2, 3" in created


def test_a_fixed_extent_that_other_grids_have_too_is_told() -> None:
    for rule, other in (("nx = 2", "rising 2"), ("ny = 2", "balanced 2")):
        assert remarks_on_extents(GridRule(rule), (4, 6, 8)) == [
            f'the process grid "{rule}" may also be "{other}", which is the same in all recordings; record a '
            "number of ranks such as 12, where it is another"
        ]
    assert remarks_on_extents(GridRule("nx = 2"), (4, 6, 12)) == []


@pytest.mark.parametrize(("unit", "points"), [(8, 181), (160, 1441)])
def test_whole_quotients_have_the_smallest_unit(unit: int, points: int) -> None:
    counts = np.asarray([4, 6, 7, 9])
    values = unit * (points // counts)
    first = np.zeros(4, np.int64)
    names = {"P": counts, "nx": counts, "rank": first, "x": first}
    samples = Samples(names, values, np.arange(4))
    formula = fit_whole(samples)
    assert isinstance(formula, str)
    assert formula.startswith(f"{unit} * (")
    others = " ".join(remarks_on_numbers("bcast", formula, samples, GridRule("line")))
    assert "may also be" in others
    more = np.arange(10, 40)
    found = evaluate(formula, {"P": more})
    assert np.all(np.abs(found - unit * (points // more)) <= unit)


def test_a_share_with_two_values_beside_another_factor_is_told() -> None:
    def padded(ranks: int) -> Trace:
        nx, ny = {4: (2, 2), 6: (3, 2), 9: (3, 3)}[ranks]
        recording = Recording(ranks)
        for rank in range(ranks):
            row, _ = recording.row_and_column(rank, nx, ny)
            block = 8 * (-(-37 // nx)) ** 2 * part(37, ny, rank // nx)
            recording.call(rank, "alltoall", [block], comm=row)
        return recording.trace()

    _, remarks = discover([padded(ranks) for ranks in (4, 6, 9)])
    told = "part(1152, nx, x) - 215, which is [169, 361], may fit by chance"
    assert any(told in remark for remark in remarks)


@pytest.mark.parametrize("which", ["recording", "check", "link"])
def test_a_pattern_does_not_replace_what_is_read(cli: Cli, tmp_path: Path, which: str) -> None:
    files = [tmp_path / f"a{ranks}.trace" for ranks in (4, 6, 9, 12)]
    for path, ranks in zip(files, (4, 6, 9, 12), strict=True):
        save(halo(ranks, steps=3), path)
    output = files[3] if which == "check" else files[0]
    before = output.read_bytes()
    if which == "link":
        output = tmp_path / "a.pattern"
        output.symlink_to(files[0])
    done = cli("extrapolate", *map(str, files[:3]), "--check", str(files[3]), "-o", str(output))
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {output}: is read, as ")
    assert output.read_bytes() == before
