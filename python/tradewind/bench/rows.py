"""The result of one case of a measurement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tradewind.results.run_result import Array


@dataclass(frozen=True)
class Row:
    """The repetitions of one case.

    Args:
        operation: Name of the measurement, "swap_two_sided", "swap_puts" or name of a collective.
        name: Kind of send, call, protocol, algorithm or kernel; "native" is the library's own.
        size: Bytes of a message, block or vector, or of a point of a mesh.
        seconds: Time of each repetition, on its slowest rank; for collectives and neighbours from when the last
            rank has begun.
        values: Values that overlap and swap compute from them; the end of a name is its unit, and `availability`
            is a share. Of kernels, what one call does: `flops` and `memory_bytes`. Of mesh, `neighbors` of
            rank 0 and `largest_message_bytes` to one.
    """

    operation: str
    name: str
    size: int
    seconds: Array
    values: Mapping[str, float]

    @property
    def median_s(self) -> float:
        """Median of the repetitions."""
        return float(np.median(self.seconds))

    def percentile_s(self, percent: float) -> float:
        """Returns a percentile of the repetitions."""
        return float(np.percentile(self.seconds, percent))

    @property
    def confidence_s(self) -> tuple[float, float]:
        """95 % confidence interval of the median, from order statistics (no assumed distribution)."""
        count = len(self.seconds)
        ordered = np.sort(self.seconds)
        reach = 0.98 * np.sqrt(count)
        low = max(int(np.floor(count / 2 - reach)), 0)
        high = min(int(np.ceil(count / 2 + reach)), count - 1)
        return float(ordered[low]), float(ordered[high])
