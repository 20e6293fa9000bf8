"""Runs benchmark cases, each in a process of its own, and prints one JSON object."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from cases import CASES, Case

# Until then, most of the network is touched for the first time.
WARM_UP_S = 12.0

KEPT = (
    "time_s",
    "wall_s",
    "cpu_s",
    "peak_rss_bytes",
    "ranks",
    "nodes",
    "messages",
    "bytes",
    "packets",
    "packet_hops",
    "events",
    "windows",
    "hash",
)


def measure_rate(case: Case, spec: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Hops per second, from the end of a warm-up on until enough processor time has passed."""
    from tradewind import _core, errors

    marks: list[tuple[int, float, float]] = []
    start = time.process_time()

    def progress(_done: int, hops: int, _simulated: int) -> bool:
        now = (hops, time.process_time(), time.perf_counter())
        if now[1] - start < WARM_UP_S * spec["simulation"].get("threads", 1):
            return True
        marks.append(now)
        return now[1] - marks[0][1] < (case.stop_after_s or 0.0)

    with contextlib.suppress(errors.Interrupted):
        _core.simulate(spec, progress)
    hops, cpu, wall = (marks[-1][i] - marks[0][i] for i in range(3))
    return {
        "packet_hops": hops,
        "wall_s": wall,
        "cpu_s": cpu,
        "hops_per_cpu_s": hops / cpu,
        "hops_per_wall_s": hops / wall,
    }


def tell_every_minute(name: str) -> Callable[[int, int, int], bool]:
    """A progress function that writes one line each minute."""
    start = told = time.monotonic()

    def progress(done: int, work: int, simulated: int) -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told >= 60:
            told = now
            line = f"{name}: {now - start:.0f} s, {done} ranks done, {work:.3e} hops or messages, {simulated / 1e9:.3f} ms"
            print(line, file=sys.stderr, flush=True)
        return True

    return progress


def measure(name: str, threads: int | None) -> dict[str, Any]:
    """One repetition of one case, in this process."""
    case = CASES[name]
    spec = case.spec()
    if threads is not None:
        spec["simulation"] = {**spec["simulation"], "threads": threads}
    load = os.getloadavg()[0]
    if case.stop_after_s is not None:
        result = measure_rate(case, spec)
    else:
        from tradewind import _core

        full = _core.simulate(spec, None if case.quick else tell_every_minute(name))
        result = {key: full[key] for key in KEPT}
        result["hops_per_cpu_s"] = full["packet_hops"] / full["cpu_s"]
        result["hops_per_wall_s"] = full["packet_hops"] / full["wall_s"]
    return {"threads": spec["simulation"].get("threads", 1), "load_before": load, **result}


def in_own_process(name: str, threads: int | None) -> dict[str, Any]:
    """One repetition in a fresh process, so that its peak memory is its own."""
    command = [sys.executable, __file__, name, "--child"]
    if threads is not None:
        command += ["--threads", str(threads)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def medians(runs: list[dict[str, Any]]) -> dict[str, float]:
    """Median of every measured number."""
    keys = ("wall_s", "cpu_s", "peak_rss_bytes", "hops_per_cpu_s", "hops_per_wall_s")
    return {key: statistics.median(r[key] for r in runs) for key in keys if key in runs[0]}


def processor() -> str:
    """The processor's name, as the system tells it."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def main() -> None:
    """Parses the command line, runs the cases, prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("cases", nargs="*", help="names of cases (all quick ones by default)")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--threads", type=int, help="instead of the case's own number")
    parser.add_argument(
        "--compare-threads", type=int, nargs="*", help="run with each number, in turn"
    )
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    unknown = [name for name in options.cases if name not in CASES]
    if unknown:
        parser.error(f"unknown case {unknown[0]!r}; known: {', '.join(CASES)}")
    if options.child:
        print(json.dumps(measure(options.cases[0], options.threads)))
        return
    if options.list:
        for name, case in CASES.items():
            print(f"{name:26} {case.summary}")
        return
    numbers = options.compare_threads or [options.threads]
    report: dict[str, Any] = {
        "machine": {
            "processor": processor(),
            "cores": os.cpu_count(),
            "system": platform.platform(),
        },
        "cases": {},
    }
    for name in options.cases or [name for name, case in CASES.items() if case.quick]:
        runs: dict[int | None, list[dict[str, Any]]] = {number: [] for number in numbers}
        for _ in range(options.repeat):
            for number in numbers:
                runs[number].append(in_own_process(name, number))
        report["cases"][name] = {
            "summary": CASES[name].summary,
            "results": [
                {"threads": done[0]["threads"], "median": medians(done), "runs": done}
                for done in runs.values()
            ],
        }
        print(f"{name}: done", file=sys.stderr)
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
