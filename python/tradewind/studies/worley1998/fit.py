"""Machine files from tables 1 and 3, and from nothing else.

Table 3 counts both messages of a swap. Two messages at once, each way B / 2:

    n (O + G) = n / (B / 2)      O: per byte on the processor, G: on the wire

The latencies of the paper are those of the protocols of largest bandwidth. That of 8 kB is an eager
swap, overhead + flight + overhead. That of 2 MB has two flights more, for the handshake.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tradewind.config.experiment import Experiment
from tradewind.core import load
from tradewind.errors import Error
from tradewind.studies.worley1998.printed import ABOUT, PROBLEMS, serial_rates, swaps

_LONG, _SHORT = 2097152, 8192


@dataclass(frozen=True)
class MessageCosts:
    """The fitted costs of one library on one machine.

    Args:
        overhead_s: Time of a send, and of a receive.
        flight_s: Between neighbours.
        per_byte_s: Time of a byte, on the processor and on the wire together, while another one arrives.
    """

    overhead_s: float
    flight_s: float
    per_byte_s: float


def message_costs(machine: str, library: str) -> MessageCosts:
    """Returns costs from the unordered swaps of Table 3.

    Args:
        machine: `T3E` or `Origin2000`.
        library: `MPI` or `SHMEM`.
    """
    name = ABOUT[machine].in_table3
    long, short = (swaps()[name, library, "unordered", size] for size in (_LONG, _SHORT))
    flight = max((long.latency_s - short.latency_s) / 2, 0.5e-6)
    return MessageCosts((short.latency_s - flight) / 2, flight, 2 / long.bandwidth)


def memory_bandwidth(machine: str) -> float:
    """Returns the bandwidth of a processor's memory, from the excess time of a message with MPI over SHMEM.

    A put stores the data at their destination. MPI copies them once more, and a copy reads and
    writes. In ordered swaps nothing else is in flight meanwhile.

    Args:
        machine: `T3E` or `Origin2000`.
    """
    name = ABOUT[machine].in_table3
    mpi, shmem = (swaps()[name, library, "ordered", _LONG] for library in ("MPI", "SHMEM"))
    return 2 / (1 / mpi.bandwidth - 1 / shmem.bandwidth)


def logarithms(machine: str) -> list[tuple[int, float, float]]:
    """Returns Table 1 of one machine: truncation, logarithms of the points and of the rate in flop/s.

    Args:
        machine: `T3E` or `Origin2000`.
    """
    name = ABOUT[machine].in_table1
    return [
        (
            problem.truncation,
            float(np.log(problem.points(levels))),
            float(np.log(serial_rates()[name, key])),
        )
        for problem in PROBLEMS.values()
        for levels in (1, 3, 16)
        if (name, key := f"T{problem.truncation}L{levels}") in serial_rates()
    ]


def rate_of(machine: str, truncation: int, points: float) -> float:
    """Returns the flop/s of a processor with a number of points of the grid, all levels together.

    The rate is a power law of the points. Its factor belongs to the truncation (lengths of vectors)
    and its exponent to the machine (caches). It is fitted by least squares to the logarithms of the
    five entries of Table 1. The parallel runs have fewer points per processor, so the law is
    extrapolated to them.

    Args:
        machine: `T3E` or `Origin2000`.
        truncation: The truncation of the resolution, such as 42.
        points: Points of the grid on one processor, on all levels.
    """
    known = logarithms(machine)
    matrix = [[*(one == entry[0] for one in PROBLEMS), entry[1]] for entry in known]
    found = np.linalg.lstsq(np.array(matrix, float), [entry[2] for entry in known], rcond=None)[0]
    return float(np.exp(found[list(PROBLEMS).index(truncation)] + found[-1] * np.log(points)))


def rate_of_one_level(machine: str, truncation: int, points: float) -> float:
    """Returns the flop/s of Table 1 for one level, for any number of points of a processor.

    Args:
        machine: `T3E` or `Origin2000`.
        truncation: The truncation of the resolution, such as 42.
        points: Points of the grid on one processor, on all levels; any number.
    """
    return serial_rates()[ABOUT[machine].in_table1, f"T{truncation}L1"]


def rate_of_many_levels(machine: str, truncation: int, points: float) -> float:
    """Returns the flop/s of Table 1 for the largest problem of a truncation.

    Args:
        machine: `T3E` or `Origin2000`.
        truncation: The truncation of the resolution, such as 42.
        points: Points of the grid on one processor, on all levels; any number.
    """
    levels = max(
        n for n in (1, 3, 16) if (_table1(machine), f"T{truncation}L{n}") in serial_rates()
    )
    return serial_rates()[_table1(machine), f"T{truncation}L{levels}"]


def _table1(machine: str) -> str:
    return ABOUT[machine].in_table1


def flops_of(machine: str, truncation: int, points: float) -> float:
    """Returns the `node.flops` with which the model without data computes at that rate.

    Args:
        machine: `T3E` or `Origin2000`.
        truncation: The truncation of the resolution, such as 42.
        points: Points of the grid on one processor, on all levels.
    """
    return flops_at(machine, truncation, rate_of(machine, truncation, points))


@cache
def flops_at(machine: str, truncation: int, rate: float) -> float:
    """Returns the `node.flops` that give the model without data a rate in the operations of the paper.

    The two count operations in different ways. The serial step of the model is given the duration
    of the paper's step at that rate.

    Args:
        machine: `T3E` or `Origin2000`.
        truncation: The truncation of the resolution, such as 42.
        rate: The rate in the operations of the paper, in flop/s.

    Raises:
        Error: If no rate of the model gives that duration.
    """
    wanted = PROBLEMS[truncation].flops / rate
    flops = rate
    # The little time that memory takes makes this converge instead of being exact at once.
    for _ in range(30):
        ratio = _serial_step_s(machine, truncation, flops) / wanted
        flops *= ratio
        if abs(ratio - 1) < 1e-6:
            return flops
    raise Error(
        f"{machine}: no computing rate makes a serial step of T{truncation} take {wanted:g} s"
    )


def _serial_step_s(machine: str, truncation: int, flops: float) -> float:
    program = model(truncation, levels=1, px=1, py=1)
    settings: dict[str, Any] = {
        "machine": {"name": ABOUT[machine].files["MPI"], "node": {"flops": f"{flops:.1f} flop/s"}},
        "program": program,
        "simulation": {"network": "analytic"},
    }
    (member,) = Experiment.load(settings).members()
    return float(load().simulate(member.spec.tables(), lambda *progress: True)["time_s"]) / STEPS


# Whole steps of each simulated run; all steps of the model are alike.
STEPS = 2


def model(truncation: int, *, levels: int, px: int, py: int) -> dict[str, Any]:
    """Returns the [program] table of the model without data, as the paper's code: more fields than ours.

    Args:
        truncation: The truncation of the resolution, such as 42.
        levels: Number of levels.
        px: Processors along the columns of the process grid.
        py: Processors along its rows.
    """
    problem = PROBLEMS[truncation]
    return {
        "name": "pstswm",
        "truncation": truncation,
        "latitudes": problem.latitudes,
        "longitudes": problem.longitudes,
        "levels": levels,
        "time_step": "600 s",
        "steps": STEPS,
        "processes": [px, py],
        "ranks": px * py,
        "messages": "pstswm",
        "start": "under_way",
    }
