"""The fields of vertices that a file may leave out: their cells, edges and kites."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tradewind.mesh.triangulation import Indices, Points, Values, chunks, dot
from tradewind.mesh.voronoi import corner_areas, kite_areas
from tradewind.mesh.voronoi_mesh import VoronoiMesh, east_and_north


def vertex_fields(mesh: VoronoiMesh) -> dict[str, NDArray[Any]]:
    """Returns cells, edges and kites of the vertices, and the areas of their triangles.

    Edges go round a vertex counterclockwise, and cell j is between edges j and j + 1.

    Args:
        mesh: A mesh whose numbers of cells, edges and vertices are possible; these fields are not read.

    Returns:
        `cells_on_vertex`, `edges_on_vertex`, `kite_area_m2` and `triangle_area_m2`. The triangle of a vertex
        whose cells are not all there is what these have of it.
    """
    along, parts = _along_edges(mesh)
    edges = _edges_in_order(mesh, along)
    cells = _common_cell(mesh.cells_on_edge, edges, np.roll(edges, -1, axis=1))
    kites = kite_areas(edges, mesh.vertices_on_edge, parts) * mesh.radius_m**2
    kites = np.where(cells >= 0, kites, 0)
    return {
        "cells_on_vertex": cells,
        "edges_on_vertex": edges,
        "kite_area_m2": kites,
        "triangle_area_m2": kites.sum(axis=1),
    }


def _along_edges(mesh: VoronoiMesh) -> tuple[Points, Values]:
    """Returns the direction of each edge from its first vertex to its second, and its `corner_areas`."""
    middles, angle = mesh.edges, mesh.angle
    along, parts = np.empty(middles.shape), np.zeros((len(middles), 2))
    for part in chunks(len(middles)):
        middle = middles[part]
        east, north = east_and_north(middle)
        normal = np.cos(angle[part])[:, None] * east + np.sin(angle[part])[:, None] * north
        along[part] = np.cross(middle, normal)
        # The first cell is there; the other one was as far from the middle.
        cell = mesh.cells[mesh.cells_on_edge[part, 0]]
        tangent = np.linalg.norm(cell - middle, axis=1) / np.linalg.norm(cell + middle, axis=1)
        ends = [mesh.vertices[mesh.vertices_on_edge[part, side]] for side in range(2)]
        parts[part] = corner_areas(middle, along[part], ends, tangent)
    return along, parts


def _edges_in_order(mesh: VoronoiMesh, along: Points) -> Indices:
    """Returns the edges of each vertex, counterclockwise; -1 follows where there are less than three."""
    ends: Indices = mesh.vertices_on_edge
    edge, side = np.nonzero(ends >= 0)
    vertex = ends[edge, side]
    east, north = east_and_north(mesh.vertices)
    outward = along[edge] * np.where(side == 0, 1.0, -1.0)[:, None]
    azimuth = np.arctan2(dot(outward, north[vertex]), dot(outward, east[vertex]))
    order = np.lexsort((azimuth, vertex))
    edge, vertex, azimuth = edge[order], vertex[order], azimuth[order]
    place = np.arange(len(vertex)) - np.searchsorted(vertex, vertex)
    # Vertices with more edges than three are refused by what checks the mesh.
    kept = place < 3
    edges = np.full((len(mesh.vertices), 3), -1, np.int32)
    azimuths = np.zeros(edges.shape)
    edges[vertex[kept], place[kept]] = edge[kept]
    azimuths[vertex[kept], place[kept]] = azimuth[kept]
    # Two edges have their cell between them, on the side of less than half a turn.
    two = (edges[:, 1] >= 0) & (edges[:, 2] < 0) & (azimuths[:, 1] - azimuths[:, 0] > np.pi)
    edges[two, :2] = edges[two, 1::-1]
    return edges


def _common_cell(cells_on_edge: Indices, one: Indices, other: Indices) -> Indices:
    """Returns the cell that two edges share, or -1."""
    common: Indices = np.full(one.shape, -1, np.int32)
    for part in chunks(len(one)):
        there = (one[part] >= 0) & (other[part] >= 0)
        for first in range(2):
            cell = cells_on_edge[one[part], first]
            shared = (cells_on_edge[other[part]] == cell[..., None]).any(axis=-1)
            common[part] = np.where(there & shared & (cell >= 0), cell, common[part])
    return common
