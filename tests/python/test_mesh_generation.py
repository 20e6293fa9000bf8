"""Voronoi meshes: triangulations, Lloyd's method, geometry, refinement, and any number of cells."""

from __future__ import annotations

import numpy as np
import pytest

from tradewind import extras
from tradewind.errors import ConfigError
from tradewind.mesh import refine
from tradewind.mesh.check import check_mesh, mesh_quality, orthogonality
from tradewind.mesh.curve import curve_order
from tradewind.mesh.generation import generate, generate_region
from tradewind.mesh.icosahedron import fibonacci, frequency_of, subdivided
from tradewind.mesh.lloyd import centroids, moves, relaxed
from tradewind.mesh.refine import Box, Circle, Refinement, density_of, spacing_of
from tradewind.mesh.triangulation import (
    Points,
    Triangulation,
    bisected,
    moved,
    of_points,
    twins_of,
    unit,
    with_points_in,
)
from tradewind.mesh.voronoi import voronoi_mesh
from tradewind.mesh.voronoi_mesh import VoronoiMesh, east_and_north, latitudes, longitudes

pytestmark = pytest.mark.skipif(not extras.available("scipy"), reason="needs scipy")


def sorted_triangles(mesh: Triangulation) -> set[tuple[int, ...]]:
    return set(map(tuple, np.sort(mesh.triangles, axis=1).tolist()))


def spherical_area(a: Points, b: Points, c: Points) -> float:
    """Returns the area of a triangle by L'Huilier's theorem, unlike the code under test."""
    sides = [np.arccos(np.clip(one @ other, -1, 1)) for one, other in ((b, c), (c, a), (a, b))]
    half = sum(sides) / 2
    product = np.tan(half / 2) * np.prod([np.tan((half - side) / 2) for side in sides])
    return float(4 * np.arctan(np.sqrt(max(product, 0))))


@pytest.mark.parametrize("frequency", [1, 2, 3, 5, 6, 12])
def test_an_icosahedron_of_any_frequency_is_delaunay_with_twelve_points_of_degree_five(
    frequency: int,
) -> None:
    mesh = subdivided(frequency)
    assert len(mesh.points) == 10 * frequency**2 + 2
    assert frequency_of(len(mesh.points)) == frequency
    assert frequency_of(len(mesh.points) + 1) is None
    degrees = np.bincount(np.bincount(mesh.triangles.ravel()), minlength=7)
    assert degrees[5] == 12 and degrees[6] == len(mesh.points) - 12
    assert np.array_equal(mesh.twins, twins_of(mesh.triangles, len(mesh.points)))
    if frequency > 1:
        assert sorted_triangles(mesh) == sorted_triangles(of_points(mesh.points))


def test_flips_give_the_same_triangles_as_the_convex_hull() -> None:
    mesh = of_points(fibonacci(3000))
    random = np.random.default_rng(3)
    points = unit(mesh.points + 0.003 * random.normal(size=mesh.points.shape))
    after = moved(mesh, points)
    assert sorted_triangles(after) != sorted_triangles(mesh)
    assert sorted_triangles(after) == sorted_triangles(of_points(points))
    assert np.array_equal(after.twins, twins_of(after.triangles, len(points)))
    # Points that pass each other turn triangles over, which flips cannot mend.
    far = unit(mesh.points + 0.1 * random.normal(size=mesh.points.shape))
    assert sorted_triangles(moved(mesh, far)) == sorted_triangles(of_points(far))


def test_bisection_and_single_points_keep_the_connections_right() -> None:
    mesh = of_points(fibonacci(200))
    finer = bisected(mesh)
    assert len(finer.points) == 4 * 200 - 6
    assert np.array_equal(finer.twins, twins_of(finer.triangles, len(finer.points)))
    more = with_points_in(finer, np.array([0, 1, 17]))
    assert len(more.points) == 797
    assert np.array_equal(more.twins, twins_of(more.triangles, 797))
    after = moved(more, more.points)
    assert sorted_triangles(after) == sorted_triangles(of_points(more.points))


