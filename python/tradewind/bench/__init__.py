"""Measurements on real MPI: what messages, collectives and overlap cost on this machine."""

from tradewind.bench.graph import NeighborGraph, read_edges
from tradewind.bench.measurements import (
    MEASUREMENTS,
    OPERATIONS,
    TRANSPORTS,
    Measurements,
    Row,
    measure,
    measure_simulated,
)
from tradewind.bench.swap import BestSwap, best_swaps

__all__ = [
    "MEASUREMENTS",
    "OPERATIONS",
    "TRANSPORTS",
    "BestSwap",
    "Measurements",
    "NeighborGraph",
    "Row",
    "best_swaps",
    "measure",
    "measure_simulated",
    "read_edges",
]
