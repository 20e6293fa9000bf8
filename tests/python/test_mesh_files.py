"""Mesh files in the MPAS format: written, read, completed, refused; and the command `tradewind mesh`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tradewind import extras
from tradewind.cli import main
from tradewind.errors import ConfigError, Error
from tradewind.mesh.check import mesh_quality
from tradewind.mesh.depth import with_depth
from tradewind.mesh.generation import generate, generate_region
from tradewind.mesh.mpas_file import FIELDS, read_mesh, write_mesh
from tradewind.mesh.refine import Box
from tradewind.mesh.region import along_curve, kept, taken
from tradewind.mesh.voronoi_mesh import VoronoiMesh, unit_vectors
from tradewind.netcdf_file import open_netcdf

pytestmark = pytest.mark.skipif(
    not (extras.available("scipy") and extras.available("netCDF4")),
    reason="needs scipy and netCDF4",
)


@pytest.fixture(scope="module")
def globe() -> VoronoiMesh:
    mesh = generate(642)
    depth = 3000 + 500 * mesh.cells[:, 2]
    return with_depth(mesh.changed(sea=(mesh.cells[:, 0] < 0.9).astype(np.int32)), depth)


@pytest.fixture
def path(globe: VoronoiMesh, tmp_path: Path) -> Path:
    place = tmp_path / "mesh.nc"
    write_mesh(globe, place)
    return place


def same(one: VoronoiMesh, other: VoronoiMesh) -> Iterator[str]:
    """Yields the names of the arrays that differ by more than the rounding of coordinates."""
    for name, array in one.arrays().items():
        there = getattr(other, name)
        if array.dtype != there.dtype or array.shape != there.shape:
            yield f"{name}: {array.dtype}{array.shape} {there.dtype}{there.shape}"
        elif not np.allclose(array, there, rtol=0, atol=4e-16 if "s" in name[-1:] else 0):
            yield name


def test_a_mesh_is_read_as_it_was_written(globe: VoronoiMesh, tmp_path: Path) -> None:
    for number, mesh in enumerate((globe, generate_region(100, Box(0, 40, 20, 60)))):
        place = tmp_path / f"{number}.nc"
        write_mesh(mesh, place)
        again = read_mesh(place)
        assert list(same(mesh, again)) == [] and again.radius_m == mesh.radius_m
        assert [entry.name for entry in tmp_path.iterdir()].count(place.name) == 1
    assert len(list(tmp_path.iterdir())) == 2


def test_the_file_has_the_names_numbers_and_units_of_mpas(path: Path, globe: VoronoiMesh) -> None:
    netcdf = pytest.importorskip("netCDF4")
    assert path.read_bytes()[:4] == b"CDF\x05"
    with netcdf.Dataset(path) as file:
        file.set_auto_mask(False)
        sizes = {name: dimension.size for name, dimension in file.dimensions.items()}
        assert sizes == {
            "nCells": 642,
            "nEdges": 1920,
            "nVertices": 1280,
            "maxEdges": 6,
            "TWO": 2,
            "vertexDegree": 3,
        }
        assert file.on_a_sphere == "YES" and file.sphere_radius == 6371220.0
        assert file["cellsOnEdge"].dtype == np.int32 and file["cellsOnEdge"][:].min() == 1
        pentagons = file["nEdgesOnCell"][:] == 5
        assert pentagons.sum() == 12 and not file["cellsOnCell"][:][pentagons, 5].any()
        assert file["indexToEdgeID"][:].tolist() == list(range(1, 1921))
        radius = np.sqrt(sum(file[f"{axis}Vertex"][:] ** 2 for axis in "xyz"))
        assert np.allclose(radius, 6371220.0)
        at = np.cos(file["latEdge"][:]) * np.cos(file["lonEdge"][:]) * 6371220.0
        assert np.allclose(at, file["xEdge"][:], atol=1e-6)
        assert (file["lonCell"][:] >= 0).all() and (file["lonCell"][:] < 2 * np.pi).all()
        assert np.isclose(file["areaCell"][:].sum(), 4 * np.pi * 6371220.0**2, rtol=1e-12)
        assert np.array_equal(file["maskCell"][:], globe.sea)
        assert np.array_equal(file["dHdx"][:], globe.slope_east)
        assert file["bottomDepth"].units == "m" and file["dcEdge"].units == "m"


def rewritten(
    source: Path, target: Path, change: Callable[[str, Any], Any], form: str, **attributes: Any
) -> Path:
    """Copies a mesh file; `change` gives the values of a variable, or None to leave it out."""
    netcdf = pytest.importorskip("netCDF4")
    with netcdf.Dataset(source) as old, netcdf.Dataset(target, "w", format=form) as new:
        old.set_auto_mask(False)
        new.setncatts({name: old.getncattr(name) for name in old.ncattrs()} | attributes)
        for name, dimension in old.dimensions.items():
            new.createDimension(name, dimension.size)
        for name, variable in old.variables.items():
            values = change(name, variable[:])
            if values is not None:
                new.createVariable(name, values.dtype, variable.dimensions)[:] = values
    return target


@pytest.mark.parametrize("form", ["NETCDF4", "NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET"])
def test_a_mesh_on_the_unit_sphere_in_any_format_becomes_the_same_mesh(
    form: str, path: Path, globe: VoronoiMesh, tmp_path: Path
) -> None:
    radius = globe.radius_m

    def shrink(name: str, values: Any) -> Any:
        if name[0] in "xyz" or name in ("dcEdge", "dvEdge"):
            return values / radius
        return values / radius**2 if "rea" in name[:8] else values

    again = read_mesh(rewritten(path, tmp_path / "unit.nc", shrink, form, sphere_radius=1.0))
    assert again.radius_m == radius
    for name, array in globe.arrays().items():
        assert np.allclose(getattr(again, name), array, rtol=1e-13, atol=1e-15), name


def test_fields_that_a_file_may_lack_have_defaults(path: Path, tmp_path: Path) -> None:
    optional = {one.name for one in FIELDS if one.default is not None}
    assert optional == {"meshDensity", "maskCell", "bottomDepth", "dHdx", "dHdy"}

    def drop(name: str, values: Any) -> Any:
        return None if name in optional or name.startswith("indexTo") else values

    mesh = read_mesh(rewritten(path, tmp_path / "bare.nc", drop, "NETCDF4"))
    assert (mesh.sea == 1).all() and (mesh.density == 1).all()
    assert not mesh.depth_m.any() and not mesh.slope_east.any() and not mesh.slope_north.any()


OF_VERTICES = ("cellsOnVertex", "edgesOnVertex", "kiteAreasOnVertex", "areaTriangle")
REQUIRED = [one.name for one in FIELDS if one.default is None and one.name not in OF_VERTICES]


@pytest.mark.parametrize("is_region", [False, True])
def test_missing_fields_of_vertices_are_computed(
    is_region: bool, globe: VoronoiMesh, tmp_path: Path
) -> None:
    whole = globe
    if is_region:
        # With vertices of one, two and three cells.
        whole = generate_region(300, Box(0, 40, 20, 60))
        whole = kept(whole, np.arange(len(whole.cells)) % 7 > 0)
    write_mesh(whole, tmp_path / "whole.nc")
    for missing in (OF_VERTICES, OF_VERTICES[2:3]):
        bare = rewritten(
            tmp_path / "whole.nc",
            tmp_path / "bare.nc",
            lambda name, old, missing=missing: None if name in missing else old,
            "NETCDF4",
        )
        mesh = read_mesh(bare, connected=False)
        counts = (whole.cells_on_vertex >= 0).sum(axis=1)
        assert set(counts) == ({1, 2, 3} if is_region else {3})
        for vertex, (cells, kites) in enumerate(
            zip(whole.cells_on_vertex, whole.kite_area_m2, strict=True)
        ):
            found = dict(zip(mesh.cells_on_vertex[vertex], mesh.kite_area_m2[vertex], strict=True))
            for cell, kite in zip(cells, kites, strict=True):
                if cell >= 0:
                    assert found.pop(cell) == pytest.approx(kite, rel=1e-9)
            assert not any(kite for cell, kite in found.items() if cell >= 0)
            edges = mesh.edges_on_vertex[vertex]
            assert set(edges) | {-1} == set(whole.edges_on_vertex[vertex]) | {-1}
            for step, cell in enumerate(mesh.cells_on_vertex[vertex]):
                if cell >= 0:
                    assert cell in mesh.cells_on_edge[edges[step]]
                    assert cell in mesh.cells_on_edge[edges[(step + 1) % 3]]
        # Three cells are in the same circle as before.
        for old, new in zip(whole.cells_on_vertex, mesh.cells_on_vertex, strict=True):
            if old.min() >= 0:
                turned = np.roll(new, -list(new).index(old[0]))
                assert turned.tolist() == old.tolist()
        assert mesh.triangle_area_m2 == pytest.approx(mesh.kite_area_m2.sum(axis=1))


@pytest.mark.parametrize("missing", [*REQUIRED, "xCell", "zEdge", "yVertex", "latCell", "lonEdge"])
def test_a_missing_field_is_named(missing: str, path: Path, tmp_path: Path) -> None:
    bad = rewritten(
        path, tmp_path / "bad.nc", lambda name, old: None if name == missing else old, "NETCDF4"
    )
    with pytest.raises(ConfigError, match=f"bad.nc: the field {missing} is missing"):
        read_mesh(bad)


def _with(values: Any, place: Any, value: Any) -> Any:
    changed = values.copy()
    changed[place] = value
    return changed


# The field that is changed, how, and what the message says.
CONTRADICTIONS: list[tuple[str, Callable[[Any], Any], str]] = [
    (
        "nEdgesOnCell",
        lambda old: _with(old, 7, 9),
        "nEdgesOnCell is 9 at cell 8, but must be 3 to 6",
    ),
    ("nEdgesOnCell", lambda old: _with(old, 7, 4), "disagree"),
    ("cellsOnCell", lambda old: _with(old, (3, 1), 700), "cellsOnCell has 700 in row 4, but"),
    (
        "cellsOnCell",
        lambda old: _with(old, (3, 1), old[3, 2]),
        "cellsOnCell and cellsOnEdge disagree",
    ),
    ("edgesOnCell", lambda old: _with(old, (3, 1), 0), "edgesOnCell has 0 in row 4"),
    (
        "edgesOnCell",
        lambda old: _with(old, (3, 1), old[3, 2]),
        "cellsOnCell and cellsOnEdge disagree",
    ),
    (
        "verticesOnCell",
        lambda old: _with(old, (3, 1), 9),
        "verticesOnCell and verticesOnEdge disagree",
    ),
    ("cellsOnEdge", lambda old: _with(old, 5, (old[5, 0], 640)), "disagree"),
    (
        "cellsOnEdge",
        lambda old: _with(old, 905, old[905, ::-1]),
        "cellsOnEdge contradicts angleEdge at edge 906",
    ),
    ("cellsOnEdge", lambda old: _with(old, 5, -3), "cellsOnEdge has -3 in row 6"),
    ("verticesOnEdge", lambda old: _with(old, 5, (1, 1)), "disagree|twice the same vertex"),
    (
        "cellsOnVertex",
        lambda old: _with(old, (5, 0), 0),
        "cellsOnVertex and verticesOnCell disagree",
    ),
    ("edgesOnVertex", lambda old: _with(old, (5, 0), 1900), "edgesOnVertex and verticesOnEdge"),
    ("dcEdge", lambda old: _with(old, 5, 0), "dcEdge must be above 0, but is not at edge 6"),
    ("dcEdge", lambda old: old * 1.1, "dcEdge contradicts the places of its ends at edge 1"),
    ("dvEdge", lambda old: _with(old, 5, -1), "dvEdge must be 0 or more, but is not at edge 6"),
    ("dvEdge", lambda old: _with(old, 5, 2 * old[5]), "dvEdge contradicts .* at edge 6"),
    (
        "angleEdge",
        lambda old: _with(old, 905, old[905] + 1),
        "angleEdge contradicts .* at edge 906",
    ),
    ("areaCell", lambda old: _with(old, 5, 0), "areaCell must be above 0, but is not at cell 6"),
    (
        "cellsOnVertex",
        lambda old: _with(old, 7, (old[7, 0], old[7, 1], old[900, 0])),
        "cellsOnVertex and verticesOnCell disagree at vertex 8",
    ),
    (
        "kiteAreasOnVertex",
        lambda old: _with(old, 7, 2 * old[7]),
        "kiteAreasOnVertex contradicts areaCell at cell",
    ),
    (
        "areaTriangle",
        lambda old: _with(old, 7, 3 * old[7]),
        "areaTriangle contradicts kiteAreasOnVertex at vertex 8",
    ),
    (
        "areaTriangle",
        lambda old: _with(old, 7, old[7] / 3),
        "areaTriangle contradicts kiteAreasOnVertex at vertex 8",
    ),
    ("areaCell", lambda old: old / 2, "areaCell contradicts the edges of cell 1"),
    ("meshDensity", lambda old: old * 0, "meshDensity must be above 0"),
    ("maskCell", lambda old: _with(old, 5, 2), "maskCell must be 0 or 1, but is not at cell 6"),
    ("bottomDepth", lambda old: -1 - old, "bottomDepth must be 0 or more"),
    ("bottomDepth", lambda old: old * np.nan, "bottomDepth has values that are no finite numbers"),
    ("bottomDepth", lambda old: _with(old, -1, 1e6), "bottomDepth is 1e[+]06 at cell 642"),
    ("bottomDepth", lambda old: _with(old, -1, 0), "bottomDepth is 0 at cell 642 of the sea"),
    ("maskCell", lambda old: old * 0, "maskCell: no cell is sea"),
    ("xCell", lambda old: old * 0.5, "xCell, yCell and zCell are not on the sphere"),
    ("latCell", lambda old: old + 0.1, "latCell contradicts zCell in row 1"),
    ("lonVertex", lambda old: old + 0.1, "lonVertex contradicts xVertex and yVertex"),
    ("maskCell", lambda old: old * 1.0, "maskCell holds no whole numbers"),
]


@pytest.mark.parametrize(("field", "change", "message"), CONTRADICTIONS)
def test_fields_that_contradict_each_other_are_named(
    field: str, change: Callable[[Any], Any], message: str, path: Path, tmp_path: Path
) -> None:
    bad = rewritten(
        path,
        tmp_path / "bad.nc",
        lambda name, old: change(old) if name == field else old,
        "NETCDF4",
    )
    with pytest.raises(ConfigError, match=f"bad.nc: .*({message})"):
        read_mesh(bad)


def test_cells_at_the_same_place_and_cells_apart_are_refused(
    globe: VoronoiMesh, tmp_path: Path
) -> None:
    def joined(one: VoronoiMesh, other: VoronoiMesh) -> VoronoiMesh:
        """Returns both meshes in one, without connections between them."""
        kinds = {"cells": len(one.cells), "edges": len(one.edges), "vertices": len(one.vertices)}
        arrays: dict[str, Any] = {}
        for name, array in one.arrays().items():
            after = getattr(other, name)
            prefix = name.partition("_on_")[0]
            if "_on_" in name:
                after = np.where(after >= 0, after + kinds[prefix], -1).astype(np.int32)
            arrays[name] = np.concatenate([array, after])
        return one.changed(**arrays)

    place = tmp_path / "double.nc"
    write_mesh(joined(globe, globe), place)
    with pytest.raises(ConfigError, match=r"double.nc: cells 1 and 643 are at the same place"):
        read_mesh(place)
    parts = [generate_region(60, Box(west, west + 30, 0, 30)) for west in (0, 90)]
    write_mesh(joined(*parts), place)
    sizes = sorted((len(part.cells) for part in parts), reverse=True)
    with pytest.raises(ConfigError, match=f"2 parts that share no edge, of {sizes[0]}, {sizes[1]}"):
        read_mesh(place)
    assert mesh_quality(read_mesh(place, connected=False)).sea_parts == sizes


def test_files_that_are_no_meshes_are_refused(path: Path, tmp_path: Path) -> None:
    netcdf = pytest.importorskip("netCDF4")
    bad = tmp_path / "bad.nc"

    def refused(match: str) -> None:
        with pytest.raises(ConfigError, match=f"bad.nc: {match}"):
            read_mesh(bad)

    refused("cannot be read: No such file")
    bad.write_bytes(b"CDF\x07" + bytes(100))
    refused("cannot be read: this is no NetCDF file")
    bad.write_bytes(path.read_bytes()[:200])
    refused("cannot be read: its header is damaged")
    content = path.read_bytes()
    bad.write_bytes(content[: len(content) // 3])
    refused("(cannot be read|the file is cut off)")
    with netcdf.Dataset(bad, "w") as file:
        file.createDimension("nCells", 3)
    refused("the dimension nEdges is missing")
    rewritten(path, bad, lambda name, old: old, "NETCDF4", on_a_sphere="NO")
    refused("the attribute on_a_sphere says that the mesh is on a plane")
    with netcdf.Dataset(bad, "w") as file:
        for name, size in zip(("nCells", "nEdges", "nVertices"), (3, 3, 3), strict=True):
            file.createDimension(name, size)
        for name, size in (("maxEdges", 3), ("TWO", 3), ("vertexDegree", 3)):
            file.createDimension(name, size)
    refused("the dimension TWO is 3, but must be 2")


def test_missing_packages_are_named(
    monkeypatch: pytest.MonkeyPatch, path: Path, tmp_path: Path
) -> None:
    wide = rewritten(path, tmp_path / "wide.nc", lambda name, old: old, "NETCDF4")
    monkeypatch.setitem(sys.modules, "netCDF4", None)
    with pytest.raises(Error, match=r'need the package netCDF4: pip install "tradewind\[mesh\]"'):
        read_mesh(wide)
    # The classic formats need no package.
    assert len(read_mesh(path).cells) == 642
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(Error, match=r'need the package scipy: pip install "tradewind\[mesh\]"'):
        generate(20)


def called(capsys: pytest.CaptureFixture[str], *words: str | Path) -> dict[str, Any]:
    """Runs a command that prints JSON; returns the object and adds the exit status."""
    status = main([*map(str, words), "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found | {"status": status}


def test_the_commands_make_check_and_partition_a_mesh(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh, parts = tmp_path / "mesh.nc", tmp_path / "graph.info.part.6"
    made = called(
        capsys,
        *("mesh", "generate", "-o", mesh, "--cells", "700", "--lloyd", "5"),
        *("--refine", "30,0,2000,2", "--refine-box", "100,140,-20,20,1.5", "--depth", "250"),
    )
    assert made["status"] == 0 and made["cells"] == 700 and made["depth_max_m"] == 250
    checked = called(capsys, "mesh", "check", mesh)
    assert checked["euler"] == 2 and checked["degrees"] == made["degrees"]
    graph = tmp_path / "graph.info"
    cut = called(
        capsys,
        *("mesh", "partition", mesh, "-n", "6", "--method", "curve"),
        *("-o", parts, "--graph", graph),
    )
    assert cut["cells"] == 700 and cut["imbalance"] < 1.01
    assert parts.read_text(encoding="utf-8").count("\n") == 700
    assert graph.read_text(encoding="utf-8").startswith(f"700 {3 * 700 - 6}\n")
    again = called(capsys, "mesh", "partition", mesh, "-n", "6", "--method", parts)
    assert again["edge_cut"] == cut["edge_cut"]
    assert main(["mesh", "check", str(mesh)]) == 0
    assert "vertices - edges + cells" in capsys.readouterr().out
    assert main(["mesh", "partition", str(mesh), "-n", "6", "--method", "curve"]) == 0
    assert "imbalance" in capsys.readouterr().out


def test_formulas_and_regions_are_options(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    mesh = tmp_path / "mesh.nc"
    make = ("mesh", "generate", "-o", mesh, "--lloyd", "2", "--cells")
    region = called(capsys, *make, "150", "--region", "0,30,0,30", "--depth", "shelf:900,50,300")
    assert not region["is_global"] and region["euler"] == 1
    assert 50 < region["depth_mean_m"] < 900
    slope = called(capsys, *make, "42", "--depth", "slope:0,0,90,5000,1e-4", "--shallowest", "2")
    assert 6500 < slope["depth_max_m"] < 7002
    for words, message in (
        (("42", "--depth", "slope:1,2"), "must be slope:LON,LAT,BEARING,DEPTH,GRADIENT"),
        (("42", "--depth", str(tmp_path / "no.nc")), "no number, no formula, and no such file"),
        (("42", "--sea", "--mark-land"), "only one of --sea, --all-seas and --mark-land"),
        (("42", "--region", "1,2,3"), "must be WEST,EAST,SOUTH,NORTH"),
        (("42", "--region", "1,2,3,x"), "no number"),
        (("5",), "5 cells, but they must be 12 to"),
    ):
        found = called(capsys, *make, *words)
        assert found["status"] == 2 and message in found["error"]["message"]
    few = called(capsys, "mesh", "partition", mesh, "-n", "43", "--method", "curve")
    assert (
        few["status"] == 2 and "43 processes, but they must be 1 to 42" in few["error"]["message"]
    )


def test_a_mesh_of_any_origin_can_be_cut_renumbered_and_given_a_depth(
    path: Path, globe: VoronoiMesh, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other, order = tmp_path / "other.nc", np.random.default_rng(2).permutation(642)
    made = generate(642, along_curve=False)
    assert not np.array_equal(made.cells, globe.cells)
    assert np.array_equal(along_curve(made).cells, globe.cells)
    scattered = taken(made, order, np.arange(1920)[::-1], np.arange(1280)[::-1])
    write_mesh(with_depth(scattered, 3000 + 500 * scattered.cells[:, 2]), other)
    again = tmp_path / "again.nc"
    assert called(capsys, "mesh", "generate", "--from", other, "-o", again)["status"] == 0
    mesh = read_mesh(again)
    deep = with_depth(globe.changed(sea=mesh.sea), 3000 + 500 * globe.cells[:, 2])
    for name in ("cells", "cell_area_m2", "depth_m", "slope_east"):
        assert np.allclose(getattr(mesh, name), getattr(deep, name), rtol=1e-9, atol=1e-12), name
    neighbors = (np.sort(one.cells_on_cell, axis=1) for one in (mesh, globe))
    assert np.array_equal(*neighbors)
    assert (np.diff(mesh.cells_on_edge.min(axis=1)) >= 0).all()
    as_is = ("mesh", "generate", "--from", other, "-o", again, "--keep-order", "--depth", "70")
    assert called(capsys, *as_is, "--region", "0,90,-40,40")["depth_mean_m"] == pytest.approx(70)
    part = read_mesh(again)
    inside = Box(0, 90, -40, 40).contains(scattered.cells)
    assert np.allclose(part.cells, scattered.cells[inside])
    for words in (("--cells", "42"), ("--refine", "0,0,100,2")):
        assert called(capsys, *as_is, *words)["status"] == 2
    assert called(capsys, "mesh", "generate", "-o", again)["status"] == 2


def test_rows_of_other_generators_may_end_with_anything(tmp_path: Path) -> None:
    part = generate_region(100, Box(0, 40, 20, 60))
    place = tmp_path / "part.nc"
    write_mesh(part, place)
    unused = np.arange(part.cells_on_cell.shape[1]) >= part.edge_count[:, None]
    alone = part.cells_on_edge[:, 1] < 0

    def other(name: str, values: Any) -> Any:
        if name in ("cellsOnCell", "edgesOnCell", "verticesOnCell"):
            return np.where(unused, 10**6, values).astype(np.int32)
        if name in ("cellsOnEdge", "verticesOnEdge"):
            return np.where(alone[:, None], values[:, ::-1], values)
        return np.where(alone, values + np.pi, values) if name == "angleEdge" else values

    mesh = read_mesh(rewritten(place, tmp_path / "other.nc", other, "NETCDF3_64BIT_OFFSET"))
    for name, array in part.arrays().items():
        if name == "angle":
            array, found = np.exp(1j * array), np.exp(1j * mesh.angle)
            assert np.allclose(found, array, atol=1e-14)
        else:
            assert np.allclose(getattr(mesh, name), array, rtol=0, atol=4e-16), name


@pytest.mark.skipif(not extras.available("matplotlib"), reason="needs matplotlib")
def test_maps_show_the_cells_of_the_sea(globe: VoronoiMesh, path: Path, tmp_path: Path) -> None:
    from tradewind.plots import mesh_map

    def shapes(*given: Any) -> int:
        (cells,) = mesh_map.draw(globe, "depth", "title", *given).axes[0].collections
        return len(cells.get_paths())

    sea = globe.sea > 0
    above = unit_vectors(*np.radians([[77.0], [11.0]]))[0]
    assert shapes((77, 11)) == int((sea & (globe.cells @ above > 0)).sum())
    # On a map with longitudes the cells around the poles have no place.
    assert int(sea.sum()) - 20 < shapes() < int(sea.sum())
    parts = tmp_path / "parts"
    parts.write_text("0\n1\n" * 321, encoding="utf-8")
    for number, words in enumerate(
        ((), ("--field", "depth"), ("--globe", "0,0"), ("--partition", parts))
    ):
        picture = tmp_path / f"{number}.png"
        assert main(["mesh", "plot", str(path), "-o", str(picture), *map(str, words)]) == 0
        assert picture.read_bytes()[:4] == b"\x89PNG"
    beyond = tmp_path / "beyond.png"
    assert main(["mesh", "plot", str(path), "-o", str(beyond), "--globe", "0,200"]) == 2
    assert not beyond.exists()


@pytest.mark.skipif(not extras.available("global_land_mask"), reason="needs global-land-mask")
def test_land_is_removed_or_marked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mesh = tmp_path / "mesh.nc"
    make = ("mesh", "generate", "-o", mesh, "--lloyd", "0", "--cells", "2562")
    marked = called(capsys, *make, "--mark-land")
    assert marked["cells"] == 2562 and marked["sea_share"] == pytest.approx(0.71, abs=0.01)
    # Land lies between its seas, but all cells together are connected.
    assert called(capsys, "mesh", "check", mesh)["sea_parts"] == marked["sea_parts"]
    every = called(capsys, *make, "--all-seas")
    assert every["cells"] == marked["sea_cells"] and len(every["sea_parts"]) > 1
    assert called(capsys, "mesh", "check", mesh)["status"] == 2
    assert called(capsys, "mesh", "check", mesh, "--all-seas")["status"] == 0
    sea = called(capsys, *make, "--sea")
    assert sea["cells"] == every["sea_parts"][0] == sea["sea_parts"][0]
    assert called(capsys, "mesh", "check", mesh)["status"] == 0


@pytest.mark.parametrize(
    "form", ["NETCDF3_CLASSIC", "NETCDF3_64BIT_OFFSET", "NETCDF3_64BIT_DATA", "NETCDF4"]
)
def test_variables_and_attributes_of_any_format_are_read(form: str, tmp_path: Path) -> None:
    netcdf = pytest.importorskip("netCDF4")
    path = tmp_path / "file.nc"
    kinds = ["i1", "i2", "i4", "f4", "f8", *(["u1", "i8"] if form.endswith("DATA") else [])]
    with netcdf.Dataset(path, "w", format=form) as file:
        file.setncatts({"title": "three", "scale": 2.5, "counts": np.array([1, 2, 3], np.int32)})
        for name, size in (("row", 3), ("column", 5), ("Time", None)):
            file.createDimension(name, size)
        file.createVariable("during", "f8", ("Time", "row"))[:] = np.ones((2, 3))
        for kind in kinds:
            variable = file.createVariable(f"of_{kind}", kind, ("row", "column"))
            variable[:] = np.arange(15).reshape(3, 5)
            variable.units = "m"
        file.createVariable("letters", "S1", ("column",))[:] = np.array(list("abcde"), "S1")
        file.createVariable("single", "f8", ())[:] = 7.5
    with open_netcdf(path) as found:
        assert found.attributes["title"] == "three" and found.attributes["scale"] == 2.5
        assert list(found.attributes["counts"]) == [1, 2, 3]
        assert found.dimensions["row"] == 3 and found.dimensions["column"] == 5
        for kind in kinds:
            variable = found.variables[f"of_{kind}"]
            assert (variable.dimensions, variable.shape) == (("row", "column"), (3, 5))
            assert variable.kind == np.dtype(kind).kind and variable.attributes["units"] == "m"
            values = found.values(f"of_{kind}")
            assert values.dtype == np.dtype(kind) and values.ravel().tolist() == list(range(15))
        assert found.variables["letters"].kind == "S" and found.values("single") == 7.5
