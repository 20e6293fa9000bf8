"""Builds a wheel that can be passed on, and tries it in an empty environment without a compiler.

Usage: python tools/check_wheel.py

The wheel lies in build/wheels/dist afterwards. It is built for the package mpich, and has the platform
tag that auditwheel finds, which depends on the system where it is built. It is tried without any extra,
with the extra mpi, and with the extra report; the programs that the trials find on their PATH are those
of the environment alone, but for the trials that record a program in C.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import snippets
from snippets import ROOT, SnippetError

# The same place below the sources as that of the project, so that ccache finds its objects.
BUILD = ROOT / "build" / "wheel"
FOLDER = ROOT / "build" / "wheels"
BUILT = FOLDER / "built"
DIST = FOLDER / "dist"
ENVIRONMENT = FOLDER / "environment"
PLACE = FOLDER / "place"
# Choices of a build that can be passed on.
_AS_PASSED_ON = {
    "CMAKE_BUILD_TYPE:STRING=Release",
    "CMAKE_CXX_FLAGS:STRING=",
    "TRADEWIND_MPI:STRING=auto",
    "TRADEWIND_NATIVE:BOOL=OFF",
    "TRADEWIND_SANITIZE:STRING=",
}


Ended = subprocess.CompletedProcess[str]


class WheelError(Exception):
    """The wheel does not do what it should."""


@dataclass(frozen=True)
class Trial:
    """A command that the wheel is tried with.

    Args:
        words: The command.
        expected: A regular expression of what it prints, on standard output and standard error.
        status: Its exit status.
        has_compiler: The programs of the system are on the PATH, too.
    """

    words: tuple[str, ...]
    expected: str
    status: int = 0
    has_compiler: bool = False


_VERIFY = ("tradewind", "mpi", "-n", "2", "verify")
_COMPILE = ("mpicc", "-g", "ring.c", "-o", "ring")
_RECORD = ("tradewind", "record", "--", "mpiexec", "-n", "1", "tradewind", "--version")
_EXTRAPOLATE = (
    *("tradewind", "extrapolate", "3.trace", "4.trace", "5.trace"),
    *("-o", "ring.pattern", "--check", "7.trace"),
)
_ON_MANY_RANKS = (
    *("tradewind", "simulate", "replay.toml", "--json", "--set", "program.ranks=100"),
    *("--set", "program.trace=ring.pattern"),
)


def _recording(ranks: int) -> Trial:
    words = (*_RECORD[:2], "-o", f"{ranks}.trace", "--", "mpiexec", "-n", str(ranks), "./ring")
    return Trial(words, rf"wrote {ranks}\.trace .*: {ranks} ranks", has_compiler=True)


# By extras, in the order in which they are installed.
TRIALS: dict[str, tuple[Trial, ...]] = {
    "": (
        Trial(("tradewind", "--version"), r"^tradewind \d"),
        Trial(("tradewind", "doctor"), r'mpi .*does not have: pip install "tradewind\[mpi\]"'),
        Trial(_VERIFY, r'^error: MPI: .*pip install "tradewind\[mpi\]"', 2),
        Trial(("tradewind", "simulate", "small.toml", "--json"), r'"time_s": \d'),
        Trial(("tradewind", "explain", "small.toml", "--run", "2"), r"critical path"),
        Trial(("tradewind", "simulate", "small.toml", "-o", "results"), r"tradewind\[report\]"),
    ),
    "mpi": (
        Trial(("tradewind", "doctor"), r"wheel: package mpich"),
        Trial(_VERIFY, r"^mesh_copy \S+: right$"),
        Trial(
            ("mpiexec", "-n", "2", "tradewind", "simulate", "small.toml"), r"2 processes of MPICH"
        ),
        Trial(_RECORD, r"^error: .*compiler", 2),
        Trial(_COMPILE, r"^$", has_compiler=True),
        *map(_recording, (3, 4, 5, 7)),
        Trial(("tradewind", "inspect", "4.trace"), r"MPI_Sendrecv .*MPI_Allreduce"),
        Trial(("tradewind", "simulate", "replay.toml", "--json"), r'"time_s": \d'),
        Trial(_EXTRAPOLATE, r"7\.trace equals the pattern, call by call"),
        Trial(_ON_MANY_RANKS, r'"time_s": \d'),
    ),
    "report": (
        Trial(("tradewind", "simulate", "small.toml", "-o", "pictures"), r"pictures"),
        Trial(("tradewind", "report", "pictures"), r"report\.html"),
    ),
}
_EXPERIMENT = """
[machine]
name = "laptop"

[program]
name = "allreduce"
bytes = "1 KiB"

[sweep]
"program.ranks" = [2, 4]
"""

_REPLAY = """
[machine]
name = "fattree-m"

