"""Mesh files in the MPAS NetCDF format.

Written are NetCDF files of the classic format with 64-bit data (CDF-5), which have no limits of size. Read are
all NetCDF formats.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tradewind import core
from tradewind.errors import ConfigError
from tradewind.files import write_atomically
from tradewind.mesh.check import check_mesh, check_numbers
from tradewind.mesh.corners import vertex_fields
from tradewind.mesh.region import turned_outward
from tradewind.mesh.triangulation import Points
from tradewind.mesh.voronoi_mesh import EARTH_RADIUS_M, VoronoiMesh, latitudes, longitudes
from tradewind.netcdf_file import (
    ClassicFile,
    NetcdfFile,
    NewVariable,
    open_netcdf,
    write_classic,
)

_KINDS = {"Cell": "cells", "Edge": "edges", "Vertex": "vertices"}


@dataclass(frozen=True)
class Field:
    """A variable of the file that is one array of the mesh.

    Args:
        name: The name in the file.
        array: The name of the array.
        dimensions: Names of dimensions.
        unit: The unit in the file.
        meaning: One phrase.
        power: Values of a unit sphere are multiplied by the radius so often.
        is_number: Whether it numbers things, from 1 in the file and from 0 in memory.
        default: The value where a file has none; without it the file must have one.
    """

    name: str
    array: str
    dimensions: tuple[str, ...]
    unit: str
    meaning: str
    power: int = 0
    is_number: bool = False
    default: float | None = None

    @property
    def is_whole(self) -> bool:
        """Returns whether the values are whole numbers."""
        return self.is_number or self.array in ("edge_count", "sea")


def _number(name: str, array: str, dimensions: tuple[str, ...], meaning: str) -> Field:
    return Field(name, array, dimensions, "1", f"{meaning}, from 1, 0 if none", is_number=True)


_CELL, _EDGE, _VERTEX = ("nCells",), ("nEdges",), ("nVertices",)
_AROUND, _ENDS, _CORNERS = ("nCells", "maxEdges"), ("nEdges", "TWO"), ("nVertices", "vertexDegree")
FIELDS = (
    Field("nEdgesOnCell", "edge_count", _CELL, "1", "edges of a cell"),
    _number("cellsOnCell", "cells_on_cell", _AROUND, "neighbours of a cell, counter-clockwise"),
    _number("edgesOnCell", "edges_on_cell", _AROUND, "edges of a cell, counter-clockwise"),
    _number("verticesOnCell", "vertices_on_cell", _AROUND, "vertices of a cell, counter-clockwise"),
    _number("cellsOnEdge", "cells_on_edge", _ENDS, "cells of an edge, its normal from 1 to 2"),
    _number(
        "verticesOnEdge", "vertices_on_edge", _ENDS, "vertices of an edge, 2 left of its normal"
    ),
    _number("cellsOnVertex", "cells_on_vertex", _CORNERS, "cells at a vertex, counter-clockwise"),
    _number("edgesOnVertex", "edges_on_vertex", _CORNERS, "edges at a vertex, counter-clockwise"),
    Field("dcEdge", "dc_m", _EDGE, "m", "distance between the cells of an edge", 1),
    Field("dvEdge", "dv_m", _EDGE, "m", "distance between the vertices of an edge", 1),
    Field("angleEdge", "angle", _EDGE, "rad", "angle of the normal of an edge against east"),
    Field("areaCell", "cell_area_m2", _CELL, "m2", "area of a cell", 2),
    Field("areaTriangle", "triangle_area_m2", _VERTEX, "m2", "area of the kites at a vertex", 2),
    Field("kiteAreasOnVertex", "kite_area_m2", _CORNERS, "m2", "area of cell and triangle", 2),
    Field("meshDensity", "density", _CELL, "1", "density, spacing to the power -4", default=1.0),
    Field("maskCell", "sea", _CELL, "1", "1 sea, 0 land", default=1),
    Field(
        "bottomDepth", "depth_m", _CELL, "m", "depth of the sea floor, positive down", default=0.0
    ),
    Field("dHdx", "slope_east", _CELL, "1", "change of the depth to the east", default=0.0),
    Field("dHdy", "slope_north", _CELL, "1", "change of the depth to the north", default=0.0),
)
# These are computed if one of them is missing.
_OF_VERTICES = ("cellsOnVertex", "edgesOnVertex", "kiteAreasOnVertex", "areaTriangle")
_SIZES: dict[str, tuple[str, int]] = {
    "nCells": ("edge_count", 0),
    "nEdges": ("dc_m", 0),
    "nVertices": ("triangle_area_m2", 0),
    "maxEdges": ("cells_on_cell", 1),
    "TWO": ("cells_on_edge", 1),
    "vertexDegree": ("cells_on_vertex", 1),
}


def _size_of(kind: str) -> str:
    """Returns the name of the dimension of cells, edges or vertices."""
    return "nVertices" if kind == "Vertex" else f"n{kind}s"


def write_mesh(mesh: VoronoiMesh, path: Path) -> None:
    """Writes a mesh file, atomically.

    Raises:
        Error: If the file cannot be written.
    """
    attributes: dict[str, str | float] = {
        "on_a_sphere": "YES",
        "sphere_radius": mesh.radius_m,
        "mesh_spec": "1.0",
        "Conventions": "MPAS",
        "source": f"Tradewind {core.load().version}",
    }
    sizes = {name: getattr(mesh, array).shape[axis] for name, (array, axis) in _SIZES.items()}
    variables = list(_variables())
    write_atomically(
        path, lambda file: write_classic(file, sizes, attributes, variables, _contents(mesh))
    )


def _variables() -> Iterator[NewVariable]:
    """Yields the variables in the order of `_contents`."""
    for kind in _KINDS:
        size = (_size_of(kind),)
        yield NewVariable(f"indexTo{kind}ID", size, "i4")
        for name in (f"lat{kind}", f"lon{kind}"):
            yield NewVariable(name, size, "f8", {"units": "rad"})
        for axis in "xyz":
            yield NewVariable(f"{axis}{kind}", size, "f8", {"units": "m"})
    for one in FIELDS:
        about = {"units": one.unit, "long_name": one.meaning}
        yield NewVariable(one.name, one.dimensions, "i4" if one.is_whole else "f8", about)


def _contents(mesh: VoronoiMesh) -> Iterator[NDArray[Any]]:
    """Yields the values of each variable, which are made one after the other."""
    for array in _KINDS.values():
        points: Points = getattr(mesh, array)
        yield np.arange(1, len(points) + 1)
        yield latitudes(points)
        yield longitudes(points)
        for place in range(3):
            yield points[:, place] * mesh.radius_m
    for one in FIELDS:
        values = getattr(mesh, one.array)
        yield values + 1 if one.is_number else values


def read_mesh(path: Path, *, connected: bool = True) -> VoronoiMesh:
    """Reads and checks a mesh file.

    A mesh on a sphere of radius 1 gets the radius of the earth. Fields that a file may leave out have
    defaults: all cells sea, depth and its gradient 0, density 1. Cells, edges and areas of vertices are
    computed if one of these fields is missing.

    Args:
        path: The file.
        connected: Refuses a mesh whose cells are not connected.

    Raises:
        ConfigError: If the file cannot be read, or lacks a field, or fields contradict each other; the
            message names them.
        Error: If scipy is not installed, or netCDF4 for a NetCDF-4 file.
    """
    with open_netcdf(path) as file:
        mesh = _read(path, file)
    check_mesh(mesh, str(path), connected=connected)
    return mesh


def _read(path: Path, file: NetcdfFile) -> VoronoiMesh:
    """Returns the mesh of an open file."""
    sizes = _sizes(path, file)
    if str(file.attributes.get("on_a_sphere", "YES")).strip().upper() not in ("YES", "Y", "TRUE"):
        raise ConfigError(f"{path}: the attribute on_a_sphere says that the mesh is on a plane")
    given = file.attributes.get("sphere_radius", 0.0) or 1.0
    if not (isinstance(given, int | float) and np.isfinite(given) and given > 0):
        raise ConfigError(f"{path}: the attribute sphere_radius is {given!r:.80}")
    scale = EARTH_RADIUS_M if given == 1 else 1.0
    arrays: dict[str, NDArray[Any]] = {
        array: _points(path, file, kind, sizes, given) for kind, array in _KINDS.items()
    }
    of_vertices = all(name in file.variables for name in _OF_VERTICES)
    for one in FIELDS:
        if of_vertices or one.name not in _OF_VERTICES:
            arrays[one.array] = _field(path, file, one, sizes, scale)
        else:
            shape = tuple(sizes[name] for name in one.dimensions)
            arrays[one.array] = np.full(shape, -1, np.int32)
    # Rows of cells may end with anything; in memory they end with -1.
    used = np.arange(sizes["maxEdges"]) < arrays["edge_count"][:, None]
    for name in ("cells_on_cell", "edges_on_cell", "vertices_on_cell"):
        arrays[name] = np.where(used, arrays[name], np.int32(-1))
    names = ("cells_on_edge", "vertices_on_edge", "angle")
    outward = turned_outward(*(arrays[name] for name in names))
    arrays |= dict(zip(names, outward, strict=True))
    mesh = VoronoiMesh(given * scale, **arrays)
    if of_vertices:
        return mesh
    check_numbers(mesh, str(path))
    return mesh.changed(**vertex_fields(mesh))


def _points(
    path: Path, file: NetcdfFile, kind: str, sizes: Mapping[str, int], radius_m: float
) -> NDArray[Any]:
    """Returns the unit vectors of cells, edges or vertices.

    Raises:
        ConfigError: If coordinates are missing, or contradict each other.
    """
    size = (_size_of(kind),)
    points = np.stack([_values(path, file, f"{axis}{kind}", size, sizes) for axis in "xyz"], 1)
    length = np.linalg.norm(points, axis=1)
    if (np.abs(length / radius_m - 1) > 1e-4).any():
        raise ConfigError(
            f"{path}: x{kind}, y{kind} and z{kind} are not on the sphere of radius {radius_m:g}"
        )
    points /= length[:, None]
    off = np.abs(_values(path, file, f"lat{kind}", size, sizes) - latitudes(points)) > 1e-5
    if off.any():
        raise ConfigError(f"{path}: lat{kind} contradicts z{kind} in row {np.argmax(off) + 1}")
    turn = _values(path, file, f"lon{kind}", size, sizes) - longitudes(points) + np.pi
    off = np.abs(turn % (2 * np.pi) - np.pi) * np.hypot(points[:, 0], points[:, 1]) > 1e-5
    if off.any():
        raise ConfigError(
            f"{path}: lon{kind} contradicts x{kind} and y{kind} in row {np.argmax(off) + 1}"
        )
    return points


def _sizes(path: Path, file: NetcdfFile) -> dict[str, int]:
    """Returns the sizes of all dimensions, none of which may promise more than the file can hold."""
    sizes = {}
    for name in _SIZES:
        if name == "vertexDegree" and name not in file.dimensions:
            sizes[name] = 3
            continue
        if name not in file.dimensions:
            raise ConfigError(f"{path}: the dimension {name} is missing")
        sizes[name] = file.dimensions[name]
        if sizes[name] < 1:
            raise ConfigError(f"{path}: the dimension {name} is {sizes[name]}")
    for name, size in (("TWO", 2), ("vertexDegree", 3)):
        if sizes[name] != size:
            raise ConfigError(f"{path}: the dimension {name} is {sizes[name]}, but must be {size}")
    least = 8 * 3 * (sizes["nCells"] + sizes["nEdges"] + sizes["nVertices"])
    least += 4 * 3 * sizes["nCells"] * sizes["maxEdges"]
    if isinstance(file, ClassicFile) and path.stat().st_size < least:
        raise ConfigError(f"{path}: the file is cut off; its dimensions need {least} bytes")
    return sizes


def _field(
    path: Path, file: NetcdfFile, one: Field, sizes: Mapping[str, int], scale: float
) -> NDArray[Any]:
    """Returns the array of a field, or its default."""
    if one.name not in file.variables and one.default is not None:
        shape = tuple(sizes[name] for name in one.dimensions)
        return np.full(shape, one.default, np.int32 if one.is_whole else np.float64)
    values = _values(path, file, one.name, one.dimensions, sizes, is_whole=one.is_whole)
    if one.is_whole:
        return values.astype(np.int32) - np.int32(one.is_number)
    scaled: NDArray[Any] = values * scale**one.power
    return scaled


def _values(
    path: Path,
    file: NetcdfFile,
    name: str,
    dimensions: tuple[str, ...],
    sizes: Mapping[str, int],
    *,
    is_whole: bool = False,
) -> NDArray[Any]:
    """Returns the values of a variable.

    Raises:
        ConfigError: If it is missing, has other dimensions or another type, or has values that are no
            finite numbers.
    """
    if name not in file.variables:
        raise ConfigError(f"{path}: the field {name} is missing")
    variable = file.variables[name]
    shape = tuple(sizes[one] for one in dimensions)
    if variable.shape != shape:
        raise ConfigError(f"{path}: the field {name} has the shape {variable.shape}, not {shape}")
    if variable.kind not in ("iu" if is_whole else "fiu"):
        raise ConfigError(
            f"{path}: the field {name} holds no {'whole ' if is_whole else ''}numbers"
        )
    values = file.values(name)
    if is_whole:
        if len(values) and (int(values.max()) > 2**31 - 2 or int(values.min()) < -(2**31) + 2):
            raise ConfigError(f"{path}: the field {name} has a number beyond 32 bits")
        return values
    if not np.isfinite(values).all():
        raise ConfigError(f"{path}: the field {name} has values that are no finite numbers")
    return values.astype(np.float64)
