"""Baselines for Table 5: simpler predictions from the same tables 1 and 3.

Each has a run time for every printed cell, from the number of steps and the operations of the paper:

    no communication    operations / (rate * processors)
    Hockney             the same, and latency + 2 n / bandwidth for each exchange of n bytes, of Table 3's swaps
    ideal scaling       the printed time on 4 x 4, divided by the growth of the number of processors

Hockney's sum needs no simulator. A step of a processor has the following messages, with P = px py,
n bytes in the fields of one transform, and V bytes in the tendencies of a column:

    DTH    4 (px - 1) exchanges of a transposition, 13 (n_grid + n_waves) (1 - 1/px) bytes;
           2 log2 py of halfsum, 2 V (1 - 1/py) bytes
    DR     2 log2 px exchanges of dfft, 13 n_grid log2 px bytes;
           2 (py - 1) of the ring, 2 V (1 - 1/py) bytes
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from tradewind import extras
from tradewind.studies.tables import Cell, Table
from tradewind.studies.worley1998 import fit
from tradewind.studies.worley1998.printed import (
    ABOUT,
    LIBRARIES,
    MACHINES,
    PROBLEMS,
    Problem,
    mesh_of,
    run_times,
    swaps,
    truncation_of,
)

if TYPE_CHECKING:
    import xarray

_LEVELS = 16
_TRANSFORMS = 13
_NUMBER_BYTES = 8
_LONG, _SHORT = 2097152, 8192
_SMALLEST = "4x4"
# Real and imaginary parts of three quantities.
_NUMBERS_OF_COEFFICIENT = 6


@dataclass(frozen=True)
class PrintedRun:
    """A printed cell of Table 5.

    Args:
        machine: A name of the table.
        resolution: A name such as T42L16.
        method: DTH or DR.
        library: MPI or SHMEM.
        mesh: A mesh of the table.
    """

    machine: str
    resolution: str
    method: str
    library: str
    mesh: str

    @property
    def labels(self) -> dict[str, str]:
        """The labels by the names of the dimensions."""
        return dict(vars(self))

    @property
    def problem(self) -> Problem:
        """The problem of its truncation."""
        return PROBLEMS[truncation_of(self.resolution)]

    @property
    def processes(self) -> tuple[int, int]:
        """Processors in x and y."""
        return mesh_of(self.method, self.mesh)

    @property
    def processors(self) -> int:
        """The number of all processors."""
        px, py = self.processes
        return px * py

    @property
    def printed_s(self) -> float:
        """The time of the best implementation."""
        return run_times()[
            self.machine, self.resolution, self.method, "opt", self.library, self.mesh
        ]


def printed_runs() -> Iterator[PrintedRun]:
    """Yields all cells that the paper prints."""
    for machine, resolution, method, kind, library, mesh in run_times():
        if kind == "opt":
            yield PrintedRun(machine, resolution, method, library, mesh)


@dataclass(frozen=True)
class Traffic:
    """The traffic of a processor in a step, on average.

    Args:
        exchanges: A send and a receive at once.
        sent: Bytes in all of them.
        packed: Bytes that are read and written once before and once after an exchange.
    """

    exchanges: float
    sent: float
    packed: float


def traffic(run: PrintedRun) -> Traffic:
    """Returns the traffic of PSTSWM with DTH or DR, see above.

    Args:
        run: One cell of Table 5.
    """
    px, py = run.processes
    problem = run.problem
    waves = problem.truncation + 1
    field = _NUMBER_BYTES * _LEVELS / run.processors
    grid = _TRANSFORMS * field * problem.latitudes * problem.longitudes
    fourier = _TRANSFORMS * field * problem.latitudes * 2 * waves
    vector = _NUMBER_BYTES * _LEVELS * _NUMBERS_OF_COEFFICIENT * waves * (waves + 1) / 2 / px
    column = 2 * vector * (1 - 1 / py)
    if run.method == "DR":
        return Traffic(2 * log2(px) + 2 * (py - 1), grid * log2(px) + column, 0.0)
    exchanges = 4 * (px - 1) + 2 * log2(py)
    return Traffic(exchanges, (grid + fourier) * (1 - 1 / px) + column, grid + fourier)


def _nothing(run: PrintedRun) -> float:
    return 0.0


def hockney_s(run: PrintedRun, order: str) -> float:
    """Returns seconds of the exchanges of a step by the latency and the bandwidth of Table 3's swaps.

    Args:
        run: One cell of Table 5.
        order: The swaps of Table 3: `unordered` or `ordered`.
    """
    name = ABOUT[run.machine].in_table3
    long, short = (swaps()[name, run.library, order, size] for size in (_LONG, _SHORT))
    sum_of = traffic(run)
    return sum_of.exchanges * short.latency_s + sum_of.sent * 2 / long.bandwidth


def _unordered(run: PrintedRun) -> float:
    return hockney_s(run, "unordered")


def _ordered(run: PrintedRun) -> float:
    return hockney_s(run, "ordered")


def _packed(run: PrintedRun) -> float:
    """Returns the time of messages, and of the copies before and after each transposition."""
    return _unordered(run) + 4 * traffic(run).packed / fit.memory_bandwidth(run.machine)


COMMUNICATION: Mapping[str, Callable[[PrintedRun], float]] = {
    "no communication": _nothing,
    "Hockney": _unordered,
    "Hockney by ordered swaps": _ordered,
    "Hockney and packing": _packed,
}
RATES: Mapping[str, Callable[[str, int, float], float]] = {
    "rates as predicted": fit.rate_of,
    "rates of one level": fit.rate_of_one_level,
    "rates of the largest problem": fit.rate_of_many_levels,
}
PREDICTION, WITHOUT_PACKETS = "prediction", "prediction without packets"
SCALED, IDEAL = "prediction, scaled to 4x4", "ideal scaling from 4x4"
IDEAL_OF_ALL = "ideal scaling, 4x4 counted as right"
BASELINES = (
    PREDICTION,
    WITHOUT_PACKETS,
    *(f"{one}, {rates}" for one in COMMUNICATION for rates in RATES),
    SCALED,
    IDEAL,
    IDEAL_OF_ALL,
)
DRAWN = (
    PREDICTION,
    WITHOUT_PACKETS,
    "Hockney and packing, rates of one level",
    "Hockney, rates of one level",
    "no communication, rates of one level",
    IDEAL,
)


def run_time_s(run: PrintedRun, communication: str, rates: str) -> float:
    """Returns the run time of 5 days: operations at a rate of Table 1, and the communication of each step.

    Args:
        run: One cell of Table 5.
        communication: The model of the messages, a name of the baselines.
        rates: The rate of a processor, a name of the baselines.
    """
    problem = run.problem
    rate = RATES[rates](run.machine, problem.truncation, problem.points(_LEVELS) / run.processors)
    computing = problem.flops * _LEVELS / run.processors / rate
    return problem.steps * (computing + COMMUNICATION[communication](run))


def _ideal_s(run: PrintedRun) -> float:
    first = replace(run, mesh=_SMALLEST)
    return first.printed_s * first.processors / run.processors


def _simulated_s(run: PrintedRun, data: xarray.Dataset) -> dict[str, float]:
    """Returns the prediction with and without packets, and scaled as if the time on 4 x 4 were known."""
    with_packets, without = (
        float(data[name].sel(run.labels)) for name in ("predicted_s", "analytic_s")
    )
    first = replace(run, mesh=_SMALLEST)
    share = first.printed_s / float(data.predicted_s.sel(first.labels))
    return {
        PREDICTION: with_packets,
        WITHOUT_PACKETS: without,
        SCALED: np.nan if run == first else with_packets * share,
    }


def errors(data: xarray.Dataset) -> xarray.Dataset:
    """Returns errors of all baselines beside those of the prediction.

    Args:
        data: Table 5: predicted_s and analytic_s by machine, resolution, method, library and mesh.

    Returns:
        baseline_error by baseline and cell, NaN where the paper prints nothing or the cell is given.
        baseline_median and baseline_worst of its absolute values. baseline_same_winner, the share
        of pairs of DTH and DR of which it names the faster one.
    """
    xr = extras.need("xarray", "datasets")
    like = data.predicted_s
    labels = {"baseline": list(BASELINES)}
    empty = xr.full_like(like, np.nan).expand_dims(labels).copy()
    for run in printed_runs():
        times = _simulated_s(run, data)
        for one in COMMUNICATION:
            for rates in RATES:
                times[f"{one}, {rates}"] = run_time_s(run, one, rates)
        times[IDEAL] = np.nan if run.mesh == _SMALLEST else _ideal_s(run)
        times[IDEAL_OF_ALL] = _ideal_s(run)
        for name, time_s in times.items():
            empty.loc[{"baseline": name, **run.labels}] = time_s / run.printed_s - 1
    empty.attrs.update(long_name="time of the baseline / printed - 1", units="1")
    sizes = [_sizes(empty.sel(baseline=name)) for name in BASELINES]
    found: xarray.Dataset = xr.Dataset({"baseline_error": empty})
    found["baseline_median"] = ("baseline", [_median(one) for one in sizes])
    found["baseline_worst"] = ("baseline", [max(one, default=np.nan) for one in sizes])
    winners = [_same_winner(empty.sel(baseline=name)) for name in BASELINES]
    found["baseline_same_winner"] = ("baseline", winners)
    return found


def _same_winner(errors_of: xarray.DataArray) -> float:
    """Returns the share of pairs with the right winner; without communication DTH and DR are equal."""
    right = []
    for run in printed_runs():
        other = replace(run, method="DR")
        if run.method != "DTH" or other not in set(printed_runs()):
            continue
        shares = [1 + float(errors_of.sel(one.labels)) for one in (run, other)]
        ratio = other.printed_s / run.printed_s
        found = ratio * shares[1] / shares[0]
        if not np.isnan(found) and not np.isclose(found, 1.0):
            right.append((ratio > 1) == (found > 1))
    return float(np.mean(right)) if right else np.nan


def _sizes(values: xarray.DataArray) -> list[float]:
    """Returns the absolute values of the existing cells."""
    return [abs(float(one)) for one in values.values.ravel() if not np.isnan(one)]


def _median(sizes: list[float]) -> float:
    return float(np.median(sizes)) if sizes else np.nan


def table(data: xarray.Dataset) -> Table:
    """Returns the median and largest error of each baseline, for all cells and by machine and library.

    Args:
        data: The variables `baseline_error` (shares of the printed time) and
            `baseline_same_winner`.
    """
    rows: list[list[Cell]] = []
    for name in BASELINES:
        here = data.baseline_error.sel(baseline=name)
        sizes = _sizes(here)
        parts = [
            _median(_sizes(here.sel(machine=machine, library=library)))
            for machine in MACHINES
            for library in LIBRARIES
        ]
        numbers = [_median(sizes), max(sizes, default=np.nan), *parts]
        winner = float(data.baseline_same_winner.sel(baseline=name))
        rows.append([name, len(sizes), *map(_percent, [*numbers, winner])])
    header = ["baseline", "cells", "median %", "largest %"]
    header += [f"median {m} {one} %" for m in MACHINES for one in LIBRARIES]
    header.append("faster of DTH and DR right %")
    return Table("Errors of Table 5 beside those of baselines", tuple(header), rows)


def _percent(share: float) -> Cell:
    return None if np.isnan(share) else float(f"{100 * share:.3g}")
