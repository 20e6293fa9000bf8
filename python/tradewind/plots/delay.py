"""Histogram of the delays of messages: time beyond the contention-free time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.axes import Axis
from tradewind.plots.selection import largest_runs, series_label
from tradewind.plots.style import legend_beside, line_styles, new_figure, styled
from tradewind.results import Array, Run

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(runs: Sequence[Run], axes: Sequence[Axis], title: str) -> Figure:
    """Draws one curve per series, for the runs with the most ranks.

    Args:
        runs: Finished runs.
        axes: What varies.
        title: Above the picture.
    """
    chosen = largest_runs(runs, axes)
    with styled():
        figure = new_figure(6.4 if len(chosen) <= 6 else 8.2, 4.4)
        panel = figure.subplots()
        for run, style in zip(chosen, line_styles(len(chosen)), strict=True):
            edges, share = _shares(run)
            panel.stairs(
                share,
                edges,
                label=series_label(run, axes),
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=1.6,
            )
        panel.set_xscale("log")
        panel.set_ylim(bottom=0)
        panel.set(
            xlabel="delay of a message against its contention-free time (us)",
            ylabel="share of messages (%)",
            title=f"{title}\n{chosen[0].ranks} ranks" if _one_size(chosen) else title,
        )
        legend_beside(panel, "", len(chosen))
    return figure


def _shares(run: Run) -> tuple[Array, Array]:
    """Edges in microseconds, all positive, and the share of each bin in percent."""
    edges = np.asarray(run.delay.histogram.edges, dtype=float) * 1e6
    counts = np.asarray(run.delay.histogram.counts, dtype=float)
    used = np.flatnonzero(counts)
    first, last = (used[0], used[-1]) if used.size else (0, len(counts) - 1)
    edges, counts = edges[first : last + 2].copy(), counts[first : last + 1]
    finite = edges[np.isfinite(edges) & (edges > 0)]
    smallest = finite[0] / 2 if finite.size else 1e-6
    largest = finite[-1] * 2 if finite.size else 1.0
    edges = np.clip(np.where(np.isfinite(edges), edges, largest), smallest, None)
    return edges, 100 * counts / max(1.0, counts.sum())


def _one_size(runs: Sequence[Run]) -> bool:
    return len({run.ranks for run in runs}) == 1
