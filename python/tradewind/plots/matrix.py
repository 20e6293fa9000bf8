"""Matrices of bytes and of delay between pairs of ranks."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tradewind.config.axes import Axis
from tradewind.plots.selection import MOST_PANELS, largest_runs, series_label
from tradewind.plots.style import label_decades, new_figure, styled
from tradewind.results.run_result import Array, Matrix, RunResult
from tradewind.units import decimal_bytes_text, seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.colors import Normalize
    from matplotlib.figure import Figure


# Below any real value, above zero, which a logarithmic scale cannot show.
_NOTHING = 1e-15


@dataclass(frozen=True)
class _Row:
    """One quantity: its matrices, colours, name, and how to write a value of it."""

    values: list[Array]
    colours: str
    label: str
    text: Callable[[float], str]


def has_matrix(run: RunResult) -> bool:
    """Returns whether the run recorded the bytes between pairs of ranks."""
    return run.matrix is not None


def draw(runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the pattern (bytes) above and the congestion (mean delay) below, one column per series.

    Without any delay there is the pattern alone.

    Args:
        runs: Finished runs, at least one of them with a matrix.
        axes: The axes that vary.
        title: Above the picture.
    """
    chosen = largest_runs(runs, axes, has_matrix)[:MOST_PANELS]
    matrices = [run.matrix for run in chosen if run.matrix]
    rows = (
        _Row(
            [_shown(matrix.bytes, matrix) for matrix in matrices],
            "viridis",
            "bytes per cell",
            decimal_bytes_text,
        ),
        _Row(
            [_shown(matrix.delay_s, matrix) for matrix in matrices],
            "cividis",
            "mean delay of a message",
            seconds_text,
        ),
    )
    # Without any delay there is no congestion to show.
    shown = [row for row in rows if any(np.any(one > _NOTHING) for one in row.values)] or rows[:1]
    with styled():
        figure = new_figure(1.8 + 2.5 * len(chosen), 0.6 + 2.5 * len(shown))
        panels = figure.subplots(len(shown), len(chosen), squeeze=False, sharey="row")
        for line, row in zip(panels, shown, strict=True):
            norm = _norm(row.values)
            for panel, run, values in zip(line, chosen, row.values, strict=True):
                _image(panel, values, run.ranks, norm, row.colours)
            line[0].set_ylabel("source rank")
            bar = figure.colorbar(line[0].images[0], ax=list(line), label=row.label, shrink=0.9)
            label_decades(bar.ax.yaxis, row.text)
            if norm.vmin == 0:
                bar.ax.yaxis.set_major_formatter(_formatter(row.text))
        for panel, run in zip(panels[0], chosen, strict=True):
            panel.set_title(series_label(run, axes), fontsize=9)
        for panel in panels[-1]:
            panel.set_xlabel("destination rank")
        figure.suptitle(f"{title}\n{chosen[0].ranks} ranks", fontsize=11)
    return figure


def _formatter(text: Callable[[float], str]) -> Callable[[float, float | None], str]:
    return lambda value, position: text(value)


def _shown(values: Array, matrix: Matrix) -> Array:
    """Returns the values to show: blank without messages, the smallest delay without a delay."""
    return np.where(matrix.messages > 0, np.maximum(values, _NOTHING), np.nan)


def _norm(matrices: Sequence[Array]) -> Normalize:
    from matplotlib.colors import LogNorm, Normalize

    values = np.concatenate([matrix[matrix > _NOTHING] for matrix in matrices])
    if values.size == 0:
        return Normalize(0.0, 1.0)
    low, high = float(np.quantile(values, 0.01)), float(values.max())
    return LogNorm(low, high) if high > 5 * low else Normalize(0.0, high)


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
