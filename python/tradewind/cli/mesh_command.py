"""`tradewind mesh`: meshes of Voronoi cells, generated, checked and partitioned."""

from __future__ import annotations

import click

from tradewind.cli.mesh_check_command import command as check_command
from tradewind.cli.mesh_generate_command import command as generate_command
from tradewind.cli.mesh_partition_command import command as partition_command


@click.group("mesh")
def command() -> None:
    """Make, check and partition meshes of Voronoi cells in the MPAS format."""


command.add_command(generate_command)
command.add_command(check_command)
command.add_command(partition_command)
