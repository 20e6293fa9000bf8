"""`tradewind machine show`: nodes, links and bisection of a machine, messages on it, a picture."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from tradewind.cli import console, options
from tradewind.cli.machine_tables import (
    cost_table,
    facts_table,
    links_table,
    pairs_table,
    route_text,
)
from tradewind.config import keys
from tradewind.config.machine import Machine, load_machine
from tradewind.errors import ConfigError
from tradewind.files import is_there, load_text
from tradewind.plots import topology as picture
from tradewind.plots.style import save
from tradewind.results.machine import (
    MachineFacts,
    MessageTime,
    check_node,
    message_time,
    place_ranks,
    shortest_route,
    survey,
)
from tradewind.units import SIZE

# Pairs of nodes at so many distances are shown where none is named.
_MOST_PAIRS = 6
_LARGEST_MESSAGE = 2**30


@dataclass(frozen=True)
class _Job:
    """The ranks of a job on the machine.

    Args:
        ranks: Their number.
        rule: The rule that places them.
        nodes: The node of each rank.
    """

    ranks: int
    rule: str
    nodes: list[int]

    def to_dict(self, nodes_per_switch: int) -> dict[str, Any]:
        """Returns the counts of the job for JSON."""
        ranks_of = Counter(self.nodes)
        switches = {node // nodes_per_switch for node in ranks_of}
        return {
            "ranks": self.ranks,
            "placement": self.rule,
            "nodes_used": len(ranks_of),
            "switches_used": len(switches),
            "most_ranks_per_node": max(ranks_of.values()),
        }


@click.command("show")
@click.argument("machine", metavar="NAME|FILE")
@click.option("--from", "source", type=int, metavar="NODE", help="Node that sends.")
@click.option("--to", "target", type=int, metavar="NODE", help="Node that receives.")
@click.option(
    "--bytes",
    "sizes",
    multiple=True,
    default=("8 B", "1 MB"),
    show_default=True,
    metavar="SIZE",
    help="Size of the messages; may be given several times.",
)
@click.option("--ranks", type=click.IntRange(min=1), help="Place a job of so many ranks.")
@click.option(
    "--placement",
    metavar="RULE|FILE",
    help="Rule that places the job, or a file with the node of each rank. [default: linear]",
)
@options.output_file("Draw the network, and the job on it, as .png, .svg or .pdf.", required=False)
@options.json_output()
def command(
    machine: str,
    source: int | None,
    target: int | None,
    sizes: tuple[str, ...],
    ranks: int | None,
    placement: str | None,
    output: Path | None,
    as_json: bool,
) -> int:
    """Describe the machine NAME of machines/, or that of a TOML FILE.

    The tables have its nodes, switches, links and bisection, and the simulated time of one message on
    the idle machine between nodes at several distances, or from --from to --to, with what it
    consists of. Nodes are numbered from 0; node n is at switch n / (nodes per switch).
    """
    read = load_machine(machine)
    with _named(machine):
        facts = survey(read)
    pairs = _pairs(facts, source, target)
    lengths = [_size(size) for size in sizes]
    with _named(machine):
        messages = [[message_time(read, *pair, size) for size in lengths] for pair in pairs]
    job = _placed(read, ranks, placement)
    if as_json:
        console.print_json(_json_of(read, facts, messages, job))
    else:
        _print(read, facts, messages, job)
    if output is not None:
        nodes = None if job is None else job.nodes
        save(picture.draw(picture.wiring_of(read), _picture_title(read, job), nodes), output)
        console.note(f"wrote {output}")
    return 0


@contextlib.contextmanager
def _named(machine: str) -> Iterator[None]:
    """Adds the name of the machine to what the core says of it."""
    try:
        yield
    except ConfigError as error:
        raise type(error)(f"{machine}: {error}") from None


def _pairs(facts: MachineFacts, source: int | None, target: int | None) -> list[tuple[int, int]]:
    """Returns the pair that is asked for, or pairs of node 0 with nodes at several distances."""
    if (source is None) != (target is None):
        raise ConfigError("--from and --to belong together: a message needs both nodes")
    if source is not None and target is not None:
        check_node(facts, source, "--from")
        check_node(facts, target, "--to")
        return [(source, target)]
    others = [node for node in facts.nodes_by_distance if node >= 0]
    steps = min(len(others), _MOST_PAIRS)
    chosen = [others[round(i * (len(others) - 1) / max(steps - 1, 1))] for i in range(steps)]
    within = [0] if facts.ranks_per_node > 1 else []
    return [(0, node) for node in (*within, *chosen)]


def _size(text: str) -> int:
    try:
        size = SIZE.parse(text)
    except ConfigError as error:
        raise ConfigError(f"--bytes {text}: {error}") from None
    if size > _LARGEST_MESSAGE:
        raise ConfigError(f"--bytes {text}: expected at most 1 GiB")
    return int(size)


def _placed(machine: Machine, ranks: int | None, placement: str | None) -> _Job | None:
    if ranks is None:
        if placement is not None:
            raise ConfigError(f"--placement {placement} needs --ranks, the ranks of the job")
        return None
    section = _placement(placement or "linear", ranks)
    nodes = place_ranks(machine, ranks, section)
    return _Job(ranks, placement or "linear", nodes)


def _placement(given: str, ranks: int) -> dict[str, Any]:
    """Returns the keys of [placement] for a rule or a file; tiles lay a grid that is almost square."""
    rules = [rule for rule in keys.sections()["placement"]["rule"].choices if rule != "file"]
    if given == "tiles":
        rows = max(cy for cy in range(1, math.isqrt(ranks) + 1) if ranks % cy == 0)
        return {"rule": "tiles", "processes": [ranks // rows, rows]}
    if given in rules:
        return {"rule": given}
    try:
        nodes = [int(word) for word in load_text(Path(given)).split()]
    except ConfigError as error:
        allowed = f"allowed: {', '.join(rules)}, or a file with the node of each rank"
        wrong = "unknown rule" if not is_there(Path(given)) else str(error)
        raise ConfigError(f"--placement {given}: {wrong}; {allowed}") from None
    except ValueError:
        raise ConfigError(f"--placement {given}: expected one whole number per rank") from None
    if len(nodes) != ranks:
        raise ConfigError(f"--placement {given}: expected {ranks} nodes, not {len(nodes)}")
    return {"rule": "file", "nodes": nodes}


def _json_of(
    machine: Machine,
    facts: MachineFacts,
    messages: Sequence[Sequence[MessageTime]],
    job: _Job | None,
) -> dict[str, Any]:
    shown: dict[str, Any] = {
        "name": machine.name,
        "title": machine.title,
        "topology": dict(machine.hardware.topology),
        "routing": machine.hardware.routing.name,
        **facts.to_dict(),
        "messages": [message.to_dict() for pair in messages for message in pair],
    }
    if job is not None:
        shown["job"] = job.to_dict(facts.nodes_per_switch)
    return shown


def _print(
    machine: Machine,
    facts: MachineFacts,
    messages: Sequence[Sequence[MessageTime]],
    job: _Job | None,
) -> None:
    placed = None if job is None else job.to_dict(facts.nodes_per_switch)
    console.output.print(facts_table(machine, facts, placed))
    for table in (links_table(facts), *((pairs_table(facts, messages),) if messages else ())):
        console.output.print()
        console.output.print(table)
    for shown in messages[-1] if messages else []:
        console.output.print()
        console.output.print(cost_table(shown))
    if messages and messages[-1][0].source != messages[-1][0].target:
        last = messages[-1][0]
        route = shortest_route(machine, last.source, last.target)
        console.output.print()
        console.output.print(route_text(last, facts, route), soft_wrap=True)


def _picture_title(machine: Machine, job: _Job | None) -> str:
    about = machine.title or machine.name
    return about if job is None else f"{about}\n{job.ranks} ranks, placement {job.rule}"
