"""Table 5: run times of 5 days for the machines of the paper, predicted from tables 1 and 3."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.config.experiment import Experiment
from tradewind.runs.run import Run, RunSet
from tradewind.studies.definition import Part, Study
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.tables import Cell, Table
from tradewind.studies.worley1998 import baselines, figures, fit
from tradewind.studies.worley1998.printed import (
    ABOUT,
    LIBRARIES,
    MACHINES,
    MESHES,
    METHODS,
    PROBLEMS,
    RESOLUTIONS,
    mesh_of,
    run_times,
    truncation_of,
)

if TYPE_CHECKING:
    import xarray

_DIMENSIONS = ("machine", "resolution", "method", "library", "mesh")
_COORDINATES = (MACHINES, RESOLUTIONS, METHODS, LIBRARIES, MESHES)
_KINDS = ("gen", "coll")
_Labels = tuple[str, str, str, str, str]

GEN: Mapping[str, dict[str, str]] = {
    "DTH": {"fft": "srtrans", "legendre_allreduce": "halfsum", "protocol": "(0,6)"},
    "DR": {"protocol": "(0,6)"},
}
# Assumed algorithms of the library's collectives of that time: all messages at once, and a
# reduction to one processor followed by a broadcast.
_COLL = {"fft": "burst", "legendre_allreduce": "tree"}
# Settings of the network by the end of the name of a sweep.
_ANALYTIC = " analytic"
_NETWORKS: Mapping[str, Mapping[str, str]] = {
    "": {"packet_size": "auto"},
    _ANALYTIC: {"network": "analytic"},
}


def candidates(method: str, protocols: tuple[str, ...]) -> dict[str, dict[str, str]]:
    """Returns the settings of the program for each way to run a method; `opt` is the best of them.

    Args:
        method: `DTH` or `DR`.
        protocols: The protocols among which `opt` chooses.
    """
    if method == "DR":
        return {protocol: {"protocol": protocol} for protocol in protocols}
    found = {
        f"{fft} {protocol}": {"fft": fft, "protocol": protocol}
        for fft in ("srtrans", "swtrans", "logtrans")
        for protocol in protocols
    }
    return found | {"coll": dict(_COLL)}


def printed_cells(machine: str, library: str) -> list[tuple[str, str, str]]:
    """Returns resolution, method and mesh of the run times that the paper prints.

    Args:
        machine: `T3E` or `Origin2000`.
        library: `MPI` or `SHMEM`.
    """
    return [
        (resolution, method, mesh)
        for resolution in RESOLUTIONS
        for method in METHODS
        for mesh in MESHES
        if (machine, resolution, method, "opt", library, mesh) in run_times()
    ]


def experiments(part: Part, study: Study, full: bool) -> dict[str, Experiment]:
    """Returns sweeps for each machine and library: every printed cell, every way to run it.

    Each is simulated with packets, and without under a name that ends in _ANALYTIC.

    Args:
        part: The part.
        study: The study.
        full: All protocols of the part instead of the reduced ones.
    """
    protocols = part.words("protocols" if full else "reduced_protocols")
    return {
        f"{machine} {library}{ending}": _sweep(machine, library, protocols, simulation)
        for ending, simulation in _NETWORKS.items()
        for machine in MACHINES
        for library in LIBRARIES
    }


def _sweep(
    machine: str, library: str, protocols: tuple[str, ...], simulation: Mapping[str, str]
) -> Experiment:
    series = [
        {"label": f"{resolution} {method} {mesh} {name}"}
        | _values(machine, resolution, mesh_of(method, mesh), {"method": method, **settings})
        for resolution, method, mesh in printed_cells(machine, library)
        for name, settings in candidates(method, protocols).items()
        if name != "coll" or library == "MPI"
    ]
    return Experiment.load(
        {
            "machine": {"name": ABOUT[machine].files[library]},
            "program": fit.model(42, levels=16, px=1, py=1),
            "sweep": {"series": series},
            "simulation": dict(simulation),
        }
    )


def _values(
    machine: str, resolution: str, mesh: tuple[int, int], settings: Mapping[str, str]
) -> dict[str, Any]:
    """Returns the values that a member of the sweep sets, by dotted key."""
    problem = PROBLEMS[truncation_of(resolution)]
    points = problem.latitudes * problem.longitudes * 16 / (mesh[0] * mesh[1])
    flops = fit.flops_of(machine, problem.truncation, points)
    program = fit.model(problem.truncation, levels=16, px=mesh[0], py=mesh[1]) | dict(settings)
    return {"machine.node.flops": f"{flops:.1f} flop/s"} | {
        f"program.{key}": value for key, value in program.items() if key != "name"
    }


def run_time_s(run: Run) -> float:
    """Returns the run time of 5 days: all steps take as long as the simulated ones.

    Args:
        run: A finished run of some steps.
    """
    problem = PROBLEMS[run.spec.program.whole("truncation")]
    return run.time_s / fit.STEPS * problem.steps


def _empty() -> dict[str, Any]:
    shape = tuple(len(labels) for labels in _COORDINATES)
    names = [
        "printed_s",
        "predicted_s",
        "analytic_s",
        *(f"{k}_{w}" for k in _KINDS for w in ("printed", "predicted")),
    ]
    return {name: np.full(shape, np.nan) for name in names}


def _place(labels: _Labels) -> tuple[int, ...]:
    return tuple(names.index(one) for names, one in zip(_COORDINATES, labels, strict=True))


def _fill_printed(values: dict[str, Any]) -> None:
    for (machine, resolution, method, kind, library, mesh), value in run_times().items():
        place = _place((machine, resolution, method, library, mesh))
        values["printed_s" if kind == "opt" else f"{kind}_printed"][place] = value


def _times(runs: Mapping[str, RunSet], ending: str) -> dict[_Labels, dict[str, float]]:
    """Returns run times by cell and way, of the sweeps whose names have this end."""
    times: dict[_Labels, dict[str, float]] = {}
    for name, some in runs.items():
        if name.endswith(_ANALYTIC) != (ending == _ANALYTIC):
            continue
        machine, library = name.removesuffix(ending).split(" ")
        for run in some:
            resolution, method, mesh, way = str(run.parameters["series"]).split(" ", 3)
            labels = (machine, resolution, method, library, mesh)
            times.setdefault(labels, {})[way] = run_time_s(run)
    return times


def _best(found: Mapping[str, float]) -> str:
    """Returns the fastest way, without the collectives of the library."""
    return min((way for way in found if way != "coll"), key=lambda way: found[way])


def _fill_predicted(values: dict[str, Any], runs: Mapping[str, RunSet]) -> dict[_Labels, str]:
    """Returns the best way of each cell."""
    ways = {}
    for labels, found in _times(runs, "").items():
        place, method, library = _place(labels), labels[2], labels[3]
        ways[labels] = _best(found)
        best = found[ways[labels]]
        values["predicted_s"][place] = best
        if library == "MPI":
            gen = found["(0,6)" if method == "DR" else "srtrans (0,6)"]
            values["gen_predicted"][place] = gen / best - 1
        if "coll" in found:
            values["coll_predicted"][place] = found["coll"] / best - 1
    for labels, found in _times(runs, _ANALYTIC).items():
        values["analytic_s"][_place(labels)] = found[_best(found)]
    return ways


def _dataset(values: dict[str, Any]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    about = {
        "printed_s": "run time of 5 days as printed",
        "predicted_s": "run time of 5 days as predicted",
        "analytic_s": "run time of 5 days as predicted without packets",
    }
    variables = {
        name: (
            _DIMENSIONS,
            array,
            {"units": "s" if name in about else "1", "long_name": about.get(name, name)},
        )
        for name, array in values.items()
    }
    dataset: xarray.Dataset = xr.Dataset(
        variables, dict(zip(_DIMENSIONS, map(list, _COORDINATES), strict=True))
    )
    dataset["error"] = dataset.predicted_s / dataset.printed_s - 1
    ratio = {
        kind: dataset[f"{kind}_s"].sel({"method": "DR"}, drop=True)
        / dataset[f"{kind}_s"].sel({"method": "DTH"}, drop=True)
        for kind in ("printed", "predicted")
    }
    known = ratio["printed"].notnull() & ratio["predicted"].notnull()
    agree = (ratio["printed"] > 1) == (ratio["predicted"] > 1)
    dataset["same_winner"] = agree.astype(float).where(known)
    is_clear = abs(np.log(ratio["printed"])) > np.log(1.1)
    dataset["same_clear_winner"] = dataset.same_winner.where(is_clear)
    for kind, values_of in ratio.items():
        dataset[f"dr_over_dth_{kind}"] = values_of
    dataset["error"].attrs.update(long_name="predicted / printed - 1", units="1")
    return dataset.merge(baselines.errors(dataset))


def outline(part: Part, context: Context) -> xarray.Dataset:
    """Returns all cells of the table.

    Args:
        part: The part.
        context: The study, and whether the full series is made.
    """
    return _dataset(_empty()).fillna(1.0)


def evaluate(part: Part, context: Context) -> Evaluation:
    """Fills the table, prints it in the paper's layout, draws it.

    Args:
        part: The part.
        context: The study, and the finished runs.

    Returns:
        The times (s), predicted and printed, with tables and a picture.
    """
    values = _empty()
    _fill_printed(values)
    ways = _fill_predicted(values, context.runs)
    data = _dataset(values)
    tables = {f"table5_{machine.lower()}": table(data, machine, ways) for machine in MACHINES}
    tables["table5_baselines"] = baselines.table(data)
    drawn = {
        "table5": figures.run_times(data),
        "table5_baselines": figures.shares(data, baselines.DRAWN),
    }
    return Evaluation(data, tables, drawn)


def table(data: xarray.Dataset, machine: str, ways: Mapping[_Labels, str]) -> Table:
    """Returns Table 5 of one machine: predicted and printed values of every row, and the error.

    Args:
        data: Times (s), predicted and printed, by library, resolution, method and mesh.
        machine: `T3E` or `Origin2000`.
        ways: The title of each row, by resolution, method and library.
    """
    rows: list[list[Cell]] = []
    for resolution in RESOLUTIONS:
        for method in METHODS:
            for library in LIBRARIES:
                cell = _cells(data, machine, resolution, method, library)
                head: list[Cell] = [resolution, method, "opt", library]
                rows.append([*head, "predicted s", *_numbers(cell.predicted_s, 4)])
                rows.append([*head, "printed s", *_numbers(cell.printed_s, 4)])
                rows.append([*head, "error %", *_numbers(100 * cell.error, 3)])
                best = [ways.get((machine, resolution, method, library, mesh)) for mesh in MESHES]
                rows.append([*head, "best", *best])
        for method, kind in (("DTH", "gen"), ("DTH", "coll"), ("DR", "gen")):
            cell = _cells(data, machine, resolution, method, "MPI")
            head = [resolution, method, kind, "MPI"]
            rows.append([*head, "predicted loss %", *_numbers(100 * cell[f"{kind}_predicted"], 3)])
            rows.append([*head, "printed loss %", *_numbers(100 * cell[f"{kind}_printed"], 3)])
    header = ("resolution", "alg.", "prot.", "library", "what", *MESHES)
    return Table(f"Run times of 5 days on the {machine}", header, rows)


def _cells(data: xarray.Dataset, *labels: str) -> xarray.Dataset:
    """Returns a row of the table; `sel(method=...)` would be a way to interpolate."""
    return data.sel(dict(zip(_DIMENSIONS, labels, strict=False)))


def _numbers(values: xarray.DataArray, digits: int) -> list[Cell]:
    return [None if np.isnan(value) else float(f"{value:.{digits}g}") for value in values.values]


TABLE5 = Evaluator(outline, evaluate, experiments)
