"""The recording behind a replay: its figures, call sites and wait states, and its times beside those of the replay."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any

from tradewind.config.data_file import content_of
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import is_pattern
from tradewind.inspection.comparison import Comparison, Replayed, compare
from tradewind.inspection.summary import CallRow, Inspection, WaitRow, inspect
from tradewind.report.page.markup import Cell, sortable_table
from tradewind.report.page.recorded import recorded_figures
from tradewind.report.page.texts import counted, percent_text, time_text
from tradewind.results.run_result import RunResult
from tradewind.trace_file import Trace, read_trace
from tradewind.trace_formats.recognition import as_trace
from tradewind.units import decimal_bytes_text

_MOST_ROWS = 12
_MOST_REPLAYS = 6
# A larger file takes longer than a report should.
_MOST_BYTES = 64 * 2**20


def replay_section(
    runs: Sequence[RunResult],
    recording: Path | None,
    place: Callable[[dict[str, Any]], str],
) -> str:
    """Returns the section on the recording that runs have replayed; "" without any.

    Args:
        runs: The finished runs of an experiment.
        recording: The trace that the experiment names; None if it names none, or several.
        place: Makes the element of the page that holds a figure.
    """
    own = [run for run in runs if run.spec.program.name == "trace"]
    if not own or recording is None:
        return ""
    return "\n".join(["<h3>Recorded program</h3>", *_of_trace(recording, own, place)])


def _of_trace(
    path: Path, runs: Sequence[RunResult], place: Callable[[dict[str, Any]], str]
) -> Iterator[str]:
    try:
        trace = _read(path, str(content_of(runs[0].spec.program["trace"])))
        found = inspect(trace)
        compared = _compared(trace, found, runs)
    except (ConfigError, TraceError) as error:
        reason = str(error).removeprefix(f"{path}: ")
        yield f"<p>{escape(path.name)}: {escape(reason)}.</p>"
        return
    yield f"<p>{escape(_headline(path.name, found))}</p>"
    yield from map(place, recorded_figures(found))
    if compared is not None:
        yield _check(compared)
    else:
        yield _sites(found.by_site)
    if found.waits:
        yield _waits(found.waits)
    elif found.waits is not None:
        yield "<p>No call waits for another rank in the recording.</p>"
    if found.waits is None:
        yield "<p>The recording has too many calls to find their wait states.</p>"


def _read(path: Path, digest: str) -> Trace:
    """Reads a recording in any format.

    Args:
        path: The file.
        digest: What the replay knows of its content.

    Raises:
        ConfigError: If it is gone, changed, too large, or a pattern, which has no recorded times.
        TraceError: If it cannot be read.
    """
    if not path.exists():
        raise ConfigError("the recording is not here any more, so that its call sites are left out")
    if is_pattern(path):
        raise ConfigError("a pattern has no recorded times")
    file = as_trace(path)
    if file.stat().st_size > _MOST_BYTES:
        raise ConfigError("the recording is large: tradewind inspect tells its call sites")
    with file.open("rb") as content:
        if hashlib.file_digest(content, "sha256").hexdigest()[:16] != digest:
            raise ConfigError("the recording has changed since it was replayed")
    return read_trace(file)


def _headline(name: str, found: Inspection) -> str:
    times = found.per_rank
    recorded = float(times.total_s.max(initial=0.0))
    share = float(times.share.mean()) if len(times.share) else 0.0
    waits = float(times.wait_s.sum() / times.inside_s.sum()) if times.inside_s.sum() > 0 else 0.0
    doubts = "" if found.facts.get("complete", True) else "; the recording is incomplete"
    return (
        f"{name}: {counted(found.calls, 'call')} on {counted(found.ranks, 'rank')},"
        f" {counted(int(found.pairs.messages.sum()), 'message')} with"
        f" {decimal_bytes_text(float(found.pairs.bytes.sum()))}. The recorded time is"
        f" {time_text(recorded)}; {percent_text(share)} of it is MPI, of which"
        f" {percent_text(waits)} are wait states{doubts}."
    )


def _compared(trace: Trace, found: Inspection, runs: Sequence[RunResult]) -> Comparison | None:
    """Returns recorded and replayed times by call site; None if no replay has told them apart."""
    replays = [
        Replayed(_label(run), run.time_s, {phase.name: phase.mean_s for phase in run.phases})
        for run in runs
        if run.spec.program.get("phases") == "sites"
    ]
    if not replays:
        return None
    recorded_s = float(found.per_rank.total_s.max(initial=0.0))
    return compare(trace, recorded_s, replays[:_MOST_REPLAYS])


def _label(run: RunResult) -> str:
    return ", ".join(map(str, run.parameters.values())) or run.machine


def _check(compared: Comparison) -> str:
    head = ["call", "call site", "calls", "recorded", *compared.machines]
    rows = [
        [
            Cell(row.call, row.call),
            Cell(row.site or "unknown", row.site),
            Cell(str(row.count), row.count),
            *(Cell(time_text(time), time) for time in (row.recorded_s, *row.replayed_s)),
        ]
        for row in compared.sites[:_MOST_ROWS]
    ]
    caption = "Time by call site, recorded and replayed, summed over the ranks"
    return sortable_table(head, rows, caption + _cut(len(compared.sites)))


def _sites(sites: Sequence[CallRow]) -> str:
    head = ["call", "call site", "calls", "bytes", "time inside", "share"]
    rows = [
        [Cell(row.call, row.call), Cell(row.site or "unknown", row.site), *_numbers(row)]
        for row in sites[:_MOST_ROWS]
    ]
    caption = "Recorded time by call site, summed over the ranks"
    return sortable_table(head, rows, caption + _cut(len(sites)))


def _numbers(row: CallRow) -> list[Cell]:
    return [
        Cell(str(row.count), row.count),
        Cell(decimal_bytes_text(row.bytes), row.bytes),
        Cell(time_text(row.time_s), row.time_s),
        Cell(percent_text(row.share), row.share),
    ]


def _waits(waits: Sequence[WaitRow]) -> str:
    head = ["wait state", "call", "call site", "calls", "time", "share"]
    rows = [
        [
            Cell(row.state, row.state),
            Cell(row.call, row.call),
            Cell(row.site or "unknown", row.site),
            Cell(str(row.count), row.count),
            Cell(time_text(row.time_s), row.time_s),
            Cell(percent_text(row.share), row.share),
        ]
        for row in waits[:_MOST_ROWS]
    ]
    caption = (
        "Wait states of the recording: time that calls lose by other ranks, summed over the ranks"
    )
    return sortable_table(head, rows, caption + _cut(len(waits)))


def _cut(count: int) -> str:
    return f"; the {_MOST_ROWS} longest of {count}" if count > _MOST_ROWS else ""
