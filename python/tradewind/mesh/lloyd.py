"""Lloyd's method: each point moves to the centroid of its Voronoi cell, again and again.

The fixed point is a spherical centroidal Voronoi tessellation. With a density, mass per area, the spacing
of its points is proportional to density^(-1/4).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from tradewind.mesh.triangulation import (
    Indices,
    Points,
    Triangulation,
    Values,
    chunks,
    circumcenters,
    dot,
    moved,
    next_corner,
    triangle_area,
    unit,
)

# The density at unit vectors, (points, 3).
Density = Callable[[Points], Values]

# A sweep counts as the last one when no point has moved further, in parts of its spacing.
TOLERANCE = 1e-4


@dataclass(frozen=True)
class Relaxed:
    """The result of Lloyd's method.

    Args:
        mesh: The triangulation of the moved points.
        sweeps: How often all points were moved.
        largest_move: The longest way of a point in the last sweep, in parts of the spacing.
    """

    mesh: Triangulation
    sweeps: int
    largest_move: float


def centroids(mesh: Triangulation, density: Density | None = None) -> Points:
    """Returns the centroid of the cell of each point, as a unit vector.

    Without a density the integral over a cell is exact: half the sum over its edges of the angle of the
    edge times the normal of its plane. Else a cell is cut into triangles between its centre and its
    edges, on which the density is linear.
    """
    centers = circumcenters(mesh)
    corners, twins, halves = mesh.triangles.ravel(), mesh.twins.ravel(), mesh.half_edges()
    size = len(mesh.points)
    values = None if density is None else (density(mesh.points), density(centers))
    sums = np.zeros((3, size))
    for part in chunks(len(halves)):
        left, right = halves[part] // 3, twins[halves[part]] // 3
        arc = np.cross(centers[right], centers[left])
        sine = np.sqrt(dot(arc, arc))[:, None]
        moment = arc * np.divide(np.arcsin(sine), sine, out=np.ones_like(sine), where=sine > 0)
        for step, sign in ((1, 1), (2, -1)):
            cells = corners[next_corner(halves[part], step)]
            if values is not None:
                moment = _moment(mesh.points, cells, centers, (right, left), values)
            for axis in range(3):
                sums[axis] += np.bincount(cells, sign * moment[:, axis], minlength=size)
    return unit(sums.T)


def _moment(
    points: Points,
    cells: Indices,
    centers: Points,
    ends: tuple[Indices, Indices],
    density: tuple[Values, Values],
) -> Points:
    """Returns the integral of density times place over the triangles of cells and ends of edges."""
    corners = (points[cells], centers[ends[0]], centers[ends[1]])
    values = (density[0][cells], density[1][ends[0]], density[1][ends[1]])
    area, total = triangle_area(*corners), values[0] + values[1] + values[2]
    result = np.zeros_like(corners[0])
    for value, place in zip(values, corners, strict=True):
        result += (area * (value + total))[:, None] * place
    return result


def moves(mesh: Triangulation, points: Points, density: Density | None = None) -> Values:
    """Returns how far each point would move, in parts of the spacing that the density demands."""
    corners, halves = mesh.triangles.ravel(), mesh.half_edges()
    fineness = np.ones(len(points)) if density is None else density(mesh.points) ** 0.25
    total = 0.0
    for part in chunks(len(halves)):
        start, end = (corners[next_corner(halves[part], step)] for step in (1, 2))
        length = np.linalg.norm(mesh.points[end] - mesh.points[start], axis=1)
        total += float((length * (fineness[start] + fineness[end])).sum()) / 2
    steps: Values = np.linalg.norm(points - mesh.points, axis=1) * fineness
    return steps * (len(halves) / total)


def relaxed(
    mesh: Triangulation,
    sweeps: int,
    density: Density | None = None,
    tolerance: float = TOLERANCE,
    progress: Callable[[int, float], object] | None = None,
) -> Relaxed:
    """Moves the points by Lloyd's method.

    Args:
        mesh: The triangulation to start from.
        sweeps: The most sweeps.
        density: The density; uniform if there is none.
        tolerance: The end comes when no point moves further, in parts of its spacing.
        progress: Called after each sweep with its number and the longest move.
    """
    largest = np.inf
    for sweep in range(1, sweeps + 1):
        points = centroids(mesh, density)
        largest = float(moves(mesh, points, density).max())
        mesh = moved(mesh, points)
        if progress is not None:
            progress(sweep, largest)
        if largest < tolerance:
            return Relaxed(mesh, sweep, largest)
    return Relaxed(mesh, sweeps, largest)
