"""Measured times beside those of the same program on a simulated machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tradewind import bench
from tradewind.bench import Measurements
from tradewind.config.spec import Spec


@dataclass(frozen=True)
class Comparison:
    """One case.

    Args:
        operation: Name of the measurement, or of a collective.
        name: Kind of send, call, algorithm or kernel.
        size: Bytes of a message, block or vector.
        measured_s: Percentile of the repetitions.
        simulated_s: Median of the simulated ones.
    """

    operation: str
    name: str
    size: int
    measured_s: float
    simulated_s: float

    @property
    def error(self) -> float:
        """Relative error of the simulation."""
        return self.simulated_s / self.measured_s - 1.0

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for JSON."""
        return {
            "operation": self.operation,
            "name": self.name,
            "bytes": self.size,
            "measured_s": self.measured_s,
            "simulated_s": self.simulated_s,
            "error": self.error,
        }


def median_error(comparisons: Sequence[Comparison]) -> float:
    """Returns the median of the absolute relative errors; nan if there are none."""
    if not comparisons:
        return float("nan")
    return float(np.median([abs(entry.error) for entry in comparisons]))


def compare(measured: Measurements, spec: Spec, percentile: float) -> list[Comparison]:
    """Runs the program of a measurement on simulated ranks, with the same sizes and algorithms.

    Args:
        measured: From real ranks; the library's own collectives are left out.
        spec: A run with the machine and the number of ranks.
        percentile: Percentile of the measured repetitions.

    Raises:
        ConfigError: If the machine has too few places.
    """
    operations = [
        name for name in bench.operations() if any(r.operation == name for r in measured.rows)
    ]
    sizes = sorted({row.size for row in measured.rows if row.operation != "barrier"})
    simulated = bench.measure_simulated(
        spec, measured.name, operations=operations, sizes=sizes or [0]
    )
    times = {(row.operation, row.name, row.size): row.median_s for row in simulated.rows}
    return [
        Comparison(row.operation, row.name, row.size, row.percentile_s(percentile), times[key])
        for row in measured.rows
        if (key := (row.operation, row.name, row.size)) in times
        and row.percentile_s(percentile) > 0.0
    ]
