"""Two programs measured in turns, and an interval of the ratio of their times."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tradewind.bench.intervals import FEWEST_VALUES, signed_rank_interval

FEWEST_PAIRS = FEWEST_VALUES

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

    Raises:
        ValueError: If there are fewer than FEWEST_PAIRS.
    """
    found = signed_rank_interval([math.log(one / other) for one, other in pairs])
    return Ratio(math.exp(found.center), math.exp(found.low), math.exp(found.high), len(pairs))
