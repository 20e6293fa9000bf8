"""The errors of Table 5 when one choice of the model is changed.

All of them use tables 1 and 3 alone, in another way. `gen` stands for the best implementation, since
it has one run per cell. Some choices were made when Table 5 was known. The range of errors under
these shows the value of the prediction.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.config.machine import load_machine
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.tables import Cell, Table
from tradewind.studies.worley1998 import fit, table4
from tradewind.studies.worley1998.printed import (
    ABOUT,
    LIBRARIES,
    MACHINES,
    PROBLEMS,
    mesh_of,
    run_times,
    swaps,
    truncation_of,
)
from tradewind.studies.worley1998.small_runs import simulated_s
from tradewind.studies.worley1998.table5 import GEN, printed_cells

if TYPE_CHECKING:
    import xarray

_LONG, _SHORT = 2097152, 8192


@dataclass(frozen=True)
class Choice:
    """One way to make the prediction.

    Args:
        words: The changed choice, in words.
        in_sight: True if the choice was made with Table 5 in sight.
        rate: flop/s in the paper's operations, of (machine, truncation, points per processor).
        machine: Its changes of the machine file of (machine, library).
        program: Its changes of the program.
        simulation: The table of that name.
        steps: Number of steps in 5 days, relative to those of `PROBLEMS`.
    """

    words: str
    in_sight: bool = True
    rate: Callable[[str, int, float], float] = fit.rate_of
    machine: Callable[[str, str], dict[str, dict[str, str]]] = lambda machine, library: {}
    program: dict[str, str] = field(default_factory=dict)
    simulation: dict[str, str] = field(default_factory=lambda: {"packet_size": "auto"})
    steps: float = 1.0


def _rate_of_one_law(machine: str, truncation: int, points: float) -> float:
    """Returns the rate by one power law for both truncations."""
    _, sizes, rates = zip(*fit.logarithms(machine), strict=True)
    slope, constant = np.polyfit(np.array(sizes), np.array(rates), deg=1)
    return float(np.exp(constant + slope * np.log(points)))


def _memory_of_unordered_swaps(machine: str, library: str) -> dict[str, dict[str, str]]:
    name = ABOUT[machine].in_table3
    mpi, shmem = (swaps()[name, one, "unordered", _LONG] for one in LIBRARIES)
    bandwidth = 2 / (2 / mpi.bandwidth - 2 / shmem.bandwidth)
    return {"node": {"memory_bandwidth": f"{bandwidth:.0f} B/s"}}


def _free_copies(machine: str, library: str) -> dict[str, dict[str, str]]:
    return {"node": {"memory_bandwidth": "1000 GB/s"}}


def _bytes_of_ordered_swaps(machine: str, library: str) -> dict[str, dict[str, str]]:
    """Returns settings by which a message of 2 MB takes as long as with no message the other way."""
    ordered = swaps()[ABOUT[machine].in_table3, library, "ordered", _LONG]
    nic = load_machine(ABOUT[machine].files[library]).hardware.nic
    on_wire = 1 / nic.number("injection_bandwidth")
    per_byte = 1 / ordered.bandwidth - on_wire
    return {"message": {"overhead_per_byte": f"{1e9 * per_byte:.4f} ns/B"}}


def _overheads_of_short_swaps(machine: str, library: str) -> dict[str, dict[str, str]]:
    """Returns settings by which a swap of 8 kB takes as long as its printed bandwidth implies."""
    short = swaps()[ABOUT[machine].in_table3, library, "unordered", _SHORT]
    costs = fit.message_costs(machine, library)
    rest = 2 * _SHORT / short.bandwidth - _SHORT * costs.per_byte_s - costs.flight_s
    overhead = f"{1e9 * rest / 2:.0f} ns"
    return {"message": {"overhead_send": overhead, "overhead_receive": overhead}}


def _no_handshake(machine: str, library: str) -> dict[str, dict[str, str]]:
    return {"message": {"eager_limit": "1 GiB"}}


def _arbiter(name: str) -> Choice:
    def changes(machine: str, library: str) -> dict[str, dict[str, str]]:
        return {"switch": {"arbitration": name}}

    return Choice(f"switches by {name}", in_sight=False, machine=changes)


AS_CHOSEN = "as chosen"
CHOICES_OF_MODEL = {
    AS_CHOSEN: Choice("tables 1 and 3 as in the machine files"),
    "one-level rate": Choice("the rate of one level for all sizes", rate=fit.rate_of_one_level),
    "many-level rate": Choice(
        "the rate of the largest problem for all sizes", rate=fit.rate_of_many_levels
    ),
    "one law of rates": Choice("one power law for both truncations", rate=_rate_of_one_law),
    "unordered copies": Choice(
        "memory bandwidth from the unordered swaps", machine=_memory_of_unordered_swaps
    ),
    "own messages": Choice(
        "13 fields by our own dfft and ring, not by those that PSTSWM's are taken for",
        program={"messages": "pstswm_fields"},
    ),
    "own fields": Choice(
        "fields and messages of our model, 9 transforms in a step instead of 13",
        program={"messages": "own"},
    ),
    "free copies": Choice("packing costs nothing", in_sight=False, machine=_free_copies),
    "ordered bytes": Choice(
        "time of a byte from the ordered swaps", in_sight=False, machine=_bytes_of_ordered_swaps
    ),
    "8 kB overheads": Choice(
        "overheads from the bandwidth of the 8 kB swaps",
        in_sight=False,
        machine=_overheads_of_short_swaps,
    ),
    "no handshake": Choice(
        "long messages without a handshake", in_sight=False, machine=_no_handshake
    ),
    "no packets": Choice(
        "no packets: the analytic network", in_sight=False, simulation={"network": "analytic"}
    ),
    "packets of 512 bytes": Choice(
        "packets of 512 bytes instead of 4 KiB",
        in_sight=False,
        simulation={"packet_size": "512 B"},
    ),
    "first come": _arbiter("first_come"),
    "round robin": _arbiter("round_robin"),
    "oldest first": _arbiter("oldest_first"),
    "transit first": _arbiter("transit_first"),
    "weighted": _arbiter("weighted"),
    # The paper prints no time step; these are the nearest round values.
    "shorter steps": Choice("time steps of 900 s and 450 s", steps=4 / 3),
    "longer steps": Choice("time steps of 1800 s and 900 s", steps=2 / 3),
}
# The time step is a number that the paper lacks, not a choice of the model.
_OF_TIME = ("shorter steps", "longer steps")


def _errors(choice: Choice, machine: str, library: str) -> dict[str, list[float]]:
    """Returns the relative error of each printed cell, by method."""
    errors: dict[str, list[float]] = {}
    for resolution, method, mesh in printed_cells(machine, library):
        problem = PROBLEMS[truncation_of(resolution)]
        px, py = mesh_of(method, mesh)
        program = fit.model(problem.truncation, levels=16, px=px, py=py) | {"method": method}
        found = _step_s(choice, machine, library, program | GEN[method])
        found *= problem.steps * choice.steps
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
    tables = {
        "machine": changes,
        "program": program | choice.program,
        "simulation": choice.simulation,
    }
    return simulated_s(machine, library, tables) / fit.STEPS


def _small_message_loss(choice: Choice, machine: str) -> float:
    """Returns the loss of MPI against SHMEM for srtrans on 32 processors at T42.

    These are the smallest messages of Table 4.
    """
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
    for name in ("median_of_all", "largest_of_all", "median_in_sight"):
        dataset[name] = ("choice", np.full(shape[0], np.nan))
    dataset["small_message_loss"] = (("choice", "machine"), np.full(shape[:2], np.nan))
    return dataset


def _row(data: xarray.Dataset, name: str, choice: Choice) -> list[Cell]:
    """Fills in one choice; returns its line of the table."""
    medians, everything = [], []
    for machine in MACHINES:
        for library in LIBRARIES:
            errors = _errors(choice, machine, library)
            found = [abs(one) for some in errors.values() for one in some]
            everything += found
            medians.append(float(np.median(found)))
            place = {"choice": name, "machine": machine, "library": library}
            data["median_error"].loc[place] = medians[-1]
        loss = _small_message_loss(choice, machine)
        data["small_message_loss"].loc[{"choice": name, "machine": machine}] = loss
    medians += [float(np.median(everything)), max(everything)]
    data["median_of_all"].loc[{"choice": name}] = medians[-2]
    data["largest_of_all"].loc[{"choice": name}] = medians[-1]
    if choice.in_sight and name not in _OF_TIME:
        data["median_in_sight"].loc[{"choice": name}] = medians[-2]
    when = "-" if name == AS_CHOSEN else "yes" if choice.in_sight else "no"
    return [choice.words, when, *(float(f"{100 * one:.3g}") for one in medians)]


def evaluate(part: Part, context: Context) -> Evaluation:
    """Simulates the printed cells under each choice.

    Args:
        part: The part.
        context: The study, and where to write messages.

    Returns:
        The median errors by choice, with a table.
    """
    data = _empty()
    rows: list[list[Cell]] = []
    for name, choice in CHOICES_OF_MODEL.items():
        context.note(f"{part.name}: {choice.words}")
        rows.append(_row(data, name, choice))
    header = ["choice", "settled with Table 5 in sight"]
    header += [*(f"{m} {one}" for m in MACHINES for one in LIBRARIES), "all", "largest"]
    title = "Median error of Table 5 in per cent, one choice at a time made otherwise"
    return Evaluation(data, {part.name: Table(title, tuple(header), rows)})


CHOICES = Evaluator(lambda part, context: _empty().fillna(1.0), evaluate)
