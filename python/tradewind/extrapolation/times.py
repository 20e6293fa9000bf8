"""The time of computation before a call, or of files in it, as a function of the ranks and of the problem size."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.formula import Formula, evaluate
from tradewind.extrapolation.grids import AXES, GridRule
from tradewind.extrapolation.samples import Setups
from tradewind.extrapolation.template import Member
from tradewind.extrapolation.tree import CallNode

if TYPE_CHECKING:
    from numpy.typing import NDArray

PICOSECONDS = 1e12
_HIGHEST_POWER = 3
# A formula with one term less, or one factor less, may be worse by this and be taken.
_OF_A_TERM, _OF_A_FACTOR = 0.05, 0.02
# A square is less likely where each extent has a name of its own.
_OF_A_SQUARE = 0.1
# A time that passes before the first turn of a loop must fit better by this.
_OF_A_LOOP = 0.1
# An error below this many seconds is noise, and no reason for a form that grows with the problem.
_NOISE_S = 1e-5
# A remark tells of times whose fit is worse, unless they are a smaller share of the longest one.
_WORST_FIT, _LEAST_SHARE = 0.25, 0.01
# A remark tells of the longest time if it is so many times the mean of the ranks, and not too short.
_MOST_SPREAD, _LEAST_IMBALANCE_S = 1.5, 1e-4


def fit_time(setups: Setups, seconds: NDArray[np.float64]) -> tuple[str, float]:
    """Fits a + b / P, with a and b that are not negative; the simpler form wins where it is as good.

    With sizes of the problem, a and b are multiplied by products of up to three of them.

    Args:
        setups: The setups of the recordings.
        seconds: The mean time at each.

    Returns:
        The formula, in seconds, and its largest relative error at these setups.
    """
    scale = float(seconds.max())
    if scale <= 0:
        return "0", 0.0
    terms = _terms(setups)
    forms = []
    for some in (*((term,) for term in terms), *itertools.combinations(terms, 2)):
        if len(some) == 2 and some[0][0].endswith("/ P") == some[1][0].endswith("/ P"):
            continue
        matrix = np.stack([column / column.max() for _, column in some], 1)
        factors, _, rank, _ = np.linalg.lstsq(matrix, seconds / scale, rcond=None)
        if rank < len(some) or np.any(factors < 0):
            continue
        errors = np.abs(matrix @ factors * scale - seconds) / np.maximum(
            seconds, max(1e-3 * scale, _NOISE_S if setups.sizes else 0)
        )
        price = sum(_price(words, setups) for words, _ in some)
        written = [
            f"{factor * scale / column.max():.4g}{words}"
            for factor, (words, column) in zip(factors, some, strict=True)
        ]
        forms.append((float(errors.max()) + price, float(errors.max()), " + ".join(written)))
    _, error, formula = min(forms)
    return formula, error


def fit_time_in_loops(
    setups: Setups, seconds: NDArray[np.float64], rule: GridRule, loops: Sequence[Formula]
) -> tuple[str, float]:
    """Fits the mean time before a call in loops, which may pass before their first turn alone.

    Args:
        setups: The setups of the recordings.
        seconds: The mean time at each.
        rule: The process grid.
        loops: The turns of the loops around the call.

    Returns:
        The formula, in seconds, and its largest relative error at these setups.
    """
    formula, error = fit_time(setups, seconds)
    for turns in loops:
        values = _turns_at(setups, rule, turns)
        if values is None or len(np.unique(values)) == 1:
            continue
        of_all, other = fit_time(setups, seconds * values)
        if other + _OF_A_LOOP < error:
            formula, error = f"({of_all}) / max(1, {turns})", other
    return formula, error


def _turns_at(setups: Setups, rule: GridRule, turns: Formula) -> NDArray[np.float64] | None:
    """Returns the turns of a loop at some setups, at least one; None if they are not those of all ranks."""
    values = []
    try:
        for ranks, problem in zip(setups.ranks, setups.problems, strict=True):
            extents = zip(AXES, rule.extents(ranks), strict=False)
            names = {"P": ranks, **{f"n{axis}": extent for axis, extent in extents}, **problem}
            values.append(max(1.0, float(evaluate(turns, names))))
    except TraceError:
        return None
    return np.asarray(values)


def _price(words: str, setups: Setups) -> float:
    """Returns what a term must gain to be taken."""
    squares = sum(max(0, words.split().count(name) - 1) for name in setups.sizes)
    square = _OF_A_SQUARE * squares if len(setups.sizes) > 1 else 0.0
    return _OF_A_TERM + _OF_A_FACTOR * words.count("*") + square


def _terms(setups: Setups) -> list[tuple[str, NDArray[np.float64]]]:
    """Lists what a time may be proportional to: how it is written behind a factor, and its values."""
    ranks = np.asarray(setups.ranks, float)
    result = []
    for count in range(_HIGHEST_POWER + 1 if setups.sizes else 1):
        for some in itertools.combinations_with_replacement(setups.sizes, count):
            sizes = np.ones_like(ranks)
            for name in some:
                sizes = sizes * np.asarray([problem[name] for problem in setups.problems], float)
            words = "".join(f" * {name}" for name in some)
            result += [(words, sizes), (f"{words} / P", sizes / ranks)]
    return result


def mean_times(seen: Mapping[Member, CallNode], which: int) -> dict[int, float]:
    """Returns the mean of a time over the ranks of each trace in s; `which`: its place among those of a call."""
    means: dict[int, list[float]] = {}
    for member, node in seen.items():
        means.setdefault(member[0], []).append(node.times[which] / PICOSECONDS)
    return {trace: float(np.mean(values)) for trace, values in means.items()}


def spread_of_times(
    seen: Mapping[Member, CallNode], ranks: Sequence[int], which: int
) -> tuple[float, float]:
    """Returns the longest time of a rank in the largest trace in s, and its ratio to the mean of the ranks.

    Args:
        seen: The call on each rank.
        ranks: The number of ranks of each trace.
        which: The place of the time among those of a call.
    """
    largest = max(seen, key=lambda member: ranks[member[0]])[0]
    of_ranks: dict[int, list[float]] = {}
    for member, node in seen.items():
        if member[0] == largest:
            of_ranks.setdefault(member[1], []).append(node.times[which] / PICOSECONDS)
    means = [float(np.mean(values)) for values in of_ranks.values()]
    mean = float(np.mean(means))
    return max(means), max(means) / mean if mean > 0 else 1.0


def remarks_on_times(
    fits: Sequence[tuple[float, float, str]], spreads: Sequence[tuple[float, float, str]]
) -> Iterator[str]:
    """Yields what is to be said of times whose fit is bad, but for those that hardly count.

    Args:
        fits: The longest mean of each time in s, the error of its fit, and which time it is.
        spreads: The longest of each time in s, its ratio to the mean of the ranks, and which time it is.
    """
    least_s = max(1e-5, _LEAST_SHARE * max((time_s for time_s, _, _ in fits), default=0.0))
    for time_s, error, name in fits:
        if error > _WORST_FIT and time_s > least_s:
            yield f"the fit of the time {name} is off by up to {error:.0%}"
    for kind in ("before", "in"):
        some = (one for one in spreads if one[2].startswith(f"{kind} "))
        time_s, ratio, name = max(some, default=(0.0, 1.0, ""))
        if ratio > _MOST_SPREAD and time_s > _LEAST_IMBALANCE_S:
            yield (
                f"the time {name} is {ratio:.1f} times the mean on one of the ranks; the "
                "pattern has the mean, and no imbalance"
            )
