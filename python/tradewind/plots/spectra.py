"""Spectra at stations: over direction and frequency on a disc, and over frequency alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.models.run import Array, ModelRun, Snapshot
from tradewind.plots.style import new_figure, styled
from tradewind.plots.text import latitude_text, longitude_text, spread, time_text, unit_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import QuadMesh
    from matplotlib.figure import Figure
    from matplotlib.projections.polar import PolarAxes

# Stations and output times of a picture.
_MOST_STATIONS = 6
_MOST_TIMES = 4
# Colours and axes end at this share of the largest density.
_FAINT = 1e-3
# The radius of the hole in the middle of a disc, in frequencies.
_HOLE = 4
_RINGS_HZ = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


def draw(run: ModelRun) -> Figure:
    """Draws the first spectra of a run, a row for each station, at up to four output times.

    A disc has directions clockwise from north and frequencies from its middle outwards. The last
    panel of a row has the integral over directions. Stations after the sixth are left out.

    Args:
        run: A run whose outline has stations.
    """
    stations = run.outline["stations"]
    names = stations["names"][:_MOST_STATIONS]
    chosen = [s for s in spread(run.snapshots, _MOST_TIMES + 1) if _has_waves(run, s)]
    chosen = chosen[-_MOST_TIMES:] or [run.final]
    with styled():
        figure = new_figure(2.7 * len(chosen) + 4.2, 0.6 + 3.1 * len(names))
        hidden = len(stations["names"]) - len(names)
        figure.suptitle(run.title + (f" ({hidden} more stations)" if hidden else ""))
        grid = figure.add_gridspec(len(names), len(chosen) + 1, width_ratios=_widths(chosen))
        for row in range(len(names)):
            values = [_density(run, snapshot, row) for snapshot in chosen]
            discs: Any = [
                figure.add_subplot(grid[row, column], projection="polar")
                for column in range(len(chosen))
            ]
            for disc, one, snapshot in zip(discs, values, chosen, strict=True):
                drawn = _draw_disc(disc, stations, one, max(float(v.max()) for v in values))
                disc.set_title(time_text(snapshot.time_s), loc="left", fontsize=9)
            field = stations["fields"][0]
            figure.colorbar(
                drawn, ax=discs, label=unit_text(field["unit"], 0), shrink=0.8, pad=0.02
            )
            panel = figure.add_subplot(grid[row, len(chosen)])
            _draw_lines(panel, stations, values, chosen)
            panel.set_title(_place(stations, row), loc="left", fontsize=9)
    return figure


def _widths(chosen: Sequence[Snapshot]) -> list[float]:
    return [1.0] * len(chosen) + [1.25]


def _has_waves(run: ModelRun, snapshot: Snapshot) -> bool:
    return bool(np.any(snapshot.spectra[run.outline["stations"]["fields"][0]["name"]] > 0))


def _density(run: ModelRun, snapshot: Snapshot, station: int) -> Array:
    """Returns the spectrum of a station as [frequency, direction]."""
    values: Array = snapshot.spectra[run.outline["stations"]["fields"][0]["name"]][station]
    return values


def _place(stations: Mapping[str, Any], station: int) -> str:
    longitude = longitude_text(round(float(stations["longitudes"][station]), 2))
    latitude = latitude_text(round(float(stations["latitudes"][station]), 2))
    return f"{stations['names'][station]}, {latitude} {longitude}"


def _draw_disc(
    disc: PolarAxes, stations: Mapping[str, Any], values: Array, highest: float
) -> QuadMesh:
    """Fills the sectors of directions and frequencies; the radius is logarithmic."""
    from matplotlib.colors import LogNorm

    frequency, direction = (axis["values"] for axis in stations["axes"])
    ratio = frequency[1] / frequency[0] if len(frequency) > 1 else 1.1
    radius = _HOLE + np.arange(len(frequency) + 1)
    sector = 360.0 / len(direction)
    edges = np.radians(np.append(direction, direction[0] + 360.0) - sector / 2)
    highest = highest if highest > 0 else 1.0
    drawn = disc.pcolormesh(
        edges,
        radius,
        np.ma.masked_less(values, _FAINT * highest),
        norm=LogNorm(_FAINT * highest, highest),
        cmap="viridis",
        rasterized=True,
    )
    disc.set_theta_zero_location("N")
    disc.set_theta_direction(-1)
    disc.set_xticks(np.radians([0, 90, 180, 270]), ["N", "E", "S", "W"], fontsize=8)
    rings = [hz for hz in _RINGS_HZ if frequency[0] < hz < frequency[-1]]
    places = [_HOLE + 0.5 + np.log(hz / frequency[0]) / np.log(ratio) for hz in rings]
    disc.set_yticks(places, [f"{hz:g} Hz" for hz in rings], fontsize=7)
    disc.set_ylim(0, radius[-1])
    disc.set_rlabel_position(135)
    disc.grid(True, color="#bbbbbb", linewidth=0.5)
    return drawn


def _draw_lines(
    panel: Axes, stations: Mapping[str, Any], values: Sequence[Array], chosen: Sequence[Snapshot]
) -> None:
    """Draws the integrals over directions."""
    from matplotlib import colormaps

    axis, direction = stations["axes"]
    sector = 2 * np.pi / len(direction["values"])
    colors = colormaps["viridis"](np.linspace(0.9, 0.05, len(values)))
    lines = [one.sum(axis=1) * sector for one in values]
    for line, color, snapshot in zip(lines, colors, chosen, strict=True):
        panel.plot(axis["values"], line, color=color, label=time_text(snapshot.time_s))
    high = max(float(line.max()) for line in lines)
    shown = [
        hz for hz, *ones in zip(axis["values"], *lines, strict=True) if max(ones) > 0.005 * high
    ]
    panel.set_xlim(axis["values"][0], max(shown, default=axis["values"][-1]) * 1.05)
    panel.set_ylim(bottom=0)
    panel.set_xlabel(f"{axis['long_name']} (Hz)", fontsize=9)
    panel.set_ylabel("spectrum (m² s)", fontsize=9)
    panel.legend(fontsize=8)
