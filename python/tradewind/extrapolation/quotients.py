"""Whole quotients of a number of ranks, as in programs that pair ranks or cut them into a few parts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tradewind.extrapolation.formula import evaluate, written
from tradewind.extrapolation.samples import Samples

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