@pytest.mark.parametrize("cells", [12, 13, 42, 500, 1003, 2562])
def test_a_mesh_of_any_size_has_the_number_of_euler_and_the_area_of_the_sphere(cells: int) -> None:
    mesh = generate(cells)
    found = mesh_quality(mesh)
    assert (found.cells, found.edges, found.vertices) == (cells, 3 * cells - 6, 2 * cells - 4)
    assert found.euler == 2 and found.is_global
    globe = 4 * np.pi * mesh.radius_m**2
    assert abs(found.area_share - 1) < 1e-12
    assert abs(mesh.triangle_area_m2.sum() / globe - 1) < 1e-12
    assert found.orthogonality < 1e-12
    assert sum(6 * n - degree * n for degree, n in found.degrees.items()) == 12
    check_mesh(mesh, "the mesh")
    assert len(np.unique(mesh.cells, axis=0)) == cells


def test_areas_lengths_and_angles_are_those_of_their_definitions() -> None:
    mesh = generate(300, [Refinement(Circle(20, 40, 2000), 3, 3000)])
    for cell in range(0, 300, 7):
        count = mesh.edge_count[cell]
        corners = mesh.vertices[mesh.vertices_on_cell[cell, :count]]
        area = sum(
            spherical_area(mesh.cells[cell], corners[k], corners[(k + 1) % count])
            for k in range(count)
        )
        assert mesh.cell_area_m2[cell] == pytest.approx(area * mesh.radius_m**2, rel=1e-9)
    for edge in range(0, len(mesh.edges), 11):
        one, other = mesh.cells[mesh.cells_on_edge[edge]]
        start, end = mesh.vertices[mesh.vertices_on_edge[edge]]
        assert mesh.dc_m[edge] == pytest.approx(np.arccos(one @ other) * mesh.radius_m, rel=1e-9)
        assert mesh.dv_m[edge] == pytest.approx(
            np.arccos(min(start @ end, 1)) * mesh.radius_m, abs=1.0
        )
        east, north = (axis[0] for axis in east_and_north(mesh.edges[[edge]]))
        direction = np.cos(mesh.angle[edge]) * east + np.sin(mesh.angle[edge]) * north
        assert direction @ unit(other - one) == pytest.approx(1, abs=1e-12)
        # The second vertex is on the left of the normal.
        assert np.cross(direction, end - start) @ mesh.edges[edge] > 0
    for vertex in range(0, len(mesh.vertices), 13):
        distances = [mesh.vertices[vertex] @ mesh.cells[c] for c in mesh.cells_on_vertex[vertex]]
        assert np.ptp(distances) < 1e-12
        assert max(mesh.cells @ mesh.vertices[vertex]) == pytest.approx(distances[0], abs=1e-12)


def test_lists_of_neighbours_are_counter_clockwise_in_the_order_of_mpas() -> None:
    mesh = generate(400)
    for cell in range(0, 400, 3):
        count = mesh.edge_count[cell]
        east, north = (axis[0] for axis in east_and_north(mesh.cells[[cell]]))

        def turns(points: Points, east: Points = east, north: Points = north) -> None:
            angles = np.unwrap(np.arctan2(points @ north, points @ east))
            assert (np.diff(angles) > 0).all() and angles[-1] - angles[0] < 2 * np.pi

        turns(mesh.vertices[mesh.vertices_on_cell[cell, :count]])
        turns(mesh.cells[mesh.cells_on_cell[cell, :count]])
        for place in range(count):
            edge = mesh.edges_on_cell[cell, place]
            assert set(mesh.cells_on_edge[edge]) == {cell, mesh.cells_on_cell[cell, place]}
            pair = {mesh.vertices_on_cell[cell, (place - step) % count] for step in range(2)}
            assert set(mesh.vertices_on_edge[edge]) == pair
    for vertex in range(0, len(mesh.vertices), 5):
        for place in range(3):
            edges = [mesh.edges_on_vertex[vertex, (place + step) % 3] for step in range(2)]
            for edge in edges:
                assert mesh.cells_on_vertex[vertex, place] in mesh.cells_on_edge[edge]


# models.md, 5.6: cells, mean dc in km, largest over smallest area, the same of dc.
RAW = [
    (642, 961.26, 1.3099, 1.1911),
    (2562, 481.14, 1.3483, 1.1941),
    (10242, 240.63, 1.3585, 1.1949),
    (40962, 120.32, 1.3611, 1.1951),
]
# Cells, sweeps, largest over smallest area, the same of dc, smallest over mean dv.
LLOYD = [(642, 24, 1.2575, 1.1971, 0.7140), (2562, 83, 1.3346, 1.2341, 0.6894)]


