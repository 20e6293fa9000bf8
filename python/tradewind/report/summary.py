"""The summary of a sweep in Markdown: runs, results, failures and pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tradewind import core
from tradewind.runs.run import Run, RunSet
from tradewind.units import bytes_text, count_text, seconds_text

_COLUMNS = (
    "simulated time",
    "delay, median",
    "delay, 99 %",
    "busiest",
    "messages",
    "packet-hops",
    "took",
    "memory",
)


def summary_text(runs: RunSet, pictures: Sequence[Path] = ()) -> str:
    """Writes the summary.

    Args:
        runs: The runs.
        pictures: Picture files, to be shown; paths relative to the place of the summary.

    Returns:
        Markdown.
    """
    lines = [f"# {runs.experiment.title}", ""]
    for text in runs.experiment.about.words:
        lines += [text, ""]
    total = seconds_text(sum(run.wall_s for run in runs))
    made = f"{len(runs)} runs of `{runs.experiment.name}`, tradewind {core.load().version}, {total} in all."
    lines += [made, "", *_table(runs), ""]
    if runs.failures:
        lines += ["## Failed", ""]
        lines += [
            f"- {entry.member.label}: {entry.kind}: {entry.message}" for entry in runs.failures
        ]
        lines += [""]
    for picture in pictures:
        lines += [f"![{picture.stem}]({picture.as_posix()})", ""]
    return "\n".join(lines)


def _table(runs: RunSet) -> list[str]:
    names = [axis.name for axis in runs.axes] or ["program", "ranks"]
    header = [*names, *_COLUMNS]
    align = ["---:" if column in _COLUMNS else "---" for column in header]
    rows = [_cells(run, names) for run in runs]
    return ["| " + " | ".join(row) + " |" for row in (header, align, *rows)]


def _cells(run: Run, names: Sequence[str]) -> list[str]:
    fallback = {"program": run.spec.program.name, "ranks": run.ranks}
    parameters = [str(run.parameters.get(name, fallback.get(name, ""))) for name in names]
    delay = run.delay
    return [
        *parameters,
        seconds_text(run.time_s),
        seconds_text(delay.median_s),
        seconds_text(delay.p99_s),
        run.busiest_words,
        count_text(run.counts["messages"]),
        count_text(run.counts["packet_hops"]),
        seconds_text(run.wall_s),
        bytes_text(run.peak_rss_bytes),
    ]
