"""`tradewind list`: what can be chosen in an experiment."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import click
from rich.table import Table
from rich.text import Text

from tradewind import core
from tradewind.cli import console, options
from tradewind.config import keys, places
from tradewind.files import load_toml

Rows = list[tuple[str, str]]

_NETWORKS: Rows = [
    ("packet", "cut-through packets, finite buffers with credits"),
    ("packet_unbounded", "packets, switches with unbounded buffers"),
    ("analytic", "LogGOPS, no contention inside the network"),
]
_NODES: Rows = [
    ("AMM1", "every rank has the memory to itself"),
    ("AMM2", "cores and NICs of a node share the memory bandwidth"),
    ("AMM3", "link and switch crossbar bandwidth are distinct"),
]
_MESSAGE_PROTOCOLS: Rows = [
    ("eager", "messages up to machine.message.eager_limit: sent at once"),
    ("rendezvous", "larger messages: sent when the receiver has agreed"),
]


def _topologies() -> Rows:
    summaries = dict(core.load().catalogue()["topologies"])
    rows = []
    for name, topology in keys.topologies().items():
        known = ", ".join(topology.keys)
        rows.append(
            (
                name,
                f"{summaries.get(name, '')}\nkeys: {known}\nrouting: {', '.join(topology.routings)}",
            )
        )
    return rows


def _algorithms() -> Rows:
    catalogue = core.load().catalogue()
    operations = [str(entry["name"]) for entry in core.load().collectives()]
    return [
        (f"{operation}: {name}", summary)
        for operation in operations
        for name, summary in catalogue[operation]
    ]


def _machines() -> Rows:
    return [
        (name, str(load_toml(path).get("title", "")))
        for name, path in places.machine_files().items()
    ]


def _experiments() -> Rows:
    files = places.experiment_files().items()
    return [
        (name, str(load_toml(path).get("experiment", {}).get("title", ""))) for name, path in files
    ]


_KINDS: Mapping[str, Callable[[], Rows]] = {
    "topologies": _topologies,
    "routings": lambda: list(core.load().catalogue()["routings"]),
    "algorithms": _algorithms,
    "machines": _machines,
    "experiments": _experiments,
    "models": lambda: list(core.load().catalogue()["models"]),
    "programs": lambda: list(core.load().catalogue()["programs"]),
    "networks": lambda: _NETWORKS,
    "nodes": lambda: _NODES,
    "protocols": lambda: [*core.load().catalogue()["protocols"], *_MESSAGE_PROTOCOLS],
}


@click.command("list")
@click.argument("kind", type=click.Choice(list(_KINDS)))
@options.json_output()
def command(kind: str, as_json: bool) -> int:
    """List the available choices, with a description of each.

    models have numerics of their own and are run with `tradewind run`. programs are values of
    program.name in an experiment, networks of simulation.network, nodes of machine.node.model.
    """
    rows = _KINDS[kind]()
    if as_json:
        console.print_json({kind: [{"name": name, "summary": summary} for name, summary in rows]})
        return 0
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="bold")
    table.add_column()
    for name, summary in rows:
        table.add_row(Text(name), Text(summary))
    console.output.print(table)
    return 0
