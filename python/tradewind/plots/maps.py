"""Maps of the fields of a model run on a longitude-latitude grid; lines of those on other axes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.models.run import Array, ModelRun, Snapshot
from tradewind.plots import cells
from tradewind.plots.style import new_figure, styled
from tradewind.plots.text import labelled, time_text, unit_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# About as many arrows along the equator, whatever the grid.
_ARROWS = 24
# Labels of the latitudes from 90 degrees south in steps of 30 degrees.
LATITUDES = ("90°S", "60°S", "30°S", "0°", "30°N", "60°N", "90°N")
_VORTICITY = "atmosphere_relative_vorticity"
_GROUND = "surface_altitude"
_WINDS = ("eastward_wind", "northward_wind")


def draw(run: ModelRun, snapshot: Snapshot) -> Figure:
    """Draws a snapshot: the first field, with the winds if there are any, and the vorticity.

    Of fields with levels it draws the first level, with heights the one in the middle. A depth of
    fluid in m above ground is drawn as the height of its surface. Fields without latitude and
    longitude are drawn as lines over their last dimension, those on the faces of a mesh as maps of
    faces.

    Args:
        run: The run, for the grid and the title.
        snapshot: The output time.
    """
    if cells.is_on_faces(run):
        return cells.draw(run, snapshot)
    fields = _mapped(run)
    if not _is_on_map(fields[0]):
        return _draw_lines(run, snapshot)
    with styled():
        figure = new_figure(8.0, 4.0 * len(fields))
        figure.suptitle(f"{run.title}, {time_text(snapshot.time_s)}")
        panels = figure.subplots(len(fields), 1, sharex=True, squeeze=False)[:, 0]
        for panel, field in zip(panels, fields, strict=True):
            _draw_field(figure, panel, run, snapshot, field)
            panel.set_ylabel("latitude")
            panel.set_ylim(-90, 90)
            panel.set_yticks(range(-90, 91, 30), LATITUDES)
            panel.grid(False)
        panels[-1].set_xticks(range(0, 361, 60), [f"{value}°E" for value in range(0, 361, 60)])
        panels[-1].set_xlabel("longitude")
    return figure


def _draw_lines(run: ModelRun, snapshot: Snapshot) -> Figure:
    """Draws each field over its last dimension, at the first index of all others."""
    fields = run.outline["fields"]
    axes = {axis["dimension"]: axis for axis in run.outline["axes"]}
    with styled():
        figure = new_figure(8.0, 2.0 + 2.0 * len(fields))
        figure.suptitle(f"{run.title}, {time_text(snapshot.time_s)}")
        panels = figure.subplots(len(fields), 1, squeeze=False)[:, 0]
        for panel, field in zip(panels, fields, strict=True):
            values = snapshot.fields[field["name"]]
            axis = axes[field["dimensions"][-1]]
            panel.plot(axis["values"], values[(0,) * (values.ndim - 1)])
            panel.set_xlabel(labelled(axis))
            panel.set_ylabel(labelled(field))
    return figure


def _mapped(run: ModelRun) -> list[Mapping[str, Any]]:
    """Returns the fields to draw."""
    first, *others = run.outline["fields"]
    return [first, *(f for f in others if f["standard_name"] == _VORTICITY and _is_on_map(f))]


def _is_on_map(field: Mapping[str, Any]) -> bool:
    return {"lat", "lon"} <= set(field["dimensions"])


def _draw_field(
    figure: Figure, panel: Axes, run: ModelRun, snapshot: Snapshot, field: Mapping[str, Any]
) -> None:
    values, remark = _slice(run, field, snapshot.fields[field["name"]])
    name, ground = field["long_name"], _fixed(run, _GROUND)
    is_first = field is run.outline["fields"][0]
    if is_first and ground is not None and field["unit"] == "m":
        values, name = values + ground, "height of the surface"
    exponent = _exponent(values) if field["unit"] != "m" else 0
    label = f"{name} ({unit_text(field['unit'], exponent)})"
    filled = _draw_values(panel, run, values / 10.0**exponent)
    bar = figure.colorbar(filled, ax=panel, label=label, pad=0.02)
    bar.ax.yaxis.set_major_formatter("{x:.4g}")
    title = name + remark
    if is_first and ground is not None and np.any(ground > 0):
        panel.contour(
            _around(run), run.axis("lat"), _closed(ground), 4, colors="white", linewidths=0.9
        )
    winds = _winds(run, snapshot) if is_first else None
    if winds is not None:
        _draw_winds(panel, run, *winds)
        title += f" and wind (fastest {float(np.max(np.hypot(*winds))):.1f} m/s)"
    panel.set_title(title, loc="left")


def _draw_values(panel: Axes, run: ModelRun, values: Array) -> Any:
    """Fills contours: of signed values with white at 0."""
    low, high = float(np.min(values)), float(np.max(values))
    limit = max(abs(low), abs(high)) or 1.0
    if low < -0.2 * limit and high > 0.2 * limit:
        levels: Any = np.linspace(-limit, limit, 25)
        colors = "RdBu_r"
    else:
        levels, colors = 24, "viridis"
    return panel.contourf(_around(run), run.axis("lat"), _closed(values), levels, cmap=colors)


def _draw_winds(panel: Axes, run: ModelRun, east: Array, north: Array) -> None:
    longitudes, latitudes = run.axis("lon"), run.axis("lat")
    thin = max(1, len(longitudes) // _ARROWS)
    places = (slice(None, None, thin), slice(None, None, thin))
    panel.quiver(
        longitudes[places[1]],
        latitudes[places[0]],
        east[places],
        north[places],
        color="black",
        width=0.0016,
    )


def _winds(run: ModelRun, snapshot: Snapshot) -> tuple[Array, Array] | None:
    found = {field["standard_name"]: field for field in run.outline["fields"] if _is_on_map(field)}
    if not all(name in found for name in _WINDS):
        return None
    east, north = (
        _slice(run, found[name], snapshot.fields[found[name]["name"]])[0] for name in _WINDS
    )
    return east, north


def _fixed(run: ModelRun, standard_name: str) -> Array | None:
    for field in run.outline["fixed_fields"]:
        if field["standard_name"] == standard_name:
            return np.asarray(field["values"])
    return None


def _slice(run: ModelRun, field: Mapping[str, Any], values: Array) -> tuple[Array, str]:
    """Returns the values as [latitude, longitude], and a remark which slice they are."""
    remark = ""
    dimensions = list(field["dimensions"])
    for dimension in tuple(dimensions):
        if dimension in ("lat", "lon"):
            continue
        axis = run.axis(dimension)
        index = len(axis) // 2 if dimension == "height" else 0
        if dimension == "height":
            remark += f" at {axis[index]:.4g} m"
        values = np.take(values, index, axis=dimensions.index(dimension))
        dimensions.remove(dimension)
    return values, remark


def _exponent(values: Array) -> int:
    """Returns the power of ten that makes small and large values readable."""
    largest = float(np.max(np.abs(values)))
    if largest == 0 or 1e-2 <= largest < 1e4:
        return 0
    return int(np.floor(np.log10(largest)))


def _around(run: ModelRun) -> Array:
    """Returns the longitudes with 360 degrees added, so that the map has no gap."""
    return np.append(run.axis("lon"), 360.0)


def _closed(values: Array) -> Array:
    return np.concatenate([values, values[:, :1]], axis=1)
