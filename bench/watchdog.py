"""Measures what the watchdog of programs on MPI costs, off and on, on 2 processes; as JSON.

Usage: python bench/watchdog.py [--repetitions 9] [--bytes 8 512] [--before PROGRAM]

It starts `mpi_overhead` (cmake --build build/core --target mpi_overhead) with and without
TRADEWIND_WATCHDOG in turn. Times are those of one exchange of the library, ratios those to the same
written by hand on MPI in the same run. `--before` is an `mpi_overhead` of another version, which is
measured in the same turns.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from statistics import median
from typing import Any

from tradewind import mpi
from tradewind.host import usable_cores
from tradewind.mpi.launch import environment

_PROGRAM = Path(__file__).parents[1] / "build" / "core" / "bench" / "mpi_overhead" / "mpi_overhead"
_RANKS = 2

# Time and ratio of each repetition, by operation and bytes.
_Samples = dict[tuple[str, int], list[tuple[float, float]]]


def _run(program: Path, limit: str, samples: int) -> list[dict[str, Any]]:
    """Returns the results of one run."""
    done = subprocess.run(
        [str(mpi.find().launcher), "-n", str(_RANKS), str(program), str(samples)],
        env={**os.environ, **environment(_RANKS, usable_cores()), "TRADEWIND_WATCHDOG": limit},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    results: list[dict[str, Any]] = json.loads(done.stdout)["results"]
    return results


def measure(
    cases: dict[str, tuple[Path, str]], sizes: list[int], repetitions: int, samples: int
) -> list[dict[str, Any]]:
    """Returns the medians of each operation and size, with the least of the times."""
    found: dict[str, _Samples] = {name: {} for name in cases}
    for _ in range(repetitions):
        for name, (program, limit) in cases.items():
            for row in _run(program, limit, samples):
                if row["bytes"] in sizes:
                    key = (row["operation"], row["bytes"])
                    pair = (row["comm_us"], 1 + row["over_duplicate"])
                    found[name].setdefault(key, []).append(pair)
    rows = []
    for key in next(iter(found.values())):
        row: dict[str, Any] = {"operation": key[0], "bytes": key[1]}
        for name, of in found.items():
            times, ratios = zip(*of[key], strict=True)
            row[name] = {
                "median_us": median(times),
                "least_us": min(times),
                "median_ratio": median(ratios),
            }
        rows.append(row)
    return rows


def main() -> int:
    """Runs the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=9)
    parser.add_argument("--samples", type=int, default=51)
    parser.add_argument("--bytes", type=int, nargs="*", default=[8, 512])
    parser.add_argument("--before", type=Path)
    given = parser.parse_args()
    cases = {"off": (_PROGRAM, "off"), "on": (_PROGRAM, "60")}
    if given.before is not None:
        cases = {"before": (given.before, "off"), **cases}
    rows = measure(cases, given.bytes, given.repetitions, given.samples)
    facts = {"load": os.getloadavg()[0], "ranks": _RANKS, "repetitions": given.repetitions}
    print(json.dumps({**facts, "results": rows}, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
