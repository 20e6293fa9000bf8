"""Two programs measured in turns, and an interval of the ratio of their times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

CONFIDENCE = 0.95
# Fewer differences have no rank-based interval of this confidence.
FEWEST_PAIRS = 6

Pair = tuple[float, float]
Measure = Callable[[], float | None]


@dataclass(frozen=True)
class Ratio:
    """The time of one program over that of another.

    Args:
        value: The estimate.
        low: Lower end of the interval.
        high: Upper end of the interval.
        pairs: Measured pairs; 0 where both times are simulated and have no noise.
    """

    value: float
    low: float
    high: float
    pairs: int

    @property
    def differs(self) -> bool:
        """True if the interval leaves out 1."""
        return not self.low <= 1.0 <= self.high


def exact_ratio(one_s: float, other_s: float) -> Ratio:
    """Returns the ratio of two simulated times."""
    value = one_s / other_s
    return Ratio(value, value, value, 0)


def in_turns(one: Measure, other: Measure, pairs: int, done: Sequence[Pair] = ()) -> list[Pair]:
    """Measures two programs in the order A B B A, so that a drift of the machine hits both alike.

    Args:
        one: Measures A; None if that fails.
        other: Measures B.
        pairs: Pairs to measure.
        done: Pairs that are known already.

    Returns:
        The times of each pair, A first; pairs that failed are left out.
    """
    found = list(done)
    for number in range(len(found), pairs):
        if number % 2 == 0:
            first, second = one(), other()
        else:
            second, first = other(), one()
        if first is not None and second is not None and min(first, second) > 0:
            found.append((first, second))
    return found


def ratio_of(pairs: Sequence[Pair]) -> Ratio:
    """Estimates a ratio from pairs by Wilcoxon's signed ranks of the logarithms.

    The estimate is that of Hodges and Lehmann: the median of the averages of two logarithms each.

    Raises:
        ValueError: If there are fewer than FEWEST_PAIRS.
    """
    if len(pairs) < FEWEST_PAIRS:
        raise ValueError(f"{len(pairs)} pairs are fewer than {FEWEST_PAIRS}")
    logs = [math.log(one / other) for one, other in pairs]
    averages = sorted((a + b) / 2 for a, b in combinations_with_replacement(logs, 2))
    outside = _ranks_outside(len(logs), (1.0 - CONFIDENCE) / 2)
    middle = len(averages) // 2
    center = (averages[middle] + averages[~middle]) / 2
    low, high = averages[outside], averages[~outside]
    return Ratio(math.exp(center), math.exp(low), math.exp(high), len(pairs))


def _ranks_outside(count: int, tail: float) -> int:
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
