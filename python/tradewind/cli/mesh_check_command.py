"""`tradewind mesh check`: whether a mesh file is sound, and how good the mesh is."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from tradewind.cli import console, options
from tradewind.cli.mesh_tables import quality_table
from tradewind.mesh.check import mesh_quality
from tradewind.mesh.mpas_file import read_mesh


@click.command("check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--all-seas", is_flag=True, help="Accept a mesh whose cells are not connected.")
@options.json_output()
def command(file: Path, all_seas: bool, as_json: bool) -> int:
    """Check the fields of a mesh file, and print counts and measures of the mesh."""
    quality = mesh_quality(read_mesh(file, connected=not all_seas))
    if as_json:
        console.print_json({"mesh": str(file)} | asdict(quality))
    else:
        console.output.print(quality_table(str(file), quality))
    return 0
