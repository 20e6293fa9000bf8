"""`tradewind machine`: the machines that there are, and what one consists of."""

from __future__ import annotations

import click

from tradewind.cli.machine_list_command import command as list_command
from tradewind.cli.machine_show_command import command as show_command


@click.group("machine")
def command() -> None:
    """List machines, and describe one: its network, its messages, a picture of it."""


command.add_command(list_command)
command.add_command(show_command)
