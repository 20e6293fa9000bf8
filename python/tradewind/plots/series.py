"""Numbers of a model run over its output times, such as the lowest surface pressure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.models.run import ModelRun
from tradewind.plots.style import new_figure, styled
from tradewind.plots.text import unit_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DAY = 86400.0
# Numbers that change less than this share of themselves are drawn as changes.
_SMALL = 1e-4


def headlines(run: ModelRun) -> list[Mapping[str, Any]]:
    """Returns what is known of the numbers that are drawn; none for fewer than three output times."""
    if len(run.snapshots) < 3:
        return []
    return [
        about
        for about in run.final.about_numbers
        if about["is_headline"] and not isinstance(run.final.number(about["name"]), list)
    ]


def draw(run: ModelRun) -> Figure:
    """Draws each headline number over the model time, a panel for each.

    Args:
        run: A run of three output times or more.
    """
    numbers = headlines(run)
    times = [snapshot.time_s for snapshot in run.snapshots]
    unit, name = (_DAY, "days") if times[-1] >= _DAY else (3600.0, "hours")
    with styled():
        figure = new_figure(8.0, 1.0 + 1.7 * len(numbers))
        figure.suptitle(run.title)
        panels = figure.subplots(len(numbers), 1, sharex=True, squeeze=False)[:, 0]
        for panel, about in zip(panels, numbers, strict=True):
            values = np.array([float(snapshot.number(about["name"])) for snapshot in run.snapshots])
            title = str(about["meaning"])
            if 0 < np.ptp(values) < _SMALL * np.max(np.abs(values)):
                values -= values[0]
                title += f", change from {run.snapshots[0].number(about['name']):.6g}"
            panel.plot([time / unit for time in times], values, marker="o", markersize=3)
            suffix = "" if about["unit"] == "1" else f" ({unit_text(about['unit'], 0)})"
            panel.set_title(f"{title}{suffix}", loc="left")
            panel.yaxis.get_major_formatter().set_useOffset(False)
            panel.margins(y=0.15)
        panels[-1].set_xlabel(f"model time in {name}")
    return figure
