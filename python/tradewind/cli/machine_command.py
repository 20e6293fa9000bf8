"""`tradewind machine`: the machines that there are, what one consists of, and its file for C++."""

from __future__ import annotations

import click

from tradewind.cli.machine_export_command import command as export_command
from tradewind.cli.machine_list_command import command as list_command
from tradewind.cli.machine_show_command import command as show_command


@click.group("machine")
def command() -> None:
    """List machines, describe one with a picture, and export one for C++ programs."""


command.add_command(export_command)
command.add_command(list_command)
command.add_command(show_command)
