"""`tradewind machine list`: every machine file with its size and network."""

from __future__ import annotations

from dataclasses import dataclass

import click
from rich.table import Table
from rich.text import Text

from tradewind import core
from tradewind.cli import console, options
from tradewind.config import places
from tradewind.config.machine import load_machine
from tradewind.config.spec import Tables


@dataclass(frozen=True)
class _Entry:
    name: str
    title: str
    topology: str
    nodes: int
    switches: int


def _entry(name: str) -> _Entry:
    machine = load_machine(name)
    one_rank: Tables = {
        "program": {"name": "allreduce", "ranks": 1, "bytes": 8},
        "placement": {"rule": "linear"},
        "simulation": {"network": "packet"},
    }
    size = core.load().predict(machine.hardware.tables() | one_rank)
    return _Entry(
        name, machine.title, machine.hardware.topology.name, size["nodes"], size["switches"]
    )


@click.command("list")
@options.json_output()
def command(as_json: bool) -> int:
    """List the machine files that ship and those of ./machines, with nodes and network."""
    entries = [_entry(name) for name in places.machine_files()]
    if as_json:
        console.print_json({"machines": [vars(entry) for entry in entries]})
        return 0
    table = Table(box=None, pad_edge=False)
    for column in ("machine", "topology", "nodes", "switches", "title"):
        is_count = column in ("nodes", "switches")
        table.add_column(column, justify="right" if is_count else "left", no_wrap=True)
    for entry in entries:
        table.add_row(
            Text(entry.name, style="bold"),
            entry.topology,
            f"{entry.nodes:,}",
            f"{entry.switches:,}",
            Text(entry.title),
        )
    console.output.print(table)
    return 0
