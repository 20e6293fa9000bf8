"""The time of an exchange by the order of the processes: that of METIS, a random and a mapped one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core, extras
from tradewind.config.experiment import Experiment
from tradewind.config.mapping import mapped, rank_graph, volume_between_nodes
from tradewind.config.partition import ItemGraph, Numbers, text_of
from tradewind.plots.style import COLOURS, MARKERS, new_figure, styled
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.pang2025.meshes import (
    cells_of,
    graph_of,
    partition_of,
    regional_mesh,
)
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

_ORDERS = ("metis", "mapped", "random", "curve")
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
        {"order": list(_ORDERS), "processes": processes},
    )
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    processes = part.processes(full=True)
    ones = np.ones((len(_ORDERS), len(processes)))
    return _dataset(ones, ones, processes)


def _orders(graph: ItemGraph, owners: Numbers, processes: int, per_node: int) -> list[Numbers]:
    """Returns the process of each cell in each order."""
    shuffled = np.random.default_rng(1).permutation(processes)
    pieces = np.arange(len(owners)) * processes // len(owners)
    return [owners, mapped(graph, owners, processes, per_node), shuffled[owners], pieces]


def _exchange_s(part: Part, mesh: Path, owners: Numbers, processes: int) -> float:
    """Returns the time of an exchange with its waits, the mean of all processes, as the paper has it."""
    program = {
        "name": "fvwam",
        "mesh": str(mesh.resolve()),
        "ranks": processes,
        "steps": _STEPS,
        "partition_file": text_of(owners),
    }
    tables = {"machine": part.tables("machines")["machine"], "program": program}
    (member,) = Experiment.load(tables).members()
    done = core.load().simulate(member.spec.tables(), lambda *progress: True)
    (exchange,) = (phase for phase in done["phases"] if phase["name"] == "exchange")
    return float(exchange["mean_s"]) / _STEPS


def _evaluate(part: Part, context: Context) -> Evaluation:
    mesh = regional_mesh(cells_of(part, context.full), context.work.parent / "meshes", context.note)
    graph = graph_of(mesh)
    per_node = int(part.number("ranks_per_node"))
    processes = part.processes(context.full)
    times = np.zeros((len(_ORDERS), len(processes)))
    leaving = np.zeros_like(times)
    for column, count in enumerate(processes):
        context.note(f"{count} processes: {len(_ORDERS)} orders")
        owners = partition_of(graph, count, mesh.parent, context.note)
        for row, order in enumerate(_orders(graph, owners, count, per_node)):
            times[row, column] = _exchange_s(part, mesh, order, count)
            between = rank_graph(graph, order, count)
            leaving[row, column] = volume_between_nodes(between, per_node)
    data = _dataset(times, leaving, processes)
    rows: list[list[Cell]] = []
    for column, count in enumerate(processes):
        exchange = [float(f"{1e3 * time:.4g}") for time in times[:, column]]
        rows.append([count, *exchange, *(int(edges) for edges in leaving[:, column])])
    header = (
        "processes",
        *(f"{order} (ms)" for order in _ORDERS),
        *(f"{order} (edges between nodes)" for order in _ORDERS),
    )
    table = Table(part.title, header, rows)
    return Evaluation(data, {part.name: table}, {part.name: _figure(data)})


def _figure(data: xarray.Dataset) -> Figure:
    """Draws the time of an exchange over that by the order of METIS."""
    with styled():
        figure = new_figure(6.4, 4.2)
        panel = figure.subplots()
        for index, order in enumerate(_ORDERS):
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
