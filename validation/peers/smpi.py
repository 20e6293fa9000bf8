"""SMPI, the MPI of SimGrid: finds it, compiles for it, runs on a platform of ours."""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import measuring
from networks import Spec
from simgrid_platform import host, platform, settings
from tradewind.errors import Error

HERE = Path(__file__).parent
_PROGRAMS = ("smpirun", "smpicc", "smpicxx")
_SIMULATED = re.compile(r"The simulation took ([0-9.e+-]+) seconds")


@dataclass(frozen=True)
class Result:
    """A run of SMPI.

    Args:
        time_s: Simulated time, until the last rank has ended.
        wall_s: Of the whole process, the platform included.
        cpu_s: The same in processor time.
        simulation_s: Wall time without start and reading the platform.
        peak_bytes: Peak memory.
    """

    time_s: float
    wall_s: float
    cpu_s: float
    simulation_s: float
    peak_bytes: int


class Smpi:
    """An installation of SimGrid.

    Args:
        prefix: Its folder, with `bin` in it; None is what the path finds.

    Raises:
        ConfigError: If smpirun or a compiler is missing, with what to install.
    """

    def __init__(self, prefix: Path | None = None) -> None:
        message = (
            "SimGrid is needed: {}. Install it (Debian, Ubuntu: apt install libsimgrid-dev), or name "
            "its folder with --simgrid DIR"
        )
        folder = None if prefix is None else prefix / "bin"
        self._path = measuring.programs(_PROGRAMS, folder, message)

    def version(self) -> str:
        """Such as "SimGrid version 3.32"."""
        words = measuring.run([self._path["smpirun"], "-version"])
        return (words.output + words.messages).strip().splitlines()[0]

    def compile_patterns(self, directory: Path) -> Path:
        """Compiles patterns.c; returns the program."""
        target = directory / "patterns"
        compiler = [self._path["smpicc"], "-std=c11", "-O2"]
        measuring.run([*compiler, str(HERE / "patterns.c"), "-o", str(target)])
        return target

    def compile_library(self, directory: Path) -> Path:
        """Compiles Tradewind's algorithms and MpiComm for SMPI; returns the program."""
        build = directory / "smpi-build"
        compiler = f"-DCMAKE_CXX_COMPILER={self._path['smpicxx']}"
        # Without it, CMake's own tests of the compiler would be programs for smpirun.
        pretending = {**os.environ, "SMPI_PRETEND_CC": "1"}
        done = subprocess.run(
            ["cmake", "-S", str(HERE), "-B", str(build), compiler],
            env=pretending,
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode != 0:
            raise Error(f"cmake for SMPI: exit status {done.returncode}:\n{done.stderr[-600:]}")
        measuring.run(["cmake", "--build", build, "--parallel", str(os.cpu_count() or 1)])
        return build / "program_on_smpi"

    def run(self, spec: Spec, program: Path, arguments: Sequence[str], directory: Path) -> Result:
        """Runs a program on the machine of a spec, one rank for each of its ranks.

        Args:
            spec: The sections of a run in base units.
            program: Compiled by `compile_patterns` or `compile_library`.
            arguments: Its arguments.
            directory: For the platform.
        """
        ranks = spec["program"]["ranks"]
        xml, hosts = directory / "platform.xml", directory / "hosts"
        xml.write_text(platform(spec), encoding="utf-8")
        hosts.write_text("".join(f"{host(rank)}\n" for rank in range(ranks)), encoding="utf-8")
        options = [f"--cfg={key}:{value}" for key, value in settings(spec).items()]
        # The programs have no globals, so that ranks need no copy of the program each.
        command = [self._path["smpirun"], "-np", str(ranks), "-no-privatize"]
        files = ["-platform", str(xml), "-hostfile", str(hosts)]
        done = measuring.run([*command, *files, *options, str(program), *arguments])
        return _result(done)


def _result(done: measuring.Process) -> Result:
    answer = [line for line in done.output.splitlines() if line.startswith("{")]
    took = _SIMULATED.search(done.messages + done.output)
    if len(answer) != 1 or took is None:
        raise Error(f"SMPI did not print its result:\n{(done.output + done.messages)[-600:]}")
    time_s = float(json.loads(answer[0])["time_s"])
    return Result(time_s, done.wall_s, done.cpu_s, float(took.group(1)), done.peak_bytes)
