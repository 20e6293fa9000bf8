"""The advection and the Helmholtz solver from Python: cases, results, files, command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tradewind.errors import ConfigError, Error
from tradewind.models.case import Case
from tradewind.models.run import ModelRun, run

ADVECTION: dict[str, Any] = {
    "case": "solid_body",
    "alpha_deg": 90.0,
    "grid": [32, 16, 4],
    "time_step": "21600 s",
    "steps": 4,
    "tracers": 2,
}
HELMHOLTZ: dict[str, Any] = {"grid": [16, 12, 6], "restart": 2}


def found_by(done: ModelRun) -> dict[str, Any]:
    """Returns numbers, fields and traffic at the end of a run."""
    assert done.is_complete
    traffic = {"messages": done.messages, "bytes": done.bytes}
    return {**done.final.numbers, **done.final.fields, **traffic}


def advect(ranks: int = 1, **changed: object) -> dict[str, Any]:
    case = Case.read("semi_lagrangian", {"semi_lagrangian": ADVECTION | changed})
    return found_by(run(case, ranks))


def solve(ranks: int = 1, **changed: object) -> dict[str, Any]:
    return found_by(run(Case.read("helmholtz", {"helmholtz": HELMHOLTZ | changed}), ranks))


def test_both_exchanges_give_the_tracer_of_one_rank() -> None:
    serial = advect()
    assert serial["messages"] == 0
    assert serial["tracer"].shape == (16, 32, 4)
    assert serial["error"]["l2"] < 0.4
    for exchange in ("wide", "on_demand"):
        parallel = advect(6, exchange=exchange)
        assert np.array_equal(parallel["tracer"], serial["tracer"])
        halo = parallel["halo"]
        assert (halo["columns_sent"] < halo["columns"]) == (exchange == "on_demand")
        assert 0 < halo["bytes"] < parallel["bytes"]


def test_progress_is_told_and_may_end_the_run() -> None:
    case = Case.read("semi_lagrangian", {"semi_lagrangian": ADVECTION})
    seen: list[int] = []
    run(case, 3, lambda step, steps: seen.append(step))
    assert seen == [1, 2, 3, 4]

    def stop(step: int, steps: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(case, 3, stop)


@pytest.mark.parametrize("method", ["gcr", "pipelined_gcr"])
def test_solvers_agree_with_one_rank(method: str) -> None:
    serial, parallel = solve(1, method=method), solve(6, method=method)
    assert serial["iterations"] == parallel["iterations"] == len(serial["residuals"])
    assert np.allclose(serial["residuals"], parallel["residuals"], rtol=1e-6)
    assert parallel["true_residual"] < 1e-8
    reductions = serial["iterations"] * (2 if method == "gcr" else 1) - (method == "gcr")
    assert serial["reductions"] == reductions


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"grid": [31, 16, 4]}, "nx must be even"),
        ({"case": "vortex"}, "vortex"),
        ({"time_step": 21600}, "with its unit"),
        ({"width": 3}, "unknown key"),
        ({"max_wind_m_s": 5000.0}, "quarter of the globe"),
    ],
)
def test_wrong_cases_are_refused_with_a_reason(changed: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        advect(**changed)


def test_runs_that_fail_say_why() -> None:
    with pytest.raises(Error, match="beyond the halo"):
        advect(4, max_wind_m_s=10.0)
    with pytest.raises(Error, match="after 2 iterations"):
        solve(4, iterations=2)
    with pytest.raises(ConfigError, match="unknown table"):
        Case.read("helmholtz", {"pstswm": {}})


def test_commands_write_numbers_and_fields(cli: Callable[..., Any], tmp_path: Path) -> None:
    case = tmp_path / "case.toml"
    case.write_text(
        '[semi_lagrangian]\ngrid = [24, 12, 4]\ntime_step = "10800 s"\nexchange = "on_demand"\n',
        encoding="utf-8",
    )
    done = cli("run", "semi_lagrangian", case, "--simulated-ranks", 4, "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["halo"]["request_messages"] > 0
    case.write_text("[helmholtz]\ngrid = [12, 12, 6]\n", encoding="utf-8")
    done = cli("run", "helmholtz", case, "--simulated-ranks", 4)
    assert done.returncode == 0, done.stderr
    assert "true residual" in done.stdout
    assert cli("run", "helmholtz", case, "--simulated-ranks", 401).returncode == 2
