"""Starts the MPI program on a number of ranks and says in plain words what went wrong."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tradewind.errors import ConfigError, MpiError
from tradewind.host import usable_cores
from tradewind.mpi.installation import Mpi, find

# Variables in which launchers give the number of this process, and that of all processes.
_WORLD = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
# The names of libraries of MPI, and the name of their ABI in mpi4py.
_LIBRARIES = {b"libmpi.so.40": "openmpi", b"libmpich.so": "mpich", b"libmpi.so.12": "mpich"}
# The start of what a program of Tradewind says, and of the last line after those on all ranks.
_OWN = "tradewind: "
_WATCHDOG = "the watchdog ends the job"
# Texts of launchers that refuse more ranks than cores or the allocation has.
_TOO_MANY = ("not enough slots", "More processors requested", "oversubscri")


def environment(ranks: int, cores: int) -> dict[str, str]:
    """Returns the variables that make any MPI start as root and on few cores.

    Args:
        ranks: Processes to be started.
        cores: Cores that they may use. Where ranks outnumber them, MPICH must give way while it
            waits: without this its collectives take 40 to 80 times as long.
    """
    variables = {
        "TRADEWIND_MPI_RANKS": str(ranks),
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
        "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
        "OMPI_MCA_osc": "^ucx",
    }
    if ranks > cores:
        variables["MPIR_CVAR_ENABLE_HEAVY_YIELD"] = "1"
        variables["MPIR_CVAR_DEVICE_COLLECTIVES"] = "none"
    return variables


def for_mpi4py(program: Path) -> dict[str, str]:
    """Returns the variable by which mpi4py loads the MPI that a program is linked with.

    A wheel of mpi4py has modules for several MPIs. By itself it may choose another one, such as the package mpich
    beside the MPI of the system.
    """
    code = program.read_bytes()
    found = [abi for library, abi in _LIBRARIES.items() if library in code]
    return {"MPI4PY_MPIABI": found[0]} if found else {}


def command(mpi: Mpi, ranks: int, launcher: str | None, cores: int) -> list[str]:
    """Returns the command line up to the program.

    Args:
        mpi: The MPI to start.
        ranks: Number of processes.
        launcher: Another launcher with `{n}` for the number, such as "srun -n {n}".
        cores: Cores that the processes may use; processes that fit are bound to them, because
            spinning ones that wander take turns on one core now and then.

    Raises:
        ConfigError: If the launcher has no place for the number of ranks.
    """
    if launcher is None:
        bind = ["--bind-to", "core"] if 1 < ranks <= cores else []
        return [str(mpi.launcher), *bind, "-n", str(ranks), str(mpi.program)]
    if "{n}" not in launcher:
        raise ConfigError(
            f'launcher "{launcher}": has no {{n}} for the number of ranks, such as "srun -n {{n}}"'
        )
    return [*shlex.split(launcher.replace("{n}", str(ranks))), str(mpi.program)]


def run(
    arguments: Sequence[str], ranks: int, launcher: str | None = None, timeout: float | None = None
) -> dict[str, Any]:
    """Runs `tradewind-mpi` and returns what its first rank reports.

    Args:
        arguments: Arguments of the program, such as `["verify"]`.
        ranks: Number of processes.
        launcher: The same as for `command`.
        timeout: Seconds after which the job is ended.

    Raises:
        ConfigError: If there is no MPI, it cannot start that many ranks, launcher and library are
            not of the same MPI, or the arguments are wrong.
        MpiError: If the job fails.
    """
    if ranks < 1:
        raise ConfigError(f"ranks = {ranks} must be at least 1")
    cores = usable_cores()
    words = [*command(find(), ranks, launcher, cores), *arguments]
    try:
        done = subprocess.run(
            words,
            env={**os.environ, **environment(ranks, cores)},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except OSError as error:
        raise ConfigError(f"the MPI launcher {words[0]} cannot be started: {error}") from None
    except subprocess.TimeoutExpired:
        raise MpiError(f"{shlex.join(words)}: not done after {timeout:g} s") from None
    # A failed verification is a result, too.
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if lines and done.returncode in (0, 1):
        result: dict[str, Any] = json.loads(lines[0])
        return result
    raise failure(done, ranks, cores)


def world() -> tuple[int, int]:
    """Returns the number of this process and how many there are, if mpiexec has started it; else (0, 1)."""
    for rank, size in _WORLD:
        if rank in os.environ and size in os.environ:
            return int(os.environ[rank]), int(os.environ[size])
    return 0, 1


def start(program: str, arguments: Sequence[str], ranks: int, launcher: str | None = None) -> None:
    """Starts the job as `status_of` does.

    Raises:
        MpiError: If the program fails on a rank.
    """
    status = status_of(program, arguments, ranks, launcher)
    if status:
        raise MpiError(f"{program} on {ranks} ranks ended with status {status}")


def status_of(
    program: str, arguments: Sequence[str], ranks: int, launcher: str | None = None
) -> int:
    """Runs any program on a number of ranks; it has the terminal.

    Args:
        program: Name or path of a program, or a Python script NAME.py.
        arguments: Arguments of the program.
        ranks: Number of processes.
        launcher: The same as for `command`.

    Returns:
        The exit status of the launcher.

    Raises:
        ConfigError: If there is no such program or no MPI.
    """
    if ranks < 1:
        raise ConfigError(f"ranks = {ranks} must be at least 1")
    if program.endswith(".py"):
        program, arguments = sys.executable, [program, *arguments]
    found = shutil.which(program)
    if found is None:
        raise ConfigError(f"there is no program {program} that could be started")
    cores = usable_cores()
    ours = find()
    mpi = replace(ours, program=Path(found).absolute())
    words = [*command(mpi, ranks, launcher, cores), *arguments]
    # The package mpich lies where mpi4py looks for it; with the variable it would not look.
    choice = {} if ours.origin == "wheel" else for_mpi4py(ours.program)
    variables = {**choice, **os.environ, **environment(ranks, cores)}
    try:
        done = subprocess.run(words, env=variables, check=False)
    except OSError as error:
        raise ConfigError(f"the MPI launcher {words[0]} cannot be started: {error}") from None
    return done.returncode


def failure(done: subprocess.CompletedProcess[str], ranks: int, cores: int) -> Exception:
    """Returns the exception for a job that has failed.

    Args:
        done: Its exit status and what it has written.
        ranks: Processes that were asked for.
        cores: Cores that they may use.
    """
    lines = [line for line in done.stderr.splitlines() if line.startswith(_OWN)]
    own = [line.removeprefix(_OWN) for line in lines]
    if own:
        kind = ConfigError if done.returncode == 2 else MpiError
        has_all_ranks = any(line.startswith(_WATCHDOG) for line in own)
        return kind("\n".join(own) if has_all_ranks else own[0])
    if any(words in done.stderr for words in _TOO_MANY):
        return ConfigError(
            f"the MPI launcher refuses {ranks} ranks ({cores} cores here); it says: {_end(done)}"
        )
    # Launchers return one of these if a process was killed.
    hint = " (a rank was killed; is there enough memory?)" if done.returncode in (9, 137) else ""
    return MpiError(f"the MPI job ended with status {done.returncode}: {_end(done)}{hint}")


def _end(done: subprocess.CompletedProcess[str]) -> str:
    """Returns the last lines that a job has written."""
    return (done.stderr.strip() or done.stdout.strip() or "it wrote nothing")[-800:]
