"""The findings of a sweep in sentences: what was asked, who is fastest where, what limits it, what it cost."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config.axes import SEEDS
from tradewind.plots.style import words
from tradewind.report.page.comparison import comparison
from tradewind.report.page.selection import first_seed, labels
from tradewind.report.page.settings import OWN_MACHINE
from tradewind.report.page.sweep_times import SweepTimes, label_text, ranks_text, sweep_times
from tradewind.report.page.texts import counted, time_text
from tradewind.results.resources import Resource
from tradewind.units import bytes_text

if TYPE_CHECKING:
    import xarray

# Times that differ by less are called equal.
_EQUAL = 0.01
# A resource that is busy for this share of the time limits the run.
_ROUNDING = 1e-9
_LIMITING = 0.7
# A time that grows by this factor from one number of ranks to the next is a jump.
_JUMP = 3.0
_MOST_LABELS = 6
# A smaller share of a critical path is not worth a word.
_WORTH_SAYING = 0.05


def findings_section(data: xarray.Dataset) -> str:
    """Returns the summary of a sweep and its comparison table; empty for data of another kind."""
    if not _has_runs(data):
        return ""
    sweep = sweep_times(data)
    items = "".join(f"<li>{escape(sentence)}</li>" for sentence in _sentences(data, sweep))
    return f'<h3>Summary</h3><ul class="summary">{items}</ul>{comparison(sweep)}'


def findings(data: xarray.Dataset) -> list[str]:
    """Returns the summary of a sweep in sentences; empty for data without runs of ours.

    Args:
        data: The data set, with one dimension per swept key.
    """
    return _sentences(data, sweep_times(data)) if _has_runs(data) else []


def _has_runs(data: xarray.Dataset) -> bool:
    return "time_s" in data and "hash" in data and bool(data["time_s"].notnull().any())


def _sentences(data: xarray.Dataset, sweep: SweepTimes) -> list[str]:
    told = [*_asked(data), *_results(sweep), *_jumps(data, sweep), *_limits(data)]
    return [*told, *_paths(data), *_cost(data)]


def _asked(data: xarray.Dataset) -> Iterator[str]:
    """Yields what was simulated, and what was varied."""
    time = data["time_s"]
    varied = []
    for dim in map(str, time.dims):
        names = labels(time, dim)
        if len(names) < 2:
            continue
        if dim in SEEDS:
            varied.append(f"{len(names)} seeds, of which the median counts")
        elif len(names) <= _MOST_LABELS:
            varied.append(f"{words(dim)} {', '.join(map(label_text, names))}")
        else:
            varied.append(
                f"{len(names)} values of {words(dim)} from {label_text(names[0])} to"
                f" {label_text(names[-1])}"
            )
    runs = counted(int(time.notnull().sum()), "run")
    yield f"{runs}{_subject(data)}{': ' if varied else ''}{'; '.join(varied)}."


def _subject(data: xarray.Dataset) -> str:
    """Returns program, number of ranks and machine in words, as far as they do not vary."""
    time = data["time_s"]
    varied = {str(dim) for dim in time.dims if time.sizes[dim] > 1}
    told = ""
    program, machine = (str(data.attrs.get(name, "")) for name in ("program", "machine"))
    if program and "program" not in varied:
        told += f" of {program}"
    counts = (
        {int(n) for n in data["ranks"].values[time.notnull().values]} if _has_ranks(data) else ()
    )
    if len(counts) == 1 and "ranks" not in varied:
        told += f" on {ranks_text(*counts)}"
    if machine and machine != OWN_MACHINE and "machine" not in varied:
        told += f", machine {machine}"
    return told


def _has_ranks(data: xarray.Dataset) -> bool:
    return "ranks" in data.data_vars and data["ranks"].dims == data["time_s"].dims


def _results(sweep: SweepTimes) -> Iterator[str]:
    """Yields who is fastest where."""
    if not sweep.right and len(sweep.series) == 1:
        (times,) = sweep.series.values()
        yield f"The simulated time is {time_text(times[''])}."
    elif len(sweep.series) == 1:
        yield _trend(sweep, next(iter(sweep.series.values())))
    else:
        yield from _winners(sweep)


def _trend(sweep: SweepTimes, times: Mapping[Any, float]) -> str:
    """Returns how the time changes along the dimension."""
    first, last = next(iter(times)), list(times)[-1]
    begin, end = times[first], times[last]
    best = min(times, key=lambda label: times[label])
    told = f"The simulated time is {time_text(begin)} {sweep.place(first)}"
    if last == first:
        return f"{told}."
    told += f" and {time_text(end)} {sweep.place(last)}"
    if sweep.is_ranks and begin > 0 and end > 0:
        ratio, words = (begin / end, "fast") if end < begin else (end / begin, "long")
        told += f": {ratio:.3g} times as {words} with {last / first:.3g} times as many ranks"
    if best not in (first, last):
        told += f"; it is least {sweep.place(best)}, {time_text(times[best])}"
    return f"{told}."


def _winners(sweep: SweepTimes) -> Iterator[str]:
    """Yields the fastest series, one sentence for neighbouring labels with the same one."""

    def fastest(label: Any) -> tuple[str, ...]:
        times = sweep.at(label)
        least = min(times.values())
        return tuple(sorted(one for one, time in times.items() if time <= least * (1 + _EQUAL)))

    def rivals(label: Any) -> tuple[str, ...]:
        """Returns nobody where one series stands alone, which is no contest."""
        return fastest(label) if len(sweep.at(label)) > 1 else ()

    for names, group in groupby(sweep.labels, rivals):
        if names:
            yield _winner(sweep, names, list(group))


def _winner(sweep: SweepTimes, names: tuple[str, ...], where: Sequence[Any]) -> str:
    """Returns who is the fastest at neighbouring labels, and by how much."""
    place = sweep.place(*where)
    verb = "is the fastest" if len(names) == 1 else "are equally fast"
    told = f"{place[:1].upper()}{place[1:]} {' and '.join(names)} {verb}".strip()
    rest = [
        {one: time for one, time in sweep.at(label).items() if one not in names} for label in where
    ]
    least = [min(sweep.at(label).values()) for label in where]
    ratios = [
        (min(times.values()) / one, max(times.values()) / one)
        for times, one in zip(rest, least, strict=True)
        if times and one > 0
    ]
    if len(ratios) == len(where):
        seconds = list(dict.fromkeys(next(iter(times)) for times in rest))
        told += f": {_range([low for low, _ in ratios])} times as fast as the next"
        told += f" ({' or '.join(seconds)})" if len(seconds) <= 2 else ""
        if any(len(times) > 1 for times in rest):
            told += f", {_range([high for _, high in ratios])} times as fast as the slowest"
    return f"{told}."


def _jumps(data: xarray.Dataset, sweep: SweepTimes) -> Iterator[str]:
    """Yields where more ranks take several times as long, and how busy the machine is there."""
    if not sweep.is_ranks:
        return
    for name, times in sweep.series.items():
        for before, after in pairwise(times):
            ratio = times[after] / times[before] if times[before] > 0 else 0.0
            if ratio < _JUMP:
                continue
            told = f"On {after} ranks {name or 'the program'} takes {ratio:.3g} times as long as on {before}"
            busy = _busiest_of(data, sweep.where[name, after])
            if busy is not None:
                told += (
                    f", and its busiest resource ({busy.words}) is busy for {busy.busy} of the time"
                )
                told += "" if busy.utilisation >= _LIMITING else ": messages wait for each other"
            yield f"{told}. tradewind explain tells more."


def _busiest_of(data: xarray.Dataset, where: Mapping[str, Any]) -> Resource | None:
    """Returns the busiest resource of a run of the first seed."""
    if "class_utilisation_max" not in data:
        return None
    used = first_seed(data["class_utilisation_max"]).sel(where)
    if not bool(used.notnull().any()):
        return None
    busiest = float(used.max())
    if "busiest_utilisation" in data:
        busiest = float(first_seed(data["busiest_utilisation"]).sel(where))
    return _busiest_resource(labels(used, "link_class"), used.fillna(-1.0).values, busiest)


def _limits(data: xarray.Dataset) -> Iterator[str]:
    """Yields how busy the busiest resources are."""
    if "busiest_utilisation" not in data:
        return
    busiest = data["busiest_utilisation"].where(data["time_s"].notnull())
    most = float(busiest.max())
    if not np.isfinite(most):
        return
    limited, runs = int((busiest >= _LIMITING).sum()), int(busiest.notnull().sum())
    if limited:
        verb = "is" if limited == 1 else "are"
        which = f"The run {verb}" if runs == 1 else f"{limited} of {runs} runs {verb}"
        yield (
            f"{which} limited by a resource that is busy for {100 * _LIMITING:.0f} % of the time or"
            f" more{_limiting(data)}; the busiest is so for {100 * most:.0f} % of the time."
        )
    else:
        busy = max(math.ceil(100 * most - 1e-9), 1)
        yield (
            f"No link, interface or memory is busy for more than {busy} % of the"
            f" time{_busiest(data)}: latencies, waits, overheads or computation decide."
            f"{'' if 'path_s' in data else ' tradewind explain tells which.'}"
        )


def _limiting(data: xarray.Dataset) -> str:
    """Returns the resources that limit runs, with the number of their runs, in brackets."""
    found = _busiest_names(data, _LIMITING)
    told = [
        words + (f": {counted(count, 'run')}" if data["time_s"].size > 1 else "")
        for words, count in found.most_common()
    ]
    return f" ({'; '.join(told)})" if told else ""


def _busiest(data: xarray.Dataset) -> str:
    """Returns the busiest resource of all runs in brackets."""
    found = _busiest_names(data, float(data["busiest_utilisation"].max()))
    return f" (the busiest: {' or '.join(found)})" if found else ""


def _busiest_names(data: xarray.Dataset, least: float) -> Counter[str]:
    """Returns the busiest resources of runs in which one is busy for this share of the time, in words."""
    inner = "link_class"
    if "class_utilisation_max" not in data or least <= 0:
        return Counter()
    used = data["class_utilisation_max"].where(data["busiest_utilisation"] >= least)
    names = labels(used, inner)
    rows = np.nan_to_num(used.transpose(..., inner).values.reshape(-1, len(names)), nan=-1.0)
    dims = [dim for dim in used.dims if dim != inner]
    all_busy = data["busiest_utilisation"].transpose(*dims).values.reshape(-1)
    return Counter(
        _busiest_resource(names, row, float(busy)).words
        for row, busy in zip(rows, all_busy, strict=True)
        if row.max() >= 0
    )


def _busiest_resource(names: Sequence[Any], used: Any, busiest: float) -> Resource:
    """Returns the busiest resource: a class of links, or the processor if no class is so busy."""
    at = int(used.argmax())
    is_class = float(used[at]) >= busiest - _ROUNDING
    return Resource(str(names[at]) if is_class else "processor", busiest, 0.0)


def _paths(data: xarray.Dataset) -> Iterator[str]:
    """Yields what takes most of the critical paths that are known."""
    inner = "path_kind"
    if "path_s" not in data:
        return
    names = [words(str(name)) for name in labels(data["path_s"], inner)]
    rows = data["path_s"].transpose(..., inner).values.reshape(-1, len(names))
    known = rows[np.isfinite(rows).all(axis=1) & (rows.sum(axis=1) > 0)]
    if len(known) == 1:
        shares = known[0] / known[0].sum()
        order = [index for index in np.argsort(-shares) if shares[index] >= _WORTH_SAYING]
        parts = [f"{names[index]} for {100 * shares[index]:.0f} %" for index in order[:3]]
        yield f"The critical path is {', '.join(parts)} of the time."
    elif len(known):
        found = Counter(names[int(row.argmax())] for row in known)
        parts = [f"{name} in {counted(count, 'run')}" for name, count in found.most_common()]
        yield (
            f"The largest part of the critical path is {', '.join(parts)}"
            f"{f' ({len(known)} of {len(rows)} runs are known)' if len(known) < len(rows) else ''}."
        )


def _cost(data: xarray.Dataset) -> Iterator[str]:
    """Yields what the simulation took."""
    if "cpu_s" in data and "peak_rss_bytes" in data:
        told = f"Simulating took {time_text(float(data['cpu_s'].sum()))} of processor time"
        if "wall_s" in data and data["wall_s"].size > 1:
            told += f", the longest run {time_text(float(data['wall_s'].max()))} of real time"
        yield f"{told}, and at most {bytes_text(int(data['peak_rss_bytes'].max()))} of memory."


def _range(values: Sequence[float]) -> str:
    low, high = f"{min(values):.3g}", f"{max(values):.3g}"
    return low if low == high else f"{low} to {high}"
