"""Maps of the fields on the faces of an unstructured mesh, such as the cells of a wave model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.models.run import Array, ModelRun, Snapshot
from tradewind.plots.style import new_figure, styled
from tradewind.plots.text import labelled, latitude_text, longitude_text, spread, time_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PolyCollection
    from matplotlib.figure import Figure

# The colour of land, which has no faces.
_LAND = "#c9c2b4"
# About as many arrows along the longer side of a map.
_ARROWS = 28
# Panels of a film strip.
_MOST_PANELS = 6
_DIRECTION = "sea_surface_wave_to_direction"
# Faces with a node within this many degrees of a pole are left out: a map has no room for them.
_POLE = 0.5


def is_on_faces(run: ModelRun) -> bool:
    """Returns whether the first field of a run lies on faces."""
    fields = run.outline["fields"]
    return bool(fields) and tuple(fields[0]["dimensions"]) == ("face",)


def draw(run: ModelRun, snapshot: Snapshot) -> Figure:
    """Draws the first field of a snapshot on its faces, with arrows of the mean direction.

    Args:
        run: The run, for the mesh and the title.
        snapshot: The output time.
    """
    outlines = _Faces(run)
    with styled():
        figure = new_figure(8.4, 0.9 + 7.0 * outlines.height_over_width)
        figure.suptitle(f"{run.title}, {time_text(snapshot.time_s)}")
        panel = figure.subplots()
        field = run.outline["fields"][0]
        values = snapshot.fields[field["name"]]
        filled = outlines.fill(panel, values, _limits([values]))
        figure.colorbar(filled, ax=panel, label=labelled(field), pad=0.02, shrink=0.9)
        outlines.draw_arrows(panel, snapshot)
        highest = float(np.nanmax(values)) if np.any(np.isfinite(values)) else 0.0
        panel.set_title(f"largest {highest:.3g} {field['unit']}", loc="left")
    return figure


def draw_strip(run: ModelRun) -> Figure:
    """Draws the first field at up to six output times, all with the same colours."""
    outlines = _Faces(run)
    field = run.outline["fields"][0]
    chosen = spread(run.snapshots, _MOST_PANELS)
    values = [snapshot.fields[field["name"]] for snapshot in chosen]
    columns = 3 if len(chosen) > 4 else 2
    rows = -(-len(chosen) // columns)
    with styled():
        width = 4.0 * columns
        figure = new_figure(width, 0.8 + rows * (0.6 + 3.6 * outlines.height_over_width))
        figure.suptitle(run.title)
        panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
        for panel, snapshot, one in zip(panels.flat, chosen, values, strict=False):
            filled = outlines.fill(panel, one, _limits(values))
            panel.set_title(time_text(snapshot.time_s), loc="left")
        for panel in list(panels.flat)[len(chosen) :]:
            panel.set_visible(False)
        figure.colorbar(filled, ax=panels, label=labelled(field), pad=0.02, shrink=0.8)
    return figure


def _limits(values: Sequence[Array]) -> tuple[float, float]:
    """Returns the ends of the colours: from 0 for a field that is nowhere negative."""
    known = np.concatenate([one[np.isfinite(one)] for one in values])
    low, high = (float(known.min()), float(known.max())) if len(known) else (0.0, 1.0)
    return (0.0 if low >= 0 else low), (high if high > low else low + 1.0)


class _Faces:
    """The polygons of the faces in degrees, in a window around all of them."""

    def __init__(self, run: ModelRun) -> None:
        mesh: Mapping[str, Any] = run.outline["mesh"]
        self._run = run
        center = mesh["face_longitudes"]
        self._latitude = mesh["face_latitudes"]
        self._middle = _middle(center)
        self._longitude = _near(center, self._middle)
        nodes = mesh["face_nodes"].astype(np.int64)
        # Places that are left at the end of a face repeat its first node.
        nodes = np.where(nodes < 0, nodes[:, :1], nodes)
        x = _near(mesh["longitudes"][nodes], self._longitude[:, None])
        y = mesh["latitudes"][nodes]
        self._drawn = np.abs(y).max(axis=1) < 90 - _POLE
        x, y = x[self._drawn], y[self._drawn]
        west, east = max(x.min(), self._middle - 180), min(x.max(), self._middle + 180)
        self._window = (float(west), float(east), float(y.min()), float(y.max()))
        # Faces that cross the end of the map are drawn at its other end, too.
        turns = ((0, slice(None)), (360, x.min(axis=1) < west), (-360, x.max(axis=1) > east))
        self._polygons = np.concatenate([np.stack([x + t, y], -1)[chosen] for t, chosen in turns])
        self._of_polygon = np.concatenate(
            [np.flatnonzero(self._drawn)[chosen] for _, chosen in turns]
        )

    @property
    def height_over_width(self) -> float:
        """The shape of the window, within limits that fit on a page."""
        west, east, south, north = self._window
        stretch = 1 / max(np.cos(np.radians((south + north) / 2)), 0.3)
        return float(np.clip((north - south) / (east - west) * stretch, 0.35, 1.4))

    def fill(self, panel: Axes, values: Array, limits: tuple[float, float]) -> PolyCollection:
        """Fills the faces, and everything else in the window with the colour of land."""
        from matplotlib.collections import PolyCollection
        from matplotlib.ticker import MaxNLocator

        filled = PolyCollection(
            list(self._polygons),
            array=np.ma.masked_invalid(values[self._of_polygon]),
            cmap="viridis",
            edgecolors="face",
            linewidths=0.2,
            rasterized=True,
        )
        filled.set_clim(*limits)
        panel.set_facecolor(_LAND)
        panel.add_collection(filled)
        west, east, south, north = self._window
        panel.set(xlim=(west, east), ylim=(south, north))
        panel.grid(False)
        panel.xaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 3, 5, 6, 10]))
        panel.yaxis.set_major_locator(MaxNLocator(6, steps=[1, 2, 3, 5, 6, 10]))
        panel.xaxis.set_major_formatter(lambda value, _: longitude_text(value))
        panel.yaxis.set_major_formatter(lambda value, _: latitude_text(value))
        return filled

    def draw_arrows(self, panel: Axes, snapshot: Snapshot) -> None:
        """Draws arrows to the mean direction at some faces, one in each cell of a coarse grid."""
        found = [f for f in self._run.outline["fields"] if f["standard_name"] == _DIRECTION]
        if not found:
            return
        direction = np.radians(snapshot.fields[found[0]["name"]])
        heights = snapshot.fields[self._run.outline["fields"][0]["name"]]
        high = float(np.nanmax(heights))
        shown = self._drawn & np.isfinite(direction) & (heights > 0.05 * high)
        west, east, south, north = self._window
        spacing = max(east - west, north - south) / _ARROWS
        places = np.stack([self._longitude, self._latitude], axis=1)[shown]
        grid = np.floor(places / spacing).astype(np.int64)
        _, first = np.unique(grid, axis=0, return_index=True)
        chosen = np.flatnonzero(shown)[first]
        panel.quiver(
            self._longitude[chosen],
            self._latitude[chosen],
            np.sin(direction[chosen]),
            np.cos(direction[chosen]),
            color="white",
            width=0.0022,
            scale=1.5 * _ARROWS,
            pivot="middle",
        )


def _middle(longitudes: Array) -> float:
    """Returns the middle of the longitudes, opposite to their widest gap; 180 on the globe."""
    sorted_ones = np.sort(longitudes % 360)
    gaps = np.diff(sorted_ones, append=sorted_ones[0] + 360)
    widest = int(np.argmax(gaps))
    if gaps[widest] < 20:
        return 180.0
    begin = sorted_ones[(widest + 1) % len(sorted_ones)]
    return float((begin + (360 - gaps[widest]) / 2 + 180) % 360 - 180)


def _near(longitudes: Array, middle: float | Array) -> Array:
    """Returns the longitudes within 180 degrees of `middle`."""
    return np.asarray((longitudes - middle + 180) % 360 - 180 + middle)
