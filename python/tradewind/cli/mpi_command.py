"""`tradewind mpi`: runs algorithms and programs on the MPI of this machine."""

from __future__ import annotations

import click

from tradewind import mpi
from tradewind.cli import console


@click.command("mpi")
@click.argument(
    "arguments", nargs=-1, required=True, metavar="info|verify|run [PROGRAM [KEY=VALUE]...]"
)
@click.option("-n", "--ranks", default=2, show_default=True, help="Number of MPI processes.")
@click.option("--launcher", help='Instead of mpiexec, such as "srun -n {n}".')
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(arguments: tuple[str, ...], ranks: int, launcher: str | None, as_json: bool) -> int:
    """Run on real MPI.

    `info` says which library it is, `verify` checks every algorithm with real data, `run` times a
    program of the catalogue: `tradewind mpi -n 4 run halo grid=[64,32,8] width=2`.
    """
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
