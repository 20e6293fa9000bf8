"""A mesh of Voronoi cells on the sphere, with the arrays of an MPAS mesh file.

      v2
      |
a --- e --- b    The normal of edge e points from a = cells_on_edge[e, 0] to b = cells_on_edge[e, 1].
      |          Turned by a quarter to the left, it points from v1 = vertices_on_edge[e, 0] to v2.
      v1
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tradewind.mesh.triangulation import Indices, Points, Values

EARTH_RADIUS_M = 6371220.0
# The depths that a sea can have; src/tradewind/models/fvwam/mesh/voronoi_mesh.hpp has them, too.
SHALLOWEST_SEA_M, DEEPEST_SEA_M = 0.25, 12000.0


@dataclass(frozen=True)
class VoronoiMesh:
    """Voronoi cells, the edges between them, and the vertices where three of them meet.

    Numbers of cells, edges and vertices count from 0, and -1 means none: beyond the coast, or in rows that
    are longer than the number of edges of a cell. Neighbours are listed counter-clockwise. Entry j of
    `cells_on_cell` is across edge j, and vertex j lies between edge j and edge j + 1 of the cell. Entry j of
    `cells_on_vertex` lies between edge j and edge j + 1 of the vertex.

    Args:
        radius_m: The radius of the sphere.
        cells: Unit vectors of the centres, (cells, 3).
        edges: Unit vectors of the middles between two centres, (edges, 3).
        vertices: Unit vectors, (vertices, 3).
        edge_count: Edges of each cell.
        cells_on_cell: (cells, most edges).
        edges_on_cell: (cells, most edges).
        vertices_on_cell: (cells, most edges).
        cells_on_edge: (edges, 2); the first one always exists.
        vertices_on_edge: (edges, 2).
        cells_on_vertex: (vertices, 3).
        edges_on_vertex: (vertices, 3).
        dc_m: Distance between the two centres, also where one of them has been removed.
        dv_m: Distance between the two vertices.
        angle: The angle of the normal of an edge against east, in radians.
        cell_area_m2: Area of each cell.
        triangle_area_m2: The sum of `kite_area_m2` of each vertex.
        kite_area_m2: What a cell and the triangle of a vertex share, (vertices, 3).
        density: The density of the points, 1 at most.
        sea: 1 for cells of the sea, 0 for land.
        depth_m: Depth of the sea floor, positive down.
        slope_east: Change of the depth along a metre to the east.
        slope_north: Change of the depth along a metre to the north.
    """

    radius_m: float
    cells: Points
    edges: Points
    vertices: Points
    edge_count: Indices
    cells_on_cell: Indices
    edges_on_cell: Indices
    vertices_on_cell: Indices
    cells_on_edge: Indices
    vertices_on_edge: Indices
    cells_on_vertex: Indices
    edges_on_vertex: Indices
    dc_m: Values
    dv_m: Values
    angle: Values
    cell_area_m2: Values
    triangle_area_m2: Values
    kite_area_m2: Values
    density: Values
    sea: Indices
    depth_m: Values
    slope_east: Values
    slope_north: Values

    @property
    def is_global(self) -> bool:
        """Returns whether the cells cover the sphere, so that each edge has two of them."""
        return bool((self.cells_on_edge >= 0).all())

    def changed(self, **arrays: Any) -> VoronoiMesh:
        """Returns the mesh with other arrays in place of some of its own."""
        return replace(self, **arrays)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Returns all arrays by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)[1:]}


def longitudes(points: Points) -> Values:
    """Returns longitudes from 0 to 2 pi."""
    result: Values = np.arctan2(points[:, 1], points[:, 0])
    # A tiny negative number plus 2 pi would be 2 pi itself.
    return np.where(result < 0, np.minimum(result + 2 * np.pi, np.nextafter(2 * np.pi, 0)), result)


def latitudes(points: Points) -> Values:
    """Returns latitudes from -pi/2 to pi/2."""
    result: Values = np.arctan2(points[:, 2], np.hypot(points[:, 0], points[:, 1]))
    return result


def unit_vectors(longitude: Values, latitude: Values) -> Points:
    """Returns unit vectors.

    Args:
        longitude: In radians.
        latitude: In radians.
    """
    ring = np.cos(latitude)
    return np.stack([ring * np.cos(longitude), ring * np.sin(longitude), np.sin(latitude)], axis=-1)


def east_and_north(points: Points) -> tuple[Points, Points]:
    """Returns the unit vectors to the east and to the north; at the poles, those of longitude 0."""
    longitude, zero = np.arctan2(points[:, 1], points[:, 0]), np.zeros(len(points))
    east = np.stack([-np.sin(longitude), np.cos(longitude), zero], axis=1)
    return east, np.cross(points, east)


Progress = Callable[[str], object]
