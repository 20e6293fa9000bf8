"""The utilisation of links: a histogram, and mean and maximum per kind of link."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.config.axes import Axis
from tradewind.plots.selection import largest_runs, series_label
from tradewind.plots.style import legend_beside, line_styles, new_figure, styled
from tradewind.results.run_result import RunResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the runs with the most ranks of each series.

    Args:
        runs: Finished runs.
        axes: The axes that vary.
        title: Above the picture.
    """
    chosen = largest_runs(runs, axes)
    with styled():
        figure = new_figure(10.4, 4.4)
        left, right = figure.subplots(1, 2, width_ratios=(3, 2))
        _histogram(left, chosen, axes)
        _classes(right, chosen, axes)
        sizes = {run.ranks for run in chosen}
        figure.suptitle(f"{title}\n{sizes.pop()} ranks" if len(sizes) == 1 else title, fontsize=11)
    return figure


def _histogram(panel: Axes, runs: Sequence[RunResult], axes: Sequence[Axis]) -> None:
    for run, style in zip(runs, line_styles(len(runs)), strict=True):
        histogram = run.links.histogram
        counts, edges = np.asarray(histogram.counts), 100 * np.asarray(histogram.edges, dtype=float)
        look = {"color": style["color"], "linestyle": style["linestyle"], "linewidth": 1.6}
        label = series_label(run, axes)
        if counts.size:
            panel.stairs(counts, edges, label=label, **look)
        else:  # The analytic network has interfaces only.
            panel.plot([], [], label=label, **look)
    if any(np.any(run.links.histogram.counts) for run in runs):
        panel.set_yscale("log")
        panel.set_ylim(bottom=0.7)
    else:
        panel.text(0.5, 0.5, "no links between switches", ha="center", transform=panel.transAxes)
    panel.set_xlim(left=0)
    panel.set(xlabel="utilisation of a link (% of the simulated time)", ylabel="number of links")
    legend_beside(panel, "", min(len(runs), 6))


def _classes(panel: Axes, runs: Sequence[RunResult], axes: Sequence[Axis]) -> None:
    found = dict.fromkeys(entry.name for run in runs for entry in run.links.classes)
    names = sorted(found, key=("injection", "ejection").count)
    height = 0.8 / len(runs)
    for index, (run, style) in enumerate(zip(runs, line_styles(len(runs)), strict=True)):
        by_name = {entry.name: entry for entry in run.links.classes}
        places = [place for place, name in enumerate(names) if name in by_name]
        heights = [place + (index - (len(runs) - 1) / 2) * height for place in places]
        means = [100 * by_name[names[place]].utilisation_mean for place in places]
        highest = [100 * by_name[names[place]].utilisation_max for place in places]
        panel.barh(heights, highest, height * 0.9, color=style["color"], alpha=0.35, linewidth=0)
        panel.barh(heights, means, height * 0.9, color=style["color"], linewidth=0)
    panel.set_yticks(range(len(names)), [name.replace("_", " ") for name in names])
    panel.invert_yaxis()
    panel.set_xlim(left=0)
    panel.grid(visible=False, axis="y")
    panel.set(xlabel="utilisation (%): solid mean, pale maximum")
