"""The tables of keys: what every section, topology, routing rule and program accepts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tradewind.config.schema import Key, Table
from tradewind.units import FLOPS, RATE, SIZE, TIME, TIME_PER_BYTE

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
    """The settings of one program.

    Args:
        keys: Its own keys, beside `name` and `ranks`.
        operation: The collective whose algorithm it lets one choose, in a table of that name.
        fits: Largest process grid (cx, cy) for a domain (nx, ny, nz), as indices into it: each
            count must not exceed any of the extents that it cuts.
    """

    keys: Table
    operation: str | None = None
    fits: tuple[tuple[int, ...], tuple[int, ...]] | None = None


# What carries messages, by default the first.
TRANSPORTS = ("two_sided", "puts")
_REPEAT: Table = {"repeat": Key(int, 1, low=1, high=2**30)}
_GRID: Table = {
    "grid": _wholes(3, 3, required=True),
    "processes": _wholes(2, 2),
    "element_size": Key(SIZE, 8, low=1, high=2**30),
    "fields": Key(int, 1, low=1, high=2**30),
}
_VECTOR: Table = {"bytes": Key(SIZE, required=True)}

# Takes algorithm and options from the file that the key `tuning` names.
TUNED = "tuned"

# The spectral shallow water model, as a program without data and as a run of its own.
PSTSWM: Table = {
    "case": Key(int, 2, low=1, high=7),
    "alpha_deg": Key(float, 0.0, low=-360, high=360),
    "truncation": Key(int, 42, low=1, high=8191),
    "levels": Key(int, 1, low=1, high=2**20),
    "latitudes": Key(int, low=2, high=2**14),
    "longitudes": Key(int, low=4, high=2**15),
    "time_step": Key(TIME, 1200 * 10**12, low=10**6, high=10**18),
    "scheme": Key(str, "semi_implicit", choices=("semi_implicit", "explicit")),
    "asselin": Key(float, 0.0, high=0.5),
    "diffusion_m4_s": Key(float, 0.0, high=1e30),
    "processes": _wholes(2, 2),
    "method": Key(str, choices=("transpose", "DTH", "DR", TUNED)),
    "fft": Key(str),
    "legendre": Key(str),
    "legendre_alltoallv": Key(str, "ring"),
    "legendre_allreduce": Key(str, "rabenseifner"),
    "radix": Key(int, low=1, high=2**20),
    "window": Key(int, low=1, high=2**20),
    "protocol": Key(str),
    "transport": Key(str, choices=TRANSPORTS),
    "tuning": Key(str),
    "messages": Key(str, choices=("own", "pstswm_fields", "pstswm")),
}
# Of a run with data only: how long, and how often fields are written.
PSTSWM_RUN: Table = PSTSWM | {
    "days": Key(float, low=1e-6, high=3650.0),
    "output_every_hours": Key(float, low=1e-6, high=1e5),
}

_COLUMNS: Table = {"grid": _wholes(3, 3, required=True), "processes": _wholes(2, 2)}

# Semi-Lagrangian advection and the Helmholtz solver, as programs without data and as runs.
SEMI_LAGRANGIAN: Table = _COLUMNS | {
    "case": Key(str, "deformation", choices=("solid_body", "deformation", "dcmip_1_1")),
    "alpha_deg": Key(float, 0.0, low=-360, high=360),
    "exchange": Key(str, "wide", choices=("wide", "on_demand", TUNED)),
    "tuning": Key(str),
    "tracers": Key(int, 1, low=1, high=100_000),
    "time_step": Key(TIME, 1800 * 10**12, low=10**6, high=10**18),
    "steps": Key(int, 1, low=1, high=2**40),
    "max_wind_m_s": Key(float, 200.0, low=1e-3, high=1e5),
    "iterations": Key(int, 4, low=1, high=100),
}
HELMHOLTZ: Table = _COLUMNS | {
    "method": Key(str, "gcr", choices=("gcr", "pipelined_gcr")),
    "preconditioner": Key(str, "line", choices=("line", "none")),
    "restart": Key(int, 3, low=1, high=1000),
    "iterations": Key(int, low=1, high=2**30),
    "tolerance": Key(float, 1e-8, low=1e-15, high=1.0),
    "slices": Key(int, 4, low=1, high=2**30),
}
# Runs with data have the allreduce's algorithm beside the other keys.
HELMHOLTZ_RUN: Table = HELMHOLTZ | {
    "algorithm": Key(str, "recursive_k"),
    "radix": Key(int, low=2, high=2**20),
    "tuning": Key(str),
}

# The halo of a semi-Lagrangian scheme, alone and in whole time steps.
SEMI_LAGRANGIAN_HALO: Table = (
    _GRID
    | _REPEAT
    | {
        "fields": Key(int, 5, low=1, high=2**30),
        "trajectory_fields": Key(int, 3, high=2**30),
        "exchange": Key(str, "wide", choices=("wide", "on_demand")),
        "time_step": Key(TIME, 30 * 10**12, low=1, high=10**18),
        "spacing_m": Key(float, 1390.0, low=1e-3, high=1e7),
        "max_wind_m_s": Key(float, 200.0, low=1e-3, high=1e5),
        "jet_m_s": Key(float, 60.0, high=1e4),
        "wave_m_s": Key(float, 30.0, high=1e4),
    }
)
_STEP: Table = SEMI_LAGRANGIAN_HALO | {
    "point_flops": Key(float, 5000.0, high=1e12),
    "point_memory": Key(SIZE, 5000, high=10**12),
}

PROGRAMS: Mapping[str, ProgramKeys] = {
    "transposition": ProgramKeys(
        _GRID
        | _REPEAT
        | {
            "backward": Key(bool, False),
            "stage": Key(str, "all", choices=("all", "xz", "xy", "yz")),
        },
        "alltoallv",
        ((0, 1, 2), (0, 1)),
    ),
    "halo": ProgramKeys(
        _GRID | _REPEAT | {"width": Key(int, low=1, required=True)}, "neighbor", ((0,), (1,))
    ),
    "gcr": ProgramKeys(
        _REPEAT
        | {
            "iterations": Key(int, 25, low=1, high=2**30),
            "restart": Key(int, 3, low=1, high=2**30),
            "flops": Key(float, 0.0),
            "memory": Key(SIZE, 0),
        },
        "allreduce",
    ),
    "allreduce": ProgramKeys(_VECTOR | _REPEAT, "allreduce"),
    "alltoallv": ProgramKeys(_VECTOR | _REPEAT, "alltoallv"),
    "neighbor": ProgramKeys(
        _VECTOR | _REPEAT | {"processes": _wholes(2, 2), "neighbors": Key(int, 4, low=4, high=8)},
        "neighbor",
    ),
    "pingpong": ProgramKeys(_VECTOR | _REPEAT),
    "semi_lagrangian_halo": ProgramKeys(SEMI_LAGRANGIAN_HALO, None, ((0,), (1,))),
    "spectral_step": ProgramKeys(
        _STEP | {"transforms": Key(int, 5, low=1, high=2**30)}, "alltoallv", ((0, 1, 2), (0, 1))
    ),
    "grid_point_step": ProgramKeys(
        _STEP
        | {
            "iterations": Key(int, 25, low=1, high=2**30),
            "restart": Key(int, 3, low=1, high=2**30),
            "method": Key(str, "gcr", choices=("gcr", "pipelined_gcr")),
            "slices": Key(int, 4, low=1, high=2**30),
        },
        "allreduce",
        ((0,), (1,)),
    ),
    "pstswm": ProgramKeys(
        PSTSWM
        | {
            "steps": Key(int, 1, low=1, high=2**40),
            "start": Key(str, choices=("initial", "under_way")),
        }
    ),
    "semi_lagrangian": ProgramKeys(SEMI_LAGRANGIAN, None, ((0,), (1,))),
    "helmholtz": ProgramKeys(HELMHOLTZ, "allreduce", ((0,), (1,))),
}
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
ALGORITHM: Table = {
    "algorithm": Key(str, required=True),
    "radix": Key(int, low=1, high=2**20),
    "window": Key(int, low=1, high=2**20),
    "protocol": Key(str),
    "transport": Key(str, choices=TRANSPORTS),
    "tuning": Key(str),
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
