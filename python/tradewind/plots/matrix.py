"""Who talks to whom, and where it jams: rank x rank matrices of bytes and of delay."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.axes import Axis
from tradewind.plots.selection import MOST_PANELS, largest_runs, series_label
from tradewind.plots.style import new_figure, styled
from tradewind.results import Array, Run
from tradewind.units import bytes_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure


def has_matrix(run: Run) -> bool:
    """True if the run recorded who talks to whom."""
    return run.matrix is not None


def draw(runs: Sequence[Run], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the pattern (bytes) above and the congestion (mean delay) below, one column per series.

    Args:
        runs: Finished runs, at least one of them with a matrix.
        axes: What varies.
        title: Above the picture.
    """
    chosen = largest_runs(runs, axes, has_matrix)[:MOST_PANELS]
    with styled():
        figure = new_figure(1.6 + 2.5 * len(chosen), 5.6)
        panels = figure.subplots(2, len(chosen), squeeze=False, sharey="row")
        patterns = [_positive(run.matrix.bytes) for run in chosen if run.matrix]
        delays = [_positive(run.matrix.delay_s * 1e6) for run in chosen if run.matrix]
        rows = ((patterns, "viridis", "bytes"), (delays, "cividis", "mean delay (us)"))
        for row, (matrices, colours, label) in enumerate(rows):
            norm = _norm(matrices)
            for column, (run, values) in enumerate(zip(chosen, matrices, strict=True)):
                panel = panels[row, column]
                _image(panel, values, run.ranks, norm, colours)
                panel.set_title(series_label(run, axes) if row == 0 else "", fontsize=9)
                panel.set_xlabel("destination rank" if row == 1 else "")
            panels[row, 0].set_ylabel("source rank")
            bar = figure.colorbar(
                panels[row, 0].images[0], ax=list(panels[row]), label=label, shrink=0.9
            )
            if label == "bytes":
                bar.ax.yaxis.set_major_formatter(lambda value, position: bytes_text(value))
                bar.set_label("bytes per cell")
        figure.suptitle(f"{title}\n{chosen[0].ranks} ranks", fontsize=11)
    return figure


def _positive(values: Array) -> Array:
    """Cells without traffic or delay are blank on a logarithmic scale."""
    array = np.asarray(values, dtype=float)
    return np.where(array > 0, array, np.nan)


def _norm(matrices: Sequence[Array]) -> Normalize:
    from matplotlib.colors import LogNorm

    values = np.concatenate([matrix[np.isfinite(matrix)] for matrix in matrices])
    if values.size == 0:
        return LogNorm(0.1, 1.0)
    low, high = float(np.quantile(values, 0.01)), float(values.max())
    return LogNorm(min(low, high / 2), high)


def _image(panel: Axes, values: Array, ranks: int, norm: Normalize, colours: str) -> None:
    panel.imshow(
        values,
        norm=norm,
        cmap=colours,
        extent=(-0.5, ranks - 0.5, ranks - 0.5, -0.5),
        interpolation="nearest",
        aspect="equal",
    )
    panel.set_facecolor("white")
    panel.grid(visible=False)
    panel.spines[:].set_visible(True)
    panel.locator_params(nbins=4)
