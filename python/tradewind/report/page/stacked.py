"""Stacked bars of each run: its time by phase of the program, and by what the critical path is made of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.plots.style import words
from tradewind.report.page.selection import SIZE, first_seed, labels, rounded, slices
from tradewind.report.page.sweep_times import label_text, ranks_text
from tradewind.results.critical_path import MEANINGS
from tradewind.results.run_result import Array

if TYPE_CHECKING:
    import xarray

# The first view shows all runs up to this number, else those with the most ranks.
_MOST_BARS = 24
_MOST_PARTS = 30
_NEGLIGIBLE = 1e-4
_ALL = "all runs"
_REST = "outside phases, and waiting for the last rank"


@dataclass(frozen=True)
class _Bar:
    """The time of one run, cut into parts.

    Args:
        series: What distinguishes it beside the number of ranks.
        ranks: The number of ranks; None if it does not vary.
        parts_s: The time of each part in s.
    """

    series: str
    ranks: int | None
    parts_s: Array

    @property
    def label(self) -> str:
        """Series and ranks in words."""
        texts = [self.series, "" if self.ranks is None else ranks_text(self.ranks)]
        return ", ".join(filter(None, texts)) or "the run"


def phases(data: xarray.Dataset) -> dict[str, Any] | None:
    """Returns the mean time of a rank in each phase of the program."""
    if "phase_time_s" not in data:
        return None
    bars = list(_bars(data["phase_time_s"], "phase", data["time_s"]))
    names = [*map(str, labels(data["phase_time_s"], "phase")), _REST]
    note = "Mean over the ranks; the parts add up to the simulated time."
    return _figure("phases", "Time by phase", names, bars, note)


def critical_paths(data: xarray.Dataset) -> dict[str, Any] | None:
    """Returns what the critical path of each run is made of."""
    if "path_s" not in data:
        return None
    bars = list(_bars(data["path_s"], "path_kind"))
    names = list(map(str, labels(data["path_s"], "path_kind")))
    late = (
        "A rank that waits for a late partner has no part of its own: the path goes on at the"
        " partner."
    )
    figure = _figure("path", "Critical path", list(map(words, names)), bars, late)
    if figure is not None:
        drawn = {trace["name"] for view in figure["views"].values() for trace in view["traces"]}
        meanings = "; ".join(
            f"{words(name)}: {MEANINGS[name]}"
            for name in names
            if words(name) in drawn and name in MEANINGS
        )
        figure["note"] = f"{meanings[:1].upper()}{meanings[1:]}. {late}"
    return figure


def _bars(
    values: xarray.DataArray, inner: str, whole: xarray.DataArray | None = None
) -> Iterator[_Bar]:
    """Yields the runs of the first seed; with `whole`, the rest of it is one more part."""
    values = first_seed(values)
    total = None if whole is None else first_seed(whole)
    dims = tuple(str(dim) for dim in values.dims if dim != inner)
    for key, part in slices(values, dims):
        if not bool(part.notnull().any()):
            continue
        parts = np.nan_to_num(np.asarray(part.values, dtype=float))
        place = dict(zip(dims, key, strict=True))
        if total is not None:
            parts = np.append(parts, max(float(total.sel(place)) - parts.sum(), 0.0))
        size = place.pop(SIZE, None)
        yield _Bar(", ".join(map(label_text, place.values())), size, parts)


def _figure(
    kind: str, title: str, names: Sequence[str], bars: Sequence[_Bar], note: str
) -> dict[str, Any] | None:
    groups = _groups(bars)
    views: dict[str, dict[str, Any]] = {}
    for group, shown in groups.items():
        for quantity, unit in (("time", "s"), ("share of the time", "%")):
            traces = list(_traces(names, shown, unit))
            if traces:
                views[f"{group}\n{quantity}"] = {
                    "x": {"title": "run", "unit": "", "log": False, "category": True},
                    "y": {"title": quantity, "unit": unit, "log": False},
                    "traces": traces,
                    "stacked": True,
                }
    if not views:
        return None
    first = next(iter(views.values()))
    parts = [trace["name"] for trace in first["traces"]]
    alt = (
        f"{title}: stacked bars of {len(first['traces'][0]['x'])} runs, parts:"
        f" {'; '.join(parts[:6])}{' and others' if len(parts) > 6 else ''}. All values are in the"
        " table below the figure."
    )
    quantities = ["time", "share of the time"]
    selects = [
        {"label": "runs", "options": list(groups)},
        {"label": "quantity", "options": quantities},
    ]
    return {
        "id": kind,
        "kind": "lines",
        "title": title,
        "alt": alt,
        "note": note,
        "parts": "Parts",
        "selects": selects,
        "views": views,
    }


def _groups(bars: Sequence[_Bar]) -> Mapping[str, Sequence[_Bar]]:
    """Returns the choices of runs: all, those of each number of ranks, those of each series."""
    sizes = sorted({bar.ranks for bar in bars if bar.ranks is not None}, reverse=True)
    series = list(dict.fromkeys(bar.series for bar in bars))
    groups: dict[str, Sequence[_Bar]] = {}
    if len(bars) <= _MOST_BARS:
        groups[_ALL] = sorted(bars, key=lambda bar: (series.index(bar.series), bar.ranks or 0))
    if len(sizes) > 1 and len(series) > 1:
        for size in sizes:
            groups[ranks_text(size)] = [bar for bar in bars if bar.ranks == size][:_MOST_BARS]
    if len(series) > 1 and len(sizes) > 1:
        for name in series:
            own = sorted(
                (bar for bar in bars if bar.series == name), key=lambda bar: bar.ranks or 0
            )
            groups[name] = own[-_MOST_BARS:]
    return groups or {f"the first {_MOST_BARS} of {len(bars)} runs": bars[:_MOST_BARS]}


def _traces(names: Sequence[str], bars: Sequence[_Bar], unit: str) -> Iterator[dict[str, Any]]:
    """Yields a trace for each part that takes time anywhere; the smaller ones of many are summed up."""
    values = np.array([bar.parts_s for bar in bars]).T
    totals = values.sum(axis=0)
    if unit == "%":
        values = np.divide(values, totals, out=np.zeros_like(values), where=totals > 0)
    most = np.divide(values, values.sum(axis=0), out=np.zeros_like(values), where=totals > 0)
    kept = [i for i in range(len(names)) if most[i].max(initial=0.0) > _NEGLIGIBLE]
    rest: list[int] = []
    if len(kept) > _MOST_PARTS:
        largest = sorted(kept, key=lambda i: -values[i].max())[: _MOST_PARTS - 1]
        rest = [i for i in kept if i not in largest]
        kept = [i for i in kept if i in largest]
    shared = [bar.label for bar in bars]
    for i in kept:
        yield {"name": names[i], "x": shared, "y": rounded(values[i]), "mode": "bars"}
    if rest:
        summed = rounded(values[rest].sum(axis=0))
        yield {"name": f"{len(rest)} more", "x": shared, "y": summed, "mode": "bars"}
