"""The simulated time of a step of the wave model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.config.mapping import mapped
from tradewind.config.partition import ItemGraph, Numbers, text_of
from tradewind.studies.changes import merged

if TYPE_CHECKING:
    import xarray

ORDERS = ("metis", "mapped", "random", "curve")


@dataclass(frozen=True)
class StepTimes:
    """The times of a step in seconds.

    Args:
        communication_s: The exchange with its waits, the mean of all processes.
        computation_s: The computation, likewise.
        run_s: The time of the run over its steps: that of the slowest process.
    """

    communication_s: float
    computation_s: float
    run_s: float


def median_and_range(values: xarray.DataArray) -> tuple[Numbers, list[Numbers]]:
    """Returns the median over the seeds, and how far the smallest and the largest are from it.

    Args:
        values: An array with the dimension `seed`.
    """
    middle = values.median("seed")
    return middle.values, [
        (middle - values.min("seed")).values,
        (values.max("seed") - middle).values,
    ]


def ordered(
    order: str, graph: ItemGraph, owners: Numbers, processes: int, per_node: int, seed: int
) -> Numbers:
    """Returns the process of each cell in one of the orders.

    Args:
        order: "metis", "mapped", "random", or "curve": pieces of a space-filling curve.
        graph: The cells.
        owners: The process of each cell by METIS.
        processes: Their number.
        per_node: The processes of a node.
        seed: Of the random order.
    """
    if order == "mapped":
        return mapped(graph, owners, processes, per_node)
    if order == "random":
        shuffled: Numbers = np.random.default_rng(seed).permutation(processes)
        return shuffled[owners]
    if order == "curve":
        return np.arange(len(owners)) * processes // len(owners)
    return owners


def simulated(
    machine: Mapping[str, Any],
    mesh: Path,
    owners: Numbers,
    processes: int,
    program: Mapping[str, Any],
    seed: int,
    simulation: Mapping[str, Any] | None = None,
) -> StepTimes:
    """Simulates steps of the model without data.

    Args:
        machine: The table of the machine.
        mesh: The file of the mesh.
        owners: The process of each cell.
        processes: Their number.
        program: Further settings of the program; `steps` among them.
        seed: Of everything random: the variation of computations, and routes.
        simulation: Further settings of the simulation.

    Raises:
        ConfigError: If a setting is wrong.
    """
    table = {
        "name": "fvwam",
        "mesh": str(mesh.resolve()),
        "ranks": processes,
        "partition_file": text_of(owners),
        **program,
    }
    tables = {
        "machine": merged(machine, {"node": {"compute_seed": seed}}),
        "program": table,
        "simulation": {"seed": seed, **(simulation or {})},
    }
    (member,) = Experiment.load(tables).members()
    done = core.load().simulate(member.spec.tables(), lambda *progress: True)
    # The mean of a phase is that of one step.
    means = {str(phase["name"]): float(phase["mean_s"]) for phase in done["phases"]}
    exchange = means.pop("exchange")
    return StepTimes(exchange, sum(means.values()), float(done["time_s"]) / int(program["steps"]))
