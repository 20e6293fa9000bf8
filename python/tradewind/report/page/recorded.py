"""Figures of a recording: times of ranks, sizes of messages, who sends to whom, and a time line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from tradewind.inspection.summary import Inspection
from tradewind.inspection.timeline import KINDS, Excerpt
from tradewind.report.page.heat import traffic_panel
from tradewind.report.page.selection import rounded
from tradewind.report.page.texts import counted, percent_text, time_text
from tradewind.report.page.time_line import message_columns
from tradewind.results.run_result import Array
from tradewind.units import bytes_text

# Bars of ranks, and rows of the matrix.
_MOST_BARS = 128
_MOST_CELLS = 128


def recorded_figures(found: Inspection) -> Iterator[dict[str, Any]]:
    """Yields the figures of a recording.

    Args:
        found: The inspected recording.
    """
    if found.per_rank.total_s.any():
        yield _times(found)
    if found.sizes:
        yield _sizes(found)
    if len(found.pairs.bytes):
        yield _matrix(found)
    if found.excerpt is not None:
        yield _time_line(found, found.excerpt)


def _times(found: Inspection) -> dict[str, Any]:
    """Returns bars of computation, wait states and the rest of MPI, by rank."""
    times = found.per_rank
    wait_s = np.minimum(times.wait_s, times.inside_s)
    parts: dict[str, Array] = {
        "computation": times.computed_s,
        "wait states": wait_s,
        "the rest of MPI": times.inside_s - wait_s,
    }
    width = -(-found.ranks // _MOST_BARS)
    firsts = np.arange(0, found.ranks, width)
    counts = np.diff([*firsts, found.ranks])
    lasts = firsts + counts - 1
    bars = [str(a) if a == b else f"{a}-{b}" for a, b in zip(firsts, lasts, strict=True)]
    traces = [
        {
            "name": name,
            "x": bars,
            "y": rounded(np.add.reduceat(values, firsts) / counts),
            "mode": "bars",
        }
        for name, values in parts.items()
    ]
    computed = times.computed_s
    mean = float(computed.mean())
    note = "Times are from the end of MPI_Init to the begin of MPI_Finalize."
    if mean > 0:
        longest = int(computed.argmax())
        note += (
            f" Rank {longest} computes longest, {percent_text(float(computed[longest]) / mean - 1)}"
            f" longer than the mean of {time_text(mean)}."
        )
    view = {
        "x": {"title": "rank" if width == 1 else "ranks", "unit": "", "category": True},
        "y": {"title": "time" if width == 1 else "mean time", "unit": "s"},
        "traces": traces,
        "stacked": True,
    }
    return {
        "id": "recorded-times",
        "kind": "lines",
        "title": "Recorded time by rank",
        "alt": f"Recorded time of {counted(found.ranks, 'rank')}: stacked bars of computation, wait"
        " states and the rest of MPI. All values are in the table below the figure.",
        "note": note,
        "parts": "Parts",
        "selects": [],
        "views": {"": view},
    }


def _sizes(found: Inspection) -> dict[str, Any]:
    """Returns the histogram of sizes of messages."""
    lows = [bytes_text(low) for low, *_ in found.sizes]
    columns = {
        "messages": np.array([row[2] for row in found.sizes], float),
        "bytes": np.array([row[3] for row in found.sizes], float),
    }
    traces = [
        {
            "name": name,
            "x": lows,
            "y": rounded(values / max(values.sum(), 1.0)),
            "mode": "bars",
        }
        for name, values in columns.items()
    ]
    view = {
        "x": {"title": "size of a message, from", "unit": "", "category": True},
        "y": {"title": "share", "unit": "%"},
        "traces": traces,
    }
    return {
        "id": "recorded-sizes",
        "kind": "lines",
        "title": "Recorded messages by size",
        "alt": f"Messages and their bytes by size, from {lows[0]} to {lows[-1]}: bars of shares. All"
        " values are in the table below the figure.",
        "note": "A bar holds sizes up to twice as large. Messages in collectives are not among them.",
        "selects": [],
        "views": {"": view},
    }


def _matrix(found: Inspection) -> dict[str, Any]:
    """Returns the bytes between ranks, without those in collectives."""
    matrix, width = found.pairs.binned(_MOST_CELLS)
    quantities = {"bytes": {"unit": "B", "values": rounded(matrix, 4)}}
    panel = traffic_panel(len(matrix) * width, len(matrix), quantities)
    return {
        "id": "recorded-matrix",
        "kind": "heat",
        "title": "Recorded messages between ranks",
        "alt": f"Heat map of bytes between {counted(found.ranks, 'rank')}. The largest values are in"
        " the table below the figure.",
        "note": "Messages in collectives are not among them.",
        "runs": [{"label": "the recording", "panels": [panel]}],
    }


def _time_line(found: Inspection, excerpt: Excerpt) -> dict[str, Any]:
    """Returns the middle of the time line."""
    shown: list[Mapping[str, Any]] = []
    for kind, name in enumerate(KINDS):
        own = excerpt.kind == kind
        if own.any():
            enter, leave = excerpt.enter_s[own], excerpt.leave_s[own]
            shown.append(
                {
                    "name": name,
                    "rank": excerpt.rank[own].tolist(),
                    "begin": rounded(enter, 9),
                    "time": rounded(leave - enter, 6),
                }
            )
    part = f"{time_text(excerpt.begin_s)} to {time_text(excerpt.end_s)}"
    ranks = "" if excerpt.ranks == found.ranks else f" of the first {excerpt.ranks} ranks"
    return {
        "id": "recorded-time-line",
        "kind": "timeline",
        "title": "Recorded time line",
        "alt": f"Time line of the recording{ranks}, from {part}: bars of calls in MPI. The longest are"
        " in the table below the figure.",
        "note": f"Bars are calls in MPI{ranks}, in the middle of the recording, from {part}. Between"
        " them ranks compute. The clocks of ranks are not compared; in loops, times are means over"
        " all turns.",
        "parts": "Calls",
        "time": "recorded time",
        "runs": [
            {
                "label": "the recording",
                "ranks": excerpt.ranks,
                "phases": shown,
                "messages": message_columns({}),
                "left": "",
            }
        ],
    }
