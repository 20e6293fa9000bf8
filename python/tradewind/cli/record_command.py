"""`tradewind record`: runs an MPI program and keeps what it calls as a trace."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tradewind.cli import console, options
from tradewind.errors import ConfigError
from tradewind.trace.record import Recording, collect, record


@click.command(
    "record",
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="COMMAND...")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The trace.  [default: PROGRAM.trace]",
)
@click.option(
    "--mpicc", metavar="CC", help="The C compiler of the program's MPI.  [default: found]"
)
@click.option(
    "--size",
    "sizes",
    multiple=True,
    metavar="NAME=NUMBER",
    help="A size of the problem, for extrapolate to other sizes. May be given several times.",
)
@click.option("--keep-raw", is_flag=True, help="Keep the raw files, in a folder beside the trace.")
@click.option(
    "--collect",
    "left",
    type=click.Path(path_type=Path, file_okay=False),
    help="Make the trace of raw files that were left, without a COMMAND.",
)
@options.json_output()
def command(
    words: tuple[str, ...],
    output: Path | None,
    mpicc: str | None,
    sizes: tuple[str, ...],
    keep_raw: bool,
    left: Path | None,
    as_json: bool,
) -> int:
    """Run an MPI program and record what it calls.

    COMMAND starts it as always: `tradewind record -- mpiexec -n 16 ./my_model namelist`. Nothing is
    rebuilt. The exit status is that of the command, or 2 if nothing could be recorded.
    """
    if (left is None) == (not words):
        raise ConfigError("record: expected either COMMAND or --collect FOLDER")
    problem: dict[str, int] = {}
    if sizes:
        from tradewind.extrapolation import read_problem

        problem = read_problem(",".join(sizes))
    if left:
        recording = collect(left, output, problem)
    else:
        recording = record(words, output, mpicc, keep_raw, problem)
    if as_json:
        console.print_json({**asdict(recording), "path": str(recording.path)})
    else:
        for line in _summary(recording):
            console.note(line)
    return recording.status


def _summary(recording: Recording) -> list[str]:
    """Returns the lines that are printed at the end."""
    totals = recording.totals
    size = recording.path.stat().st_size
    return [
        f"wrote {recording.path} ({size / 1024:.0f} KiB): {recording.facts['ranks']} ranks, "
        f"{totals['calls']} calls, {totals['messages']} messages with {totals['bytes']} bytes, "
        f"{recording.mpi_share:.0%} of the time in MPI",
        *recording.facts["warnings"],
    ]