[program]
name = "trace"
trace = "4.trace"
"""
_RING = """
#include <mpi.h>
int main(int count, char** words) {
    MPI_Init(&count, &words);
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double own[100] = {0}, received[100], sum;
    for (int step = 0; step < 20; ++step) {
        MPI_Sendrecv(own, 100, MPI_DOUBLE, (rank + 1) % ranks, 0, received, 100, MPI_DOUBLE,
                     (rank + ranks - 1) % ranks, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Allreduce(received, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
"""


def run(*words: str | Path) -> str:
    """Runs a tool; returns what it prints, or raises SnippetError."""
    return snippets.run([str(word) for word in words], ROOT, seconds=3600)


def settings() -> tuple[str, ...]:
    """Returns the options of the build.

    The project's own build is used again if it would give the same: for the package mpich, and any processor.
    """
    cache = snippets.BUILD / "CMakeCache.txt"
    chosen = set(cache.read_text(encoding="utf-8").splitlines()) if cache.is_file() else set()
    if chosen.issuperset(_AS_PASSED_ON) and mpi_origin() == "wheel":
        return ("-C", f"build-dir={snippets.BUILD}")
    return ("-C", f"build-dir={BUILD}", "-C", "cmake.define.TRADEWIND_MPI=wheel")


def mpi_origin() -> str:
    """Returns where the MPI of the installed tradewind is from; empty without one."""
    from tradewind import mpi
    from tradewind.errors import ConfigError

    try:
        return mpi.find().origin
    except ConfigError:
        return ""


def build() -> Path:
    """Returns the wheel, built and repaired."""
    for folder in (BUILT, DIST):
        shutil.rmtree(folder, ignore_errors=True)
    pip = (sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation")
    run(*pip, "-w", BUILT, *settings(), ".")
    (built,) = BUILT.glob("*.whl")
    # The package mpich has the library of MPI.
    auditwheel = (sys.executable, "-m", "auditwheel")
    run(*auditwheel, "repair", "--exclude", "libmpi.so*", "-w", DIST, built)
    (wheel,) = DIST.glob("*.whl")
    if not re.search(r"-manylinux_\d+_\d+_\w+\.whl$", wheel.name):
        raise WheelError(f"{wheel.name} has no tag of manylinux")
    return wheel


def install(wheel: Path, extra: str) -> None:
    """Installs the wheel with an extra into the environment."""
    what = f"tradewind[{extra}] @ {wheel.as_uri()}" if extra else str(wheel)
    run("uv", "pip", "install", "--quiet", "--python", ENVIRONMENT / "bin" / "python", what)


def _variables(has_compiler: bool = False) -> dict[str, str]:
    """Returns the variables of the environment, whose programs are the only ones on the PATH."""
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    folders = [str(ENVIRONMENT / "bin"), *(("/usr/bin", "/bin") if has_compiler else ())]
    return {**kept, "PATH": ":".join(folders), "COLUMNS": "300", "NO_COLOR": "1"}


def call(words: tuple[str, ...], bin_folder: Path, variables: dict[str, str]) -> Ended:
    """Runs a command, whose program lies in a folder, at the place of the trials."""
    return subprocess.run(
        [str(bin_folder / words[0]), *words[1:]],
        cwd=PLACE,
        env=variables,
        capture_output=True,
        stdin=subprocess.DEVNULL,
        text=True,
        timeout=300,
        check=False,
    )


def check(trial: Trial) -> None:
    """Runs a trial.

    Raises:
        WheelError: If it prints something else, or ends with another status.
    """
    result = call(trial.words, ENVIRONMENT / "bin", _variables(trial.has_compiler))
    text = result.stdout + result.stderr
    found = re.search(trial.expected, text, re.MULTILINE | re.DOTALL)
    if result.returncode != trial.status or not found or "Traceback" in text:
        raise WheelError(
            f"{' '.join(trial.words)}: status {result.returncode} instead of {trial.status}, or "
            f"not {trial.expected!r}:\n{text}"
        )


def _times(bin_folder: Path, variables: dict[str, str]) -> list[float]:
    result = call(("tradewind", "simulate", "small.toml", "--json"), bin_folder, variables)
    if result.returncode != 0:
        raise WheelError(f"{bin_folder}: status {result.returncode}\n{result.stderr}")
    return [member["time_s"] for member in json.loads(result.stdout)["runs"]]


def check_results() -> None:
    """Compares a simulation by the wheel with one by the tradewind that is installed.

    Raises:
        WheelError: If they are not the same to the last bit.
    """
    by_wheel = _times(ENVIRONMENT / "bin", _variables())
    installed = _times(Path(sys.executable).parent, dict(os.environ))
    if by_wheel != installed or not by_wheel:
        raise WheelError(f"the wheel simulates {by_wheel} s, the installed tradewind {installed} s")


def main() -> int:
    """Builds and tries the wheel; returns 1 if something is wrong."""
    try:
        wheel = build()
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        shutil.rmtree(PLACE, ignore_errors=True)
        PLACE.mkdir()
        files = {"small.toml": _EXPERIMENT, "replay.toml": _REPLAY, "ring.c": _RING}
        for name, content in files.items():
            (PLACE / name).write_text(content, encoding="utf-8")
        run("uv", "venv", "--quiet", "--python", sys.executable, ENVIRONMENT)
        for extra, trials in TRIALS.items():
            install(wheel, extra)
            for trial in trials:
                check(trial)
        check_results()
    except (WheelError, SnippetError) as error:
        print(f"check_wheel: {error}", file=sys.stderr)
        return 1
    count = sum(map(len, TRIALS.values()))
    size = wheel.stat().st_size / 1e6
    print(f"{count} trials of a wheel passed: {wheel.relative_to(ROOT)}, {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
