"""The error of `packet_size = "auto"`: simulated times beside those of packets of 4 KiB.

Prints JSON: a case each for routing rules, topologies, arbiters, buffers, bandwidths and latencies, and the worst of
them; then small networks whose nodes are placed at random, short messages beside streams, and who gets how much of a
link. Congestion is chaotic: a grid that is one percent larger, or 50 ns more before a message, can change a time by ten
percent, with packets as with trains. So each case runs in several slightly different forms, and its error is the mean
of theirs; `noise` is the standard error of that mean. Everything takes an hour of processor time.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from arbiters import ARBITERS

import tradewind as tw

Table = dict[str, Any]

# Longer than everything else in the programs of `beside_sources`.
IDLE_S = 0.03
STAGE: Table = {
    "name": "transposition",
    "grid": [3600, 1800, 256],
    "ranks": 300,
    "stage": "xy",
    "alltoallv": {"algorithm": "ring_k", "radix": 4},
}
HALO: Table = {
    "name": "halo",
    "process_grid": "squarest",
    "grid": [28800, 14400, 16],
    "width": 20,
    "ranks": 1000,
}


@dataclass(frozen=True)
class Case:
    """A machine and a program.

    Args:
        machine: The section of an experiment.
        program: The section of an experiment; its grid, and of halos its width, is varied.
        variants: The number of forms.
        placement: The rule that places the ranks, each form with a seed of its own.
        idle_s: A part of the simulated time in which nothing is sent.
    """

    machine: Table
    program: Table
    variants: int = 6
    placement: str = "linear"
    idle_s: float = 0.0

    def experiments(self) -> Iterator[Table]:
        """Varies the experiment slightly.

        Each grid is a percent longer than the one before, halos have other widths, and the
        processor time per message grows from 200 ns on.
        """
        for i in range(self.variants):
            program = dict(self.program)
            if "grid" in program:
                x, *others = program["grid"]
                program["grid"] = [int(x * (1 + 0.01 * i)), *others]
            if "bytes" in program:
                program["bytes"] = f"{int(program['bytes'] * (1 + 0.03 * i))} B"
            if "width" in program:
                program["width"] += i % 9 - 4
            message = {"overhead_send": f"{200 + 70 * i} ns"}
            experiment = {"machine": {**self.machine, "message": message}, "program": program}
            if self.placement != "linear":
                experiment["placement"] = {"rule": self.placement, "seed": i}
            yield experiment


def torus(*extents: int, nodes: int) -> Table:
    """A torus with some nodes at each switch, and links as fast as interfaces."""
    return pair(nodes, "10 GB/s", extents=extents)


def small(topology: Table, routing: str) -> Table:
    """A small network of any kind, with links as fast as interfaces."""
    return {**torus(2, nodes=1), "topology": topology, "routing": routing}


def pair(
    nodes: int,
    bandwidth: str,
    latency: str = "100 ns",
    buffer: str = "64 KiB",
    extents: tuple[int, ...] = (2,),
) -> Table:
    """Two switches with some nodes each, joined by two links of 10 GB/s or another bandwidth."""
    return {
        "topology": {"name": "torus", "extents": list(extents), "nodes_per_switch": nodes},
        "routing": "dimension_order",
        "link": {"bandwidth": bandwidth, "latency": latency},
        "switch": {"arbitration": "first_come", "buffer": buffer},
        "nic": {"injection_bandwidth": "10 GB/s", "injection_latency": "1 us", "buffer": buffer},
    }


def cases() -> dict[str, Case]:
    """Every case by its name."""
    own = {"torus-m": "dimension_order", "fattree-m": "d_mod_k", "dragonfly-mm": "minimal"}
    spread = [("dragonfly-mm", rule) for rule in ("valiant", "ugal", "ugal_sstmacro")]
    spread += [("fattree-m", rule) for rule in ("random_up", "adaptive_up")]
    found: dict[str, Case] = {}
    for machine, routing in [*own.items(), *spread]:
        # At a target of 5 % trains of spread routes are single packets: two grids will do.
        variants = 2 if (machine, routing) in spread else 12
        table = {"name": machine, "routing": routing}
        found[f"stage {machine} {routing}"] = Case(table, STAGE, variants)
    for (machine, routing), rule in itertools.product(spread, ARBITERS[1:]):
        switch = {"arbitration": rule, "transit_weight": 8}
        table = {"name": machine, "routing": routing, "switch": switch}
        is_chaotic = routing == "valiant" and rule in ("transit_first", "weighted")
        found[f"stage {machine} {routing}, {rule}"] = Case(table, STAGE, 8 if is_chaotic else 3)
    for machine in own:
        for rule in ARBITERS[1:]:
            switch = {"arbitration": rule, "transit_weight": 8}
            found[f"stage {machine} {rule}"] = Case({"name": machine, "switch": switch}, STAGE)
        for buffer in ("16 KiB", "32 KiB", "256 KiB"):
            limits = {"switch": {"buffer": buffer}, "nic": {"buffer": buffer}}
            found[f"stage {machine} buffers of {buffer}"] = Case({"name": machine, **limits}, STAGE)
        for speed in ("1 GB/s", "100 GB/s"):
            link = {"link": {"bandwidth": speed}}
            found[f"stage {machine} links of {speed}"] = Case({"name": machine, **link}, STAGE)
        link = {"link": {"latency": "10 us"}}
        found[f"stage {machine} links of 10 us"] = Case({"name": machine, **link}, STAGE)
        unbounded = {"switch": {"buffer": "1 GiB"}, "nic": {"buffer": "1 GiB"}}
        found[f"stage {machine} buffers of 1 GiB"] = Case({"name": machine, **unbounded}, STAGE, 18)
        turns = {"nic": {"messages_in_turn": 4}}
        found[f"stage {machine} 4 messages in turn"] = Case({"name": machine, **turns}, STAGE)
    halos = [("torus-l", "dimension_order"), ("fattree-l", "d_mod_k")]
    halos += [("dragonfly-ml", rule) for rule in ("minimal", "valiant", "ugal")]
    for machine, routing in halos:
        variants = 4 if routing in ("valiant", "ugal") else 18
        found[f"halo {machine} {routing}"] = Case(
            {"name": machine, "routing": routing}, HALO, variants
        )
    # Neighbours one switch apart: whether interfaces or packets in transit get the links is decided by little.
    near = {**HALO, "grid": [2560, 1280, 137], "width": 10, "ranks": 2500}
    for rule, placement in itertools.product(ARBITERS, ("round_robin", "tiles")):
        switch = {"arbitration": rule, "transit_weight": 8}
        table = {"name": "torus-m", "switch": switch}
        found[f"placed halo torus-m, {placement}, {rule}"] = Case(table, near, 9, placement)
    pairs = {**STAGE, "grid": [4000, 4000, 50], "ranks": 50}
    for speed in ("10 GB/s", "250 GB/s", "1000 GB/s"):
        found[f"25 nodes at a switch, links of {speed}"] = Case(pair(25, speed), pairs)
    few = {**pairs, "ranks": 8}
    for latency in ("1 us", "10 us"):
        found[f"4 nodes at a switch, links of {latency}"] = Case(pair(4, "10 GB/s", latency), few)
    found["25 nodes at a switch, buffers of 8 KiB"] = Case(
        pair(25, "10 GB/s", buffer="8 KiB"), pairs
    )
    return found | random_cases()


def random_cases() -> dict[str, Case]:
    """Small networks with ranks placed at random, so that routes meet in all ways, by each arbiter."""
    machines = {
        "torus 8 x 4 x 2": torus(8, 4, 2, nodes=1),
        "torus 6 x 6": torus(6, 6, nodes=2),
        "torus 4 x 4": torus(4, 4, nodes=4),
        "ring of 8": torus(8, nodes=8),
        "fattree-m": {"name": "fattree-m", "routing": "d_mod_k"},
        "dragonfly-mm": {"name": "dragonfly-mm", "routing": "minimal"},
        "tapered tree": small(
            {"name": "xgft", "children": [4, 4, 4], "parents": [1, 2, 2]}, "d_mod_k"
        ),
        "hyperx 4 x 4": small(
            {"name": "hyperx", "extents": [4, 4], "nodes_per_switch": 4}, "dimension_order"
        ),
        "canonical dragonfly": small(
            {
                "name": "dragonfly_canonical",
                "nodes_per_switch": 2,
                "routers": 4,
                "global_links": 2,
                "groups": 9,
            },
            "minimal",
        ),
    }
    programs: dict[str, Table] = {
        "stage": {**STAGE, "grid": [1024, 512, 128], "ranks": 64},
        "all to all": {"name": "alltoallv", "bytes": 600000, "ranks": 64, "alltoallv": "ring"},
        "halo": {**HALO, "grid": [19200, 9600, 16], "ranks": 64},
    }
    found = {}
    for (machine, table), (name, program), rule in itertools.product(
        machines.items(), programs.items(), ARBITERS
    ):
        switch = {**table.get("switch", {}), "arbitration": rule, "transit_weight": 8}
        # Errors of single forms differ by up to 30 % here.
        is_chaotic = (
            name == "halo" and machine not in ("ring of 8", "fattree-m", "dragonfly-mm")
        ) or (name == "stage" and "dragonfly" in machine)
        found[f"random {name}, {machine}, {rule}"] = Case(
            {**table, "switch": switch}, program, 40 if is_chaotic else 10, placement="random"
        )
    return found


def goal(lines: list[list[str]]) -> str:
    """A GOAL program, of the lines of each rank."""
    ranks = ["\n".join([f"rank {rank} {{", *own, "}"]) for rank, own in enumerate(lines)]
    return "\n".join([f"num_ranks {len(lines)}", *ranks, ""])


def beside_streams(streams: int, exchanges: int, size: int, count: int) -> str:
    """A GOAL program over two switches: pairs that send 12 messages of 4 MiB, and pairs that exchange.

    Args:
        streams: The number of pairs that send long messages.
        exchanges: The number of pairs that send a message to and fro.
        size: The bytes of these messages.
        count: The number of times that they do so.
    """
    nodes = streams + exchanges
    lines: list[list[str]] = [[] for _ in range(2 * nodes)]
    for i, k in itertools.product(range(streams), range(12)):
        lines[i].append(f"s{k}: send {4 << 20}b to {nodes + i} tag 1")
        lines[nodes + i].append(f"s{k}: recv {4 << 20}b from {i} tag 1")
    for i, k in itertools.product(range(streams, nodes), range(2 * count)):
        sender, receiver = (i, nodes + i) if k % 2 == 0 else (nodes + i, i)
        lines[sender].append(f"e{k}: send {size}b to {receiver} tag 2")
        lines[receiver].append(f"e{k}: recv {size}b from {sender} tag 2")
        if k > 0:
            lines[sender].append(f"e{k} requires e{k - 1}")
            lines[receiver].append(f"e{k} requires e{k - 1}")
    return goal(lines)


def beside_sources(far: int, streams: int, sources: int, size: int, ends: str) -> str:
    """A GOAL program over one link: pairs with long messages, and pairs with many short ones.

    Args:
        far: The first rank behind the link.
        streams: The number of pairs that send messages of 4 MiB.
        sources: The number of pairs that send short ones, all at once.
        size: The bytes of these messages.
        ends: Whose end makes the end of the program, "streams" or "sources": their receivers
            compute for IDLE_S then, and the others go on for a while.
    """
    nodes = streams + sources
    counts = (2, (24 << 20) // size // sources) if ends == "streams" else (4, 800)
    lines: list[list[str]] = [[] for _ in range(far + nodes)]
    for i in range(nodes):
        kind, length = ("streams", 4 << 20) if i < streams else ("sources", size)
        count = counts[0 if i < streams else 1]
        for k in range(count):
            lines[i].append(f"s{k}: send {length}b to {far + i} tag 1")
            lines[far + i].append(f"s{k}: recv {length}b from {i} tag 1")
            if kind == ends:
                time_ns = round(IDLE_S * 1e9) if k == count - 1 else 1
                lines[far + i] += [f"c{k}: calc {time_ns}", f"c{k} requires s{k}"]
                lines[far + i] += [f"c{k} requires c{k - 1}"] if k > 0 else []
    return goal(lines)


def source_cases(folder: Path) -> dict[str, Case]:
    """Nodes that send only short messages beside streams, by each arbiter: who gets how much of a link.

    Trains have 32 KiB between two switches of a torus, and 128 KiB between those of a dragonfly; a quarter of that
    by age.
    """
    mixtures = [(1, 1, 4096), (1, 3, 4096), (2, 3, 4096), (2, 3, 512)]
    dragonfly: Table = {"name": "dragonfly-mm", "routing": "minimal"}
    found = {}
    for (streams, sources, size), rule, ends in itertools.product(
        mixtures, ARBITERS, ("streams", "sources")
    ):
        nodes = streams + sources
        for where, machine, far in (
            ("two switches", pair(nodes, "10 GB/s"), nodes),
            ("dragonfly-mm", dragonfly, 250),
        ):
            trace = folder / f"{far}-{streams}-{sources}-{size}-{ends}.goal"
            trace.write_text(beside_sources(far, streams, sources, size, ends))
            switch = {**machine.get("switch", {}), "arbitration": rule, "transit_weight": 8}
            name = (
                f"end of {ends}, {sources} sources of {size} B, {streams} streams, {where}, {rule}"
            )
            program = {"name": "trace", "trace": str(trace)}
            found[name] = Case({**machine, "switch": switch}, program, 2, idle_s=IDLE_S)
    return found


def stream_cases(folder: Path) -> dict[str, Case]:
    """Short messages that share a link with long ones, by each arbiter, with and without limits of buffers."""
    mixtures = [(1, 1, 8), (1, 1, 2048), (1, 1, 32768), (1, 4, 8), (2, 2, 16384), (4, 4, 8)]
    found = {}
    for (streams, exchanges, size), rule, buffer in itertools.product(
        mixtures, ARBITERS, ("64 KiB", "1 GiB")
    ):
        trace = folder / f"{streams}-{exchanges}-{size}.goal"
        trace.write_text(beside_streams(streams, exchanges, size, 2000 if size < 16384 else 800))
        machine = pair(streams + exchanges, "10 GB/s", buffer=buffer)
        machine["switch"]["arbitration"] = rule
        name = f"{exchanges} x {size} B beside {streams} streams, {rule}, buffers of {buffer}"
        found[name] = Case(machine, {"name": "trace", "trace": str(trace)}, 3)
    return found


def run(experiment: Table, **simulation: Any) -> tuple[float, float]:
    """Simulated seconds and processor seconds."""
    start = time.process_time()
    result = tw.simulate({**experiment, "simulation": simulation})
    return result.time_s, time.process_time() - start


def measure(case: Case, target: float) -> Table:
    """The error of trains in each form of a case, and what both kinds of run cost."""
    packets = [run(one, packet_size="4 KiB") for one in case.experiments()]
    trains = [run(one, packet_size="auto", error_target=target) for one in case.experiments()]
    errors = [
        (auto[0] - case.idle_s) / (exact[0] - case.idle_s) - 1
        for auto, exact in zip(trains, packets, strict=True)
    ]
    return {
        "error": statistics.fmean(errors),
        "noise": statistics.stdev(errors) / len(errors) ** 0.5,
        "errors": errors,
        "time_s": packets[0][0],
        "cpu_s": sum(cost for _, cost in packets),
        "cpu_s_auto": sum(cost for _, cost in trains),
    }


def main() -> None:
    """Measures the cases whose names hold a text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--error-target", type=float, default=0.05)
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their names")
    options = parser.parse_args()
    report: Table = {"error_target": options.error_target, "cases": {}}
    with tempfile.TemporaryDirectory() as folder:
        for name, case in {
            **cases(),
            **stream_cases(Path(folder)),
            **source_cases(Path(folder)),
        }.items():
            if options.only not in name:
                continue
            result = report["cases"][name] = measure(case, options.error_target)
            line = f"{name:48} {result['error']:+7.1%} +- {result['noise']:5.1%}"
            print(line, file=sys.stderr, flush=True)
    if not report["cases"]:
        parser.error(f"no case has {options.only!r} in its name")
    worst = max(report["cases"], key=lambda name: abs(report["cases"][name]["error"]))
    report["worst"] = {"case": worst, "error": report["cases"][worst]["error"]}
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
