"""The Voronoi mesh of a triangulation: connections, lengths, angles and areas."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tradewind.errors import ConfigError
from tradewind.mesh.lloyd import Density
from tradewind.mesh.triangulation import (
    Indices,
    Points,
    Triangulation,
    Values,
    chunks,
    circumcenters,
    dot,
    next_corner,
    unit,
)
from tradewind.mesh.voronoi_mesh import EARTH_RADIUS_M, VoronoiMesh, east_and_north


def voronoi_mesh(
    mesh: Triangulation, density: Density | None = None, radius_m: float = EARTH_RADIUS_M
) -> VoronoiMesh:
    """Returns the Voronoi mesh whose cells are the points and whose vertices are the triangles.

    All cells are sea of depth 0.

    Args:
        mesh: A Delaunay triangulation; the mesh keeps its numbers.
        density: Recorded at the cells; 1 if there is none.
        radius_m: Radius of the sphere.
    """
    count, halves = len(mesh.points), mesh.half_edges()
    vertices = circumcenters(mesh)
    twins = mesh.twins.ravel()
    edge_of = np.empty(len(twins), np.int32)
    edge_of[halves] = edge_of[twins[halves]] = np.arange(len(halves), dtype=np.int32)
    on_edge = [mesh.triangles.ravel()[next_corner(halves, step)] for step in (1, 2)]
    # The triangle of a half-edge is on its left, so that seen along it the second vertex is this one.
    edge_ends = np.stack([twins[halves] // 3, (halves // 3).astype(np.int32)], axis=1)
    ends = np.stack(on_edge, axis=1)
    edges, dc, dv, angle, parts = _edge_geometry(mesh.points, vertices, ends, edge_ends)
    edges_on_vertex = edge_of.reshape(-1, 3)[:, [2, 0, 1]]
    kites = kite_areas(edges_on_vertex, edge_ends, parts) * radius_m**2
    cells_on_vertex = mesh.triangles[:, [1, 2, 0]]
    area = np.bincount(cells_on_vertex.ravel(), kites.ravel(), count).astype(np.float64)
    nothing = np.zeros(count)
    return VoronoiMesh(
        radius_m,
        mesh.points,
        edges,
        vertices,
        *_around_cells(mesh, edge_of),
        ends,
        edge_ends,
        cells_on_vertex,
        edges_on_vertex,
        dc * radius_m,
        dv * radius_m,
        angle,
        area,
        kites.sum(axis=1),
        kites,
        density=np.ones(count) if density is None else density(mesh.points),
        sea=np.ones(count, np.int32),
        depth_m=nothing,
        slope_east=nothing,
        slope_north=nothing,
    )


def _edge_geometry(
    cells: Points, vertices: Points, cells_on_edge: Indices, vertices_on_edge: Indices
) -> tuple[Points, Values, Values, Values, Values]:
    """Returns middles, distances of cells and of vertices, angles, and areas between middle and vertex."""
    count = len(cells_on_edge)
    edges, angle, parts = np.empty((count, 3)), np.empty(count), np.empty((count, 2))
    dc, dv = np.empty(count), np.empty(count)
    for part in chunks(count):
        one, other = (cells[cells_on_edge[part, side]] for side in range(2))
        chord = other - one
        length = np.linalg.norm(chord, axis=1)
        middle, normal = unit(one + other), chord / length[:, None]
        along = np.cross(middle, normal)
        east, north = east_and_north(middle)
        ends = [vertices[vertices_on_edge[part, side]] for side in range(2)]
        edges[part], dc[part] = middle, 2 * np.arcsin(np.minimum(length / 2, 1))
        dv[part] = 2 * np.arcsin(np.minimum(np.linalg.norm(ends[1] - ends[0], axis=1) / 2, 1))
        angle[part] = np.arctan2(dot(normal, north), dot(normal, east))
        parts[part] = corner_areas(middle, along, ends, np.tan(dc[part] / 4))
    return edges, dc, dv, angle, parts


def corner_areas(middle: Points, along: Points, ends: Sequence[Points], tangent: Values) -> Values:
    """Returns the areas between a cell, the middle of its edge and each end of the edge, on the unit sphere.

    The triangle has a right angle. With legs a and b its area is 2 atan(tan(a/2) tan(b/2)), below 0 if the end
    is on the far side of the middle. The other cell has the mirror image.

    Args:
        middle: Of each edge.
        along: The direction of each edge from its first end to its second one.
        ends: The vertices at both ends.
        tangent: That of half the way from the cell to the middle.
    """
    legs = [np.arctan2(dot(end, along), dot(end, middle)) for end in ends]
    areas = [2 * np.arctan(tangent * np.tan(leg / 2)) for leg in (-legs[0], legs[1])]
    return np.stack(areas, axis=1)


def kite_areas(edges_on_vertex: Indices, vertices_on_edge: Indices, parts: Values) -> Values:
    """Returns the area between cell j, edge j, vertex and edge j + 1, on the unit sphere.

    Args:
        edges_on_vertex: Three edges of each vertex, counterclockwise.
        vertices_on_edge: The ends of each edge.
        parts: What `corner_areas` returns.
    """
    kites = np.empty(edges_on_vertex.shape)
    for part in chunks(len(kites)):
        around = edges_on_vertex[part]
        vertex = np.arange(part.start, part.stop)[:, None]
        side = (vertices_on_edge[around, 1] == vertex).astype(np.int64)
        of_edge = parts[around, side]
        kites[part] = of_edge + of_edge[:, [1, 2, 0]]
    return kites


def _around_cells(
    mesh: Triangulation, edge_of: Indices
) -> tuple[Indices, Indices, Indices, Indices]:
    """Returns the number of edges of each cell, and its cells, edges and vertices in a circle.

    From triangle (c, p, q) the circle around c goes on across the edge to q.

    Raises:
        ConfigError: If the triangles around a point are no single circle.
    """
    count, triangles, twins = len(mesh.points), mesh.triangles.ravel(), mesh.twins.ravel()
    degrees = np.bincount(triangles, minlength=count).astype(np.int32)
    width = int(degrees.max())
    cells, edges, vertices = (np.full((count, width), -1, np.int32) for _ in range(3))
    # The half-edge opposite to the cell in the first of its triangles.
    start = np.empty(count, np.int64)
    start[triangles[::-1]] = np.arange(len(triangles) - 1, -1, -1)
    for part in chunks(count):
        rows: Indices = np.arange(part.start, part.stop)
        place = start[part]
        for step in range(int(degrees[part].max())):
            # Across the edge between the cell and q, opposite to p.
            across = next_corner(place, 1)
            vertices[rows, step] = twins[across] // 3
            edges[rows, step] = edge_of[across]
            cells[rows, step] = triangles[next_corner(place, 2)]
            # The next triangle is (c, q, r), and this edge is opposite to r.
            place = next_corner(twins[across], 1)
            inside = degrees[rows] > step + 1
            ended = rows[~inside]
            if (place[~inside] != start[ended]).any() or (
                place[inside] == start[rows[inside]]
            ).any():
                raise ConfigError("Voronoi mesh: the triangles around a point are no circle")
            rows, place = rows[inside], place[inside]
    return degrees, cells, edges, vertices
