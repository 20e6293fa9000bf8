"""`tradewind mpi`: runs algorithms and programs on the MPI of this machine."""

from __future__ import annotations

import sys

import click

from tradewind import mpi
from tradewind.cli import console, options
from tradewind.errors import ConfigError
from tradewind.mpi import launch


@click.command("mpi")
@click.argument(
    "arguments",
    nargs=-1,
    required=True,
    metavar="info|verify|run PROGRAM [KEY=VALUE]...|simulate EXPERIMENT [KEY=VALUE]...",
)
@options.mpi_ranks()
@options.launcher()
@options.json_output()
def command(arguments: tuple[str, ...], ranks: int, launcher: str | None, as_json: bool) -> int:
    """Run on real MPI.

    `info` says which library it is, `verify` checks every algorithm with real data, `run` times a
    program of the catalogue: `tradewind mpi -n 4 run halo grid=[64,32,8] width=2`. `simulate` shares
    each run of an experiment out among the processes: `tradewind mpi -n 4 simulate small.toml
    simulation.threads=2`; `mpiexec -n 4 tradewind simulate` does the same with all its options.
    """
    if arguments[0] == "simulate":
        return _simulate(arguments[1:], ranks, launcher, as_json=as_json)
    result = mpi.run(arguments, ranks, launcher)
    failed = int(result.get("failed", 0))
    if as_json:
        console.print_json(result)
        return 1 if failed else 0
    console.output.print(f"{result['ranks']} ranks on {result['library']}", highlight=False)
    for remark in result.get("remarks", []):
        console.note(remark)
    if "time_s" in result:
        console.output.print(f"{result['program']}: {result['time_s']:.6g} s", highlight=False)
    for entry in result.get("algorithms", []):
        wrong = entry["wrong_ranks"]
        verdict = f"WRONG on {wrong} ranks" if wrong else "right"
        console.output.print(
            f"{entry['operation']} {entry['algorithm']}: {verdict}", highlight=False
        )
    return 1 if failed else 0


def _simulate(
    arguments: tuple[str, ...], processes: int, launcher: str | None, *, as_json: bool
) -> int:
    """Starts processes that share each run; the first one says everything."""
    if not arguments:
        raise ConfigError(
            "tradewind mpi simulate: the experiment is missing; give a TOML file or a name"
        )
    assignments = [word for given in arguments[1:] for word in ("--set", given)]
    words = ["-P", "-m", "tradewind", "simulate", arguments[0], *assignments]
    options = ["--json"] if as_json else []
    return launch.status_of(sys.executable, [*words, *options], processes, launcher)
