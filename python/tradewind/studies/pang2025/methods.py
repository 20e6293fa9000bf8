"""Point-to-point messages against the neighbourhood collective (figures 7 to 12, and 15 to 18)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tradewind import extras
from tradewind.errors import ConfigError, suggestion
from tradewind.plots.style import COLOURS, MARKERS, new_figure, styled
from tradewind.studies.changes import merged
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.pang2025.meshes import graph_of, mesh_of, partition_of
from tradewind.studies.pang2025.printed import PRINTED, Printed
from tradewind.studies.pang2025.simulated import StepTimes, median_and_range, ordered, simulated
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Method:
    """A way to exchange cells.

    Args:
        label: Its name in pictures.
        program: Settings of the model.
        order: The order of the processes.
        message: Changes of the machine's table of that name.
    """

    label: str
    program: Mapping[str, Any]
    order: str = "metis"
    message: Mapping[str, Any] = field(default_factory=dict)


# The collective is simulated as libraries make it: all receives posted, all sends started, all waited for.
METHODS: Mapping[str, Method] = {
    "point_to_point": Method("point-to-point", {"schedule": "in_order"}),
    "point_to_point_waited": Method(
        "point-to-point, sends waited for", {"exchange": "pairwise", "protocol": "(2,1)"}
    ),
    "point_to_point_strong": Method(
        "point-to-point, strong progress", {"schedule": "in_order"}, message={"progress": "strong"}
    ),
    "graph": Method("collective", {}),
    "graph_mapped": Method("collective, mapped", {}, "mapped"),
    "graph_random": Method("collective, random order", {}, "random"),
}
_TIMES = {
    "communication_s": "mean time of a process in an exchange",
    "computation_s": "mean time of a process in the computation of a step",
    "run_s": "time of a run over its steps",
}
_SHOWN = ("point_to_point", "graph")


# The times by way, number of processes and seed.
_Times = Mapping[str, list[list[StepTimes]]]


def _dataset(times: _Times, processes: list[int], seeds: list[int], cells: int) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    dimensions = ("way", "processes", "seed")
    variables: dict[str, Any] = {
        name: (
            dimensions,
            [[[getattr(one, name) for one in some] for some in row] for row in times.values()],
            {"units": "s", "long_name": meaning},
        )
        for name, meaning in _TIMES.items()
    }
    variables["cells"] = ((), cells, {"units": "1", "long_name": "sea cells of the mesh"})
    labels = {"way": list(times), "processes": processes, "seed": seeds}
    data: xarray.Dataset = xr.Dataset(variables, labels)
    about = {"units": "1", "long_name": "share of the exchange in the time of a process"}
    share = data.communication_s / (data.communication_s + data.computation_s)
    faster = {
        f"{of}_speedup": _speedup(data[times]).assign_attrs(
            units="1", long_name=f"{times} by point-to-point messages over that of the way"
        )
        for of, times in (("exchange", "communication_s"), ("run", "run_s"))
    }
    return data.assign({"share": share.assign_attrs(about), **faster})


def _speedup(times: xarray.DataArray) -> xarray.DataArray:
    """Returns the time of point-to-point messages over that of each way."""
    return times.sel(way="point_to_point", drop=True) / times


def _methods(part: Part) -> tuple[str, ...]:
    names = part.words("methods")
    for name in names:
        if name not in METHODS:
            given = f"part {part.name}: settings.methods: {name}: unknown"
            raise ConfigError(f"{given}; {suggestion(name, METHODS)}")
    for name in _SHOWN:
        if name not in names:
            raise ConfigError(f"part {part.name}: settings.methods: {name} is missing")
    return names


def _outline(part: Part, context: Context) -> xarray.Dataset:
    processes = part.processes(full=True)
    seeds = part.seeds(full=True)
    ones = [[StepTimes(1.0, 1.0, 2.0)] * len(seeds)] * len(processes)
    return _dataset(dict.fromkeys(_methods(part), ones), processes, seeds, 1)


def _machine(part: Part, method: Method) -> dict[str, Any]:
    return merged(part.tables("machines")["machine"], {"message": method.message})


def _evaluate(part: Part, context: Context) -> Evaluation:
    names = _methods(part)
    per_node = int(part.number("ranks_per_node"))
    steps = int(part.number("steps" if context.full else "reduced_steps"))
    processes, seeds = part.processes(context.full), part.seeds(context.full)
    mesh = mesh_of(part, context)
    graph = graph_of(mesh)
    times: dict[str, list[list[StepTimes]]] = {name: [] for name in names}
    for count in processes:
        owners = partition_of(graph, count, mesh.parent, context.note)
        for name in names:
            context.note(f"{count} processes: {METHODS[name].label}")
            method = METHODS[name]
            machine = _machine(part, method)
            program = {"steps": steps, **method.program}
            times[name].append(
                [
                    simulated(
                        machine,
                        mesh,
                        ordered(method.order, graph, owners, count, per_node, seed),
                        count,
                        program,
                        seed,
                    )
                    for seed in seeds
                ]
            )
    data = _dataset(times, processes, seeds, len(graph.owners))
    title = f"{part.title}: {len(graph.owners)} cells"
    figure = _figure(data, PRINTED.get(part.name))
    return Evaluation(data, {part.name: Table(title, *_table(data))}, {part.name: figure})


def _table(data: xarray.Dataset) -> tuple[tuple[str, ...], list[list[Cell]]]:
    rows: list[list[Cell]] = []
    for count in data.processes.values:
        for name in data.way.values:
            here = data.sel(processes=count, way=name).median("seed")
            numbers = (
                1e3 * here.communication_s,
                1e3 * here.computation_s,
                1e3 * here.run_s,
                100 * here.share,
                here.exchange_speedup,
                here.run_speedup,
            )
            rounded = [float(f"{float(number):.4g}") for number in numbers]
            rows.append([int(count), METHODS[str(name)].label, *rounded])
    header = (
        "processes",
        "method",
        "exchange (ms)",
        "computation (ms)",
        "step (ms)",
        "share of the exchange (%)",
        "speed-up of the exchange",
        "speed-up of the run",
    )
    return header, rows


def _figure(data: xarray.Dataset, printed: Printed | None) -> Figure:
    """Draws times, shares and speed-ups, with bars over the seeds and the ranges that the paper prints."""
    with styled():
        figure = new_figure(10.0, 8.0)
        exchange, shares, speedup, run = figure.subplots(2, 2).flat
        for index, name in enumerate(data.way.values):
            label = METHODS[str(name)].label
            _line(exchange, data, 1e3 * data.communication_s.sel(way=name), index, label)
        exchange.set(yscale="log", ylabel="time of an exchange (ms)")
        exchange.set_title("(a) mean exchange of a process", loc="left")
        for index, name in enumerate(data.way.values):
            _line(shares, data, 100 * data.share.sel(way=name), index, METHODS[str(name)].label)
            if printed and name in printed.shares:
                lowest, highest = (100 * share for share in printed.shares[str(name)])
                shares.axhspan(lowest, highest, color=COLOURS[index], alpha=0.15)
        shares.set(ylim=(0, 100), ylabel="share of the exchange (%)")
        shares.set_title("(b) share in the time of a process", loc="left")
        panels = (
            (speedup, data.exchange_speedup, "exchange", "(c) speed-up of the exchange"),
            (run, data.run_speedup, "model", "(d) speed-up of the run"),
        )
        for panel, ratios, band, title in panels:
            for index, name in enumerate(data.way.values):
                if name == "point_to_point":
                    continue
                _line(panel, data, ratios.sel(way=name), index, METHODS[str(name)].label)
            if printed:
                lowest, highest = getattr(printed, band)
                panel.axhspan(lowest, highest, color=COLOURS[6], alpha=0.15, label="range printed")
            panel.set(ylabel="over point-to-point messages", ylim=(0, None))
            panel.set_title(title, loc="left")
        speedup.legend(loc="best", fontsize="small")
        exchange.legend(loc="best", fontsize="small")
    return figure


def _line(
    panel: Axes, data: xarray.Dataset, values: xarray.DataArray, index: int, label: str
) -> None:
    counts = data.processes.values
    middle, distances = median_and_range(values)
    panel.errorbar(
        counts,
        middle,
        yerr=distances,
        capsize=2,
        marker=MARKERS[index],
        color=COLOURS[index],
        label=label,
        markersize=5,
    )
    panel.set(xscale="log", xlabel="processes")
    panel.set_xticks(counts, [f"{count}" for count in counts], fontsize="small")
    panel.minorticks_off()


METHODS_PART = Evaluator(_outline, _evaluate)
