"""The time line of a run in the Chrome trace format, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from tradewind.errors import Error
from tradewind.files import write_atomically
from tradewind.results.run_result import Array, RunResult

_PS_PER_US = 1e6


def export(run: RunResult, path: Path) -> Path:
    """Writes the phases of the program, those of every rank, and every message.

    Args:
        run: A run with `simulation.timeline = true`.
        path: A .json file.

    Raises:
        Error: If the run has no time line.
    """
    timeline = run.timeline
    if timeline is None:
        raise Error("this run has no time line: set simulation.timeline = true")
    events = [*_process_names(run), *_phases(run), *_messages(timeline)]
    if run.phase_marks is not None:
        events += _phases_of_ranks(run, run.phase_marks)
    text = json.dumps({"displayTimeUnit": "ns", "traceEvents": events}, separators=(",", ":"))
    write_atomically(path, lambda file: file.write(text.encode()))
    return path


def _process_names(run: RunResult) -> Iterator[dict[str, Any]]:
    what = f"{run.spec.program.name} on {run.machine}, {run.ranks} ranks"
    for process, name in ((0, "phases"), (1, "messages"), (2, "ranks")):
        yield {
            "ph": "M",
            "pid": process,
            "name": "process_name",
            "args": {"name": f"{name}: {what}"},
        }


def _phases(run: RunResult) -> Iterator[dict[str, Any]]:
    """Yields a slice per phase, from the first rank that starts it to the last one that ends it.

    The phases of ranks that run ahead overlap those of the others, so each has a track of its own.
    """
    for track, phase in enumerate(run.phases):
        yield {
            "ph": "X",
            "pid": 0,
            "tid": track,
            "name": phase.name,
            "ts": phase.start_s * 1e6,
            "dur": (phase.end_s - phase.start_s) * 1e6,
            "args": {"mean_us": phase.mean_s * 1e6},
        }


def _phases_of_ranks(run: RunResult, marks: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
    """Yields a track for each rank, with its phases one after the other."""
    names = [phase.name for phase in run.phases]
    for rank in sorted({int(rank) for rank in marks["rank"]}):
        label = {"name": f"rank {rank}"}
        yield {"ph": "M", "pid": 2, "tid": rank, "name": "thread_name", "args": label}
    columns = [marks[name] for name in ("rank", "phase", "begin_ps", "end_ps")]
    for rank, phase, begin, end in zip(*columns, strict=True):
        yield {
            "ph": "X",
            "pid": 2,
            "tid": int(rank),
            "name": names[int(phase)],
            "ts": float(begin) / _PS_PER_US,
            "dur": float(end - begin) / _PS_PER_US,
        }


def _messages(timeline: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
    """Yields messages as asynchronous pairs of events, since those of one rank overlap."""
    columns = [
        timeline[name]
        for name in ("source", "destination", "bytes", "sent_ps", "arrived_ps", "delay_ps")
    ]
    for number, (source, destination, size, sent, arrived, delay) in enumerate(
        zip(*columns, strict=True)
    ):
        common = {
            "cat": "message",
            "id": number,
            "pid": 1,
            "tid": int(source),
            "name": f"{int(source)} to {int(destination)}",
        }
        about = {"bytes": int(size), "delay_us": float(delay) / _PS_PER_US}
        yield {"ph": "b", "ts": float(sent) / _PS_PER_US, "args": about, **common}
        yield {"ph": "e", "ts": float(arrived) / _PS_PER_US, **common}
