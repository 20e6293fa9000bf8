"""Simulated time over ranks, one line per series; as it is, or over that of the fastest series.

If runs differ only in the seeds of random choices, a line shows the median, and bars reach from the
smallest to the largest value.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

from tradewind.config.axes import SEEDS, Axis, Label, x_axis
from tradewind.plots.style import (
    COLOURS,
    count_label,
    joined,
    label_decades,
    label_values,
    legend_beside,
    line_styles,
    new_figure,
    styled,
    words,
)
from tradewind.results.run_result import RunResult
from tradewind.units import seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class _Point:
    """The values of the runs of one series at one place.

    Args:
        x: Value to the right.
        y: Median over the seeds.
        low: The least of them.
        high: The most of them.
    """

    x: float
    y: float
    low: float
    high: float

    def over(self, unit: float) -> _Point:
        """Returns the same values in another unit."""
        return _Point(self.x, self.y / unit, self.low / unit, self.high / unit)


@dataclass(frozen=True)
class _Lines:
    """The lines of a sweep.

    Args:
        points: The points of every series, by its labels.
        across: The horizontal axis; None: the number of ranks.
        others: Names of the axes that make the series.
    """

    points: Mapping[tuple[Label, ...], Sequence[_Point]]
    across: Axis | None
    others: Sequence[str]


def draw(runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the time of all runs.

    Args:
        runs: Finished runs.
        axes: The axes that vary; "ranks", or else the first axis of numbers or quantities, is horizontal.
        title: Above the picture.
    """
    lines = _lines(runs, axes)
    with styled():
        if _is_one_place(lines):
            return _bars(lines, title, "simulated time", seconds_text)
        figure, panel = _panel(lines, title, "simulated time")
        label_decades(panel.yaxis, seconds_text)
        if panel.get_yscale() == "linear":
            panel.yaxis.set_major_formatter(lambda value, position: seconds_text(value))
    return figure


def draw_relative(runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the time of all runs over that of the fastest one with as many ranks.

    Args:
        runs: Finished runs.
        axes: The same as for `draw`.
        title: Above the picture.
    """
    lines = _lines(runs, axes)
    best: dict[float, float] = {}
    for points in lines.points.values():
        for point in points:
            best[point.x] = min(point.y, best.get(point.x, point.y))
    ratios = {
        key: [
            point.over(best[point.x]) if best[point.x] > 0 else _Point(point.x, 1.0, 1.0, 1.0)
            for point in points
        ]
        for key, points in lines.points.items()
    }
    quantity = "simulated time / that of the fastest"
    relative = _Lines(ratios, lines.across, lines.others)
    with styled():
        if _is_one_place(lines):
            return _bars(relative, title, quantity, count_label)
        figure, panel = _panel(relative, title, quantity)
        largest = max(point.high for points in ratios.values() for point in points)
        panel.set_ylim(0.9, max(2.0, 1.1 * largest))
        label_decades(panel.yaxis, count_label)
    return figure


def is_comparison(run: RunResult) -> bool:
    """Returns whether a run is of a sweep in which more than the number of ranks and the seed varies."""
    return any(name != "ranks" and name not in SEEDS for name in run.parameters)


def _lines(runs: Sequence[RunResult], axes: Sequence[Axis]) -> _Lines:
    across = x_axis(axes)
    place = across.numbers if across else {}
    others = [axis.name for axis in axes if axis is not across and not axis.is_seed]
    times: dict[tuple[Label, ...], dict[float, list[float]]] = {}
    for run in runs:
        key = tuple(run.parameters[name] for name in others)
        x = place[run.parameters[across.name]] if across else run.ranks
        times.setdefault(key, {}).setdefault(x, []).append(run.time_s)
    points = {
        key: [_Point(x, median(some), min(some), max(some)) for x, some in sorted(line.items())]
        for key, line in times.items()
    }
    return _Lines(points, across, others)


def _is_one_place(lines: _Lines) -> bool:
    """Returns whether several series have one point each, at the same place: lines would be dots."""
    places = {point.x for points in lines.points.values() for point in points}
    return len(places) == 1 and len(lines.points) > 1


def _bars(lines: _Lines, title: str, quantity: str, text: Callable[[float], str]) -> Figure:
    """Draws a bar for each series, the first one on top."""
    names = [joined(key) for key in lines.points]
    points = [line[0] for line in lines.points.values()]
    figure = new_figure(6.4, 1.6 + 0.35 * len(names))
    panel = figure.subplots()
    beyond = [[p.y - p.low for p in points], [p.high - p.y for p in points]]
    has_seeds = any(point.low < point.high for point in points)
    heights = [point.y for point in points]
    bars = panel.barh(
        names, heights, color=COLOURS[0], xerr=beyond if has_seeds else None, capsize=2.5
    )
    panel.bar_label(bars, [text(float(f"{y:.3g}")) for y in heights], padding=3)
    panel.invert_yaxis()
    panel.margins(x=0.15)
    panel.set_xlim(left=0)
    panel.xaxis.set_major_formatter(lambda value, position: text(value))
    panel.grid(visible=False, axis="y")
    panel.set(xlabel=quantity, ylabel=joined([words(name) for name in lines.others]), title=title)
    return figure


def _panel(lines: _Lines, title: str, quantity: str) -> tuple[Figure, Axes]:
    count = len(lines.points)
    figure = new_figure()
    panel = figure.subplots()
    for (key, points), style in zip(lines.points.items(), line_styles(count), strict=True):
        x, y = [point.x for point in points], [point.y for point in points]
        panel.plot(x, y, label=joined(key), **style)
        varying = [point for point in points if point.low < point.high]
        if varying:
            bars = [[p.y - p.low for p in varying], [p.high - p.y for p in varying]]
            where = [p.x for p in varying], [p.y for p in varying]
            panel.errorbar(*where, bars, fmt="none", ecolor=style["color"], capsize=2.5)
    panel.set(xlabel=_x_label(lines.across), ylabel=quantity, title=title)
    _scales(panel, [point for line in lines.points.values() for point in line], lines.across)
    names = [words(name) for name in lines.others if name != "series"]
    legend_beside(panel, joined(names), count)
    return figure, panel


def _x_label(across: Axis | None) -> str:
    return "ranks" if across is None or across.name == "ranks" else words(across.name)


def _scales(panel: Axes, points: Sequence[_Point], across: Axis | None) -> None:
    """Sets logarithmic scales for positive values, over at least one decade so that ticks have numbers."""
    heights = [height for point in points for height in (point.low, point.high)]
    for values, axis in (([point.x for point in points], "x"), (heights, "y")):
        low, high = min(values), max(values)
        if low <= 0:
            continue
        (panel.set_xscale if axis == "x" else panel.set_yscale)("log")
        if high / low < 10:
            middle = (low * high) ** 0.5
            limits = (min(low / 1.3, middle / 4), max(high * 1.3, middle * 4))
            (panel.set_xlim if axis == "x" else panel.set_ylim)(*limits)
    if across is None or across.is_numeric:
        label_decades(panel.xaxis, count_label)
    else:
        label_values(panel.xaxis, across.numbers)
    panel.grid(visible=True, which="minor", linewidth=0.3)
