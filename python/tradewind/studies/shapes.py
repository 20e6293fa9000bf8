"""Functions of conditions that judge shapes, trends and distributions, with the errors of the values."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config.axes import SEEDS
from tradewind.errors import ConfigError, suggestion
from tradewind.studies.uncertain import (
    NoValue,
    Uncertain,
    bounds,
    calculated,
    carried,
    compared,
    computed,
    over_seeds,
)

if TYPE_CHECKING:
    import xarray

Value = Any


def as_array(values: Value) -> xarray.DataArray:
    """Returns an array with dimensions, of numbers or of an array.

    Args:
        values: A number, which becomes an array without dimensions, or an array.
    """
    import xarray

    return values if isinstance(values, xarray.DataArray) else xarray.DataArray(values)


def has_missing(value: Value) -> bool:
    """Returns whether the value is or holds NaN, or is an array without entries.

    Args:
        value: A number, a truth or an array, also with an error.
    """
    array = np.asarray(computed(value))
    if array.size == 0:
        return True
    return bool(array.dtype.kind == "f" and np.isnan(array).any())


def checked_dimension(array: xarray.DataArray, dim: str) -> None:
    """Refuses a dimension that an array does not have.

    Args:
        array: The array.
        dim: The name of the dimension.

    Raises:
        ConfigError: If the array lacks the dimension; the message names its dimensions.
    """
    if dim not in array.dims:
        raise ConfigError(f"there is no dimension {dim}; {suggestion(dim, map(str, array.dims))}")


def absolute(values: Value) -> Value:
    """Returns absolute values.

    Args:
        values: Numbers of any shape, also with errors.
    """
    if not isinstance(values, Uncertain):
        return abs(values)
    low, high = bounds(values)
    around_zero = np.logical_and(low < 0, high > 0)
    least = np.minimum(abs(low), abs(high)) * np.logical_not(around_zero)
    return Uncertain(abs(values.value), least, np.maximum(abs(low), abs(high)))


def _neighbours(values: Value, dim: str) -> tuple[Value, Value]:
    """Returns every value but the last, and the one after it, both under the label of the later one."""
    array = as_array(computed(values))
    checked_dimension(array, dim)
    if has_missing(array) or array.sizes[dim] < 2:
        raise NoValue(f"a trend along {dim} needs at least two values, all known")

    def earlier(part: Value) -> Value:
        ordered = as_array(part).sortby(dim)
        later = ordered.isel({dim: slice(1, None)})
        return ordered.isel({dim: slice(None, -1)}).assign_coords({dim: later[dim].values})

    def later(part: Value) -> Value:
        return as_array(part).sortby(dim).isel({dim: slice(1, None)})

    return carried(earlier, values), carried(later, values)


def growth(values: Value, dim: str) -> Value:
    """Returns every value but the first over the one before, under its own label.

    Args:
        values: An array, also with an error.
        dim: The dimension along which neighbours are compared.
    """
    before, after = _neighbours(values, dim)
    return calculated(operator.truediv, after, before)


def falls(values: Value, dim: str) -> Value:
    """Returns whether every value is below the one before.

    Args:
        values: An array, also with an error.
        dim: The dimension along which neighbours are compared.
    """
    before, after = _neighbours(values, dim)
    return carried(lambda truths: bool(np.all(truths)), compared("<", after, before))


def rises(values: Value, dim: str) -> Value:
    """Returns whether every value is above the one before.

    Args:
        values: An array, also with an error.
        dim: The dimension along which neighbours are compared.
    """
    before, after = _neighbours(values, dim)
    return carried(lambda truths: bool(np.all(truths)), compared(">", after, before))


def slope(values: Value, dim: str) -> Value:
    """Returns the exponent of the power law that best fits all values along a dimension, by least squares.

    Args:
        values: Positive numbers, also with an error.
        dim: The dimension of the fit, whose labels are positive numbers.
    """
    _neighbours(values, dim)
    labels = as_array(computed(values))[dim]
    place = np.log(labels.astype(float))
    weights = (place - place.mean()) / ((place - place.mean()) ** 2).sum()

    def fitted(rising: Value, falling: Value) -> Value:
        parts = np.log(as_array(rising).where(weights > 0, as_array(falling)))
        return (weights * parts).sum(dim, skipna=False)

    low, high = bounds(values)
    middle = fitted(computed(values), computed(values))
    if not isinstance(values, Uncertain):
        return middle
    return Uncertain(middle, fitted(low, high), fitted(high, low))


def _label(values: Value, dim: str, *, largest: bool) -> Value:
    array = as_array(computed(values))
    checked_dimension(array, dim)
    if has_missing(array):
        raise NoValue(f"the best {dim} is not known while a value is missing")
    position = array.argmax(dim) if largest else array.argmin(dim)
    best = array[dim].isel({dim: position})
    if not isinstance(values, Uncertain) or array[dim].dtype.kind not in "iuf":
        return best
    low, high = as_array(values.low), as_array(values.high)
    possible = high >= low.max(dim) if largest else low <= high.min(dim)
    labels = possible * array[dim] + 0.0
    return Uncertain(best, labels.where(possible).min(dim), labels.where(possible).max(dim))


def label_of_max(values: Value, dim: str) -> Value:
    """Returns the label of the largest value; numbers among those that it may be.

    Args:
        values: An array, also with an error.
        dim: The dimension whose label is wanted; the others remain.
    """
    return _label(values, dim, largest=True)


def label_of_min(values: Value, dim: str) -> Value:
    """Returns the label of the smallest value; numbers among those that it may be.

    Args:
        values: An array, also with an error.
        dim: The dimension whose label is wanted; the others remain.
    """
    return _label(values, dim, largest=False)


def spread(values: Value) -> Value:
    """Returns the standard deviation over the mean of all entries of a seed.

    Errors of e in every entry change the standard deviation by at most the root of their mean square.

    Args:
        values: An array of any shape, also with an error.

    Raises:
        NoValue: If an entry is missing.
    """
    array = as_array(computed(values))
    if has_missing(array):
        raise NoValue("the spread is not known while a value is missing")
    inner = [name for name in array.dims if name not in SEEDS]
    low, high = map(as_array, bounds(values))
    width = np.maximum(high - array, array - low)
    change = as_array(width**2).mean(inner) ** 0.5
    deviation, mean = array.std(inner), array.mean(inner)
    if not isinstance(values, Uncertain):
        return over_seeds(deviation / mean)
    least = np.maximum(deviation - change, 0.0) / high.mean(inner)
    return over_seeds(Uncertain(deviation / mean, least, (deviation + change) / low.mean(inner)))


def _histogram(counts: Value, edges: Value) -> tuple[xarray.DataArray, str]:
    histogram = as_array(computed(counts))
    dim = next((str(name) for name in histogram.dims if str(name).endswith("_bin")), None)
    if dim is None or histogram.sizes[dim] + 1 != np.asarray(computed(edges)).size:
        raise ConfigError("expected a histogram and the edges of its bins")
    return histogram, dim


def _logs(values: Value) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(np.maximum(np.asarray(values, dtype=float), np.finfo(float).tiny))


def share_above(counts: Value, edges: Value, limit: float) -> Value:
    """Returns the share of a histogram above a limit; a bin is divided evenly in the logarithm.

    Args:
        counts: The entries of each bin, along a dimension whose name ends in _bin.
        edges: The bounds of the bins, one more than there are bins, in the unit of `limit`.
        limit: The limit.
    """
    histogram, dim = _histogram(counts, edges)
    whole = histogram.sum(dim, skipna=False)

    def share(places: Value) -> Value:
        logs = _logs(places)
        above = (logs[1:] - np.log(limit)) / np.diff(logs)
        weights = as_array(np.clip(above, 0.0, 1.0)).rename({"dim_0": dim})
        return (histogram * weights).sum(dim, skipna=False) / whole

    return over_seeds(carried(share, edges))


def _shares_below(histogram: xarray.DataArray, dim: str) -> xarray.DataArray:
    """Returns the share below each edge, from the first edge to the last."""
    sums = histogram.cumsum(dim).pad({dim: (1, 0)}, constant_values=0.0)
    return sums / histogram.sum(dim, skipna=False)


def distance(first: Value, second: Value, edges: Value) -> Value:
    """Returns the largest difference between two distributions in their shares below a limit, of all limits.

    The error of the edges moves one distribution against the other.

    Args:
        first: The entries of one histogram, along a dimension whose name ends in _bin.
        second: The entries of the other, in the same bins.
        edges: The bounds of the bins, one more than there are bins.
    """
    (one, dim), (other, _) = _histogram(first, edges), _histogram(second, edges)
    below, others = _shares_below(one, dim), _shares_below(other, dim)
    logs = _logs(computed(edges))
    along = others.get_axis_num(dim)

    def moved(part: Callable[[Value], Value]) -> Value:
        shift = _logs(part(edges)) - logs
        at_edges = np.apply_along_axis(
            lambda line: np.interp(logs, logs + shift, line), along, others.values
        )
        return abs(below - others.copy(data=at_edges)).max(dim)

    ends = [moved(lambda x: bounds(x)[0]), moved(computed), moved(lambda x: bounds(x)[1])]
    if not isinstance(edges, Uncertain):
        return over_seeds(ends[1])
    return over_seeds(Uncertain(ends[1], reduce(np.minimum, ends), reduce(np.maximum, ends)))


def diagonal(matrix: Value, offset: float) -> Value:
    """Returns the entries that many columns right of the diagonal of a matrix, around its edge.

    Args:
        matrix: An array with the dimensions source_bin and destination_bin.
        offset: The number of columns.

    Raises:
        ConfigError: If one of these dimensions is missing.
    """
    array = as_array(matrix)
    if "source_bin" not in array.dims or "destination_bin" not in array.dims:
        raise ConfigError("diagonal expects a matrix of bins of ranks")
    import xarray

    rows = np.arange(array.sizes["source_bin"])
    columns = (rows + int(offset)) % array.sizes["destination_bin"]
    picked = [xarray.DataArray(index, dims="source_bin") for index in (rows, columns)]
    return array.isel(source_bin=picked[0], destination_bin=picked[1])
