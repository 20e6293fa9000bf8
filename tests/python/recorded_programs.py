"""C programs that are compiled, recorded and read back as lists of calls."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import command_server
import pytest

from tradewind import mpi
from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.mpi import launch
from tradewind.trace_file import Trace, read_trace

NO_PEER = -(2**63)
WILDCARD, TIMING, NONBLOCKING, PERSISTENT = 1, 2, 4, 8

HEAD = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int rank, size;
static char in[1 << 16], out[1 << 16];
static const MPI_Comm world = MPI_COMM_WORLD;
"""
INIT = "MPI_Init(&count, &words);"
BEGIN = """
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    (void)right; (void)left;
"""


def mpicc() -> Path | None:
    """Returns the C compiler beside the launcher of this installation's MPI."""
    try:
        found = mpi.find().launcher.with_name("mpicc")
    except ConfigError:
        return None
    return found if found.exists() else None


needs_mpicc = pytest.mark.skipif(mpicc() is None, reason="no mpicc of the MPI of tradewind")


@dataclass(frozen=True)
class Call:
    """A call in a trace."""

    name: str
    arguments: tuple[int, ...]
    comm: int = 0
    flags: int = 0
    site: str = ""

    def __str__(self) -> str:
        return f"{self.name}{self.arguments}"


def compiled(
    folder: Path, body: str, head: str = "", options: Sequence[str] = (), init: str = INIT
) -> Path:
    """Compiles a program whose main function, between MPI_Init and MPI_Finalize, is `body`."""
    source, program = folder / "program.c", folder / "program"
    main = f"int main(int count, char** words) {{{init}{BEGIN}\n{body}\nMPI_Finalize();\n}}"
    text = f"{HEAD}{head}\n{main}\n"
    source.write_text(text, encoding="utf-8")
    words = [str(mpicc()), "-g", "-O1", *options, str(source), "-o", str(program)]
    subprocess.run(words, check=True)
    return program


def record(
    folder: Path,
    *command: str,
    options: Sequence[str] = (),
    variables: dict[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs `tradewind record` in a folder, whose cache is that of the tests."""
    words = ["record", "-o", "made.trace", *options, "--", *command]
    return command_server.run(words, folder, variables)


def mpiexec(ranks: int, *program: str) -> list[str]:
    """Returns the command that starts a program on the MPI of tradewind."""
    return [sys.executable, "-m", "tradewind", "mpiexec", "-n", str(ranks), *program]


def launched(ranks: int, *program: str) -> list[str]:
    """Returns what `mpiexec` comes to, which starts faster."""
    cores = usable_cores()
    # Recordings are the same with any transport; without the search of UCX for devices MPICH starts in half the time.
    wanted = {"MPIR_CVAR_CH4_NETMOD": "ofi", **launch.environment(ranks, cores)}
    variables = [f"{name}={value}" for name, value in wanted.items()]
    *launcher, _ = launch.command(mpi.find(), ranks, None, cores)
    return ["env", *variables, *launcher, *program]


def recorded(folder: Path, body: str, ranks: int = 2, **more: Any) -> Trace:
    """Compiles and records a program; returns its trace."""
    done = record(folder, *launched(ranks, str(compiled(folder, body, **more))))
    assert done.returncode == 0, done.stderr
    return read_trace(folder / "made.trace")


def calls(trace: Trace, rank: int) -> list[Call]:
    """Returns all calls of a rank, loops unrolled, without those of the start and the end."""
    arrays = {name: values.tolist() for name, values in trace.arrays.items()}
    stream = arrays["stream"][rank]
    first, last = arrays["stream_first"][stream : stream + 2]
    items = arrays["items"][2 * first : 2 * last]
    made = [_call(trace, arrays, number) for number in _unrolled(items)]
    return [call for call in made if call.name not in ("init", "finalize")]


def _unrolled(items: list[int]) -> Iterator[int]:
    at = 0
    while at < len(items):
        value, length = items[at], items[at + 1]
        at += 2
        if value >= 0:
            yield value
            continue
        body = items[at : at + 2 * length]
        for _ in range(-value):
            yield from _unrolled(body)
        at += 2 * length


def _call(trace: Trace, arrays: dict[str, list[int]], number: int) -> Call:
    kind, comm, flags, site, first, count = arrays["events"][6 * number : 6 * number + 6]
    arguments = tuple(arrays["arguments"][first : first + count])
    text = trace.strings[site] if site >= 0 else ""
    return Call(trace.calls[kind], arguments, comm, flags, text)
