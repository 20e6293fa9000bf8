"""Measures what `tradewind record` costs, and how large traces are, beside other recorders; as JSON.

Usage: python bench/recorder_overhead.py [--repetitions 5] [--ranks 64] [--steps 1000 10000]
           [--beside NAME=LIBRARY ...] [--linked NAME=PROGRAM ...]

The program is compiled by the mpicc beside the launcher of this installation. Each case runs without a
recorder, with ours, with each library of --beside preloaded, and as each program of --linked, in turn; the
fastest of all repetitions counts, since other processes only slow it down. Such a program is recorder_overhead.c
as another recorder compiles it: `scorep --nocompiler mpicc -O2`. The halo program has messages of 8 KiB on 2 processes.
Settings of other recorders are those of the environment.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tradewind import mpi
from tradewind.host import usable_cores
from tradewind.mpi.launch import environment

_SOURCE = Path(__file__).with_suffix(".c")
_SIDE = 1024
_TRACE = "made.trace"


@dataclass(frozen=True)
class Recorder:
    """A way to run a program.

    Args:
        name: Its name.
        command: Words before those of the launcher.
        variables: What the launcher sets for the program.
        program: The program, if the recorder is in it.
    """

    name: str
    command: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict)
    program: Path | None = None

    @classmethod
    def tradewind(cls, *options: str) -> Recorder:
        """Returns ours."""
        words = ("-m", "tradewind", "record", *options, "-o", _TRACE, "--")
        return cls("tradewind", (sys.executable, *words))

    @classmethod
    def preloaded(cls, given: str) -> Recorder:
        """Returns the one of an option NAME=LIBRARY."""
        name, library = _named_file(given, "LIBRARY")
        return cls(name, variables={"LD_PRELOAD": str(library)})

    @classmethod
    def linked(cls, given: str) -> Recorder:
        """Returns the one of an option NAME=PROGRAM."""
        name, program = _named_file(given, "PROGRAM")
        return cls(name, program=program)


def _named_file(given: str, what: str) -> tuple[str, Path]:
    """Returns the name and the absolute path of an option NAME=FILE."""
    name, _, file = given.partition("=")
    if not name or not Path(file).is_file():
        raise argparse.ArgumentTypeError(f"{given}: expected NAME={what}, a file")
    return name, Path(file).resolve()


class _Program:
    """The compiled program."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "program"
        launcher = mpi.find().launcher
        words = [str(launcher.with_name("mpicc")), "-O2", str(_SOURCE), "-o", str(self._path)]
        subprocess.run(words, check=True)

    def run(self, recorder: Recorder, ranks: int, *arguments: object) -> tuple[float, int, int]:
        """Runs it in an empty folder.

        Returns:
            The number that it prints; the bytes of all files that were written; those of our trace.
        """
        variables = [word for pair in recorder.variables.items() for word in ("-env", *pair)]
        program = str(recorder.program or self._path)
        launched = [str(mpi.find().launcher), "-n", str(ranks), *variables, program]
        with tempfile.TemporaryDirectory(dir=self._path.parent) as folder:
            done = subprocess.run(
                [*recorder.command, *launched, *map(str, arguments)],
                cwd=folder,
                env={**os.environ, **environment(ranks, usable_cores())},
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            sizes = {
                file.name: file.stat().st_size for file in Path(folder).rglob("*") if file.is_file()
            }
        return _number(done.stdout), sum(sizes.values()), sizes.get(_TRACE, 0)


def _number(text: str) -> float:
    """Returns the number that stands alone in a line: recorders print lines of their own."""
    for line in text.splitlines():
        try:
            return float(line)
        except ValueError:
            continue
    raise RuntimeError(f"the program has printed no number: {text}")


def measure(
    repetitions: int, ranks: int, steps: Sequence[int], halo_steps: int, beside: Sequence[Recorder]
) -> dict[str, Any]:
    """Returns all results: sizes after so many steps, and times of so many steps of a halo program."""
    ways = [Recorder("none"), Recorder.tradewind(), *beside]
    with tempfile.TemporaryDirectory() as folder:
        program = _Program(Path(folder))
        calls, halos = (
            _fastest(program, ways, repetitions, *case)
            for case in ((1, "calls", 400_000), (2, "halo", halo_steps, _SIDE))
        )
        written = {way.name: _bytes(program, way, ranks, steps) for way in ways[1:]}
    return {
        "load": os.getloadavg()[0],
        "ranks": ranks,
        "none": {"call_ns": calls["none"], "halo_step_us": halos["none"] * 1e6},
        "recorders": {
            name: {
                "call_cost_ns": calls[name] - calls["none"],
                "halo_step_us": halos[name] * 1e6,
                "halo_cost_percent": (halos[name] / halos["none"] - 1) * 100,
                **sizes,
            }
            for name, sizes in written.items()
        },
    }


def _fastest(
    program: _Program, ways: Sequence[Recorder], repetitions: int, *case: Any
) -> dict[str, float]:
    """Returns the smallest number of a case by way; the ways take turns."""
    found: dict[str, list[float]] = {way.name: [] for way in ways}
    for _ in range(repetitions):
        for way in ways:
            found[way.name].append(program.run(way, *case)[0])
    return {name: min(numbers) for name, numbers in found.items()}


def _bytes(
    program: _Program, way: Recorder, ranks: int, steps: Sequence[int]
) -> dict[str, dict[str, int]]:
    """Returns the bytes that a halo program which hardly computes leaves, by its steps."""
    if way.name != "tradewind":
        kept = {str(n): program.run(way, ranks, "halo", n, 64, 0.01)[1] for n in steps}
        return {"bytes_by_steps": kept}
    with_raw = Recorder.tradewind("--keep-raw")
    both = {str(n): program.run(with_raw, ranks, "halo", n, 64, 0.01)[1:] for n in steps}
    return {
        "bytes_by_steps": {n: trace for n, (_, trace) in both.items()},
        "raw_bytes_by_steps": {n: whole - trace for n, (whole, trace) in both.items()},
    }


def main() -> int:
    """Runs the measurement."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--steps", type=int, nargs="*", default=[1000, 10000])
    parser.add_argument("--halo-steps", type=int, default=1000)
    parser.add_argument(
        "--beside", type=Recorder.preloaded, action="append", default=[], metavar="NAME=LIBRARY"
    )
    parser.add_argument(
        "--linked", type=Recorder.linked, action="append", default=[], metavar="NAME=PROGRAM"
    )
    given = parser.parse_args()
    others = [*given.beside, *given.linked]
    measured = measure(given.repetitions, given.ranks, given.steps, given.halo_steps, others)
    print(json.dumps(measured, indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
