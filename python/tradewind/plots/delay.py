"""Histogram of the delays of messages: time beyond the contention-free time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.config.axes import Axis
from tradewind.plots.selection import largest_runs, series_label
from tradewind.plots.style import label_decades, legend_beside, line_styles, new_figure, styled
from tradewind.runs.results import Array, Run
from tradewind.units import seconds_text

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
            edges, share, below = _shares(run)
            name = series_label(run, axes)
            panel.stairs(
                share,
                edges,
                label=f"{name} ({below:.0f} % below {seconds_text(edges[0])})"
                if below >= 0.5
                else name,
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=1.6,
            )
        panel.set_xscale("log")
        label_decades(panel.xaxis, seconds_text)
        panel.set_ylim(bottom=0)
        panel.set(
            xlabel="delay of a message against its contention-free time",
            ylabel="share of messages (%)",
            title=f"{title}\n{chosen[0].ranks} ranks" if _one_size(chosen) else title,
        )
        legend_beside(panel, "", len(chosen))
    return figure


def _shares(run: Run) -> tuple[Array, Array, float]:
    """Edges in seconds, the share of each bin in percent, and the share below the first edge.

    The bins with zero and infinity as an edge have no place on a logarithmic axis: the messages of
    the first are told beside the name, those of the last go to the bin before it.
    """
    edges = np.asarray(run.delay.histogram.edges, dtype=float)
    counts = np.asarray(run.delay.histogram.counts, dtype=float).copy()
    percent = 100 / max(1.0, counts.sum())
    if not np.isfinite(edges[-1]):
        counts[-2] += counts[-1]
        edges, counts = edges[:-1], counts[:-1]
    inside = edges > 0
    below = counts[~inside[:-1]].sum()
    edges, counts = edges[inside], counts[inside[:-1]]
    used = np.flatnonzero(counts)
    last = used[-1] if used.size else len(counts) - 1
    first = used[0] if used.size and not below else 0
    return edges[first : last + 2], percent * counts[first : last + 1], percent * below


def _one_size(runs: Sequence[Run]) -> bool:
    return len({run.ranks for run in runs}) == 1
