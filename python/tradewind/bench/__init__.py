"""Measurements on real MPI: what messages, collectives and overlap cost on this machine."""

from tradewind.bench.graph import MeshGrid, NeighborGraph, read_edges
from tradewind.bench.measurements import (
    Measurements,
    Row,
    check_start,
    measure,
    measure_simulated,
    names,
    operations,
    transports,
)
from tradewind.bench.overlap import OverlapMethod
from tradewind.bench.swap import BestSwap, best_swaps

__all__ = [
    "BestSwap",
    "Measurements",
    "MeshGrid",
    "NeighborGraph",
    "OverlapMethod",
    "Row",
    "best_swaps",
    "check_start",
    "measure",
    "measure_simulated",
    "names",
    "operations",
    "read_edges",
    "transports",
]
