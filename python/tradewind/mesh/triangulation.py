"""Delaunay triangulations of points on the unit sphere: made, refined, and kept Delaunay as points move.

corners     (0, 1, 2) of a triangle, counter-clockwise seen from outside
half-edge   3 t + k is the edge of triangle t opposite its corner k, from corner k+1 to corner k+2
twin        the half-edge of the other triangle at the same edge
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tradewind import extras
from tradewind.errors import ConfigError, Error

Points = NDArray[np.float64]
# Numbers of points, triangles and the like: those that are kept have 32 bits, others may have 64.
Indices = NDArray[np.signedinteger[Any]]
Values = NDArray[np.float64]

# Work on arrays of this many rows at once keeps temporary arrays small.
CHUNK = 1 << 19
_MOST_ROUNDS = 1000


@dataclass(frozen=True)
class Triangulation:
    """Triangles that cover the sphere.

    Args:
        points: Unit vectors, (points, 3).
        triangles: The points of each triangle, counter-clockwise, (triangles, 3).
        twins: The half-edge on the other side of each half-edge, (triangles, 3).
    """

    points: Points
    triangles: Indices
    twins: Indices

    def half_edges(self) -> Indices:
        """Returns one half-edge of each edge, the one with the smaller number."""
        twins = self.twins.ravel()
        return np.flatnonzero(np.arange(len(twins), dtype=np.int32) < twins)


def chunks(size: int, step: int = CHUNK) -> Iterator[slice]:
    """Yields slices that cover a range in pieces of at most `step`."""
    for first in range(0, size, step):
        yield slice(first, min(first + step, size))


def unit(vectors: Points) -> Points:
    """Returns the vectors scaled to length 1."""
    scaled: Points = vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)
    return scaled


def dot(one: Points, other: Points) -> Values:
    """Returns the scalar product of each pair of rows."""
    product: Values = np.einsum("...i,...i->...", one, other)
    return product


def triangle_area(a: Points, b: Points, c: Points) -> Values:
    """Returns the areas of spherical triangles, positive if they are counter-clockwise."""
    volume = dot(a, np.cross(b - a, c - a))
    area: Values = 2 * np.arctan2(volume, 1 + dot(a, b) + dot(b, c) + dot(c, a))
    return area


def twins_of(triangles: Indices, points: int) -> Indices:
    """Returns the twin of each half-edge.

    Raises:
        ConfigError: If an edge does not belong to exactly two triangles.
    """
    start = triangles[:, [1, 2, 0]].ravel().astype(np.int64)
    end = triangles[:, [2, 0, 1]].ravel()
    key = np.minimum(start, end) * points + np.maximum(start, end)
    order = np.argsort(key, kind="stable").reshape(-1, 2)
    if (key[order[:, 0]] != key[order[:, 1]]).any():
        raise ConfigError("triangulation: an edge does not belong to exactly two triangles")
    twins = np.empty(len(key), np.int32)
    twins[order[:, 0]] = order[:, 1]
    twins[order[:, 1]] = order[:, 0]
    return twins.reshape(-1, 3)


def of_points(points: Points) -> Triangulation:
    """Returns the Delaunay triangulation of points on the sphere, which is their convex hull.

    Raises:
        ConfigError: If two points are the same, or all of them are on one side of the sphere.
        Error: If scipy is not installed.
    """
    if len(points) < 4:
        raise ConfigError(f"triangulation: {len(points)} points, but at least 4 are needed")
    if not np.isfinite(points).all():
        raise ConfigError("triangulation: a coordinate of a point is not a finite number")
    spatial = extras.need("scipy.spatial", "Voronoi meshes", "mesh")
    try:
        hull = spatial.ConvexHull(points)
    except spatial.QhullError:
        raise ConfigError("triangulation: the points do not surround the sphere") from None
    corners = np.asarray(hull.simplices, np.int32)
    used = np.bincount(corners.ravel(), minlength=len(points))
    if (used == 0).any():
        lost = int(np.flatnonzero(used == 0)[0])
        raise ConfigError(f"triangulation: point {lost} is the same as another one, or nearly so")
    orientation = _orientation(points, corners)
    corners = np.where((orientation < 0)[:, None], corners[:, [0, 2, 1]], corners)
    if (np.abs(orientation) == 0).any() or (hull.equations[:, 3] >= 0).any():
        raise ConfigError("triangulation: the points do not surround the sphere")
    return Triangulation(points, corners, twins_of(corners, len(points)))


def _orientation(points: Points, triangles: Indices) -> Values:
    """Returns a number for each triangle, positive if it is counter-clockwise."""
    result = np.empty(len(triangles))
    for part in chunks(len(triangles)):
        a, b, c = (points[triangles[part, k]] for k in range(3))
        result[part] = dot(a, np.cross(b - a, c - a))
    return result


def circumcenters(mesh: Triangulation) -> Points:
    """Returns the centres of the circles through the corners of each triangle, unit vectors."""
    centers = np.empty((len(mesh.triangles), 3))
    for part in chunks(len(mesh.triangles)):
        a, b, c = (mesh.points[mesh.triangles[part, k]] for k in range(3))
        centers[part] = unit(np.cross(b - a, c - a))
    return centers


def moved(mesh: Triangulation, points: Points) -> Triangulation:
    """Returns the Delaunay triangulation of moved points, by flips of edges where these suffice.

    Raises:
        ConfigError: If two points have become the same.
        Error: If scipy is needed and not installed.
    """
    if (_orientation(points, mesh.triangles) <= 0).any():
        return of_points(points)
    after = Triangulation(points, mesh.triangles.copy(), mesh.twins.copy())
    return after if _flip_until_delaunay(after) else of_points(points)


def _flip_until_delaunay(mesh: Triangulation) -> bool:
    """Flips edges in place; returns whether the triangulation is Delaunay then."""
    suspects = mesh.half_edges()
    for _ in range(_MOST_ROUNDS):
        bad = suspects[_is_not_delaunay(mesh, suspects)]
        if len(bad) == 0:
            return True
        _flip(mesh, _independent(mesh, bad))
        touched = np.unique(np.concatenate([bad // 3, mesh.twins.ravel()[bad] // 3]))
        around = (3 * touched[:, None] + np.arange(3)).ravel()
        suspects = np.unique(np.minimum(around, mesh.twins.ravel()[around]))
    return False


def _is_not_delaunay(mesh: Triangulation, half_edges: Indices) -> NDArray[np.bool_]:
    """Returns whether the opposite point of the neighbour is inside the circle of the triangle."""
    corners, twins = mesh.triangles.ravel(), mesh.twins.ravel()
    result = np.empty(len(half_edges), bool)
    for part in chunks(len(half_edges)):
        places = half_edges[part]
        p = mesh.points[corners[places]]
        a, b = (mesh.points[corners[next_corner(places, step)]] for step in (1, 2))
        q = mesh.points[corners[twins[places]]]
        normal = np.cross(a - p, b - p)
        size = np.sqrt(dot(normal, normal))
        # Four points of one circle, up to rounding, may keep either diagonal.
        result[part] = dot(normal, q - p) > 4e-16 * size
    return result


def next_corner(half_edges: Indices, step: int) -> Indices:
    """Returns the half-edges `step` corners further in the same triangles."""
    first = half_edges // 3 * 3
    result: Indices = first + (half_edges - first + step) % 3
    return result


def _independent(mesh: Triangulation, half_edges: Indices) -> Indices:
    """Returns those of the half-edges that can be flipped at once, as they share no triangles."""
    twins = mesh.twins.ravel()
    sides = [half_edges, twins[half_edges].astype(np.int64)]
    around = [place // 3 for place in sides]
    around += [twins[next_corner(place, step)] // 3 for place in sides for step in (1, 2)]
    six = np.stack(around, axis=1)
    # Precedence in the order of the numbers would make long chains of edges that wait for each other.
    precedence = np.random.default_rng(0).permutation(len(half_edges))
    claims = np.full(len(mesh.triangles), len(half_edges), np.int64)
    np.minimum.at(claims, six.ravel(), np.repeat(precedence, six.shape[1]))
    chosen: Indices = half_edges[(claims[six] == precedence[:, None]).all(axis=1)]
    return chosen


def _flip(mesh: Triangulation, half_edges: Indices) -> None:
    """Replaces each edge by the other diagonal of its two triangles.

    Triangles (p, a, b) and (q, b, a) become (p, a, q) and (p, q, b).
    """
    corners, twins = mesh.triangles.ravel(), mesh.twins.ravel()
    h, g = half_edges, twins[half_edges].astype(np.int64)
    p, a, b = (corners[next_corner(h, step)] for step in range(3))
    q = corners[g]
    outside_bp, outside_pa = (twins[next_corner(h, step)] for step in (1, 2))
    outside_aq, outside_qb = (twins[next_corner(g, step)] for step in (1, 2))
    t, u = 3 * (h // 3), 3 * (g // 3)
    for first, three in ((t, (p, a, q)), (u, (p, q, b))):
        for k, corner in enumerate(three):
            corners[first + k] = corner
    pairs = (
        (t, outside_aq),
        (t + 1, u + 2),
        (t + 2, outside_pa),
        (u, outside_qb),
        (u + 1, outside_bp),
    )
    for one, other in pairs:
        twins[one] = other
        twins[other] = one


def bisected(mesh: Triangulation) -> Triangulation:
    """Returns the triangulation with a new point in the middle of each edge.

    N points become 4 N - 6. The old points keep their numbers. Triangle t becomes 4 t to 4 t + 3: one at
    each corner and one in the middle.
    """
    halves, old = mesh.half_edges(), len(mesh.points)
    corners, twins = mesh.triangles.ravel(), mesh.twins.ravel()
    points = np.empty((old + len(halves), 3))
    points[:old] = mesh.points
    for part in chunks(len(halves)):
        ends = (mesh.points[corners[next_corner(halves[part], step)]] for step in (1, 2))
        points[old + part.start : old + part.stop] = unit(sum(ends, np.zeros(3)))
    middles = np.empty(len(corners), np.int32)
    middles[halves] = middles[twins[halves]] = np.arange(old, old + len(halves), dtype=np.int32)
    v, m = mesh.triangles, middles.reshape(-1, 3)
    children = np.empty((len(v), 4, 3), np.int32)
    for k in range(3):
        children[:, k] = np.stack([v[:, k], m[:, (k + 2) % 3], m[:, (k + 1) % 3]], axis=1)
    children[:, 3] = m
    return Triangulation(points, children.reshape(-1, 3), _twins_of_children(mesh))


def _twins_of_children(mesh: Triangulation) -> Indices:
    """Returns the twins after a bisection; each half-edge has become two, in two children."""
    first = 12 * np.arange(len(mesh.triangles), dtype=np.int32)
    twins = np.empty((len(first), 12), np.int32)
    starts = np.stack([first + 3 * ((k + 1) % 3) + 2 for k in range(3)], axis=1).ravel()
    ends = np.stack([first + 3 * ((k + 2) % 3) + 1 for k in range(3)], axis=1).ravel()
    others = mesh.twins.ravel()
    flat = twins.reshape(-1)
    flat[starts] = ends[others]
    flat[ends] = starts[others]
    for k in range(3):
        twins[:, 3 * k] = first + 9 + k
        twins[:, 9 + k] = first + 3 * k
    return twins.reshape(-1, 3)


def with_points_in(mesh: Triangulation, triangles: Indices) -> Triangulation:
    """Returns the triangulation with a new point in the middle of some triangles.

    Args:
        mesh: The triangulation.
        triangles: Numbers of different triangles; few, as each is treated for itself.
    """
    count, old = len(triangles), len(mesh.triangles)
    centers = unit(mesh.points[mesh.triangles[triangles]].sum(axis=1))
    points = np.concatenate([mesh.points, centers])
    corners = np.concatenate([mesh.triangles, np.zeros((2 * count, 3), np.int32)])
    twins = np.concatenate([mesh.twins, np.zeros((2 * count, 3), np.int32)])
    flat = twins.reshape(-1)
    for number, t in enumerate(map(int, triangles)):
        three = (t, old + 2 * number, old + 2 * number + 1)
        ends, outside = corners[t].tolist(), twins[t].tolist()
        for k, child in enumerate(three):
            # The new point is corner 0; the edge opposite corner k of the old triangle is kept.
            corners[child] = (len(mesh.points) + number, ends[(k + 1) % 3], ends[(k + 2) % 3])
            twins[child] = (outside[k], 3 * three[(k + 1) % 3] + 2, 3 * three[(k + 2) % 3] + 1)
            flat[outside[k]] = 3 * child
    return Triangulation(points, corners, twins)


def renumbered(mesh: Triangulation, order: Indices) -> Triangulation:
    """Returns the triangulation with its points in another order, and its triangles along with them.

    Args:
        mesh: The triangulation.
        order: The old number of each new point.
    """
    if len(order) != len(mesh.points):
        raise Error(f"triangulation: an order of {len(order)} for {len(mesh.points)} points")
    new_point = np.empty(len(order), np.int32)
    new_point[order] = np.arange(len(order), dtype=np.int32)
    triangles = new_point[mesh.triangles]
    new_order = np.argsort(triangles.min(axis=1), kind="stable")
    new_triangle = np.empty(len(new_order), np.int32)
    new_triangle[new_order] = np.arange(len(new_order), dtype=np.int32)
    twins = mesh.twins[new_order]
    twins = 3 * new_triangle[twins // 3] + twins % 3
    return Triangulation(mesh.points[order], triangles[new_order], twins)
