"""Histograms of the delays of messages and the waits of packets: time beyond that without others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tradewind.config.axes import Axis
from tradewind.plots.selection import largest_runs, series_label
from tradewind.plots.style import label_decades, legend_beside, line_styles, new_figure, styled
from tradewind.results.run_result import Array, Histogram, RunResult
from tradewind.units import seconds_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SMALLEST_S = 1e-9
_BINS_PER_DECADE = 10
# The words for runs without anything to draw.
NO_DELAY = f"no message had a delay of {seconds_text(_SMALLEST_S)} or more"
# Height of a line of the legend, as a share of that of the picture.
_LEGEND_LINE = 0.07


def has_delay(run: RunResult) -> bool:
    """Returns whether a message of the run had a delay that the picture shows."""
    return run.delay.max_s >= _SMALLEST_S


def draw(runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    """Draws the delays of messages: one curve per series, for the runs with the most ranks.

    Args:
        runs: Finished runs.
        axes: The axes that vary.
        title: Above the picture.
    """
    return _draw(_DELAYS, runs, axes, title)


def draw_waits(runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    """Draws a histogram of the waits of packets in switches, one for each switch that a packet passes.

    Args:
        runs: Finished runs whose waits were counted.
        axes: The axes that vary.
        title: Above the picture.
    """
    return _draw(_WAITS, runs, axes, title)


@dataclass(frozen=True)
class _Subject:
    name: str
    of: str
    histogram: Callable[[RunResult], Histogram]


def _delays(run: RunResult) -> Histogram:
    return run.delay.histogram


def _waits(run: RunResult) -> Histogram:
    assert run.packet_wait is not None
    return run.packet_wait.histogram


_DELAYS = _Subject("delay of a message against its contention-free time", "messages", _delays)
_WAITS = _Subject("wait of a packet in a switch", "passages through switches", _waits)


def _draw(subject: _Subject, runs: Sequence[RunResult], axes: Sequence[Axis], title: str) -> Figure:
    chosen = largest_runs(runs, axes)
    smallest = seconds_text(_SMALLEST_S)
    with styled():
        figure = new_figure()
        panel = figure.subplots()
        for run, style in zip(chosen, line_styles(len(chosen)), strict=True):
            edges, share, below = _shares(subject.histogram(run))
            name = series_label(run, axes)
            panel.stairs(
                share,
                edges,
                label=f"{name} ({below:.0f} % below {smallest})" if below >= 0.5 else name,
                color=style["color"],
                linestyle=style["linestyle"],
                linewidth=1.6,
            )
        panel.set_xscale("log")
        label_decades(panel.xaxis, seconds_text)
        # Room for the legend above the bins.
        room = _LEGEND_LINE * len(chosen) if 1 < len(chosen) <= 6 else 0.0
        panel.set_ylim(0, panel.get_ylim()[1] / (1 - room))
        panel.set(
            xlabel=subject.name,
            ylabel=f"share of {subject.of} per bin (%)",
            title=f"{title}\n{chosen[0].ranks} ranks" if _one_size(chosen) else title,
        )
        legend_beside(panel, "", len(chosen))
    return figure


def _shares(histogram: Histogram) -> tuple[Array, Array, float]:
    """Returns edges in seconds, the share of each bin in percent, and the share below the first edge.

    Only the part from a nanosecond on is drawn: below it are rounding and what had no delay.
    """
    edges = np.asarray(histogram.edges, dtype=float)
    counts = np.asarray(histogram.counts, dtype=float)
    percent = 100 / max(1.0, counts.sum())
    first = int(np.searchsorted(edges[:-1], _SMALLEST_S))
    below = percent * counts[:first].sum()
    if first >= len(counts):
        return np.array([_SMALLEST_S, 10 * _SMALLEST_S]), np.zeros(1), below
    edges, counts = coarser(edges[first:], counts[first:])
    used = np.flatnonzero(counts)
    start, end = (used[0], used[-1] + 1) if used.size else (0, 1)
    return edges[start : end + 1], percent * counts[start:end], below


def coarser(edges: Array, counts: Array) -> tuple[Array, Array]:
    """Joins neighbouring bins until there are about ten per factor of ten."""
    per_decade = int(np.searchsorted(edges, 10 * edges[0]))
    size = max(1, per_decade // _BINS_PER_DECADE)
    starts = np.arange(0, len(counts), size)
    return np.append(edges[:-1][starts], edges[-1]), np.add.reduceat(counts, starts)


def _one_size(runs: Sequence[RunResult]) -> bool:
    return len({run.ranks for run in runs}) == 1
