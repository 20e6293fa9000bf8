r"""Densities of meshes that are finer in some places, and points spread by a density.

spacing, in parts of that outside
1         ___________              ______________
                     \            /
                      \          /     between: a smooth step of its logarithm
1/factor               \________/
                       | inside | width |
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from tradewind.errors import ConfigError
from tradewind.mesh.curve import curve_order
from tradewind.mesh.icosahedron import fibonacci
from tradewind.mesh.lloyd import Density
from tradewind.mesh.triangulation import Points, Values
from tradewind.mesh.voronoi_mesh import EARTH_RADIUS_M, latitudes, longitudes, unit_vectors

MOST_FACTOR = 1000.0
_MOST_SAMPLES = 1 << 24


@dataclass(frozen=True)
class Box:
    """An area between two meridians and two parallels.

    Args:
        west: In degrees.
        east: In degrees, up to 360 more than `west`.
        south: In degrees.
        north: In degrees.

    Raises:
        ConfigError: If it is empty or no box of the sphere.
    """

    west: float
    east: float
    south: float
    north: float

    def __post_init__(self) -> None:
        if not all(map(np.isfinite, (self.west, self.east, self.south, self.north))):
            raise ConfigError(f"{self}: an edge is not a finite number")
        if not 0 < self.east - self.west <= 360:
            raise ConfigError(f"{self}: east must be more than west, by 360 at most")
        if not -90 <= self.south < self.north <= 90:
            raise ConfigError(f"{self}: south and north must be within -90 and 90, in this order")

    def __str__(self) -> str:
        return f"region {self.west:g},{self.east:g},{self.south:g},{self.north:g}"

    def area(self) -> float:
        """Returns the area on the unit sphere."""
        south, north = np.radians([self.south, self.north])
        return float(np.radians(self.east - self.west) * (np.sin(north) - np.sin(south)))

    def distances(self, points: Points) -> Values:
        """Returns the distance to the box in radians, 0 inside; beside it that to its nearest side."""
        lon, lat = longitudes(points), latitudes(points)
        west, east, south, north = np.radians([self.west, self.east, self.south, self.north])
        half, middle = (east - west) / 2, (east + west) / 2
        beside = np.abs((lon - middle + np.pi) % (2 * np.pi) - np.pi) - half
        nearest_lat = np.clip(lat, south, north)
        sine = np.sin((lat - nearest_lat) / 2) ** 2
        sine += np.cos(lat) * np.cos(nearest_lat) * np.sin(np.maximum(beside, 0) / 2) ** 2
        result: Values = 2 * np.arcsin(np.sqrt(np.minimum(sine, 1)))
        return result

    def contains(self, points: Points) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Returns whether points are inside."""
        inside: np.ndarray[tuple[int], np.dtype[np.bool_]] = self.distances(points) == 0
        return inside


@dataclass(frozen=True)
class Circle:
    """An area around a point.

    Args:
        longitude: Of the middle, in degrees.
        latitude: Of the middle, in degrees.
        radius_km: Radius along the ground.

    Raises:
        ConfigError: If it is no circle of the sphere.
    """

    longitude: float
    latitude: float
    radius_km: float

    def __post_init__(self) -> None:
        if not (np.isfinite(self.longitude) and -90 <= self.latitude <= 90):
            raise ConfigError(f"{self}: latitude must be within -90 and 90")
        if not 0 < self.radius_km <= np.pi * EARTH_RADIUS_M / 1000:
            raise ConfigError(f"{self}: the radius must be above 0 and at most half the globe")

    def __str__(self) -> str:
        return f"circle {self.longitude:g},{self.latitude:g},{self.radius_km:g} km"

    def distances(self, points: Points) -> Values:
        """Returns the distance to the circle in radians, 0 inside."""
        middle = unit_vectors(*np.radians([[self.longitude], [self.latitude]]))
        chord = np.linalg.norm(points - middle, axis=1)
        angle = 2 * np.arcsin(np.minimum(chord / 2, 1))
        result: Values = np.maximum(angle - self.radius_km * 1000 / EARTH_RADIUS_M, 0)
        return result


@dataclass(frozen=True)
class Refinement:
    """A place where the spacing of a mesh is finer.

    Args:
        place: The area.
        factor: The spacing outside in parts of that inside.
        width_km: How far outside the spacing changes.

    Raises:
        ConfigError: If the factor or the width is out of range.
    """

    place: Box | Circle
    factor: float
    width_km: float

    def __post_init__(self) -> None:
        if not 1 <= self.factor <= MOST_FACTOR:
            raise ConfigError(
                f"refinement of {self.place}: factor {self.factor:g}, but it must be within 1 and "
                f"{MOST_FACTOR:g}"
            )
        if not 0 < self.width_km <= np.pi * EARTH_RADIUS_M / 1000:
            raise ConfigError(
                f"refinement of {self.place}: width {self.width_km:g} km is not allowed"
            )

    def spacing(self, points: Points) -> Values:
        """Returns the spacing in parts of that outside."""
        beyond = self.place.distances(points) * EARTH_RADIUS_M / (self.width_km * 1000)
        share = np.clip(beyond, 0, 1)
        smooth = share * share * (3 - 2 * share)
        result: Values = self.factor ** (smooth - 1)
        return result


def spacing_of(refinements: Sequence[Refinement]) -> Callable[[Points], Values]:
    """Returns the function of the spacing, the finest of all refinements, in parts of that outside."""

    def spacing(points: Points) -> Values:
        result = np.ones(len(points))
        for one in refinements:
            result = np.minimum(result, one.spacing(points))
        return result

    return spacing


def density_of(refinements: Sequence[Refinement]) -> Density:
    """Returns the density whose cells have the spacing of the refinements; 1 where they are finest."""
    spacing = spacing_of(refinements)
    finest = 1 / max((one.factor for one in refinements), default=1.0)

    def density(points: Points) -> Values:
        ratio = finest / spacing(points)
        squared = ratio * ratio
        return squared * squared

    return density


def mean_cells(density: Density, points: Points) -> Values:
    """Returns the number of cells per area, in parts of that where the density is 1."""
    result: Values = np.sqrt(density(points))
    return result


def sampled(count: int, density: Density) -> Points:
    """Returns points spread by a density, as a start for Lloyd's method.

    Many points of equal area follow each other on the space-filling curve. Of these every one is taken
    whose running sum of cells passes a whole number.

    Raises:
        ConfigError: If the density differs by too much for so few points.
    """
    size = max(64 * count, 1 << 17)
    while size <= _MOST_SAMPLES:
        candidates = fibonacci(size)
        candidates = candidates[curve_order(candidates)]
        share = mean_cells(density, candidates)
        share *= count / share.sum()
        if share.max() < 0.5:
            passed = np.floor(np.cumsum(share) + 0.5)
            return candidates[_steps(passed, count)]
        size *= 4
    raise ConfigError(
        f"refinement: {count} points are too few, or the refined area is too small for its factor"
    )


def _steps(passed: Values, count: int) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Returns where a sum that never grows by more than 1 passes 1 to `count`."""
    return np.minimum(np.searchsorted(passed, np.arange(1, count + 1)), len(passed) - 1)
