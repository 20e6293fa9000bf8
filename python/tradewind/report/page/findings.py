"""The findings of a sweep in sentences and in one table: who is fastest where, what limits it, what it cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config.axes import SEEDS
from tradewind.plots.style import words
from tradewind.report.page.markup import Cell, sortable_table
from tradewind.report.page.selection import SIZE, across, by_series, first_seed, labels
from tradewind.units import bytes_text, seconds_text

if TYPE_CHECKING:
    import xarray

# Times that differ by less are called equal.
_EQUAL = 0.01
# A resource that is busy for this share of the time limits the run.
_LIMITING = 0.7
_MOST_LABELS = 6
_MOST_ROWS = 2000


@dataclass(frozen=True)
class _Sweep:
    """Simulated times of the first seed: of each series, by the label along one dimension.

    Args:
        right: The dimension in words; "" if nothing varies.
        is_ranks: That dimension is the number of ranks.
        series: Times in s by series and label; series are "" if nothing else varies.
    """

    right: str
    is_ranks: bool
    series: Mapping[str, Mapping[Any, float]]

    def at(self, label: Any) -> dict[str, float]:
        """Returns the times of all series that have this label, the fastest first."""
        found = {name: times[label] for name, times in self.series.items() if label in times}
        return dict(sorted(found.items(), key=lambda one: one[1]))

    def place(self, first: Any, last: Any = None) -> str:
        """Returns labels of the dimension in words, such as "on 16 to 64 ranks"."""
        place = _label(first) if last in (None, first) else f"{_label(first)} to {_label(last)}"
        return f"on {place} ranks" if self.is_ranks else f"at {self.right} {place}"

    @property
    def labels(self) -> list[Any]:
        """All labels, in the order of the sweep."""
        return list(dict.fromkeys(label for times in self.series.values() for label in times))


def findings_section(data: xarray.Dataset) -> str:
    """Returns the summary of a sweep and its comparison table; empty for data of another kind."""
    sentences = findings(data)
    if not sentences:
        return ""
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in sentences)
    return f'<h3>Summary</h3><ul class="summary">{items}</ul>{_comparison(_sweep_of(data))}'


def findings(data: xarray.Dataset) -> list[str]:
    """Returns the summary of a sweep in sentences; empty for data without runs of ours.

    Args:
        data: The data set, with one dimension per swept key.
    """
    if "time_s" not in data or "hash" not in data or not bool(data["time_s"].notnull().any()):
        return []
    sweep = _sweep_of(data)
    return [*_asked(data), *_results(sweep), *_limits(data), *_cost(data)]


def _sweep_of(data: xarray.Dataset) -> _Sweep:
    time = first_seed(data["time_s"])
    right = across(time) if time.dims else None
    series: dict[str, dict[Any, float]] = {}
    if right is None:
        return _Sweep("", is_ranks=False, series={"": {"": float(time)}})
    for index, label in enumerate(labels(time, right)):
        # Without its label this dimension is no part of the names of series.
        for size, name, value in by_series(time.isel({right: index}, drop=True), ()):
            own = name if size is None else f"{name}, {size} ranks".removeprefix(", ")
            series.setdefault(own, {})[label] = float(value)
    return _Sweep(words(right), right == SIZE, series)


def _asked(data: xarray.Dataset) -> Iterator[str]:
    """Yields what was varied."""
    time = data["time_s"]
    varied = []
    for dim in map(str, time.dims):
        names = labels(time, dim)
        if len(names) < 2:
            continue
        if dim in SEEDS:
            varied.append(f"{len(names)} seeds")
        elif len(names) <= _MOST_LABELS:
            varied.append(f"{words(dim)} {', '.join(map(_label, names))}")
        else:
            varied.append(
                f"{len(names)} values of {words(dim)} from {_label(names[0])} to {_label(names[-1])}"
            )
    runs = int(time.notnull().sum())
    yield f"{_counted(runs, 'run')}{': ' if varied else ''}{'; '.join(varied)}."


def _results(sweep: _Sweep) -> Iterator[str]:
    """Yields who is fastest where."""
    if not sweep.right:
        yield f"The simulated time is {seconds_text(sweep.series[''][''])}."
    elif len(sweep.series) == 1:
        yield _trend(sweep, next(iter(sweep.series.values())))
    else:
        yield from _winners(sweep)


def _trend(sweep: _Sweep, times: Mapping[Any, float]) -> str:
    """Returns how the time changes along the dimension."""
    first, last = next(iter(times)), list(times)[-1]
    begin, end = times[first], times[last]
    best = min(times, key=lambda label: times[label])
    told = (
        f"The simulated time is {seconds_text(begin)} {sweep.place(first)} and"
        f" {seconds_text(end)} {sweep.place(last)}"
    )
    if sweep.is_ranks and begin > 0 and end > 0:
        ratio, words = (begin / end, "fast") if end < begin else (end / begin, "long")
        told += f": {ratio:.3g} times as {words} with {last / first:.3g} times as many ranks"
    if best not in (first, last):
        told += f"; it is least {sweep.place(best)}, {seconds_text(times[best])}"
    return f"{told}."


def _winners(sweep: _Sweep) -> Iterator[str]:
    """Yields the fastest series, one sentence for neighbouring labels with the same one."""

    def fastest(label: Any) -> tuple[str, ...]:
        times = sweep.at(label)
        least = min(times.values())
        return tuple(sorted(one for one, time in times.items() if time <= least * (1 + _EQUAL)))

    for names, group in groupby((one for one in sweep.labels if len(sweep.at(one)) > 1), fastest):
        where = list(group)
        place = sweep.place(where[0], where[-1])
        rest = [
            {one: time for one, time in sweep.at(label).items() if one not in names}
            for label in where
        ]
        verb = "is the fastest" if len(names) == 1 else "are equally fast"
        told = f"{place[:1].upper()}{place[1:]} {' and '.join(names)} {verb}"
        if all(rest):
            least = [min(sweep.at(label).values()) for label in where]
            ratios = [
                (min(times.values()) / one, max(times.values()) / one)
                for times, one in zip(rest, least, strict=True)
                if one > 0
            ]
            seconds = list(dict.fromkeys(next(iter(times)) for times in rest))
            told += f": {_range([low for low, _ in ratios])} times as fast as the next"
            told += f" ({' or '.join(seconds)})" if len(seconds) <= 2 else ""
            if any(len(times) > 1 for times in rest):
                told += f", {_range([high for _, high in ratios])} times as fast as the slowest"
        yield f"{told}."


def _limits(data: xarray.Dataset) -> Iterator[str]:
    """Yields how busy the busiest resource is."""
    if "busiest_utilisation" not in data:
        return
    busiest = data["busiest_utilisation"].where(data["time_s"].notnull())
    most = float(busiest.max())
    if not np.isfinite(most):
        return
    limited, runs = int((busiest >= _LIMITING).sum()), int(busiest.notnull().sum())
    is_link = "link_utilisation_max" in data and most <= float(data["link_utilisation_max"].max())
    what = "a link" if is_link else "an interface or a memory"
    if limited:
        which = "the run" if runs == 1 else f"{limited} of {runs} runs"
        yield (
            f"A resource that is busy for {100 * _LIMITING:.0f} % of the time or more limits"
            f" {which}; the busiest is {what}, for {100 * most:.0f} % of the time."
        )
    else:
        yield (
            f"No link, interface or memory is busy for more than {100 * most:.0f} % of the time:"
            " latencies, waits, overheads or computation decide. tradewind explain tells which."
        )


def _cost(data: xarray.Dataset) -> Iterator[str]:
    """Yields what the simulation took."""
    if "cpu_s" in data and "peak_rss_bytes" in data:
        yield (
            f"Simulating took {seconds_text(float(data['cpu_s'].sum()))} of processor time and at"
            f" most {bytes_text(int(data['peak_rss_bytes'].max()))} of memory."
        )


def _comparison(sweep: _Sweep) -> str:
    """Returns the table with speed-up, efficiency and ratio of every run of the first seed."""
    rows = list(_rows(sweep))
    if len(rows) < 2 or len(rows) > _MOST_ROWS:
        return ""
    has_series = len(sweep.series) > 1
    head = [*(["series"] if has_series else []), sweep.right, "simulated time"]
    told = []
    if sweep.is_ranks:
        head += ["speed-up", "efficiency"]
        told.append(
            "speed-up against the fewest ranks of a series; efficiency is the speed-up over the"
            " growth of the ranks"
        )
    if has_series:
        head.append("ratio")
        told.append(f"ratio to the fastest series at the same {sweep.right}")
    caption = "; ".join(told)
    return sortable_table(head, rows, f"{caption[:1].upper()}{caption[1:]}")


def _rows(sweep: _Sweep) -> Iterator[list[Cell]]:
    has_series = len(sweep.series) > 1
    for name, times in sweep.series.items():
        first = next(iter(times))
        for label, time in times.items():
            row = [Cell(name, name)] if has_series else []
            row += [Cell(_label(label), label), Cell(seconds_text(time), time)]
            if sweep.is_ranks:
                speed_up = times[first] / time if time > 0 else 0.0
                share = speed_up * first / label
                row += [Cell(f"{speed_up:.3g}", speed_up), Cell(f"{100 * share:.3g} %", share)]
            if has_series:
                least = min(sweep.at(label).values())
                ratio = time / least if least > 0 else 1.0
                row.append(Cell(f"{ratio:.3g}", ratio))
            yield row


def _label(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
