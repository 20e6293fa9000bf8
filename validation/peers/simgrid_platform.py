"""A platform for SimGrid from a machine of Tradewind: the same links, latencies, bandwidths and routes."""

from __future__ import annotations

from collections.abc import Iterator

from networks import Spec
from tradewind import core
from tradewind.errors import ConfigError

_PICOSECOND = 1e-12
# Settings without a counterpart in SimGrid, with the value that switches each off.
_ONLY = {
    ("node", "ranks_per_node"): 1,
    ("node", "model"): "AMM1",
    ("nic", "per_node"): 1,
    ("nic", "gap"): 0,
    ("message", "overhead_per_byte"): 0.0,
    ("placement", "rule"): "linear",
}


def check(spec: Spec, simulator: str = "SimGrid") -> None:
    """Refuses what cannot be said in a platform of SimGrid, nor in the parameters of SST/macro.

    Args:
        spec: The sections of a run in base units.
        simulator: Whose name the error has.

    Raises:
        ConfigError: Naming the setting, its value and the one that is allowed.
    """
    for (section, key), allowed in _ONLY.items():
        value = spec.get(section, {}).get(key, allowed)
        if value != allowed:
            raise ConfigError(f"{section}.{key} = {value!r}: {simulator} needs {allowed!r}")


def host(rank: int) -> str:
    """Name of the host of a rank."""
    return f"n{rank}"


def _link(name: str, bandwidth: float, latency_ps: int) -> str:
    latency = latency_ps * _PICOSECOND
    return f'<link id="{name}" bandwidth="{bandwidth:.17g}Bps" latency="{latency:.15g}s"/>'


def _node_links(spec: Spec, nodes: int) -> Iterator[str]:
    """The way into the network, and the one out of it, which every node has for itself."""
    nic = spec["nic"]
    # A message passes one switch more than links between switches.
    out_ps = nic["ejection_latency"] + spec["switch"]["latency"]
    for node in range(nodes):
        yield _link(f"in{node}", nic["injection_bandwidth"], nic["injection_latency"])
        yield _link(f"out{node}", nic["ejection_bandwidth"], out_ps)


def _switch_links(spec: Spec, kinds: list[str]) -> Iterator[str]:
    link = spec["link"]
    for index, kind in enumerate(kinds):
        bandwidth = link.get(f"{kind}_bandwidth", link["bandwidth"])
        latency = link.get(f"{kind}_latency", link["latency"])
        yield _link(f"l{index}", bandwidth, latency + spec["switch"]["latency"])


def _routes(routes: list[list[int]], nodes: int) -> Iterator[str]:
    for pair, route in enumerate(routes):
        source, destination = divmod(pair, nodes)
        if source == destination:
            continue
        names = [f"in{source}", *(f"l{index}" for index in route), f"out{destination}"]
        contents = "".join(f'<link_ctn id="{name}"/>' for name in names)
        ends = f'src="{host(source)}" dst="{host(destination)}"'
        yield f'<route {ends} symmetrical="NO">{contents}</route>'


def platform(spec: Spec) -> str:
    """The XML of the nodes that the ranks use, and of the routes between them.

    Args:
        spec: The sections of a run; rank r sits on node r.

    Raises:
        ConfigError: If SimGrid has no counterpart for a setting, or packets have a choice of routes.
    """
    check(spec)
    ranks = spec["program"]["ranks"]
    network = core.load().routes(spec, ranks)
    lines = [
        '<?xml version="1.0"?>',
        '<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">',
        '<platform version="4.1">',
        '<zone id="network" routing="Full">',
        *(f'<host id="{host(rank)}" speed="1Gf"/>' for rank in range(ranks)),
        *_node_links(spec, ranks),
        *_switch_links(spec, [kind for _, _, kind in network["links"]]),
        *_routes(network["routes"], ranks),
        "</zone>",
        "</platform>",
    ]
    return "\n".join(lines) + "\n"


def settings(spec: Spec) -> dict[str, str]:
    """Settings of SMPI that make its times those of the platform: no factors of its own.

    Overheads are the constant part of the costs of a send and of a receive; every message up to
    `eager_limit` is sent at once. The bound of TCP (a window over a round trip) is out of reach.
    """
    message = spec["message"]
    send = f"0:{message['overhead_send'] * _PICOSECOND:.12g}:0"
    receive = f"0:{message['overhead_receive'] * _PICOSECOND:.12g}:0"
    eager = str(message["eager_limit"] + 1)
    return {
        "network/model": "SMPI",
        "network/weight-S": "0",
        "network/TCP-gamma": "1e30",
        "network/crosstraffic": "0",
        "smpi/bw-factor": "0:1",
        "smpi/lat-factor": "0:1",
        "smpi/os": send,
        "smpi/ois": send,
        "smpi/or": receive,
        "smpi/async-small-thresh": eager,
        "smpi/send-is-detached-thresh": eager,
        "smpi/simulate-computation": "no",
        "smpi/wtime": "0",
        "smpi/display-timing": "yes",
        "surf/precision": "1e-12",
    }
