"""Simulated runs that are too short for a process each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tradewind.config.experiment import Experiment
from tradewind.core import load
from tradewind.studies.worley1998 import fit
from tradewind.studies.worley1998.printed import ABOUT, PROBLEMS


def simulated_s(machine: str, library: str, tables: Mapping[str, Any]) -> float:
    """Returns the simulated time of one run.

    Args:
        machine: A name of tables 4 and 5.
        library: MPI or SHMEM.
        tables: Tables of an experiment; [machine] may change the machine file.
    """
    changes = tables.get("machine", {})
    raw = {
        "simulation": {"packet_size": "auto"},
        **tables,
        "machine": {"name": ABOUT[machine].files[library], **changes},
    }
    (member,) = Experiment.load(raw).members()
    return float(load().simulate(member.spec.tables(), lambda *progress: True)["time_s"])


def step_s(machine: str, library: str, program: Mapping[str, Any]) -> float:
    """Returns the simulated time of a step, with the rate of the machine at its points per processor.

    Args:
        machine: `T3E` or `Origin2000`.
        library: `MPI` or `SHMEM`.
        program: The table [program] of the run.
    """
    problem = PROBLEMS[program["truncation"]]
    points = problem.points(program["levels"]) / program["ranks"]
    flops = fit.flops_of(machine, problem.truncation, points)
    tables = {"machine": {"node": {"flops": f"{flops:.1f} flop/s"}}, "program": program}
    return simulated_s(machine, library, tables) / fit.STEPS
