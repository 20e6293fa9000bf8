"""The networks of the comparison, as machine tables, and what Tradewind makes of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from tradewind import Experiment

Table = Mapping[str, Any]
Spec = Mapping[str, Mapping[str, Any]]

# All messages are eager: SMPI starts a longer one when both sides are there, without the handshake.
_COMMON: Table = {
    "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
    "switch": {"latency": "50 ns", "buffer": "64 KiB"},
    "nic": {"injection_bandwidth": "10 GB/s", "injection_latency": "500 ns"},
    "message": {
        "overhead_send": "250 ns",
        "overhead_receive": "250 ns",
        "eager_limit": "1 GiB",
    },
}
# Nearly all of a route's latency is in the interfaces, so that all routes have about the same one.
_EQUAL: Table = {
    "link": {"bandwidth": "10 GB/s", "latency": "1 ns"},
    "switch": {"latency": "0 ns", "buffer": "64 KiB"},
    "nic": {"injection_bandwidth": "10 GB/s", "injection_latency": "600 ns"},
}
PACKET = "4 KiB"


@dataclass(frozen=True)
class Network:
    """One network.

    Args:
        title: What it is, in words.
        topology: Its table of a machine file.
        routing: Its routing rule; None is the topology's own.
        equal_latencies: Whether all routes have about the same latency, whatever their length.
    """

    title: str
    topology: Table
    routing: str | None = None
    equal_latencies: bool = False

    def machine(self) -> dict[str, Any]:
        """The machine table of an experiment."""
        routing = {} if self.routing is None else {"routing": self.routing}
        latencies = _EQUAL if self.equal_latencies else {}
        return {**_COMMON, **latencies, **routing, "topology": dict(self.topology)}


def star(nodes: int) -> Network:
    """All nodes at one switch."""
    return Network(f"{nodes} nodes at one switch", {"name": "star", "nodes": nodes})


def torus(*extents: int, nodes_per_switch: int = 1) -> Network:
    """A torus, dimension order."""
    size = " x ".join(map(str, extents))
    nodes = "1 node" if nodes_per_switch == 1 else f"{nodes_per_switch} nodes"
    return Network(
        f"torus of {size} switches, {nodes} each",
        {"name": "torus", "extents": list(extents), "nodes_per_switch": nodes_per_switch},
        "dimension_order",
    )


TAPERED_TREE = Network(
    "fat tree of 8 x 8 nodes, 4 links up from each leaf switch",
    {"name": "xgft", "children": [8, 8], "parents": [1, 4]},
    "d_mod_k",
)


def ring(nodes_per_switch: int) -> Network:
    """A ring of 45 switches: a torus of one dimension."""
    return torus(45, nodes_per_switch=nodes_per_switch)


def fat_tree(arity: int, levels: int, nodes_per_switch: int) -> Network:
    """A k-ary n-tree whose packets climb by random ports; SST/macro deals them to the ports in turn."""
    leaves = arity ** (levels - 1)
    return Network(
        f"fat tree of {levels} levels, {leaves} leaf switches with {arity} links up and "
        f"{nodes_per_switch} nodes each",
        {
            "name": "fat_tree",
            "arity": arity,
            "levels": levels,
            "nodes_per_switch": nodes_per_switch,
        },
        "random_up",
    )


def plain_tree(nodes: int, leaves: int, subtrees: int) -> Network:
    """A tree of three levels of switches with one link up from each, so that every route is the only one.

    Args:
        nodes: Per leaf switch.
        leaves: Leaf switches per subtree.
        subtrees: Below the top; SST/macro wants more of them than there are nodes or leaves.
    """
    return Network(
        f"tree without choice of {subtrees} x {leaves} leaf switches, {nodes} nodes each",
        {"name": "xgft", "children": [nodes, leaves, subtrees], "parents": [1, 1, 1]},
        "d_mod_k",
    )


def dragonfly(
    group: tuple[int, int], groups: int, nodes_per_switch: int, routing: str = "minimal"
) -> Network:
    """A dragonfly with a link from every switch to each other group."""
    x, y = group
    return Network(
        f"dragonfly of {groups} groups of {x} x {y} switches, {nodes_per_switch} nodes each",
        {
            "name": "dragonfly",
            "group": list(group),
            "groups": groups,
            "global_links": groups - 1,
            "wiring": "full",
            "nodes_per_switch": nodes_per_switch,
        },
        routing,
    )


def small_dragonfly(routing: str) -> Network:
    """A fifth of the dragonfly-MM of zheng2018 in every number."""
    return dragonfly((5, 5), 5, 5, routing)


DRAGONFLY = dragonfly((2, 4), 4, 2)
# The ranks of the cases stay in the first of its two groups.
GROUP = replace(
    dragonfly((4, 4), 2, 4), title="dragonfly, one group of 4 x 4 switches, 4 nodes each"
)


def spec_of(network: Network, program: Table, changes: Table | None = None) -> Spec:
    """The sections of a run in base units, as the core wants them.

    Args:
        network: Where it runs.
        program: The table [program].
        changes: Values of other settings, by dotted key.
    """
    given = {
        "machine": network.machine(),
        "program": dict(program),
        "simulation": {"network": "packet", "packet_size": PACKET, "threads": 1},
    }
    return Experiment.load(given, changes).members()[0].spec.tables()
