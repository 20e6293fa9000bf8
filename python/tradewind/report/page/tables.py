"""The table of runs: one line for every combination that was swept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from tradewind.plots.style import words
from tradewind.report.page.markup import table
from tradewind.report.page.selection import labels
from tradewind.report.page.texts import percent_text, time_text
from tradewind.units import bytes_text, count_text

if TYPE_CHECKING:
    import xarray


_COLUMNS: dict[str, tuple[str, Callable[[float], str]]] = {
    "time_s": ("simulated time", time_text),
    "delay_median_s": ("delay, median", time_text),
    "delay_p99_s": ("delay, 99 %", time_text),
    "link_utilisation_max": ("busiest link", percent_text),
    "busiest_utilisation": ("busiest resource", percent_text),
    "messages": ("messages", count_text),
    "packet_hops": ("packet-hops", count_text),
    "wall_s": ("simulated in", time_text),
    "peak_rss_bytes": ("memory", bytes_text),
}


def run_table(data: xarray.Dataset) -> str:
    """Returns the section with the runs that finished; empty for data of another kind."""
    if "time_s" not in data:
        return ""
    dims = tuple(str(dim) for dim in data["time_s"].dims)
    whole = {str(name) for name, values in data.data_vars.items() if set(values.dims) == set(dims)}
    columns = {name: column for name, column in _COLUMNS.items() if name in whole}
    if "hash" not in whole:
        return ""
    # Cells by whole arrays: xarray takes a millisecond for each value.
    values = {name: data[name].transpose(*dims).values for name in ("time_s", "hash", *columns)}
    names = [labels(data["time_s"], dim) for dim in dims]
    rows = []
    for place in np.ndindex(values["time_s"].shape):
        if np.isnan(values["time_s"][place]):
            continue
        key = [str(along[index]) for along, index in zip(names, place, strict=True)]
        cells = [text(float(values[name][place])) for name, (_, text) in columns.items()]
        rows.append([*key, str(values["hash"][place]), *cells])
    head = [*map(words, dims), "hash", *(title for title, _ in columns.values())]
    caption = "Finished runs; equal hashes mean equal completion times of every rank"
    return f"<h3>Runs</h3>{table(head, rows, caption)}"
