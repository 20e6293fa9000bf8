"""Patterns of recordings whose problems have different sizes: bytes, turns and times follow the sizes."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from conftest import Cli, needs_mpi
from recorded_programs import compiled, launched, needs_mpicc
from recordings import Recording, halo, krylov, pencils, save, transposes

import tradewind as tw
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import (
    discover,
    expand,
    first_difference,
    load_pattern,
    pattern_text,
    problem_text,
    read_problem,
)
from tradewind.trace_file import Trace

Problem = dict[str, int]
Make = Callable[[int, Problem], Trace]

# Programs, the rank counts and problems at which they are recorded, and one at which they are not.
PROGRAMS: dict[str, tuple[Make, Sequence[tuple[int, Problem]], tuple[int, Problem]]] = {
    "halo of two sizes, by hand in few recordings": (
        lambda p, n: halo(p, (n["columns"], n["rows"])),
        [
            (16, {"columns": 347, "rows": 181}),
            (20, {"columns": 347, "rows": 181}),
            (42, {"columns": 347, "rows": 181}),
            (42, {"columns": 694, "rows": 181}),
            (72, {"columns": 347, "rows": 200}),
        ],
        (132, {"columns": 500, "rows": 333}),
    ),
    "halo in three dimensions": (
        lambda p, n: halo(p, (n["n"], n["n"], n["n"] // 2), steps=3),
        [(27, {"n": 48}), (48, {"n": 48}), (64, {"n": 48}), (48, {"n": 96})],
        (216, {"n": 144}),
    ),
    "transposes with a border": (
        lambda p, n: transposes(p, (n["n"] + 2, n["rows"])),
        [(p, {"n": 130, "rows": 70}) for p in (16, 36, 64)] + [(36, {"n": 260, "rows": 90})],
        (144, {"n": 300, "rows": 200}),
    ),
    "pencils whose extents are parts of one size": (
        lambda p, n: pencils(p, (n["n"], n["n"] // 2, 31)),
        [(p, {"n": n}) for n, p in ((200, 12), (200, 20), (242, 30), (242, 20), (242, 12))],
        (42, {"n": 300}),
    ),
    "a line through three sizes": (
        lambda p, n: halo(p, (3 * n["degree"] + 41, 181)),
        [(p, {"degree": n}) for n in (42, 85, 170) for p in (16, 20, 42)],
        (72, {"degree": 341}),
    ),
    "iterations that grow": (
        lambda p, n: krylov(p, iterations=3 * n["terms"]),
        [(8, {"terms": 5}), (12, {"terms": 10}), (20, {"terms": 15}), (8, {"terms": 10})],
        (50, {"terms": 60}),
    ),
    "a step for a hundred seconds": (
        lambda p, n: halo(p, (347, 181), steps=n["seconds"] // 100),
        [(p, {"seconds": n}) for p, n in ((16, 700), (20, 900), (42, 1100), (16, 1100))],
        (72, {"seconds": 2300}),
    ),
}


@pytest.mark.parametrize("program", PROGRAMS)
def test_another_size_on_more_ranks_is_predicted_call_by_call(program: str, tmp_path: Path) -> None:
    make, setups, (ranks, problem) = PROGRAMS[program]
    traces = [make(count, sizes) for count, sizes in setups]
    pattern, _ = discover(traces, problems=[sizes for _, sizes in setups])
    (tmp_path / "a.pattern").write_text(pattern_text(pattern))
    loaded = load_pattern(tmp_path / "a.pattern")
    predicted = Trace.of(expand(loaded.with_sizes(problem), ranks))
    assert first_difference(predicted, make(ranks, problem), with_sites=True) is None
    # The comparison can tell: the problem that the pattern has by itself is another one.
    assert first_difference(Trace.of(expand(loaded, ranks)), make(ranks, problem)) is not None


def test_a_line_through_two_sizes_is_no_rule() -> None:
    traces = [halo(p, (3 * n + 41, 181)) for n in (42, 85) for p in (16, 20, 42)]
    problems = [{"degree": n} for n in (42, 85) for _ in range(3)]
    with pytest.raises(TraceError, match="no rule gives its bytes"):
        discover(traces, problems=problems)


def test_an_unsaid_size_is_refused() -> None:
    traces = [halo(p, (n, 180)) for n in (347, 500) for p in (16, 20, 42)]
    with pytest.raises(TraceError, match="no rule gives its bytes"):
        discover(traces)


def test_sizes_that_change_with_the_ranks_alone_are_told() -> None:
    setups = [(16, 347), (20, 451), (42, 800)]
    traces = [halo(p, (n, 181)) for p, n in setups]
    problems = [{"n": n} for _, n in setups]
    _, remarks = discover(traces, problems=problems)
    assert any("n and the ranks change together in all recordings" in one for one in remarks)
    _, remarks = discover([*traces, halo(20, (347, 181))], problems=[*problems, {"n": 347}])
    assert not any("change together" in one for one in remarks)


def test_times_follow_the_sizes() -> None:
    def program(ranks: int, n: int, levels: int) -> Trace:
        recording = Recording(ranks)
        for rank in range(ranks):
            recording.call(rank, "allreduce", [8], computed=2e-9 * n * n * levels / ranks)
            recording.call(rank, "barrier", computed=3e-7 * (1 + n % 7))
        return recording.trace()

    setups = [(4, 300, 20), (6, 300, 20), (9, 300, 20), (6, 500, 20), (6, 300, 40)]
    problems = [{"n": n, "levels": levels} for _, n, levels in setups]
    pattern, _ = discover([program(*setup) for setup in setups], problems=problems)
    text = pattern_text(pattern)
    assert '"2e-09 * n * n * levels / P"' in text
    # Noise of a fraction of a microsecond does not grow with the problem.
    short = [line for line in text.splitlines() if "processor" in line][1]
    assert "e-0" in short
    assert "*" not in short


@needs_mpi
@needs_mpicc
def test_recordings_tell_their_sizes(cli: Cli, tmp_path: Path) -> None:
    program = compiled(
        tmp_path,
        """
        const int points = atoi(getenv("POINTS"));
        const int own = points / size + (rank < points % size);
        for (int step = 0; step < 6; ++step)
            MPI_Sendrecv(out, 8 * own, MPI_BYTE, (rank + 1) % size, 1, in, 4096, MPI_BYTE,
                         (rank + size - 1) % size, 1, world, MPI_STATUS_IGNORE);
        """,
    )
    command = [sys.executable, "-m", "tradewind"]
    names = []
    for ranks, points in ((3, 100), (4, 100), (5, 100), (4, 203), (6, 333)):
        names.append(f"{ranks}-{points}.trace")
        run = ["env", f"POINTS={points}", *launched(ranks, str(program))]
        size = ["--size", f"points={points}", "--size", "levels=1"]
        done = subprocess.run(
            [*command, "record", *size, "-o", str(tmp_path / names[-1]), "--", *run],
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    told = cli("inspect", str(tmp_path / names[0]))
    assert "on 3 ranks, points=100, levels=1, complete" in " ".join(told.stdout.split())
    *recorded, held = [str(tmp_path / name) for name in names]
    found = cli("extrapolate", *recorded, "-o", str(tmp_path / "a.pattern"), "--check", held)
    assert "6-333.trace equals the pattern, call by call" in found.stdout, found.stderr
    text = (tmp_path / "a.pattern").read_text()
    assert "8 * part(points, " in text
    assert "levels" not in text.partition("[sizes]")[2]


def test_the_command_takes_sizes_before_traces(cli: Cli, tmp_path: Path) -> None:
    for number, (n, ranks) in enumerate((n, p) for n in (347, 500) for p in (16, 20, 42)):
        save(halo(ranks, (n, 180)), tmp_path / f"{number}.trace")
    paths = [str(tmp_path / f"{number}.trace") for number in range(6)]
    words = ["n=347", *paths[:3], "n=500", *paths[3:]]
    output = str(tmp_path / "a.pattern")
    found = cli("extrapolate", *words, "-o", output)
    assert found.returncode == 0, found.stderr
    assert "8 * part(n, nx, x)" in (tmp_path / "a.pattern").read_text()
    for wrong, why in (
        ("nx=3", "the name has another meaning in formulas"),
        ("n=none", "expected a whole number from 1 on"),
        ("n=347,n=3", "is given twice"),
    ):
        refused = cli("extrapolate", wrong, *words[1:4], "-o", output)
        assert refused.returncode == 2
        assert why in refused.stderr
    part = cli("extrapolate", *words[1:4], *words[4:], "-o", output)
    assert part.returncode == 2
    assert "one recording has n, another none" in part.stderr


def test_an_experiment_sets_and_sweeps_the_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    setups = [(p, n) for n in (347, 500) for p in (16, 20, 42)]
    traces = [halo(p, (n, 180)) for p, n in setups]
    pattern, _ = discover(traces, problems=[{"n": n} for _, n in setups])
    (tmp_path / "a.pattern").write_text(pattern_text(pattern))
    machine = {"name": "fattree-m"}
    save(halo(72, (1000, 180)), tmp_path / "a.trace")

    def run(name: str, **more: object) -> tw.Run:
        program = {"name": "trace", "trace": str(tmp_path / name), **more}
        return tw.simulate({"machine": machine, "program": program})

    larger = run("a.pattern", ranks=72, problem_size="n=1000")
    recorded = run("a.trace")
    assert larger.counts["messages"] == recorded.counts["messages"]
    assert larger.counts["bytes"] == recorded.counts["bytes"]
    assert run("a.pattern", ranks=72).counts["bytes"] < larger.counts["bytes"]
    with pytest.raises(ConfigError, match="the pattern has no size depth; its sizes are: n"):
        run("a.pattern", ranks=72, problem_size="depth=3")
    with pytest.raises(ConfigError, match="a recording keeps its own"):
        run("a.trace", problem_size="n=3")


def test_sizes_are_written_as_they_are_read() -> None:
    problem = {"columns": 730, "levels": 20}
    assert read_problem(problem_text(problem)) == problem
