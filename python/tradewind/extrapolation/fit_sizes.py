"""The search for formulas in which numbers depend on the size of the problem."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tradewind.extrapolation.formula import Formula, evaluate, written
from tradewind.extrapolation.problem import Problem
from tradewind.extrapolation.samples import Samples

# A whole number in a formula that may depend on sizes: none in a name or a fraction, no step to a neighbour as in
# (x - 1) % nx, and no base of a power.
_NUMBER = re.compile(r"(?<![\w.])(?<![eE][+-])(?<![xyzjk] [+-] )(?<!\(P - )\d+(?![\w.]| \*\*)")
# The most formulas of one problem that are tried, and the most choices of the numbers in each.
_MOST_FORMULAS, _MOST_CHOICES = 16, 600
# Points around the domain, on both sides together.
_BORDERS = (1, -1, 2, -2, 3, 4, 6, 8)
# A part of a size, such as n // 2, has no larger divisor, or one of these.
_LARGEST_DIVISOR = 64
_ROUND_DIVISORS = {100, 128, 200, 250, 256, 500, 512, 1000, 1024, 2000, 2048, 4096, 5000, 10000}
_HIGHEST_POWER = 3
Fits = Callable[[Samples], Iterator[Formula]]


@dataclass(frozen=True)
class _Numbers:
    """The numbers of a formula that explains the values of one problem.

    Args:
        shape: The formula with {} in the place of its numbers.
        numbers: The numbers.
        problem: The sizes of the problem.
    """

    shape: str
    numbers: tuple[int, ...]
    problem: Problem


def fit_sizes(samples: Samples, fits: Fits) -> Formula | None:
    """Returns a formula with sizes of the problem that gives all values exactly; None if there is none.

    A formula is found for one problem. Then its numbers are replaced by what they may be as functions of the
    sizes. A choice counts if it gives the values of all problems.

    Args:
        samples: Values of two or more problems.
        fits: Yields formulas without sizes that give the values of one problem, the simplest first.
    """
    found = list(_of_each_problem(samples, fits))
    for one in found:
        for choice in itertools.islice(_choices(one, found), _MOST_CHOICES):
            formula = one.shape.format(*_placed(one.shape, choice))
            if gives(formula, samples.names, samples.values):
                return formula
    return None


def _of_each_problem(samples: Samples, fits: Fits) -> Iterator[_Numbers]:
    """Yields what explains each problem, by turns, so that the simplest come first."""
    columns = np.stack([samples.names[size] for size in samples.sizes], 1)
    problems, which = np.unique(columns, axis=0, return_inverse=True)
    which = which.reshape(-1)
    several = []
    for number, values in enumerate(problems.tolist()):
        problem = dict(zip(samples.sizes, values, strict=True))
        own = replace(samples.where(which == number), sizes=())
        formulas = itertools.islice(_different(map(str, fits(own))), _MOST_FORMULAS)
        several.append([_numbers(formula, problem) for formula in formulas])
    for turn in itertools.zip_longest(*several):
        yield from (one for one in turn if one is not None)


def _different(formulas: Iterator[str]) -> Iterator[str]:
    """Yields formulas that did not come before, each as soon as it is found: the search for all takes long."""
    seen: set[str] = set()
    for one in formulas:
        if one not in seen:
            seen.add(one)
            yield one


def _numbers(formula: str, problem: Problem) -> _Numbers:
    shape = _NUMBER.sub("{}", formula)
    return _Numbers(shape, tuple(map(int, _NUMBER.findall(formula))), problem)


def _choices(one: _Numbers, found: Sequence[_Numbers]) -> Iterator[tuple[str, ...]]:
    """Yields texts for all numbers, those with fewest sizes in them first."""
    lines = [_lines(place, one, found) for place in range(len(one.numbers))]
    texts = [
        [*_terms(number, one.problem), *line]
        for number, line in zip(one.numbers, lines, strict=True)
    ]
    places = [range(len(some)) for some in texts]
    for chosen in sorted(itertools.product(*places), key=lambda choice: (sum(choice), choice)):
        yield tuple(some[at] for some, at in zip(texts, chosen, strict=True))


def _terms(number: int, problem: Problem) -> Iterator[str]:
    """Yields what a number may be with one factor of its own: itself, a multiple of sizes, or an offset from one."""
    yield str(number)
    if number == 0:
        return
    products = [
        some
        for count in range(1, _HIGHEST_POWER + 1)
        for some in itertools.combinations_with_replacement(problem, count)
    ]
    for some in products:
        value = int(np.prod([problem[name] for name in some], dtype=object))
        words = " * ".join(some)
        if number % value == 0:
            yield words if number == value else f"{number // value} * {words}"
        elif value % number == 0 and _divides(value // number):
            yield f"{words} // {value // number}"
    for name, size in problem.items():
        for border in _BORDERS:
            if size + border > 0 and number % (size + border) == 0:
                yield _multiple(number // (size + border), name, border)
        if abs(number - size) not in map(abs, (0, *_BORDERS)):
            yield _multiple(1, name, number - size)


def _divides(divisor: int) -> bool:
    """Reports whether a size may be divided by a number."""
    return divisor <= _LARGEST_DIVISOR or divisor in _ROUND_DIVISORS


def _multiple(factor: int, name: str, offset: int) -> str:
    inner = f"{name} {'+' if offset > 0 else '-'} {abs(offset)}"
    return inner if factor == 1 else f"{factor} * ({inner})"


def _lines(place: int, one: _Numbers, found: Sequence[_Numbers]) -> list[str]:
    """Returns the straight lines through a number and that of another problem: they need a third one to prove them."""
    same = [other for other in found if other.shape == one.shape and other.problem != one.problem]
    if len({tuple(other.problem.values()) for other in same}) < 2:
        return []
    result = []
    for name, size in one.problem.items():
        other = next((other for other in same if other.problem[name] != size), None)
        if other is None:
            continue
        slope = (one.numbers[place] - other.numbers[place]) / (size - other.problem[name])
        start = one.numbers[place] - slope * size
        if slope == round(slope) and start == round(start) and slope and start:
            sign = "+" if start > 0 else "-"
            result.append(f"{written(slope)} * {name} {sign} {written(abs(start))}")
    return result


def _placed(shape: str, choice: Sequence[str]) -> list[str]:
    """Returns the texts with brackets around sums and quotients that are parts of something else."""
    around = shape.split("{}")
    return [
        text if not set("+-/") & set(text) or _stands_alone(before, after) else f"({text})"
        for text, before, after in zip(choice, around, around[1:], strict=False)
    ]


def _stands_alone(before: str, after: str) -> bool:
    """Reports whether what stands between these is a whole formula, or the first argument of a function."""
    return not before + after or (before.endswith("(") and after.startswith(","))


def gives(formula: Formula, names: Mapping[str, Any], values: Any) -> bool:
    """Reports whether a formula gives all values exactly."""
    found = np.asarray(evaluate(formula, names), float)
    return bool(np.all(np.isfinite(found)) and np.all(np.rint(found) == values))
