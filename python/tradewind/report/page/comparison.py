"""The table that compares the runs of a sweep: speed-up, efficiency and ratio to the fastest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from tradewind.report.page.markup import Cell, sortable_table
from tradewind.report.page.sweep_times import SweepTimes, label_text
from tradewind.report.page.texts import time_text

_MOST_ROWS = 2000
_NOTHING = Cell("\N{EN DASH}", None)


def comparison(sweep: SweepTimes) -> str:
    """Returns the table with every run, of several seeds the median; "" for less than two.

    Args:
        sweep: The times.
    """
    count = sum(map(len, sweep.series.values()))
    if count < 2:
        return ""
    has_series = len(sweep.series) > 1
    head = [sweep.subject if has_series else "", sweep.right, "simulated time"]
    head = [title for title in head if title]
    told = []
    if sweep.is_ranks:
        head += ["speed-up", "efficiency"]
        told.append(
            f"speed-up against the fewest ranks of a series{_of_those(sweep)}; efficiency is the"
            " speed-up over the growth of the ranks"
        )
    if has_series:
        head.append("ratio")
        same = f" at the same {sweep.right}" if sweep.right else ""
        told.append(f"ratio to the fastest{same}")
    if count > _MOST_ROWS:
        told.append(f"the first {_MOST_ROWS} of {count} runs, the others are in results.nc")
    caption = "; ".join(told)
    rows = list(islice(_rows(sweep), _MOST_ROWS))
    return sortable_table(head, rows, f"{caption[:1].upper()}{caption[1:]}")


def _of_those(sweep: SweepTimes) -> str:
    """Says which runs count for a speed-up where a series begins with a time of zero."""
    first = (next(iter(times.values()), 1.0) for times in sweep.series.values())
    return "" if all(time > 0 for time in first) else " whose time is above zero"


def _rows(sweep: SweepTimes) -> Iterator[list[Cell]]:
    has_series = len(sweep.series) > 1
    for name, times in sweep.series.items():
        for label, time in times.items():
            row = [Cell(name, name)] if has_series else []
            row += [Cell(label_text(label), _place(sweep, label))] if sweep.right else []
            row.append(Cell(time_text(time), time))
            if sweep.is_ranks:
                row += _speed_up(times, label)
            if has_series:
                row.append(_ratio(sweep, label, time))
            yield row


def _place(sweep: SweepTimes, label: Any) -> float | str:
    """Returns what rows are sorted by: quantities such as "1 KiB" by their size."""
    return float(sweep.labels.index(label)) if sweep.is_ordered else str(label)


def _speed_up(times: Mapping[Any, float], label: Any) -> list[Cell]:
    """Returns speed-up and efficiency; none where a time is zero."""
    first = next((one for one, time in times.items() if time > 0), None)
    if first is None or times[label] <= 0:
        return [_NOTHING, _NOTHING]
    speed_up = times[first] / times[label]
    share = speed_up * first / label
    return [Cell(f"{speed_up:.3g}", speed_up), Cell(f"{100 * share:.3g} %", share)]


def _ratio(sweep: SweepTimes, label: Any, time: float) -> Cell:
    """Returns the time over that of the fastest series; none for a series that has no rival there."""
    times = sweep.at(label)
    least = min(times.values())
    if len(times) < 2 or (least <= 0 < time):
        return _NOTHING
    ratio = time / least if least > 0 else 1.0
    return Cell(f"{ratio:.3g}", ratio)
