"""The fastest radix for every number of ranks, and the statistics of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tradewind.config.axes import Axis, Label
from tradewind.plots.style import (
    COLOURS,
    count_label,
    joined,
    label_decades,
    line_styles,
    new_figure,
    styled,
    words,
)
from tradewind.results.run_result import RunResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_Best = dict[tuple[Label, ...], dict[int, RunResult]]


def has_radix(run: RunResult) -> bool:
    """Returns whether a run is of a sweep over radices."""
    return "radix" in run.parameters


def draw(runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the fastest radix over ranks, and beside it how they are distributed.

    Args:
        runs: Finished runs of a sweep over the axis "radix".
        axes: The axes that vary.
        title: Above the picture.
    """
    others = [axis.name for axis in axes if axis.name not in ("radix", "ranks")]
    best = _best(runs, others)
    with styled():
        figure = new_figure(8.2, 4.4)
        panel, boxes = figure.subplots(1, 2, sharey=True, width_ratios=(5, 3))
        for (key, found), style in zip(best.items(), line_styles(len(best)), strict=True):
            ranks = sorted(found)
            radices = [int(found[count].parameters["radix"]) for count in ranks]
            panel.plot(ranks, radices, label=joined(key), **style)
        panel.set(xscale="log", xlabel="ranks", ylabel="fastest radix")
        label_decades(panel.xaxis, count_label)
        if others:
            panel.legend(title=joined([words(name) for name in others if name != "series"]) or None)
        labels = [joined(key) or "all" for key in best]
        numbers = [[int(run.parameters["radix"]) for run in one.values()] for one in best.values()]
        boxes.boxplot(
            numbers,
            tick_labels=labels,
            whis=(0, 100),
            showmeans=True,
            medianprops={"color": COLOURS[1]},
        )
        boxes.set(xlabel="box: quartiles; triangle: mean")
        panel.set_ylim(0, 1.1 * max(max(radices) for radices in numbers))
        figure.suptitle(title)
    return figure


def _best(runs: Sequence[RunResult], others: Sequence[str]) -> _Best:
    """Returns the fastest runs by series and ranks; of two equal ones, that of the smaller radix."""
    best: _Best = {}
    for run in runs:
        found = best.setdefault(tuple(run.parameters[name] for name in others), {})
        known = found.get(run.ranks)
        if known is None or _order(run) < _order(known):
            found[run.ranks] = run
    return best


def _order(run: RunResult) -> tuple[float, int]:
    return run.time_s, int(run.parameters["radix"])
