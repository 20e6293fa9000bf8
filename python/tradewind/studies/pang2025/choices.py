"""The choices of the machine file, varied one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

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

# The section of a variant that is not one of the machine.
_SIMULATION = "simulation"
# The collective and the point-to-point messages of the paper.
_COLLECTIVE, _MESSAGES = _PAIR = ("graph", "point_to_point")
_TIMES = {
    "communication_s": "mean time of a process in an exchange",
    "run_s": "time of a run over its steps",
}
_RESULTS = {
    "exchange_speedup": "time of an exchange by point-to-point messages over the collective",
    "run_speedup": "the same of a run",
    "share": "share of the exchange in the time of a process, by point-to-point messages",
}

# By variant, way, number of processes and seed.
_Found = Mapping[str, Mapping[str, list[list[StepTimes]]]]


def _dataset(found: _Found, processes: list[int], seeds: list[int]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    labels = {"variant": list(found), "way": list(_PAIR), "processes": processes, "seed": seeds}

    def times(name: str) -> Any:
        values = [
            [[[getattr(one, name) for one in some] for some in row[way]] for way in _PAIR]
            for row in found.values()
        ]
        return xr.DataArray(values, labels, list(labels))

    data: xarray.Dataset = xr.Dataset(
        {
            name: times(name).assign_attrs(units="s", long_name=meaning)
            for name, meaning in _TIMES.items()
        }
    )
    exchange, run = (data[name] for name in _TIMES)
    slow = exchange.sel(way=_MESSAGES, drop=True)
    computing = times("computation_s").sel(way=_MESSAGES, drop=True)
    results = (
        slow / exchange.sel(way=_COLLECTIVE, drop=True),
        run.sel(way=_MESSAGES, drop=True) / run.sel(way=_COLLECTIVE, drop=True),
        slow / (slow + computing),
    )
    for (name, meaning), result in zip(_RESULTS.items(), results, strict=True):
        data[name] = result.assign_attrs(units="1", long_name=meaning)
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    processes, seeds = part.processes(full=True), part.seeds(full=True)
    ones = [[StepTimes(1.0, 1.0, 2.0)] * len(seeds)] * len(processes)
    found = dict.fromkeys(part.tables("variants"), dict.fromkeys(_PAIR, ones))
    return _dataset(found, processes, seeds)


def _evaluate(part: Part, context: Context) -> Evaluation:
    steps = int(part.number("steps" if context.full else "reduced_steps"))
    processes, seeds = part.processes(context.full), part.seeds(context.full)
    variants = part.tables("variants")
    machine = part.tables("machines")["machine"]
    mesh = mesh_of(part, context)
    graph = graph_of(mesh)
    found: dict[str, dict[str, list[list[StepTimes]]]] = {}
    for variant, changes in variants.items():
        context.note(f"{variant}: {2 * len(processes) * len(seeds)} runs")
        found[variant] = {name: [] for name in _PAIR}
        changed = merged(machine, {k: v for k, v in changes.items() if k != _SIMULATION})
        simulation = changes.get(_SIMULATION, {})
        for count, name in product(processes, _PAIR):
            owners = partition_of(graph, count, mesh.parent, context.note)
            program = {"steps": steps, **METHODS[name].program}
            found[variant][name].append(
                [
                    simulated(changed, mesh, owners, count, program, seed, simulation)
                    for seed in seeds
                ]
            )
    data = _dataset(found, processes, seeds)
    medians = data.median("seed")
    header = (
        "variant",
        *(f"exchange, {count} processes" for count in processes),
        *(f"run, {count} processes" for count in processes),
        *(f"share (%), {count} processes" for count in processes),
    )
    rows: list[list[Cell]] = [
        [
            variant,
            *(round(float(value), 2) for value in medians.exchange_speedup.sel(variant=variant)),
            *(round(float(value), 2) for value in medians.run_speedup.sel(variant=variant)),
            *(round(100 * float(value), 1) for value in medians.share.sel(variant=variant)),
        ]
        for variant in found
    ]
    return Evaluation(data, {part.name: Table(part.title, header, rows)})


CHOICES = Evaluator(_outline, _evaluate)
