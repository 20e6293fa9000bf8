"""The busiest links of the topology, by name: class and switches, or the place in the map of links."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.plots.style import words
from tradewind.report.page.heat import panels_of, place_text, runs_of
from tradewind.report.page.markup import Cell, sortable_table
from tradewind.report.page.texts import percent_text, time_text
from tradewind.results.run_result import RunResult
from tradewind.units import decimal_bytes_text

if TYPE_CHECKING:
    import xarray

_MOST_RUNS = 8
_MOST_LINKS = 10
_INTERFACES = ("injection", "ejection")


def busiest_links(data: xarray.Dataset, runs: Sequence[RunResult]) -> str:
    """Returns the table of the busiest links, as far as runs have kept the loads of links.

    Args:
        data: The data set, whose maps of links are read where runs have no single links.
        runs: The finished runs.
    """
    detailed = [run for run in runs if "link_details" in run.raw]
    if detailed:
        detailed.sort(key=lambda run: -run.ranks)
        rows = [row for run in detailed[:_MOST_RUNS] for row in _single(run)]
        return _table(rows, "switch to switch")
    if "link_map_links" in data:
        rows = [row for label, run in runs_of(data) for row in _mapped(label, run)]
        return _table(
            rows, "in the topology; of several links in a cell the utilisation of the busiest"
        )
    return ""


def _table(rows: Sequence[Sequence[Cell]], places: str) -> str:
    if not rows:
        return ""
    head = ["run", "kind of link", "place", "utilisation", "bytes", "waiting time of packets"]
    caption = f"The {_MOST_LINKS} busiest links of a run; place: {places}"
    return f"<h3>Busiest links</h3>{sortable_table(head, rows, caption)}"


def _single(run: RunResult) -> Iterator[list[Cell]]:
    """Yields the busiest links of a run that has kept each of them."""
    details = run.raw["link_details"]
    names = [entry["name"] for entry in run.raw["links"]["classes"]]
    texts = [f"{name} {value}" for name, value in run.parameters.items()]
    label = ", ".join(texts) or f"{run.spec.program.name} on {run.machine}"
    for index in np.argsort(-details["utilisation"], kind="stable")[:_MOST_LINKS].tolist():
        here, port = int(details["switch"][index]), int(details["port"][index])
        place = f"switch {here}, port {port}"
        if "to_switch" in details:
            place = f"switch {here} to switch {int(details['to_switch'][index])}"
        yield _row(
            label,
            str(names[int(details["class"][index])]),
            place,
            *(float(details[name][index]) for name in ("utilisation", "bytes", "waiting_s")),
        )


def _mapped(label: str, run: xarray.Dataset) -> Iterator[list[Cell]]:
    """Yields the busiest cells of the maps of links of a run."""
    found: list[tuple[float, int, dict[str, Any]]] = []
    for panel in panels_of(run):
        if panel["name"] in _INTERFACES:
            continue
        used = panel["quantities"]["largest utilisation"]["values"]
        found += [(value, at, panel) for at, value in enumerate(used) if value]
    for value, at, panel in sorted(found, key=lambda one: -one[0])[:_MOST_LINKS]:
        loads = (
            panel["quantities"][name]["values"][at] for name in ("bytes", "waiting time of packets")
        )
        yield _row(label, panel["name"], place_text(panel, at), value, *loads)


def _row(
    label: str, kind: str, place: str, utilisation: float, size: float, waiting_s: float
) -> list[Cell]:
    return [
        Cell(label, label),
        Cell(words(kind), kind),
        Cell(place, place),
        Cell(percent_text(utilisation), utilisation),
        Cell(decimal_bytes_text(size), size),
        Cell(time_text(waiting_s), waiting_s),
    ]
