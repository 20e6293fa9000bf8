"""Simulated time over ranks, one line per series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tradewind.config.axes import Axis, Label
from tradewind.plots.style import (
    count_label,
    joined,
    label_decades,
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


def draw(runs: Sequence[Run], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the time of all runs.

    Args:
        runs: Finished runs.
        axes: What varies; "ranks", or else the first numeric axis, goes to the right.
        title: Above the picture.
    """
    across = _across(axes)
    others = [axis.name for axis in axes if axis is not across]
    lines: dict[tuple[Label, ...], list[tuple[float, float]]] = {}
    for run in runs:
        key = tuple(run.parameters[name] for name in others)
        x = float(run.parameters[across.name]) if across else run.ranks
        lines.setdefault(key, []).append((x, run.time_s))
    with styled():
        figure = new_figure(6.4 if len(lines) <= 6 else 8.2, 4.4)
        panel = figure.subplots()
        for (key, points), style in zip(lines.items(), line_styles(len(lines)), strict=True):
            x_values, times = zip(*sorted(points), strict=True)
            panel.plot(x_values, times, label=joined(key), **style)
        panel.set(xlabel=_x_label(across), ylabel="simulated time", title=title)
        _scales(panel, [point for points in lines.values() for point in points])
        legend_beside(
            panel, joined([words(name) for name in others if name != "series"]), len(lines)
        )
    return figure


def _across(axes: Sequence[Axis]) -> Axis | None:
    numeric = [axis for axis in axes if axis.is_numeric]
    for axis in numeric:
        if axis.name == "ranks":
            return axis
    return numeric[0] if numeric else None


def _x_label(across: Axis | None) -> str:
    return "ranks" if across is None or across.name == "ranks" else words(across.name)


def _scales(panel: Axes, points: Sequence[tuple[float, float]]) -> None:
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
    label_decades(panel.xaxis, count_label)
    label_decades(panel.yaxis, seconds_text)
    panel.grid(visible=True, which="minor", linewidth=0.3)
