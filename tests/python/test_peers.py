"""Tests of the comparison with other simulators, without them: platforms, formulas, what is missing."""

from __future__ import annotations

import math
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import comparison
import fluid
import goal_programs
import loggopsim
import measuring
import mechanisms
import run as peers_run
import smpi
import sstmacro
import tables
import tradewind as tw
from cases import (
    RING_BYTES,
    RING_SWITCHES,
    Case,
    cases,
    cost_case,
    ring_case,
    routing_case,
    sstmacro_cases,
    tree_cases,
)
from loggp import Fluid, LogGP, face_bytes, shared_ends, shared_port_s, starved_ring_s
from networks import (
    DRAGONFLY,
    TAPERED_TREE,
    Network,
    Spec,
    fat_tree,
    plain_tree,
    small_dragonfly,
    spec_of,
    torus,
)
from simgrid_platform import platform, settings
from tradewind import core
from tradewind.errors import ConfigError, Error

SCRIPT = Path(peers_run.__file__)
FREE = [case for case in cases() if not case.congested]
CONGESTED = [case for case in cases() if case.congested]
NETWORKS = [
    torus(4, 4, nodes_per_switch=2),
    torus(5, 3, nodes_per_switch=2),
    TAPERED_TREE,
    DRAGONFLY,
]


def label(thing: Case | Network) -> str:
    return f"{thing.name}, {thing.network.title}" if isinstance(thing, Case) else thing.title


def small_spec(network: Network, ranks: int, changes: dict[str, Any] | None = None) -> Spec:
    return spec_of(network, {"name": "allreduce", "bytes": "8 B", "ranks": ranks}, changes)


def parsed(spec: Spec) -> ElementTree.Element:
    # This parser does not read the lines before the root element.
    return ElementTree.fromstring("".join(platform(spec).splitlines(keepends=True)[2:]))


def link_values(root: ElementTree.Element) -> dict[str, tuple[float, float]]:
    return {
        link.attrib["id"]: (
            float(link.attrib["bandwidth"].removesuffix("Bps")),
            float(link.attrib["latency"].removesuffix("s")),
        )
        for link in root.iter("link")
    }


def route_links(route: ElementTree.Element) -> list[str]:
    return [link.attrib["id"] for link in route.iter("link_ctn")]


@pytest.mark.parametrize("network", NETWORKS, ids=label)
def test_a_message_takes_as_long_by_the_platform_as_in_tradewind(network: Network) -> None:
    size, ranks = 100_000, 22
    root = parsed(small_spec(network, ranks))
    links = link_values(root)
    for count in (2, 5, ranks):
        spec = spec_of(network, {"name": "pingpong", "bytes": f"{size} B", "ranks": count})
        there = route_links(_route(root, 0, count - 1))
        back = route_links(_route(root, count - 1, 0))
        expected = sum(
            sum(links[link][1] for link in way) + size / min(links[link][0] for link in way)
            for way in (there, back)
        )
        overheads = spec["message"]["overhead_send"] + spec["message"]["overhead_receive"]
        simulated = core.load().simulate(spec)["time_s"]
        assert simulated == pytest.approx(expected + 2 * overheads * 1e-12, rel=1e-6)


def _route(root: ElementTree.Element, source: int, destination: int) -> ElementTree.Element:
    found = root.find(f".//route[@src='n{source}'][@dst='n{destination}']")
    assert found is not None
    return found


@pytest.mark.parametrize("network", NETWORKS, ids=label)
def test_routes_of_the_platform_are_connected_and_between_all_pairs(network: Network) -> None:
    ranks = 20
    spec = small_spec(network, ranks)
    ends = core.load().routes(spec, ranks)["links"]
    root = parsed(spec)
    pairs = [(route.attrib["src"], route.attrib["dst"]) for route in root.iter("route")]
    assert len(pairs) == len(set(pairs)) == ranks * (ranks - 1)
    for route in root.iter("route"):
        names = route_links(route)
        assert names[0] == "in" + route.attrib["src"][1:]
        assert names[-1] == "out" + route.attrib["dst"][1:]
        switches = [ends[int(name.removeprefix("l"))] for name in names[1:-1]]
        assert all(before[1] == after[0] for before, after in pairwise(switches))


def test_a_torus_route_has_the_links_of_dimension_order() -> None:
    spec = small_spec(torus(4, 4), 16)
    network = core.load().routes(spec, 16)
    # From (0, 0) to (1, 2): one step in x, two in y.
    route = [network["links"][index][:2] for index in network["routes"][0 * 16 + 9]]
    assert route[0] == (0, 1)
    assert [end for _, end in route][-1] == 9
    assert len(route) == 3


