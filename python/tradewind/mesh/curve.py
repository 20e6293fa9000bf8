"""A space-filling curve on the sphere: Hilbert curves on the faces of a cube, end to start.

Points that follow each other along the curve are close together, so that equal pieces of it are compact.
"""

from __future__ import annotations

import numpy as np

from tradewind.mesh.triangulation import Indices, Points, chunks

# The curve of a face starts at the corner (-1, -1) of its two axes (u, v) and ends at (1, -1). A face is its
# outward axis, then u and v; axes are numbered 0 to 2, those with a minus sign 3 to 5. Each face starts at
# the corner of the cube where the one before ends.
_FACES = tuple((k, (k + 1) % 6, (k + 2) % 6) for k in range(6))
_LEVELS = 24


def curve_order(points: Points) -> Indices:
    """Returns the numbers of points in the order of the curve."""
    order: Indices = np.argsort(curve_positions(points), kind="stable")
    return order


def curve_positions(points: Points) -> Indices:
    """Returns the place of each point along the curve.

    Args:
        points: Unit vectors, (points, 3).
    """
    positions = np.empty(len(points), np.int64)
    for part in chunks(len(points)):
        positions[part] = _positions(points[part])
    return positions


def _positions(points: Points) -> Indices:
    signed = np.concatenate([points, -points], axis=1)
    face = np.argmax(signed[:, [out for out, _, _ in _FACES]], axis=1)
    axes = np.array(_FACES)[face]
    out, u, v = (np.take_along_axis(signed, axes[:, [k]], axis=1)[:, 0] for k in range(3))
    # Equal angles instead of equal lengths make squares of nearly equal area.
    x, y = (
        np.clip((np.arctan2(axis, out) / (np.pi / 2) + 0.5) * 2**_LEVELS, 0, 2**_LEVELS - 1)
        for axis in (u, v)
    )
    position: Indices = face * 4**_LEVELS + _hilbert(x.astype(np.int64), y.astype(np.int64))
    return position


def _hilbert(x: Indices, y: Indices) -> Indices:
    """Returns the place on a Hilbert curve from (0, 0) to (2^levels - 1, 0)."""
    position = np.zeros(len(x), np.int64)
    for level in range(_LEVELS - 1, -1, -1):
        right, upper = (x >> level) & 1, (y >> level) & 1
        position += ((3 * right) ^ upper) << (2 * level)
        # The lower quarters are turned: mirrored at one diagonal on the left, at the other one on the right.
        low = (1 << level) - 1
        x, y = x & low, y & low
        flipped = (upper == 0) & (right == 1)
        x, y = np.where(flipped, low - x, x), np.where(flipped, low - y, y)
        x, y = np.where(upper == 0, y, x), np.where(upper == 0, x, y)
    return position
