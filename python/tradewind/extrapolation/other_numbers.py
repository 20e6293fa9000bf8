"""Other formulas in the number of ranks that fit recorded numbers by chance, as P // 3 + 1 and ceil(log2(P)) may."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.formula import Formula, evaluate
from tradewind.extrapolation.quotients import quotients, with_offsets
from tradewind.extrapolation.samples import Samples

_OTHERS = (
    *quotients("P"),
    "ceil(log2(P))",
    "floor(log2(P))",
    "ceil(sqrt(P))",
    "floor(sqrt(P))",
)
# Formulas with these words fit a few numbers by chance.
_DOUBTFUL = ("log2", "sqrt", ".", "//", "ceil")
_MOST_NAMED = 2
_POWERS = tuple(2**power for power in range(1, 12))
_SQUARES = tuple(side**2 for side in range(2, 33))


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
    for other in with_offsets(samples, iter(_OTHERS)):
        differ = np.flatnonzero(_whole(other, counts) != own)
        if len(differ) > 0:
            found.append(other)
            record = record or counts[differ[0]]
    if found:
        yield (
            f"{what}: {formula} may also be {' or '.join(found[:_MOST_NAMED])}; "
            f"record {record} ranks, where they differ"
        )


def _counts_like(recorded: Sequence[int]) -> list[int]:
    """Returns rank counts of the same kind that were not recorded."""
    for kind in (_POWERS, _SQUARES):
        if set(recorded) <= set(kind):
            return [count for count in kind if count not in recorded]
    return [count for count in range(2, 4 * recorded[-1]) if count not in recorded]


def _whole(
    formula: str, counts: Sequence[int]
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    found = evaluate(formula, {"P": np.asarray(counts)})
    result: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.rint(np.asarray(found, float))
    return np.maximum(result, 0)
