"""The functions of conditions, and their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import ConfigError, Error, suggestion

if TYPE_CHECKING:
    import xarray

Value = Any


class NoLabel(Error):  # noqa: N818 - says what is missing
    """A point was asked for that the results do not have."""


class NoValue(Error):  # noqa: N818 - says what is missing
    """A value that decides is missing."""


@dataclass(frozen=True)
class Function:
    """A function of conditions.

    Args:
        summary: Its arguments and what it gives.
        run: Computes it.
    """

    summary: str
    run: Callable[..., Value]


@dataclass(frozen=True)
class _Range:
    """Labels that a selection takes."""

    low: float
    high: float

    def holds(self, labels: Any) -> Any:
        return (labels > self.low) & (labels < self.high)


def has_missing(value: Value) -> bool:
    """True if the value is or holds NaN, or is an array without entries."""
    array = np.asarray(value)
    if array.size == 0:
        return True
    return bool(array.dtype.kind == "f" and np.isnan(array).any())


def _array(value: Value) -> xarray.DataArray:
    import xarray

    return value if isinstance(value, xarray.DataArray) else xarray.DataArray(value)


def at(values: Value, **labels: Value) -> Value:
    """The values at labels: one, a list, or above(x), below(x), within(x, y)."""
    result = _array(values)
    for name, wanted in labels.items():
        if name not in result.coords:
            known = suggestion(name, map(str, result.coords))
            raise ConfigError(f"at: there is no {name}; {known}")
        result = _chosen(result, name, wanted)
    return result


def _chosen(values: xarray.DataArray, name: str, wanted: Value) -> xarray.DataArray:
    labels = values.coords[name].values
    if isinstance(wanted, _Range):
        chosen = np.flatnonzero(wanted.holds(labels))
        if chosen.size == 0:
            raise NoLabel(f"nothing at {name} between {wanted.low:g} and {wanted.high:g}")
        return values.isel({values.coords[name].dims[0]: chosen})
    if isinstance(wanted, list):
        positions = [_position(labels, name, entry) for entry in wanted]
        return values.isel({values.coords[name].dims[0]: positions})
    return values.isel({values.coords[name].dims[0]: _position(labels, name, wanted)})


def _position(labels: Any, name: str, wanted: Value) -> int:
    if isinstance(wanted, str) or labels.dtype.kind not in "iuf":
        equal = np.asarray([str(label) == str(wanted) for label in labels])
    else:
        equal = np.isclose(labels.astype(float), float(wanted), rtol=1e-9, atol=0)
    if not equal.any():
        raise NoLabel(f"nothing at {name} = {wanted if isinstance(wanted, str) else f'{wanted:g}'}")
    return int(np.flatnonzero(equal)[0])


def _reduction(name: str) -> Callable[..., Value]:
    """A reduction over one dimension, or all; NaN stays NaN, so that nothing decides by what is there."""

    def run(values: Value, dim: str | None = None) -> Value:
        array = _array(values)
        if array.size == 0:
            raise NoValue(f"{name} of nothing")
        return getattr(array, name)(dim=_dimension(array, dim), skipna=False)

    return run


def _dimension(array: xarray.DataArray, dim: str | None) -> str | None:
    if dim is not None and dim not in array.dims:
        raise ConfigError(f"there is no dimension {dim}; {suggestion(dim, map(str, array.dims))}")
    return dim


def _truths(values: Value, name: str) -> Any:
    array = np.asarray(values)
    if array.dtype.kind != "b":
        raise ConfigError(f"{name} expects a comparison, not numbers")
    if array.size == 0:
        raise NoValue(f"{name} of nothing")
    return array


def _all(values: Value) -> bool:
    return bool(_truths(values, "all").all())


def _any(values: Value) -> bool:
    return bool(_truths(values, "any").any())


def _share(values: Value) -> float:
    return float(_truths(values, "share").mean())


def _count(values: Value) -> float:
    return float(_truths(values, "count").sum())


def _known(values: Value) -> Value:
    """The entries that are there, as a list without dimensions; NoValue if there are none."""
    array = np.asarray(_array(values), dtype=float).ravel()
    present = array[~np.isnan(array)]
    if present.size == 0:
        raise NoValue("known: every entry is missing")
    return _array(present)


def _label(values: Value, dim: str, *, largest: bool) -> Value:
    array = _array(values)
    _dimension(array, dim)
    if has_missing(array):
        raise NoValue(f"the best {dim} is not known while a value is missing")
    position = array.argmax(dim) if largest else array.argmin(dim)
    return array[dim].isel({dim: position})


def _steps(values: Value, dim: str) -> Any:
    array = _array(values)
    _dimension(array, dim)
    if has_missing(array) or array.sizes[dim] < 2:
        raise NoValue(f"a trend along {dim} needs at least two values, all known")
    return np.asarray(array.sortby(dim).diff(dim))


def _slope(values: Value, dim: str) -> Value:
    """Exponent of the power law through the first and the last value along a dimension."""
    array = _array(values)
    _steps(array, dim)
    ordered = array.sortby(dim)
    first, last = ordered.isel({dim: 0}, drop=True), ordered.isel({dim: -1}, drop=True)
    reach = float(ordered[dim][-1]) / float(ordered[dim][0])
    return np.log(last / first) / np.log(reach)


def _spread(values: Value) -> Value:
    """Standard deviation over mean of all entries."""
    array = _array(values)
    if has_missing(array):
        raise NoValue("the spread is not known while a value is missing")
    return array.std() / array.mean()


def _share_above(counts: Value, edges: Value, limit: float) -> Value:
    """Share of a histogram above a limit; within its bin evenly in the logarithm, as bins are."""
    histogram = _array(counts)
    bounds = np.asarray(_array(edges), dtype=float)
    dim = next((str(name) for name in histogram.dims if str(name).endswith("_bin")), None)
    if dim is None or histogram.sizes[dim] + 1 != bounds.size:
        raise ConfigError("share_above expects a histogram and the edges of its bins")
    with np.errstate(divide="ignore"):
        logs = np.log(np.maximum(bounds, np.finfo(float).tiny))
    above = (logs[1:] - np.log(limit)) / np.diff(logs)
    weights = _array(np.clip(above, 0.0, 1.0)).rename({"dim_0": dim})
    return (histogram * weights).sum(dim, skipna=False) / histogram.sum(dim, skipna=False)


def _quantile(values: Value, share: float) -> Value:
    return _array(values).quantile(share, skipna=False)


FUNCTIONS: Mapping[str, Function] = {
    "abs": Function("abs(x): without signs", lambda x: abs(x)),
    "above": Function("above(x): labels greater than x, in at()", lambda x: _Range(x, np.inf)),
    "all": Function("all(comparison): true everywhere", _all),
    "any": Function("any(comparison): true somewhere", _any),
    "at": Function("at(x, ranks=1000, machine='torus-m'): the values there", at),
    "below": Function("below(x): labels less than x, in at()", lambda x: _Range(-np.inf, x)),
    "count": Function("count(comparison): where it is true", _count),
    "falls": Function(
        "falls(x, 'ranks'): every value is below the one before",
        lambda x, dim: bool((_steps(x, dim) < 0).all()),
    ),
    "known": Function("known(x): the entries that are there", _known),
    "label_of_max": Function(
        "label_of_max(x, 'radix'): label of the largest",
        lambda x, dim: _label(x, dim, largest=True),
    ),
    "label_of_min": Function(
        "label_of_min(x, 'radix'): label of the smallest",
        lambda x, dim: _label(x, dim, largest=False),
    ),
    "log10": Function("log10(x): decimal logarithm", lambda x: np.log10(x)),
    "max": Function("max(x, 'ranks'): largest, along a dimension or of all", _reduction("max")),
    "mean": Function("mean(x, 'ranks'): mean", _reduction("mean")),
    "median": Function("median(x, 'ranks'): median", _reduction("median")),
    "min": Function("min(x, 'ranks'): smallest", _reduction("min")),
    "quantile": Function("quantile(x, 0.9): 90th percentile", _quantile),
    "ratio": Function("ratio(x, y): x / y", lambda x, y: x / y),
    "rises": Function(
        "rises(x, 'ranks'): every value is above the one before",
        lambda x, dim: bool((_steps(x, dim) > 0).all()),
    ),
    "share": Function("share(comparison): where it is true, 0..1", _share),
    "share_above": Function(
        "share_above(delay_histogram, delay_edge, 30e-6): share of a histogram beyond a limit",
        _share_above,
    ),
    "slope": Function("slope(x, 'ranks'): exponent from the first to the last label", _slope),
    "spread": Function("spread(x): standard deviation over mean, of all entries", _spread),
    "sum": Function("sum(x, 'ranks'): sum", _reduction("sum")),
    "within": Function("within(x, y): labels between, in at()", _Range),
}
