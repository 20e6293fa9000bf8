"""Spectra at named points: heights, a swell that passes, the same bits, files and refusals."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wave_meshes
from conftest import needs_mpi
from test_fvwam import case_of, same_bits, write_case

from tradewind.cli import main
from tradewind.errors import ConfigError
from tradewind.models.case import Case
from tradewind.models.dataset import to_station_dataset
from tradewind.models.run import Array, Checkpointing, ModelRun, plan, run, simulate
from tradewind.models.run_on_mpi import run_on_mpi

pytestmark = wave_meshes.needed

POINTS = "ocean 131 14  # near the track\nsouth -170 -45\nnorth 200 50\n"
EFTH = "variance_density_m2_s_rad"


def spectra_of(done: ModelRun) -> Array:
    return np.stack([snapshot.spectra[EFTH] for snapshot in done.snapshots])


def test_spectra_integrate_to_the_heights_of_the_cells() -> None:
    done = run(case_of({"points": POINTS, "output_every_hours": 0.5}), 3)
    stations = done.outline["stations"]
    assert stations["names"] == ["ocean", "south", "north"]
    frequency, direction = (axis["values"] for axis in stations["axes"])
    (width,) = (f["values"] for f in stations["fixed_fields"] if f["variable"] == "bandwidth")
    assert spectra_of(done).shape == (4, 3, len(frequency), len(direction)) == (4, 3, 10, 12)
    mesh = done.outline["mesh"]
    for number in range(3):
        (cell,) = np.flatnonzero(
            (mesh["face_longitudes"] == stations["longitudes"][number])
            & (mesh["face_latitudes"] == stations["latitudes"][number])
        )
        for snapshot in done.snapshots:
            along = snapshot.spectra[EFTH][number].sum(axis=1) * 2 * np.pi / len(direction)
            # The height has a tail f^-5 above the last frequency.
            variance = along @ width + along[-1] * frequency[-1] / 4
            height = snapshot.fields["significant_height_m"][cell]
            assert height > 0.1
            assert 4 * np.sqrt(variance) == pytest.approx(height, rel=1e-12)
        (depth,) = (f["values"] for f in stations["fixed_fields"] if f["variable"] == "depth")
        assert depth[number] == done.outline["fixed_fields"][0]["values"][cell]


def test_a_swell_passes_a_point_with_its_frequency_and_direction() -> None:
    swell = {
        "steps": None,
        "time_step": "1200 s",
        "hours": 72.0,
        "scheme": "limited",
        "output_every_hours": 2.0,
        "sources": "none",
        "start": "swell",
        "wind": "none",
        "wind_speed_m_s": None,
        "track": None,
        "directions": 24,
        "swell_longitude_deg": 150.0,
        "swell_latitude_deg": 0.0,
        "swell_radius_km": 800.0,
        "swell_direction_deg": 90.0,
        "swell_period_s": 1 / 0.069,
        "points": "start 150 0\nhere 165 0",
    }
    done = run(case_of(swell, wave_meshes.globe(2562)), 2)
    stations = done.outline["stations"]
    frequency, direction = (axis["values"] for axis in stations["axes"])
    energy = spectra_of(done).sum(axis=(2, 3))
    assert energy[0, 1] < 0.1 * energy[0, 0]
    assert np.argmax(energy[:, 0]) == 0
    # The distance from the centre of the swell over the group velocity of deep water.
    east = stations["longitudes"][1] - 150
    hours = np.radians(east) * 6371220 * 4 * np.pi * 0.069 / 9.80616 / 3600
    peak = int(np.argmax(energy[:, 1]))
    assert 2.0 * peak == pytest.approx(hours, rel=0.1) and 0 < peak < len(energy) - 1
    m, k = np.unravel_index(np.argmax(spectra_of(done)[peak, 1]), (len(frequency), len(direction)))
    assert frequency[m] == pytest.approx(0.069, rel=0.01)
    assert abs(direction[k] - 90) <= 7.5


@pytest.mark.parametrize("precision", ["single", "double"])
def test_spectra_have_the_same_bits_on_any_ranks(precision: str) -> None:
    kind = {"points": POINTS, "precision": precision}
    whole = run(case_of(kind))
    for ranks in (2, 3, 4):
        some = run(case_of(kind), ranks)
        assert np.array_equal(spectra_of(some), spectra_of(whole)) and same_bits(some, whole)
    assert same_bits(run(case_of({"precision": precision})), whole)


@needs_mpi
def test_spectra_have_the_same_bits_on_mpi() -> None:
    there = plan(case_of({"points": POINTS}), 2)
    run_on_mpi(there)
    here = run(case_of({"points": POINTS}))
    assert np.array_equal(spectra_of(there), spectra_of(here)) and same_bits(there, here)


def test_a_restart_goes_on_with_the_spectra_and_may_have_other_points(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.bin"
    changes: dict[str, Any] = {"points": POINTS, "output_every_hours": 0.5}
    simulate(plan(case_of(changes | {"steps": 2}), 3), None, Checkpointing(2, file))
    whole = run(case_of(changes | {"steps": 4}), 3)
    again = plan(case_of(changes | {"steps": 4}), 3)
    simulate(again, None, Checkpointing(restart=file))
    assert [snapshot.step for snapshot in again.snapshots] == [3, 4]
    assert np.array_equal(spectra_of(again), spectra_of(whole)[3:])
    other = plan(case_of(changes | {"steps": 4, "points": "south -170 -45"}), 3)
    simulate(other, None, Checkpointing(restart=file))
    assert np.array_equal(spectra_of(other)[:, 0], spectra_of(whole)[3:, 1])


@pytest.mark.parametrize(
    ("points", "told"),
    [
        ("ocean 131", "points, line 1"),
        ("ocean 131 14\nocean 140 14", "points, line 2: the name ocean is given twice"),
        ("ocean 131 14\nafrica 0 0", "africa is .* the point is on land or outside"),
        ("# none", "has no point"),
    ],
)
def test_points_that_cannot_be_shown_are_refused(points: str, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        plan(case_of({"points": points}))


def test_a_point_outside_a_region_is_refused_by_name() -> None:
    changes = {"points": "inside 128 19\noutside 150 19"}
    with pytest.raises(ConfigError, match=r"points: outside is \d+"):
        plan(case_of(changes, wave_meshes.region()))


def test_the_command_writes_spectra_after_cf_and_draws_them(tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("matplotlib")
    changes = {"points": POINTS, "output_every_hours": 0.5}
    case, out = write_case(tmp_path, changes), tmp_path / "out"
    assert main(["run", "fvwam", str(case), "--simulated-ranks", "2", "-o", str(out)]) == 0
    assert (out / "spectra.png").stat().st_size > 20_000
    done = run(Case.load("fvwam", case), 2)
    with xarray.open_dataset(out / "spectra.nc", decode_times=False) as dataset:
        assert dataset.featureType == "timeSeries" and dataset.Conventions == "CF-1.11"
        assert dataset.efth.dims == ("time", "station", "frequency", "direction")
        assert np.array_equal(dataset.efth.values, spectra_of(done))
        assert (
            dataset.efth.standard_name == "sea_surface_wave_directional_variance_spectral_density"
        )
        assert dataset.efth.units == "m2 s rad-1"
        assert list(dataset.station_name.values) == ["ocean", "south", "north"]
        assert dataset.station_name.cf_role == "timeseries_id"
        assert dataset.frequency.units == "s-1" and dataset.direction.units == "degree"
        assert dataset.direction.standard_name == "sea_surface_wave_to_direction"
        assert np.allclose(dataset.time.values, [0, 1800, 3600, 5400])
    assert to_station_dataset(done).sizes["station"] == 3
    assert not any("station" in v.dims for v in xarray.open_dataset(out / "fields.nc").values())


def test_a_calm_point_and_many_points_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from tradewind.plots import spectra
    from tradewind.plots.style import save

    calm = {
        "wind": "none",
        "wind_speed_m_s": None,
        "track": None,
        "start": "calm",
        "sources": "none",
    }
    many = "\n".join(f"p{n} {140 + 5 * n} -20" for n in range(8))
    figure = spectra.draw(run(case_of(calm | {"points": many})))
    assert "2 more stations" in figure.get_suptitle()
    save(figure, tmp_path / "calm.png")
