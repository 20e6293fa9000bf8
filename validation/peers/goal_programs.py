"""Runs schedules in GOAL on LogGOPSim and on Tradewind's analytic network, with equal parameters of LogGOPS.

    python validation/peers/goal_programs.py --loggopsim DIR [-o goal.md]

DIR has txt2bin and LogGOPSim. Both read the same compiled file.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import measuring
import tradewind as tw

# LogGOPS in nanoseconds and bytes.
LATENCY, OVERHEAD, GAP, PER_BYTE, EAGER = 2500, 1500, 1000, 6, 65535
_FINISHED = re.compile(r"Maximum finishing time at host \d+: (\d+)")
_BUILD = "{}; build LogGOPSim (spcl/LogGOPSim on GitHub) and name its folder with --loggopsim DIR"


class Schedule:
    """A schedule in GOAL as text, whose operations follow each other on each rank unless told."""

    def __init__(self, ranks: int) -> None:
        self.lines: list[list[str]] = [[] for _ in range(ranks)]

    def add(self, rank: int, operation: str, *after: str) -> str:
        """Adds an operation that waits for the ends of others; returns its label."""
        label = f"l{len(self.lines[rank])}"
        self.lines[rank].append(f"{label}: {operation}")
        self.lines[rank] += [f"{label} requires {one}" for one in after]
        return label

    def __str__(self) -> str:
        text = f"num_ranks {len(self.lines)}\n"
        for rank, lines in enumerate(self.lines):
            text += f"rank {rank} {{\n" + "\n".join(lines) + "\n}\n"
        return text


def tree(ranks: int, size: int) -> Schedule:
    """A broadcast along a binomial tree."""
    schedule = Schedule(ranks)
    for rank in range(ranks):
        low = rank & -rank if rank else 1 << (ranks - 1).bit_length()
        last = [schedule.add(rank, f"recv {size}b from {rank - low} tag 1")] if rank else []
        step = low >> 1
        while step:
            if rank + step < ranks:
                last = [schedule.add(rank, f"send {size}b to {rank + step} tag 1", *last)]
            step >>= 1
    return schedule


def pipeline(ranks: int, size: int, pieces: int = 8) -> Schedule:
    """Pieces that go from rank to rank, with a calculation on each."""
    schedule = Schedule(ranks)
    for rank in range(ranks):
        last: list[str] = []
        for piece in range(pieces):
            if rank:
                last = [schedule.add(rank, f"recv {size}b from {rank - 1} tag {piece}", *last)]
            last = [schedule.add(rank, "calc 4000", *last)]
            if rank < ranks - 1:
                last = [schedule.add(rank, f"send {size}b to {rank + 1} tag {piece}", *last)]
    return schedule


def doubling(ranks: int, size: int) -> Schedule:
    """An allreduce by recursive doubling, with a calculation for each sum."""
    schedule = Schedule(ranks)
    for rank in range(ranks):
        last: list[str] = []
        for round_ in range((ranks - 1).bit_length()):
            peer = rank ^ 1 << round_
            sent = schedule.add(rank, f"send {size}b to {peer} tag {round_}", *last)
            got = schedule.add(rank, f"recv {size}b from {peer} tag {round_}", *last)
            last = [schedule.add(rank, f"calc {size // 8}", sent, got)]
    return schedule


def halo(ranks: int, size: int, steps: int = 4) -> Schedule:
    """A halo with two neighbours in a ring, whose messages travel while the inner points are computed."""
    schedule = Schedule(ranks)
    for rank in range(ranks):
        last: list[str] = []
        for step in range(steps):
            messages = [
                schedule.add(
                    rank, f"{way} {(rank + side) % ranks} tag {2 * step + (side != sign)}", *last
                )
                for way, sign in ((f"recv {size}b from", -1), (f"send {size}b to", 1))
                for side in (-1, 1)
            ]
            inner = schedule.add(rank, "calc 20000", *last)
            last = [schedule.add(rank, "calc 3000", inner, *messages)]
    return schedule


def gather(ranks: int, size: int) -> Schedule:
    """Messages of all ranks to the first one, which takes them one after the other."""
    schedule = Schedule(ranks)
    last: list[str] = []
    for rank in range(1, ranks):
        last = [schedule.add(0, f"recv {size}b from {rank} tag 1", *last)]
        schedule.add(rank, f"send {size}b to 0 tag 1")
    return schedule


CASES: list[tuple[str, Callable[[], Schedule]]] = [
    ("broadcast by a binomial tree, 32 ranks, 8 B", lambda: tree(32, 8)),
    ("the same, 4096 B", lambda: tree(32, 4096)),
    ("the same, 100000 B, by rendezvous", lambda: tree(32, 100_000)),
    ("pipeline of 8 pieces, 16 ranks, 4096 B", lambda: pipeline(16, 4096)),
    ("allreduce by recursive doubling, 64 ranks, 8192 B", lambda: doubling(64, 8192)),
    ("halo with overlap, 4 steps, 16 ranks, 2048 B", lambda: halo(16, 2048)),
    ("gather to one rank, 16 ranks, 8192 B", lambda: gather(16, 8192)),
]


def machine(ranks: int) -> dict[str, Any]:
    """Returns a machine with the parameters of LogGOPS."""
    return {
        "topology": {"name": "star", "nodes": ranks},
        "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
        "nic": {"gap": f"{GAP} ns"},
        "message": {
            "latency": f"{LATENCY} ns",
            "gap_per_byte": f"{PER_BYTE} ns/B",
            "overhead_send": f"{OVERHEAD} ns",
            "overhead_receive": f"{OVERHEAD} ns",
            "eager_limit": f"{EAGER} B",
            "control_size": "1 B",
        },
    }


def compare(schedule: Schedule, paths: dict[str, str], folder: Path) -> tuple[float, float]:
    """Returns the times on LogGOPSim and on Tradewind, in microseconds."""
    text, binary = folder / "schedule.goal", folder / "schedule.bin"
    text.write_text(str(schedule), encoding="utf-8")
    measuring.run([paths["txt2bin"], "-i", text, "-o", binary])
    options = {"-L": LATENCY, "-o": OVERHEAD, "-g": GAP, "-G": PER_BYTE, "-O": 0, "-S": EAGER}
    words = [word for option, value in options.items() for word in (option, str(value))]
    done = measuring.run([paths["LogGOPSim"], "-b", "-f", binary, *words])
    finished = _FINISHED.search(done.output)
    if finished is None:
        raise SystemExit(f"LogGOPSim did not print its result:\n{done.output[-600:]}")
    run = tw.simulate(
        {
            "machine": machine(len(schedule.lines)),
            "simulation": {"network": "analytic"},
            "program": {"name": "trace", "trace": str(binary)},
        }
    )
    return int(finished[1]) / 1000, 1e6 * float(run.time_s)


def main() -> None:
    """Runs all schedules."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--loggopsim", type=Path, help="folder of txt2bin and LogGOPSim")
    parser.add_argument("-o", "--output", type=Path, help="file for the table; none: it is printed")
    options = parser.parse_args()
    paths = measuring.programs(("txt2bin", "LogGOPSim"), options.loggopsim, _BUILD)
    lines = ["| schedule | LogGOPSim | Tradewind | difference |", "| --- | ---: | ---: | ---: |"]
    for name, make in CASES:
        with tempfile.TemporaryDirectory() as folder:
            theirs, ours = compare(make(), paths, Path(folder))
        lines.append(f"| {name} | {theirs:.3f} | {ours:.3f} | {100 * (ours / theirs - 1):+.2f} % |")
    table = "\n".join(lines) + "\n"
    if options.output is None:
        print(table, end="")
    else:
        options.output.write_text(table, encoding="utf-8")


if __name__ == "__main__":
    main()
