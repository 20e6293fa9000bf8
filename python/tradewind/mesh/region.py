"""Parts of a mesh: a region, the cells of the sea, the largest connected part."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tradewind import extras
from tradewind.errors import ConfigError
from tradewind.mesh.curve import curve_order
from tradewind.mesh.refine import Box
from tradewind.mesh.triangulation import Indices, Points, Values, chunks, unit
from tradewind.mesh.voronoi_mesh import VoronoiMesh, latitudes, longitudes

Mask = NDArray[np.bool_]


def region(mesh: VoronoiMesh, box: Box) -> VoronoiMesh:
    """Returns the cells whose centres are in a box.

    Raises:
        ConfigError: If there are none.
    """
    inside = box.contains(mesh.cells)
    if not inside.any():
        raise ConfigError(f"{box}: no cell of the mesh has its centre there")
    return kept(mesh, inside)


def kept(mesh: VoronoiMesh, cells: Mask) -> VoronoiMesh:
    """Returns a mesh of some of the cells, in their old order.

    Edges and vertices of these cells stay. Where a cell is gone, its number is -1, and its kites are 0. An
    edge whose first cell is gone is turned round, so that its first cell exists.

    Args:
        mesh: The mesh.
        cells: Which cells stay.
    """
    numbers = _numbers(np.flatnonzero(cells), len(cells))
    edges, vertices = (
        np.flatnonzero(_renumber(numbers, neighbors).max(axis=1) >= 0)
        for neighbors in (mesh.cells_on_edge, mesh.cells_on_vertex)
    )
    return taken(mesh, np.flatnonzero(cells), edges, vertices)


def along_curve(mesh: VoronoiMesh) -> VoronoiMesh:
    """Returns the mesh with its cells in the order of the space-filling curve.

    Edges and vertices follow the first of their cells.
    """
    order = curve_order(mesh.cells)
    numbers, last = _numbers(order, len(order)), len(order)
    edges, vertices = (
        np.argsort(np.where(places < 0, last, places).min(axis=1), kind="stable")
        for places in (
            _renumber(numbers, mesh.cells_on_edge),
            _renumber(numbers, mesh.cells_on_vertex),
        )
    )
    return taken(mesh, order, edges, vertices)


def taken(mesh: VoronoiMesh, cells: Indices, edges: Indices, vertices: Indices) -> VoronoiMesh:
    """Returns the mesh of some of its cells, edges and vertices, by old numbers in the new order."""
    new_cell = _numbers(cells, len(mesh.cells))
    new_edge, new_vertex = _numbers(edges, len(mesh.edges)), _numbers(vertices, len(mesh.vertices))
    ends, edge_ends, angle = turned_outward(
        _renumber(new_cell, mesh.cells_on_edge[edges]),
        new_vertex[mesh.vertices_on_edge[edges]],
        mesh.angle[edges],
    )
    corners = _renumber(new_cell, mesh.cells_on_vertex[vertices])
    kites = np.where(corners >= 0, mesh.kite_area_m2[vertices], 0.0)
    per_cell = {
        name: getattr(mesh, name)[cells]
        for name in ("cells", "edge_count", "cell_area_m2", "density", "sea", "depth_m")
    }
    return mesh.changed(
        **per_cell,
        slope_east=mesh.slope_east[cells],
        slope_north=mesh.slope_north[cells],
        edges=mesh.edges[edges],
        vertices=mesh.vertices[vertices],
        cells_on_cell=_renumber(new_cell, mesh.cells_on_cell[cells]),
        edges_on_cell=_renumber(new_edge, mesh.edges_on_cell[cells]),
        vertices_on_cell=_renumber(new_vertex, mesh.vertices_on_cell[cells]),
        cells_on_edge=ends,
        vertices_on_edge=edge_ends,
        cells_on_vertex=corners,
        edges_on_vertex=_renumber(new_edge, mesh.edges_on_vertex[vertices]),
        dc_m=mesh.dc_m[edges],
        dv_m=mesh.dv_m[edges],
        angle=angle,
        kite_area_m2=kites,
        triangle_area_m2=kites.sum(axis=1),
    )


def turned_outward(
    cells_on_edge: Indices, vertices_on_edge: Indices, angle: Values
) -> tuple[Indices, Indices, Values]:
    """Turns edges without a first cell round, so that their normals point out of the second one."""
    lacks_first = cells_on_edge[:, 0] < 0
    ends = np.where(lacks_first[:, None], cells_on_edge[:, ::-1], cells_on_edge)
    corners = np.where(lacks_first[:, None], vertices_on_edge[:, ::-1], vertices_on_edge)
    return ends, corners, np.where(lacks_first, angle - np.copysign(np.pi, angle), angle)


def _numbers(old: Indices, size: int) -> Indices:
    """Returns the new number of each old thing, -1 for those that go."""
    numbers = np.full(size, -1, np.int32)
    numbers[old] = np.arange(len(old), dtype=np.int32)
    return numbers


def _renumber(numbers: Indices, places: Indices) -> Indices:
    """Returns new numbers of old places; -1 stays."""
    return np.where(places >= 0, numbers[places], np.int32(-1)).astype(np.int32, copy=False)


def components(mesh: VoronoiMesh) -> tuple[int, Indices]:
    """Returns the number of connected parts and the part of each cell.

    Cells are connected where they share an edge and both are sea, or both are land.

    Raises:
        Error: If scipy is not installed.
    """
    sparse = extras.need("scipy.sparse", "connected parts of meshes", "mesh")
    graph = extras.need("scipy.sparse.csgraph", "connected parts of meshes", "mesh")
    inner = mesh.cells_on_edge[(mesh.cells_on_edge >= 0).all(axis=1)]
    inner = inner[mesh.sea[inner[:, 0]] == mesh.sea[inner[:, 1]]]
    size = len(mesh.cells)
    links = sparse.coo_array(
        (np.ones(len(inner), np.int8), (inner[:, 0], inner[:, 1])), shape=(size, size)
    )
    count, labels = graph.connected_components(links, directed=False)
    return int(count), labels


def sea_components(mesh: VoronoiMesh) -> list[int]:
    """Returns the number of cells of each connected part of the sea, the largest first."""
    count, labels = components(mesh)
    sizes = np.bincount(labels[mesh.sea > 0], minlength=count)
    return sorted((int(size) for size in sizes if size), reverse=True)


def largest_sea(mesh: VoronoiMesh) -> Mask:
    """Returns which cells belong to the largest connected part of the sea."""
    count, labels = components(mesh)
    sizes = np.bincount(labels[mesh.sea > 0], minlength=count)
    largest: Mask = (labels == np.argmax(sizes)) & (mesh.sea > 0)
    return largest


def sea_share(mesh: VoronoiMesh) -> NDArray[np.float64]:
    """Returns the part of each cell that is sea by the land mask of the package global-land-mask.

    The mask has squares of a kilometre. It is looked up at the centre of a cell and halfway to each of its
    vertices.

    Raises:
        Error: If the package is not installed.
    """
    globe = extras.need("global_land_mask.globe", "meshes of the sea", "mesh")
    share = np.empty(len(mesh.cells))
    for part in chunks(len(mesh.cells)):
        found, looked_up = np.zeros(part.stop - part.start), 1 + mesh.edge_count[part]
        found += _is_ocean(globe, mesh.cells[part])
        for step in range(mesh.vertices_on_cell.shape[1]):
            has = np.flatnonzero(mesh.edge_count[part] > step)
            corner = mesh.vertices[mesh.vertices_on_cell[part, step][has]]
            found[has] += _is_ocean(globe, unit(mesh.cells[part][has] + corner))
        share[part] = found / looked_up
    return share


def _is_ocean(globe: object, points: Points) -> Mask:
    # The longitudes of the mask are within -180 and 180.
    east = np.degrees((longitudes(points) + np.pi) % (2 * np.pi) - np.pi)
    ocean: Mask = globe.is_ocean(np.degrees(latitudes(points)), east)  # type: ignore[attr-defined]
    return ocean


def marked_sea(mesh: VoronoiMesh) -> VoronoiMesh:
    """Returns the mesh whose cells are sea where at least half of them is, by `sea_share`.

    Raises:
        ConfigError: If no cell is sea.
        Error: If global-land-mask is not installed.
    """
    sea = (sea_share(mesh) >= 0.5).astype(np.int32)
    if not sea.any():
        raise ConfigError(f"land mask: none of the {len(sea)} cells is sea")
    return mesh.changed(sea=sea)


def sea_only(mesh: VoronoiMesh, *, all_parts: bool = False) -> VoronoiMesh:
    """Returns the cells of the sea.

    Args:
        mesh: A mesh with marked land.
        all_parts: Keeps all connected parts, instead of only the largest one.
    """
    return kept(mesh, mesh.sea > 0 if all_parts else largest_sea(mesh))
