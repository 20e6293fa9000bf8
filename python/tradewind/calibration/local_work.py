"""Rates of copies and sums in a rank's own memory, from measured times of both."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tradewind.bench import Measurements, Row
from tradewind.calibration.fit import solve

# The following values are those of src/tradewind/measure/local_work.hpp.
_ROW_BYTES = 32
_KINDS = ("sum", "copy", "copy_sent", "copy_rows")
_OWN_MEMORY = ("copy", "copy_rows")
_NAMES = ("copy", "sum", "uncached_copy", "uncached_sum", "block")
# A cache is reported only if it reduces the loss of a fit without one to this share.
_SEEN_CACHE = 0.8
_TINY_LOSS = 1e-9
_TINY_TIME = 1e-12


@dataclass(frozen=True)
class LocalWork:
    """The costs of a rank's own work.

    Args:
        copy: Seconds per byte copied.
        sum: Seconds per byte of the operand that is added to another one.
        block: Seconds of each block that is copied by itself.
        cache: More bytes than this at a time take the uncached times; None if that is not seen.
        uncached_copy: Seconds per byte.
        uncached_sum: Seconds per byte.
    """

    copy: float
    sum: float
    block: float
    cache: int | None = None
    uncached_copy: float = 0.0
    uncached_sum: float = 0.0


def fit_local_work(kernels: Measurements, percentile: float) -> LocalWork | None:
    """Fits the costs; None where none of them took any time or was measured.

    Every measured size is tried as the cache, as is none at all, and the best one is taken.

    Args:
        kernels: From `tradewind bench kernels`.
        percentile: Percentile of the repetitions.

    Raises:
        Error: If the package scipy is missing.
    """
    rows = [
        row for row in kernels.rows if row.name in _KINDS and row.percentile_s(percentile) > 0.0
    ]
    if not rows:
        return None
    # Overwriting sent data fetches it back from the other cores, which hides the size of the caches.
    cache = _find_cache([row for row in rows if row.name in _OWN_MEMORY] or rows, percentile)
    values = _fit(rows, cache, percentile)
    return LocalWork(
        values["copy"],
        values["sum"],
        values["block"],
        cache,
        values["uncached_copy"],
        values["uncached_sum"],
    )


def _find_cache(rows: list[Row], percentile: float) -> int | None:
    # A robust fit takes the few sizes beyond a cache for outliers, so all errors count here.
    losses = {
        cache: _squared_error(rows, cache, percentile)
        for cache in (None, *sorted({row.size for row in rows})[:-1])
    }
    best = min(losses, key=losses.__getitem__)
    unseen = losses[None] < _TINY_LOSS or losses[best] > _SEEN_CACHE * losses[None]
    return None if unseen else best


def _squared_error(rows: list[Row], cache: int | None, percentile: float) -> float:
    values = _fit(rows, cache, percentile)
    errors = []
    for row in rows:
        found = sum(values[name] * n for name, n in _terms(row.name, row.size, cache).items())
        errors.append(np.log(max(found, _TINY_TIME) / row.percentile_s(percentile)))
    return float(np.mean(np.square(errors)))


def _fit(rows: list[Row], cache: int | None, percentile: float) -> dict[str, float]:
    terms = [_terms(row.name, row.size, cache) for row in rows]
    return solve(_NAMES, terms, [row.percentile_s(percentile) for row in rows])[0]


def _terms(kind: str, size: int, cache: int | None) -> dict[str, float]:
    place = "uncached_" if cache is not None and size > cache else ""
    if kind == "sum":
        return {f"{place}sum": size}
    blocks = size // _ROW_BYTES if kind == "copy_rows" else 1
    return {f"{place}copy": size, "block": blocks}
