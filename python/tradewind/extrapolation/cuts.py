"""The ways to cut an extent into blocks: which of them fit recorded values, and where they differ."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tradewind.extrapolation.fit_sizes import gives
from tradewind.extrapolation.formula import FUNCTIONS, Formula
from tradewind.extrapolation.samples import Samples

# The functions of formulas, the usual one first.
CUTS = ("part", "part_last", "part_even", "part_snake", "part_ceil", "part_rest")
# The largest extent that is searched for one where two ways to cut differ.
_MOST_PARTS = 1000


def remarks_on_cuts(formula: Formula, samples: Samples) -> Iterator[str]:
    """Yields a remark for each cut of a formula in whose place another one gives the same values.

    Args:
        formula: A formula that gives the values.
        samples: The values.
    """
    if not isinstance(formula, str) or "part" not in formula:
        return
    tree = ast.parse(formula, mode="eval").body
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        own = call.func.id
        if own not in CUTS:
            continue
        others = []
        for other in CUTS:
            call.func.id = other
            if other != own and gives(ast.unparse(tree), samples.names, samples.values):
                others.append(other)
        call.func.id = own
        yield from _remark(call, others)


def _remark(call: ast.Call, others: Sequence[str]) -> Iterator[str]:
    """Yields what is to be said of a cut, unless the others never differ from it."""
    if not others:
        return
    total, parts = call.args[:2]
    recording = "rank counts"
    if isinstance(total, ast.Constant) and isinstance(total.value, int):
        first = _first_difference(total.value, [ast.unparse(call.func), *others])
        if first is None:
            return
        recording = f"a rank count with {ast.unparse(parts)} = {first}"
    yield (
        f"{ast.unparse(call)} may also be {' or '.join(others)}; "
        f"record {recording}, where they differ"
    )


def _first_difference(total: int, functions: Sequence[str]) -> int | None:
    """Returns the fewest parts for which no two of some functions cut in the same way.

    If there are none, it is the fewest for which some two differ; None if they never do.
    """
    some = None
    for parts in range(2, min(total, _MOST_PARTS) + 1):
        index = np.arange(parts)
        blocks: set[Any] = {
            tuple(np.asarray(FUNCTIONS[one](total, parts, index))) for one in functions
        }
        if len(blocks) == len(functions):
            return parts
        if len(blocks) > 1 and some is None:
            some = parts
    return some
