"""Other formulas in the number of ranks that fit recorded numbers by chance, as P // 3 + 1 and ceil(log2(P)) may."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.counts import kind_of, of_kind
from tradewind.extrapolation.formula import Formula, evaluate, written
from tradewind.extrapolation.samples import Samples

_QUOTIENTS = tuple(
    way.format(number) for number in (2, 3, 4) for way in ("P // {}", "ceil(P / {})")
)
_OTHERS = (*_QUOTIENTS, "ceil(log2(P))", "floor(log2(P))", "ceil(sqrt(P))", "floor(sqrt(P))")
# Formulas with these words are seldom what a program computes if whole quotients fit as well.
_DOUBTFUL = ("log2", "sqrt", ".")
_MOST_NAMED = 2
_MOST_RANKS = 2048


def remarks_on_numbers(what: str, formula: Formula, samples: Samples) -> Iterator[str]:
    """Yields a remark if a number that grows with the ranks has other formulas, which differ at other counts.

    Args:
        what: What the number is.
        formula: A formula that gives the values.
        samples: The values.
    """
    if not isinstance(formula, str) or not any(word in formula for word in _DOUBTFUL):
        return
    recorded = np.unique(samples.names["P"]).tolist()
    counts = _counts_like(recorded)
    try:
        own = _whole(formula, counts)
    except TraceError:
        return  # It depends on more than the number of ranks.
    found: list[str] = []
    record = 0
    for other in _fitting(samples):
        differ = np.flatnonzero(_whole(other, counts) != own)
        if len(differ) > 0:
            found.append(other)
            record = record or counts[differ[0]]
    if found:
        yield (
            f"{what}: {formula} may also be {' or '.join(found[:_MOST_NAMED])}; "
            f"record {record} ranks, where they differ"
        )


def _fitting(samples: Samples) -> Iterator[str]:
    """Yields the formulas that give the values, as they are, with a number added, or as a multiple."""
    ranks, values = samples.names["P"], samples.values.astype(float)
    unit = int(np.gcd.reduce(samples.values.astype(np.int64))) or 1
    for factor in dict.fromkeys((1, unit)):
        for other in _OTHERS:
            rest = values / factor - np.rint(evaluate(other, {"P": ranks}))
            if np.any(rest != rest[0]) or rest[0] != np.rint(rest[0]):
                continue
            text = (
                other
                if rest[0] == 0
                else f"{other} {'+' if rest[0] > 0 else '-'} {written(abs(rest[0]))}"
            )
            yield text if factor == 1 else f"{factor} * ({text})"


def _counts_like(recorded: Sequence[int]) -> list[int]:
    """Returns rank counts of the same kind that were not recorded."""
    kind = kind_of(recorded)
    most = _MOST_RANKS if kind else 4 * recorded[-1]
    counts = itertools.takewhile(lambda count: count < most, of_kind(kind))
    return [count for count in counts if count > 1 and count not in recorded]


def _whole(
    formula: str, counts: Sequence[int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    found = evaluate(formula, {"P": np.asarray(counts)})
    result: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.rint(np.asarray(found, float))
    return result
