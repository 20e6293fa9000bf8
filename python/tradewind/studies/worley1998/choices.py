"""Which choice of the model decides Table 5: the errors when one of them is made otherwise.

All of them use tables 1 and 3 alone, in another way; `gen` stands for the best implementation, since it has one run per cell.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.tables import Cell, Table
from tradewind.studies.worley1998 import fit, table4
from tradewind.studies.worley1998.printed import (
    ABOUT,
    LIBRARIES,
    MACHINES,
    PROBLEMS,
    run_times,
    serial_rates,
    swaps,
    truncation_of,
)
from tradewind.studies.worley1998.small_runs import simulated_s
from tradewind.studies.worley1998.table5 import GEN, mesh_of, printed_cells

if TYPE_CHECKING:
    import xarray

_LONG, _SHORT = 2097152, 8192


@dataclass(frozen=True)
class Choice:
    """One way to make the prediction.

    Args:
        words: What is done otherwise.
        rate: flop/s in the paper's operations, of (machine, truncation, points per processor).
        machine: What it changes in the machine file of (machine, library).
        program: What it changes in the program.
    """

    words: str
    rate: Callable[[str, int, float], float] = fit.rate_of
    machine: Callable[[str, str], dict[str, dict[str, str]]] = lambda machine, library: {}
    program: dict[str, str] = field(default_factory=dict)


def _rate_of_one_level(machine: str, truncation: int, points: float) -> float:
    return serial_rates()[ABOUT[machine].in_table1, f"T{truncation}L1"]


def _rate_of_one_law(machine: str, truncation: int, points: float) -> float:
    """The same power law for both truncations."""
    _, sizes, rates = zip(*fit.logarithms(machine), strict=True)
    slope, constant = np.polyfit(np.array(sizes), np.array(rates), deg=1)
    return float(np.exp(constant + slope * np.log(points)))


def _memory_of_unordered_swaps(machine: str, library: str) -> dict[str, dict[str, str]]:
    name = ABOUT[machine].in_table3
    mpi, shmem = (swaps()[name, one, "unordered", _LONG] for one in LIBRARIES)
    bandwidth = 2 / (2 / mpi.bandwidth - 2 / shmem.bandwidth)
    return {"node": {"memory_bandwidth": f"{bandwidth:.0f} B/s"}}


def _overheads_of_short_swaps(machine: str, library: str) -> dict[str, dict[str, str]]:
    """So that a swap of 8 kB takes what its printed bandwidth says."""
    short = swaps()[ABOUT[machine].in_table3, library, "unordered", _SHORT]
    costs = fit.message_costs(machine, library)
    rest = 2 * _SHORT / short.bandwidth - _SHORT * costs.per_byte_s - costs.flight_s
    overhead = f"{1e9 * rest / 2:.0f} ns"
    return {"message": {"overhead_send": overhead, "overhead_receive": overhead}}


CHOICES_OF_MODEL = {
    "as chosen": Choice("tables 1 and 3 as in the machine files"),
    "one-level rate": Choice("the rate of one level for all sizes", rate=_rate_of_one_level),
    "one law of rates": Choice("one power law for both truncations", rate=_rate_of_one_law),
    "unordered copies": Choice(
        "memory bandwidth from the unordered swaps", machine=_memory_of_unordered_swaps
    ),
    "free copies": Choice(
        "packing costs nothing",
        machine=lambda machine, library: {"node": {"memory_bandwidth": "1000 GB/s"}},
    ),
    "8 kB overheads": Choice(
        "overheads from the bandwidth of the 8 kB swaps", machine=_overheads_of_short_swaps
    ),
    "own fields": Choice(
        "fields and messages of our model, 9 transforms in a step instead of 13",
        program={"messages": "own"},
    ),
}


def _errors(choice: Choice, machine: str, library: str) -> dict[str, list[float]]:
    """Relative error of each printed cell, by method."""
    errors: dict[str, list[float]] = {}
    for resolution, method, mesh in printed_cells(machine, library):
        problem = PROBLEMS[truncation_of(resolution)]
        px, py = mesh_of(method, mesh)
        program = fit.model(problem.truncation, levels=16, px=px, py=py) | {"method": method}
        found = _step_s(choice, machine, library, program | GEN[method]) * problem.steps
        printed = run_times()[machine, resolution, method, "opt", library, mesh]
        errors.setdefault(method, []).append(found / printed - 1)
    return errors


def _step_s(choice: Choice, machine: str, library: str, program: dict[str, Any]) -> float:
    problem = PROBLEMS[program["truncation"]]
    rate = choice.rate(
        machine, problem.truncation, problem.points(program["levels"]) / program["ranks"]
    )
    changes: dict[str, dict[str, Any]] = dict(choice.machine(machine, library))
    flops = fit.flops_at(machine, problem.truncation, rate)
    changes["node"] = {"flops": f"{flops:.1f} flop/s", **changes.get("node", {})}
    tables = {"machine": changes, "program": program | choice.program}
    return simulated_s(machine, library, tables) / fit.STEPS


def _small_message_loss(choice: Choice, machine: str) -> float:
    """Of MPI against SHMEM where messages are smallest in Table 4: srtrans on 32 processors, T42."""
    program = table4.program("srtrans", 32, "T42", "(0,6)")
    mpi, shmem = (_step_s(choice, machine, library, program) for library in LIBRARIES)
    return mpi / shmem - 1


def _empty() -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    labels = {
        "choice": list(CHOICES_OF_MODEL),
        "machine": list(MACHINES),
        "library": list(LIBRARIES),
    }
    shape = tuple(len(one) for one in labels.values())
    dataset: xarray.Dataset = xr.Dataset(
        {"median_error": (tuple(labels), np.full(shape, np.nan))}, labels
    )
    dataset["median_of_all"] = ("choice", np.full(shape[0], np.nan))
    dataset["small_message_loss"] = (("choice", "machine"), np.full(shape[:2], np.nan))
    return dataset


def evaluate(part: Part, context: Context) -> Evaluation:
    """Simulates the printed cells under each choice."""
    data = _empty()
    rows: list[list[Cell]] = []
    for name, choice in CHOICES_OF_MODEL.items():
        context.note(f"{part.name}: {choice.words}")
        row: list[Cell] = [choice.words]
        everything: list[float] = []
        for machine in MACHINES:
            for library in LIBRARIES:
                found = [
                    abs(one) for some in _errors(choice, machine, library).values() for one in some
                ]
                everything += found
                place = {"choice": name, "machine": machine, "library": library}
                data["median_error"].loc[place] = np.median(found)
                row.append(float(f"{100 * np.median(found):.3g}"))
            loss = _small_message_loss(choice, machine)
            data["small_message_loss"].loc[{"choice": name, "machine": machine}] = loss
        data["median_of_all"].loc[{"choice": name}] = np.median(everything)
        rows.append([*row, float(f"{100 * np.median(everything):.3g}")])
    header = ["choice", *(f"{m} {one}" for m in MACHINES for one in LIBRARIES), "all"]
    title = "Median error of Table 5 in per cent"
    return Evaluation(data, {part.name: Table(title, tuple(header), rows)})


CHOICES = Evaluator(lambda part, context: _empty().fillna(1.0), evaluate)
