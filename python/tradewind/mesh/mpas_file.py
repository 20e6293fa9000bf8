"""Mesh files in the MPAS NetCDF format.

Written are NetCDF files of the classic format with 64-bit data (CDF-5), which have no limits of size. Read is
every format that the NetCDF library knows.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tradewind import core, extras
from tradewind.errors import ConfigError, Error
from tradewind.mesh.check import check_mesh
from tradewind.mesh.triangulation import Points
from tradewind.mesh.voronoi_mesh import EARTH_RADIUS_M, VoronoiMesh, latitudes, longitudes

FORMAT = "NETCDF3_64BIT_DATA"
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
        Error: If the file cannot be written, or netCDF4 is not installed.
    """
    netcdf = extras.need("netCDF4", "mesh files", "mesh")
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with netcdf.Dataset(temporary, "w", format=FORMAT) as file:
            file.set_fill_off()
            _define(mesh, file)
            for name, values in _contents(mesh):
                file.variables[name][:] = values
        temporary.replace(path)
    except (OSError, RuntimeError) as error:
        raise Error(f"{path}: cannot be written: {error}") from None
    finally:
        temporary.unlink(missing_ok=True)


def _define(mesh: VoronoiMesh, file: Any) -> None:
    """Declares everything before the first values are written, so that the file is never moved."""
    file.setncatts(
        {
            "on_a_sphere": "YES",
            "sphere_radius": mesh.radius_m,
            "mesh_spec": "1.0",
            "Conventions": "MPAS",
            "source": f"Tradewind {core.load().version}",
        }
    )
    for name, (array, place) in _SIZES.items():
        file.createDimension(name, getattr(mesh, array).shape[place])
    for kind in _KINDS:
        size = _size_of(kind)
        file.createVariable(f"indexTo{kind}ID", "i4", (size,))
        for name, unit in ((f"lat{kind}", "rad"), (f"lon{kind}", "rad")):
            file.createVariable(name, "f8", (size,)).units = unit
        for axis in "xyz":
            file.createVariable(f"{axis}{kind}", "f8", (size,)).units = "m"
    for one in FIELDS:
        kind = "i4" if one.is_whole else "f8"
        variable = file.createVariable(one.name, kind, one.dimensions)
        variable.setncatts({"units": one.unit, "long_name": one.meaning})


def _contents(mesh: VoronoiMesh) -> Iterator[tuple[str, NDArray[Any]]]:
    """Yields the name and the values of each variable, which are made one after the other."""
    for kind, array in _KINDS.items():
        points: Points = getattr(mesh, array)
        yield f"indexTo{kind}ID", np.arange(1, len(points) + 1)
        yield f"lat{kind}", latitudes(points)
        yield f"lon{kind}", longitudes(points)
        for place, axis in enumerate("xyz"):
            yield f"{axis}{kind}", points[:, place] * mesh.radius_m
    for one in FIELDS:
        values = getattr(mesh, one.array)
        yield one.name, values + 1 if one.is_number else values


def read_mesh(path: Path, *, connected: bool = True) -> VoronoiMesh:
    """Reads and checks a mesh file.

    A mesh on a sphere of radius 1 gets the radius of the earth. Fields that a file may leave out have
    defaults: all cells sea, depth and its gradient 0, density 1.

    Args:
        path: The file.
        connected: Refuses a mesh whose cells are not connected.

    Raises:
        ConfigError: If the file cannot be read, or lacks a field, or fields contradict each other; the
            message names them.
        Error: If netCDF4 is not installed.
    """
    netcdf = extras.need("netCDF4", "mesh files", "mesh")
    if not path.is_file():
        raise ConfigError(f"{path}: there is no such file")
    try:
        with netcdf.Dataset(path) as file:
            file.set_auto_mask(False)
            mesh = _read(path, file)
    except (OSError, RuntimeError, ValueError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: cannot be read as NetCDF: {error}") from None
    check_mesh(mesh, str(path), connected=connected)
    return mesh


def _read(path: Path, file: Any) -> VoronoiMesh:
    """Returns the mesh of an open file."""
    sizes = _sizes(path, file)
    if str(getattr(file, "on_a_sphere", "YES")).strip().upper() not in ("YES", "Y", "TRUE"):
        raise ConfigError(f"{path}: the attribute on_a_sphere says that the mesh is on a plane")
    given = float(getattr(file, "sphere_radius", 0.0) or 1.0)
    if not (np.isfinite(given) and given > 0):
        raise ConfigError(f"{path}: the attribute sphere_radius is {given}")
    scale = EARTH_RADIUS_M if given == 1 else 1.0
    arrays: dict[str, NDArray[Any]] = {
        array: _points(path, file, kind, sizes, given) for kind, array in _KINDS.items()
    }
    for one in FIELDS:
        arrays[one.array] = _field(path, file, one, sizes, scale)
    return VoronoiMesh(given * scale, **arrays)


def _points(
    path: Path, file: Any, kind: str, sizes: Mapping[str, int], radius_m: float
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


def _sizes(path: Path, file: Any) -> dict[str, int]:
    """Returns the sizes of all dimensions, none of which may promise more than the file can hold."""
    sizes = {}
    for name in _SIZES:
        if name not in file.dimensions:
            raise ConfigError(f"{path}: the dimension {name} is missing")
        sizes[name] = file.dimensions[name].size
        if sizes[name] < 1:
            raise ConfigError(f"{path}: the dimension {name} is {sizes[name]}")
    for name, size in (("TWO", 2), ("vertexDegree", 3)):
        if sizes[name] != size:
            raise ConfigError(f"{path}: the dimension {name} is {sizes[name]}, but must be {size}")
    if file.data_model.startswith("NETCDF3"):
        least = 8 * 3 * (sizes["nCells"] + sizes["nEdges"] + sizes["nVertices"])
        least += 4 * 3 * sizes["nCells"] * sizes["maxEdges"]
        if path.stat().st_size < least:
            raise ConfigError(f"{path}: the file is cut off; its dimensions need {least} bytes")
    return sizes


def _field(
    path: Path, file: Any, one: Field, sizes: Mapping[str, int], scale: float
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
    file: Any,
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
    if variable.dtype is str or variable.dtype.kind not in ("iu" if is_whole else "fiu"):
        raise ConfigError(
            f"{path}: the field {name} holds no {'whole ' if is_whole else ''}numbers"
        )
    values: NDArray[Any] = np.asarray(variable[:])
    if is_whole:
        if len(values) and (int(values.max()) > 2**31 - 2 or int(values.min()) < -(2**31) + 2):
            raise ConfigError(f"{path}: the field {name} has a number beyond 32 bits")
        return values
    if not np.isfinite(values).all():
        raise ConfigError(f"{path}: the field {name} has values that are no finite numbers")
    return values.astype(np.float64)
