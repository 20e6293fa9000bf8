"""Maps of the fields of a model run: height of the surface with winds, and vorticity."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tradewind.models.pstswm import Array, ModelRun, Snapshot
from tradewind.plots.style import new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# About as many arrows along the equator, whatever the grid.
_ARROWS = 24


def draw(run: ModelRun, snapshot: Snapshot) -> Figure:
    """Draws level 0 of a snapshot: the surface with the winds above, the vorticity below.

    Args:
        run: Its run, for the grid and the title.
        snapshot: The fields to draw.
    """
    with styled():
        figure = new_figure(8.0, 8.0)
        above, below = figure.subplots(2, 1, sharex=True)
        figure.suptitle(f"{run.case.title}, {_time_text(snapshot.time_s)}")
        _draw_surface(figure, above, run, snapshot)
        _draw_vorticity(figure, below, run, snapshot)
        for panel in (above, below):
            panel.set_ylabel("latitude")
            panel.set_ylim(-90, 90)
            panel.set_yticks(range(-90, 91, 30), [_degrees(v, "SN") for v in range(-90, 91, 30)])
            panel.grid(False)
        below.set_xticks(range(0, 361, 60), [f"{value}°E" for value in range(0, 361, 60)])
        below.set_xlabel("longitude")
    return figure


def _draw_surface(figure: Figure, panel: Axes, run: ModelRun, snapshot: Snapshot) -> None:
    ground = run.grid["ground_m"]
    height = snapshot.fields["depth_m"][0] + ground
    longitudes, latitudes = _around(run), run.grid["latitude_deg"]
    filled = panel.contourf(longitudes, latitudes, _closed(height), 24, cmap="viridis")
    figure.colorbar(filled, ax=panel, label="height of the surface (m)", pad=0.02)
    if np.any(ground > 0):
        panel.contour(longitudes, latitudes, _closed(ground), 4, colors="white", linewidths=0.9)
    thin = max(1, len(run.grid["longitude_deg"]) // _ARROWS)
    places = (slice(None, None, thin), slice(None, None, thin))
    panel.quiver(
        run.grid["longitude_deg"][places[1]],
        latitudes[places[0]],
        snapshot.fields["east_wind_m_s"][0][places],
        snapshot.fields["north_wind_m_s"][0][places],
        color="black",
        width=0.0016,
    )
    fastest = snapshot.diagnostics["fastest_wind_m_s"]
    panel.set_title(f"surface and wind (fastest {fastest:.1f} m/s)", loc="left")


def _draw_vorticity(figure: Figure, panel: Axes, run: ModelRun, snapshot: Snapshot) -> None:
    vorticity = 1e5 * snapshot.fields["vorticity_1_s"][0]
    limit = float(np.max(np.abs(vorticity))) or 1.0
    filled = panel.contourf(
        _around(run),
        run.grid["latitude_deg"],
        _closed(vorticity),
        np.linspace(-limit, limit, 25),
        cmap="RdBu_r",
    )
    bar = figure.colorbar(filled, ax=panel, label="relative vorticity (10⁻⁵ s⁻¹)", pad=0.02)
    bar.set_ticks(list(np.linspace(-limit, limit, 5)))
    bar.ax.yaxis.set_major_formatter("{x:.2g}")
    panel.set_title("relative vorticity", loc="left")


def _around(run: ModelRun) -> Array:
    """Returns longitudes with 360 degrees added, so that the map has no gap."""
    return np.append(run.grid["longitude_deg"], 360.0)


def _closed(values: Array) -> Array:
    return np.concatenate([values, values[:, :1]], axis=1)


def _degrees(value: int, sides: str) -> str:
    return f"{abs(value)}°{sides[value > 0] if value else ''}"


def _time_text(time_s: float) -> str:
    days = time_s / 86400.0
    return f"day {days:.4g}" if days >= 1 or days == 0 else f"hour {24 * days:.4g}"
