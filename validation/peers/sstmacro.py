"""SST/macro, the simulator of zheng2018: the network of a machine as its parameters, patterns.c as its application."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import measuring
from networks import Spec
from simgrid_platform import check
from smpi import HERE, Result
from tradewind.errors import ConfigError, Error

_LIBRARIES = ("sstmac", "sprockit", "undumpi")
# Routing rules of Tradewind, and those of SST/macro.
_DIRECT_RULES = {
    "minimal": "minimal",
    "dimension_order": "minimal",
    "valiant": "valiant",
    "ugal_sstmacro": "ugal",
}
# On a tree of SST/macro packets climb by the ports in turn, or there is only one way.
_TREE_RULES = {"fat_tree": {"random_up": "fattree"}, "xgft": {"d_mod_k": "minimal"}}
# SST/macro divides the buffer of a port evenly among the channels of the routing rule.
_CHANNELS = {"minimal": 2, "fattree": 2, "valiant": 4, "ugal": 6}


class SstMacro:
    """An installation of SST/macro 7.1.

    Args:
        prefix: Its folder, with `include` and `lib` in it.

    Raises:
        ConfigError: If it is not there, or there is no compiler.
    """

    def __init__(self, prefix: Path) -> None:
        self._prefix = prefix.resolve()
        if not list((prefix / "lib").glob("libsstmac.*")):
            raise ConfigError(
                f"there is no libsstmac in {prefix / 'lib'}; build and install SST/macro 7.1 "
                "(sstsimulator/sst-macro on GitHub) and name its folder with --sstmacro DIR"
            )
        compiler = os.environ.get("CXX", "c++")
        self._compiler = measuring.programs([compiler], None, "{}")[compiler]
        self._program: Path | None = None

    def compile_patterns(self, directory: Path) -> Path:
        """Compiles patterns.c; returns the program, simulator and application in one."""
        target = directory / "patterns_on_sstmacro"
        include, library = self._prefix / "include", self._prefix / "lib"
        folders = ("sstmac/replacements", "sumi", "sstmac", "")
        source = HERE / "patterns_on_sstmacro.cpp"
        # SST/macro is C++11 of 2017, and patterns.c is C.
        options = ["-std=c++11", "-fpermissive", "-w", "-O2", "-DSSTMAC=1"]
        paths = [f"-I{include / folder}" for folder in folders]
        links = [f"-L{library}", f"-Wl,-rpath,{library}", "-lsstmac_main"]
        links += [f"-l{name}" for name in _LIBRARIES]
        measuring.run([self._compiler, *options, *paths, source, "-o", target, *links])
        return target

    def run(
        self,
        spec: Spec,
        arguments: Sequence[str],
        directory: Path,
        changes: Mapping[str, Any] | None = None,
    ) -> Result:
        """Runs patterns.c on the machine of a spec.

        Args:
            spec: The sections of a run in base units.
            arguments: Of patterns.c.
            directory: For the program and its parameters.
            changes: Values of parameters of SST/macro.
        """
        if self._program is None:
            self._program = self.compile_patterns(directory)
        file = directory / "sstmacro.ini"
        file.write_text(parameters(spec, arguments, changes), encoding="utf-8")
        done = measuring.run([self._program, "-f", file])
        answer = [line for line in done.output.splitlines() if line.startswith("{")]
        if len(answer) != 1:
            raise Error(f"SST/macro did not print its result:\n{done.output[-600:]}")
        time_s = float(json.loads(answer[0])["time_s"])
        return Result(time_s, done.wall_s, done.cpu_s, done.wall_s, done.peak_bytes)


def _rules(spec: Spec) -> Mapping[str, str]:
    """Returns the names in SST/macro of the routing rules that it has on a topology."""
    return _TREE_RULES.get(spec["topology"]["name"], _DIRECT_RULES)


def fits(spec: Spec) -> bool:
    """Returns whether SST/macro has the topology of a machine, with the same links, and its routing rule.

    On a `fat_tree` it is not quite the same rule: packets climb by random ports in Tradewind, by the
    ports in turn in SST/macro.
    """
    topology = spec["topology"]
    if topology["name"] == "dragonfly":
        # The links between groups lie elsewhere, so ranks have to stay in one.
        x, y = topology["group"]
        if spec["program"]["ranks"] > x * y * topology["nodes_per_switch"]:
            return False
    if topology["name"] == "xgft" and not _has_one_way(topology):
        return False
    return topology["name"] in _TOPOLOGIES and spec["routing"]["name"] in _rules(spec)


def _has_one_way(topology: Mapping[str, Any]) -> bool:
    """Returns whether a tree is one of three levels with single links, with ports as SST/macro numbers them.

    Its `tapered_fat_tree` numbers the port up from a leaf like that of the first node, unless there
    are more subtrees than nodes or leaves.
    """
    children = topology["children"]
    single = {*topology["parents"], *topology.get("cables", [1])} == {1}
    return single and len(children) == 3 and children[2] > max(children[:2])


def channels(spec: Spec) -> int:
    """Among how many channels SST/macro divides the buffer of a port."""
    if spec["topology"]["name"] == "xgft":
        return 1
    return _CHANNELS[_rules(spec)[spec["routing"]["name"]]]


def parameters(
    spec: Spec, arguments: Sequence[str], changes: Mapping[str, Any] | None = None
) -> str:
    """The file of parameters: abstract machine model 1, packets that cut through, all messages eager.

    The latency of a switch is added to that of the link before it. A receive takes no time of a
    processor; its overhead is put into the latency of the way out of the network.

    Args:
        spec: The sections of a run in base units.
        arguments: Of patterns.c.
        changes: Values that take the place of these.

    Raises:
        ConfigError: If SST/macro has no counterpart for a setting.
    """
    check(spec, "SST/macro")
    values = _network(spec) | _node(spec) | _application(spec, arguments) | dict(changes or {})
    return "".join(f"{key} = {value}\n" for key, value in values.items())


def _time(picoseconds: float) -> str:
    return f"{picoseconds * 1e-3:.12g}ns"


def _speed(bytes_per_second: float) -> str:
    return f"{bytes_per_second * 1e-9:.12g}GB/s"


def _network(spec: Spec) -> dict[str, Any]:
    link, nic, switch = spec["link"], spec["nic"], spec["switch"]
    buffer = switch["buffer"]
    out_ps = nic["ejection_latency"] + switch["latency"] + spec["message"]["overhead_receive"]
    return {
        "amm_model": "amm1",
        "congestion_model": "pisces",
        "arbitrator": "cut_through",
        "accuracy_parameter": spec["simulation"]["packet_size"],
        **_TOPOLOGIES[spec["topology"]["name"]](spec),
        "switch.router.name": _rules(spec)[spec["routing"]["name"]],
        "switch.buffer_size": f"{buffer * channels(spec)}B",
        # The buffer of an interface holds packets that the first switch has not passed on.
        "switch.xbar.buffer_size": f"{nic['buffer']}B",
        "switch.link.bandwidth": _speed(link["bandwidth"]),
        "switch.link.latency": _time(link["latency"] + switch["latency"]),
        "switch.xbar.bandwidth": _speed(link["bandwidth"]),
        "switch.xbar.latency": "0ns",
        "switch.ejection.bandwidth": _speed(nic["ejection_bandwidth"]),
        "switch.ejection.latency": _time(out_ps),
    }


def _star(spec: Spec) -> dict[str, Any]:
    return _topology("crossbar", [1], spec["topology"]["nodes"])


def _torus(spec: Spec) -> dict[str, Any]:
    topology = spec["topology"]
    return _topology("torus", topology["extents"], topology["nodes_per_switch"])


def _dragonfly(spec: Spec) -> dict[str, Any]:
    topology = spec["topology"]
    geometry = [*topology["group"], topology["groups"]]
    links = {"topology.group_connections": topology["global_links"]}
    return _topology("dragonfly", geometry, topology["nodes_per_switch"]) | links


def _fat_tree(spec: Spec) -> dict[str, Any]:
    topology = spec["topology"]
    geometry = [topology["levels"], topology["arity"]]
    return _topology("fattree", geometry, topology["nodes_per_switch"])


def _plain_tree(spec: Spec) -> dict[str, Any]:
    nodes, leaves, subtrees = spec["topology"]["children"]
    return {
        "topology.name": "tapered_fat_tree",
        "topology.concentration": nodes,
        "topology.num_inj_switches_per_subtree": leaves,
        "topology.num_agg_subtrees": subtrees,
        "topology.num_agg_switches_per_subtree": 1,
        "topology.num_core_switches": 1,
        # The buffer of a port; this topology does not read that of the switch.
        "switch.link.buffer_size": spec["switch"]["buffer"] * channels(spec),
    }


def _topology(name: str, geometry: Sequence[int], nodes_per_switch: int) -> dict[str, Any]:
    return {
        "topology.name": name,
        "topology.geometry": " ".join(map(str, geometry)),
        "topology.concentration": nodes_per_switch,
    }


_TOPOLOGIES: dict[str, Callable[[Spec], dict[str, Any]]] = {
    "star": _star,
    "torus": _torus,
    "dragonfly": _dragonfly,
    "fat_tree": _fat_tree,
    "xgft": _plain_tree,
}


def _node(spec: Spec) -> dict[str, Any]:
    nic, node = spec["nic"], spec["node"]
    return {
        "node.model": "simple",
        "node.ncores": 1,
        # A message that comes before its receive is posted is copied at this speed: at once.
        "node.proc.frequency": "1000000GHz",
        # The memory serves messages within a node, of which there are none.
        "node.memory.model": "logP",
        "node.memory.bandwidth": _speed(node["memory_bandwidth"]),
        "node.memory.latency": _time(node["memory_latency"]),
        "node.nic.injection.bandwidth": _speed(nic["injection_bandwidth"]),
        "node.nic.injection.latency": _time(nic["injection_latency"]),
        # Messages up to this size would not pass through the network.
        "node.nic.negligible_size": 0,
    }


def _application(spec: Spec, arguments: Sequence[str]) -> dict[str, Any]:
    message = spec["message"]
    return {
        "node.app1.name": "patterns",
        "node.app1.launch_cmd": f"aprun -n {spec['program']['ranks']} -N 1",
        "node.app1.indexing": "block",
        "node.app1.allocation": "first_available",
        "node.app1.argv": " ".join(arguments),
        "node.app1.mpi.post_header_delay": _time(message["overhead_send"]),
        "node.app1.mpi.queue.max_vshort_msg_size": f"{message['eager_limit']}B",
    }
