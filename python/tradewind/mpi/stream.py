"""Runs an MPI program and hears what its first rank tells while it runs."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO, Any

from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.mpi.installation import Mpi, find
from tradewind.mpi.launch import command, environment, failure

# Launchers end their processes within this time, or are ended themselves.
_GRACE_S = 5.0


def stream(
    program: str,
    arguments: Sequence[str],
    ranks: int,
    launcher: str | None = None,
    library: Mpi | None = None,
) -> Iterator[dict[str, Any]]:
    """Starts a program and yields each JSON object of its first rank as soon as it is printed.

    Whoever stops listening ends the job: close the generator, or let an exception pass through it.

    Args:
        program: Name of one of the compiled programs.
        arguments: Its arguments.
        ranks: Number of processes.
        launcher: The same as for `launch.command`.
        library: Another MPI than that of `find`.

    Raises:
        ConfigError: The same as of `launch.run`.
        MpiError: If the job fails; what it told before has been yielded.
    """
    if ranks < 1:
        raise ConfigError(f"ranks = {ranks} must be at least 1")
    cores = usable_cores()
    if library is None:
        library = find(program)
    chosen = replace(library, program=library.program.with_name(program))
    words = [*command(chosen, ranks, launcher, cores), *arguments]
    with tempfile.TemporaryFile("w+") as complaints:
        variables = {**environment(ranks, cores), **chosen.variables}
        process = _start(words, variables, complaints)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                if line.startswith("{"):
                    yield json.loads(line)
            status = process.wait()
        finally:
            _end(process)
        if status != 0:
            complaints.seek(0)
            done = subprocess.CompletedProcess(words, status, "", complaints.read())
            raise failure(done, ranks, cores)


def _start(
    words: Sequence[str], variables: dict[str, str], complaints: IO[str]
) -> subprocess.Popen[str]:
    try:
        return subprocess.Popen(
            words,
            env={**os.environ, **variables},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=complaints,
            text=True,
        )
    except OSError as error:
        raise ConfigError(f"the MPI launcher {words[0]} cannot be started: {error}") from None


def _end(process: subprocess.Popen[str]) -> None:
    """Ends a job that still runs: asks the launcher, which knows its processes, then insists."""
    assert process.stdout is not None
    process.stdout.close()
    if process.poll() is not None:
        return
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_GRACE_S)
    process.kill()
    process.wait()
