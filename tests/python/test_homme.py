"""What runs of the core on the cubed sphere show: sections, native points, series; and symmetry."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import needs_mpi

from tradewind.models.case import Case
from tradewind.models.dataset import to_dataset
from tradewind.models.run import ModelRun, plan, run
from tradewind.models.run_on_mpi import run_on_mpi

pytest.importorskip("xarray")

SMALL: dict[str, Any] = {"ne": 3, "case": "steady", "steps": 4, "output_every_hours": 1}
METHODS: dict[str, dict[str, Any]] = {
    "se": {"method": "se", "time_step": "1800 s", "hyperviscosity_m4_s": 1e17},
    "dg": {"method": "dg", "time_step": "200 s", "output_every_hours": 200 / 3600},
}


def core_run(changes: dict[str, Any], ranks: int = 1) -> ModelRun:
    return run(Case.read("homme", {"homme": SMALL | changes}), ranks)


def test_the_zonal_mean_of_the_beginning_is_the_jet() -> None:
    result = core_run({"ne": 8, "steps": 1})
    latitudes, levels = np.radians(result.axis("lat")), result.axis("lev") / 1000
    assert levels.shape == (26,)
    # jablonowski2006, eq. 2.
    eta = (levels - 0.252) * np.pi / 2
    jet = 35 * np.cos(eta)[:, None] ** 1.5 * np.sin(2 * latitudes) ** 2
    found = result.snapshots[0].fields["zonal_mean_east_wind_m_s"]
    assert np.max(np.abs(found - jet)) < 0.03
    temperature = result.snapshots[0].fields["zonal_mean_temperature_k"]
    assert 200 < temperature.min() < temperature.max() < 315


@pytest.mark.parametrize("method", sorted(METHODS))
def test_sections_and_points_have_the_same_bits_on_any_ranks(method: str) -> None:
    changes = METHODS[method] | {"native_grid": True}
    one, many = core_run(changes), core_run(changes, ranks=7)
    assert len(one.snapshots) > 1
    for snapshot, other in zip(one.snapshots, many.snapshots, strict=True):
        assert snapshot.fields.keys() == other.fields.keys()
        assert all(
            np.array_equal(snapshot.fields[name], other.fields[name]) for name in other.fields
        )


@needs_mpi
def test_sections_and_points_arrive_from_mpi() -> None:
    changes = METHODS["se"] | {"native_grid": True}
    here = core_run(changes)
    there = plan(Case.read("homme", {"homme": SMALL | changes}), 2)
    run_on_mpi(there)
    fields = there.final.fields
    assert fields["surface_pressure_at_points_hpa"].shape == (54 * 16,)
    assert all(np.array_equal(fields[name], here.final.fields[name]) for name in fields)


def corners_of(dataset: Any) -> Any:
    """Returns the positions of the corners of every face, [face][corner][x, y, z]."""
    longitude, latitude = np.radians(dataset.node_lon.values), np.radians(dataset.node_lat.values)
    around = np.cos(latitude)
    nodes = np.stack([around * np.cos(longitude), around * np.sin(longitude), np.sin(latitude)], -1)
    return nodes[dataset[dataset.mesh.face_node_connectivity].values]


@pytest.mark.parametrize("method", sorted(METHODS))
def test_native_points_form_a_mesh_of_ugrid(method: str) -> None:
    dataset = to_dataset(core_run(METHODS[method] | {"native_grid": True}))
    assert "UGRID-1.0" in dataset.Conventions
    assert dataset.mesh.cf_role == "mesh_topology"
    assert dataset.mesh.node_coordinates == "node_lon node_lat"
    assert dataset.ps_points.mesh == "mesh"
    assert dataset.ps_points.location == "node"
    corners = corners_of(dataset)
    middle = corners.mean(axis=1)
    normal = np.cross(corners[:, 2] - corners[:, 0], corners[:, 3] - corners[:, 1])
    area = 0.5 * np.sum(normal * middle, axis=1) / np.linalg.norm(middle, axis=1)
    # Counterclockwise, so that all are positive; flat faces lie below the sphere.
    assert area.min() > 0
    assert 0.97 < area.sum() / (4 * np.pi) < 1
    assert dataset.u_mean.cell_methods == "lon: mean"
    assert dataset.lev.positive == "down"


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_balanced_flow_keeps_the_symmetry_of_the_cube(method: str) -> None:
    """Both hemispheres mirror each other, and so do the four sides of the cube."""
    result = core_run(METHODS[method] | {"native_grid": True, "steps": 8})
    mesh = result.outline["mesh"]
    longitude, latitude = np.radians(mesh["longitudes"]), np.radians(mesh["latitudes"])
    pressure = result.final.fields["surface_pressure_at_points_hpa"]
    changed = np.max(
        np.abs(pressure - result.snapshots[0].fields["surface_pressure_at_points_hpa"])
    )
    sorted_pressure: list[Any] = []
    for turn, mirror in ((0, 1), (np.pi / 2, 1), (np.pi, 1), (0, -1)):
        around = np.cos(latitude)
        # Points at the same place belong to neighbours; their values decide the order.
        keys = (
            pressure,
            np.round(mirror * np.sin(latitude), 9),
            np.round(around * np.sin(longitude + turn), 9) + 0.0,
            np.round(around * np.cos(longitude + turn), 9) + 0.0,
        )
        sorted_pressure.append(pressure[np.lexsort(keys)])
    differences = [np.max(np.abs(other - sorted_pressure[0])) for other in sorted_pressure[1:]]
    assert max(differences) < 1e-9
    # The grid leaves its mark, which is a wave of number 4.
    assert 1e-6 < changed < 5


def test_the_error_of_energy_falls_with_the_square_of_the_step() -> None:
    """Without viscosity and without a return to the levels, steps alone change the energy."""
    rates = []
    for step in (1200, 600, 300):
        result = core_run(
            {
                "case": "baroclinic_wave",
                "time_step": f"{step} s",
                "steps": 3600 * 6 // step,
                "hyperviscosity_m4_s": 0,
                "top_viscosity_m2_s": 0,
                "remap_every": 1000,
            }
        )
        energy = [snapshot.number("total_energy_j_m2") for snapshot in result.snapshots]
        rates.append(abs(energy[-1] - energy[0]) / (6 * 3600))
    assert rates[0] > 4 * rates[1] > 16 * rates[2] > 0
    assert rates[2] < 1e-5


def test_series_and_sections_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from tradewind.plots import maps, sections, series
    from tradewind.plots.style import save

    result = core_run(METHODS["se"] | {"native_grid": True})
    titles = [axes.get_title(loc="left") for axes in series.draw(result).axes]
    assert titles[0] == "lowest surface pressure (hPa)"
    assert any(title.startswith("total energy, change from") for title in titles)
    drawn = sections.draw(result, result.final)
    assert drawn.axes[0].get_ylabel() == "reference pressure of the level (hPa)"
    low, high = drawn.axes[0].get_ylim()
    assert low > high
    # Fields at points have the same standard names, and are not drawn on the map.
    assert len(maps.draw(result, result.final).axes) == 4
    for name, figure in (("series", series.draw(result)), ("section", drawn)):
        assert save(figure, tmp_path / f"{name}.png").stat().st_size > 20_000
    # Two output times are no series, and shallow water has no levels.
    short = core_run(METHODS["se"] | {"steps": 1})
    assert series.headlines(short) == []
    assert sections.sections(core_run({"case": "williamson2", "steps": 1})) == []
