"""The mechanisms of congestion one by one: a case for each, in Tradewind and its peers with several settings."""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from cases import RING_BYTES, RING_SWITCHES, Case, ring_case, routing_case, tree_cases
from comparison import FIRST_COME, ROUTING_MACHINE, UNLIMITED_BUFFERS, Peers
from fluid import FluidNetwork, Service, transposition
from loggp import LogGP, shared_port_s, starved_ring_s
from networks import (
    PACKET,
    Network,
    Spec,
    dragonfly,
    fat_tree,
    plain_tree,
    small_dragonfly,
    spec_of,
)
from sstmacro import SstMacro, channels
from tradewind import core
from tradewind.errors import ConfigError

Changes = Mapping[str, Any]
Row = dict[str, Any]

_SWITCH = "machine.switch"
_ROUND_ROBIN: Changes = {f"{_SWITCH}.arbitration": "round_robin"}
_UNBOUNDED: Changes = FIRST_COME | {"simulation.network": "packet_unbounded"}
_BY_HEAD: Changes = FIRST_COME | {f"{_SWITCH}.credit_return": "head"}
_TWICE: Changes = {f"{_SWITCH}.buffer": "128 KiB", "machine.nic.buffer": "128 KiB"}

# Tradewind with other settings, by mechanism: a column of the table each. Settings that the installed
# Tradewind does not know, or that a row's routing rule does not have, leave their cell empty.
VARIANTS: Mapping[str, Mapping[str, Changes]] = {
    "ring": {
        "first_come": FIRST_COME,
        "round_robin": _ROUND_ROBIN,
        "oldest_first": {f"{_SWITCH}.arbitration": "oldest_first"},
        "transit_first": {f"{_SWITCH}.arbitration": "transit_first"},
        "weighted": {f"{_SWITCH}.arbitration": "weighted"},
        "unbounded": _UNBOUNDED,
    },
    "ports": {
        "first_come": FIRST_COME,
        "interleaved": FIRST_COME | {f"{_SWITCH}.port_sharing": "interleaved"},
        "exclusive": FIRST_COME | {f"{_SWITCH}.port_sharing": "exclusive"},
        "head": _BY_HEAD,
        # SST/macro has each buffer twice.
        "head_twice": {**_BY_HEAD, **_TWICE},
        "tail_twice": {**FIRST_COME, **_TWICE},
        "d_mod_k": FIRST_COME | {"machine.routing": "d_mod_k"},
        "adaptive_up": FIRST_COME | {"machine.routing": "adaptive_up"},
        "unbounded": _UNBOUNDED,
    },
    "trees": {
        "first_come": FIRST_COME,
        "round_robin": _ROUND_ROBIN,
        "d_mod_k": FIRST_COME | {"machine.routing": "d_mod_k"},
        "adaptive_up": FIRST_COME | {"machine.routing": "adaptive_up"},
        "messages_in_turn": FIRST_COME | {"machine.nic.messages_in_turn": 4},
        "unbounded": _UNBOUNDED,
    },
    "routing": {
        "first_come": FIRST_COME,
        # Divided among Tradewind's own channels, of which there are fewer than in SST/macro.
        "buffer_per_port": FIRST_COME | {f"{_SWITCH}.buffer_per": "port"},
        "queue_fault": FIRST_COME | {"machine.routing.queue_fault": True},
    },
}
_IN_TURN: Changes = {"machine.nic.messages_in_turn": 4}
# Tradewind with the settings in which it comes closer to flows, one after the other.
FLOWS: Mapping[str, Changes] = {
    "first_come": FIRST_COME,
    "unbounded": _UNBOUNDED,
    "in_turn": {**_UNBOUNDED, **_IN_TURN},
    "small_packets": {**_UNBOUNDED, **_IN_TURN, "simulation.packet_size": "512 B"},
}
# Messages of no grain that begin together, in buffers without limit.
_FINE: Changes = {
    **_IN_TURN,
    f"{_SWITCH}.buffer": "1 GiB",
    "machine.nic.buffer": "1 GiB",
    "machine.message.overhead_send": "1 ns",
    "machine.message.overhead_receive": "1 ns",
    "simulation.packet_size": "128 B",
}
# Services of a link in the fluid model, and settings of Tradewind for each.
ORDERS: Mapping[Service, Changes] = {
    "arrival": {**_FINE, **FIRST_COME},
    "inputs": {**_FINE, **_ROUND_ROBIN},
}
# SST/macro with other settings: of the machine, and its own.
_PLAIN: tuple[Changes, Changes] = ({}, {})
_UNLIMITED: tuple[Changes, Changes] = ({}, UNLIMITED_BUFFERS)
# A switch has a buffer before its crossbar and another one behind it: half of the bytes in each.
_HALVES: tuple[Changes, Changes] = ({f"{_SWITCH}.buffer": "32 KiB"}, {})
SSTMACRO: Mapping[str, Mapping[str, tuple[Changes, Changes]]] = {
    "ring": {"": _PLAIN, "half_buffers": _HALVES, "unbounded": _UNLIMITED},
    "ports": {"": _PLAIN, "unbounded": _UNLIMITED},
    "trees": {"": _PLAIN, "half_buffers": _HALVES, "unbounded": _UNLIMITED},
    "routing": {"": _PLAIN, "simple_arbitrator": ({}, {"arbitrator": "simple"})},
}
TITLES = {
    "ring": "Packets in transit on a ring",
    "ports": "Ports faster than what comes in",
    "trees": "Trees",
    "routing": "Routing rules on equal hardware",
}
FLOWS_TITLE = "Packets and flows"
ORDER_TITLE = "The order at a link"
# Bytes of a message that may wait before a link of the fluid model.
ROOM = 16384


