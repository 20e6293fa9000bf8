"""Heat maps: loads of links on the panels of a topology, and traffic between ranks."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.plots.style import words
from tradewind.report.page.selection import labels, largest, rounded
from tradewind.results.run_result import Array

if TYPE_CHECKING:
    import xarray

_MOST_RUNS = 8
_SIDES = ("link_layer", "link_row", "link_column")
_LOADS = {
    "utilisation_mean": ("mean utilisation", "%"),
    "utilisation_max": ("largest utilisation", "%"),
    "bytes": ("bytes", "B"),
    "waiting_s": ("waiting time of packets", "s"),
}
_TRAFFIC = {
    "bytes": ("bytes", "B"),
    "messages": ("messages", ""),
    "delay_s": ("mean delay of a message", "s"),
}


def link_map(data: xarray.Dataset) -> dict[str, Any] | None:
    """Loads of links where they stand, for the run with most ranks of each series."""
    if "link_map_links" not in data:
        return None
    found = ((label, list(panels_of(run))) for label, run in runs_of(data))
    runs = [{"label": label, "panels": panels} for label, panels in found if panels]
    return _figure("link-map", "Loads of links in the topology", runs)


def runs_of(data: xarray.Dataset) -> Iterator[tuple[str, xarray.Dataset]]:
    """Yields label and values of the run with most ranks of each series, of those with maps of links."""
    for label, where in _runs(data, "link_map_links", ("link_panel", *_SIDES)):
        yield label, data.sel(where)


def matrix(data: xarray.Dataset) -> dict[str, Any] | None:
    """Returns the bytes between pairs of ranks, for the run with most ranks of each series."""
    if "matrix_bytes" not in data:
        return None
    runs = []
    for label, where in _runs(data, "matrix_bytes", ("source_bin", "destination_bin")):
        run = data.sel(where)
        bins = int(run["matrix_bytes"].notnull().any("destination_bin").sum())
        ranks = int(run.get("ranks", bins))
        values = {
            title: {"unit": unit, "values": rounded(run[f"matrix_{field}"].values[:bins, :bins], 4)}
            for field, (title, unit) in _TRAFFIC.items()
        }
        runs.append({"label": label, "panels": [traffic_panel(ranks, bins, values)]})
    return _figure("matrix", "Traffic between ranks", runs)


def traffic_panel(ranks: int, bins: int, quantities: dict[str, Any]) -> dict[str, Any]:
    """Returns a map of values between ranks.

    Args:
        ranks: The ranks of a side.
        bins: The rows and columns that hold them.
        quantities: Unit and values of each quantity, by its title.
    """
    return {
        "name": "all ranks",
        "axes": ["", "source rank", "destination rank"],
        "extents": [1, ranks, ranks],
        "shape": [1, bins, bins],
        "quantities": quantities,
    }


def _runs(
    data: xarray.Dataset, name: str, inner: tuple[str, ...]
) -> Iterator[tuple[str, dict[str, Any]]]:
    chosen = list(largest(data[name], inner).items())
    for series, (size, part) in chosen[:_MOST_RUNS]:
        where = {str(d): part.coords[d].item() for d in data[name].dims if d not in inner}
        parts = [series, "" if size is None else f"{size} ranks"]
        yield ", ".join(part for part in parts if part) or "the run", where


def panels_of(run: xarray.Dataset) -> Iterator[dict[str, Any]]:
    """Yields the maps of links of a run: axes, extents, and the cells of each quantity.

    Args:
        run: The values of one run.
    """
    for index, name in enumerate(labels(run["link_map_links"], "link_panel")):
        links = run["link_map_links"].isel(link_panel=index)
        shape = [
            int(links.notnull().any([d for d in _SIDES if d != side]).sum()) for side in _SIDES
        ]
        if not all(shape):
            continue
        place = {side: slice(0, count) for side, count in zip(_SIDES, shape, strict=True)}
        wired = links.isel(place).values > 0
        axes = str(run["link_map_axes"].isel(link_panel=index).item()).split("; ")
        yield {
            "name": words(str(name)),
            "axes": axes,
            "extents": [int(v) for v in run["link_map_extent"].isel(link_panel=index).values],
            "shape": shape,
            "quantities": {
                title: {"unit": unit, "values": _cells(run, field, index, place, wired)}
                for field, (title, unit) in _LOADS.items()
            },
        }


def place_text(panel: dict[str, Any], cell: int) -> str:
    """Returns where a cell of a map is: "z 1, y 3, x 0-3" if four links along x share it.

    Args:
        panel: The map.
        cell: The index of the cell, the column running fastest.
    """
    place = np.unravel_index(cell, panel["shape"])
    texts = []
    for axis, at, cells, extent in zip(
        panel["axes"], map(int, place), panel["shape"], panel["extents"], strict=True
    ):
        first, last = -(-at * extent // cells), -(-(at + 1) * extent // cells) - 1
        if axis:
            number = str(first) if first == last else f"{first}\N{EN DASH}{last}"
            texts.append(f"{axis}: {number}" if axis[-1].isdigit() else f"{axis} {number}")
    return ", ".join(texts)


def _cells(
    run: xarray.Dataset, field: str, panel: int, place: dict[str, slice], wired: Array
) -> list[float | None]:
    values = run[f"link_map_{field}"].isel(link_panel=panel).isel(place).values
    return rounded(np.where(wired, values, np.nan), 4)


def _figure(kind: str, title: str, runs: list[dict[str, Any]]) -> dict[str, Any] | None:
    if not runs:
        return None
    first = runs[0]
    names = ", ".join(panel["name"] for panel in first["panels"])
    quantity, _ = next(iter(first["panels"][0]["quantities"].items()))
    alt = (
        f"{title}: heat map of {quantity} for {first['label']}; panels: {names}. "
        "The largest values are in the table below the figure."
    )
    return {"id": kind, "kind": "heat", "title": title, "alt": alt, "runs": runs}
