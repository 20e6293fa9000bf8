"""Simulated time over ranks, one line per series; as it is, or over that of the fastest series."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tradewind.config.axes import Axis, Label, rightwards
from tradewind.plots.style import (
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
from tradewind.runs.results import Run
from tradewind.units import seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_Point = tuple[float, float]


@dataclass(frozen=True)
class _Lines:
    """What a sweep has as lines.

    Args:
        points: Value to the right and time of every run, by the labels of its series.
        across: What goes to the right; None: the number of ranks.
        others: Names of the axes that make the series.
    """

    points: Mapping[tuple[Label, ...], Sequence[_Point]]
    across: Axis | None
    others: Sequence[str]


def draw(runs: Sequence[Run], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the time of all runs.

    Args:
        runs: Finished runs.
        axes: What varies; "ranks", or else the first axis of numbers or quantities, goes to the right.
        title: Above the picture.
    """
    lines = _lines(runs, axes)
    with styled():
        figure, panel = _panel(lines, title, "simulated time")
        label_decades(panel.yaxis, seconds_text)
    return figure


def draw_relative(runs: Sequence[Run], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the time of all runs over that of the fastest one with as many ranks.

    Args:
        runs: Finished runs.
        axes: As for `draw`.
        title: Above the picture.
    """
    lines = _lines(runs, axes)
    best: dict[float, float] = {}
    for points in lines.points.values():
        for x, time in points:
            best[x] = min(time, best.get(x, time))
    ratios = {
        key: [(x, time / best[x] if best[x] > 0 else 1.0) for x, time in points]
        for key, points in lines.points.items()
    }
    with styled():
        figure, panel = _panel(
            _Lines(ratios, lines.across, lines.others),
            title,
            "simulated time / that of the fastest",
        )
        largest = max(ratio for points in ratios.values() for _, ratio in points)
        panel.set_ylim(0.9, max(2.0, 1.1 * largest))
        label_decades(panel.yaxis, count_label)
    return figure


def is_comparison(run: Run) -> bool:
    """True for a run of a sweep in which more than the number of ranks varies."""
    return any(name != "ranks" for name in run.parameters)


def _lines(runs: Sequence[Run], axes: Sequence[Axis]) -> _Lines:
    across = rightwards(axes)
    place = across.numbers if across else {}
    others = [axis.name for axis in axes if axis is not across]
    points: dict[tuple[Label, ...], list[_Point]] = {}
    for run in runs:
        key = tuple(run.parameters[name] for name in others)
        x = place[run.parameters[across.name]] if across else run.ranks
        points.setdefault(key, []).append((x, run.time_s))
    return _Lines({key: sorted(line) for key, line in points.items()}, across, others)


def _panel(lines: _Lines, title: str, quantity: str) -> tuple[Figure, Axes]:
    count = len(lines.points)
    figure = new_figure()
    panel = figure.subplots()
    for (key, points), style in zip(lines.points.items(), line_styles(count), strict=True):
        panel.plot(*zip(*points, strict=True), label=joined(key), **style)
    panel.set(xlabel=_x_label(lines.across), ylabel=quantity, title=title)
    _scales(panel, [point for line in lines.points.values() for point in line], lines.across)
    names = [words(name) for name in lines.others if name != "series"]
    legend_beside(panel, joined(names), count)
    return figure, panel


def _x_label(across: Axis | None) -> str:
    return "ranks" if across is None or across.name == "ranks" else words(across.name)


def _scales(panel: Axes, points: Sequence[_Point], across: Axis | None) -> None:
    """Logarithmic where the values are positive; at least one decade, so that ticks have numbers."""
    for values, axis in (([x for x, _ in points], "x"), ([y for _, y in points], "y")):
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
