"""The depth of the sea at the cells of a mesh: from a file or a formula, and its gradient."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tradewind import extras
from tradewind.errors import ConfigError
from tradewind.mesh.triangulation import Indices, Points, Values, chunks, dot
from tradewind.mesh.voronoi_mesh import (
    DEEPEST_SEA_M,
    SHALLOWEST_SEA_M,
    VoronoiMesh,
    east_and_north,
    latitudes,
    longitudes,
    unit_vectors,
)
from tradewind.netcdf_file import NetcdfFile, open_netcdf

SHALLOWEST_M = 5.0
# A cell with so many points of the file has their mean, one with fewer the value between four of them.
_POINTS_FOR_MEAN = 4


@dataclass(frozen=True)
class Elevation:
    """Heights on a grid of longitudes and latitudes.

    Args:
        longitude: Degrees, growing, (columns,).
        latitude: Degrees, growing, (rows,).
        height_m: Above sea level, negative in the sea, (rows, columns).
        is_around: Whether the grid goes around the globe.
    """

    longitude: Values
    latitude: Values
    height_m: Values
    is_around: bool


def read_elevation(path: Path, variable: str | None = None) -> Elevation:
    """Reads a NetCDF file with heights over longitude and latitude, such as ETOPO5.

    Args:
        path: The file.
        variable: Name of the heights; by default the only variable with two dimensions.

    Raises:
        ConfigError: If the file cannot be read or has no such heights.
        Error: If it is a NetCDF-4 file, and netCDF4 is not installed.
    """
    with open_netcdf(path) as file:
        return _elevation(path, file, variable)


def _elevation(path: Path, file: NetcdfFile, variable: str | None) -> Elevation:
    names = [name for name, one in file.variables.items() if len(one.shape) == 2]
    if variable is not None and variable not in names:
        raise ConfigError(f"{path}: no variable {variable} of two dimensions, but {names}")
    if variable is None and len(names) != 1:
        raise ConfigError(f"{path}: one variable of two dimensions is needed, but it has {names}")
    name = variable or names[0]
    dimensions = file.variables[name].dimensions
    axes = []
    for one in dimensions:
        if one not in file.variables or len(file.variables[one].shape) != 1:
            raise ConfigError(f"{path}: dimension {one} of {name} has no coordinates")
        axes.append(_numbers(path, file, one))
    kinds = [_axis_kind(one, file.variables[one].attributes) for one in dimensions]
    if sorted(kinds) != ["latitude", "longitude"]:
        raise ConfigError(
            f"{path}: dimensions {', '.join(dimensions)} of {name} are {', '.join(kinds)}, "
            "but one longitude and one latitude are needed"
        )
    values = _numbers(path, file, name)
    if kinds[0] == "longitude":
        axes, values = axes[::-1], values.T
    return _ordered(path, axes[1], axes[0], values)


def _numbers(path: Path, file: NetcdfFile, name: str) -> Values:
    """Returns the values of a variable; NaN where they are marked as missing."""
    variable = file.variables[name]
    if variable.kind not in "fiu":
        raise ConfigError(f"{path}: the variable {name} holds no numbers")
    given = file.values(name)
    values: Values = given.astype(np.float64)
    for mark in ("_FillValue", "missing_value"):
        missing = variable.attributes.get(mark)
        if isinstance(missing, int | float):
            values[given == np.asarray(missing, given.dtype)] = np.nan
    for attribute, apply in (("scale_factor", np.multiply), ("add_offset", np.add)):
        number = variable.attributes.get(attribute)
        if isinstance(number, int | float):
            values = apply(values, number)
    return values


def _axis_kind(name: str, attributes: Mapping[str, Any]) -> str:
    """Returns which coordinate an axis is, by its units or else its names."""
    units = str(attributes.get("units", "")).lower()
    words = f"{name} {attributes.get('standard_name', '')} {attributes.get('axis', '')}".lower()
    if "east" in units or "lon" in words or name.lower().endswith("x"):
        return "longitude"
    if "north" in units or "lat" in words or name.lower().endswith("y"):
        return "latitude"
    return "unknown"


def _ordered(path: Path, longitude: Values, latitude: Values, height_m: Values) -> Elevation:
    """Returns a grid with growing axes, each longitude once."""
    for name, axis in (("longitude", longitude), ("latitude", latitude)):
        steps = np.diff(axis)
        if len(axis) < 2 or not ((steps > 0).all() or (steps < 0).all()):
            raise ConfigError(f"{path}: the {name}s are not in order")
    if not np.abs(latitude).max() <= 90:
        raise ConfigError(f"{path}: a latitude is beyond the poles")
    if not np.isfinite(height_m).all():
        raise ConfigError(f"{path}: a height is missing")
    if longitude[0] > longitude[-1]:
        longitude, height_m = longitude[::-1], height_m[:, ::-1]
    if latitude[0] > latitude[-1]:
        latitude, height_m = latitude[::-1], height_m[::-1]
    step = _mean_step(longitude)
    # Some files repeat the first meridian at the end.
    once = longitude - longitude[0] < 360 - 1e-6 * step
    longitude, height_m = longitude[once], height_m[:, once]
    is_around = bool(longitude[-1] - longitude[0] + 1.5 * step > 360)
    return Elevation(longitude, latitude, height_m, is_around)


def interpolated(grid: Elevation, points: Points) -> Values:
    """Returns heights at unit vectors, bilinear; the nearest row or column counts beyond the grid."""
    # The full circle of a grid that goes around begins with it; others lie in the middle of theirs.
    begin = float(grid.longitude[0])
    if not grid.is_around:
        begin = float(grid.longitude[0] + grid.longitude[-1]) / 2 - 180
    east = (np.degrees(longitudes(points)) - begin) % 360 + begin
    axis, heights = grid.longitude, grid.height_m
    if grid.is_around:
        axis = np.append(axis, axis[0] + 360)
    column, across = _place(axis, east)
    row, up = _place(grid.latitude, np.degrees(latitudes(points)))
    right = (column + 1) % heights.shape[1]
    lower = heights[row, column] * (1 - across) + heights[row, right] * across
    upper = heights[row + 1, column] * (1 - across) + heights[row + 1, right] * across
    result: Values = lower * (1 - up) + upper * up
    return result


def _place(axis: Values, values: Values) -> tuple[Indices, Values]:
    """Returns the interval of each value and its place in it, from 0 to 1."""
    interval = np.clip(np.searchsorted(axis, values, side="right") - 1, 0, len(axis) - 2)
    share = (values - axis[interval]) / (axis[interval + 1] - axis[interval])
    return interval.astype(np.int32), np.clip(share, 0, 1)


def depth_of_elevation(mesh: VoronoiMesh, grid: Elevation) -> Values:
    """Returns the depth of each cell: the mean over its points of the sea where it has several.

    A point of the grid belongs to the cell whose centre is nearest. Cells with few points, or of less than
    two rows, have the value between four points.

    Raises:
        Error: If scipy is not installed.
    """
    spatial = extras.need("scipy.spatial", "depths from a file", "mesh")
    tree = spatial.cKDTree(mesh.cells)
    size = len(mesh.cells)
    total, weight, count = np.zeros(size), np.zeros(size), np.zeros(size, np.int64)
    reach = 2 * np.sqrt(mesh.cell_area_m2.max()) / mesh.radius_m
    rows = max(1, (1 << 19) // len(grid.longitude))
    for part in chunks(len(grid.latitude), rows):
        sea = np.nonzero(grid.height_m[part] < 0)
        lat = np.radians(grid.latitude[part][sea[0]])
        lon = np.radians(grid.longitude[sea[1]])
        distance, cell = tree.query(unit_vectors(lon, lat), distance_upper_bound=reach)
        near = np.isfinite(distance)
        share, cell = np.cos(lat[near]), cell[near]
        total -= np.bincount(cell, share * grid.height_m[part][sea][near], minlength=size)
        weight += np.bincount(cell, share, minlength=size)
        count += np.bincount(cell, minlength=size)
    row_m = np.radians(_mean_step(grid.latitude)) * mesh.radius_m
    has_two_rows = mesh.cell_area_m2 >= (2 * row_m) ** 2
    has_mean = (count >= _POINTS_FOR_MEAN) & (weight > 0) & has_two_rows
    between = -interpolated(grid, mesh.cells)
    result: Values = np.where(has_mean, total / np.where(weight > 0, weight, 1), between)
    return result


def _mean_step(axis: Values) -> float:
    return float(axis[-1] - axis[0]) / (len(axis) - 1)


@dataclass(frozen=True)
class Slope:
    """A plane sea floor that falls along a great circle.

    Args:
        longitude: Of the point where the depth is `depth_m`, in degrees.
        latitude: Of this point, in degrees.
        bearing: Where it becomes deeper, in degrees clockwise from north.
        depth_m: Depth at the point.
        gradient: Growth of the depth per metre.
    """

    longitude: float
    latitude: float
    bearing: float
    depth_m: float
    gradient: float

    def depths(self, mesh: VoronoiMesh) -> Values:
        """Returns the depth of each cell."""
        at = unit_vectors(*np.radians([[self.longitude], [self.latitude]]))
        east, north = east_and_north(at)
        angle = np.radians(self.bearing)
        along = np.sin(angle) * east + np.cos(angle) * north
        distance = np.arctan2(dot(mesh.cells, along), dot(mesh.cells, at)) * mesh.radius_m
        result: Values = self.depth_m + self.gradient * distance
        return result


@dataclass(frozen=True)
class Shelf:
    """A shelf around land, and the deep sea beyond it.

    Args:
        deep_m: Depth of the deep sea.
        shelf_m: Depth at the coast; it grows in equal steps to twice as much at the edge of the shelf.
        width_km: Width of the shelf. The slope beyond it is half as wide.
    """

    deep_m: float
    shelf_m: float
    width_km: float

    def depths(self, mesh: VoronoiMesh) -> Values:
        """Returns the depth of each cell by its distance to the coast.

        Raises:
            ConfigError: If the mesh has no coast.
        """
        distance = coast_distances(mesh) / (self.width_km * 1000)
        edge = 2 * self.shelf_m
        shelf = self.shelf_m * (1 + np.minimum(distance, 1))
        beyond = np.clip((distance - 1) / 0.5, 0, 1)
        result: Values = np.where(distance <= 1, shelf, edge + (self.deep_m - edge) * beyond)
        return result


def coast_distances(mesh: VoronoiMesh) -> Values:
    """Returns the distance of each cell to the nearest edge between sea and land, in metres.

    An edge of a region counts as coast.

    Raises:
        ConfigError: If there is no such edge.
        Error: If scipy is not installed.
    """
    ends = mesh.cells_on_edge
    beyond = (ends[:, 1] < 0) | (mesh.sea[ends[:, 0]] != mesh.sea[ends[:, 1]])
    if not beyond.any():
        raise ConfigError("depth: a shelf needs a coast, but the mesh has none")
    spatial = extras.need("scipy.spatial", "distances to the coast", "mesh")
    chord, _ = spatial.cKDTree(mesh.edges[beyond]).query(mesh.cells)
    result: Values = 2 * np.arcsin(np.minimum(chord / 2, 1)) * mesh.radius_m
    return result


def with_depth(
    mesh: VoronoiMesh, depth_m: Values | float, shallowest_m: float = SHALLOWEST_M
) -> VoronoiMesh:
    """Returns the mesh with depths of its sea, at least `shallowest_m`, and their gradients.

    Land has depth 0.

    Raises:
        ConfigError: If a depth is no finite number or none of a sea, or all of the sea is above the water.
    """
    if not SHALLOWEST_SEA_M <= shallowest_m <= DEEPEST_SEA_M:
        raise ConfigError(
            f"depth: the shallowest depth, {shallowest_m:g} m, is not in "
            f"{SHALLOWEST_SEA_M:g} to {DEEPEST_SEA_M:g} m"
        )
    depth = np.broadcast_to(np.asarray(depth_m, np.float64), mesh.sea.shape)
    if not np.isfinite(depth).all():
        raise ConfigError("depth: a depth is no finite number")
    of_sea = depth[mesh.sea > 0]
    if len(of_sea) and (of_sea.max() <= 0 or of_sea.max() > DEEPEST_SEA_M):
        raise ConfigError(
            f"depth: the greatest depth of the sea, {of_sea.max():g} m, is not in 0 to {DEEPEST_SEA_M:g} m; "
            "depths are positive down"
        )
    depth = np.where(mesh.sea > 0, np.maximum(depth, shallowest_m), 0.0)
    with_it = mesh.changed(depth_m=depth)
    east, north = gradients(with_it, depth)
    return with_it.changed(slope_east=east, slope_north=north)


def gradients(mesh: VoronoiMesh, values: Values) -> tuple[Values, Values]:
    """Returns the changes of a quantity per metre to the east and to the north, by least squares.

    The neighbours in the sea count, by the inverse square of their distance. Cells with fewer than two of
    them in different directions have no gradient, and land has none.
    """
    size, width = mesh.cells_on_cell.shape
    east_slope, north_slope = np.zeros(size), np.zeros(size)
    for part in chunks(size):
        here = mesh.cells[part]
        east, north = east_and_north(here)
        normal = np.zeros((3, len(here)))
        right = np.zeros((2, len(here)))
        for step in range(width):
            other = mesh.cells_on_cell[part, step]
            counts = (other >= 0) & (mesh.sea[other] > 0) & (mesh.sea[part] > 0)
            x, y, weight = _tangent(here, mesh.cells[other], east, north, mesh.radius_m)
            weight = np.where(counts, weight, 0.0)
            change = values[other] - values[part]
            normal += weight * np.stack([x * x, x * y, y * y])
            right += weight * change * np.stack([x, y])
        determinant = normal[0] * normal[2] - normal[1] ** 2
        solvable = determinant > 1e-6 * (normal[0] + normal[2]) ** 2
        divisor = np.where(solvable, determinant, 1.0)
        for result, numerator in (
            (east_slope, normal[2] * right[0] - normal[1] * right[1]),
            (north_slope, normal[0] * right[1] - normal[1] * right[0]),
        ):
            result[part] = np.where(solvable, numerator / divisor, 0.0)
    return east_slope, north_slope


def _tangent(
    here: Points, there: Points, east: Points, north: Points, radius_m: float
) -> tuple[Values, Values, Values]:
    """Returns metres to the east and to the north along great circles, and 1 / distance^2."""
    chord = there - here
    length = np.linalg.norm(chord, axis=1)
    arc = 2 * np.arcsin(np.minimum(length / 2, 1)) * radius_m
    x, y = dot(chord, east), dot(chord, north)
    flat = np.hypot(x, y)
    scale = arc / np.where(flat > 0, flat, 1.0)
    return x * scale, y * scale, 1 / np.where(arc > 0, arc, 1.0) ** 2
