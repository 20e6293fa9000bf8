"""The time line of a run in the Chrome trace format, which Perfetto and chrome://tracing open."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tradewind.errors import Error
from tradewind.runs.results import Array, Run
from tradewind.runs.store import write_atomically

_PS_PER_US = 1e6


def export(run: Run, path: Path) -> Path:
    """Writes the phases of every rank and every message.

    Args:
        run: A run with `simulation.timeline = true`.
        path: A .json file.

    Raises:
        Error: If the run has no time line.
    """
    timeline = run.timeline
    if timeline is None:
        raise Error("this run has no time line: set simulation.timeline = true")
    names = [str(name) for name in run.raw.get("phase_names", timeline.get("phase_names", []))]
    events = [*_process_names(run), *_phases(timeline, names, run.time_s), *_messages(timeline)]
    text = json.dumps({"displayTimeUnit": "ns", "traceEvents": events}, separators=(",", ":"))
    write_atomically(path, lambda file: file.write(text.encode()))
    return path


def _process_names(run: Run) -> Iterator[dict[str, Any]]:
    what = f"{run.spec['program']['name']} on {run.machine}, {run.ranks} ranks"
    for process, name in ((0, f"ranks: {what}"), (1, f"messages: {what}")):
        yield {"ph": "M", "pid": process, "name": "process_name", "args": {"name": name}}


def _phases(
    timeline: Mapping[str, Array], names: Sequence[str], end_s: float
) -> Iterator[dict[str, Any]]:
    """A slice from each mark of a rank to its next one."""
    ranks = np.asarray(timeline["phase_rank"])
    starts = np.asarray(timeline["phase_ps"]) / _PS_PER_US
    kinds = np.asarray(timeline["phase_name"])
    order = np.lexsort((starts, ranks))
    for here, after in zip(order, [*order[1:], -1], strict=True):
        same = after >= 0 and ranks[after] == ranks[here]
        end = float(starts[after]) if same else end_s * 1e6
        yield {
            "ph": "X",
            "pid": 0,
            "tid": int(ranks[here]),
            "name": names[int(kinds[here])],
            "ts": float(starts[here]),
            "dur": max(0.0, end - float(starts[here])),
        }


def _messages(timeline: Mapping[str, Array]) -> Iterator[dict[str, Any]]:
    """Messages of one rank overlap, so each is an asynchronous pair of events."""
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
