"""Fields of a model run over height and latitude, such as zonal means."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.models.run import ModelRun, Snapshot
from tradewind.plots.maps import LATITUDES
from tradewind.plots.style import new_figure, styled
from tradewind.plots.text import labelled, time_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def sections(run: ModelRun) -> list[Mapping[str, Any]]:
    """Returns the fields of the run that have a vertical axis and latitudes only."""
    return [field for field in run.outline["fields"] if _vertical(run, field) is not None]


def draw(run: ModelRun, snapshot: Snapshot) -> Figure:
    """Draws all sections of a snapshot beside each other.

    Args:
        run: The run, for axes and title.
        snapshot: The output time.
    """
    fields = sections(run)
    with styled():
        figure = new_figure(5.2 * len(fields), 4.4)
        figure.suptitle(f"{run.title}, {time_text(snapshot.time_s)}")
        panels = figure.subplots(1, len(fields), squeeze=False)[0]
        for panel, field in zip(panels, fields, strict=True):
            axis = _vertical(run, field)
            assert axis is not None
            values = snapshot.fields[field["name"]]
            places = (run.axis("lat"), axis["values"], values)
            filled = panel.contourf(*places, 24, cmap="viridis")
            panel.contour(*places, 12, colors="white", linewidths=0.4)
            bar = figure.colorbar(filled, ax=panel, label=labelled(field), pad=0.02)
            bar.ax.yaxis.set_major_formatter("{x:.4g}")
            panel.set_xlim(-90, 90)
            panel.set_xticks(range(-90, 91, 30), LATITUDES)
            if axis["unit"] == "hPa":
                panel.set_yscale("log")
                panel.set_ylim(np.max(axis["values"]), np.min(axis["values"]))
                panel.yaxis.set_major_formatter("{x:.4g}")
            panel.set_xlabel("latitude")
            panel.grid(False)
        axis = _vertical(run, fields[0])
        assert axis is not None
        panels[0].set_ylabel(labelled(axis))
    return figure


def _vertical(run: ModelRun, field: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Returns the vertical axis of a section; None for other fields."""
    if len(field["dimensions"]) != 2 or field["dimensions"][1] != "lat":
        return None
    axes = (axis for axis in run.outline["axes"] if axis["dimension"] == field["dimensions"][0])
    return next((axis for axis in axes if axis["axis"] == "Z"), None)
