"""The compiled MPI program of this installation and the launcher that belongs to it."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tradewind.errors import ConfigError

_PACKAGE = Path(__file__).parent.parent
_PROGRAM = "tradewind-mpi"
_OTHERS = "TRADEWIND_OTHER_MPI_PROGRAMS"


@dataclass(frozen=True)
class Mpi:
    """An MPI that programs were built with.

    Args:
        program: The compiled program, such as `tradewind-mpi`.
        launcher: Path of its mpiexec.
        origin: "given" by the user, "wheel" or "system".
        name: Package and version, or compiler wrapper.
        variables: Variables that its processes get besides those of `launch.environment`.
    """

    program: Path
    launcher: Path
    origin: str
    name: str
    variables: Mapping[str, str] = field(default_factory=dict)


def find(name: str = _PROGRAM) -> Mpi:
    """Returns the MPI of this installation, or that of the program that TRADEWIND_MPI_PROGRAM names.

    Args:
        name: Which of the programs, which all lie in one folder.

    Raises:
        ConfigError: If the program or its launcher is missing.
    """
    given = os.environ.get("TRADEWIND_MPI_PROGRAM")
    program = Path(given) if given else _PACKAGE / "bin" / _PROGRAM
    if name != _PROGRAM:
        program = program.with_name(name)
    description = program.with_name("mpi.json")
    if not (program.is_file() and description.is_file()):
        raise ConfigError(
            f"no MPI: {program} does not exist, because no MPI was found when tradewind was "
            "installed; set MPI_HOME, or install the package mpich, and install tradewind again"
        )
    facts = json.loads(description.read_text(encoding="utf-8"))
    launcher = _launcher(facts, os.environ.get("TRADEWIND_MPIEXEC"))
    return Mpi(program, launcher, facts["origin"], facts["name"])


def find_all() -> list[Mpi]:
    """Returns the MPI of `find`, then those whose programs TRADEWIND_OTHER_MPI_PROGRAMS names.

    The variable is a list of paths as that of TRADEWIND_MPI_PROGRAM, separated as PATH is.

    Raises:
        ConfigError: If one of them, or its launcher, is missing.
    """
    others = [Path(name) for name in os.environ.get(_OTHERS, "").split(os.pathsep) if name]
    return [find(), *map(_other, others)]


def _other(program: Path) -> Mpi:
    description = program.with_name("mpi.json")
    if not (program.is_file() and description.is_file()):
        raise ConfigError(f"{_OTHERS}: {program} does not exist, or has no mpi.json beside it")
    facts = json.loads(description.read_text(encoding="utf-8"))
    return Mpi(program, _launcher(facts, None), facts["origin"], facts["name"])


def _launcher(facts: dict[str, str], given: str | None) -> Path:
    """Returns the mpiexec that belongs to the library; another one would start unrelated processes."""
    named = given or facts["launcher"]
    if named:
        found = shutil.which(named)
        if found is None:
            raise ConfigError(f"MPI: the launcher {named} does not exist or cannot be started")
        return Path(found)
    launcher = _launcher_of_package()
    if launcher is not None:
        return launcher
    raise ConfigError(
        f"MPI: tradewind was built with the {facts['name']}, which this environment does not have: "
        'pip install "tradewind[mpi]"; or, for the MPI of the system, install tradewind from its '
        "sources with -C cmake.define.TRADEWIND_MPI=mpicc"
    )


def _launcher_of_package() -> Path | None:
    """Returns the mpiexec of the package mpich, by its list of files: importlib.metadata takes long to load."""
    for folder in map(Path, sys.path):
        for record in folder.glob("mpich-*.dist-info/RECORD"):
            for line in record.read_text(encoding="utf-8").splitlines():
                name = line.partition(",")[0]
                if name.rpartition("/")[2] == "mpiexec":
                    return (folder / name).resolve()
    return None
