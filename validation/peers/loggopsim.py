"""LogGOPSim on schedules of Tradewind's algorithms: a network without links, LogGOPS for every message."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

import measuring
from loggp import LogGP
from smpi import HERE, Result
from tradewind import cmake_dir
from tradewind.errors import ConfigError, Error

# LogGOPSim counts in whole units of time, and G is 0.1 ns per byte.
_UNIT_S = 1e-10
_FINISHED = re.compile(r"Maximum finishing time at host \d+: (\d+)")
_PROGRAMS = ("txt2bin", "LogGOPSim")


class LogGopSim:
    """LogGOPSim, built by its own makefile.

    Args:
        folder: Where its programs are; None is what the path finds.

    Raises:
        ConfigError: If they are not there.
    """

    def __init__(self, folder: Path | None = None) -> None:
        message = (
            "{}; build LogGOPSim (spcl/LogGOPSim on GitHub) and name its folder src/LogGOPSim with "
            "--loggopsim DIR"
        )
        self._path = measuring.programs(_PROGRAMS, folder, message)
        self._goal: Path | None = None

    def compile_schedules(self, directory: Path) -> None:
        """Compiles goal.cpp against the installed Tradewind."""
        build = directory / "goal-build"
        prefix = f"-DCMAKE_PREFIX_PATH={cmake_dir()}"
        measuring.run(["cmake", "-S", HERE / "goal", "-B", build, prefix])
        measuring.run(["cmake", "--build", build, "--parallel", str(os.cpu_count() or 1)])
        self._goal = build / "goal"

    def run(self, model: LogGP, hops: int, words: Sequence[str], directory: Path) -> Result:
        """Runs the schedule of a program.

        Args:
            model: Whose overheads are equal, in multiples of the unit.
            hops: Links between switches that every message passes.
            words: Number of ranks, program and KEY=VALUE...
            directory: For the schedule.
        """
        if self._goal is None:
            self.compile_schedules(directory)
        text, binary = directory / "schedule.goal", directory / "schedule.bin"
        text.write_text(measuring.run([str(self._goal), *words]).output, encoding="utf-8")
        measuring.run([self._path["txt2bin"], "-i", text, "-o", binary])
        done = measuring.run([self._path["LogGOPSim"], "-b", "-f", binary, *_options(model, hops)])
        finished = _FINISHED.search(done.output)
        if finished is None:
            raise Error(f"LogGOPSim did not print its result:\n{done.output[-600:]}")
        time_s = int(finished.group(1)) * _UNIT_S
        return Result(time_s, done.wall_s, done.cpu_s, done.wall_s, done.peak_bytes)


def _options(model: LogGP, hops: int) -> list[str]:
    if model.overhead_send_s != model.overhead_receive_s:
        raise ConfigError("LogGOPSim has one overhead for sends and receives")
    values = {
        "-L": _units(model.ends_s + hops * model.hop_s),
        "-o": _units(model.overhead_send_s),
        "-g": 0,
        "-G": _units(model.gap_per_byte_s),
        "-O": 0,
        "-S": 2**30,
    }
    return [word for option, value in values.items() for word in (option, str(value))]


def _units(seconds: float) -> int:
    units = round(seconds / _UNIT_S)
    if abs(units * _UNIT_S - seconds) > 1e-6 * seconds:
        raise ConfigError(f"{seconds} s is no multiple of {_UNIT_S} s, the unit of LogGOPSim")
    return units
