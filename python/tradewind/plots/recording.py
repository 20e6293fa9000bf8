"""Pictures of a recorded program: who sends to whom, where the time goes, sizes of messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from tradewind.inspection.comparison import Comparison
from tradewind.inspection.summary import Inspection
from tradewind.inspection.timeline import KINDS
from tradewind.plots.style import COLOURS, label_decades, new_figure, styled
from tradewind.units import bytes_text, decimal_bytes_text, seconds_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Rows and columns of a matrix, bars of ranks, and bars of calls.
_MOST_CELLS = 256
_MOST_BARS = 256
_MOST_CALLS = 10
# Bars shorter than this share of the longest are left out, where sites are compared.
_LEAST_SHARE = 0.01


def draw_matrix(found: Inspection, title: str) -> Figure | None:
    """Draws the bytes between ranks, and beside them what each rank contributes to collectives.

    Args:
        found: The inspected trace.
        title: Above the picture.

    Returns:
        The picture, or None if the program sends no messages.
    """
    from matplotlib.colors import LogNorm, Normalize

    if not len(found.pairs.bytes):
        return None
    matrix, width = found.pairs.binned(_MOST_CELLS)
    shown = np.where(matrix > 0, matrix, np.nan)
    low, high = float(np.nanmin(shown, initial=np.inf)), float(matrix.max())
    edge = found.ranks - 0.5
    with styled():
        figure = new_figure(6.4, 5.6)
        panel, beside = figure.subplots(1, 2, width_ratios=[6, 1], sharey=True)
        image = panel.imshow(
            shown,
            norm=LogNorm(low, high) if high > 5 * low else Normalize(0.0, max(high, 1.0)),
            extent=(-0.5, len(matrix) * width - 0.5, len(matrix) * width - 0.5, -0.5),
            interpolation="nearest",
            aspect="equal",
        )
        panel.grid(visible=False)
        panel.set(xlabel="destination rank", ylabel="source rank", xlim=(-0.5, edge))
        panel.set_ylim(edge, -0.5)
        panel.locator_params(nbins=5, integer=True)
        per_cell = "bytes" if width == 1 else f"bytes of {width} x {width} ranks"
        bar = figure.colorbar(image, ax=panel, label=per_cell, location="bottom", shrink=0.8)
        label_decades(bar.ax.xaxis, decimal_bytes_text)
        if bar.ax.get_xscale() != "log":
            bar.ax.xaxis.set_major_formatter(lambda value, position: decimal_bytes_text(value))
        given = _binned(found.per_rank.collective_bytes.astype(float), _MOST_BARS)
        step = found.ranks / len(given)
        beside.barh(np.arange(len(given)) * step + (step - 1) / 2, given, step, color=COLOURS[2])
        beside.locator_params(axis="x", nbins=2)
        beside.xaxis.set_major_formatter(lambda value, position: decimal_bytes_text(value))
        beside.set_xlabel("bytes into\ncollectives")
        figure.suptitle(f"{title}\n{found.ranks} ranks", fontsize=11)
    return figure


def draw_calls(found: Inspection, title: str) -> Figure | None:
    """Draws the share of each call in the recorded time.

    Args:
        found: The inspected trace.
        title: Above the picture.

    Returns:
        The picture, or None if no time was recorded.
    """
    rows = [row for row in found.by_call if row.share > 0][:_MOST_CALLS][::-1]
    if not rows:
        return None
    with styled():
        figure = new_figure(6.4, 1.4 + 0.32 * len(rows))
        panel = figure.subplots()
        panel.barh([row.call for row in rows], [100 * row.share for row in rows], color=COLOURS[0])
        panel.set(xlabel="share of the recorded time of all ranks (%)", title=title)
        panel.grid(visible=False, axis="y")
    return figure


def draw_ranks(found: Inspection, title: str) -> Figure | None:
    """Draws the time of each rank: computation, wait states, and the rest of MPI.

    Args:
        found: The inspected trace.
        title: Above the picture.

    Returns:
        The picture, or None if no time was recorded.
    """
    times = found.per_rank
    if not times.total_s.any():
        return None
    wait_s = np.minimum(times.wait_s, times.inside_s)
    parts = (
        ("computation", times.computed_s),
        ("MPI, wait states", wait_s),
        ("MPI, the rest", times.inside_s - wait_s),
    )
    with styled():
        figure = new_figure(7.2, 4.0)
        panel = figure.subplots()
        bottom = np.zeros(len(_binned(times.computed_s, _MOST_BARS)))
        step = found.ranks / len(bottom)
        centre = np.arange(len(bottom)) * step + (step - 1) / 2
        for (label, values), colour in zip(parts, COLOURS, strict=False):
            height = _binned(values, _MOST_BARS) / step
            panel.bar(centre, height, step, bottom=bottom, label=label, color=colour)
            bottom = bottom + height
        panel.yaxis.set_major_formatter(lambda value, position: seconds_text(value))
        panel.locator_params(axis="x", integer=True)
        panel.set(xlabel="rank", ylabel="recorded time", title=title, ylim=(0, 1.2 * bottom.max()))
        panel.grid(visible=False, axis="x")
        panel.legend(loc="upper center", ncols=3)
    return figure


def draw_timeline(found: Inspection, title: str) -> Figure | None:
    """Draws the middle of the time line: what the first ranks do when.

    Args:
        found: The inspected trace.
        title: Above the picture.

    Returns:
        The picture, or None if no time was recorded, or there are too many calls.
    """
    excerpt = found.excerpt
    if excerpt is None:
        return None
    begin_s, length_s = excerpt.begin_s, excerpt.end_s - excerpt.begin_s
    with styled():
        figure = new_figure(7.2, 1.9 + 0.2 * min(excerpt.ranks, 20))
        panel = figure.subplots()
        panel.barh(np.arange(excerpt.ranks), length_s, 0.8, color="#eeeeee", label="computation")
        for kind, (label, colour) in enumerate(zip(KINDS, COLOURS, strict=False)):
            own = excerpt.kind == kind
            enter = np.maximum(excerpt.enter_s[own] - begin_s, 0.0)
            leave = np.minimum(excerpt.leave_s[own] - begin_s, length_s)
            if own.any():
                rank = excerpt.rank[own]
                panel.barh(rank, leave - enter, 0.8, left=enter, color=colour, label=label)
        panel.xaxis.set_major_formatter(lambda value, position: seconds_text(value))
        panel.set(xlabel=f"time, from {seconds_text(begin_s)} on", ylabel="rank", title=title)
        panel.set(xlim=(0.0, length_s), ylim=(excerpt.ranks - 0.5, -0.5))
        panel.locator_params(axis="y", integer=True)
        panel.grid(visible=False, axis="y")
        figure.legend(loc="outside lower center", ncols=len(KINDS) + 1)
    return figure


def draw_sizes(found: Inspection, title: str) -> Figure | None:
    """Draws how many messages have which size, and the bytes in them.

    Args:
        found: The inspected trace.
        title: Above the picture.

    Returns:
        The picture, or None if the program sends no messages.
    """
    if not found.sizes:
        return None
    names = [bytes_text(low) for low, *_ in found.sizes]
    messages = np.array([row[2] for row in found.sizes], float)
    bytes_ = np.array([row[3] for row in found.sizes], float)
    place = np.arange(len(names))
    with styled():
        figure = new_figure(max(4.8, 1.6 + 0.6 * len(names)), 4.0)
        panel = figure.subplots()
        panel.bar(
            place - 0.2, 100 * messages / messages.sum(), 0.4, label="messages", color=COLOURS[0]
        )
        share = 100 * bytes_ / max(bytes_.sum(), 1.0)
        panel.bar(place + 0.2, share, 0.4, label="bytes", color=COLOURS[1])
        panel.set_xticks(place, names, rotation=45 if len(names) > 8 else 0)
        panel.set(xlabel="size of a message, from", ylabel="share (%)", title=title, ylim=(0, 120))
        panel.grid(visible=False, axis="x")
        panel.legend(loc="upper center", ncols=2)
    return figure


def draw_check(checked: Comparison, title: str) -> Figure | None:
    """Draws recorded and replayed times of the call sites that take longest.

    Args:
        checked: The recording beside its replays.
        title: Above the picture.

    Returns:
        The picture, or None if no call takes time.
    """
    longest_s = [max(one.recorded_s, *one.replayed_s) for one in checked.sites]
    least_s = _LEAST_SHARE * max(longest_s, default=0.0)
    rows = [one for one, time_s in zip(checked.sites, longest_s, strict=True) if time_s > least_s][
        :_MOST_CALLS
    ][::-1]
    if not rows:
        return None
    series = [("recorded", [one.recorded_s for one in rows])]
    for i, machine in enumerate(checked.machines):
        series.append((f"on {machine}", [one.replayed_s[i] for one in rows]))
    place, width = np.arange(len(rows)), 0.8 / len(series)
    with styled():
        figure = new_figure(7.2, 1.8 + (0.2 + 0.16 * len(series)) * len(rows))
        panel = figure.subplots()
        for i, ((label, values), colour) in enumerate(zip(series, COLOURS, strict=False)):
            at = place + 0.4 - (i + 0.5) * width
            panel.barh(at, values, width, label=label, color=colour)
        panel.set_yticks(place, [f"{one.call} {one.site}".strip() for one in rows])
        panel.xaxis.set_major_formatter(lambda value, position: seconds_text(value))
        panel.set(xlabel="time in the calls, summed over ranks", title=title)
        panel.grid(visible=False, axis="y")
        panel.legend(loc="lower right")
    return figure


PICTURES: Mapping[str, Callable[[Inspection, str], Figure | None]] = {
    "matrix": draw_matrix,
    "calls": draw_calls,
    "ranks": draw_ranks,
    "timeline": draw_timeline,
    "sizes": draw_sizes,
}


def _binned(values: np.ndarray, most: int) -> np.ndarray:
    """Returns sums over neighbouring ranks, at most `most` of them."""
    width = -(-len(values) // most)
    return np.add.reduceat(values, np.arange(0, len(values), width))
