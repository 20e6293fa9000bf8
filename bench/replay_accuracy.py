"""Measures how long programs take on MPI, and compares with their replay on a calibrated machine file; prints JSON.

    tradewind calibrate -n 2 -o here.toml
    python bench/replay_accuracy.py here.toml [--repeat 3] [--program NAME=COMMAND ...]

Each program is recorded on two processes. Its time is the longest of a rank from the end of MPI_Init to
MPI_Finalize, as recorded; the prediction is the simulated time of the replay, with computation by wall clock.
"""

from __future__ import annotations

import argparse
import json
import shlex
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import tradewind as tw
from tradewind import mpi
from tradewind.inspection.summary import inspect
from tradewind.trace_file import read_trace

RANKS = 2
OURS = """
pstswm
helmholtz grid=[72,36,8]
semi_lagrangian grid=[144,72,8]
transposition grid=[240,180,24]
gcr flops=1e-9 iterations=400
"""


def compared(command: list[str], machine: str) -> dict[str, float]:
    """Records a program once, and returns its measured and its predicted time in seconds."""
    tradewind = [sys.executable, "-m", "tradewind"]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.trace"
        start = [*tradewind, "mpiexec", "-n", str(RANKS), *command]
        subprocess.run(
            [*tradewind, "record", "-o", str(path), "--", *start], check=True, capture_output=True
        )
        program = {"name": "trace", "trace": str(path), "computation": "wall"}
        predicted = tw.simulate({"machine": machine, "program": program}).time_s
        measured = float(inspect(read_trace(path)).per_rank.total_s.max())
    return {
        "measured_s": measured,
        "predicted_s": predicted,
        "relative_error": predicted / measured - 1,
    }


def main() -> None:
    """Compares all programs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("machine", help="machine file of `tradewind calibrate -n 2`")
    parser.add_argument("--repeat", type=int, default=3, help="recordings of each program")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    options = parser.parse_args()
    program = str(mpi.find().program)
    ours = [shlex.split(line) for line in OURS.strip().splitlines()]
    commands = {words[0]: [program, "run", *words] for words in ours}
    for given in options.program:
        name, _, command = given.partition("=")
        commands[name] = shlex.split(command)
    results = {}
    for name, command in commands.items():
        runs = [compared(command, options.machine) for _ in range(options.repeat)]
        middle = statistics.median(abs(run["relative_error"]) for run in runs)
        results[name] = {"runs": runs, "median_error": middle}
    overall = statistics.median(result["median_error"] for result in results.values())
    print(json.dumps({"ranks": RANKS, "median_error": overall, "programs": results}, indent=1))


if __name__ == "__main__":
    main()
