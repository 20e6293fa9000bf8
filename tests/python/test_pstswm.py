"""The shallow water model from Python: cases, results, files, command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tradewind as tw
from tradewind.errors import ConfigError, Error
from tradewind.models import run as models
from tradewind.models.case import Case
from tradewind.models.dataset import to_dataset
from tradewind.runs.run import Run

SMALL: dict[str, Any] = {
    "pstswm": {
        "case": 2,
        "truncation": 21,
        "time_step": "1800 s",
        "days": 1.0,
        "output_every_hours": 12.0,
        "levels": 2,
    }
}


def changed(**keys: object) -> dict[str, Any]:
    return {"pstswm": SMALL["pstswm"] | keys}


def test_a_steady_state_stays_and_is_the_same_on_any_number_of_ranks() -> None:
    serial = models.run(Case.read("pstswm", SMALL))
    parallel = models.run(Case.read("pstswm", SMALL), ranks=6)
    assert [snapshot.step for snapshot in serial.snapshots] == [0, 24, 48]
    assert serial.messages == 0 < parallel.messages
    for one, other in zip(serial.snapshots, parallel.snapshots, strict=True):
        assert one.numbers["depth_error"]["l2"] < 1e-13
        for name, field in one.fields.items():
            assert field.shape == (2, 32, 64)
            assert np.array_equal(field, other.fields[name])


@pytest.mark.parametrize("method", ["DTH", "DR"])
def test_distributed_sums_agree_to_rounding(method: str) -> None:
    serial = models.run(Case.read("pstswm", changed(case=6, days=0.5)))
    parallel = models.run(Case.read("pstswm", changed(case=6, days=0.5, method=method)), ranks=8)
    one, other = (run.snapshots[-1].fields["depth_m"] for run in (serial, parallel))
    assert np.max(np.abs(one - other)) < 1e-8


@pytest.mark.parametrize("method", ["transpose", "DTH", "DR"])
def test_thirteen_fields_travel_as_in_the_simulator_and_leave_the_bits_alone(method: str) -> None:
    def run(messages: str, days: float) -> models.ModelRun:
        keys = {"method": method, "processes": [2, 2], "messages": messages, "days": days}
        raw = changed(case=6, **keys)
        del raw["pstswm"]["output_every_hours"]
        return models.run(Case.read("pstswm", raw), ranks=4)

    own, all_fields, longer = run("own", 0.25), run("pstswm", 0.25), run("pstswm", 0.5)
    for name, field in own.snapshots[-1].fields.items():
        assert np.array_equal(field, all_fields.snapshots[-1].fields[name])
    program = {"name": "pstswm", "ranks": 4, "truncation": 21, "levels": 2, "method": method}
    program |= {"processes": [2, 2], "messages": "pstswm", "start": "under_way", "steps": 12}
    simulated = tw.simulate({"machine": "laptop", "program": program})
    assert isinstance(simulated, Run)
    # Twelve more steps; the beginning and the output cancel.
    assert longer.messages - all_fields.messages == simulated.counts["messages"]
    assert longer.bytes - all_fields.bytes == simulated.counts["bytes"]


def test_progress_is_told_and_may_end_the_run() -> None:
    seen: list[tuple[int, int]] = []
    models.run(Case.read("pstswm", SMALL), progress=lambda step, steps: seen.append((step, steps)))
    assert seen == [(step, 48) for step in range(1, 49)]

    def stop(step: int, steps: int) -> None:
        if step == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        models.run(Case.read("pstswm", SMALL), ranks=2, progress=stop)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"case": 7}, "observed 500 hPa"),
        ({"days": 0.01}, "multiple of the time step"),
        ({"time_step": 1800}, "with its unit"),
        ({"wind": 1}, "unknown key"),
        ({"longitudes": 60}, "aliases"),
        ({"time_step": "43200 s"}, "Courant number"),
        ({"fft": "magic"}, "known are: burst"),
        ({"messages": "magic"}, "pstswm_fields"),
    ],
)
def test_wrong_cases_are_refused_with_a_reason(keys: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        models.run(Case.read("pstswm", changed(**keys)))


def test_unknown_tables_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"unknown table \[machine\]"):
        Case.read("pstswm", SMALL | {"machine": {}})


def test_an_unstable_run_names_level_and_step() -> None:
    # A strong filter of leapfrog's time levels lowers the largest stable step.
    raw = changed(case=6, scheme="explicit", time_step="600 s", asselin=0.5, days=200 / 144)
    del raw["pstswm"]["output_every_hours"]
    with pytest.raises(Error, match=r"level 0 is not finite after step \d+ of 200"):
        models.run(Case.read("pstswm", raw))


def test_datasets_follow_the_cf_conventions() -> None:
    pytest.importorskip("xarray")
    dataset = to_dataset(models.run(Case.read("pstswm", SMALL)))
    assert dataset.attrs["Conventions"].startswith("CF-")
    assert dict(dataset.sizes) == {"time": 3, "level": 2, "lat": 32, "lon": 64}
    assert dataset["u"].attrs["standard_name"] == "eastward_wind"
    assert dataset["lat"].attrs["units"] == "degrees_north"
    assert float(dataset["lat"][0]) > 85
    assert all("units" in variable.attrs for variable in dataset.variables.values())


def test_the_command_writes_fields_maps_and_diagnostics(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    case = tmp_path / "case5.toml"
    case.write_text(
        '[pstswm]\ncase = 5\ntruncation = 21\ntime_step = "1800 s"\ndays = 0.25\n', encoding="utf-8"
    )
    done = cli("run", "pstswm", case, "--simulated-ranks", 3, "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["steps"] == 12
    assert summary == json.loads((tmp_path / "out" / "diagnostics.json").read_text("utf-8"))
    first, last = (entry["mass_m"] for entry in summary["snapshots"])
    assert last == pytest.approx(first, rel=1e-13)
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["diagnostics.json", "fields.nc", "map-end.png", "map-start.png"]
    refused = cli("run", "pstswm", case, "--simulated-ranks", 97)
    assert refused.returncode == 2
    assert "no factors" in refused.stderr
