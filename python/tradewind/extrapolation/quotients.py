"""Whole quotients of a number of ranks, and of numbers by it, as in programs that cut ranks or points into parts."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tradewind.extrapolation.formula import evaluate, written
from tradewind.extrapolation.samples import Samples

# Products of two quotients have as many numbers of their own as two values.
_FEWEST_VALUES = 3
# Larger values have too many divisors to try.
_LARGEST_VALUE = 10**10
# Whole numbers from the roundest on.
ROUND = (1000, 512, 500, 256, 128, 100, 64, 50, 32, 20, 16, 10, 8, 5, 4, 2)
# With larger divisors a few recorded numbers fit by chance.
_DIVISORS = (2, 3, 4)


def quotients(name: str) -> Iterator[str]:
    """Yields a number divided by small ones: cut off, rounded up, and between them."""
    for divisor in _DIVISORS:
        yield f"{name} // {divisor}"
        yield f"ceil({name} / {divisor})"
        yield from (f"({name} + {offset}) // {divisor}" for offset in range(1, divisor - 1))


def with_offsets(samples: Samples, formulas: Iterator[str]) -> Iterator[str]:
    """Yields which of the formulas give the values as they are, with a number added, or as a multiple of that.

    Args:
        samples: The values.
        formulas: Formulas in names of the samples.
    """
    unit = int(np.gcd.reduce(samples.values.astype(np.int64))) or 1
    scaled = {factor: samples.values / factor for factor in dict.fromkeys((1, unit))}
    for formula in formulas:
        known = np.rint(np.asarray(evaluate(formula, samples.names), float))
        for factor, values in scaled.items():
            rest: Any = values - known
            if np.any(rest != rest[0]) or rest[0] != np.rint(rest[0]):
                continue
            text = formula
            if rest[0] != 0:
                text += f" {'+' if rest[0] > 0 else '-'} {written(abs(rest[0]))}"
            is_one = text == formula and text.startswith(("ceil", "floor"))
            grouped = text if factor == 1 or is_one else f"({text})"
            yield grouped if factor == 1 else f"{factor} * {grouped}"


def roundest(low: float, high: float) -> int:
    """Returns the roundest whole number above `low` and up to `high`."""
    for step in ROUND:
        number = int(high // step * step)
        if number > low:
            return number
    return int(high)


def products_of_shares(samples: Samples, divisors: Mapping[str, Any], unit: int) -> Iterator[str]:
    """Yields multiples of two quotients that are cut off or rounded up, such as 8 * (230 // nx) * (120 // ny).

    Args:
        samples: The values.
        divisors: The formulas of what numbers are divided by, and their values.
        unit: What the values are multiples of.
    """
    if not np.all((samples.values > 0) & (samples.values < _LARGEST_VALUE)):
        return
    values = samples.values.astype(np.int64) // unit
    for one, other in itertools.combinations_with_replacement(divisors, 2):
        rows = np.unique(np.stack([divisors[one], divisors[other], values], 1), axis=0)
        if len(np.unique(rows[:, 2])) < _FEWEST_VALUES:
            continue
        columns = rows.astype(np.int64).T
        found = _numerators(*columns, is_ceil=False)
        if found is not None:
            yield f"{unit} * ({found[0]} // {one}) * ({found[1]} // {other})"
        found = _numerators(*columns, is_ceil=True)
        if found is not None:
            yield f"{unit} * ceil({found[0]} / {one}) * ceil({found[1]} / {other})"


def _numerators(first: Any, second: Any, values: Any, *, is_ceil: bool) -> tuple[int, int] | None:
    """Returns two numbers whose quotients by `first` and `second` have these products, the roundest; None if none do.

    Quotients are rounded up, or down.
    """
    at = int(np.argmin(values))
    # The numbers with the same quotient follow one another, from this distance from the multiple on.
    start = 1 - first if is_ceil else 0 * first
    tried = np.unique(
        [
            first[at] * share + start[at] + rest
            for share in _divisors(int(values[at]))
            for rest in range(first[at])
        ]
    )
    shares = -(-tried[:, None] // first) if is_ceil else tried[:, None] // first
    fits = np.all((shares > 0) & (values % np.maximum(shares, 1) == 0), axis=1)
    tried, shares = tried[fits], shares[fits]
    left = values // shares
    lowest = left * second + (1 - second if is_ceil else 0)
    low, high = np.max(lowest, axis=1), np.min(lowest + second - 1, axis=1)
    # A quotient that is the same everywhere is no quotient.
    vary = np.any(shares != shares[:, :1], axis=1) & np.any(left != left[:, :1], axis=1)
    chosen = vary & (low <= high)
    choices = [
        (int(one), roundest(int(least) - 1, int(most)))
        for one, least, most in zip(tried[chosen], low[chosen], high[chosen], strict=True)
    ]
    return max(choices, key=lambda pair: (sum(map(_roundness, pair)), pair), default=None)


def _roundness(number: int) -> int:
    return next((step for step in ROUND if number % step == 0), 1)


def _divisors(number: int) -> Sequence[int]:
    small = np.arange(1, int(number**0.5) + 1)
    small = small[number % small == 0]
    return [int(one) for one in np.unique([*small, *(number // small)])]
