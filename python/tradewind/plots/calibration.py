"""A picture of measured times beside those of the calibrated machine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tradewind.calibration.comparison import Comparison, median_error
from tradewind.plots.style import line_styles, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def draw(comparisons: Sequence[Comparison], title: str) -> Figure:
    """Draws times above and relative errors below, one column per operation.

    Measured values are marks, simulated ones lines.
    """
    operations = [
        name
        for name in dict.fromkeys(entry.operation for entry in comparisons)
        if len({entry.size for entry in comparisons if entry.operation == name}) > 1
    ]
    with styled():
        figure = new_figure(max(4.6, 4.2 * len(operations)), 6.0)
        panels = figure.subplots(2, len(operations), squeeze=False, sharex="col", sharey="row")
        for column, operation in enumerate(operations):
            own = [entry for entry in comparisons if entry.operation == operation]
            _draw_column(panels[0][column], panels[1][column], own)
            panels[0][column].set_title(f"{operation}: median error {median_error(own):.0%}")
        panels[0][0].set_ylabel("time (µs)")
        panels[1][0].set_ylabel("error (%)")
        figure.suptitle(f"{title}: measured (marks), simulated (lines), error of the simulation")
    return figure


def _draw_column(times: Axes, errors: Axes, entries: Sequence[Comparison]) -> None:
    names = list(dict.fromkeys(entry.name for entry in entries))
    for name, style in zip(names, line_styles(len(names)), strict=True):
        own = sorted((entry for entry in entries if entry.name == name), key=lambda e: e.size)
        sizes = [max(entry.size, 1) for entry in own]
        times.plot(
            sizes,
            [entry.measured_s * 1e6 for entry in own],
            color=style["color"],
            marker=style["marker"],
            linestyle="",
            label=name,
        )
        times.plot(
            sizes,
            [entry.simulated_s * 1e6 for entry in own],
            color=style["color"],
            linestyle=style["linestyle"],
        )
        errors.plot(sizes, [entry.error * 100 for entry in own], **style)
    times.set_xscale("log", base=2)
    times.set_yscale("log")
    errors.axhline(0.0, color="black", linewidth=0.8)
    errors.set_xlabel("size (bytes)")
    times.legend(fontsize=7, loc="upper left")
