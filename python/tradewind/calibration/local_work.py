"""Rates of copies and sums in a rank's own memory, from measured times of both."""

from __future__ import annotations

from dataclasses import dataclass

from tradewind.bench import Measurements
from tradewind.calibration.fit import solve

# The following values are those of src/tradewind/measure/local_work.hpp.
_BLOCK_BYTES = 64
_KINDS = ("sum", "copy", "copy_sent", "copy_blocks")
_NAMES = ("copy", "sum", "uncached_copy", "uncached_sum", "block")
# A cache is reported only if it reduces the loss of a fit without one to this share.
_SEEN_CACHE = 0.8
_TINY_LOSS = 1e-9


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
    seconds = [row.percentile_s(percentile) for row in rows]
    fits = {}
    for cache in (None, *sorted({row.size for row in rows})[:-1]):
        terms = [_terms(row.name, row.size, cache) for row in rows]
        fits[cache] = solve(_NAMES, terms, seconds)
    best = min(fits, key=lambda cache: fits[cache][1])
    alone = fits[None][1]
    if alone < _TINY_LOSS or fits[best][1] > _SEEN_CACHE * alone:
        best = None
    values = fits[best][0]
    return LocalWork(
        values["copy"],
        values["sum"],
        values["block"],
        best,
        values["uncached_copy"],
        values["uncached_sum"],
    )


def _terms(kind: str, size: int, cache: int | None) -> dict[str, float]:
    place = "uncached_" if cache is not None and size > cache else ""
    if kind == "sum":
        return {f"{place}sum": size}
    blocks = size // _BLOCK_BYTES if kind == "copy_blocks" else 1
    return {f"{place}copy": size, "block": blocks}
