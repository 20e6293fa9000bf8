"""`tradewind plot`: draws the results of a folder again."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tradewind import core
from tradewind.cli import console
from tradewind.plots import PLOTS
from tradewind.report.output import load_results, write_pictures


@click.command("plot")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice(tuple(PLOTS)), help="Only this picture."
)
@click.option(
    "--format", "ending", type=click.Choice(["png", "svg", "pdf"]), default="png", show_default=True
)
@click.option("-o", "--output", type=click.Path(path_type=Path), help="Folder for the pictures.")
def command(folder: Path, kinds: tuple[str, ...], ending: str, output: Path | None) -> int:
    """Draw the results in FOLDER, which `tradewind simulate -o` has written."""
    runs = load_results(folder, core.load().version)
    for entry in runs.failures:
        console.note(f"left out: {entry.member.label}: {entry.message}")
    for picture in write_pictures(runs, output or folder, kinds, f".{ending}"):
        console.output.print(os.path.relpath(picture), markup=False, highlight=False)
    return 0
