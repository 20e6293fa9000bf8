"""Interactive figures of a data set, as plain values that the page draws.

A figure of kind "lines" has selects, and a view for each choice in them. A figure of kind "heat"
has runs. Each run has panels of layers, rows and columns, and each panel has quantities.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config.axes import SEEDS, Axis
from tradewind.plots.delay import coarser
from tradewind.plots.style import words
from tradewind.report.page.selection import across, by_series, is_numeric, labels, rounded, slices
from tradewind.report.page.texts import percent_text
from tradewind.results.run_result import Array

if TYPE_CHECKING:
    import xarray

Figure = dict[str, Any]
Views = dict[tuple[str, ...], dict[str, Any]]

_UNITS = {"s": "s", "byte": "B", "1": ""}
_SMALLEST_S = 1e-9
_MOST_SERIES = 60
_MOST_VALUES = 20_000
# A share below this is not worth a word; of many series some are named.
_WORTH_SAYING = 0.005
_MOST_SAID = 6


def figures(data: xarray.Dataset) -> list[Figure]:
    """Returns every figure that the data allow."""
    from tradewind.report.page.heat import link_map, matrix
    from tradewind.report.page.stacked import critical_paths, phases

    makers: tuple[Callable[[xarray.Dataset], Figure | None], ...] = (
        scaling,
        phases,
        critical_paths,
        delays,
        waits,
        utilisation,
        link_map,
        matrix,
    )
    return [figure for maker in makers if (figure := maker(data)) is not None]


def scaling(data: xarray.Dataset) -> Figure | None:
    """Returns every quantity over ranks, or over the parameter that varies, one line per series."""
    views: Views = {}
    for name, values in _quantities(data):
        right = across(values)
        if right is None or values.sizes[right] < 2 or values.size > _MOST_VALUES:
            continue
        traces = _lines(values, right)
        if traces:
            unit = str(values.attrs.get("units", ""))
            y = _axis(name, unit, traces, "y")
            if traces[0]["mode"] == "bars":
                y["log"] = False
            views[(name,)] = {
                "x": _axis(words(right), "", traces, "x", numeric=is_numeric(values, right)),
                "y": y,
                "traces": traces[:_MOST_SERIES],
            }
    return _figure("scaling", "Scaling", ["quantity"], views)


def _quantities(data: xarray.Dataset) -> Iterator[tuple[str, xarray.DataArray]]:
    """Yields variables with one number per run; those of the phases one by one."""
    outer = set(data["time_s"].dims) if "time_s" in data else set(data.coords)
    for name, values in data.data_vars.items():
        if values.dtype.kind not in "iuf":
            continue
        title = str(values.attrs.get("long_name", words(str(name))))
        if set(values.dims) <= outer:
            yield title, values
        elif set(values.dims) - outer == {"phase"}:
            for (phase,), part in slices(values, ("phase",)):
                yield f"{phase}: {title}", part


def _lines(values: xarray.DataArray, right: str) -> list[dict[str, Any]]:
    """Returns the median of several seeds, and the distances of the extreme values from it."""
    seeds = [name for name in values.dims if name in SEEDS and name != right]
    others = tuple(str(dim) for dim in values.dims if dim != right and dim not in seeds)
    x = labels(values, right)
    # Names, such as machines, have no order that a line could follow.
    mode = "lines+markers" if Axis(right, tuple(x), ()).numbers else "bars"
    traces = []
    for key, part in slices(values, others):
        middle = part.median(seeds) if seeds else part
        y = rounded(middle.values)
        if all(value is None for value in y):
            continue
        name = ", ".join(map(str, key)) or "all runs"
        trace = {"name": name, "x": x, "y": y, "mode": mode}
        if seeds and bool((part.max(seeds) > part.min(seeds)).any()):
            trace["above"] = rounded((part.max(seeds) - middle).values)
            trace["below"] = rounded((middle - part.min(seeds)).values)
        traces.append(trace)
    return traces


def delays(data: xarray.Dataset) -> Figure | None:
    """Returns a histogram of the delays of messages, and the shares with longer delays."""
    views = _times(data, "delay", "messages", "delay against the contention-free time")
    return _figure("delay", "Delay of messages", ["ranks", "quantity"], views)


def waits(data: xarray.Dataset) -> Figure | None:
    """Returns a histogram of the waits of packets in switches, and the shares with longer waits."""
    views = _times(data, "packet_wait", "passages", "wait of a packet in a switch")
    return _figure("wait", "Waits of packets in switches", ["ranks", "quantity"], views)


def _times(data: xarray.Dataset, name: str, subjects: str, axis: str) -> Views:
    """Returns the views of a histogram of times: shares per bin, and shares of longer times.

    Args:
        data: The data set.
        name: The quantity in it.
        subjects: What is counted.
        axis: The title of the horizontal axis.
    """
    if f"{name}_histogram" not in data:
        return {}
    edges = np.asarray(data[f"{name}_edge"].values, dtype=float)
    views: Views = {}
    short: dict[str, list[str]] = {}
    for size, series, part in by_series(data[f"{name}_histogram"], (f"{name}_bin",)):
        counts = np.nan_to_num(np.asarray(part.values, dtype=float))
        if counts.sum() == 0:
            continue
        label = series or subjects
        first = int(np.searchsorted(edges[:-1], _SMALLEST_S))
        below = counts[:first].sum() / counts.sum()
        if below >= _WORTH_SAYING:
            short.setdefault(_size_text(size), []).append(f"{percent_text(below)} of {label}")
        for quantity, steps in _step_lines(edges[first:], counts, first, subjects).items():
            _add(views, (_size_text(size), quantity), {"name": label, "mode": "steps"} | steps)
    for (ranks, quantity), view in views.items():
        view["x"] = {"title": axis, "unit": "s", "log": True}
        view["y"] = {"title": quantity, "unit": "%", "log": False}
        if ranks in short:
            told = ", ".join(short[ranks][:_MOST_SAID])
            told += ", and others" if len(short[ranks]) > _MOST_SAID else ""
            view["note"] = f"Shorter than 1 ns, and not in the figure: {told}."
    return views


def _step_lines(
    edges: Array, counts: Array, first: int, subjects: str
) -> dict[str, dict[str, list[float | None]]]:
    """Returns the shares of each bin, and of longer times; none if all times are too short to show.

    Args:
        edges: The edges from the first bin on.
        counts: The counts of all bins.
        first: The first bin that is shown.
        subjects: What is counted.
    """
    if first >= len(counts) or not counts[first:].any():
        return {}
    bins, inside = coarser(edges, counts[first:])
    last = int(np.flatnonzero(inside)[-1]) + 1
    share = inside[:last] / counts.sum()
    below = counts[:first].sum() / counts.sum()
    longer = np.append(1 - below - np.concatenate(([0.0], np.cumsum(share)))[:-1], 0.0)
    x = rounded(bins[: last + 1])
    return {
        f"share of {subjects} per bin": {"x": x, "y": rounded(np.append(share, 0.0))},
        f"share of {subjects} that wait longer": {"x": x, "y": rounded(np.clip(longer, 0.0, 1.0))},
    }


def utilisation(data: xarray.Dataset) -> Figure | None:
    """Returns the utilisation of links: a histogram, and each kind of link."""
    views: Views = {}
    if "link_utilisation_histogram" in data:
        edges = np.asarray(data["link_utilisation_edge"].values, dtype=float)
        values = data["link_utilisation_histogram"]
        for size, series, part in by_series(values, ("link_utilisation_bin",)):
            counts = np.asarray(part.values, dtype=float)
            if not counts.any():
                continue
            steps = {
                "name": series or "links",
                "x": rounded(edges),
                "y": rounded(np.append(np.nan_to_num(counts), 0.0)),
                "mode": "steps",
            }
            view = _add(views, (_size_text(size), "number of links by utilisation"), steps)
            view["x"] = {"title": "utilisation of a link", "unit": "%", "log": False}
            view["y"] = {"title": "links", "unit": "", "log": True}
    for field, title, unit in (
        ("utilisation_mean", "mean utilisation by kind of link", "%"),
        ("utilisation_max", "largest utilisation by kind of link", "%"),
        ("waiting_s", "waiting time of packets by kind of link", "s"),
        ("bytes", "bytes by kind of link", "B"),
    ):
        if f"class_{field}" not in data:
            continue
        for size, series, part in by_series(data[f"class_{field}"], ("link_class",)):
            bars = {
                "name": series or "links",
                "x": [words(str(name)) for name in labels(part, "link_class")],
                "y": rounded(part.values),
                "mode": "bars",
            }
            view = _add(views, (_size_text(size), title), bars)
            view["x"] = {"title": "kind of link", "unit": "", "log": False, "category": True}
            view["y"] = {"title": title, "unit": unit, "log": False}
    return _figure("links", "Utilisation of links", ["ranks", "quantity"], views)


def _add(views: Views, key: tuple[str, ...], trace: dict[str, Any]) -> dict[str, Any]:
    view = views.setdefault(key, {"traces": []})
    if len(view["traces"]) < _MOST_SERIES:
        view["traces"].append(trace)
    return view


def _size_text(size: Any) -> str:
    return "all" if size is None else str(size)


def _axis(
    title: str, unit: str, traces: Sequence[Mapping[str, Any]], side: str, *, numeric: bool = True
) -> dict[str, Any]:
    """Returns an axis, which is logarithmic where positive values span a factor of four or more."""
    share = "utilisation" in title
    axis = {"title": title, "unit": "%" if share else _UNITS.get(unit, unit), "log": False}
    if not numeric:
        return axis | {"category": True}
    values: Array = np.array(
        [value for trace in traces for value in trace[side] if value is not None], dtype=float
    )
    spread = values.size > 0 and values.min() > 0 and values.max() / values.min() >= 4
    return axis | {"log": bool(spread) and not share}


def _figure(kind: str, title: str, selects: Sequence[str], views: Views) -> Figure | None:
    """Selects with the options that occur; the largest number of ranks is the first choice."""
    if not views:
        return None
    options = [list(dict.fromkeys(key[index] for key in views)) for index in range(len(selects))]
    if selects[0] == "ranks":
        options[0].sort(key=lambda text: (len(text), text), reverse=True)
    first = views[tuple(option[0] for option in options)]
    return {
        "id": kind,
        "kind": "lines",
        "title": title,
        "alt": _alt(title, first),
        "selects": [
            {"label": label, "options": choices}
            for label, choices in zip(selects, options, strict=True)
        ],
        "views": {"\n".join(key): view for key, view in views.items()},
    }


def _alt(title: str, view: Mapping[str, Any]) -> str:
    names = [trace["name"] for trace in view["traces"]]
    shown = "; ".join(names[:6]) + (" and others" if len(names) > 6 else "")
    return (
        f"{title}: {view['y']['title']} over {view['x']['title']}, {len(names)} series: {shown}. "
        "All values are in the table below the figure."
    )
