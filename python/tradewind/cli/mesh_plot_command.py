"""`tradewind mesh plot`: a map of the cells of a mesh."""

from __future__ import annotations

from pathlib import Path

import click

from tradewind.cli import console, options
from tradewind.cli.mesh_generate_command import Numbers
from tradewind.errors import ConfigError
from tradewind.mesh.graph_info import read_partition
from tradewind.mesh.mpas_file import read_mesh
from tradewind.plots import mesh_map
from tradewind.plots.style import save


@click.command("plot")
@click.argument("file", type=click.Path(path_type=Path))
@options.output_file("The picture, with the ending .png, .svg or .pdf.", required=True)
@click.option(
    "--field",
    type=click.Choice(mesh_map.FIELDS),
    default="spacing",
    show_default=True,
    help="Decides the colours.",
)
@click.option(
    "--globe",
    "centre",
    type=Numbers("LON,LAT"),
    help="Draw the globe, seen above this point, instead of a map.",
)
@click.option(
    "--partition",
    type=click.Path(path_type=Path),
    help="Colour the cells by their process in this file.",
)
def command(
    file: Path,
    output: Path,
    field: str,
    centre: tuple[float, float] | None,
    partition: Path | None,
) -> int:
    """Draw the cells of the sea of a mesh."""
    if centre is not None and not -90 <= centre[1] <= 90:
        raise ConfigError(f"--globe: the latitude {centre[1]:g} is not in -90 to 90")
    mesh = read_mesh(file, connected=False)
    owners = None if partition is None else read_partition(partition, mesh)
    save(mesh_map.draw(mesh, field, file.name, centre, owners), output)
    console.note(f"wrote {output}")
    return 0
