"""The functions of conditions, and their table."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config.axes import SEEDS
from tradewind.errors import ConfigError, suggestion
from tradewind.studies import shapes
from tradewind.studies.shapes import as_array, checked_dimension
from tradewind.studies.uncertain import NoLabel, NoValue, calculated, carried, over_seeds

if TYPE_CHECKING:
    import xarray

Value = Any


@dataclass(frozen=True)
class Function:
    """A function of conditions.

    Args:
        summary: Its arguments and what it gives.
        run: Computes it.
        carries: The function takes values with errors itself; else it never falls where an argument
            rises, so that bounds come from bounds.
        keeps_seeds: It is applied to each seed; else to the median over the seeds, with its error.
    """

    summary: str
    run: Callable[..., Value]
    carries: bool = False
    keeps_seeds: bool = False

    def __call__(self, *arguments: Value, **words: Value) -> Value:
        """Returns the value, with the error that the arguments give it."""
        if not self.keeps_seeds:
            arguments = tuple(map(over_seeds, arguments))
        if self.carries:
            return self.run(*arguments, **words)
        return carried(self.run, *arguments, **words)


@dataclass(frozen=True)
class _Range:
    """Labels that a selection takes."""

    low: float
    high: float

    def holds(self, labels: Any) -> Any:
        return (labels > self.low) & (labels < self.high)


@dataclass(frozen=True)
class _Others:
    """Labels that a selection leaves out."""

    names: tuple[str, ...]

    def holds(self, labels: Any) -> Any:
        return np.asarray([str(label) not in self.names for label in labels])


def at(values: Value, **labels: Value) -> Value:
    """Returns the values at labels: one, a list, above(x), below(x), within(x, y), or other_than(...).

    Args:
        values: An array with named dimensions.
        **labels: What to select along each dimension, by the name of the dimension.

    Raises:
        ConfigError: If there is no such dimension.
        NoLabel: If the results lack a label.
    """
    result = as_array(values)
    for name, wanted in labels.items():
        if name not in result.coords:
            known = suggestion(name, map(str, result.coords))
            raise ConfigError(f"at: there is no {name}; {known}")
        result = _chosen(result, name, wanted)
    return result


def _chosen(values: xarray.DataArray, name: str, wanted: Value) -> xarray.DataArray:
    labels = values.coords[name].values
    dim = values.coords[name].dims[0]
    if isinstance(wanted, _Range | _Others):
        chosen = np.flatnonzero(wanted.holds(labels))
        if chosen.size == 0 and isinstance(wanted, _Range):
            raise NoLabel(f"nothing at {name} between {wanted.low:g} and {wanted.high:g}")
        if chosen.size == 0:
            raise NoLabel(f"nothing at {name} but {labels.tolist()}")
        return values.isel({dim: chosen})
    if isinstance(wanted, list):
        return values.isel({dim: [_position(labels, name, entry) for entry in wanted]})
    return values.isel({dim: _position(labels, name, wanted)})


def _position(labels: Any, name: str, wanted: Value) -> int:
    if isinstance(wanted, str) or labels.dtype.kind not in "iuf":
        equal = np.asarray([str(label) == str(wanted) for label in labels])
    else:
        equal = np.isclose(labels.astype(float), float(wanted), rtol=1e-9, atol=0)
    if not equal.any() and isinstance(wanted, str):
        known = suggestion(wanted, map(str, labels))
        raise NoLabel(f"nothing at {name} = {wanted}; {known}")
    if not equal.any():
        raise NoLabel(f"nothing at {name} = {wanted:g}")
    return int(np.flatnonzero(equal)[0])


def _joined(values: Value, more: Value, dim: str = "ranks") -> Value:
    """Returns the values, and those of the labels along a dimension that only `more` has."""
    import xarray

    first, second = as_array(values), as_array(more)
    for array in (first, second):
        checked_dimension(array, dim)
    first, second = (array.reset_coords(drop=True) for array in (first, second))
    if set(first.dims) != set(second.dims):
        raise ConfigError(f"joined: {first.dims} and {second.dims} are not the same dimensions")
    beyond = second.isel({dim: np.flatnonzero(~np.isin(second[dim], first[dim]))})
    return xarray.concat([first, beyond], dim, join="inner").sortby(dim)


def _reduction(name: str) -> Callable[..., Value]:
    """Returns a reduction over one dimension, or all; NaN stays NaN and decides nothing."""

    def run(values: Value, dim: str | None = None) -> Value:
        array = as_array(values)
        if array.size == 0:
            raise NoValue(f"{name} of nothing")
        if dim is not None:
            checked_dimension(array, dim)
        return getattr(array, name)(dim=dim, skipna=False)

    return run


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
    """Returns the existing entries, for each seed as a list; NoValue if there are none."""
    array = as_array(values)
    seeds = [str(name) for name in array.dims if name in SEEDS]
    rest = [name for name in array.dims if name not in SEEDS]
    flat = np.asarray(array.transpose(*seeds, *rest), dtype=float)
    flat = flat.reshape(*(array.sizes[name] for name in seeds), -1)
    present = flat[..., ~np.isnan(flat).reshape(-1, flat.shape[-1]).any(axis=0)]
    if present.size == 0:
        raise NoValue("known: every entry is missing")
    return as_array(present).rename({f"dim_{i}": name for i, name in enumerate(seeds)})


def _quantile(values: Value, share: float) -> Value:
    return as_array(values).quantile(share, skipna=False)


def _ratio(left: Value, right: Value) -> Value:
    import operator

    return calculated(operator.truediv, left, right)


def _table(*rows: Function) -> Mapping[str, Function]:
    return {row.summary.partition("(")[0]: row for row in rows}


FUNCTIONS: Mapping[str, Function] = _table(
    Function("abs(x): without signs", shapes.absolute, carries=True),
    Function("above(x): labels greater than x, in at()", lambda x: _Range(x, np.inf)),
    Function("all(comparison): true everywhere", _all),
    Function("any(comparison): true somewhere", _any),
    Function("at(x, ranks=1000, machine='torus-m'): the values there", at, keeps_seeds=True),
    Function("below(x): labels less than x, in at()", lambda x: _Range(-np.inf, x)),
    Function("count(comparison): where it is true", _count),
    Function(
        "diagonal(matrix_bytes, 2): bins that many right of the diagonal of a matrix, around its edge",
        shapes.diagonal,
        keeps_seeds=True,
    ),
    Function(
        "distance(wait_histogram, other_histogram, wait_edge): largest difference between the shares "
        "below a limit, of all limits, 0..1",
        shapes.distance,
        carries=True,
        keeps_seeds=True,
    ),
    Function("falls(x, 'ranks'): every value is below the one before", shapes.falls, carries=True),
    Function(
        "growth(x, 'ranks'): every value but the first over the one before",
        shapes.growth,
        carries=True,
    ),
    Function(
        "joined(x, y, 'ranks'): x, and of y the labels along a dimension that x does not have",
        _joined,
    ),
    Function("known(x): the entries that are there", _known, keeps_seeds=True),
    Function("label_of_max(x, 'radix'): label of the largest", shapes.label_of_max, carries=True),
    Function("label_of_min(x, 'radix'): label of the smallest", shapes.label_of_min, carries=True),
    Function("log10(x): decimal logarithm", lambda x: np.log10(x)),
    Function("max(x, 'ranks'): largest, along a dimension or of all", _reduction("max")),
    Function("mean(x, 'ranks'): mean", _reduction("mean")),
    Function("median(x, 'ranks'): median", _reduction("median")),
    Function("min(x, 'ranks'): smallest", _reduction("min")),
    Function("other_than('minimal', 'valiant'): labels but these, in at()", lambda *x: _Others(x)),
    Function("quantile(x, 0.9): 90th percentile", _quantile),
    Function("ratio(x, y): x / y", _ratio, carries=True),
    Function("rises(x, 'ranks'): every value is above the one before", shapes.rises, carries=True),
    Function("share(comparison): where it is true, 0..1", _share),
    Function(
        "share_above(delay_histogram, delay_edge, 30e-6): share of a histogram beyond a limit",
        shapes.share_above,
        carries=True,
        keeps_seeds=True,
    ),
    Function(
        "slope(x, 'ranks'): exponent of the power law that fits all values best",
        shapes.slope,
        carries=True,
    ),
    Function(
        "spread(x): standard deviation over mean, of all entries",
        shapes.spread,
        carries=True,
        keeps_seeds=True,
    ),
    Function("sum(x, 'ranks'): sum", _reduction("sum")),
    Function("within(x, y): labels between, in at()", _Range),
)
