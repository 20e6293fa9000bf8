"""The time of an exchange by the order of the processes: that of METIS, a random and a mapped one."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.config.mapping import rank_graph, volume_between_nodes
from tradewind.plots.style import COLOURS, MARKERS, new_figure, styled
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.pang2025.meshes import graph_of, mesh_of, partition_of
from tradewind.studies.pang2025.simulated import ORDERS, median_and_range, ordered, simulated
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

_STEPS = 4


def _dataset(times: Any, leaving: Any, processes: list[int], seeds: list[int]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    dimensions = ("order", "processes", "seed")
    data: xarray.Dataset = xr.Dataset(
        {
            "time_s": (dimensions, times, {"units": "s", "long_name": "mean time of an exchange"}),
            "between_nodes": (
                dimensions,
                leaving,
                {"units": "1", "long_name": "edges between cells of different nodes"},
            ),
        },
        {"order": list(ORDERS), "processes": processes, "seed": seeds},
    )
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    processes, seeds = part.processes(full=True), part.seeds(full=True)
    ones = np.ones((len(ORDERS), len(processes), len(seeds)))
    return _dataset(ones, ones, processes, seeds)


def _evaluate(part: Part, context: Context) -> Evaluation:
    mesh = mesh_of(part, context)
    machine = part.tables("machines")["machine"]
    graph = graph_of(mesh)
    per_node = int(part.number("ranks_per_node"))
    processes, seeds = part.processes(context.full), part.seeds(context.full)
    times = np.zeros((len(ORDERS), len(processes), len(seeds)))
    leaving = np.zeros_like(times)
    for column, count in enumerate(processes):
        context.note(f"{count} processes: {len(ORDERS)} orders")
        owners = partition_of(graph, count, mesh.parent, context.note)
        for (row, order), (at, seed) in product(enumerate(ORDERS), enumerate(seeds)):
            if at > 0 and order != "random":
                # Computations do not vary, so the other orders have nothing random.
                times[row, column, at] = times[row, column, 0]
                leaving[row, column, at] = leaving[row, column, 0]
                continue
            moved = ordered(order, graph, owners, count, per_node, seed)
            step = simulated(machine, mesh, moved, count, {"steps": _STEPS}, seed)
            times[row, column, at] = step.communication_s
            between = rank_graph(graph, moved, count)
            leaving[row, column, at] = volume_between_nodes(between, per_node)
    data = _dataset(times, leaving, processes, seeds)
    rows: list[list[Cell]] = []
    for column, count in enumerate(processes):
        exchange = [float(f"{1e3 * np.median(some):.4g}") for some in times[:, column]]
        rows.append([count, *exchange, *(int(np.median(some)) for some in leaving[:, column])])
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
            middle, distances = median_and_range(times)
            panel.errorbar(
                data.processes.values,
                middle,
                yerr=distances,
                capsize=2,
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
