"""Predicts whole programs on a calibrated machine file, and measures them with `tradewind mpi run`; prints JSON.

    python bench/calibration_programs.py [--machine here.toml] [--limit 120] [--percentile 50] [--rounds 6]

None of the programs is in the fit. Without --machine the machine is calibrated first, on two processes. Each
round runs every program once more as a new MPI job, so that a drift of the machine hits all alike. The time
of a job is the percentile of its repetitions, and a program's time is the median over the rounds.

Of models the time of some steps is compared, which is the difference of two runs: the set-up is left out.
The machine file has one rate of computation, that of the transforms. So `error_own_rate` is the error with
the rate at which the model itself computes on one process.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import tomllib
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import tradewind as tw
from tradewind import mpi
from tradewind.bench.intervals import FEWEST_VALUES, signed_rank_interval
from tradewind.config.machine import load_machine

RANKS = 2
REPETITIONS = 30
WARM_UP = 3
# Programs with the settings of both, the measurement and the prediction.
_GIVEN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
PATTERNS: dict[str, dict[str, Any]] = _GIVEN["patterns"]
MODELS: dict[str, dict[str, Any]] = _GIVEN["models"]
# The steps of the two runs whose difference is the time of steps.
FEW_STEPS, MORE_STEPS = 2, 7


def measured_s(program: dict[str, Any], ranks: int, percentile: float) -> float:
    """Runs a program as an MPI job; returns the percentile of its repetitions in s."""
    words = [
        f"{key}={json.dumps(value).replace(' ', '')}"
        for key, value in program.items()
        if key != "name"
    ]
    amount = [f"repetitions={REPETITIONS}", f"warm_up={WARM_UP}"]
    result = mpi.run(["run", program["name"], *words, *amount], ranks)
    return float(np.percentile(result["seconds"], percentile))


def predicted_s(
    program: dict[str, Any], machine: str, ranks: int, flops: float | None = None
) -> float:
    """Simulates a program on a machine file, or with another rate of computation; returns its time in s."""
    tables = {
        "machine": machine,
        "program": program | {"ranks": ranks},
        "simulation": {"network": "analytic"},
    }
    changed = {} if flops is None else {"machine.node.flops": f"{flops / 1e9} Gflop/s"}
    return float(tw.simulate(tables, changed).time_s)


def of_steps(program: dict[str, Any], time_of: Callable[[dict[str, Any]], float]) -> float:
    """Returns the time of the steps that one run has more than the other one."""
    few, more = (time_of(program | {"steps": steps}) for steps in (FEW_STEPS, MORE_STEPS))
    return more - few


def compared(times: list[float], predicted: float) -> dict[str, Any]:
    """Returns the measured times of the rounds beside the predicted one."""
    measured = statistics.median(times)
    found = {
        "measured_s": measured,
        "rounds_s": times,
        "predicted_s": predicted,
        "error": predicted / measured - 1,
    }
    if len(times) >= FEWEST_VALUES:
        interval = signed_rank_interval(times)
        found["interval_s"] = [interval.low, interval.high]
    return found


def with_own_rate(
    program: dict[str, Any], machine: str, alone_s: float, found: dict[str, Any]
) -> dict[str, Any]:
    """Adds the prediction with the rate at which a model computes on one process.

    Args:
        program: The model.
        machine: The machine file.
        alone_s: The measured time of its steps on one process.
        found: The comparison with the rate of the machine file.
    """
    rate = load_machine(machine).hardware.node.number("flops")
    predicted_alone = of_steps(program, lambda one: predicted_s(one, machine, 1))
    own = rate * predicted_alone / alone_s
    predicted = of_steps(program, lambda one: predicted_s(one, machine, RANKS, own))
    return found | {
        "alone_s": alone_s,
        "own_flops": own,
        "predicted_own_rate_s": predicted,
        "error_own_rate": predicted / found["measured_s"] - 1,
    }


def calibrated(folder: str, limit: float, percentile: float) -> str:
    """Calibrates this machine; returns the file."""
    file = str(Path(folder) / "here.toml")
    words = ["calibrate", "-n", str(RANKS), "-o", file]
    amount = ["--limit", str(limit), "--percentile", str(percentile)]
    command = [sys.executable, "-m", "tradewind", *words, *amount]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return file


def results(machine: str, rounds: int, percentile: float) -> dict[str, Any]:
    """Measures and predicts all programs."""
    load = os.getloadavg()[0]
    times: dict[str, list[float]] = defaultdict(list)
    alone: dict[str, list[float]] = defaultdict(list)
    for _ in range(rounds):
        for name, program in PATTERNS.items():
            times[name].append(measured_s(program, RANKS, percentile))
        for name, program in MODELS.items():
            for ranks, found in ((RANKS, times), (1, alone)):
                steps = of_steps(program, lambda one, n=ranks: measured_s(one, n, percentile))  # type: ignore[misc]
                found[name].append(steps)
    programs = {
        name: compared(times[name], predicted_s(program, machine, RANKS))
        for name, program in PATTERNS.items()
    }
    for name, program in MODELS.items():
        predicted = of_steps(program, lambda one: predicted_s(one, machine, RANKS))
        found = compared(times[name], predicted)
        programs[name] = with_own_rate(program, machine, statistics.median(alone[name]), found)
    own = [one.get("error_own_rate", one["error"]) for one in programs.values()]
    return {
        "ranks": RANKS,
        "percentile": percentile,
        "load_before": load,
        "cores": os.cpu_count(),
        "median_error": statistics.median(abs(one["error"]) for one in programs.values()),
        "median_error_own_rate": statistics.median(map(abs, own)),
        "programs": programs,
    }


def main() -> None:
    """Compares all programs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--machine", help="machine file of `tradewind calibrate -n 2`")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds of the calibration")
    parser.add_argument("--percentile", type=float, default=50.0, help="of the repetitions")
    parser.add_argument("--rounds", type=int, default=FEWEST_VALUES, help="jobs of each program")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        machine = given.machine or calibrated(folder, given.limit, given.percentile)
        print(json.dumps(results(machine, given.rounds, given.percentile), indent=1))


if __name__ == "__main__":
    main()
