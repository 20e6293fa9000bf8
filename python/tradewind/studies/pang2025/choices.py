"""The choices of the machine file, varied one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tradewind import extras
from tradewind.studies.changes import merged
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.pang2025.meshes import graph_of, mesh_of, partition_of
from tradewind.studies.pang2025.methods import METHODS
from tradewind.studies.pang2025.simulated import StepTimes, simulated
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray

# The collective and the point-to-point messages of the paper.
_PAIR = ("graph", "point_to_point")
_RESULTS = {
    "exchange_speedup": "time of an exchange by point-to-point messages over the collective",
    "run_speedup": "the same of a run",
    "share": "share of the exchange in the time of a process, by point-to-point messages",
}

Results = dict[str, dict[str, list[float]]]


def _dataset(found: Results, processes: list[int]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    dimensions = ("variant", "processes")
    variables = {
        name: (
            dimensions,
            [results[name] for results in found.values()],
            {"units": "1", "long_name": meaning},
        )
        for name, meaning in _RESULTS.items()
    }
    data: xarray.Dataset = xr.Dataset(variables, {"variant": list(found), "processes": processes})
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    processes = part.processes(full=True)
    ones = {name: [1.0] * len(processes) for name in _RESULTS}
    return _dataset(dict.fromkeys(part.tables("variants"), ones), processes)


def _results(collective: StepTimes, messages: StepTimes) -> dict[str, float]:
    spent = messages.communication_s + messages.computation_s
    return {
        "exchange_speedup": messages.communication_s / collective.communication_s,
        "run_speedup": messages.run_s / collective.run_s,
        "share": messages.communication_s / spent,
    }


def _evaluate(part: Part, context: Context) -> Evaluation:
    steps = int(part.number("steps" if context.full else "reduced_steps"))
    processes = part.processes(context.full)
    variants = part.tables("variants")
    machine = part.tables("machines")["machine"]
    mesh = mesh_of(part, context)
    graph = graph_of(mesh)
    found: Results = {}
    for variant, changes in variants.items():
        context.note(f"{variant}: {2 * len(processes)} runs")
        found[variant] = {name: [] for name in _RESULTS}
        for count in processes:
            owners = partition_of(graph, count, mesh.parent, context.note)
            pair = [
                simulated(
                    merged(machine, changes),
                    mesh,
                    owners,
                    count,
                    {"steps": steps, **METHODS[name].program},
                )
                for name in _PAIR
            ]
            for name, value in _results(*pair).items():
                found[variant][name].append(value)
    data = _dataset(found, processes)
    header = (
        "variant",
        *(f"exchange, {count} processes" for count in processes),
        *(f"run, {count} processes" for count in processes),
        *(f"share (%), {count} processes" for count in processes),
    )
    rows: list[list[Cell]] = [
        [
            variant,
            *(round(value, 2) for value in results["exchange_speedup"]),
            *(round(value, 2) for value in results["run_speedup"]),
            *(round(100 * value, 1) for value in results["share"]),
        ]
        for variant, results in found.items()
    ]
    return Evaluation(data, {part.name: Table(part.title, header, rows)})


CHOICES = Evaluator(_outline, _evaluate)
