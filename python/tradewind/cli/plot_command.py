"""`tradewind plot`: draws the results of a folder again."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tradewind import core
from tradewind.cli import console, options
from tradewind.plots import PLOTS
from tradewind.report.output import load_results, write_pictures


@click.command("plot")
@click.argument("results", metavar="FOLDER", type=click.Path(path_type=Path))
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(tuple(PLOTS)), help="Only this picture."
)
@click.option(
    "--format", "ending", type=click.Choice(["png", "svg", "pdf"]), default="png", show_default=True
)
@options.output_folder("Folder for the pictures.")
def command(results: Path, kinds: tuple[str, ...], ending: str, folder: Path | None) -> int:
    """Draw the results in FOLDER, which `tradewind simulate -o` has written."""
    runs = load_results(results, core.load().version)
    for entry in runs.failures:
        console.note(f"left out: {entry.member.label}: {entry.message}")
    for picture in write_pictures(runs, folder or results, kinds, f".{ending}"):
        console.output.print(os.path.relpath(picture), markup=False, highlight=False)
    return 0
