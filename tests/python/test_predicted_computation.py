"""The computation between calls of a recording that was held back, beside that of the pattern."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from conftest import Cli
from recordings import Recording, save

import tradewind as tw
from tradewind.extrapolation import expand, load_pattern
from tradewind.trace_file import Trace

SOLVE, SUM = "solve.c:12", "solve.c:30"
Seconds = Callable[[int, int], float]


def program(ranks: int, n: int, solving: Seconds, summing: Seconds, turns: int = 10) -> Trace:
    """A program that computes before an exchange and before a sum, in a loop."""
    recording = Recording(ranks)
    for rank in range(ranks):
        recording.call(rank, "init")
        for _ in range(turns):
            ends = [(rank + 1) % ranks - rank, 0, 8 * n, (rank - 1) % ranks - rank, 0, 8 * n]
            recording.call(rank, "sendrecv", ends, site=SOLVE, computed=solving(ranks, n))
            recording.call(rank, "allreduce", [8], site=SUM, computed=summing(ranks, n))
        recording.call(rank, "finalize")
    made = recording.trace()
    return replace(made, facts={**made.facts, "sizes": {"n": n}})


@dataclass(frozen=True)
class Case:
    """Times before two calls, those of the recording that is held back, and what is told.

    Args:
        solving: The time before the exchange by ranks and n, in s.
        summing: The time before the sum.
        held: Both times in the recording that is held back; none: by the same formulas.
        told: What the line says.
        named: The call sites that it names.
        warning: The warning; empty: there is none.
    """

    solving: Seconds
    summing: Seconds
    held: tuple[float, float] | None
    told: str
    named: tuple[str, ...] = ()
    warning: str = ""


def _a_millisecond(_ranks: int, _n: int) -> float:
    return 1e-3


def _short(_ranks: int, _n: int) -> float:
    return 1e-6


# At 12 ranks, n = 200 each time is passed through 120 times.
CASES = {
    "equal times": Case(
        lambda p, n: 1e-6 * n * n / p,
        _a_millisecond,
        None,
        "computation between calls: 520 ms by the pattern, 520 ms recorded (100%)",
    ),
    "a time that grows at larger sizes only": Case(
        _a_millisecond,
        _short,
        (4.6e-3, 1e-6),
        "120 ms by the pattern, 552 ms recorded (22%); "
        "furthest off: before sendrecv at solve.c:12 120 ms, recorded 552 ms",
        (SOLVE,),
        "the recording computes 4.6 times as long as the pattern",
    ),
    "a time that shrinks": Case(
        _a_millisecond,
        _a_millisecond,
        (1e-3, 1e-4),
        "240 ms by the pattern, 132 ms recorded (182%); "
        "furthest off: before allreduce at solve.c:30 120 ms, recorded 12 ms",
        (SUM,),
        "the pattern computes 1.8 times as long as the recording",
    ),
    "times that are off both ways": Case(
        _a_millisecond,
        _a_millisecond,
        (0.5e-3, 1.5e-3),
        "240 ms by the pattern, 240 ms recorded (100%); furthest off: "
        "before allreduce at solve.c:30 120 ms, recorded 180 ms; "
        "before sendrecv at solve.c:12 120 ms, recorded 60 ms",
        (SUM, SOLVE),
    ),
    "computation that the recordings lack": Case(
        lambda _p, _n: 0.0,
        lambda _p, _n: 0.0,
        (1e-3, 0.0),
        "0 ns by the pattern, 120 ms recorded (0%); "
        "furthest off: before sendrecv at solve.c:12 0 ns, recorded 120 ms",
        (SOLVE,),
        "the recording computes between calls, and the pattern does not",
    ),
    "computation that only the recordings have": Case(
        _a_millisecond,
        lambda _p, _n: 0.0,
        (0.0, 0.0),
        "120 ms by the pattern, 0 ns recorded; "
        "furthest off: before sendrecv at solve.c:12 120 ms, recorded 0 ns",
        (SOLVE,),
        "the pattern computes between calls, and the recording does not",
    ),
    "a fifth more": Case(
        _a_millisecond, _short, (1.2e-3, 1e-6), "120 ms by the pattern, 144 ms recorded (83%)"
    ),
    "microseconds": Case(
        _short,
        _short,
        (9e-6, 2e-6),
        "240 µs by the pattern, 1.32 ms recorded (18%); times so short are noise",
    ),
    "microseconds beside a long time": Case(
        _a_millisecond,
        _short,
        (1e-3, 9e-6),
        "120 ms by the pattern, 121 ms recorded (99%)",
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_check_compares_the_computation_between_calls(
    name: str, cli: Cli, tmp_path: Path
) -> None:
    case = CASES[name]
    setups = [(4, 100), (6, 100), (9, 100), (6, 150)]
    paths = [
        str(save(program(ranks, n, case.solving, case.summing), tmp_path / f"{ranks}-{n}.trace"))
        for ranks, n in setups
    ]
    held, times = tmp_path / "held.trace", case.held
    solving, summing = (
        (case.solving, case.summing)
        if times is None
        else (lambda _p, _n: times[0], lambda _p, _n: times[1])
    )
    save(program(12, 200, solving, summing), held)
    pattern = tmp_path / "a.pattern"
    command = ["extrapolate", *paths, "-o", str(pattern), "--check", str(held)]
    done = cli(*command)
    # Calls alone decide on the status.
    assert done.returncode == 0, done.stderr
    _, equal, told = done.stdout.splitlines()
    assert equal == f"{held} equals the pattern, call by call"
    assert told.startswith(f"{held}: computation between calls: ")
    assert told.endswith(case.told)
    warnings = [line for line in done.stderr.splitlines() if line.startswith("warning: ")]
    assert [line.partition(";")[0] for line in warnings] == (
        [f"warning: {held}: {case.warning}"] if case.warning else []
    )
    as_json = json.loads(cli(*command, "--json").stdout)
    assert as_json["checks"] == {str(held): "equal"}
    (found,) = as_json["computation"].values()
    assert found["is_off"] == bool(case.warning)
    assert tuple(one["site"] for one in found["furthest"]) == case.named
    if found["recorded_s"]:
        assert found["ratio"] == pytest.approx(found["predicted_s"] / found["recorded_s"])


def writer(ranks: int) -> Trace:
    """A program that opens a file once and writes two gigabytes in each of five turns."""
    recording = Recording(ranks)
    for rank in range(ranks):
        recording.call(rank, "file", [0], site="w.c:3", inside=0.25)
        for _ in range(5):
            recording.call(rank, "allreduce", [8], site="w.c:5", computed=1e-3)
            recording.call(rank, "file", [2**31 // ranks], site="w.c:6", inside=12.0 / ranks)
    return recording.trace()


def test_a_pattern_has_the_time_in_files(cli: Cli, tmp_path: Path) -> None:
    paths = [str(save(writer(ranks), tmp_path / f"{ranks}.trace")) for ranks in (4, 8, 16, 32)]
    pattern = tmp_path / "a.pattern"
    done = cli("extrapolate", *paths[:3], "-o", str(pattern), "--check", paths[3])
    assert done.returncode == 0, done.stderr
    both = "68 s by the pattern, 68 s recorded (100%)"
    assert f"(100%); in calls on files: {both}" in done.stdout
    assert 'io = "12 / P"' in pattern.read_text(encoding="utf-8")
    times = [
        tw.simulate(
            {
                "machine": {"name": "fattree-m"},
                "program": {"name": "trace", "trace": name, "ranks": 32},
            }
        ).time_s
        for name in (str(pattern), paths[3])
    ]
    assert times[0] == times[1] > 0.25 + 5 * (12 / 32 + 1e-3)
    trace = Trace.of(expand(load_pattern(pattern), 32))
    assert trace.arrays["inside"].max() == 5 * 12 * 10**12 // 32
    assert trace.arrays["inside_min"].max() == trace.arrays["inside_max"].max() == 375 * 10**9


def test_computation_is_not_compared_where_calls_differ(cli: Cli, tmp_path: Path) -> None:
    paths = [
        str(save(program(p, 100, _a_millisecond, _short), tmp_path / f"{p}.trace"))
        for p in (4, 6, 9)
    ]
    held = str(save(program(12, 100, _a_millisecond, _short, turns=20), tmp_path / "held.trace"))
    command = ["extrapolate", *paths, "-o", str(tmp_path / "a.pattern"), "--check", held]
    done = cli(*command, "--json")
    assert done.returncode == 1
    told = json.loads(done.stdout)
    assert told["checks"][held].startswith("differs from the pattern: ")
    assert told["computation"] == {}
