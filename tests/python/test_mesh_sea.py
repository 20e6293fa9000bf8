"""Parts of Voronoi meshes, the sea, its depth and the gradients, and distributions over processes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tradewind import extras
from tradewind.cli import main
from tradewind.errors import ConfigError
from tradewind.mesh.check import check_mesh, mesh_quality, orthogonality
from tradewind.mesh.depth import (
    Elevation,
    Shelf,
    Slope,
    coast_distances,
    depth_of_elevation,
    gradients,
    interpolated,
    read_elevation,
    with_depth,
)
from tradewind.mesh.generation import generate
from tradewind.mesh.graph_info import (
    graph_text,
    measured,
    partition,
    read_partition,
    sea_graph,
    write_partition,
)
from tradewind.mesh.refine import Box
from tradewind.mesh.region import (
    components,
    kept,
    marked_sea,
    region,
    sea_components,
    sea_only,
)
from tradewind.mesh.voronoi_mesh import (
    VoronoiMesh,
    east_and_north,
    latitudes,
    longitudes,
    unit_vectors,
)

pytestmark = pytest.mark.skipif(not extras.available("scipy"), reason="needs scipy")
needs_mask = pytest.mark.skipif(
    not extras.available("global_land_mask"), reason="needs global-land-mask"
)
needs_metis = pytest.mark.skipif(not extras.available("pymetis"), reason="needs pymetis")
needs_netcdf = pytest.mark.skipif(not extras.available("netCDF4"), reason="needs netCDF4")


@pytest.fixture(scope="module")
def globe() -> VoronoiMesh:
    return generate(10242, sweeps=5)


@pytest.fixture(scope="module")
def channel(globe: VoronoiMesh) -> VoronoiMesh:
    """Two seas: a band around the equator, and a cap around the north pole."""
    lat = np.degrees(latitudes(globe.cells))
    sea = (np.abs(lat) < 30) | (lat > 70)
    return globe.changed(sea=sea.astype(np.int32))


def test_a_part_of_a_mesh_is_the_same_mesh_with_other_numbers(globe: VoronoiMesh) -> None:
    stay = np.zeros(len(globe.cells), bool)
    stay[np.random.default_rng(1).permutation(len(stay))[:4000]] = True
    part = kept(globe, stay)
    check_mesh(part, "the part", connected=False)
    old = np.flatnonzero(stay)
    assert np.array_equal(part.cells, globe.cells[old])
    ends = part.cells_on_edge
    assert (ends[:, 0] >= 0).all() and (ends[:, 1] < 0).any()
    for cell in range(0, len(old), 37):
        before, after = globe.cells_on_cell[old[cell]], part.cells_on_cell[cell]
        for one, other in zip(before, after, strict=True):
            assert (other < 0) if one < 0 or not stay[one] else (old[other] == one)
    # Normals of edges with one cell point out of it.
    alone = np.flatnonzero(ends[:, 1] < 0)
    east, north = east_and_north(part.edges[alone])
    angle = part.angle[alone, None]
    outward = np.einsum(
        "ij,ij->i",
        np.cos(angle) * east + np.sin(angle) * north,
        part.edges[alone] - part.cells[ends[alone, 0]],
    )
    assert (outward > 0).all()
    assert orthogonality(part).max() < 1e-12
    assert np.allclose(part.kite_area_m2.sum(), part.cell_area_m2.sum(), rtol=1e-12)
    assert (part.cells_on_vertex >= 0).any(axis=1).all()


def test_a_region_keeps_what_is_inside(globe: VoronoiMesh) -> None:
    part = region(globe, Box(350, 370, -10, 20))
    lon = (np.degrees(longitudes(part.cells)) + 180) % 360 - 180
    assert lon.min() >= -10 and lon.max() <= 10
    with pytest.raises(ConfigError, match=r"region 0,0\.001,0,0\.001: no cell"):
        region(globe, Box(0, 0.001, 0, 0.001))


def test_the_largest_sea_is_kept_or_all_of_them(channel: VoronoiMesh) -> None:
    lat = np.abs(np.degrees(latitudes(channel.cells)))
    band, cap = int((lat < 30).sum()), int((channel.sea > 0).sum() - (lat < 30).sum())
    assert sea_components(channel) == [band, cap]
    largest, every = sea_only(channel), sea_only(channel, all_parts=True)
    assert len(largest.cells) == band and components(largest)[0] == 1
    assert len(every.cells) == band + cap and components(every)[0] == 2
    check_mesh(largest, "the band")
    with pytest.raises(ConfigError, match=f"in 2 parts that share no edge, of {band}, {cap} cells"):
        check_mesh(every, "both seas")
    # A ring has Euler's number 0.
    assert mesh_quality(largest).euler == 0


@needs_mask
def test_seven_tenths_of_the_globe_are_sea(globe: VoronoiMesh) -> None:
    marked = marked_sea(globe)
    assert mesh_quality(marked).sea_share == pytest.approx(0.71, abs=0.006)
    sea = sea_only(marked)
    assert mesh_quality(sea).area_share == pytest.approx(0.705, abs=0.012)
    for lon, lat, is_sea in ((-140, 0, 1), (25, 45, 0), (80, 0, 1), (100, 60, 0), (-30, 40, 1)):
        place = unit_vectors(*np.radians([[float(lon)], [float(lat)]]))
        assert marked.sea[np.argmax(marked.cells @ place[0])] == is_sea, (lon, lat)


def write_elevation(path: Path, step: float, height: Any, **changes: Any) -> Path:
    """Writes a file in the form of ETOPO5: longitudes from 0, the first one repeated at the end."""
    netcdf = pytest.importorskip("netCDF4")
    names = {"x": "ETOPO_X", "y": "ETOPO_Y", "units": ("degrees_east", "degrees_north")} | changes
    with netcdf.Dataset(path, "w", format="NETCDF3_CLASSIC") as file:
        lon, lat = np.arange(0, 360 + step / 2, step), np.arange(-90, 90 + step / 2, step)
        for name, axis, units in zip(
            (names["x"], names["y"]), (lon, lat), names["units"], strict=True
        ):
            file.createDimension(name, len(axis))
            file.createVariable(name, "f8", (name,))[:] = axis
            file.variables[name].units = units
        file.createVariable("ROSE", "f4", (names["y"], names["x"]))[:] = height(
            *np.meshgrid(lon, lat)
        )
    return path


def hilly(lon: Any, lat: Any) -> Any:
    return -4000 + 1000 * np.sin(np.radians(2 * lon)) * np.cos(np.radians(lat)) + 10 * lat


@needs_netcdf
@pytest.mark.parametrize("step", [0.5, 5.0])
def test_depths_come_from_a_grid_finer_or_coarser_than_the_mesh(
    step: float, globe: VoronoiMesh, tmp_path: Path
) -> None:
    grid = read_elevation(write_elevation(tmp_path / "relief.nc", step, hilly))
    assert grid.is_around and len(grid.longitude) == round(360 / step)
    depth = depth_of_elevation(globe, grid)
    lon, lat = np.degrees(longitudes(globe.cells)), np.degrees(latitudes(globe.cells))
    exact = -hilly(lon, lat)
    assert np.abs(depth - exact).max() < 12 and np.abs(depth - exact).mean() < 3
    deep = with_depth(globe, depth)
    east, north = deep.slope_east * globe.radius_m, deep.slope_north * globe.radius_m
    calm = np.abs(lat) < 80
    per_radian = -2000 * np.cos(np.radians(2 * lon))
    assert np.abs(east - per_radian)[calm].max() < 130
    per_radian = 1000 * np.sin(np.radians(2 * lon)) * np.sin(np.radians(lat)) - 10 * 180 / np.pi
    assert np.abs(north - per_radian)[calm].max() < 130


@needs_netcdf
def test_land_in_the_file_does_not_make_the_sea_beside_it_shallow(
    globe: VoronoiMesh, tmp_path: Path
) -> None:
    def cliff(lon: Any, lat: Any) -> Any:
        return np.where(lon < 180, 3000.0, -2000.0)

    grid = read_elevation(write_elevation(tmp_path / "cliff.nc", 0.25, cliff))
    depth = depth_of_elevation(globe, grid)
    lon = np.degrees(longitudes(globe.cells))
    assert np.allclose(depth[(lon > 185) & (lon < 355)], 2000)
    beside = (lon > 179.2) & (lon < 180) & (np.abs(latitudes(globe.cells)) < 0.5)
    assert beside.any() and np.allclose(depth[beside], 2000)
    polar = np.abs(latitudes(globe.cells)) > 1.4
    assert (depth[(lon > 10) & (lon < 170) & ~polar] < 0).all()
    assert with_depth(globe, depth, 7.5).depth_m.min() == 7.5


def test_grids_in_any_direction_give_the_same_heights() -> None:
    lon, lat = np.arange(0.0, 360, 10), np.arange(-80.0, 81, 10)
    height = np.cos(np.radians(lon))[None] * lat[:, None]
    points = unit_vectors(np.radians([3.0, 355.0, 200.0]), np.radians([12.0, -33.0, 89.0]))
    found = interpolated(Elevation(lon, lat, height, True), points)
    shifted = Elevation(lon - 180, lat, np.roll(height, 18, axis=1), True)
    assert np.allclose(interpolated(shifted, points), found)
    at = [
        (0.7 * 10 + 0.3 * 10 * np.cos(np.radians(10)), 0.7 * 20 + 0.3 * 20 * np.cos(np.radians(10)))
    ]
    assert found[0] == pytest.approx(0.8 * at[0][0] + 0.2 * at[0][1])
    # Beyond the last row its values count.
    assert found[2] == pytest.approx(80 * np.cos(np.radians(200)))


def test_beyond_the_ends_of_a_regional_grid_the_nearest_column_counts() -> None:
    lon, lat = np.arange(100.0, 151, 10), np.array([-10.0, 10.0])
    height = np.stack([lon, lon])
    points = unit_vectors(np.radians([98.0, 99.99, 125.0, 152.0, 300.0]), np.zeros(5))
    found = interpolated(Elevation(lon, lat, height, False), points)
    assert np.allclose(found, [100.0, 100.0, 125.0, 150.0, 150.0])


@needs_netcdf
def test_files_of_heights_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    def refused(match: str, path: Path, variable: str | None = None) -> None:
        with pytest.raises(ConfigError, match=match):
            read_elevation(path, variable)

    refused("cannot be read: No such file", tmp_path / "nothing.nc")
    text = tmp_path / "text.nc"
    text.write_text("no NetCDF", encoding="utf-8")
    refused("this is no NetCDF file", text)
    good = write_elevation(tmp_path / "good.nc", 30, hilly)
    refused("no variable HEIGHT of two dimensions, but", good, "HEIGHT")
    assert read_elevation(good, "ROSE").height_m.shape == (7, 12)
    hole = write_elevation(tmp_path / "hole.nc", 30, lambda lon, lat: np.where(lat > 0, np.nan, 1))
    refused("a height is missing", hole)
    other = write_elevation(tmp_path / "p.nc", 30, hilly, x="p", y="q", units=("m", "m"))
    refused("one longitude and one latitude are needed", other)


def test_a_slope_and_a_shelf_have_the_depths_of_their_formulas(globe: VoronoiMesh) -> None:
    beach = Slope(30, 10, 90, 1000, 0.002)
    depth = beach.depths(globe)
    near = np.argmax(globe.cells @ unit_vectors(*np.radians([[30.0], [10.0]]))[0])
    there = with_depth(globe, np.clip(depth, 1, 10000))
    assert there.slope_east[near] == pytest.approx(0.002, rel=0.01)
    assert abs(there.slope_north[near]) < 3e-5
    lat = np.abs(np.degrees(latitudes(globe.cells)))
    sea = globe.changed(sea=(lat < 30).astype(np.int32))
    distance = coast_distances(sea)
    exact = (30 - lat) * np.pi / 180 * globe.radius_m
    inside = lat < 25
    assert np.abs(distance - exact)[inside].max() < 130e3
    depth = Shelf(4000, 100, 500).depths(sea)
    assert depth[distance > 751e3].min() == 4000 and 100 <= depth.min() < 125
    middle = (distance > 100e3) & (distance < 400e3)
    assert middle.any() and np.allclose(depth[middle], 100 + distance[middle] / 5e3)
    with pytest.raises(ConfigError, match="a shelf needs a coast"):
        Shelf(4000, 100, 500).depths(globe)
    with pytest.raises(ConfigError, match="no finite number"):
        with_depth(globe, np.nan)
    for depth_m in (-100.0, 1e9):
        with pytest.raises(ConfigError, match="the greatest depth of the sea"):
            with_depth(globe, depth_m)
    with pytest.raises(ConfigError, match="the shallowest depth"):
        with_depth(globe, 4000.0, shallowest_m=1e5)


def test_gradients_use_the_sea_alone(channel: VoronoiMesh) -> None:
    values = latitudes(channel.cells) * channel.radius_m
    values = np.where(channel.sea > 0, values, 1e9)
    east, north = gradients(channel, values)
    # Beside land the neighbours are on one side, and the meridians are no parallels.
    band = np.abs(latitudes(channel.cells)) < np.radians(30)
    assert (channel.sea[band] > 0).all()
    assert np.abs(north[band] - 1).max() < 0.02 and np.abs(east[band]).max() < 0.03
    assert not north[channel.sea == 0].any()
    alone = kept(channel, np.arange(len(channel.cells)) == 5)
    assert gradients(alone, np.array([3.0]))[0] == 0


def test_the_graph_lists_the_neighbours_of_each_cell(channel: VoronoiMesh) -> None:
    lines = graph_text(channel).splitlines()
    assert lines[0] == f"{len(channel.cells)} {len(channel.edges)}"
    listed = [[int(word) - 1 for word in line.split()] for line in lines[1:]]
    assert sum(map(len, listed)) == 2 * len(channel.edges)
    for cell in range(0, len(listed), 101):
        assert all(cell in listed[other] for other in listed[cell])
        assert len(listed[cell]) == channel.edge_count[cell]
    part = region(channel, Box(0, 30, -20, 20))
    lines = graph_text(part).splitlines()
    inner = int((part.cells_on_edge >= 0).all(axis=1).sum())
    assert lines[0] == f"{len(part.cells)} {inner}" and inner < len(part.edges)
    assert sum(len(line.split()) for line in lines[1:]) == 2 * inner


@needs_metis
@pytest.mark.parametrize("processes", [1, 2, 7, 64])
def test_both_partitions_balance_the_sea(processes: int, channel: VoronoiMesh) -> None:
    pymetis = pytest.importorskip("pymetis")
    sea = int(channel.sea.sum())
    found = {name: partition(channel, processes, name) for name in ("metis", "curve")}
    for owners in found.values():
        assert len(owners) == len(channel.cells)
        assert set(owners[channel.sea > 0]) == set(range(processes))
        cost = measured(channel, owners, processes)
        assert cost.cells == sea and cost.imbalance < (1.05 if processes > 1 else 1 + 1e-12)
        assert cost.most_neighbors <= 12
    pieces = found["curve"][channel.sea > 0]
    assert (np.diff(pieces) >= 0).all() and np.ptp(np.bincount(pieces)) <= 1
    if processes > 1:
        graph = sea_graph(channel)
        cut, _ = pymetis.part_graph(processes, pymetis.CSRAdjacency(graph.first, graph.neighbors))
        assert measured(channel, found["metis"], processes).edge_cut < 1.3 * cut
        scattered = np.arange(len(channel.cells), dtype=np.int32) * 31 % processes
        worst = measured(channel, scattered, processes).edge_cut
        for owners in found.values():
            assert measured(channel, owners, processes).edge_cut < 0.3 * worst


def test_the_cost_of_a_partition_is_what_its_definition_says(channel: VoronoiMesh) -> None:
    owners = (np.arange(len(channel.cells)) // 60 % 5).astype(np.int32)
    found = measured(channel, owners, 5)
    sea = channel.sea > 0
    cut, halo = 0, [set[int]() for _ in range(5)]
    for one, other in channel.cells_on_edge.tolist():
        if sea[one] and sea[other] and owners[one] != owners[other]:
            cut += 1
            halo[owners[one]].add(other)
            halo[owners[other]].add(one)
    partners = [len({owners[cell] for cell in cells}) for cells in halo]
    assert found.edge_cut == cut
    assert found.most_halo_cells == max(map(len, halo))
    assert found.mean_halo_cells == pytest.approx(sum(map(len, halo)) / 5)
    assert found.most_neighbors == max(partners)
    assert found.imbalance == pytest.approx(5 * np.bincount(owners[sea]).max() / sea.sum())


def test_partition_files_are_read_back_and_checked(channel: VoronoiMesh, tmp_path: Path) -> None:
    path = tmp_path / "graph.info.part.9"
    owners = partition(channel, 9, "curve")
    write_partition(owners, path)
    assert np.array_equal(partition(channel, 9, str(path)), owners)
    size = len(channel.cells)

    def refused(match: str, content: str, processes: int = 9) -> None:
        path.write_text(content, encoding="utf-8")
        with pytest.raises(ConfigError, match=match):
            read_partition(path, channel, processes)

    refused(f"it has 3 lines, but the mesh has {size} cells", "0\n1\n2\n")
    refused("'-1' is no number of a process", "-1\n" * size)
    refused("'x' is no number of a process", "x\n" + "0\n" * (size - 1))
    refused("process 9, but there are 9, numbered from 0", "9\n" * size)
    refused("process 1 has no cell of the sea", "0\n" * size, 2)
    with pytest.raises(ConfigError, match="expected a partition"):
        read_partition(tmp_path / "nothing", channel, 9)
    sea = int(channel.sea.sum())
    for processes in (0, sea + 1):
        with pytest.raises(
            ConfigError, match=f"{processes} processes, but they must be 1 to {sea}"
        ):
            partition(channel, processes, "curve")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--depth", "-100"], "error: --depth -100: the greatest depth of the sea, -100 m, is not"),
        (["--depth", "slope:0,0,90,100,0.1"], "error: --depth slope:0,0,90,100,0.1: the greatest"),
        (["--shallowest", "1e5"], "--shallowest"),
    ],
)
def test_depths_of_no_sea_are_refused_with_their_option(
    words: list[str], told: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = tmp_path / "mesh.nc"
    assert main(["mesh", "generate", "-o", str(place), "--cells", "42", *words]) == 2
    assert told in capsys.readouterr().err and not place.exists()
