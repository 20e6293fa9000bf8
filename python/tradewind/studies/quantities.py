"""Forms of simulated quantities, by which the error of simulated times becomes theirs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tradewind.studies.uncertain import Shares, Uncertain, has_error

Value = Any


@dataclass(frozen=True)
class Form:
    """The form of a quantity.

    Args:
        name: The form in words.
        bounds: Returns the least and the most of values, when times may be smaller and larger by
            shares of themselves.
    """

    name: str
    bounds: Callable[[Value, Shares], tuple[Value, Value]]

    def with_error(self, values: Value, shares: Shares) -> Value:
        """Returns values with the error that times of these shares give them.

        Args:
            values: Numbers of any shape.
            shares: The shares of themselves by which times may be smaller and larger.
        """
        if not has_error(shares):
            return values
        return Uncertain(values, *self.bounds(values, shares))


def _of_time(values: Value, shares: Shares) -> tuple[Value, Value]:
    size = abs(values)
    return values - shares.below * size, values + shares.above * size


def _of_quotient(values: Value, shares: Shares) -> tuple[Value, Value]:
    least, most = 1.0 - shares.below, 1.0 + shares.above
    return values * least / most, values * most / least


def _of_excess(values: Value, shares: Shares) -> tuple[Value, Value]:
    low, high = _of_quotient(1.0 + values, shares)
    return low - 1.0, high - 1.0


def _of_share(values: Value, shares: Shares) -> tuple[Value, Value]:
    rest = 1.0 - values
    low, high = values * (1.0 - shares.below), values * (1.0 + shares.above)
    return low / (low + rest), high / (high + rest)


TIME = Form("a time", _of_time)
QUOTIENT = Form("a time over another, both with an error", _of_quotient)
EXCESS = Form("a time over another, less one", _of_excess)
SHARE = Form("a time with an error in the sum of itself and one without", _of_share)
