"""Values with an error, as intervals: arithmetic and comparisons carry them, truths have three values.

A comparison such as 5.0 (4.8..5.2) < 5.1 (4.9..5.3), which holds for some of the values within the errors
and not for others, is undecided.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import Any

import numpy as np

from tradewind.config.axes import SEEDS
from tradewind.errors import Error

Value = Any


class NoLabel(Error):  # noqa: N818 - says what is missing
    """A point was asked for that the results do not have."""


class NoValue(Error):  # noqa: N818 - says what is missing
    """A value that decides is missing."""


@dataclass(frozen=True)
class Uncertain:
    """A number, a truth, or an array of them, with its error.

    Args:
        value: The computed value.
        low: The least that it may be; of a truth, whether it holds over the whole error.
        high: The most that it may be; of a truth, whether it holds anywhere within the error.
    """

    value: Value
    low: Value
    high: Value

    def map(self, function: Callable[[Value], Value]) -> Uncertain:
        """Returns the value with a function that never falls applied to value and bounds.

        Args:
            function: A function of values without errors, which never falls.
        """
        return Uncertain(function(self.value), function(self.low), function(self.high))


def computed(value: Value) -> Value:
    """Returns the value without its error.

    Args:
        value: A number, a truth or an array, also with an error.
    """
    return value.value if isinstance(value, Uncertain) else value


def bounds(value: Value) -> tuple[Value, Value]:
    """Returns the smallest and the largest possible value.

    Args:
        value: A number, a truth or an array, also with an error.
    """
    return (value.low, value.high) if isinstance(value, Uncertain) else (value, value)


@dataclass(frozen=True)
class Shares:
    """The shares of themselves by which values may be smaller and larger, not negative.

    Args:
        below: A number, or an array that broadcasts.
        above: The same.
    """

    below: Value = 0.0
    above: Value = 0.0

    def map(self, function: Callable[[Value], Value]) -> Shares:
        """Returns the shares with a function applied to each.

        Args:
            function: A function of one share.
        """
        return Shares(function(self.below), function(self.above))


def as_shares(error: Value | Shares) -> Shares:
    """Returns the shares of an error; one share stands for both sides.

    Args:
        error: The shares, or one for both sides.
    """
    return error if isinstance(error, Shares) else Shares(error, error)


def has_error(shares: Shares) -> bool:
    """Returns whether values with these shares may differ from themselves.

    Args:
        shares: The shares by which values may be smaller and larger.
    """
    return bool(np.any(np.asarray(shares.below) > 0) or np.any(np.asarray(shares.above) > 0))


def carried(function: Callable[..., Value], *arguments: Value, **words: Value) -> Value:
    """Calls a function that never falls where an argument rises, with values and with bounds.

    Args:
        function: The function, of values without errors.
        *arguments: Its arguments, also with errors.
        **words: Its named arguments, also with errors.

    Returns:
        The result; with an error if an argument has one.
    """
    if not any(isinstance(entry, Uncertain) for entry in [*arguments, *words.values()]):
        return function(*arguments, **words)

    def called(part: Callable[[Value], Value]) -> Value:
        return function(*map(part, arguments), **{name: part(x) for name, x in words.items()})

    return Uncertain(
        called(computed), called(lambda x: bounds(x)[0]), called(lambda x: bounds(x)[1])
    )


def calculated(operation: Callable[[Any, Any], Any], left: Value, right: Value) -> Value:
    """Returns the sum, difference, product, quotient or power of two values with their errors.

    Args:
        operation: One of the functions of `operator`.
        left: Numbers, also with an error.
        right: Numbers, also with an error.

    Raises:
        NoValue: If a divisor may be zero within its error.
    """
    if not isinstance(left, Uncertain) and not isinstance(right, Uncertain):
        return operation(left, right)
    least, most = bounds(right)
    if operation is operator.truediv and np.any((np.asarray(least) < 0) & (np.asarray(most) > 0)):
        raise NoValue("a divisor may be zero within its error")
    corners = [operation(x, y) for x in bounds(left) for y in (least, most)]
    return Uncertain(
        operation(computed(left), computed(right)),
        reduce(np.minimum, corners),
        reduce(np.maximum, corners),
    )


def _less(left: Value, right: Value, compare: Callable[[Any, Any], Any]) -> Uncertain:
    certain = compare(bounds(left)[1], bounds(right)[0])
    possible = compare(bounds(left)[0], bounds(right)[1])
    return Uncertain(compare(computed(left), computed(right)), certain, possible)


def _equal(left: Value, right: Value) -> Uncertain:
    (low, high), (least, most) = bounds(left), bounds(right)
    certain = np.logical_and(low == most, high == least)
    possible = np.logical_and(low <= most, high >= least)
    return Uncertain(computed(left) == computed(right), certain, possible)


_COMPARED: Mapping[str, Callable[[Value, Value], Uncertain]] = {
    "<": lambda left, right: _less(left, right, operator.lt),
    "<=": lambda left, right: _less(left, right, operator.le),
    ">": lambda left, right: _less(right, left, operator.lt),
    ">=": lambda left, right: _less(right, left, operator.le),
    "==": _equal,
    "!=": lambda left, right: negated(_equal(left, right)),
}
_EXACT: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
}
COMPARISONS = tuple(_EXACT)


def compared(sign: str, left: Value, right: Value) -> Value:
    """Returns the truth of a comparison, which holds if it does for all values within the errors.

    Args:
        sign: One of <, <=, >, >=, == and !=.
        left: Numbers, also with an error.
        right: Numbers, also with an error.
    """
    if not isinstance(left, Uncertain) and not isinstance(right, Uncertain):
        return _EXACT[sign](left, right)
    return _COMPARED[sign](left, right)


def negated(truth: Value) -> Value:
    """Returns the negation: a truth that holds nowhere within the error is certainly false.

    Args:
        truth: A truth, or an array of truths, also with an error.
    """
    if isinstance(truth, Uncertain):
        return Uncertain(
            np.logical_not(truth.value), np.logical_not(truth.high), np.logical_not(truth.low)
        )
    return np.logical_not(truth)


def conjunction(truths: Sequence[Value]) -> Value:
    """Returns the conjunction of truths with three values.

    Args:
        truths: Truths of equal shape, also with errors.
    """
    return reduce(lambda left, right: carried(np.logical_and, left, right), truths)


def disjunction(truths: Sequence[Value]) -> Value:
    """Returns the disjunction of truths with three values.

    Args:
        truths: Truths of equal shape, also with errors.
    """
    return reduce(lambda left, right: carried(np.logical_or, left, right), truths)


def over_seeds(value: Value) -> Value:
    """Returns the median over the seeds of random choices, with the smallest and the largest as its error.

    Args:
        value: An array, which may have a dimension of seeds.
    """
    dims = [name for name in getattr(computed(value), "dims", ()) if name in SEEDS]
    if not dims or computed(value).dtype.kind not in "iufb":
        return value
    low, high = bounds(value)
    middle = computed(value).median(dims, skipna=False)
    if all(computed(value).sizes[name] == 1 for name in dims) and not isinstance(value, Uncertain):
        return middle
    return Uncertain(middle, low.min(dims, skipna=False), high.max(dims, skipna=False))
