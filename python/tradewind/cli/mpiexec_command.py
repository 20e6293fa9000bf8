"""`tradewind mpiexec`: starts a program of one's own on the MPI of tradewind."""

from __future__ import annotations

import click

from tradewind.cli import options
from tradewind.mpi import launch


@click.command(
    "mpiexec",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("program")
@click.argument("arguments", nargs=-1, type=click.UNPROCESSED)
@options.mpi_ranks()
@options.launcher()
@options.watchdog()
def command(program: str, arguments: tuple[str, ...], ranks: int, launcher: str | None) -> int:
    """Start PROGRAM on several MPI processes.

    The launcher is that of the MPI that tradewind was built with. The variables that it needs as
    root, or with more processes than cores, are set. A program NAME.py is run by this Python.
    """
    launch.start(program, arguments, ranks, launcher)
    return 0