# Sixteen packets of 64 KiB over links ten times as fast as the interfaces.
PORT_BYTES = 1 << 20
FAST_PORT: Changes = {"machine.link.bandwidth": "100 GB/s", "simulation.packet_size": "64 KiB"}


@dataclass(frozen=True)
class Setup:
    """A case on a machine with some settings.

    Args:
        case: The pattern on the network.
        label: The settings in words.
        changes: The settings, by dotted key; the parameters of SST/macro follow from them.
        closed_form_s: The time by formula where the mechanism has one.
        runs: Of SST/macro, whose detours are other ones each time.
        port_buffer: Of all channels of a port, where it is given for a port.
    """

    case: Case
    label: str = ""
    changes: Changes = field(default_factory=dict)
    closed_form_s: float | None = None
    runs: int = 1
    port_buffer: int | None = None

    def spec(self, changes: Changes | None = None) -> Spec:
        """The sections of the run in base units, with a port's buffer divided among its channels.

        Args:
            changes: Other settings.

        Raises:
            ConfigError: If this Tradewind has none such.
        """
        changes = {**self.changes, **(changes or {})}
        network, program = self.case.network, self.case.program
        if self.port_buffer is not None:
            plain = spec_of(network, program, self.changes)
            per_port = changes.get(f"{_SWITCH}.buffer_per") == "port"
            divided = self.port_buffer // (1 if per_port else channels(plain))
            changes[f"{_SWITCH}.buffer"] = f"{divided} B"
            changes["machine.nic.buffer"] = f"{self.port_buffer} B"
        return spec_of(network, program, changes)

    def tradewind_s(self, changes: Changes) -> float | None:
        """The simulated time with other settings; None if there are none such in this Tradewind."""
        try:
            spec = self.spec(changes)
        except ConfigError:
            return None
        return float(core.load().simulate(spec)["time_s"])

    def with_equal_latencies(self) -> Setup:
        """The same on a network whose routes have about the same latency."""
        network = replace(self.case.network, equal_latencies=True)
        return replace(self, case=replace(self.case, network=network))


def _ring() -> list[Setup]:
    found = []
    for nodes in (5, 10, 25):
        closed = starved_ring_s(RING_SWITCHES, nodes, RING_BYTES, 10e9)
        found.append(Setup(ring_case(nodes), f"{nodes} nodes per switch", closed_form_s=closed))
    return found


def _ports() -> list[Setup]:
    networks = [
        small_dragonfly("minimal"),
        dragonfly((5, 5), 5, 8),
        dragonfly((5, 5), 5, 25),
        fat_tree(5, 3, 5),
        fat_tree(5, 3, 25),
        plain_tree(5, 5, 6),
    ]
    found = []
    for nodes in (5, 10, 25):
        closed = shared_port_s(nodes, PORT_BYTES, 100e9, 10e9)
        label = f"packets of 64 KiB, links of 100 GB/s, {nodes} nodes per switch"
        found.append(Setup(ring_case(nodes, 1, PORT_BYTES), label, FAST_PORT, closed))
    for network in networks:
        for packet in ("64 KiB", "4 KiB"):
            for rate in (1, 10, 100, 1000):
                changes = ROUTING_MACHINE | {"machine.link.bandwidth": f"{rate} GB/s"}
                changes |= {"simulation.packet_size": packet}
                label = f"packets of {packet}, links of {rate} GB/s"
                found.append(Setup(routing_case(network), label, changes))
    return found


def _trees() -> list[Setup]:
    networks: list[Network] = [fat_tree(4, 3, 4), fat_tree(4, 3, 8), plain_tree(4, 4, 5)]
    return [Setup(case) for network in networks for case in tree_cases(network)]


def _routing() -> list[Setup]:
    found = []
    for kib in (32, 64, 128):
        for rule in ("minimal", "valiant", "ugal_sstmacro"):
            case = routing_case(small_dragonfly(rule))
            runs = 1 if rule == "minimal" else 3
            label = f"{rule}, {kib} KiB per port"
            buffer = kib * 1024
            setup = Setup(case, label, ROUTING_MACHINE, runs=runs, port_buffer=buffer)
            found.append(setup)
    return found


