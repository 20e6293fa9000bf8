"""`tradewind machine`: facts of machines, messages on them as simulated, pictures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import tradewind as tw
from tradewind import core
from tradewind.cli import main
from tradewind.cli.machine_tables import fact_words
from tradewind.config import keys, places
from tradewind.config.machine import Machine, load_machine, read_machine
from tradewind.config.schema import Where
from tradewind.errors import ConfigError
from tradewind.plots import topology as picture
from tradewind.results.machine import (
    MachineFacts,
    MessageTime,
    message_time,
    place_ranks,
    shortest_route,
    survey,
)

TREE = """
title = "40 nodes on a two-level tree"
[topology]
name = "fat_tree"
leaf_switches = 4
spine_switches = 2
nodes_per_leaf = 10
cables = 3
switch_ports = 18
[link]
bandwidth = "200 Gb/s"
latency = "50 ns"
[switch]
latency = "130 ns"
[nic]
injection_bandwidth = "200 Gb/s"
injection_latency = "400 ns"
[node]
ranks_per_node = 64
"""
# Small machines; another topology of the table gets small numbers for the keys that it needs.
SMALL: dict[str, dict[str, Any]] = {
    "torus": {"extents": [4, 3, 2], "nodes_per_switch": 2},
    "fat_tree": {"leaf_switches": 4, "spine_switches": 2, "nodes_per_leaf": 3},
    "xgft": {"children": [2, 3, 4], "parents": [1, 2, 3]},
    "dragonfly": {"group": [3, 2], "groups": 4},
    "dragonfly_canonical": {"routers": 4, "global_links": 2, "groups": 9},
    "hyperx": {"extents": [3, 4], "nodes_per_switch": 2},
    "star": {"nodes": 9},
}
SIZES = (8, 1_000_000)


def small_shape(topology: str) -> dict[str, Any]:
    needed = {
        key: [3] * entry.length[0] if entry.kind is list else 3
        for key, entry in keys.topologies()[topology].keys.items()
        if entry.required
    }
    return SMALL.get(topology, needed)


def small_machine(topology: str, routing: str | None = None) -> Machine:
    raw = {
        "topology": {"name": topology, **small_shape(topology)},
        "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
        "node": {"ranks_per_node": 2},
    }
    return read_machine(raw | ({"routing": routing} if routing else {}), Where("test"), Path())


def simulated(name: str, nodes: tuple[int, int], size: int, folder: Path) -> float:
    """Returns the time of a message from one node to another and of one back."""
    file = folder / "nodes.txt"
    file.write_text(f"{nodes[0]} {nodes[1]}\n")
    program = {"name": "pingpong", "bytes": f"{size} B", "ranks": 2, "repeat": 1}
    placement = {"rule": "file", "file": str(file)}
    return tw.simulate({"machine": name, "program": program, "placement": placement}).time_s


def check_facts(facts: MachineFacts, machine: Machine) -> None:
    assert facts.nodes == facts.switches_with_nodes * facts.nodes_per_switch
    assert sum(facts.shares) == pytest.approx(1.0) or facts.nodes == 1
    assert len(facts.shares) == facts.diameter + 1 >= len(facts.nodes_by_distance)
    assert 0 <= facts.mean_distance <= facts.diameter
    assert facts.bisection.bytes_per_s > 0
    link = machine.hardware.link
    for kind in facts.links:
        rate = link.get(f"{kind.name}_bandwidth", link["bandwidth"])
        latency = link.get(f"{kind.name}_latency", link["latency"])
        assert kind.bytes_per_s == pytest.approx(rate)
        assert kind.latency_s * 1e12 == pytest.approx(latency)


def check_message(message: MessageTime) -> None:
    assert sum(item.time_s for item in message.items) == pytest.approx(message.time_s, rel=1e-12)
    assert all(item.time_s > 0 for item in message.items if item.name != "waiting")


@pytest.mark.parametrize("name", sorted(places.machine_files()))
def test_every_machine_file_can_be_shown_and_its_messages_take_what_a_simulation_says(
    name: str, tmp_path: Path
) -> None:
    machine = load_machine(name)
    facts = survey(machine)
    check_facts(facts, machine)
    far = max(facts.nodes_by_distance)
    # An adaptive rule chooses at random, and otherwise for the message back.
    is_fixed = machine.hardware.routing.name in ("minimal", "dimension_order", "d_mod_k")
    for size in SIZES:
        message = message_time(machine, 0, far, size)
        check_message(message)
        both = pytest.approx(2 * message.time_s, rel=1e-12 if is_fixed else 0.1)
        assert simulated(name, (0, far), size, tmp_path) == both
    assert len(shortest_route(machine, 0, far)) <= facts.diameter


@pytest.mark.parametrize("topology", keys.topologies())
def test_every_topology_can_be_shown_with_every_rule(topology: str) -> None:
    for routing in keys.topologies()[topology].routings:
        machine = small_machine(topology, routing)
        facts = survey(machine)
        check_facts(facts, machine)
        for target in {0, 1, facts.nodes - 1}:
            for size in SIZES:
                check_message(message_time(machine, 0, target, size))


@pytest.mark.parametrize("topology", keys.topologies())
def test_every_topology_can_be_drawn_with_a_job(topology: str, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    from tradewind.plots.style import save

    machine = small_machine(topology)
    wiring = picture.wiring_of(machine)
    facts = survey(machine)
    assert sum(link[2] for link in wiring.links) == sum(kind.links for kind in facts.links) // 2
    nodes = place_ranks(machine, 8, {"rule": "round_robin"})
    save(picture.draw(wiring, topology), tmp_path / "alone.svg")
    figure = picture.draw(wiring, topology, nodes)
    save(figure, tmp_path / "job.svg")
    dots = figure.axes[0].collections
    assert sum(len(one.get_offsets()) for one in dots if one.get_paths()) >= facts.nodes
    assert "grey: no rank" in (tmp_path / "job.svg").read_text(encoding="utf-8")


def test_a_small_job_is_enlarged_beside_the_machine_without_an_empty_margin() -> None:
    pytest.importorskip("matplotlib")
    machine = load_machine("lumi-c")
    wiring = picture.wiring_of(machine)
    nodes = place_ranks(machine, 200, {"rule": "linear"})
    figure = picture.draw(wiring, "small", nodes)
    whole, part = figure.axes[:2]
    assert part.get_title() == "the framed part"
    shares = [
        np.ptp(inner) / np.ptp(outer)
        for inner, outer in (
            (part.get_xlim(), whole.get_xlim()),
            (part.get_ylim(), whole.get_ylim()),
        )
    ]
    assert shares[0] * shares[1] < 0.2
    coloured = [dots.get_array() for dots in part.collections]
    ranks = {int(value) for values in coloured if values is not None for value in values}
    assert ranks == {0, 128}
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[..., :3].min(axis=(0, 2))
    assert np.flatnonzero(pixels < 255)[0] < 0.06 * len(pixels)
    everywhere = place_ranks(machine, 96 * 16, {"rule": "round_robin"})
    assert len(picture.draw(wiring, "large", everywhere).axes) == 2


def test_a_tree_of_40_nodes_has_the_numbers_of_its_data_sheet(tmp_path: Path) -> None:
    file = tmp_path / "tree.toml"
    file.write_text(TREE)
    machine = load_machine(file)
    facts = survey(machine)
    assert (facts.nodes, facts.switches, facts.switches_with_nodes, facts.ports) == (40, 6, 4, 16)
    assert [(kind.place, kind.links) for kind in facts.links] == [
        ("up_0_to_1", 24),
        ("down_1_to_0", 24),
    ]
    # Each half has 2 leaves, which have 6 cables to each of 2 spines; a spine joins one half.
    assert facts.bisection.bytes_per_s == 12 * 25e9
    assert facts.bisection.share == pytest.approx(0.6)
    assert facts.oversubscription == pytest.approx((10 / 6,))
    assert facts.diameter == 2
    # A node has 9 neighbours at its leaf and 30 elsewhere.
    assert facts.mean_distance == pytest.approx(2 * 30 / 39)
    message = message_time(machine, 0, 10, 8)
    by_name = {item.name: item.time_s for item in message.items}
    assert by_name == {
        "send overhead": pytest.approx(250e-9),
        "injection": pytest.approx(400e-9),
        "switches": pytest.approx(3 * 130e-9),
        "wire": pytest.approx(2 * 50e-9),
        "bytes": pytest.approx(8 / 25e9),
        "receive overhead": pytest.approx(250e-9),
    }


def test_the_oversubscription_of_each_level_is_told() -> None:
    raw = {
        "topology": {
            "name": "fat_tree",
            "pods": 8,
            "leaf_switches": 8,
            "spine_switches": 8,
            "nodes_per_leaf": 16,
            "core_switches": 32,
        },
        "link": {"bandwidth": "100 Gb/s", "latency": "50 ns"},
        "nic": {"injection_bandwidth": "100 Gb/s"},
    }
    machine = read_machine(raw, Where("test"), Path())
    facts = survey(machine)
    assert facts.oversubscription == pytest.approx((2.0, 2.0))
    assert fact_words(machine, facts)["taper"].startswith("2 : 1, 2 : 1 oversubscribed")
    assert survey(small_machine("torus")).oversubscription == ()


def test_a_tapered_tree_takes_longer_for_traffic_between_leaves() -> None:
    def time_with(spines: int, **further: int) -> float:
        topology = {"name": "fat_tree", "leaf_switches": 4, "nodes_per_leaf": 4}
        machine = {
            "topology": {**topology, "spine_switches": spines, **further},
            "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
        }
        nodes = 16 * further.get("pods", 1)
        program = {"name": "alltoallv", "bytes": "64 KiB", "ranks": nodes, "alltoallv": "ring"}
        return tw.simulate({"machine": machine, "program": program}).time_s

    full, tapered = time_with(4), time_with(1)
    assert tapered > 2 * full
    assert time_with(1, cables=4) < 1.2 * full
    assert time_with(4, pods=2, core_switches=4) > 1.5 * time_with(4, pods=2, core_switches=16)


def test_show_tells_the_tables_and_draws(cli: Cli, tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "tree.toml").write_text(TREE)
    done = cli("machine", "show", "tree.toml", "--ranks", 640, "-o", "tree.png")
    assert done.returncode == 0, done.stderr
    for words in (
        "300 GB/s (2.4 Tb/s) each way over 12 links: 60 %",
        "640 ranks, linear: 10 nodes at 1 switch",
        "1,390.32 ns",
        "by rendezvous",
        "node 0 - switch 0 - up_0_to_1 to switch 4 - down_1_to_0 to switch 1 - node 10",
    ):
        assert words in done.stdout
    assert (tmp_path / "tree.png").read_bytes().startswith(b"\x89PNG")


def test_interfaces_and_numa_domains_are_told_and_used() -> None:
    raw: dict[str, Any] = {
        "topology": {"name": "star", "nodes": 2},
        "link": {"bandwidth": "50 GB/s", "latency": "100 ns"},
        "nic": {"per_node": 2, "injection_bandwidth": "100 Gb/s", "affinity": "stripe"},
        "node": {"model": "AMM2", "ranks_per_node": 8, "numa_domains": 4},
    }
    machine = read_machine(raw, Where("test"), Path())
    told = fact_words(machine, survey(machine))
    assert told["interfaces"] == "2 per node, 12.5 GB/s (100 Gb/s) each, affinity stripe"
    assert "in 4 NUMA domains, shared by its ranks (AMM2)" in told["memory"]
    striped = message_time(machine, 0, 1, 1_000_000)
    check_message(striped)
    raw["nic"]["affinity"] = "block"
    whole = message_time(read_machine(raw, Where("test"), Path()), 0, 1, 1_000_000)
    assert whole.time_s - striped.time_s > 0.4 * 1e6 / 12.5e9
    raw["node"]["model"] = "AMM1"
    with pytest.raises(ConfigError, match="numa_domains = 4"):
        survey(read_machine(raw, Where("test"), Path()))


def test_show_has_all_of_it_as_json(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "tree.toml").write_text(TREE)
    arguments = ("--from", 3, "--to", 39, "--bytes", "64 KiB", "--ranks", 100, "--json")
    done = cli("machine", "show", "tree.toml", *arguments)
    assert done.returncode == 0, done.stderr
    shown = json.loads(done.stdout)
    assert shown["nodes"] == 40 and shown["topology"]["name"] == "fat_tree"
    (message,) = shown["messages"]
    assert (message["source"], message["target"], message["bytes"]) == (3, 39, 65536)
    assert shown["job"]["nodes_used"] == 2


def test_list_has_every_machine(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["machine", "list", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)["machines"]
    assert [entry["name"] for entry in listed] == list(places.machine_files())
    assert all(entry["nodes"] > 0 and entry["title"] for entry in listed)


@pytest.mark.parametrize(
    ("changes", "arguments", "told"),
    [
        ({}, ["--from", "40", "--to", "1"], "--from 40: the nodes of the machine are 0 to 39"),
        ({}, ["--from", "1", "--to", "-1"], "--to -1: the nodes of the machine are 0 to 39"),
        ({}, ["--from", "1"], "--from and --to belong together"),
        ({}, ["--bytes", "8"], "--bytes 8: the unit is missing"),
        ({}, ["--bytes", "8 GiB"], "at most 1 GiB"),
        ({}, ["--ranks", "2561"], "the machine has room for 1..2560"),
        ({}, ["--placement", "linear"], "needs --ranks"),
        ({}, ["--ranks", "4", "--placement", "lineer"], "allowed: linear, block"),
        ({"leaf_switches = 4": "leaf_switches = 0"}, [], "expected at least 1"),
        ({"switch_ports = 18": "switch_ports = 15"}, [], "needs 16 ports (10 down, 6 up)"),
        ({"cables = 3": "core_switches = 4"}, [], "pods is missing"),
        ({"leaf_switches = 4": ""}, [], "leaf_switches is missing"),
        ({"= 4": "= 99999999", "switch_ports = 18": ""}, [], "ports in all can be shown"),
        ({"200 Gb/s": "200 Gb"}, [], 'unknown unit "Gb" of a bandwidth'),
        ({"ranks_per_node = 64": ""}, ["--from", "3", "--to", "3"], "node 3 has one rank"),
    ],
)
def test_wrong_input_is_one_line_and_status_2(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    changes: dict[str, str],
    arguments: list[str],
    told: str,
) -> None:
    text = TREE
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    file = tmp_path / "tree.toml"
    file.write_text(text)
    assert main(["machine", "show", str(file), *arguments]) == 2
    said = capsys.readouterr().err
    assert told in said
    assert said.count("\n") == 1


def test_a_machine_that_does_not_exist_is_refused() -> None:
    with pytest.raises(ConfigError, match="unknown machine"):
        load_machine("torus-n")


def test_a_placement_is_that_of_the_simulation(tmp_path: Path) -> None:
    machine = small_machine("torus")
    assert place_ranks(machine, 4, {"rule": "linear"}) == [0, 0, 1, 1]
    assert place_ranks(machine, 4, {"rule": "round_robin"}) == [0, 2, 4, 6]
    with pytest.raises(ConfigError, match="room for"):
        core.load().place_ranks(machine.hardware.tables(), 97)


@pytest.mark.parametrize("name", sorted(places.machine_files()))
def test_an_exported_machine_is_the_same_machine(name: str, tmp_path: Path) -> None:
    path = tmp_path / "exported.toml"
    assert main(["machine", "export", name, "-o", str(path)]) == 0
    machine = load_machine(name)
    again = load_machine(path)
    assert again.hardware.tables() == machine.hardware.tables()
    assert again.title == machine.title


def test_a_machine_is_exported_to_standard_output_in_base_units(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "tree.toml"
    path.write_text(TREE)
    done = cli("machine", "export", path)
    assert done.returncode == 0, done.stderr
    assert 'latency = "130000 ps"' in done.stdout
    assert 'injection_bandwidth = "25000000000.0 B/s"' in done.stdout
    assert "nodes_per_leaf = 10" in done.stdout
    assert cli("machine", "export", "nowhere").returncode == 2
