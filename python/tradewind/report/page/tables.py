"""The table of runs: one line for every combination that was swept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from tradewind.plots.style import words
from tradewind.report.page.markup import table
from tradewind.report.page.selection import slices
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
    if "time_s" not in data or "hash" not in data:
        return ""
    columns = {name: column for name, column in _COLUMNS.items() if name in data}
    dims = tuple(str(dim) for dim in data["time_s"].dims)
    rows = []
    for key, time in slices(data["time_s"], dims):
        if not bool(time.notnull()):
            continue
        where = dict(zip(dims, key, strict=True))
        values = [text(float(data[name].sel(where))) for name, (_, text) in columns.items()]
        rows.append([*map(str, key), str(data["hash"].sel(where).item()), *values])
    head = [*map(words, dims), "hash", *(title for title, _ in columns.values())]
    caption = "Finished runs; equal hashes mean equal completion times of every rank"
    return f"<h3>Runs</h3>{table(head, rows, caption)}"
