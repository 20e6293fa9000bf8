"""The wave model on the processes of this machine, by several MPI libraries (figures 6 to 12).

One sandwich runs all libraries and ways forwards and backwards, A B C C B A. The two runs of a way
have their middle at the same moment, so that a steady drift of the machine cancels in their mean.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tradewind import extras, mpi
from tradewind.config.partition import text_of
from tradewind.errors import ConfigError, MpiError
from tradewind.host import usable_cores
from tradewind.models.case import Case
from tradewind.models.run import ModelRun, plan
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.mpi import Mpi
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator, NotTestableError
from tradewind.studies.pang2025 import measured_views as views
from tradewind.studies.pang2025.meshes import graph_of, mesh_of, partition_of

if TYPE_CHECKING:
    import xarray

Array = NDArray[np.float64]

# The families of libraries: Open MPI, and MPICH with those that are made from it.
_MPICH, _OPEN_MPI = "MPICH", "Open MPI"
_LIBRARIES = (_MPICH, _OPEN_MPI)
PAPER = "paper's point-to-point"
_WAYS: Mapping[str, str] = {
    PAPER: "in_order",
    "fair point-to-point": "synchronous",
    "persistent messages": "persistent",
    "collective": "native",
    "non-blocking collective": "native_nonblocking",
}
_STATISTICS = ("smallest", "mean", "largest")
_ESTIMATES = ("better of two", "median", "lowest", "highest")
_TIMES = {
    "communication_s": "time of packing, messages and unpacking",
    "wait_s": "part of the communication in calls of MPI that wait",
    "computation_s": "time of propagation and source terms",
    "run_s": "time of communication and computation",
    "exchange_processor_s": "processor time of the communication",
}
_COMPUTATION = ("propagation", "sources")
_FIELD = "significant_height_m"
# A sandwich runs each way twice.
_TURNS = 2


@dataclass(frozen=True)
class _Size:
    """The size of a series.

    Args:
        steps: Time steps of a run.
        sandwiches: Sandwiches for each number of processes.
        settings: Settings of the model.
    """

    steps: int
    sandwiches: int
    settings: Mapping[str, Any]


def _number(part: Part, full: bool, name: str) -> int:
    return int(part.number(name if full else f"reduced_{name}"))


def _size(part: Part, full: bool, mesh: Path) -> _Size:
    steps = _number(part, full, "steps")
    settings = {
        "mesh": str(mesh.resolve()),
        "steps": steps,
        "time_step": part.word("time_step"),
        "precision": "single",
        "sources": part.word("sources"),
        "wind": "uniform",
        "wind_speed_m_s": 12,
    }
    return _Size(steps, _number(part, full, "sandwiches"), settings)


class _Samples:
    """The results of all runs: [time, library, processes, way, sandwich, turn, statistic]."""

    def __init__(self, part: Part, sandwiches: int) -> None:
        self.processes = part.processes(full=True)
        shape = (len(_LIBRARIES), len(self.processes), len(_WAYS), sandwiches, _TURNS, 3)
        self.times = np.full((len(_TIMES), *shape), np.nan)
        self.volume_mib = np.full((len(self.processes), 3), np.nan)
        self.difference_m = np.full(shape[:3], np.nan)

    def measured(self) -> list[tuple[int, int]]:
        """Returns the places of library and process count of which there are results."""
        known = ~np.isnan(self.times[0, :, :, 0, 0, 0, 0])
        return [(int(row), int(column)) for row, column in zip(*np.nonzero(known), strict=True)]


def _statistics(values: Array) -> list[float]:
    return [float(values.min()), float(values.mean()), float(values.max())]


def _times_of(run: ModelRun) -> list[list[float]]:
    """Returns the statistics over the processes of each of _TIMES."""
    exchange = run.phases["exchange"]
    computation = np.sum(
        [run.phases[name].seconds for name in _COMPUTATION if name in run.phases], axis=0
    )
    values = (
        exchange.seconds,
        exchange.blocked_s,
        computation,
        exchange.seconds + computation,
        exchange.processor_s,
    )
    return [_statistics(one) for one in values]


def family_of(library: str) -> str:
    """Returns the family that the name of a library says."""
    return _OPEN_MPI if library.startswith(_OPEN_MPI) else _MPICH


def _libraries() -> dict[str, tuple[Mpi, str]]:
    """Returns the installed libraries with their full names by family; of a family the first.

    Raises:
        NotTestableError: If there are fewer than two cores, or no MPI.
    """
    if usable_cores() < 2:
        raise NotTestableError("two processes on one core only take turns")
    found: dict[str, tuple[Mpi, str]] = {}
    try:
        for one in mpi.find_all():
            (told,) = mpi.stream("tradewind-mpi", ["info"], 1, library=one)
            found.setdefault(family_of(told["library"]), (one, str(told["library"])))
    except (ConfigError, MpiError) as error:
        raise NotTestableError(str(error)) from None
    return found


def _run(settings: Mapping[str, Any], way: str, processes: int, library: Mpi) -> ModelRun:
    settings = {**settings, "exchange": _WAYS[way]}
    planned = plan(Case.read("fvwam", {"fvwam": settings}), processes)
    try:
        run_on_mpi(planned, library=library)
    except (ConfigError, MpiError) as error:
        raise NotTestableError(f"{way} on {processes} processes: {error}") from None
    return planned


class _Series:
    """All runs of the part, which are put into samples."""

    def __init__(self, samples: _Samples, size: _Size, libraries: Mapping[str, Mpi]) -> None:
        self.samples = samples
        self.size = size
        self.libraries = libraries
        self.reference: Array | None = None

    def run(self, column: int, partition: str) -> None:
        """Runs all sandwiches of one process count, with the cells divided as the text says."""
        forwards = [(family, way) for family in self.libraries for way in _WAYS]
        settings = {**self.size.settings, "partition_file": partition}
        for sandwich in range(self.size.sandwiches):
            for turn, order in enumerate((forwards, forwards[::-1])):
                for family, way in order:
                    processes = self.samples.processes[column]
                    run = _run(settings, way, processes, self.libraries[family])
                    place = (_LIBRARIES.index(family), column, list(_WAYS).index(way))
                    self._keep(run, place, (sandwich, turn))

    def _keep(self, run: ModelRun, place: tuple[int, int, int], turn: tuple[int, int]) -> None:
        self.samples.times[(slice(None), *place, *turn)] = _times_of(run)
        received = run.phases["exchange"].received_bytes / 2**20
        self.samples.volume_mib[place[1]] = _statistics(received)
        height = run.final.fields[_FIELD]
        if self.reference is None:
            self.reference = height
        difference = float(np.max(np.abs(height - self.reference)))
        known = self.samples.difference_m[place]
        self.samples.difference_m[place] = np.fmax(known, difference)


def _better(times: Array) -> Array:
    """Returns of the two runs of each sandwich the one that ends first: [time, way, sandwich, statistic].

    Args:
        times: [time, way, sandwich, turn, statistic].
    """
    run_s = times[list(_TIMES).index("run_s"), :, :, :, _STATISTICS.index("largest")]
    chosen = run_s.argmin(axis=-1)[np.newaxis, :, :, np.newaxis, np.newaxis]
    taken: Array = np.take_along_axis(times, chosen, axis=3)[:, :, :, 0]
    return taken


def _estimates(times: Array) -> Array:
    """Returns [estimate, time, way, statistic] from [time, way, sandwich, turn, statistic]."""
    runs = times.reshape(*times.shape[:2], -1, times.shape[-1])
    return np.stack(
        [
            np.median(_better(times), axis=2),
            np.median(runs, axis=2),
            runs.min(axis=2),
            runs.max(axis=2),
        ]
    )


def _speedups(times: Array) -> Array:
    """Returns the time of the paper's way over that of each way: [estimate, time, way, statistic].

    Each sandwich has a ratio. The estimates are the medians and the ends of the sandwiches.

    Args:
        times: [time, way, sandwich, turn, statistic].
    """
    paper = list(_WAYS).index(PAPER)
    better, mean = _better(times), times.mean(axis=3)
    of_better = better[:, [paper]] / better
    ratios = mean[:, [paper]] / mean
    return np.stack(
        [
            np.median(of_better, axis=2),
            np.median(ratios, axis=2),
            ratios.min(axis=2),
            ratios.max(axis=2),
        ]
    )


def _dataset(samples: _Samples) -> xarray.Dataset:
    """Returns the estimates of all times and speed-ups; missing ones are NaN."""
    xr = extras.need("xarray", "datasets")
    labels: dict[str, Sequence[Any]] = {
        "estimate": _ESTIMATES,
        "library": _LIBRARIES,
        "processes": samples.processes,
        "way": list(_WAYS),
        "statistic": _STATISTICS,
    }
    shape = tuple(len(some) for some in labels.values())
    estimates = np.full((len(_TIMES), *shape), np.nan)
    speedups = np.full((len(_TIMES), *shape), np.nan)
    for library, column in samples.measured():
        times = samples.times[:, library, column]
        for target, function in ((estimates, _estimates), (speedups, _speedups)):
            target[:, :, library, column] = function(times).swapaxes(0, 1)
    variables: dict[str, Any] = {}
    for index, (name, meaning) in enumerate(_TIMES.items()):
        about = {"units": "s", "long_name": f"{meaning} of a process"}
        variables[name] = (tuple(labels), estimates[index], about)
    for name, quantity in (("speedup_communication", "communication_s"), ("speedup_run", "run_s")):
        about = {"units": "1", "long_name": f"{_TIMES[quantity]}: {PAPER} over each way"}
        variables[name] = (tuple(labels), speedups[list(_TIMES).index(quantity)], about)
    about = {"units": "MiB", "long_name": "received volume of a process"}
    variables["volume_mib"] = (("processes", "statistic"), samples.volume_mib, about)
    about = {"units": "m", "long_name": "largest difference of the significant height"}
    variables["difference_m"] = (("library", "processes", "way"), samples.difference_m, about)
    data: xarray.Dataset = xr.Dataset(
        variables, {name: list(some) for name, some in labels.items()}
    )
    shared = [count > usable_cores() for count in samples.processes]
    data["oversubscribed"] = ("processes", shared)
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    return _dataset(_Samples(part, 1)).fillna(1.0)


def _evaluate(part: Part, context: Context) -> Evaluation:
    libraries = _libraries()
    missing = [family for family in _LIBRARIES if family not in libraries]
    if missing:
        context.note(f"{part.name}: no {missing[0]} here, see TRADEWIND_OTHER_MPI_PROGRAMS")
    mesh = mesh_of(part, context)
    graph = graph_of(mesh)
    size = _size(part, context.full, mesh)
    samples = _Samples(part, size.sandwiches)
    series = _Series(samples, size, {family: one for family, (one, _) in libraries.items()})
    load = os.getloadavg()[0]
    for processes in part.processes(context.full):
        context.note(f"{part.name}: {len(_WAYS)} ways on {processes} processes")
        owners = partition_of(graph, processes, mesh.parent, context.note)
        series.run(samples.processes.index(processes), text_of(owners))
    data = _dataset(samples).assign_attrs(
        cells=len(graph.owners),
        steps=size.steps,
        sandwiches=size.sandwiches,
        cores=usable_cores(),
        load_at_start=load,
        libraries=[name for _, name in libraries.values()],
    )
    return Evaluation(data, views.tables(part.name, data), views.figures(part.name, data))


MEASURED = Evaluator(_outline, _evaluate)
