"""Runs as rows: a data frame of pandas, and a table in HTML for notebooks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from tradewind import extras
from tradewind.results.dataset import scalars
from tradewind.results.run_result import RunResult
from tradewind.units import bytes_text, count_text, seconds_text

if TYPE_CHECKING:
    import pandas

# Rows of a table in HTML; of more runs the first and the last ones are shown.
_MOST_ROWS = 20


def row_of(run: RunResult) -> dict[str, Any]:
    """Returns a run as the values of a row: parameters, program, machine, and all numbers.

    Args:
        run: A finished run.
    """
    about = {"program": run.spec.program.name, "machine": run.machine}
    numbers = scalars(run)
    return {**numbers, **about, "hash": run.hash, **run.parameters} | {
        f"{name}_simulated": numbers[name] for name in run.parameters if name in numbers
    }


def to_frame(runs: Sequence[RunResult]) -> pandas.DataFrame:
    """Returns runs as a data frame: a row for each, what varies first.

    Args:
        runs: Finished runs.

    Raises:
        Error: If pandas is not installed.
    """
    library = extras.need("pandas", "data frames")
    rows = [row_of(run) for run in runs]
    first = list(runs[0].parameters) if runs else []
    columns = [*first, *(name for name in (rows[0] if rows else {}) if name not in first)]
    frame: pandas.DataFrame = library.DataFrame(rows, columns=columns)
    return frame


def to_html(title: str, runs: Sequence[RunResult], remarks: Sequence[str] = ()) -> str:
    """Returns runs as a table in HTML, with units.

    Args:
        title: Above the table.
        runs: Finished runs.
        remarks: Lines below the table.
    """
    half = _MOST_ROWS // 2
    shown = [_cells(run) for run in runs[:half]]
    if len(runs) > _MOST_ROWS:
        shown.append(dict.fromkeys(shown[0], "..."))
        shown += [_cells(run) for run in runs[-half:]]
    else:
        shown += [_cells(run) for run in runs[half:]]
    names = list(shown[0]) if shown else []
    head = "".join(f"<th>{escape(name)}</th>" for name in names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(row.get(name, ''))}</td>" for name in names) + "</tr>"
        for row in shown
    )
    below = "".join(f"<p>{escape(remark)}</p>" for remark in remarks)
    return (
        f"<table><caption>{escape(title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>{below}"
    )


def _cells(run: RunResult) -> Mapping[str, str]:
    return {
        **{name: str(value) for name, value in run.parameters.items()},
        **({} if "ranks" in run.parameters else {"ranks": str(run.ranks)}),
        "time": seconds_text(run.time_s),
        "delay, median": seconds_text(run.delay.median_s),
        "delay, 99 %": seconds_text(run.delay.p99_s),
        "busiest": run.busiest_words,
        "messages": count_text(run.counts["messages"]),
        "simulated in": seconds_text(run.wall_s),
        "memory": bytes_text(run.peak_rss_bytes),
    }
