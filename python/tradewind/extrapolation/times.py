"""The time of computation before a call as a function of the number of ranks."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


def fit_time(ranks: NDArray[np.float64], seconds: NDArray[np.float64]) -> tuple[str, float]:
    """Fits a + b / P, with a and b that are not negative; the simpler form wins where it is as good.

    Args:
        ranks: The rank counts.
        seconds: The mean time at each.

    Returns:
        The formula, in seconds, and its largest relative error at these counts.
    """
    scale = float(seconds.max())
    if scale <= 0:
        return "0", 0.0
    forms = []
    for columns in ((1 / ranks,), (np.ones_like(ranks),), (np.ones_like(ranks), 1 / ranks)):
        matrix = np.stack(columns, 1)
        factors = np.linalg.lstsq(matrix / scale, seconds / scale, rcond=None)[0]
        if np.any(factors < 0):
            continue
        errors = np.abs(matrix @ factors - seconds) / np.maximum(seconds, 1e-3 * scale)
        forms.append((float(errors.max()), len(columns), factors, columns))
    error, _, factors, columns = min(forms, key=lambda form: form[0] + 0.05 * form[1])
    if len(columns) == 2:
        return f"{factors[0]:.4g} + {factors[1]:.4g} / P", error
    constant = np.all(columns[0] == 1)
    return (f"{factors[0]:.4g}" if constant else f"{factors[0]:.4g} / P"), error
