"""The time of an exchange by the order of the processes: that of METIS, a random and a mapped one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.config.mapping import rank_graph, volume_between_nodes
from tradewind.plots.style import COLOURS, MARKERS, new_figure, styled
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.pang2025.meshes import graph_of, mesh_of, partition_of
from tradewind.studies.pang2025.simulated import ORDERS, ordered, simulated
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

_STEPS = 4


def _dataset(times: Any, leaving: Any, processes: list[int]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    dimensions = ("order", "processes")
    data: xarray.Dataset = xr.Dataset(
        {
            "time_s": (dimensions, times, {"units": "s", "long_name": "mean time of an exchange"}),
            "between_nodes": (
                dimensions,
                leaving,
                {"units": "1", "long_name": "edges between cells of different nodes"},
            ),
        },
        {"order": list(ORDERS), "processes": processes},
    )
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    processes = part.processes(full=True)
    ones = np.ones((len(ORDERS), len(processes)))
    return _dataset(ones, ones, processes)


def _evaluate(part: Part, context: Context) -> Evaluation:
    mesh = mesh_of(part, context)
    machine = part.tables("machines")["machine"]
    graph = graph_of(mesh)
    per_node = int(part.number("ranks_per_node"))
    processes = part.processes(context.full)
    times = np.zeros((len(ORDERS), len(processes)))
    leaving = np.zeros_like(times)
    for column, count in enumerate(processes):
        context.note(f"{count} processes: {len(ORDERS)} orders")
        owners = partition_of(graph, count, mesh.parent, context.note)
        for row, order in enumerate(ORDERS):
            moved = ordered(order, graph, owners, count, per_node)
            step = simulated(machine, mesh, moved, count, {"steps": _STEPS})
            times[row, column] = step.communication_s
            between = rank_graph(graph, moved, count)
            leaving[row, column] = volume_between_nodes(between, per_node)
    data = _dataset(times, leaving, processes)
    rows: list[list[Cell]] = []
    for column, count in enumerate(processes):
        exchange = [float(f"{1e3 * time:.4g}") for time in times[:, column]]
        rows.append([count, *exchange, *(int(edges) for edges in leaving[:, column])])
    header = (
        "processes",
        *(f"{order} (ms)" for order in ORDERS),
        *(f"{order} (edges between nodes)" for order in ORDERS),
    )
    table = Table(part.title, header, rows)
    return Evaluation(data, {part.name: table}, {part.name: _figure(data)})


def _figure(data: xarray.Dataset) -> Figure:
    """Draws the time of an exchange over that by the order of METIS."""
    with styled():
        figure = new_figure(6.4, 4.2)
        panel = figure.subplots()
        for index, order in enumerate(ORDERS):
            times = data.time_s.sel(order=order) / data.time_s.sel(order="metis")
            panel.plot(
                data.processes.values,
                times.values,
                marker=MARKERS[index],
                color=COLOURS[index],
                label=order,
            )
        panel.set(xscale="log", xlabel="processes", ylabel="time of an exchange / that by METIS")
        panel.set_ylim(bottom=0)
        panel.set_xticks(data.processes.values, [str(count) for count in data.processes.values])
        panel.minorticks_off()
        panel.legend(loc="lower left")
    return figure


PLACEMENT = Evaluator(_outline, _evaluate)
