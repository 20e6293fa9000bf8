"""Intervals of the centre of a few measured values, by ranks: no value may be wild enough to matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

CONFIDENCE = 0.95
# Fewer values have no interval of this confidence.
FEWEST_VALUES = 6


@dataclass(frozen=True)
class Interval:
    """The centre of values and its interval.

    Args:
        center: The estimate.
        low: Lower end.
        high: Upper end.
    """

    center: float
    low: float
    high: float


def signed_rank_interval(values: Sequence[float]) -> Interval:
    """Estimates the centre of values that lie evenly around it, by Wilcoxon's signed ranks.

    The estimate is that of Hodges and Lehmann: the median of the averages of two values each.

    Raises:
        ValueError: If there are fewer than FEWEST_VALUES.
    """
    if len(values) < FEWEST_VALUES:
        raise ValueError(f"{len(values)} values are fewer than {FEWEST_VALUES}")
    averages = sorted((a + b) / 2 for a, b in combinations_with_replacement(values, 2))
    outside = _averages_outside(len(values), (1.0 - CONFIDENCE) / 2)
    middle = len(averages) // 2
    center = (averages[middle] + averages[~middle]) / 2
    return Interval(center, averages[outside], averages[~outside])


def _averages_outside(count: int, tail: float) -> int:
    """Returns the number of averages below the interval.

    It is the largest sum of signed ranks that is reached or undercut by chance with at most `tail`.
    """
    ways = [1]
    for rank in range(1, count + 1):
        longer = ways + [0] * rank
        for total, number in enumerate(ways):
            longer[total + rank] += number
        ways = longer
    below = 0
    for total, number in enumerate(ways):
        below += number
        if below > tail * 2**count:
            return max(total - 1, 0)
    raise AssertionError("all ways together are more than the tail")
