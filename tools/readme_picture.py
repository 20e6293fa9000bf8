"""Draws the picture of the README from the results of `make demo`.

python tools/readme_picture.py demo-results docs/_static/demo.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from tradewind.plots.style import label_decades, label_values, new_figure, save, styled
from tradewind.units import seconds_text

PANELS = (
    ("transposition", "transposition"),
    ("halo", "halo exchange, 20 points"),
    ("allreduce", "50 allreduces of a GCR solve"),
)
KINDS = {"torus": ("#0072B2", "o"), "fattree": ("#D55E00", "s"), "dragonfly": ("#009E73", "^")}
# The most surprising number of the demo, and what is behind it.
_STARVING = "10,000 ranks in order:\npackets in transit starve\nbehind the nodes of\neach switch"


def draw(results: Path, picture: Path) -> None:
    """Draws one panel for each part of the demo, one line for each kind of network."""
    with styled():
        figure = new_figure(11.0, 3.8)
        panels = figure.subplots(1, 3)
        for panel, (folder, title) in zip(panels, PANELS, strict=True):
            with xr.open_dataset(results / folder / "results.nc") as data:
                _lines(panel, data)
            panel.set(title=title, xlabel="ranks")
            label_values(panel.xaxis, {f"{count}": count for count in (100, 1000, 10000)})
            label_decades(panel.yaxis, seconds_text)
            panel.legend(loc="lower left" if folder != "allreduce" else "upper left")
        panels[0].set_ylabel("simulated time")
        _note(panels[1])
        figure.suptitle("Grid of 28800 x 14400 x 256 points, packet by packet")
        save(figure, picture)


def _lines(panel: Axes, data: xr.Dataset) -> None:
    for machine in data["machine"].values:
        color, marker = KINDS[str(machine).split("-")[0]]
        times = data["time_s"].sel(machine=machine)
        panel.loglog(data["ranks"], times, color=color, marker=marker, label=str(machine))
    low, high = float(data["time_s"].min()), float(data["time_s"].max())
    panel.set_ylim(low / 1.4, high * 1.4)


def _note(panel: Axes) -> None:
    """Explains the last point of the torus where it stands."""
    x, y = (float(np.asarray(values)[-1]) for values in panel.lines[0].get_data())
    panel.set_ylim(1.5e-3, 3 * y)
    panel.annotate(
        _STARVING,
        (x, y),
        xytext=(0.42, 0.85),
        textcoords="axes fraction",
        ha="center",
        va="center",
        fontsize=8,
        arrowprops={"arrowstyle": "-", "color": "0.5"},
    )


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
