"""Measured times over sizes, one line per kind or algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tradewind.bench.measurements import Measurements
from tradewind.plots.style import legend_beside, line_styles, new_figure, styled

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw(measurements: Measurements, operation: str) -> Figure:
    """Draws medians, with the range from the 5th to the 95th percentile behind them."""
    rows = [row for row in measurements.rows if row.operation == operation]
    names = list(dict.fromkeys(row.name for row in rows))
    with styled():
        figure = new_figure(8.2, 4.4)
        panel = figure.subplots()
        for name, style in zip(names, line_styles(len(names)), strict=True):
            own = [row for row in rows if row.name == name]
            sizes = [max(row.size, 1) for row in own]
            low = [row.percentile_s(5) * 1e6 for row in own]
            high = [row.percentile_s(95) * 1e6 for row in own]
            panel.fill_between(sizes, low, high, color=style["color"], alpha=0.12, linewidth=0)
            panel.plot(sizes, [row.median_s * 1e6 for row in own], label=name, **style)
        panel.set_xscale("log", base=2)
        panel.set_yscale("log")
        panel.set(
            xlabel="size (bytes)",
            ylabel="time (µs)",
            title=f"{operation}, {measurements.ranks} ranks, {measurements.library}",
        )
        legend_beside(panel, "", len(names))
    return figure
