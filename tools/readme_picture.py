"""Draws the picture of the README from the results of `make demo`.

python tools/readme_picture.py demo-results docs/_static/demo.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib.pyplot as plt
import xarray as xr
from matplotlib.ticker import LogLocator, NullFormatter

PANELS = (
    ("transposition", "transposition"),
    ("halo", "halo exchange, 20 points"),
    ("allreduce", "50 allreduces of a GCR solve"),
)
KINDS = {"torus": ("#0072B2", "o"), "fattree": ("#D55E00", "s"), "dragonfly": ("#009E73", "^")}


def draw(results: Path, picture: Path) -> None:
    """One panel for each part of the demo, one line for each kind of network."""
    figure, panels = plt.subplots(1, 3, figsize=(11, 3.8), layout="constrained")
    for panel, (folder, title) in zip(panels, PANELS, strict=True):
        with xr.open_dataset(results / folder / "results.nc") as data:
            for machine in data["machine"].values:
                color, marker = KINDS[str(machine).split("-")[0]]
                times = data["time_s"].sel(machine=machine)
                panel.loglog(
                    data["ranks"], times, color=color, marker=marker, label=str(machine), lw=2
                )
        panel.set(title=title, xlabel="ranks")
        panel.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
        panel.yaxis.set_major_formatter("{x:g}")
        panel.yaxis.set_minor_formatter(NullFormatter())
        panel.grid(which="both", color="0.9")
        panel.legend(frameon=False)
    panels[0].set_ylabel("simulated time (s)")
    figure.suptitle("Grid of 28800 x 14400 x 256 points, packet by packet")
    figure.savefig(picture, dpi=110)


if __name__ == "__main__":
    draw(Path(sys.argv[1]), Path(sys.argv[2]))
