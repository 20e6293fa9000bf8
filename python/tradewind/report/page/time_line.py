"""The time line of runs with a record of it: phases and messages of each rank."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tradewind.report.page.selection import rounded
from tradewind.results.run_result import Array, RunResult

# More of them make a page that no browser moves smoothly.
_MOST_RUNS = 4
_MOST_MARKS = 4000
_MOST_MESSAGES = 4000
_PS = 1e-12


def time_line(runs: Sequence[RunResult]) -> dict[str, Any] | None:
    """Returns phases and messages of the runs that have kept them, ranks over time.

    Args:
        runs: The finished runs of an experiment; those with the most ranks come first.
    """
    known = [run for run in runs if run.timeline is not None or run.phase_marks is not None]
    if not known:
        return None
    known.sort(key=lambda run: -run.ranks)
    shown = [_run(run) for run in known[:_MOST_RUNS]]
    notes = [
        "Bars are phases, lines lead from the send of a message to its arrival.",
        "In the folder of results timeline-N.json has all of it for Perfetto (ui.perfetto.dev).",
    ]
    if len(known) > _MOST_RUNS:
        notes.append(f"The figure has {_MOST_RUNS} of {len(known)} runs with a time line.")
    first = shown[0]
    names = ", ".join(phase["name"] for phase in first["phases"][:6]) or "none"
    alt = (
        f"Time line: ranks over simulated time, {first['label']}; phases: {names}."
        " The longest phases of ranks are in the table below the figure."
    )
    return {
        "id": "time-line",
        "kind": "timeline",
        "title": "Time line",
        "alt": alt,
        "note": " ".join(notes),
        "time": "simulated time",
        "runs": shown,
    }


def _run(run: RunResult) -> dict[str, Any]:
    texts = [f"{name} {value}" for name, value in run.parameters.items()]
    marks, marks_left = _earliest(run.phase_marks or {}, "begin_ps", _MOST_MARKS)
    sent, sent_left = _earliest(run.timeline or {}, "sent_ps", _MOST_MESSAGES)
    left = [
        f"the first {most} of {most + count} {what}"
        for what, most, count in (
            ("phases of ranks", _MOST_MARKS, marks_left),
            ("messages", _MOST_MESSAGES, sent_left),
        )
        if count
    ]
    return {
        "label": ", ".join(texts) or f"{run.spec.program.name} on {run.machine}",
        "ranks": run.ranks,
        "phases": _phases(run, marks),
        "messages": message_columns(sent),
        "left": f"Shown: {' and '.join(left)}." if left else "",
    }


def _earliest(columns: Any, start: str, most: int) -> tuple[dict[str, Array], int]:
    """Returns the rows that begin first, and the number of the others."""
    if not columns or start not in columns:
        return {}, 0
    order = np.argsort(columns[start], kind="stable")
    chosen = order[:most]
    return {name: np.asarray(column)[chosen] for name, column in columns.items()}, len(order) - len(
        chosen
    )


def _phases(run: RunResult, marks: dict[str, Array]) -> list[dict[str, Any]]:
    """Returns ranks, begins and durations in s by phase."""
    found = []
    for index, phase in enumerate(run.phases):
        own = marks["phase"] == index if marks else np.zeros(0, bool)
        if not own.any():
            continue
        begin, end = (marks[name][own] * _PS for name in ("begin_ps", "end_ps"))
        found.append(
            {
                "name": phase.name,
                "rank": marks["rank"][own].tolist(),
                "begin": rounded(begin, 9),
                "time": rounded(end - begin, 6),
            }
        )
    return found


def message_columns(sent: dict[str, Array]) -> dict[str, Any]:
    """Returns source, destination, times in s and bytes of messages, as columns; empty ones without any."""
    if not sent:
        return {
            "source": [],
            "destination": [],
            "sent": [],
            "arrived": [],
            "bytes": [],
            "delay": [],
        }
    return {
        "source": sent["source"].tolist(),
        "destination": sent["destination"].tolist(),
        "sent": rounded(sent["sent_ps"] * _PS, 9),
        "arrived": rounded(sent["arrived_ps"] * _PS, 9),
        "bytes": sent["bytes"].tolist(),
        "delay": rounded(sent["delay_ps"] * _PS, 4),
    }
