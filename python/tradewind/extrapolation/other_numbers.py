"""Formulas in the number of ranks that fit recorded numbers by chance, as P // 3 + 1 and ceil(log2(P)) may."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Sequence

import numpy as np

from tradewind.errors import TraceError
from tradewind.extrapolation.counts import best_first, kind_of, of_kind
from tradewind.extrapolation.fit import bordered_shares, in_units, units
from tradewind.extrapolation.fit_sizes import gives
from tradewind.extrapolation.formula import Formula, evaluate
from tradewind.extrapolation.grids import AXES, GridRule
from tradewind.extrapolation.quotients import products_of_shares, quotients, with_offsets
from tradewind.extrapolation.samples import Samples

_OTHERS = (
    *quotients("P"),
    "ceil(log2(P))",
    "floor(log2(P))",
    "ceil(sqrt(P))",
    "floor(sqrt(P))",
)
# Numbers of turns of some solvers.
_ROOTS = tuple(f"{cut}({factor} * sqrt(P))" for factor in (2, 3, 4, 5) for cut in ("ceil", "floor"))
# Formulas with these words fit a few numbers by chance.
_DOUBTFUL = ("log2", "sqrt", ".", "//", "ceil")
_EXTENT = re.compile(r"\bn[xyz]\b")
# A number that is divided, in a quotient that is cut off or rounded up.
_NUMERATOR = re.compile(r"\b\d+(?= // )|(?<=ceil\()\d+(?= / )")
# A whole quotient of rank counts: its divisor, rounding and offset are chosen.
_ROUNDED_COUNT = re.compile(r"(?:P|n[xyz]|m)(?: \+ \d+\))? // \d|ceil\((?:P|n[xyz]|m) / \d")
# A part of a size, such as n // 100, and what rounds a number.
_PART_OF_SIZE = re.compile(r"\b([a-zA-Z]\w*) // \d+")
_ROUNDING = re.compile(r"//|\bceil\b|\bfloor\b")
_OWN_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.]| \*\*)")
# A share with a number added, and a factor before it.
_MOVED_SHARE = re.compile(r"(?:(\d+) \* )?(\w+\(\d+, [^()]*\) [+-] (\d+))")
# So many more or less are the points around blocks.
_MOST_AROUND = 4
_EXTENTS = ("P", "nx", "ny", "nz")
_HALVES = ("{} // 2", "({} - 1) // 2", "({} + 1) // 2", "{} - 1")
_OF_COUNTS = ("P", "nx", "ny", "nz", "m")
_MOST_NAMED = 2
_MOST_VALUES = 4
_MOST_RANKS = 2048


def remarks_on_numbers(
    what: str, formula: Formula, samples: Samples, rule: GridRule
) -> Iterator[str]:
    """Yields a remark if a number that grows with the ranks has other formulas, or has its own one by chance.

    A formula with as many numbers of its own as there are different values says nothing that it was not told.

    Args:
        what: What the number is.
        formula: A formula that gives the values.
        samples: The values.
        rule: The process grid.
    """
    if not isinstance(formula, str):
        return
    others = list(_others(formula, samples, rule)) if _is_doubtful(formula) else []
    if others:
        yield f"{what}: {formula} {others[0]}"
    if moved := _free_share(formula, samples):
        yield f"{what}: {moved} may fit by chance; record more rank counts, or check the pattern at another one"
    if _is_free(formula, samples):
        told = np.unique(samples.values).tolist()
        yield (
            f"{what}: {formula} may fit {_listed(told)} by chance; record more rank counts, or check the "
            "pattern at another one"
        )


def is_doubt(remark: str) -> bool:
    """Reports whether a remark says that a formula or a condition may be another one, other than the grid."""
    return "by chance" in remark or (
        " may also be " in remark and _is_doubtful(remark.partition(" may also be ")[0])
    )


def _is_doubtful(formula: str) -> bool:
    """Reports whether a formula has functions that fit a few numbers by chance."""
    return any(word in formula for word in _DOUBTFUL) or bool(_EXTENT.search(formula))


def _listed(numbers: Sequence[int]) -> str:
    few = ", ".join(map(str, numbers[:_MOST_VALUES]))
    return f"[{few}, ...]" if len(numbers) > _MOST_VALUES else f"[{few}]"


def _is_free(formula: str, samples: Samples) -> bool:
    """Reports whether a formula in rank counts and extents has as many numbers of its own as it gives values."""
    parts = _PART_OF_SIZE.findall(formula) if samples.sizes else []
    if samples.sizes and not any(size in samples.sizes for size in parts):
        return False
    known_ones = {*_OF_COUNTS, *samples.sizes}
    names = {name: known for name, known in samples.names.items() if name in known_ones}
    try:
        evaluate(formula, names)
    except TraceError:
        return False  # It depends on more than the number of ranks.
    own = (
        len(set(_OWN_NUMBER.findall(formula)) - {"1"})
        + formula.count(" + 1")
        + formula.count(" - 1")
    )
    own += any(word in formula for word in ("log2", "sqrt"))
    own += len(_ROUNDING.findall(formula)) if parts else 0
    if own >= len(np.unique(samples.values)):
        return True
    return own + bool(_ROUNDED_COUNT.search(formula)) >= len(np.unique(samples.names["P"]))


def _free_share(formula: str, samples: Samples) -> str:
    """Returns a share and a number that has no more values than these two are numbers, with the values; or nothing."""
    if samples.sizes:
        return ""
    for unit, share, offset in _MOVED_SHARE.findall(formula):
        if int(offset) <= _MOST_AROUND * int(unit or 1):
            continue
        try:
            told = np.unique(np.asarray(evaluate(share, samples.names))).tolist()
        except TraceError:
            continue  # It depends on more than place and extents.
        if len(told) <= 2:
            return f"{share}, which is {_listed(told)},"
    return ""


def _others(formula: str, samples: Samples, rule: GridRule) -> Iterator[str]:
    """Yields what other formulas may be, and a count at which they differ."""
    recorded = np.unique(samples.names["P"]).tolist()
    counts = _counts_like(recorded, rule)
    try:
        own = _whole(formula, counts, rule)
    except TraceError:
        return  # It depends on more than the number of ranks.
    found: list[str] = []
    record = 0
    for other in itertools.chain(
        with_offsets(samples, iter(_OTHERS)),
        # With an offset they would fit too many numbers.
        (
            one
            for one in with_offsets(samples, iter(_ROOTS))
            if " + " not in one and " - " not in one
        ),
        _in_other_units(formula, samples),
        _with_other_numerators(formula, samples),
        _with_other_extents(formula, samples),
    ):
        differ = np.flatnonzero(_whole(other, counts, rule) != own)
        if len(differ) > 0:
            found.append(other)
            record = record or counts[differ[0]]
    if found:
        yield (
            f"may also be {' or '.join(found[:_MOST_NAMED])}; record {record} ranks, where they differ"
        )


def _in_other_units(formula: str, samples: Samples) -> Iterator[str]:
    """Yields multiples of other quotients that give the values, if the formula is of some, such as 8 * (181 // P)."""
    if not _NUMERATOR.search(formula):
        return
    ranks = np.asarray(samples.names["P"])
    divisors = {name: samples.names[name] for name in _OF_COUNTS if name in samples.names}
    divisors = {
        name: known
        for name, known in divisors.items()
        if name == "P" or not np.array_equal(known, ranks)
    }
    for unit in units(samples):
        for divisor, known in divisors.items():
            known = np.asarray(known, float)
            yield from in_units(unit, divisor, known, samples.values.astype(float))
        yield from products_of_shares(samples, divisors, unit)
        yield from bordered_shares(samples, divisors, unit)


def _with_other_numerators(formula: str, samples: Samples) -> Iterator[str]:
    """Yields the formula with the smallest and the largest number in the place of one that is divided."""
    for found in _NUMERATOR.finditer(formula):
        before, after = formula[: found.start()], formula[found.end() :]
        for step in (-1, 1):
            number = int(found[0])
            while number + step > 0 and gives(
                f"{before}{number + step}{after}", samples.names, samples.values
            ):
                number += step
            if number != int(found[0]):
                yield f"{before}{number}{after}"


def _with_other_extents(formula: str, samples: Samples) -> Iterator[str]:
    """Yields the formula with another extent in the place of one, and halves of others, if they give the values."""
    extents = [name for name in _EXTENTS if name in samples.names]
    some = [re.sub(rf"\b{own}\b", other, formula) for own in extents for other in extents]
    if _EXTENT.search(formula):
        some += [half.format(extent) for extent in extents for half in _HALVES]
    for one in dict.fromkeys(some):
        if one != formula and gives(one, samples.names, samples.values):
            yield one


def _counts_like(recorded: Sequence[int], rule: GridRule) -> list[int]:
    """Returns rank counts of the same kind that were not recorded, those first that suit best as a recording."""
    kind = kind_of(recorded)
    most = _MOST_RANKS if kind else 4 * recorded[-1]
    counts = itertools.takewhile(lambda count: count < most, of_kind(kind))
    others = [count for count in counts if count > 1 and count not in recorded and rule.has(count)]
    return best_first(others, recorded)


def _whole(
    formula: str, counts: Sequence[int], rule: GridRule
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    extents = zip(AXES, zip(*map(rule.extents, counts), strict=True), strict=False)
    names = {f"n{axis}": np.asarray(numbers) for axis, numbers in extents}
    found = evaluate(formula, {"P": np.asarray(counts), **names})
    result: np.ndarray[tuple[int, ...], np.dtype[np.float64]] = np.rint(np.asarray(found, float))
    return np.maximum(result, 0)
