"""No message is faster than it would be alone in the network, on any machine."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tradewind import core
from tradewind.config.experiment import Experiment

Table = dict[str, Any]

_TOPOLOGIES: tuple[tuple[Table, tuple[str, ...]], ...] = (
    ({"name": "torus", "extents": [3, 2], "nodes_per_switch": 2}, ("dimension_order", "valiant")),
    ({"name": "fat_tree", "arity": 2, "levels": 3}, ("d_mod_k", "random_up", "adaptive_up")),
    ({"name": "xgft", "children": [4, 4], "parents": [1, 2], "cables": [1, 2]}, ("random_up",)),
    ({"name": "dragonfly", "group": [2, 2], "groups": 3, "nodes_per_switch": 1}, ("ugal",)),
    (
        {"name": "dragonfly_canonical", "routers": 4, "global_links": 1, "nodes_per_switch": 1},
        ("minimal", "ugal_sstmacro", "valiant"),
    ),
    ({"name": "hyperx", "extents": [3, 3], "nodes_per_switch": 1}, ("minimal", "ugal", "valiant")),
)
_PROGRAMS: tuple[Table, ...] = (
    {"name": "alltoallv", "bytes": "20000 B", "ranks": 6},
    {"name": "alltoallv", "bytes": "1000 B", "ranks": 6},
    {"name": "allreduce", "bytes": "50000 B", "ranks": 6},
)


def machine(rng: random.Random) -> Table:
    """A machine with rates and latencies of all kinds; a third have unequal classes of links."""

    def rate() -> str:
        return f"{rng.choice([1, 2.5, 3, 7, 10, 12.5, 17.3, 25, 100])} GB/s"

    def latency() -> str:
        return f"{rng.choice([1, 50, 100, 500, 1000])} ns"

    topology, rules = rng.choice(_TOPOLOGIES)
    link = {"bandwidth": rate(), "latency": latency()}
    if "dragonfly" in topology["name"]:
        link |= {"global_bandwidth": rate(), "local_latency": latency()}
    return {
        "topology": topology,
        "routing": rng.choice(rules),
        "link": link,
        "switch": {
            "latency": latency(),
            "arbitration": rng.choice(["first_come", "round_robin", "oldest_first"]),
            "port_sharing": rng.choice(["interleaved", "exclusive"]),
            "credit_return": rng.choice(["head", "tail"]),
        },
        "nic": {
            "injection_bandwidth": rate(),
            "ejection_bandwidth": rate(),
            "injection_latency": latency(),
            "messages_in_turn": rng.choice([1, 4]),
        },
        "node": {"model": rng.choice(["AMM1", "AMM2", "AMM3"]), "memory_bandwidth": rate()},
    }


@pytest.mark.parametrize("network", ["packet", "packet_unbounded", "analytic"])
def test_no_message_is_faster_than_alone(network: str) -> None:
    rng = random.Random(network)
    for _ in range(150):
        simulation = {
            "timeline": True,
            "network": network,
            "packet_size": rng.choice(["auto", "256 B", "4 KiB", "4097 B"]),
        }
        tables = {
            "machine": machine(rng),
            "program": rng.choice(_PROGRAMS),
            "simulation": simulation,
        }
        (member,) = Experiment.load(tables).members()
        run = core.load().simulate(member.spec.tables(), lambda done, work, now: True)
        assert run["delay"]["min_s"] >= 0, tables
        assert run["timeline"]["delay_ps"].min() >= 0, tables


@pytest.mark.parametrize("model", ["AMM2", "AMM3"])
@pytest.mark.parametrize("bandwidth", ["1 GB/s", "100 GB/s"])
def test_a_message_alone_has_no_delay_whatever_its_memory(model: str, bandwidth: str) -> None:
    tables = {
        "machine": {
            "topology": {"name": "torus", "extents": [4], "nodes_per_switch": 1},
            "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
            "switch": {"latency": "500 ns"},
            "node": {"model": model, "memory_bandwidth": bandwidth},
        },
        "program": {"name": "pingpong", "bytes": "8000 B", "ranks": 2},
        "simulation": {"packet_size": "16 KiB"},
    }
    (member,) = Experiment.load(tables).members()
    delay = core.load().simulate(member.spec.tables(), lambda done, work, now: True)["delay"]
    assert delay["count"] > 0
    assert (delay["min_s"], delay["max_s"]) == (0, 0)


def test_several_routes_of_a_message_are_not_counted_as_one() -> None:
    """Packets over several routes of 1 GB/s take less time than over one, and none is early."""
    tables = {
        "machine": {
            "topology": {"name": "hyperx", "extents": [4, 4], "nodes_per_switch": 1},
            "routing": "valiant",
            "link": {"bandwidth": "1 GB/s", "latency": "1 ns"},
            "nic": {"injection_bandwidth": "100 GB/s", "ejection_bandwidth": "100 GB/s"},
        },
        "program": {"name": "pingpong", "bytes": "65536 B", "ranks": 2},
        "simulation": {"packet_size": "4 KiB", "timeline": True},
    }
    (member,) = Experiment.load(tables).members()
    run = core.load().simulate(member.spec.tables(), lambda done, work, now: True)
    lines = run["timeline"]
    assert lines["delay_ps"].min() >= 0
    assert (lines["arrived_ps"] - lines["sent_ps"]).min() < 65536 * 1000
