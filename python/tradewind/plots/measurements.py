"""Measured times over sizes, one line per kind or algorithm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tradewind.bench.measurements import Measurements
from tradewind.bench.swap import LATENCY_SIZE
from tradewind.plots.style import COLOURS, legend_beside, line_styles, new_figure, styled
from tradewind.units import bytes_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def draw_swaps(measurements: Measurements) -> Figure:
    """Draws bandwidth by protocol and size, and below it latency; one column for each transport."""
    operations = measurements.operations
    with styled():
        figure = new_figure(4.4 * len(operations) + 1.6, 5.4)
        panels = figure.subplots(2, len(operations), sharey="row", sharex="col", squeeze=False)
        for operation, (above, below) in zip(operations, panels.T, strict=True):
            rows = [row for row in measurements.rows if row.operation == operation]
            sizes = sorted({row.size for row in rows if row.size > LATENCY_SIZE}, reverse=True)
            for size, style in zip(sizes, line_styles(len(sizes)), strict=True):
                own = [row for row in rows if row.size == size]
                above.plot(
                    [row.name for row in own],
                    [row.values["bandwidth_bytes_per_s"] / 1e6 for row in own],
                    label=bytes_text(size),
                    **style | {"linestyle": "none"},
                )
            latencies = {row.name: row.values["latency_s"] * 1e6 for row in rows}
            below.plot(list(latencies), list(latencies.values()), "x", color=COLOURS[-1])
            below.set_yscale("log")
            below.tick_params(axis="x", rotation=60)
            above.set(yscale="log", title=operation.removeprefix("swap_").replace("_", "-"))
        panels[0, 0].set_ylabel("bandwidth (MB/s)")
        panels[1, 0].set_ylabel("latency (µs)")
        figure.legend(
            *panels[0, -1].get_legend_handles_labels(), title="message", loc="outside right upper"
        )
        figure.suptitle(f"swap by protocol, {measurements.library}")
    return figure


def draw(measurements: Measurements, operation: str) -> Figure:
    """Draws medians, with the range from the 5th to the 95th percentile behind them."""
    rows = [row for row in measurements.rows if row.operation == operation]
    names = list(dict.fromkeys(row.name for row in rows))
    with styled():
        figure = new_figure()
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
