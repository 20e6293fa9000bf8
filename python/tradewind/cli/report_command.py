"""`tradewind report`: one HTML page for a folder of results."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tradewind.cli import console, options
from tradewind.files import check_outputs
from tradewind.report.page import PATH_S, write_report
from tradewind.units import decimal_bytes_text

# Names of files in a folder of results, of which a page is made, end in these.
_READ = (".json", ".nc", ".npz", ".toml", ".csv", ".md")


@click.command("report")
@click.argument("folder", type=click.Path(path_type=Path))
@options.output_file("The page; default: FOLDER/report.html.", required=False)
@click.option(
    "--path-for",
    "seconds",
    type=options.Finite(min=0),
    default=PATH_S,
    show_default=True,
    metavar="SECONDS",
    help="Processor time for critical paths that runs have not kept; 0 follows none.",
)
def command(folder: Path, output: Path | None, seconds: float) -> int:
    """Write one HTML page that shows the results in FOLDER and needs no network.

    FOLDER is what `tradewind simulate -o`, `demo` or `reproduce` has written. The page holds
    interactive figures, link maps, the ledger, all runs, what is missing, experiment and machine.
    Short runs are simulated once more to follow their critical paths.
    """
    page = output or folder / "report.html"
    check_outputs([page], (one for one in folder.rglob("*") if one.suffix in _READ))
    path = write_report(folder, page, console.note, seconds)
    size = decimal_bytes_text(path.stat().st_size)
    console.output.print(f"report: {os.path.relpath(path)} ({size})", markup=False, highlight=False)
    return 0
