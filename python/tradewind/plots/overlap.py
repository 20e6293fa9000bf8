"""Overhead of a message and the work that hides it, over its size: figure 1 of jamroz2016."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tradewind.bench import overlap
from tradewind.bench.measurements import Measurements
from tradewind.plots.style import COLOURS, DASHES, MARKERS, label_decades, new_figure, styled
from tradewind.units import decimal_bytes_text, seconds_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SIDES = ("send", "receive")


@dataclass(frozen=True)
class OverlapCurve:
    """Overhead and work over size, of one side of one kind of messages.

    Args:
        machine: Where it was measured or simulated, for the legend.
        messages: The kind of messages, which has a row of panels.
        side: "send" or "receive", which has a column.
        sizes: Bytes of a message.
        overhead_s: Share of the processor; what is not positive is left out.
        work_s: Time of the work that hides the message.
    """

    machine: str
    messages: str
    side: str
    sizes: Sequence[int]
    overhead_s: Sequence[float]
    work_s: Sequence[float]


def curves(measured: Measurements) -> list[OverlapCurve]:
    """Returns the curves of a measurement."""
    found = []
    for kind in overlap.kinds(measured.rows):
        side, _, messages = overlap.describe(kind).partition(", ")
        rows = [row for row in measured.rows if row.name == kind]
        found.append(
            OverlapCurve(
                measured.library,
                messages,
                side,
                [row.size for row in rows],
                [row.values["overhead_s"] for row in rows],
                [row.values["work_s"] for row in rows],
            )
        )
    return found


def draw(drawn: Sequence[OverlapCurve], title: str) -> Figure:
    """Draws a row of panels for each kind of messages: to send on the left, to receive on the right."""
    messages = list(dict.fromkeys(curve.messages for curve in drawn))
    machines = list(dict.fromkeys(curve.machine for curve in drawn))
    with styled():
        figure = new_figure(8.6, 0.8 + 3.0 * len(messages))
        panels = figure.subplots(len(messages), len(SIDES), sharex=True, sharey=True, squeeze=False)
        for curve in drawn:
            panel = panels[messages.index(curve.messages), SIDES.index(curve.side)]
            where = f", {curve.machine}" if len(machines) > 1 else ""
            dashes = DASHES[machines.index(curve.machine) % len(DASHES)]
            _draw_curve(panel, curve, where, dashes)
        for row, kind in enumerate(messages):
            for column, side in enumerate(SIDES):
                panels[row, column].set(xscale="log", yscale="log", title=f"{side}: {kind}")
                label_decades(panels[row, column].xaxis, decimal_bytes_text)
                label_decades(panels[row, column].yaxis, seconds_text)
            panels[row, 0].set_ylabel("time")
        for panel in panels[-1]:
            panel.set_xlabel("size of the message")
        panels[0, 0].legend()
        figure.suptitle(title)
    return figure


def _draw_curve(panel: Axes, curve: OverlapCurve, where: str, dashes: str) -> None:
    for index, (name, times) in enumerate((("overhead", curve.overhead_s), ("work", curve.work_s))):
        shown = [(size, time) for size, time in zip(curve.sizes, times, strict=True) if time > 0]
        panel.plot(
            [max(size, 1) for size, _ in shown],
            [time for _, time in shown],
            color=COLOURS[index],
            marker=MARKERS[index],
            linestyle=dashes,
            label=f"{name}{where}",
        )
