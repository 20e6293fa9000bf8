"""`tradewind mesh`: meshes of Voronoi cells, generated, checked, partitioned and drawn."""

from __future__ import annotations

import click

from tradewind.cli.mesh_check_command import command as check_command
from tradewind.cli.mesh_generate_command import command as generate_command
from tradewind.cli.mesh_partition_command import command as partition_command
from tradewind.cli.mesh_plot_command import command as plot_command


@click.group("mesh")
def command() -> None:
    """Make, check, partition and draw meshes of Voronoi cells in the MPAS format."""


command.add_command(generate_command)
command.add_command(check_command)
command.add_command(partition_command)
command.add_command(plot_command)
