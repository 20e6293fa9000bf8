"""Maps of a mesh: its cells, coloured by spacing, depth or process."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tradewind.mesh.triangulation import Indices, Values
from tradewind.mesh.voronoi_mesh import (
    VoronoiMesh,
    east_and_north,
    latitudes,
    longitudes,
    unit_vectors,
)
from tradewind.plots.style import new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Outlines of more cells would cover the colours.
_MOST_OUTLINES = 30_000
# Colours of processes; neighbours along the curve differ.
_PROCESS_COLOURS = 20
_COLOURS = {"spacing": "viridis", "depth": "viridis_r"}
FIELDS = tuple(_COLOURS)


def draw(
    mesh: VoronoiMesh,
    field: str,
    title: str,
    centre: tuple[float, float] | None = None,
    owners: Indices | None = None,
) -> Figure:
    """Draws the cells of a mesh.

    Args:
        mesh: The mesh.
        field: "spacing" or "depth".
        title: Above the picture.
        centre: Longitude and latitude in degrees of the point above which the globe is seen from far
            away; without it the map has longitudes and latitudes.
        owners: The process of each cell, drawn instead of the field.
    """
    shown, corners = _on_globe(mesh, *centre) if centre else _on_map(mesh)
    values, label = _values(mesh, field)
    if owners is not None:
        values, label = (owners % _PROCESS_COLOURS).astype(np.float64), ""
    with styled():
        from matplotlib.collections import PolyCollection

        figure = new_figure(7.0 if centre else 8.0, 6.2 if centre else 4.6)
        panel = figure.subplots()
        panel.set_title(title)
        has_lines = len(shown) <= _MOST_OUTLINES
        cells = PolyCollection(
            list(corners),
            array=values[shown],
            cmap="tab20" if owners is not None else _COLOURS[field],
            edgecolors="#00000066" if has_lines else "face",
            linewidths=0.15 if has_lines else 0.1,
        )
        panel.add_collection(cells)
        panel.margins(0.02)
        panel.autoscale_view()
        panel.grid(False)
        if label:
            figure.colorbar(cells, ax=panel, label=label, shrink=0.8)
        if centre:
            panel.set_aspect("equal")
            panel.set_axis_off()
        else:
            west, east = panel.get_xlim()
            if east - west > 350:
                panel.set(xlim=(-180, 180), ylim=(-90, 90))
            panel.set_xlabel("longitude (°E)")
            panel.set_ylabel("latitude (°N)")
            middle = np.radians(np.mean(panel.get_ylim()))
            panel.set_aspect(1 / max(np.cos(middle), 0.2))
    return figure


def _values(mesh: VoronoiMesh, field: str) -> tuple[Values, str]:
    if field == "depth":
        return mesh.depth_m, "depth (m)"
    return np.sqrt(mesh.cell_area_m2 * 2 / np.sqrt(3)) / 1000, "spacing (km)"


def _rings(mesh: VoronoiMesh, cells: Indices) -> Indices:
    """Returns the vertices of cells, the last one repeated where a cell has fewer than others."""
    rows, count = mesh.vertices_on_cell[cells], mesh.edge_count[cells]
    place = np.minimum(np.arange(rows.shape[1]), count[:, None] - 1)
    rings: Indices = np.take_along_axis(rows, place, axis=1)
    return rings


def _on_globe(mesh: VoronoiMesh, longitude: float, latitude: float) -> tuple[Indices, Values]:
    """Returns the visible cells of the sea and their corners, in radii of the globe."""
    towards = unit_vectors(*np.radians([[longitude], [latitude]]))
    axes = np.concatenate(east_and_north(towards))
    shown = np.flatnonzero((mesh.cells @ towards[0] > 0) & (mesh.sea > 0))
    return shown, mesh.vertices[_rings(mesh, shown)] @ axes.T


def _on_map(mesh: VoronoiMesh) -> tuple[Indices, Values]:
    """Returns the cells of the sea and the longitudes and latitudes of their corners, in degrees.

    Cells of which a pole is a part are left out.
    """
    lat = latitudes(mesh.cells)
    half = np.sqrt(mesh.cell_area_m2) / mesh.radius_m
    shown = np.flatnonzero((mesh.sea > 0) & (np.abs(lat) + half < np.pi / 2))
    middle = np.degrees(longitudes(mesh.cells[shown]))
    if np.ptp(middle) > 180:
        middle = (middle + 180) % 360 - 180
    vertices = mesh.vertices[_rings(mesh, shown)]
    flat = vertices.reshape(-1, 3)
    lon = np.degrees(longitudes(flat)).reshape(vertices.shape[:2])
    lon = (lon - middle[:, None] + 180) % 360 - 180 + middle[:, None]
    return shown, np.stack([lon, np.degrees(latitudes(flat)).reshape(lon.shape)], axis=2)
