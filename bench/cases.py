"""The benchmark cases: what is simulated, on which machine, and what is looked at."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from arbiters import ARBITERS

Spec = dict[str, dict[str, Any]]

DRAGONFLY_ML: Spec = {
    "topology": {
        "name": "dragonfly",
        "group": [25, 25],
        "groups": 75,
        "global_links": 74,
        "nodes_per_switch": 25,
    },
    "routing": {"name": "minimal"},
    "link": {"bandwidth": 10e9, "latency": 100_000},
    "switch": {"buffer": 65536},
}
TORUS_L: Spec = {
    "topology": {"name": "torus", "extents": [75, 25, 25], "nodes_per_switch": 25},
    "routing": {"name": "dimension_order"},
    "link": {"bandwidth": 10e9, "latency": 100_000},
    "switch": {"buffer": 65536},
    "nic": {"injection_bandwidth": 10e9, "injection_latency": 1_000_000, "buffer": 65536},
}
GRID = [28800, 14400, 256]
HALO = {"name": "halo", "grid": GRID, "width": 20, "process_grid": "squarest"}


@dataclass(frozen=True)
class Case:
    """One benchmark.

    Args:
        summary: What it shows.
        program: The program section of the experiment.
        simulation: The simulation section.
        stop_after_s: Stop the run after that many seconds of processor time, and report rates only.
        quick: Part of a run without arguments.
        machine: The sections of the machine.
    """

    summary: str
    program: dict[str, Any]
    simulation: dict[str, Any] = field(default_factory=dict)
    stop_after_s: float | None = None
    quick: bool = True
    machine: Spec = field(default_factory=lambda: DRAGONFLY_ML)

    def spec(self) -> Spec:
        """The resolved experiment, in base units."""
        return {**self.machine, "program": self.program, "simulation": self.simulation}


def transposition(ranks: int, **settings: Any) -> dict[str, Any]:
    """The transposition of the grid of zheng2018, Table 3."""
    return {"name": "transposition", "grid": GRID, "ranks": ranks, "radix": 4, **settings}


# A message of 16 kB (four packets) from each rank to each of the 124 others of its row; rows span five switches.
RING = {
    "name": "transposition",
    "grid": [9375, 9375, 125],
    "processes": [125, 9375],
    "element_size": 216,
    "ranks": 1171875,
    "stage": "xz",
    "algorithm": "ring_k",
    "radix": 1,
}
AUTO = {"packet_size": 0}

CASES = {
    "ring_credits": Case(
        "packet hops per second, 1.17 million nodes, credits", RING, stop_after_s=20
    ),
    "ring_unbounded": Case(
        "the same with unbounded buffers",
        RING,
        {"network": "packet_unbounded"},
        stop_after_s=20,
    ),
    "allreduce_1e4": Case(
        "50 allreduces (GCR(3), 25 iterations), recursive doubling, 10,000 ranks",
        {"name": "gcr", "ranks": 10_000, "algorithm": "recursive_doubling"},
    ),
    "allreduce_1e6": Case(
        "one allreduce of 3 doubles, recursive doubling, 1,000,000 ranks",
        {"name": "allreduce", "ranks": 1_000_000, "algorithm": "recursive_doubling", "bytes": 24},
    ),
    "halo_1e4": Case(
        "wide halo, 20 points, packet_size auto, 10,000 ranks",
        {**HALO, "ranks": 10_000},
        AUTO,
    ),
    "halo_1e6": Case(
        "wide halo, 20 points, packet_size auto, 1,000,000 ranks",
        {**HALO, "ranks": 1_000_000},
        {**AUTO, "threads": 2},
        quick=False,
    ),
    "stage_1000_auto": Case(
        "one stage (xy, 21 MB messages), packet_size auto, 1,000 ranks",
        transposition(1000, algorithm="ring_k", stage="xy"),
        AUTO,
    ),
    "stage_1000_4k": Case(
        "the same with packets of 4 KiB",
        transposition(1000, algorithm="ring_k", stage="xy"),
        quick=False,
    ),
    # Packets whose routes spread are no trains.
    "stage_valiant_auto": Case(
        "one stage (xy, 9 MB messages), packet_size auto, Valiant routing, first_come, 300 ranks",
        {**transposition(300, algorithm="ring_k", stage="xy"), "grid": [7200, 3600, 256]},
        AUTO,
        quick=False,
        machine={
            **DRAGONFLY_ML,
            "routing": {"name": "valiant"},
            "switch": {**DRAGONFLY_ML["switch"], "arbitration": "first_come"},
        },
    ),
    "transposition_1e5_ring_k": Case(
        "three stages, ring_k, 100,000 ranks, packets of 4 KiB",
        transposition(100_000, algorithm="ring_k"),
        {"threads": 2},
        quick=False,
    ),
    "transposition_1e5_burst": Case(
        "three stages, burst, 100,000 ranks, packets of 4 KiB",
        transposition(100_000, algorithm="burst"),
        {"threads": 2},
        quick=False,
    ),
    "transposition_1e6": Case(
        "three stages, ring_k, 1,000,000 ranks (250 x 4000), packets of 4 KiB",
        transposition(1_000_000, algorithm="ring_k", processes=[250, 4000]),
        {"threads": 2},
        quick=False,
    ),
    "allreduces_1e6": Case(
        "50 allreduces (GCR(3), 25 iterations), recursive doubling, 1,000,000 ranks",
        {"name": "gcr", "ranks": 1_000_000, "algorithm": "recursive_doubling"},
        {"threads": 2},
        quick=False,
    ),
    "analytic_1e5": Case(
        "three stages, ring_k, 100,000 ranks, without congestion (LogGOPS)",
        transposition(100_000, algorithm="ring_k"),
        {"network": "analytic"},
        quick=False,
    ),
    "startup": Case(
        "100 ranks on 1.17 million nodes: what the network alone costs",
        {"name": "allreduce", "ranks": 100, "bytes": 24},
    ),
    # Full buffers of 25 nodes and 6 links at each port: what the choice among them costs.
    **{
        f"torus_{rule}": Case(
            f"wide halo, 20 points, torus, packets of 4 KiB, 1,000 ranks, {rule}",
            {**HALO, "ranks": 1_000},
            {"packet_size": 4096},
            quick=False,
            machine={**TORUS_L, "switch": {**TORUS_L["switch"], "arbitration": rule}},
        )
        for rule in ARBITERS
    },
}
