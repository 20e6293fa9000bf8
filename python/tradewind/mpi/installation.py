"""The compiled MPI program of this installation and the launcher that belongs to it."""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from tradewind.errors import ConfigError

_PACKAGE = Path(__file__).parent.parent
_PROGRAM = "tradewind-mpi"


@dataclass(frozen=True)
class Mpi:
    """An MPI that programs were built with.

    Args:
        program: The compiled program, such as `tradewind-mpi`.
        launcher: Path of its mpiexec.
        origin: "given" by the user, "wheel" or "system".
        name: Package and version, or compiler wrapper.
    """

    program: Path
    launcher: Path
    origin: str
    name: str


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
            "installed; install the package mpich or set MPI_HOME, and install tradewind again"
        )
    facts = json.loads(description.read_text(encoding="utf-8"))
    return Mpi(program, _launcher(facts), facts["origin"], facts["name"])


def _launcher(facts: dict[str, str]) -> Path:
    """Returns the mpiexec that belongs to the library; another one would start unrelated processes."""
    given = os.environ.get("TRADEWIND_MPIEXEC")
    named = given or facts["launcher"]
    if named:
        found = shutil.which(named)
        if found is None:
            raise ConfigError(f"MPI: the launcher {named} does not exist or cannot be started")
        return Path(found)
    try:
        files = importlib.metadata.files("mpich") or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    for file in files:
        if file.name == "mpiexec":
            return Path(str(file.locate())).resolve()
    raise ConfigError(
        f"MPI: tradewind was built with the {facts['name']}, which this environment does not have"
    )