@pytest.mark.parametrize(("cells", "dc_km", "area_ratio", "dc_ratio"), RAW)
def test_bisected_icosahedra_have_known_ratios(
    cells: int, dc_km: float, area_ratio: float, dc_ratio: float
) -> None:
    found = mesh_quality(generate(cells, sweeps=0))
    assert round(found.dc_mean_m / 1000, 2) == dc_km
    assert round(found.area_ratio, 4) == area_ratio
    assert round(found.dc_max_m / found.dc_min_m, 4) == dc_ratio
    assert found.degrees == {5: 12, 6: cells - 12}


@pytest.mark.parametrize(("cells", "sweeps", "area_ratio", "dc_ratio", "dv_ratio"), LLOYD)
def test_lloyds_method_converges_to_known_ratios(
    cells: int, sweeps: int, area_ratio: float, dc_ratio: float, dv_ratio: float
) -> None:
    frequency = frequency_of(cells)
    assert frequency is not None
    result = relaxed(subdivided(frequency), 1000)
    assert result.sweeps == sweeps and result.largest_move < 1e-4
    found = mesh_quality(voronoi_mesh(result.mesh))
    assert round(found.area_ratio, 4) == area_ratio
    assert round(found.dc_max_m / found.dc_min_m, 4) == dc_ratio
    assert round(found.dv_ratio, 4) == dv_ratio


def test_sweeps_reduce_the_distance_to_the_centroids() -> None:
    start = of_points(fibonacci(2000))
    seen: list[float] = []
    relaxed(start, 40, progress=lambda sweep, move: seen.append(move))
    assert len(seen) == 40 and seen[-1] < 0.25 * seen[0]
    rough, smooth = (mesh_quality(generate(2562, sweeps=n)).centroid_residual for n in (0, 60))
    assert smooth < 0.1 * rough


def test_centroids_are_those_of_a_fine_quadrature() -> None:
    density = density_of([Refinement(Circle(0, 0, 1000), 2, 12000)])
    mesh = of_points(fibonacci(200))
    samples = fibonacci(400_000)
    nearest = np.argmax(samples @ mesh.points.T, axis=1)
    for given in (None, density):
        mass = np.ones(len(samples)) if given is None else given(samples)
        sums = np.stack([np.bincount(nearest, mass * axis) for axis in samples.T], axis=1)
        away = np.linalg.norm(unit(sums) - centroids(mesh, given), axis=1)
        moved_by = np.linalg.norm(unit(sums) - mesh.points, axis=1).max()
        assert away.max() < 0.04 * moved_by
    assert moves(mesh, mesh.points).max() == 0


def test_the_spacing_follows_the_refinement() -> None:
    finer = [Refinement(Circle(130, 20, 1500), 4, 1500)]
    mesh = generate(8000, finer)
    expected = spacing_of(finer)(mesh.edges)
    assert np.isclose(expected.min(), 0.25) and expected.max() == 1
    inside, outside = expected < 0.2505, expected == 1
    assert inside.sum() > 300 and outside.sum() > 1000
    ratio = mesh.dc_m[outside].mean() / mesh.dc_m[inside].mean()
    assert ratio == pytest.approx(4, rel=0.06)
    between = ~inside & ~outside
    relative = mesh.dc_m[between] / expected[between]
    relative /= np.average(mesh.dc_m / expected)
    assert abs(relative.mean() - 1) < 0.06 and relative.std() < 0.1
    assert np.isclose(mesh.density.max(), 1) and np.isclose(mesh.density.min(), 4.0**-4)
    check_mesh(mesh, "the mesh")


def test_a_region_has_about_as_many_cells_as_asked_for_and_edges_of_one_cell() -> None:
    mesh = generate_region(1500, Box(90, 150, -5, 45))
    assert len(mesh.cells) == pytest.approx(1500, rel=0.05)
    lon, lat = np.degrees(longitudes(mesh.cells)), np.degrees(latitudes(mesh.cells))
    assert lon.min() >= 90 and lon.max() <= 150 and lat.min() >= -5 and lat.max() <= 45
    # Vertices - edges + cells of a disc.
    assert len(mesh.vertices) - len(mesh.edges) + len(mesh.cells) == 1
    assert not mesh.is_global and (mesh.cells_on_edge[:, 0] >= 0).all()
    assert (mesh.dc_m > 0).all()
    assert np.percentile(mesh.dc_m, 99) / np.percentile(mesh.dc_m, 1) < 1.6
    area = 2 * np.pi / 6 * (np.sin(np.radians(45)) + np.sin(np.radians(5)))
    assert mesh.cell_area_m2.sum() / mesh.radius_m**2 == pytest.approx(area, rel=0.03)
    check_mesh(mesh, "the region")