def setups() -> dict[str, list[Setup]]:
    """The comparisons, by mechanism."""
    return {"ring": _ring(), "ports": _ports(), "trees": _trees(), "routing": _routing()}


def flow_setups() -> list[Setup]:
    """The comparisons with flows: setups in which every message has one route.

    Trees with a choice have one port up for each destination. Packets have 4 KiB, since flows have none.
    """
    found = []
    for setup in (*_ring(), *_ports(), *_trees()):
        longer = setup.changes.get("simulation.packet_size", PACKET) != PACKET
        if longer and setup.closed_form_s is None:
            continue
        one_route = {"machine.routing": "d_mod_k"}
        changes = one_route if setup.case.network.routing == "random_up" else {}
        packet = {"simulation.packet_size": PACKET}
        found.append(replace(setup, changes={**setup.changes, **packet, **changes}))
    return found


def compare_flows(setup: Setup, peers: Peers) -> Row:
    """Simulated times of a setup in Tradewind, more and more like flows, and in SMPI.

    SMPI is run with the latencies of the machine and with equal ones, since it gives flows with a
    longer latency a smaller share.

    Args:
        setup: One of `flow_setups`.
        peers: What to compare with.
    """
    times: dict[str, float | None] = {}
    for name, changes in FLOWS.items():
        times[f"tradewind_{name}"] = setup.tradewind_s(changes)
    times["smpi"] = peers.run_patterns(setup.spec(), setup.case).time_s
    equal = setup.with_equal_latencies()
    times["smpi_equal_latencies"] = peers.run_patterns(equal.spec(), equal.case).time_s
    return _row(setup, times)


def order_setups() -> list[Setup]:
    """The transpositions of `flow_setups` on slow links, where SMPI and packets differ most."""
    slow = ("1 GB/s", "10 GB/s")
    return [
        setup
        for setup in flow_setups()
        if setup.case.program.get("processes") == [10, 10]
        and setup.changes["machine.link.bandwidth"] in slow
    ]


def compare_order(setup: Setup, peers: Peers) -> Row:
    """Simulated times of a setup in Tradewind, in the fluid model and in SMPI, by what divides a link.

    Args:
        setup: One of `order_setups`.
        peers: What to compare with.
    """
    spec, program = setup.spec(), setup.case.program
    side, radix = program["processes"][0], program["alltoallv"]["radix"]
    exchange = transposition(side, program["grid"], radix)
    # A link carries a 128th of a message in a step.
    step_s = exchange.size / spec["link"]["bandwidth"] / 128
    times: dict[str, float | None] = {}
    for service, changes in ORDERS.items():
        times[f"tradewind_{service}"] = setup.tradewind_s(changes)
        times[f"fluid_{service}"] = FluidNetwork(spec, service).time_s(exchange, step_s)
    for name, room in (("messages", math.inf), ("room", ROOM)):
        network = FluidNetwork(spec, "messages", room)
        times[f"fluid_{name}"] = network.time_s(exchange, step_s)
    times["smpi"] = peers.run_patterns(spec, setup.case).time_s
    return _row(setup, times)


def compare_mechanism(mechanism: str, setup: Setup, sstmacro: SstMacro, directory: Path) -> Row:
    """Simulated times of a setup in Tradewind and SST/macro, with each of their settings.

    Args:
        mechanism: A key of `VARIANTS`.
        setup: One of its `setups`.
        sstmacro: SST/macro.
        directory: For its program and parameters.
    """
    times: dict[str, float | None] = {}
    spread: dict[str, list[float]] = {}
    for name, changes in VARIANTS[mechanism].items():
        times[f"tradewind_{name}"] = setup.tradewind_s(changes)
    for name, (changes, parameters) in SSTMACRO[mechanism].items():
        key = f"sstmacro_{name}".removesuffix("_")
        spec, arguments = setup.spec(changes), setup.case.arguments
        runs = [sstmacro.run(spec, arguments, directory, parameters) for _ in range(setup.runs)]
        spread[key] = sorted(run.time_s for run in runs)
        times[key] = statistics.median(spread[key])
    return _row(setup, times) | {"runs": spread}


def _row(setup: Setup, times: Mapping[str, float | None]) -> Row:
    row: Row = {"case": setup.case.name, "network": setup.case.network.title}
    row |= {"label": setup.label, "ranks": setup.case.ranks, "closed_form": setup.closed_form_s}
    return row | {"expected": {"tradewind": _least_s(setup)}, "times": times}


def _least_s(setup: Setup) -> float:
    """The time without congestion on links that are not slower than the interfaces."""
    spec = setup.spec()
    rate = max(spec["link"]["bandwidth"], spec["nic"]["injection_bandwidth"])
    return setup.case.formula(LogGP.of({**spec, "link": {**spec["link"], "bandwidth": rate}}))
