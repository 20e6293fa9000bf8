"""Measures what `tradewind record` costs, and how large traces are; as JSON.

Usage: python bench/recorder_overhead.py [--repetitions 5] [--ranks 64] [--steps 1000 10000]

The program is compiled by the mpicc beside the launcher of this installation. Each case runs with and
without the recorder in turn, and the fastest of all repetitions counts, since other processes only slow
it down. The halo program has messages of 8 KiB on 2 processes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from tradewind import mpi
from tradewind.host import usable_cores
from tradewind.mpi.launch import environment

_SOURCE = Path(__file__).with_suffix(".c")
_SIDE = 1024


class _Program:
    """The compiled program in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        launcher = mpi.find().launcher
        words = [str(launcher.with_name("mpicc")), "-O2", str(_SOURCE), "-o", "program"]
        subprocess.run(words, cwd=folder, check=True)

    def run(self, ranks: int, *arguments: object, recorded: bool) -> float:
        """Runs it and returns the number that it prints."""
        launched = [str(mpi.find().launcher), "-n", str(ranks), "./program", *map(str, arguments)]
        record = [sys.executable, "-m", "tradewind", "record", "-o", "made.trace", "--"]
        done = subprocess.run(
            [*(record if recorded else ()), *launched],
            cwd=self.folder,
            env={**os.environ, **environment(ranks, usable_cores())},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        return float(done.stdout.split()[0])

    def fastest(self, repetitions: int, ranks: int, *arguments: object) -> tuple[float, float]:
        """Returns the fastest run without and with the recorder."""
        pairs = [
            [self.run(ranks, *arguments, recorded=recorded) for recorded in (False, True)]
            for _ in range(repetitions)
        ]
        plain, recorded = zip(*pairs, strict=True)
        return min(plain), min(recorded)

    def trace_bytes(self, ranks: int, steps: int) -> int:
        """Returns the size of the trace of a halo program that hardly computes."""
        self.run(ranks, "halo", steps, 64, 0.01, recorded=True)
        return (self.folder / "made.trace").stat().st_size


def measure(repetitions: int, ranks: int, steps: list[int]) -> dict[str, Any]:
    """Returns all results."""
    with tempfile.TemporaryDirectory() as folder:
        program = _Program(Path(folder))
        plain_ns, recorded_ns = program.fastest(repetitions, 1, "calls", 400_000)
        plain_s, recorded_s = program.fastest(repetitions, 2, "halo", 1000, _SIDE)
        sizes = {str(count): program.trace_bytes(ranks, count) for count in steps}
    return {
        "load": os.getloadavg()[0],
        "call_ns": {"plain": plain_ns, "recorded": recorded_ns, "cost": recorded_ns - plain_ns},
        "halo_step_us": {"plain": plain_s * 1e6, "recorded": recorded_s * 1e6},
        "halo_cost_percent": (recorded_s / plain_s - 1) * 100,
        "trace": {"ranks": ranks, "bytes_by_steps": sizes},
    }


def main() -> int:
    """Runs the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--steps", type=int, nargs="*", default=[1000, 10000])
    given = parser.parse_args()
    print(json.dumps(measure(given.repetitions, given.ranks, given.steps), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
