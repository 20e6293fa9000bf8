"""Tables of `tradewind machine show`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from tradewind.cli.tables import plain_table
from tradewind.config.machine import Machine
from tradewind.results.machine import MachineFacts, MessageTime, RouteLink
from tradewind.units import decimal_bytes_text, rate_text, seconds_text

# A longer route is cut in the middle.
_MOST_HOPS = 12


def facts_table(machine: Machine, facts: MachineFacts, job: Mapping[str, Any] | None) -> Table:
    """Returns the size of the machine, and of the job on it.

    Args:
        machine: The machine.
        facts: Its facts.
        job: The counts of the job; None if there is none.
    """
    title = f"{machine.name}: {machine.title}" if machine.title else machine.name
    table = Table(
        title=Text(title), title_justify="left", box=None, show_header=False, pad_edge=False
    )
    table.add_column(style="bold", no_wrap=True)
    table.add_column()
    for name, words in fact_words(machine, facts).items():
        table.add_row(name, Text(words))
    if job is not None:
        nodes = counted(job["nodes_used"], "node", "nodes")
        where = f"{nodes} at {counted(job['switches_used'], 'switch', 'switches')}"
        table.add_row("job", Text(f"{job['ranks']:,} ranks, {job['placement']}: {where}"))
    return table


def fact_words(machine: Machine, facts: MachineFacts) -> dict[str, str]:
    """Returns the parts of a machine in words.

    Args:
        machine: The machine.
        facts: Its facts.
    """
    settings = {k: v for k, v in machine.hardware.topology.items() if k != "name"}
    shape = ", ".join(f"{key} = {value}" for key, value in settings.items())
    interfaces = machine.hardware.nic.whole("per_node")
    each = rate_text(facts.injection_bytes_per_s / interfaces)
    affinity = machine.hardware.nic.get("affinity", "cyclic")
    taken = f", affinity {affinity}" if interfaces > 1 else ""
    with_nodes = (
        f"{facts.switches_with_nodes:,} with {counted(facts.nodes_per_switch, 'node', 'nodes')}"
    )
    return {
        "topology": f"{machine.hardware.topology.name}: {shape}",
        "routing": machine.hardware.routing.name,
        "nodes": f"{facts.nodes:,}, ranks on each: {facts.ranks_per_node}",
        "memory": _memory(machine),
        "interfaces": f"{interfaces} per node, {each} each{taken}",
        "switches": f"{facts.switches:,} with up to {facts.ports} ports; {with_nodes}",
        **_tapering(facts),
        "bisection": _bisection(facts),
        "diameter": f"{facts.diameter} links between switches; mean {facts.mean_distance:.2f}"
        + _sample(facts),
    }


def _tapering(facts: MachineFacts) -> dict[str, str]:
    """Returns the oversubscription of each level of a tree; nothing for other networks."""
    ratios = [f"{ratio:.3g} : 1" for ratio in facts.oversubscription]
    return {"taper": f"{', '.join(ratios)} oversubscribed, from the leaves up"} if ratios else {}


def _memory(machine: Machine) -> str:
    """Returns the memory of a node and who shares it."""
    node = machine.hardware.node
    rate = rate_text(node.number("memory_bandwidth"))
    if node.text("model") == "AMM1":
        return f"{rate} for each rank (AMM1)"
    domains = node.whole("numa_domains") if "numa_domains" in node else 1
    parts = "" if domains == 1 else f" in {domains} NUMA domains"
    return f"{rate} for each node{parts}, shared by its ranks ({node.text('model')})"


def counted(count: int, one: str, many: str) -> str:
    """Returns a count of things: "1 node", "40 nodes".

    Args:
        count: The count.
        one: The word for one thing.
        many: The word for several.
    """
    return f"{count:,} {one if count == 1 else many}"


def _sample(facts: MachineFacts) -> str:
    if facts.distance_sources == facts.switches_with_nodes:
        return ""
    return f" (from {facts.distance_sources} of {facts.switches_with_nodes:,} switches)"


def _bisection(facts: MachineFacts) -> str:
    cut = facts.bisection
    parts = [f"{cut.links:,} links"] if cut.links else []
    parts += [f"{cut.cut_off_nodes:,} links of nodes"] if cut.cut_off_nodes else []
    share = (
        f"{100 * cut.share:.0f} % of what half of the nodes send"
        if cut.share < 1
        else "all that half of the nodes send"
    )
    return f"{rate_text(cut.bytes_per_s)} each way over {' and '.join(parts) or 'nothing'}: {share}"


def links_table(facts: MachineFacts) -> Table:
    """Returns the links by kind, those between nodes and switches last.

    Args:
        facts: The facts of the machine.
    """
    table = _table("links", ("class", "where", "links, each way", "bandwidth", "latency"))
    for kind in facts.links:
        rate, latency = rate_text(kind.bytes_per_s), seconds_text(kind.latency_s)
        table.add_row(kind.name, kind.place, f"{kind.links:,}", rate, latency)
    node = rate_text(facts.injection_bytes_per_s)
    table.add_row("node", "all interfaces of a node", f"{facts.nodes:,}", node, "")
    return table


def pairs_table(facts: MachineFacts, messages: Sequence[Sequence[MessageTime]]) -> Table:
    """Returns the times of messages of each size between each pair of nodes.

    Args:
        facts: The facts of the machine.
        messages: The messages of each pair.
    """
    sizes = [decimal_bytes_text(message.bytes) for message in messages[0]]
    largest = f"bandwidth at {sizes[-1]}"
    table = _table("one message on the idle machine", ("from", "to", "distance", *sizes, largest))
    for pair in messages:
        source, target = pair[0].source, pair[0].target
        times = [seconds_text(message.time_s) for message in pair]
        seen = rate_text(pair[-1].bytes_per_s)
        table.add_row(str(source), str(target), _distance(facts, source, target), *times, seen)
    return table


def _distance(facts: MachineFacts, source: int, target: int) -> str:
    if source == target:
        return "same node"
    if source // facts.nodes_per_switch == target // facts.nodes_per_switch:
        return "same switch"
    known = facts.nodes_by_distance
    return (
        counted(known.index(target), "link", "links")
        if source == 0 and target in known
        else "other switches"
    )


def cost_table(message: MessageTime) -> Table:
    """Returns the parts of the time of a message, which add up to it.

    Args:
        message: The message.
    """
    how = "eager" if message.is_eager else "by rendezvous"
    size = decimal_bytes_text(message.bytes)
    title = f"{size} from node {message.source} to node {message.target}, {how}"
    table = _table(title, ("part", "time", "share", ""))
    for item in message.items:
        share = f"{100 * item.time_s / message.time_s:.0f} %"
        table.add_row(item.name, _fine(item.time_s), share, Text(item.detail))
    table.add_row("total", _fine(message.time_s), "100 %", "", style="bold")
    return table


def _fine(seconds: float) -> str:
    """Returns a time in ns, in full, so that the parts can be added up."""
    return f"{seconds * 1e9:,.3f}".rstrip("0").rstrip(".") + " ns"


def route_text(message: MessageTime, facts: MachineFacts, route: Sequence[RouteLink]) -> Text:
    """Returns the shortest route of a message in words.

    Args:
        message: The message.
        facts: The facts of the machine.
        route: Its links.
    """
    switch = message.source // facts.nodes_per_switch
    words = [f"node {message.source}", f"switch {switch}"]
    words += [f"{link.place} to switch {link.target}" for link in route]
    if len(words) > _MOST_HOPS:
        left = len(words) - _MOST_HOPS
        words[_MOST_HOPS // 2 : -_MOST_HOPS // 2] = [f"{left} more"]
    return Text("shortest route: " + " - ".join([*words, f"node {message.target}"]))


def _table(title: str, columns: Sequence[str]) -> Table:
    return plain_table(title, columns, ("", "class", "where", "part", "distance"))
