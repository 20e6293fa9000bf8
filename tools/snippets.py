"""Compiles and runs pieces of code that stand in the documentation or in examples/."""

from __future__ import annotations

import difflib
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BUILD = ROOT / "build" / "core"
_LIBRARIES = ("skeleton", "simcomm", "sim", "comm")


class SnippetError(Exception):
    """A piece of code does not do what the text around it says."""


def have_mpi() -> bool:
    """Returns whether the installed tradewind can start programs on MPI."""
    from tradewind import mpi
    from tradewind.errors import ConfigError

    try:
        mpi.find()
    except ConfigError:
        return False
    return True


@cache
def _compiler_folder() -> list[str]:
    """Returns a folder whose mpicc is that of the MPI of tradewind; none without MPI, or if that has none.

    The package mpich may have one, too, beside an MPI of the system that tradewind was built with.
    """
    from tradewind import mpi

    if not have_mpi():
        return []
    compiler = mpi.find().launcher.with_name("mpicc")
    if not compiler.exists():
        return []
    folder = ROOT / "build" / "compiler-of-mpi"
    folder.mkdir(parents=True, exist_ok=True)
    # No link: the compiler of MPICH finds its headers from the place that it was called by.
    made = folder / f"mpicc.{os.getpid()}"
    made.write_text(f'#!/bin/sh\nexec "{compiler}" "$@"\n', encoding="utf-8")
    made.chmod(0o755)
    made.replace(folder / "mpicc")
    return [str(folder)]


def run(command: list[str], folder: Path, seconds: int = 300) -> str:
    """Runs a command without input.

    Args:
        command: Program and arguments.
        folder: Where it runs.
        seconds: Time limit.

    Returns:
        What it wrote to standard output.

    Raises:
        SnippetError: If it fails; with all that it wrote.
    """
    folders = [*_compiler_folder(), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    result = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, "PATH": os.pathsep.join(folders), "COLUMNS": "100", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    if result.returncode != 0:
        raise SnippetError(
            f"{' '.join(command)}: exit status {result.returncode}\n{result.stdout}{result.stderr}"
        )
    return result.stdout


def build_cpp(sources: list[Path], folder: Path) -> Path:
    """Compiles sources into one program against the libraries of `make test-cpp`.

    Raises:
        SnippetError: If they do not compile, or the libraries have not been built.
    """
    libraries = [BUILD / f"libtradewind_{name}.a" for name in _LIBRARIES]
    existing = [str(library) for library in libraries if library.exists()]
    if not existing:
        raise SnippetError(f"{BUILD} holds no libraries: run `make test-cpp` first")
    program = folder / "program"
    compiler = os.environ.get("CXX", "c++").split()
    flags = ["-std=c++20", "-O1", "-Wall", "-Wextra", "-Werror", f"-I{ROOT / 'src'}", "-pthread"]
    group = ["-Wl,--start-group", *existing, "-Wl,--end-group"]
    run([*compiler, *flags, *map(str, sources), *group, "-o", str(program)], folder)
    return program


def compare(expected: str, actual: str) -> None:
    """Compares outputs line by line, blanks at line ends aside; `...` stands for any text.

    Raises:
        SnippetError: With the difference.
    """
    wanted = [line.rstrip() for line in expected.strip("\n").splitlines()]
    given = [line.rstrip() for line in actual.strip("\n").splitlines()]
    pattern = re.escape("\n".join(wanted)).replace(re.escape("..."), ".*")
    if re.fullmatch(pattern, "\n".join(given), re.DOTALL):
        return
    difference = difflib.unified_diff(wanted, given, "expected", "actual", lineterm="")
    raise SnippetError("another output than expected:\n" + "\n".join(difference))
