"""The facts of a machine: what it consists of, how far its nodes are apart, what messages cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from tradewind import core
from tradewind.config.machine import Machine
from tradewind.errors import ConfigError


@dataclass(frozen=True)
class LinkKind:
    """The links between switches of one kind.

    Args:
        name: The class of the links, which decides about bandwidth and latency.
        place: Where they are in the topology, such as "x" or "up_0_to_1"; empty if not told apart.
        links: Their number; a two-way link counts once in each direction.
        bytes_per_s: The bandwidth of one of them, in its direction.
        latency_s: The latency of one of them.
    """

    name: str
    place: str
    links: int
    bytes_per_s: float
    latency_s: float


@dataclass(frozen=True)
class Bisection:
    """The narrowest cut into halves of equally many nodes.

    Args:
        bytes_per_s: The bandwidth that crosses it, each way.
        links: The links between switches that cross it, each way.
        cut_off_nodes: The nodes whose own links cross it, as their switch has nodes in both halves.
        share: The bandwidth over that at which the nodes of one half can send; 1 or more is full.
    """

    bytes_per_s: float
    links: int
    cut_off_nodes: int
    share: float


@dataclass(frozen=True)
class MachineFacts:
    """The size of a machine and of its network.

    Args:
        nodes: Nodes.
        nodes_per_switch: Nodes of each switch that has any.
        ranks_per_node: Ranks for which a node has room.
        switches: Switches.
        switches_with_nodes: Those of them that have nodes.
        ports: The most ports that a switch uses, those to its nodes included.
        is_two_way: Whether each link has a partner in the other direction.
        links: The links between switches by kind.
        injection_bytes_per_s: The bandwidth at which all interfaces of a node send.
        diameter: The most links between switches on a shortest route.
        mean_distance: The mean over pairs of nodes.
        shares: The share of pairs of nodes at each distance, from 0 links between switches on.
        distance_sources: The switches from which these were counted.
        nodes_by_distance: A node at each distance from node 0; -1 if there is none.
        bisection: The bisection.
    """

    nodes: int
    nodes_per_switch: int
    ranks_per_node: int
    switches: int
    switches_with_nodes: int
    ports: int
    is_two_way: bool
    links: tuple[LinkKind, ...]
    injection_bytes_per_s: float
    diameter: int
    mean_distance: float
    shares: tuple[float, ...]
    distance_sources: int
    nodes_by_distance: tuple[int, ...]
    bisection: Bisection

    @property
    def oversubscription(self) -> tuple[float, ...]:
        """The bandwidth from below over that of the links up, at each level of a tree.

        It is empty for other networks, and where links are not told apart.
        """
        up = [kind for kind in self.links if kind.place.startswith("up_")]
        rates = [kind.links * kind.bytes_per_s for kind in up]
        below = [self.nodes * self.injection_bytes_per_s, *rates[:-1]]
        return tuple(lower / upper for lower, upper in zip(below, rates, strict=False))

    def to_dict(self) -> dict[str, Any]:
        """Returns the facts for JSON."""
        return {**asdict(self), "oversubscription": list(self.oversubscription)}


@dataclass(frozen=True)
class CostItem:
    """A part of the time of a message.

    Args:
        name: The piece of the machine that takes the time.
        time_s: The time.
        detail: How it comes about; may be empty.
    """

    name: str
    time_s: float
    detail: str


@dataclass(frozen=True)
class MessageTime:
    """The time of one message on the idle machine, from a simulation, and its parts.

    Args:
        source: The node that sends.
        target: The node that receives.
        bytes: The size of the message.
        time_s: The time from the call of the sender until the receiver has the message.
        is_eager: Whether it is sent without a rendezvous.
        items: The parts of the time, in the order of the way.
    """

    source: int
    target: int
    bytes: int
    time_s: float
    is_eager: bool
    items: tuple[CostItem, ...]

    @property
    def bytes_per_s(self) -> float:
        """The bandwidth that the message sees."""
        return self.bytes / self.time_s

    def to_dict(self) -> dict[str, Any]:
        """Returns the time for JSON."""
        return {**asdict(self), "bytes_per_s": self.bytes_per_s}


@dataclass(frozen=True)
class RouteLink:
    """A link of a route.

    Args:
        source: The switch that it leaves.
        target: The switch to which it leads.
        name: The class of the link.
        place: Where it is in the topology.
    """

    source: int
    target: int
    name: str
    place: str


def survey(machine: Machine) -> MachineFacts:
    """Counts what a machine consists of.

    Args:
        machine: The machine.

    Raises:
        TopologyError: If it cannot be built.
    """
    raw = core.load().survey_machine(machine.hardware.tables())
    nic = machine.hardware.nic
    injection = nic.number("injection_bandwidth") * nic.whole("per_node")
    shares = _shares(raw)
    return MachineFacts(
        nodes=raw["nodes"],
        nodes_per_switch=raw["nodes_per_switch"],
        ranks_per_node=machine.hardware.node.whole("ranks_per_node"),
        switches=raw["switches"],
        switches_with_nodes=raw["terminal_switches"],
        ports=raw["ports"],
        is_two_way=raw["is_two_way"],
        links=tuple(_link_kind(one) for one in raw["links"]),
        injection_bytes_per_s=injection,
        diameter=raw["diameter"],
        mean_distance=sum(distance * share for distance, share in enumerate(shares)),
        shares=shares,
        distance_sources=raw["distance_sources"],
        nodes_by_distance=tuple(raw["nodes_by_distance"]),
        bisection=_bisection(raw, injection),
    )


def message_time(machine: Machine, source: int, target: int, size: int) -> MessageTime:
    """Simulates one message on the idle machine and says what its time consists of.

    Args:
        machine: The machine.
        source: The node that sends.
        target: The node that receives.
        size: The bytes of the message.

    Raises:
        ConfigError: If there is no such node, or both are one node that has a single rank.
    """
    raw = core.load().message_cost(machine.hardware.tables(), source, target, size)
    items = [CostItem(one["name"], one["time_ps"] * 1e-12, one["detail"]) for one in raw["items"]]
    return MessageTime(source, target, size, raw["time_ps"] * 1e-12, raw["is_eager"], tuple(items))


def shortest_route(machine: Machine, source: int, target: int) -> list[RouteLink]:
    """Returns the links between switches of the shortest route between two nodes.

    Args:
        machine: The machine.
        source: The node that sends.
        target: The node that receives.

    Raises:
        ConfigError: If there is no such node.
    """
    links = core.load().shortest_route(machine.hardware.tables(), source, target)
    return [RouteLink(*link) for link in links]


def place_ranks(machine: Machine, ranks: int, placement: Mapping[str, Any]) -> list[int]:
    """Returns the node of each rank of a job.

    Args:
        machine: The machine.
        ranks: The number of ranks.
        placement: The keys of [placement].

    Raises:
        ConfigError: If the ranks do not fit.
    """
    tables: dict[str, Any] = {**machine.hardware.tables(), "placement": dict(placement)}
    return list(core.load().place_ranks(tables, ranks))


def check_node(facts: MachineFacts, node: int, option: str) -> None:
    """Refuses a node that the machine does not have.

    Args:
        facts: The facts of the machine.
        node: The number of the node.
        option: What names it, for the message.

    Raises:
        ConfigError: If there is no such node.
    """
    if not 0 <= node < facts.nodes:
        raise ConfigError(f"{option} {node}: the nodes of the machine are 0 to {facts.nodes - 1}")


def _link_kind(raw: Mapping[str, Any]) -> LinkKind:
    return LinkKind(
        raw["class"], raw["place"], raw["links"], raw["bytes_per_s"], raw["latency_ps"] * 1e-12
    )


def _bisection(raw: Mapping[str, Any], injection: float) -> Bisection:
    cut = raw["bisection"]
    half = max(raw["nodes"] // 2, 1) * injection
    return Bisection(
        cut["bytes_per_s"], cut["links"], cut["cut_off_nodes"], cut["bytes_per_s"] / half
    )


def _shares(raw: Mapping[str, Any]) -> tuple[float, ...]:
    """Returns the share of pairs of two nodes at each distance between their switches."""
    per_switch = raw["nodes_per_switch"]
    pairs = [count * per_switch**2 for count in raw["distance_pairs"]]
    # A node and itself are no pair.
    pairs[0] -= raw["distance_sources"] * per_switch
    return tuple(count / max(sum(pairs), 1) for count in pairs)
