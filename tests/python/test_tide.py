"""The water level of the wave model: the same bits on ranks and MPI, restarts, and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wave_meshes
from conftest import needs_mpi
from test_fvwam import case_of, same_bits

from tradewind.errors import ConfigError
from tradewind.models.run import Array, Checkpointing, ModelRun, plan, run, simulate
from tradewind.models.run_on_mpi import run_on_mpi

pytestmark = wave_meshes.needed

# Depths of the globe are 5 m and more.
TIDE: dict[str, Any] = {
    "tide_amplitude_m": 3.0,
    "tide_period_hours": 6.0,
    "output_every_hours": 0.5,
}


def levels(done: ModelRun) -> Array:
    return np.array([snapshot.number("level_m") for snapshot in done.snapshots])


def test_the_level_is_a_sine_that_is_shown() -> None:
    hours = np.array([0, 0.5, 1.0, 1.5])
    assert levels(run(case_of(TIDE))) == pytest.approx(3 * np.sin(2 * np.pi * hours / 6))
    high = run(case_of(TIDE | {"tide_phase_deg": 90.0}))
    assert levels(high) == pytest.approx(3 * np.cos(2 * np.pi * hours / 6))
    with pytest.raises(KeyError):
        levels(run(case_of()))


def test_a_tide_changes_shallow_seas_alone_and_has_the_same_bits_on_any_ranks() -> None:
    still, moved = run(case_of({"output_every_hours": 0.5})), run(case_of(TIDE))
    for ranks in (2, 3, 4):
        assert same_bits(run(case_of(TIDE | {"overlap": "computation"}), ranks), moved)
    (depth,) = (f["values"] for f in moved.outline["fixed_fields"] if f["variable"] == "depth")
    change = np.abs(
        moved.final.fields["significant_height_m"] / still.final.fields["significant_height_m"] - 1
    )
    assert change[depth < 30].max() > 0.01
    assert change[depth > 1500].max() < 1e-4


@needs_mpi
def test_a_tide_has_the_same_bits_on_mpi() -> None:
    there = plan(case_of(TIDE), 2)
    run_on_mpi(there)
    assert same_bits(there, run(case_of(TIDE)))


def test_a_swell_on_a_uniform_sea_follows_the_dispersion_relation() -> None:
    """The peak at a point of a sea 8 m deep shifts as sigma of its wave number."""
    changes: dict[str, Any] = {
        "tide_amplitude_m": 2.0,
        "tide_period_hours": 24.0,
        "steps": None,
        "hours": 6.0,
        "output_every_hours": 6.0,
        "depth_m": 8.0,
        "frequencies": 40,
        "frequency_ratio": 1.05,
        "first_frequency_hz": 0.04,
        "sources": "none",
        "wind": "none",
        "wind_speed_m_s": None,
        "track": None,
        "start": "swell",
        "swell_longitude_deg": 128.0,
        "swell_latitude_deg": 19.0,
        "swell_radius_km": 20000.0,
        "swell_period_s": 11.0,
        "precision": "double",
        "points": "middle 130 19",
        "time_step": "900 s",
    }
    done = run(case_of(changes, wave_meshes.region(200)), 2)
    stations = done.outline["stations"]
    frequency = stations["axes"][0]["values"]
    (width,) = (f["values"] for f in stations["fixed_fields"] if f["variable"] == "bandwidth")
    means, actions = [], []
    for snapshot in done.snapshots:
        action = snapshot.spectra["variance_density_m2_s_rad"][0].sum(axis=1) * width / frequency
        means.append(np.sum(action * np.log(frequency)) / action.sum())
        actions.append(action.sum())

    def squared(k: float, depth: float) -> float:
        return 9.80616 * k * float(np.tanh(k * depth))

    wanted = (2 * np.pi * np.exp(means[0])) ** 2
    k = 0.05
    for _ in range(200):
        k *= (wanted / squared(k, 8.0)) ** 0.5
    shift = 0.5 * np.log(squared(k, 10.0) / squared(k, 8.0))
    assert shift > 0.05
    assert means[1] - means[0] == pytest.approx(shift, rel=0.03)
    assert actions[1] == pytest.approx(actions[0], rel=0.05)


def test_a_restart_goes_on_with_the_tide(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.bin"
    simulate(plan(case_of(TIDE | {"steps": 2}), 3), None, Checkpointing(2, file))
    whole = run(case_of(TIDE | {"steps": 4}), 3)
    again = plan(case_of(TIDE | {"steps": 4}), 3)
    simulate(again, None, Checkpointing(restart=file))
    for one, other in zip(again.snapshots, whole.snapshots[3:], strict=True):
        assert one.numbers == other.numbers
        assert all(
            np.array_equal(one.fields[n], other.fields[n], equal_nan=True) for n in one.fields
        )
    with pytest.raises(ConfigError, match="tide_amplitude_m"):
        simulate(
            plan(case_of(TIDE | {"tide_amplitude_m": 2.0}), 3), None, Checkpointing(0, None, file)
        )


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"tide_amplitude_m": 5.0}, "leaves less than 0.25 m of water in cell"),
        ({"tide_amplitude_m": -1.0}, "tide_amplitude_m"),
        ({"tide_phase_deg": 90.0}, "tide_phase_deg needs tide_amplitude_m"),
    ],
)
def test_tides_that_cannot_be_are_refused(changes: dict[str, Any], told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        plan(case_of(changes))
