"""Measurements on real MPI: what messages, collectives and overlap cost on this machine."""

from tradewind.bench.measurements import (
    MEASUREMENTS,
    OPERATIONS,
    Measurements,
    Row,
    measure,
    measure_simulated,
)

__all__ = ["MEASUREMENTS", "OPERATIONS", "Measurements", "Row", "measure", "measure_simulated"]
