"""`tradewind demo`: the main job in a few minutes, on three kinds of networks."""

from __future__ import annotations

import os
from pathlib import Path

import click

from tradewind import extras
from tradewind.cli import console, options
from tradewind.cli.simulate_command import exit_status, result_table, run_and_write
from tradewind.config import places
from tradewind.config.experiment import Experiment
from tradewind.files import write_text
from tradewind.report.summary import summary_text
from tradewind.runs.run import RunSet
from tradewind.runs.workplace import THIS_MACHINE


@click.command("demo")
@options.output_folder(default="demo-results")
@options.fresh("Make runs again that are finished in the folder; by default they are kept.")
def command(folder: Path, fresh: bool) -> int:
    """Simulate transposition, halo exchange and allreduces of a kilometre-scale model.

    The grid has 28800 x 14400 x 256 points (Table 3 of zheng2018). The networks are a torus, a fat
    tree and a dragonfly of its Table 1. There are up to 10000 ranks.
    """
    status = 0
    parts = []
    for name, path in _demo_files().items():
        loaded = Experiment.load(path)
        runs = run_and_write(loaded, folder / name, THIS_MACHINE, fresh=fresh, plots=True)
        console.output.print(result_table(runs))
        _explain(runs)
        console.output.print()
        parts.append(_part(runs, folder / name, name))
        status = max(status, exit_status(runs))
    write_text(folder / "summary.md", "\n".join(parts))
    _report(folder)
    _tell(folder)
    return status


def _demo_files() -> dict[str, Path]:
    return {
        path.stem: path
        for path in sorted((places.data_folder("experiments") / "demo").glob("*.toml"))
    }


def _explain(runs: RunSet) -> None:
    """Prints below a table what it shows, in sentences."""
    words = [runs.experiment.about.description]
    if runs.runs and extras.available("xarray"):
        from tradewind.report.page.findings import findings

        words += findings(runs.to_xarray())
    for text in filter(None, words):
        console.output.print(text, markup=False, highlight=False)


def _part(runs: RunSet, folder: Path, name: str) -> str:
    return summary_text(
        runs, [Path(name) / picture.name for picture in sorted(folder.glob("*.png"))]
    )


def _report(folder: Path) -> None:
    if not (extras.available("xarray") and extras.available("plotly")):
        console.note('no report without xarray and plotly: pip install "tradewind[report]"')
        return
    from tradewind.report.page import write_report

    write_report(folder, folder / "report.html")


def _tell(folder: Path) -> None:
    place = os.path.relpath(folder)
    if (folder / "report.html").is_file():
        console.output.print(f"report:   {place}/report.html", highlight=False)
    console.output.print(f"summary:  {place}/summary.md", highlight=False)
    console.output.print("pictures:", highlight=False)
    for picture in sorted(folder.glob("*/*.png")):
        console.output.print(f"  {os.path.relpath(picture)}", markup=False, highlight=False)
    console.output.print(f"data:     {place}/*/results.nc (NetCDF)", highlight=False)