def test_boxes_know_the_date_line_and_the_poles() -> None:
    points = unit(
        np.array([[-1.0, 0.05, 0.0], [-1.0, -0.05, 0.0], [1.0, 0.0, 0.0], [0.0, 0.01, 1.0]])
    )
    assert Box(170, 190, -10, 10).contains(points).tolist() == [True, True, False, False]
    assert Box(-190, -170, -10, 10).contains(points).tolist() == [True, True, False, False]
    assert Box(0, 360, 80, 90).contains(points).tolist() == [False, False, False, True]
    assert Box(0, 10, -10, 10).distances(points)[2] == 0
    away = Box(10, 20, -10, 10).distances(points)[2]
    assert away == pytest.approx(np.radians(10), rel=1e-9)
    assert Box(0, 360, -90, 90).area() == pytest.approx(4 * np.pi)


def test_cells_follow_each_other_along_the_curve() -> None:
    points = fibonacci(4000)
    ordered = points[curve_order(points)]
    step = np.linalg.norm(np.diff(ordered, axis=0), axis=1)
    spacing = np.sqrt(4 * np.pi / 4000)
    assert step.mean() < 1.2 * spacing and step.max() < 5 * spacing
    # It ends where it starts.
    assert np.linalg.norm(ordered[0] - ordered[-1]) < 5 * spacing
    mesh = generate(4000)
    assert np.array_equal(curve_order(mesh.cells), np.arange(4000))


def test_the_same_settings_give_the_same_bits() -> None:
    finer = [Refinement(Box(0, 60, -30, 30), 2, 1000)]
    one, other = (generate(1200, finer, sweeps=5) for _ in range(2))
    assert isinstance(one, VoronoiMesh)
    for name, array in one.arrays().items():
        assert np.array_equal(array, getattr(other, name)), name


def test_meshes_that_cannot_be_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for cells in (0, 11, 10**9):
        with pytest.raises(ConfigError, match=f"mesh: {cells} cells, but they must be 12 to"):
            generate(cells)
    with pytest.raises(ConfigError, match="-1 sweeps"):
        generate(12, sweeps=-1)
    points = fibonacci(50)
    with pytest.raises(ConfigError, match="the same as another one"):
        of_points(np.concatenate([points, points[:1]]))
    with pytest.raises(ConfigError, match="do not surround the sphere"):
        of_points(points[:25])
    with pytest.raises(ConfigError, match="3 points, but at least 4"):
        of_points(points[:3])
    with pytest.raises(ConfigError, match=r"factor 0\.5"):
        Refinement(Circle(0, 0, 100), 0.5, 100)
    with pytest.raises(ConfigError, match="the radius must be above 0"):
        Circle(0, 0, 0)
    with pytest.raises(ConfigError, match="latitude"):
        Circle(0, 91, 10)
    with pytest.raises(ConfigError, match="east must be more than west"):
        Box(20, 10, 0, 10)
    with pytest.raises(ConfigError, match="south and north"):
        Box(0, 10, 10, 0)
    with pytest.raises(ConfigError, match="circle 0,0,1 km: no cell is inside"):
        generate(40, [Refinement(Circle(0, 0, 1), 2, 1)])
    with pytest.raises(
        ConfigError, match="too few of 40 cells are left for the rest of the sphere"
    ):
        generate(40, [Refinement(Circle(0, 0, 300), 1000, 10)])
    monkeypatch.setattr(refine, "_MOST_SAMPLES", 1 << 17)
    with pytest.raises(
        ConfigError, match="40 points are too few, or the refined area is too small"
    ):
        generate(40, [Refinement(Circle(0, 0, 100), 1000, 10)])
    with pytest.raises(ConfigError, match="it is too small"):
        generate_region(1000, Box(0, 1e-4, 0, 1e-4))


def test_edges_are_perpendicular_to_the_lines_between_cells() -> None:
    for mesh in (generate(1003), generate_region(200, Box(0, 40, 0, 40))):
        assert orthogonality(mesh).max() < 1e-12
    # A centre that is moved spoils the right angles around it.
    cells = mesh.cells.copy()
    cells[0] = unit(cells[0] + 0.1 * np.sqrt(mesh.cell_area_m2[0]) / mesh.radius_m)
    assert orthogonality(mesh.changed(cells=cells)).max() > 1e-3
