"""Slices of a data set for figures: series, the horizontal axis, and the runs with most ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config.axes import SEEDS, Axis, x_axis
from tradewind.plots.style import joined
from tradewind.results.run_result import Array

if TYPE_CHECKING:
    import xarray

SIZE = "ranks"


def across(values: xarray.DataArray) -> str | None:
    """Returns the dimension of the horizontal axis, as in pictures; without numbers the first that varies."""
    axes = [Axis(dim, tuple(labels(values, dim)), ()) for dim in map(str, values.dims)]
    right = x_axis(axes) or max(axes, key=lambda axis: len(axis.labels) > 1, default=None)
    return right.name if right else None


def is_numeric(values: xarray.DataArray, dim: str) -> bool:
    """Returns whether the labels along a dimension are numbers."""
    return dim in values.coords and values.coords[dim].dtype.kind in "iuf"


def labels(values: xarray.DataArray, dim: str) -> list[Any]:
    """Returns the labels along a dimension, as plain values."""
    if dim not in values.coords:
        return list(range(values.sizes[dim]))
    plain: list[Any] = values.coords[dim].values.tolist()
    return plain


def slices(
    values: xarray.DataArray, dims: tuple[str, ...]
) -> Iterator[tuple[tuple[Any, ...], xarray.DataArray]]:
    """Yields every combination of labels of the dimensions, with the rest of the values."""
    choices = [range(values.sizes[dim]) for dim in dims]
    names = [labels(values, dim) for dim in dims]
    for position in product(*choices):
        key = tuple(name[index] for name, index in zip(names, position, strict=True))
        yield key, values.isel(dict(zip(dims, position, strict=True)))


def first_seed(values: xarray.DataArray) -> xarray.DataArray:
    """Returns the values of the first seed of random choices."""
    return values.isel({name: 0 for name in values.dims if name in SEEDS})


def by_series(
    values: xarray.DataArray, inner: tuple[str, ...]
) -> Iterator[tuple[Any, str, xarray.DataArray]]:
    """Yields ranks (None if they do not vary), series and values of every run of the first seed.

    Args:
        values: Over the dimensions of the sweep, and inner ones.
        inner: Dimensions within one run.
    """
    values = first_seed(values)
    outer = tuple(str(dim) for dim in values.dims if dim not in inner)
    for key, part in slices(values, outer):
        if not bool(part.notnull().any()):
            continue
        by_name = dict(zip(outer, key, strict=True))
        size = by_name.pop(SIZE, None)
        yield size, joined(list(by_name.values())), part


def largest(
    values: xarray.DataArray, inner: tuple[str, ...]
) -> Mapping[str, tuple[Any, xarray.DataArray]]:
    """Returns for each series the finished run with the most ranks."""
    best: dict[str, tuple[Any, xarray.DataArray]] = {}
    for size, series, part in by_series(values, inner):
        if series not in best or size is None or size > best[series][0]:
            best[series] = (size, part)
    return best


def rounded(values: Array, digits: int = 6) -> list[float | None]:
    """Returns flat plain numbers with few digits; None for a missing value."""
    flat = np.asarray(values, dtype=float).ravel()
    return [float(f"{value:.{digits}g}") if np.isfinite(value) else None for value in flat]