def test_kinds_of_links_keep_their_own_speed() -> None:
    changes = {"machine.link.global_bandwidth": "5 GB/s", "machine.link.global_latency": "1 us"}
    values = link_values(parsed(small_spec(DRAGONFLY, 64, changes)))
    between = {(rate, round(s * 1e12)) for name, (rate, s) in values.items() if name[0] == "l"}
    assert between == {(10e9, 150_000), (5e9, 1_050_000)}


def test_routes_with_a_choice_are_refused() -> None:
    spec = small_spec(replace(torus(4, 4), routing="valiant"), 4)
    with pytest.raises(ConfigError, match=r'routing\.name = "valiant"'):
        platform(spec)


def test_routes_of_more_nodes_than_there_are_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"nodes = 17 is not in 1\.\.16"):
        core.load().routes(small_spec(torus(4, 4), 4), 17)


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("machine.node.ranks_per_node", 2, r"node\.ranks_per_node = 2: SimGrid needs 1"),
        ("machine.nic.gap", "1 us", r"nic\.gap = 1000000: SimGrid needs 0"),
        ("placement.rule", "random", r"placement\.rule = 'random': SimGrid needs 'linear'"),
    ],
)
def test_what_simgrid_cannot_say_is_refused(key: str, value: object, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        platform(small_spec(torus(4, 4), 4, {key: value}))


def test_settings_of_smpi_take_the_overheads_and_no_factors() -> None:
    given = settings(small_spec(torus(4, 4), 4, {"machine.message.overhead_receive": "100 ns"}))
    assert given["smpi/ois"] == given["smpi/os"] == "0:2.5e-07:0"
    assert given["smpi/or"] == "0:1e-07:0"
    assert given["smpi/bw-factor"] == given["smpi/lat-factor"] == "0:1"
    assert int(given["smpi/async-small-thresh"]) > 2**20


@pytest.mark.parametrize("case", FREE, ids=label)
def test_without_congestion_tradewind_follows_the_formula(case: Case) -> None:
    spec = spec_of(case.network, case.program)
    expected = case.formula(LogGP.of(spec))
    assert core.load().simulate(spec)["time_s"] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("case", CONGESTED, ids=label)
def test_under_congestion_the_formula_is_a_lower_bound(case: Case) -> None:
    spec = spec_of(case.network, case.program)
    assert core.load().simulate(spec)["time_s"] > 1.2 * case.formula(LogGP.of(spec))


def test_an_envelope_lengthens_every_message() -> None:
    spec = small_spec(torus(4, 4), 4)
    plain, wrapped = LogGP.of(spec), LogGP.of(spec, 16)
    assert wrapped.stage_s(84, messages=3) == pytest.approx(plain.stage_s(100, messages=3))


def test_flows_that_share_a_link_end_as_worked_out_by_hand() -> None:
    # The first has the link for a second, then half of it; the second is alone at the end.
    assert shared_ends([0.0, 1.0], 5.0) == pytest.approx([9.0, 10.0])
    assert shared_ends([0.0, 10.0], 5.0) == pytest.approx([5.0, 15.0])
    assert shared_ends([0.0], 2.0) == [2.0]


def test_one_flow_takes_as_long_as_one_message() -> None:
    spec = small_spec(torus(4, 4), 4)
    assert Fluid.of(spec).stage_s(1000, 2) == pytest.approx(LogGP.of(spec).stage_s(1000, 2))


def test_flows_end_together_and_their_receives_queue_up() -> None:
    spec = small_spec(torus(4, 4), 4)
    late = Fluid.of(spec).stage_s(16400, messages=4) - LogGP.of(spec).stage_s(16400, messages=4)
    assert 0.0 < late < 3 * 250e-9


def test_faces_of_a_halo_are_counted_as_the_program_does() -> None:
    grid, processes, width = (256, 128, 64), (4, 4), 4
    case = next(case for case in FREE if case.program["name"] == "halo")
    sent = core.load().simulate(spec_of(case.network, case.program))["bytes"]
    assert sent == 16 * 2 * sum(face_bytes(grid, processes, width))


@pytest.mark.parametrize("ranks", [16, 64, 256])
def test_the_case_of_the_costs_has_as_many_ranks_as_nodes(ranks: int) -> None:
    case = cost_case(ranks)
    extents = case.network.topology["extents"]
    assert case.ranks == ranks == math.prod(extents) * 4


def test_programs_are_passed_on_as_words() -> None:
    case = FREE[-1]
    words = comparison.program_words(spec_of(case.network, case.program))
    assert words[0] == "allreduce"
    assert {"bytes=65536", "algorithm=recursive_doubling", "repeat=1"} <= set(words)


def test_loggopsim_refuses_what_is_no_multiple_of_its_unit() -> None:
    model = replace(LogGP.of(small_spec(torus(4, 4), 4)), gap_per_byte_s=1.0 / 12.5e9)
    with pytest.raises(ConfigError, match="no multiple"):
        loggopsim._options(model, 0)


def sstmacro_parameters(spec: Spec, *arguments: str) -> dict[str, str]:
    lines = sstmacro.parameters(spec, arguments).splitlines()
    return dict(line.split(" = ", 1) for line in lines)


def test_parameters_of_sstmacro_are_those_of_the_machine() -> None:
    given = sstmacro_parameters(small_spec(torus(5, 3, nodes_per_switch=2), 22), "allreduce", "8")
    assert given["topology.name"] == "torus"
    assert given["topology.geometry"] == "5 3"
    assert given["topology.concentration"] == "2"
    assert given["switch.link.bandwidth"] == "10GB/s"
    # The first is of the link and the switch behind it, the second of the last switch and the receive.
    assert given["switch.link.latency"] == "150ns"
    assert given["switch.ejection.latency"] == "300ns"
    assert given["node.app1.launch_cmd"] == "aprun -n 22 -N 1"
    assert given["node.app1.argv"] == "allreduce 8"


@pytest.mark.parametrize(
    ("rule", "channels"), [("minimal", 2), ("valiant", 4), ("ugal_sstmacro", 6)]
)
def test_a_port_of_sstmacro_has_a_buffer_for_each_channel(rule: str, channels: int) -> None:
    given = sstmacro_parameters(small_spec(small_dragonfly(rule), 100))
    assert given["switch.router.name"] == rule.removesuffix("_sstmacro")
    assert given["switch.buffer_size"] == f"{channels * 65536}B"


def test_sstmacro_has_no_counterpart_of_some_machines() -> None:
    assert not sstmacro.fits(small_spec(TAPERED_TREE, 4))
    assert not sstmacro.fits(small_spec(small_dragonfly("ugal"), 4))
    assert sstmacro.fits(small_spec(DRAGONFLY, 16))
    assert not sstmacro.fits(small_spec(DRAGONFLY, 17)), "the links between groups lie elsewhere"
    with pytest.raises(ConfigError, match=r"nic\.gap = 1000000: SST/macro needs 0"):
        sstmacro_parameters(small_spec(torus(4, 4), 4, {"machine.nic.gap": "1 us"}))


@pytest.mark.parametrize("case", sstmacro_cases(), ids=label)
def test_cases_of_sstmacro_fit_and_are_congested(case: Case) -> None:
    spec = spec_of(case.network, case.program)
    assert sstmacro.fits(spec)
    assert core.load().simulate(spec)["time_s"] > 1.2 * case.formula(LogGP.of(spec))


def test_the_case_of_the_routing_rules_stays_in_a_group() -> None:
    case = routing_case(small_dragonfly("valiant"))
    assert sstmacro.fits(spec_of(case.network, case.program, comparison.ROUTING_MACHINE))


def test_trees_of_sstmacro_have_the_geometry_of_the_machine() -> None:
    given = sstmacro_parameters(small_spec(fat_tree(4, 3, 8), 64))
    assert given["topology.name"] == given["switch.router.name"] == "fattree"
    assert given["topology.geometry"] == "3 4", "levels and arity"
    assert given["topology.concentration"] == "8"
    assert given["switch.buffer_size"] == f"{2 * 65536}B"
    given = sstmacro_parameters(small_spec(plain_tree(4, 3, 5), 60))
    assert given["topology.name"] == "tapered_fat_tree"
    assert given["switch.router.name"] == "minimal"
    assert given["topology.num_inj_switches_per_subtree"] == "3"
    assert given["topology.num_agg_subtrees"] == "5"
    assert given["switch.link.buffer_size"] == "65536", "one channel"


def test_trees_that_sstmacro_numbers_otherwise_or_routes_otherwise_do_not_fit() -> None:
    assert not sstmacro.fits(small_spec(plain_tree(5, 4, 5), 64)), "ports collide"
    assert not sstmacro.fits(small_spec(replace(fat_tree(4, 3, 4), routing="d_mod_k"), 64))


ALL_SETUPS = [
    pytest.param(name, setup, id=f"{name}, {label(setup.case)}, {setup.label}")
    for name, found in mechanisms.setups().items()
    for setup in found
]


@pytest.mark.parametrize(("mechanism", "setup"), ALL_SETUPS)
def test_setups_of_mechanisms_fit_sstmacro(mechanism: str, setup: mechanisms.Setup) -> None:
    for machine, parameters in mechanisms.SSTMACRO[mechanism].values():
        spec = setup.spec(machine)
        assert sstmacro.fits(spec)
        assert sstmacro.parameters(spec, setup.case.arguments, parameters)


FLOW_SETUPS = [
    pytest.param(setup, id=f"{setup.case.name} on {setup.case.network.title} {setup.label}")
    for setup in mechanisms.flow_setups()
]


@pytest.mark.parametrize("setup", FLOW_SETUPS)
def test_setups_of_flows_have_one_route_and_packets_of_4_kib(setup: mechanisms.Setup) -> None:
    few = setup.case.ranks if setup.case.ranks <= 100 else 10
    assert core.load().routes(setup.spec(), few)["routes"]
    assert setup.spec()["simulation"]["packet_size"] == 4096
    assert setup.with_equal_latencies().spec()["switch"]["latency"] == 0


def test_messages_in_turn_bring_a_ring_to_the_bound_of_its_links() -> None:
    setup = mechanisms.flow_setups()[0]
    times = {
        key: setup.tradewind_s(mechanisms.FLOWS[key]) or 0.0
        for key in ("first_come", "unbounded", "in_turn")
    }
    # Ten messages cross each link in each direction, and then the last one has two switches to go.
    bound = 10 * RING_BYTES / 10e9
    assert times["in_turn"] == pytest.approx(bound, rel=0.04)
    assert times["in_turn"] > bound
    # One after the other, the second message of an interface begins when the first has left.
    assert times["unbounded"] - times["in_turn"] == pytest.approx(RING_BYTES / 10e9, rel=0.1)
    assert times["first_come"] > 10 * times["unbounded"]


def ring_of_switches(ranks: int) -> Spec:
    changes = {"machine.link.bandwidth": "1 GB/s"}
    return small_spec(torus(5, nodes_per_switch=ranks // 2), ranks, changes)


def test_a_fluid_message_takes_the_time_of_its_slowest_link() -> None:
    exchange = fluid.Exchange([[[1]], [[]]], 1e6)
    taken = fluid.FluidNetwork(ring_of_switches(2), "arrival").time_s(exchange, 1e-6)
    # With half a microsecond in the interface and one of overheads, in steps of a microsecond.
    assert taken == pytest.approx(1e6 / 1e9 + 1.0e-6, abs=5e-6)


# Three messages of rank 0 and one of rank 1 cross a link at the same time. The receiver of the latter
# then sends one back. It arrives after all others if the first link is divided between messages, but
# long before the last of them if it is divided between inputs or filled by interfaces at one rate.
@pytest.mark.parametrize(("service", "messages"), [("messages", 5), ("inputs", 4), ("arrival", 4)])
def test_what_shares_a_link_says_when_a_fluid_message_comes(
    service: fluid.Service, messages: int
) -> None:
    nothing: list[list[int]] = [[], []]
    stages = [[[5, 6, 7], []], [[4], []], *[nothing] * 2, [[], [1]], *[nothing] * 3]
    network = fluid.FluidNetwork(ring_of_switches(8), service)
    taken = network.time_s(fluid.Exchange(stages, 1e6), 5e-6)
    assert taken == pytest.approx(messages * 1e6 / 1e9, rel=0.03)


# Rank 0 sends to 1 and to 2. The link from 1 to 2 is shared by four messages, so that the one from 0
# goes on at a quarter of its rate. Without room before that link it leaves three quarters of the first
# link to the other message, which comes after 4/3 instead of 2. Three more then go to and fro; the
# second of them has to share its link as well.
@pytest.mark.parametrize(("room", "messages"), [(1e4, 4 / 3 + 1 + 4 / 3 + 1), (math.inf, 2 + 3)])
def test_without_room_a_fluid_message_has_one_rate_on_its_way(room: float, messages: float) -> None:
    spec = small_spec(torus(7), 7, {"machine.link.bandwidth": "1 GB/s"})
    first, second = [[1, 2], [], [1], []], [[2, 2, 2], [0], [], [0]]
    exchange = fluid.Exchange([first, second, *[[[]] * 4] * 5], 1e6)
    taken = fluid.FluidNetwork(spec, "messages", room).time_s(exchange, 2e-6)
    assert taken == pytest.approx(messages * 1e6 / 1e9, rel=0.02)


@pytest.mark.parametrize("radix", [2, 3])
@pytest.mark.parametrize("service", list(mechanisms.ORDERS))
@pytest.mark.parametrize(
    "network", [torus(3, 3, nodes_per_switch=2), DRAGONFLY, small_dragonfly("minimal")], ids=label
)
def test_packets_take_the_time_of_fluids_that_are_served_alike(
    network: Network, service: fluid.Service, radix: int
) -> None:
    grid = (64, 64, 16)
    program = {
        "name": "transposition",
        "ranks": 16,
        "grid": list(grid),
        "processes": [4, 4],
        "alltoallv": {"algorithm": "ring_k", "radix": radix},
    }
    changes = {**mechanisms.ORDERS[service], "machine.link.bandwidth": "1 GB/s"}
    spec = spec_of(network, program, changes)
    exchange = fluid.transposition(4, grid, radix)
    expected = fluid.FluidNetwork(spec, service).time_s(exchange, exchange.size / 128e9)
    assert core.load().simulate(spec)["time_s"] == pytest.approx(expected, rel=0.02)


def test_only_fluid_messages_with_equal_shares_have_a_room() -> None:
    with pytest.raises(ValueError, match="room = 10"):
        fluid.FluidNetwork(ring_of_switches(2), "inputs", 10)


def test_the_ring_sends_from_every_rank_both_ways() -> None:
    case = ring_case(5)
    assert case.ranks == RING_SWITCHES * 5
    sent = core.load().simulate(spec_of(case.network, case.program))["bytes"]
    assert sent == case.ranks * 2 * (RING_BYTES + 8)


def test_packets_in_transit_starve_by_the_closed_form() -> None:
    assert starved_ring_s(36, 25, 135168, 10e9) == pytest.approx(12.165e-3, rel=1e-4)
    setup = mechanisms.setups()["ring"][-1]
    assert setup.closed_form_s is not None
    first_come = setup.tradewind_s(comparison.FIRST_COME)
    assert first_come == pytest.approx(setup.closed_form_s, rel=0.01)
    unbounded = setup.tradewind_s(mechanisms.VARIANTS["ring"]["unbounded"])
    assert unbounded is not None
    assert unbounded < 0.1 * setup.closed_form_s


def test_a_fast_port_carries_as_much_as_comes_in() -> None:
    assert shared_port_s(5, 1000, 100.0, 10.0) == 200.0
    assert shared_port_s(25, 1000, 100.0, 10.0) == 500.0


def test_without_random_ports_a_full_tree_has_no_congestion() -> None:
    setup = mechanisms.Setup(tree_cases(fat_tree(4, 3, 4))[1])
    random_up = setup.tradewind_s({})
    in_order = setup.tradewind_s({"machine.routing": "d_mod_k"})
    assert random_up is not None
    assert in_order is not None
    assert in_order < 1.05 * setup.case.formula(LogGP.of(setup.spec())) < random_up


def test_the_buffer_of_a_port_is_divided_as_in_sstmacro() -> None:
    setup = next(
        s for s in mechanisms.setups()["routing"] if s.label.startswith("ugal_sstmacro, 32")
    )
    assert setup.spec()["switch"]["buffer"] == 32768 // 6
    given = sstmacro_parameters(setup.spec())
    assert given["switch.buffer_size"] == f"{32768 // 6 * 6}B"
    assert given["switch.xbar.buffer_size"] == "32768B"


def test_settings_that_are_not_there_leave_out_a_time() -> None:
    setup = mechanisms.Setup(cost_case(16))
    assert setup.tradewind_s({"machine.switch.color": "red"}) is None
    with pytest.raises(ConfigError, match=r"machine\.switch\.color"):
        replace(setup, changes={"machine.switch.color": "red"}).spec()


def test_a_table_of_a_mechanism_has_the_columns_that_are_not_empty() -> None:
    row = {"case": "c", "label": "2 nodes", "network": "n", "expected": {"tradewind": 1e-6}}
    times = {"tradewind_first_come": 2e-6, "tradewind_weighted": None, "sstmacro": 3e-6}
    text = tables.mechanism_table([row | {"closed_form": None, "times": times}])
    assert text.startswith("| case | network | LogGP | Tradewind: first come | SST/macro |\n")
    assert text.endswith("| c, 2 nodes | n | 1.00 | 2.00 | 3.00 |\n")


def test_missing_sstmacro_is_said(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no libsstmac in"):
        sstmacro.SstMacro(tmp_path)


def test_a_column_of_sstmacro_is_there_if_it_was_run() -> None:
    expected = {"tradewind": 1e-6, "smpi": 1e-6, "loggopsim": 1e-6, "sstmacro": 1e-6}
    row = {"case": "c", "network": "n", "expected": expected}
    text = tables.free_table([row | {"times": {"tradewind": 1e-6, "sstmacro": 1.1e-6}}])
    assert "| LogGOPSim | SST/macro |\n" in text
    assert text.endswith("|  |  |  | 1.10 (+10.000 %) |\n")


def test_tables_show_times_and_their_deviation() -> None:
    expected = {"tradewind": 1e-6, "smpi": 1e-6, "smpi_library": 1e-6, "loggopsim": 1e-6}
    row = {"case": "c", "network": "n", "congested": False, "expected": expected}
    report = {"peers": ["SMPI"], "times": [row | {"times": {"tradewind": 1e-6, "smpi": 1.1e-6}}]}
    text = tables.markdown(report | {"costs": []})
    assert "| c | n | 1.00 | 1.00 (+0.000 %) | 1.10 (+10.000 %) |  |  |\n" in text


def test_a_process_is_measured_and_its_failure_quoted() -> None:
    block = "x = bytearray(200_000_000); print(len(x))"
    done = measuring.run([sys.executable, "-c", block])
    assert done.output == "200000000\n"
    assert 200e6 < done.peak_bytes < 300e6
    assert 0.0 < done.cpu_s <= done.wall_s * 1.5 + 0.1
    with pytest.raises(Error, match=r"exit status 3:\nso it goes"):
        measuring.run([sys.executable, "-c", "print('so it goes'); raise SystemExit(3)"])
    with pytest.raises(Error, match="no-such-program"):
        measuring.run(["no-such-program"])


@pytest.mark.skipif(shutil.which("smpirun") is None, reason="SimGrid is not installed")
@pytest.mark.parametrize("case", [FREE[0], FREE[3], FREE[5], FREE[6]], ids=label)
def test_smpi_follows_its_formula(case: Case, tmp_path: Path) -> None:
    installed = smpi.Smpi()
    spec = spec_of(case.network, case.program)
    program = installed.compile_patterns(tmp_path)
    done = installed.run(spec, program, case.arguments, tmp_path)
    expected = case.formula(Fluid.of(spec, comparison.SMPI_ENVELOPE))
    assert done.time_s == pytest.approx(expected, rel=comparison.TOLERANCES["smpi"])


def script(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, SCRIPT, *arguments], capture_output=True, text=True, check=False
    )


def test_missing_simgrid_is_said_in_one_line_with_status_2(tmp_path: Path) -> None:
    done = script("--simgrid", str(tmp_path), "-o", str(tmp_path / "out"))
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert "there is no smpirun, smpicc, smpicxx in" in done.stderr
    assert "libsimgrid-dev" in done.stderr
    assert not (tmp_path / "out").exists()


def test_ranks_that_the_case_cannot_have_are_refused() -> None:
    done = script("--ranks", "100")
    assert done.returncode == 2
    assert "--ranks 100: expected some of 16, 64" in done.stderr


def test_without_simgrid_there_has_to_be_another_simulator() -> None:
    done = script("--without-simgrid")
    assert done.returncode == 2
    assert "--without-simgrid: nothing is left without --sstmacro DIR" in done.stderr


@pytest.mark.parametrize(
    ("name", "loggopsim_us"),
    [
        ("broadcast by a binomial tree, 32 ranks, 8 B", 27.710),
        ("the same, 4096 B", 150.350),
        ("allreduce by recursive doubling, 64 ranks, 8192 B", 334.020),
    ],
)
def test_schedules_in_goal_take_the_times_of_loggopsim(
    name: str, loggopsim_us: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compares with what LogGOPSim printed (validation/peers/goal_programs.py), where models agree."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    schedule = dict(goal_programs.CASES)[name]()
    (tmp_path / "a.goal").write_text(str(schedule))
    run = tw.simulate(
        {
            "machine": goal_programs.machine(len(schedule.lines)),
            "program": {"name": "trace", "trace": str(tmp_path / "a.goal")},
            "simulation": {"network": "analytic"},
        }
    )
    assert round(run.time_s * 1e9) == round(1000 * loggopsim_us)
