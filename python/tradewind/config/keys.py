"""The tables of keys: what every section, topology, routing rule and program accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from tradewind import core
from tradewind.config.schema import Key, Table
from tradewind.units import FLOPS, RATE, SIZE, TIME, TIME_PER_BYTE, Dimension

_MICROSECOND = 10**6
_KIB = 2**10
_NAME: Table = {"name": Key(str, required=True)}


@dataclass(frozen=True)
class TopologyKeys:
    """The settings of one topology.

    Args:
        keys: Its own keys.
        routings: Routing rules that work on it; the first is the default.
        link_classes: Its kinds of links, each of which may have its own bandwidth and latency.
    """

    keys: Table
    routings: tuple[str, ...]
    link_classes: tuple[str, ...] = ()


def _whole(low: int, *, required: bool = False) -> Key:
    return Key(int, low=low, high=2**31 - 1, required=required)


def _wholes(shortest: int, longest: int, low: int = 1, *, required: bool = False) -> Key:
    return Key(list, low=low, high=2**31 - 1, length=(shortest, longest), required=required)


_TERMINALS: Table = {"nodes_per_switch": Key(int, low=1, high=2**20)}
_DETOURS = ("valiant", "ugal", "ugal_sstmacro")
_GRID_ROUTINGS = ("dimension_order", "minimal", *_DETOURS)
_TREE_ROUTINGS = ("d_mod_k", "minimal", "adaptive_up", "random_up")

TOPOLOGIES: Mapping[str, TopologyKeys] = {
    "torus": TopologyKeys(_TERMINALS | {"extents": _wholes(1, 16, required=True)}, _GRID_ROUTINGS),
    "fat_tree": TopologyKeys(
        _TERMINALS | {"arity": _whole(1, required=True), "levels": _whole(1, required=True)},
        _TREE_ROUTINGS,
    ),
    "xgft": TopologyKeys(
        {
            "children": _wholes(1, 16, required=True),
            "parents": _wholes(1, 16, required=True),
            "cables": _wholes(1, 16),
        },
        _TREE_ROUTINGS,
    ),
    "dragonfly": TopologyKeys(
        _TERMINALS
        | {
            "group": _wholes(2, 2, required=True),
            "groups": _whole(1, required=True),
            "global_links": _whole(0),
            "wiring": Key(str, choices=("full", "symmetric", "sstmacro_legacy")),
        },
        ("minimal", "dimension_order", *_DETOURS),
        ("local", "global"),
    ),
    "dragonfly_canonical": TopologyKeys(
        _TERMINALS
        | {
            "routers": _whole(1, required=True),
            "global_links": _whole(0, required=True),
            "groups": _whole(1),
            "arrangement": Key(str, choices=("absolute", "relative")),
        },
        ("minimal", *_DETOURS),
        ("local", "global"),
    ),
    "hyperx": TopologyKeys(_TERMINALS | {"extents": _wholes(1, 16, required=True)}, _GRID_ROUTINGS),
    "star": TopologyKeys({"nodes": _whole(1, required=True)}, ("minimal", *_GRID_ROUTINGS)),
}

ROUTINGS: Mapping[str, Table] = {
    "minimal": _NAME,
    "dimension_order": _NAME,
    "d_mod_k": _NAME,
    "adaptive_up": _NAME,
    "random_up": _NAME,
    "valiant": _NAME,
    "ugal": _NAME | {"bias": Key(SIZE)},
    "ugal_sstmacro": _NAME
    | {
        "threshold": Key(int, high=10**6),
        "valiant_preference": Key(int, low=1, high=10**6),
        "true_random_intermediate": Key(bool),
        "queue_fault": Key(bool),
    },
}

SWITCH: Table = {
    "latency": Key(TIME, 0),
    "buffer": Key(SIZE, 64 * _KIB, low=1),
    "buffer_per": Key(str, "channel", choices=("channel", "port")),
    "arbitration": Key(
        str,
        "round_robin",
        choices=("first_come", "round_robin", "oldest_first", "transit_first", "weighted"),
    ),
    "transit_weight": Key(int, 1, low=1, high=10_000),
    "credit_return": Key(str, "tail", choices=("tail", "head")),
    "port_sharing": Key(str, "interleaved", choices=("interleaved", "exclusive")),
    "crossbar_bandwidth": Key(RATE, low=1),
}
NIC: Table = {
    "per_node": Key(int, 1, low=1, high=64),
    "injection_bandwidth": Key(RATE, 10e9, low=1),
    "injection_latency": Key(TIME, 0),
    "ejection_bandwidth": Key(RATE, low=1),
    "ejection_latency": Key(TIME, 0),
    "gap": Key(TIME, 0),
    "messages_in_turn": Key(int, 1, low=1, high=1024),
    "buffer": Key(SIZE, 64 * _KIB, low=1),
}
NODE: Table = {
    "model": Key(str, "AMM1", choices=("AMM1", "AMM2", "AMM3")),
    "ranks_per_node": Key(int, 1, low=1, high=4096),
    "memory_bandwidth": Key(RATE, 100e9, low=1),
    "memory_latency": Key(TIME, 100_000),
    "flops": Key(FLOPS, 10e9, low=1),
    # Absent: all messages are eager, as fast as the memory, and control messages as slow as others.
    "eager_limit": Key(SIZE),
    "message_bandwidth": Key(RATE, low=1),
    "control_latency": Key(TIME),
    # Absent: copies and sums that a rank makes in its own memory cost nothing.
    "copy_bandwidth": Key(RATE, low=1),
    "copy_overhead": Key(TIME),
    "sum_bandwidth": Key(RATE, low=1),
    "cache": Key(SIZE),
    "uncached_copy_bandwidth": Key(RATE, low=1),
    "uncached_sum_bandwidth": Key(RATE, low=1),
}
MESSAGE: Table = {
    "overhead_send": Key(TIME, _MICROSECOND // 4),
    "overhead_receive": Key(TIME, _MICROSECOND // 4),
    "overhead_per_byte": Key(TIME_PER_BYTE, 0.0),
    "eager_limit": Key(SIZE, 16 * _KIB),
    "control_size": Key(SIZE, 64, low=1),
    "latency": Key(TIME, 0),
    "gap_per_byte": Key(TIME_PER_BYTE, 0.0),
    "copy_per_byte_send": Key(TIME_PER_BYTE),
    "copy_per_byte_receive": Key(TIME_PER_BYTE),
    "overhead_rendezvous": Key(TIME),
    "overhead_synchronous": Key(TIME),
    "overhead_ready": Key(TIME),
    "overhead_put": Key(TIME),
}
PLACEMENT: Table = {
    "rule": Key(
        str, "linear", choices=("linear", "block", "round_robin", "random", "tiles", "file")
    ),
    "seed": Key(int, 1),
    "file": Key(str),
    "processes": _wholes(2, 2),
}
SIMULATION: Table = {
    "network": Key(str, "packet", choices=("packet", "packet_unbounded", "analytic")),
    "packet_size": Key(SIZE, 0, low=1, words={"auto": 0}),
    "error_target": Key(float, 0.05, low=1e-4, high=1.0),
    "seed": Key(int, 1),
    "threads": Key(int, low=1, high=256),
    "matrix_bins": Key(int, 0, high=4096),
    "timeline": Key(bool, False),
    "max_timeline_records": Key(int, 1_000_000, low=1),
    "packet_waits": Key(bool, False),
    "link_details": Key(bool, False),
    "link_map_bins": Key(int, low=1, high=128),
    "memory_limit": Key(SIZE, low=1),
}
EXPERIMENT: Table = {"title": Key(str), "description": Key(str), "source": Key(str)}
MACHINE_FILE: Table = {"title": Key(str), "source": Key(str)}


def link_table(topology: str) -> Table:
    """The keys of [link]: for all links, and for each class of links of the topology."""
    table: dict[str, Key] = {
        "bandwidth": Key(RATE, required=True, low=1),
        "latency": Key(TIME, required=True, low=1),
    }
    for name in TOPOLOGIES[topology].link_classes:
        table[f"{name}_bandwidth"] = Key(RATE, low=1)
        table[f"{name}_latency"] = Key(TIME, low=1)
    return table


@dataclass(frozen=True)
class ProgramKeys:
    """The settings of one program, as the core declares them.

    Args:
        keys: The keys of its messages alone, beside `name` and `ranks`.
        run_keys: The keys of a run with data; empty for patterns.
        operation: The collective whose algorithm it lets one choose, in a table of that name.
        tuned_setting: The key that may be "tuned"; empty if there is none.
        can_restart: Whether runs with data write checkpoints and restart from them.
        is_timed_with_data: Whether measurements of its choices run it with data.
    """

    keys: Table
    run_keys: Table
    operation: str | None = None
    tuned_setting: str = ""
    can_restart: bool = False
    is_timed_with_data: bool = False


# Takes algorithm and options from the file that the key `tuning` names.
TUNED = "tuned"

_KINDS: Mapping[str, Dimension | type] = {
    "truth": bool,
    "whole": int,
    "real": float,
    "word": str,
    "whole_list": list,
    "size": SIZE,
    "duration": TIME,
    "rate": RATE,
    "flop_rate": FLOPS,
    "time_per_byte": TIME_PER_BYTE,
}


def _table_of(*declared: Iterable[Mapping[str, Any]]) -> Table:
    """Makes a table from declarations of the core.

    Options of algorithms have no default here, because the algorithm that is chosen decides.
    """
    options = {one["key"] for one in core.load().algorithm_settings()}
    return {
        one["key"]: Key(
            _KINDS[one["type"]],
            None if one["key"] in options else one["default"],
            one["low"],
            one["high"],
            one["choices"],
            length=one["length"],
            required=one["required"],
        )
        for declarations in declared
        for one in declarations
    }


@cache
def programs() -> Mapping[str, ProgramKeys]:
    """Returns the settings of every program by its name."""
    known = {}
    for entry in core.load().programs():
        chosen = core.load().algorithm_settings() if entry["operation"] else []
        run = (entry["settings"], entry["run_settings"], chosen) if entry["is_model"] else ()
        known[entry["name"]] = ProgramKeys(
            _table_of(entry["settings"], entry["message_settings"]),
            _table_of(*run),
            entry["operation"] or None,
            entry["tuned_setting"],
            entry["can_restart"],
            entry["is_model"] and entry["is_timed_with_data"],
        )
    return known


@cache
def models() -> Mapping[str, ProgramKeys]:
    """Returns the settings of the programs that can run with data."""
    with_data = {entry["name"] for entry in core.load().programs() if entry["is_model"]}
    return {name: entry for name, entry in programs().items() if name in with_data}


@cache
def algorithm() -> Table:
    """Returns the keys of the table that chooses an algorithm."""
    return _table_of(core.load().algorithm_settings())


PROGRAM_COMMON: Table = _NAME | {"ranks": Key(int, low=1, high=2**31 - 1, required=True)}

DEFAULT_ALGORITHMS: Mapping[str, str] = {
    "alltoallv": "ring_k",
    "allreduce": "recursive_k",
    "neighbor": "burst",
    # Choices of models, as a tuning names them.
    "pstswm.fft": "ring",
    "pstswm.legendre": "transpose.ring",
    "semi_lagrangian.exchange": "wide",
}
_BY_PROTOCOL = (
    *("pairwise", "ring", "bruck", "srtrans", "swtrans", "logtrans"),
    *("recursive_doubling", "rabenseifner", "swing", "bine"),
    *("exchsum", "halfsum", "ringsum", "ringpipe"),
)
READS: Mapping[str, tuple[str, ...]] = {
    "ring_k": ("radix", "protocol", "transport"),
    "bruck_k": ("radix", "protocol", "transport"),
    "recursive_k": ("radix", "protocol", "transport"),
    "tree": ("radix", "protocol", "transport"),
    "spread_out": ("window",),
    "hierarchical": ("radix",),
} | dict.fromkeys(_BY_PROTOCOL, ("protocol", "transport"))

MACHINE_SECTIONS = ("topology", "routing", "link", "switch", "nic", "node", "message")
