"""Checks of a mesh: whether its arrays agree with each other, and how good it is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tradewind.errors import ConfigError
from tradewind.mesh.region import components, sea_components
from tradewind.mesh.triangulation import Indices, Points, Values, chunks, dot, unit
from tradewind.mesh.voronoi_mesh import (
    DEEPEST_SEA_M,
    SHALLOWEST_SEA_M,
    VoronoiMesh,
    east_and_north,
)

# Lengths and areas of other generators differ by rounding, and by flat instead of spherical formulas.
_LENGTH_TOLERANCE, _AREA_TOLERANCE, _KITE_TOLERANCE, _ANGLE_TOLERANCE = 0.02, 0.05, 0.1, 0.2


def check_mesh(mesh: VoronoiMesh, source: str, *, connected: bool = True) -> None:
    """Refuses a mesh whose arrays contradict each other.

    Args:
        mesh: The mesh.
        source: Where it comes from, for messages.
        connected: Refuses a mesh whose cells are not connected, too.

    Raises:
        ConfigError: If fields disagree, or two cells are at the same place; the message names fields as a
            file does, and counts from 1.
    """
    check_numbers(mesh, source)
    for check in (_check_cells, _check_edges, _check_vertices, _check_values):
        fault = check(mesh)
        if fault is not None:
            raise ConfigError(f"{source}: {fault}")
    _check_duplicates(mesh, source)
    if connected:
        count, labels = components(mesh.changed(sea=np.ones_like(mesh.sea)))
        sizes = np.sort(np.bincount(labels))[::-1]
        if count > 1:
            raise ConfigError(
                f"{source}: the cells are in {count} parts that share no edge, of "
                f"{', '.join(map(str, sizes[:5]))}{' ...' if count > 5 else ''} cells"
            )


def check_numbers(mesh: VoronoiMesh, source: str) -> None:
    """Refuses a mesh that names cells, edges or vertices that there are not.

    Args:
        mesh: The mesh.
        source: Where it comes from, for messages.

    Raises:
        ConfigError: Naming the field, the number and its row.
    """
    fault = _check_ranges(mesh)
    if fault is not None:
        raise ConfigError(f"{source}: {fault}")


def _first(wrong: NDArray[np.bool_]) -> int:
    """Returns the number of the first row that has something wrong, from 1."""
    return int(np.argmax(wrong if wrong.ndim == 1 else wrong.any(axis=1))) + 1


def _check_ranges(mesh: VoronoiMesh) -> str | None:
    """Returns what is wrong with the numbers of cells, edges and vertices."""
    sizes = {"cells": len(mesh.cells), "edges": len(mesh.edges), "vertices": len(mesh.vertices)}
    width = mesh.cells_on_cell.shape[1]
    wrong = (mesh.edge_count < 3) | (mesh.edge_count > width)
    if wrong.any():
        count = mesh.edge_count[_first(wrong) - 1]
        return f"nEdgesOnCell is {count} at cell {_first(wrong)}, but must be 3 to {width}"
    used = np.arange(width) < mesh.edge_count[:, None]
    arrays: tuple[tuple[str, Indices, str, NDArray[np.bool_] | bool, int], ...] = (
        ("cellsOnCell", mesh.cells_on_cell, "cells", used, -1),
        ("edgesOnCell", mesh.edges_on_cell, "edges", used, 0),
        ("verticesOnCell", mesh.vertices_on_cell, "vertices", used, 0),
        ("cellsOnEdge", mesh.cells_on_edge, "cells", True, -1),
        ("verticesOnEdge", mesh.vertices_on_edge, "vertices", True, 0),
        ("cellsOnVertex", mesh.cells_on_vertex, "cells", True, -1),
        ("edgesOnVertex", mesh.edges_on_vertex, "edges", True, -1),
    )
    for name, numbers, kind, counts, least in arrays:
        wrong = ((numbers < least) | (numbers >= sizes[kind])) & counts
        if wrong.any():
            value = numbers[wrong][0] + 1
            return f"{name} has {value} in row {_first(wrong)}, but there are {sizes[kind]} {kind}"
    return None


def _check_cells(mesh: VoronoiMesh) -> str | None:
    """Returns where neighbours, edges and vertices of a cell contradict the lists of the edges."""
    for step in range(mesh.cells_on_cell.shape[1]):
        for part in chunks(len(mesh.cells)):
            rows: Indices = np.arange(part.start, part.stop)
            rows = rows[mesh.edge_count[rows] > step]
            edge = mesh.edges_on_cell[rows, step]
            ends = mesh.cells_on_edge[edge]
            is_first = ends[:, 0] == rows
            wrong = ~is_first & (ends[:, 1] != rows)
            if wrong.any():
                return f"edgesOnCell and cellsOnEdge disagree at cell {rows[wrong][0] + 1}"
            wrong = np.where(is_first, ends[:, 1], ends[:, 0]) != mesh.cells_on_cell[rows, step]
            if wrong.any():
                return f"cellsOnCell and cellsOnEdge disagree at cell {rows[wrong][0] + 1}"
            before = (step - 1) % mesh.edge_count[rows]
            pair = np.stack(
                [mesh.vertices_on_cell[rows, step], mesh.vertices_on_cell[rows, before]]
            )
            wrong = ~_same_pair(pair, mesh.vertices_on_edge[edge].T)
            if wrong.any():
                return f"verticesOnCell and verticesOnEdge disagree at cell {rows[wrong][0] + 1}"
    return None


def _same_pair(one: Indices, other: Indices) -> NDArray[np.bool_]:
    """Returns whether two pairs have the same members."""
    straight = (one[0] == other[0]) & (one[1] == other[1])
    crossed = (one[0] == other[1]) & (one[1] == other[0])
    result: NDArray[np.bool_] = straight | crossed
    return result


def _check_edges(mesh: VoronoiMesh) -> str | None:
    """Returns which edge has no cell, twice the same one, or is not in the lists of its cells."""
    one, other = mesh.cells_on_edge.T
    wrong = one == other
    if wrong.any():
        return f"cellsOnEdge has no cell, or twice the same one, at edge {_first(wrong)}"
    wrong = mesh.vertices_on_edge[:, 0] == mesh.vertices_on_edge[:, 1]
    if wrong.any():
        return f"verticesOnEdge has twice the same vertex at edge {_first(wrong)}"
    used = np.arange(mesh.edges_on_cell.shape[1]) < mesh.edge_count[:, None]
    listed = np.bincount(mesh.edges_on_cell[used], minlength=len(one))
    wrong = listed != (mesh.cells_on_edge >= 0).sum(axis=1)
    if wrong.any():
        return f"edgesOnCell and cellsOnEdge disagree at edge {_first(wrong)}"
    return None


def _check_vertices(mesh: VoronoiMesh) -> str | None:
    """Returns which vertex contradicts the lists of the edges."""
    for part in chunks(len(mesh.vertices)):
        for step in range(3):
            edge = mesh.edges_on_vertex[part, step]
            rows = np.flatnonzero(edge >= 0)
            ends = mesh.vertices_on_edge[edge[rows]]
            wrong = (ends != (rows + part.start)[:, None]).all(axis=1)
            if wrong.any():
                row = rows[wrong][0] + part.start + 1
                return f"edgesOnVertex and verticesOnEdge disagree at vertex {row}"
    used = np.arange(mesh.vertices_on_cell.shape[1]) < mesh.edge_count[:, None]
    listed = np.bincount(mesh.vertices_on_cell[used], minlength=len(mesh.vertices))
    wrong = listed != (mesh.cells_on_vertex >= 0).sum(axis=1)
    if wrong.any():
        return f"cellsOnVertex and verticesOnCell disagree at vertex {_first(wrong)}"
    # Both lists have the same number of pairs, which are compared in the order of the vertices.
    cell, _ = np.nonzero(used)
    of_cells = mesh.vertices_on_cell[used].astype(np.int64) * len(mesh.cells) + cell
    vertex, place = np.nonzero(mesh.cells_on_vertex >= 0)
    of_vertices = vertex * len(mesh.cells) + mesh.cells_on_vertex[vertex, place].astype(np.int64)
    of_cells.sort()
    of_vertices.sort()
    wrong = of_cells != of_vertices
    if wrong.any():
        at = of_vertices[np.argmax(wrong)] // len(mesh.cells) + 1
        return f"cellsOnVertex and verticesOnCell disagree at vertex {at}"
    return None


def _check_values(mesh: VoronoiMesh) -> str | None:
    """Returns which length or area is impossible, or contradicts the places."""
    rules: tuple[tuple[str, NDArray[np.bool_], str, str], ...] = (
        ("dcEdge", mesh.dc_m <= 0, "above 0", "edge"),
        ("dvEdge", mesh.dv_m < 0, "0 or more", "edge"),
        ("areaCell", mesh.cell_area_m2 <= 0, "above 0", "cell"),
        ("meshDensity", mesh.density <= 0, "above 0", "cell"),
        ("maskCell", (mesh.sea != 0) & (mesh.sea != 1), "0 or 1", "cell"),
        ("bottomDepth", mesh.depth_m < 0, "0 or more", "cell"),
    )
    for name, wrong, allowed, kind in rules:
        if wrong.any():
            return f"{name} must be {allowed}, but is not at {kind} {_first(wrong)}"
    if not mesh.sea.any():
        return "maskCell: no cell is sea"
    # Depths are 0 everywhere where nobody has set them.
    wrong = (mesh.sea > 0) & ((mesh.depth_m < SHALLOWEST_SEA_M) | (mesh.depth_m > DEEPEST_SEA_M))
    if mesh.depth_m[mesh.sea > 0].any() and wrong.any():
        depth = mesh.depth_m[_first(wrong) - 1]
        return (
            f"bottomDepth is {depth:g} at cell {_first(wrong)} of the sea, but must be "
            f"{SHALLOWEST_SEA_M:g} to {DEEPEST_SEA_M:g} m"
        )
    scale = mesh.radius_m
    for name, given, ends, places in (
        ("dcEdge", mesh.dc_m, mesh.cells_on_edge, mesh.cells),
        ("dvEdge", mesh.dv_m, mesh.vertices_on_edge, mesh.vertices),
    ):
        for part in chunks(len(given)):
            there = (ends[part] >= 0).all(axis=1)
            length = scale * _distance(places[ends[part, 0]], places[ends[part, 1]])
            margin = _LENGTH_TOLERANCE * mesh.dc_m[part]
            wrong = there & (np.abs(length - given[part]) > margin)
            if wrong.any():
                return f"{name} contradicts the places of its ends at edge {_first(wrong) + part.start}"
    off = _angle_fault(mesh)
    if off is not None:
        return off
    curvature = (mesh.dc_m.mean() / mesh.radius_m) ** 2
    wrong = np.abs(area_of_polygons(mesh) / mesh.cell_area_m2 - 1) > _AREA_TOLERANCE + curvature
    if wrong.any():
        return f"areaCell contradicts the edges of cell {_first(wrong)}"
    return _kite_fault(mesh, _KITE_TOLERANCE + curvature)


def _kite_fault(mesh: VoronoiMesh, tolerance: float) -> str | None:
    """Returns where the kites of a cell are not its area, or those of a vertex not the triangle."""
    there = mesh.cells_on_vertex >= 0
    kites = np.where(there, mesh.kite_area_m2, 0)
    of_cells = np.bincount(
        mesh.cells_on_vertex[there], mesh.kite_area_m2[there], minlength=len(mesh.cells)
    )
    wrong = np.abs(of_cells / mesh.cell_area_m2 - 1) > tolerance
    if wrong.any():
        return f"kiteAreasOnVertex contradicts areaCell at cell {_first(wrong)}"
    # Beside a cell that was removed, files may have the whole triangle or what is left of it.
    triangle = mesh.triangle_area_m2
    rest = triangle - kites.sum(axis=1)
    wrong = (rest < -tolerance * triangle) | (there.all(axis=1) & (rest > tolerance * triangle))
    if wrong.any():
        return f"areaTriangle contradicts kiteAreasOnVertex at vertex {_first(wrong)}"
    return None


def _angle_fault(mesh: VoronoiMesh) -> str | None:
    """Returns which angle contradicts the vertices of an edge; very short edges have no direction."""
    mean = mesh.dv_m.mean()
    for part in chunks(len(mesh.edges)):
        start, end = (mesh.vertices[mesh.vertices_on_edge[part, side]] for side in range(2))
        normal = np.cross(end - start, mesh.edges[part])
        east, north = east_and_north(mesh.edges[part])
        angle = np.arctan2(dot(normal, north), dot(normal, east))
        turn = np.abs((mesh.angle[part] - angle + np.pi) % (2 * np.pi) - np.pi)
        wrong = (turn > _ANGLE_TOLERANCE) & (mesh.dv_m[part] > 0.05 * mean)
        # Beside a pole east is hardly defined.
        wrong &= np.abs(mesh.edges[part, 2]) < np.cos(mesh.dc_m[part] / mesh.radius_m)
        if wrong.any():
            return f"angleEdge contradicts verticesOnEdge at edge {_first(wrong) + part.start}"
        one, other = (mesh.cells_on_edge[part, side] for side in range(2))
        wrong = (other >= 0) & (dot(normal, mesh.cells[other] - mesh.cells[one]) < 0)
        wrong &= mesh.dv_m[part] > 0.05 * mean
        if wrong.any():
            return f"cellsOnEdge contradicts angleEdge at edge {_first(wrong) + part.start}"
    return None


def area_of_polygons(mesh: VoronoiMesh) -> Values:
    """Returns the areas of cells by the lengths of their edges: dc dv / 4 for each, as on a plane."""
    size = len(mesh.cells)
    area = np.zeros(size)
    quarter = mesh.dc_m * mesh.dv_m / 4
    for side in range(2):
        cell = mesh.cells_on_edge[:, side]
        there = cell >= 0
        area += np.bincount(cell[there], quarter[there], minlength=size)
    return area


def _distance(one: Points, other: Points) -> Values:
    """Returns angles between unit vectors."""
    chord = np.linalg.norm(one - other, axis=1)
    result: Values = 2 * np.arcsin(np.minimum(chord / 2, 1))
    return result


def _check_duplicates(mesh: VoronoiMesh, source: str) -> None:
    order = np.lexsort(mesh.cells.T)
    same = (np.diff(mesh.cells[order], axis=0) == 0).all(axis=1)
    if same.any():
        pairs = np.sort(np.stack([order[:-1][same], order[1:][same]], axis=1), axis=1) + 1
        one, other = pairs[np.argmin(pairs[:, 0])]
        raise ConfigError(f"{source}: cells {one} and {other} are at the same place")


@dataclass(frozen=True)
class MeshQuality:
    """Counts and measures of a mesh.

    Args:
        cells: Number of cells.
        edges: Number of edges.
        vertices: Number of vertices.
        euler: Vertices - edges + cells: 2 for a whole sphere, less by the number of coast lines.
        is_global: Whether the cells cover the sphere.
        area_share: Area of all cells over that of the sphere.
        area_ratio: Largest area of a cell over the smallest one.
        dc_min_m: Shortest distance of two neighbours.
        dc_mean_m: Mean distance.
        dc_max_m: Longest distance.
        dv_ratio: Length of the shortest edge over the mean one.
        degrees: Number of cells by number of edges.
        orthogonality: Largest deviation of an edge from a right angle, in radians.
        centroid_residual: Largest distance of a centre to the centroid of its cell, over its spacing.
        sea_cells: Number of cells of the sea.
        sea_share: Area of the sea over that of the sphere.
        sea_parts: Cells of each connected part of the sea, the largest first.
        depth_mean_m: Mean depth of the sea, by area.
        depth_max_m: Greatest depth.
    """

    cells: int
    edges: int
    vertices: int
    euler: int
    is_global: bool
    area_share: float
    area_ratio: float
    dc_min_m: float
    dc_mean_m: float
    dc_max_m: float
    dv_ratio: float
    degrees: dict[int, int]
    orthogonality: float
    centroid_residual: float
    sea_cells: int
    sea_share: float
    sea_parts: list[int]
    depth_mean_m: float
    depth_max_m: float


def mesh_quality(mesh: VoronoiMesh) -> MeshQuality:
    """Returns counts and measures of a mesh."""
    globe = 4 * np.pi * mesh.radius_m**2
    sea = mesh.sea > 0
    sea_area = float(mesh.cell_area_m2[sea].sum())
    degrees = np.bincount(mesh.edge_count)
    sizes = len(mesh.cells), len(mesh.edges), len(mesh.vertices)
    return MeshQuality(
        *sizes,
        sizes[2] - sizes[1] + sizes[0],
        mesh.is_global,
        float(mesh.cell_area_m2.sum() / globe),
        float(mesh.cell_area_m2.max() / mesh.cell_area_m2.min()),
        float(mesh.dc_m.min()),
        float(mesh.dc_m.mean()),
        float(mesh.dc_m.max()),
        float(mesh.dv_m.min() / mesh.dv_m.mean()),
        {degree: int(count) for degree, count in enumerate(degrees) if count},
        float(orthogonality(mesh).max()),
        float(centroid_residuals(mesh).max()),
        int(sea.sum()),
        sea_area / globe,
        sea_components(mesh),
        float((mesh.depth_m[sea] * mesh.cell_area_m2[sea]).sum()) / sea_area if sea_area else 0.0,
        float(mesh.depth_m.max()),
    )


def orthogonality(mesh: VoronoiMesh) -> Values:
    """Returns how far each edge is from a right angle with the line between its cells, in radians.

    The angle is that at the edge times its length over the mean one: on a very short edge the direction is
    lost in rounding, and does not matter. Edges with one cell count as right.
    """
    result = np.zeros(len(mesh.edges))
    mean = mesh.dv_m.mean()
    for part in chunks(len(mesh.edges)):
        there = np.asarray(mesh.cells_on_edge[part].min(axis=1) >= 0)
        one, other = (mesh.cells[mesh.cells_on_edge[part, side]] for side in range(2))
        start, end = (mesh.vertices[mesh.vertices_on_edge[part, side]] for side in range(2))
        # Both are perpendicular to the edge's own direction where the mesh is right.
        normal, along = unit(np.where(there[:, None], other - one, end)), end - start
        part_length = np.linalg.norm(along, axis=1)
        sine = np.abs(dot(normal, along)) / np.where(part_length > 0, part_length, 1)
        weight = np.minimum(mesh.dv_m[part] / mean, 1)
        result[part] = np.where(there, np.arcsin(np.minimum(sine, 1)) * weight, 0)
    return result


def centroid_residuals(mesh: VoronoiMesh) -> Values:
    """Returns the distance of each centre to the centroid of its cell, over the square root of its area.

    The density is linear between the centre of a cell and its vertices, where it is the mean of the cells.
    """
    at_vertices = vertex_means(mesh, mesh.density)
    sums = np.zeros((len(mesh.cells), 3))
    for step in range(mesh.cells_on_cell.shape[1]):
        for part in chunks(len(mesh.cells)):
            rows: Indices = np.arange(part.start, part.stop)
            rows = rows[mesh.edge_count[rows] > step]
            ends = mesh.vertices_on_edge[mesh.edges_on_cell[rows, step]]
            corners = [mesh.cells[rows], *(mesh.vertices[ends[:, side]] for side in range(2))]
            values = [mesh.density[rows], *(at_vertices[ends[:, side]] for side in range(2))]
            area = np.abs(
                dot(corners[0], np.cross(corners[1] - corners[0], corners[2] - corners[0]))
            )
            total = values[0] + values[1] + values[2]
            for value, place in zip(values, corners, strict=True):
                sums[rows] += (area * (value + total))[:, None] * place
    away = np.linalg.norm(unit(sums) - mesh.cells, axis=1)
    result: Values = away * mesh.radius_m / np.sqrt(mesh.cell_area_m2)
    return result


def vertex_means(mesh: VoronoiMesh, values: Values) -> Values:
    """Returns the mean of a quantity over the cells at each vertex."""
    there = mesh.cells_on_vertex >= 0
    sums = np.where(there, values[mesh.cells_on_vertex], 0).sum(axis=1)
    means: Values = sums / np.maximum(there.sum(axis=1), 1)
    return means
