"""`tradewind machine export`: a machine file in base units, for C++ programs."""

from __future__ import annotations

from pathlib import Path

import click

from tradewind.cli import console, options
from tradewind.config.machine import load_machine
from tradewind.config.machine_export import export_text
from tradewind.files import check_outputs, write_text


@click.command("export")
@click.argument("machine", metavar="NAME|FILE")
@options.output_file("File to write; default: standard output.", required=False)
def command(machine: str, output: Path | None) -> int:
    """Write all settings of a machine, in base units, as one file.

    C++ programs that link `tradewind::simcomm` read it, and experiments take it as any machine file.
    """
    check_outputs([output], [Path(machine)])
    text = export_text(load_machine(machine))
    if output is None:
        click.echo(text, nl=False)
        return 0
    write_text(output, text)
    console.note(f"wrote {output}")
    return 0
