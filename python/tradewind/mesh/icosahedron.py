"""Triangulations of the sphere by a subdivided icosahedron: 10 f^2 + 2 points."""

from __future__ import annotations

import math

import numpy as np

from tradewind.errors import ConfigError
from tradewind.mesh.triangulation import (
    Indices,
    Points,
    Triangulation,
    bisected,
    of_points,
    twins_of,
    unit,
)


def frequency_of(points: int) -> int | None:
    """Returns f if there are 10 f^2 + 2 points, else None."""
    if points < 12 or (points - 2) % 10:
        return None
    square = (points - 2) // 10
    root = math.isqrt(square)
    return root if root * root == square else None


def base_frequency(frequency: int) -> int:
    """Returns the odd part of a frequency; halving edges again and again gives the rest."""
    while frequency % 2 == 0:
        frequency //= 2
    return frequency


def icosahedron() -> Triangulation:
    """Returns the twelve points of an icosahedron, two of them at the poles."""
    latitude, fifth = math.atan(0.5), 2 * math.pi / 5
    rings = [
        (math.cos(lat) * math.cos(lon), math.cos(lat) * math.sin(lon), math.sin(lat))
        for k in range(5)
        for lat, lon in ((latitude, k * fifth), (-latitude, (k + 0.5) * fifth))
    ]
    points = np.array([(0.0, 0.0, 1.0), *rings, (0.0, 0.0, -1.0)])
    return of_points(unit(points))


def subdivided(frequency: int) -> Triangulation:
    """Returns an icosahedron whose edges are divided into `frequency` parts.

    The odd part divides the faces at once; the rest halves all edges, again and again, by great circles.

    Raises:
        ConfigError: If the frequency is below 1.
    """
    if frequency < 1:
        raise ConfigError(f"icosahedron: frequency {frequency}, but at least 1 is needed")
    base = base_frequency(frequency)
    mesh = _divided(base) if base > 1 else icosahedron()
    while frequency > base:
        mesh = bisected(mesh)
        frequency //= 2
    return mesh


def _divided(parts: int) -> Triangulation:
    """Divides each face into `parts`^2 triangles whose points on the edges have equal distances."""
    ico = icosahedron()
    angle = math.acos(float(ico.points[0] @ ico.points[1]))
    halves = ico.half_edges()
    edge_number = np.empty(60, np.int64)
    edge_number[halves] = edge_number[ico.twins.ravel()[halves]] = np.arange(30)
    inner = (parts - 1) * (parts - 2) // 2
    count = 12 + 30 * (parts - 1) + 20 * inner
    points, triangles = np.empty((count, 3)), []
    # Weights (i, j, k) with i + j + k = parts name the points of a face.
    j, k = (axis.ravel() for axis in np.meshgrid(*[np.arange(parts + 1)] * 2, indexing="ij"))
    j, k = j[j + k <= parts], k[j + k <= parts]
    weights = np.stack([parts - j - k, j, k], axis=1)
    pattern = _pattern(parts)
    for face in range(20):
        corners = ico.triangles[face]
        numbers = np.empty(len(weights), np.int64)
        inside = (weights > 0).all(axis=1)
        numbers[inside] = 12 + 30 * (parts - 1) + face * inner + np.arange(inner)
        for side in range(3):
            start, end = (side + 1) % 3, (side + 2) % 3
            on_side = (weights[:, side] == 0) & (weights[:, start] > 0) & (weights[:, end] > 0)
            step = weights[on_side, end if corners[start] < corners[end] else start]
            numbers[on_side] = 11 + (parts - 1) * edge_number[3 * face + side] + step
            numbers[weights[:, side] == parts] = corners[side]
        points[numbers] = unit(
            np.einsum("ij,jk->ik", np.sin(weights * (angle / parts)), ico.points[corners])
        )
        triangles.append(numbers[pattern])
    joined: Indices = np.concatenate(triangles).astype(np.int32)
    return Triangulation(points, joined, twins_of(joined, count))


def _pattern(parts: int) -> Indices:
    """Returns the triangles of a divided face by places in the list of its points."""
    place = np.full((parts + 1, parts + 1), -1, np.int32)
    allowed = np.add.outer(np.arange(parts + 1), np.arange(parts + 1)) <= parts
    place[allowed] = np.arange(int(allowed.sum()), dtype=np.int32)
    upward = [
        np.stack([place[j, : parts - j], place[j + 1, : parts - j], place[j, 1 : parts - j + 1]], 1)
        for j in range(parts)
    ]
    downward = [
        np.stack(
            [place[j + 1, : parts - j - 1], place[j + 1, 1 : parts - j], place[j, 1 : parts - j]], 1
        )
        for j in range(parts - 1)
    ]
    return np.concatenate([*upward, *downward])


def fibonacci(count: int) -> Points:
    """Returns points along a spiral from pole to pole, each with nearly the same area around it."""
    number = np.arange(count)
    height = 1 - (2 * number + 1) / count
    turn = number * (math.pi * (3 - math.sqrt(5)))
    radius = np.sqrt(1 - height * height)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn), height], axis=1)
