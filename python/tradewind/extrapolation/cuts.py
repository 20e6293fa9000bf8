"""The ways to cut an extent into blocks: which of them fit recorded values, and where they differ."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from tradewind.extrapolation.fit_sizes import gives
from tradewind.extrapolation.formula import FUNCTIONS, Formula, evaluate
from tradewind.extrapolation.grids import GridRule
from tradewind.extrapolation.samples import Samples

# The functions of formulas, the usual one first.
CUTS = ("part", "part_last", "part_even", "part_snake", "part_ceil", "part_rest")
# The largest extent that is searched for one where two ways to cut differ.
_MOST_PARTS = 1000
# The most numbers of a piece that is not cut.
_MOST_PIECES = 16


def remarks_on_cuts(formula: Formula, samples: Samples, rule: GridRule) -> Iterator[str]:
    """Yields a remark for each cut of a formula in whose place another one gives the same values.

    Another one may cut in the same way, and pieces of several numbers instead of single ones.

    Args:
        formula: A formula that gives the values.
        samples: The values.
        rule: The process grid; an extent that it fixes is the same at all rank counts.
    """
    if not isinstance(formula, str) or "part" not in formula:
        return
    tree = ast.parse(formula, mode="eval").body
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            continue
        own = call.func.id
        if own not in CUTS or (rule.is_fixed and ast.unparse(call.args[1]) == rule.words[:2]):
            continue
        others = []
        for other in CUTS:
            call.func.id = other
            if other != own and gives(ast.unparse(tree), samples.names, samples.values):
                others.append(other)
        call.func.id = own
        yield from _remark(call, others, samples)


def _remark(call: ast.Call, others: Sequence[str], samples: Samples) -> Iterator[str]:
    """Yields what is to be said of a cut, unless the others never differ from it."""
    total, parts = call.args[:2]
    if not isinstance(total, ast.Constant) or not isinstance(total.value, int):
        if others:
            yield (
                f"{ast.unparse(call)} may also be {' or '.join(others)}; "
                "record rank counts, where they differ"
            )
        return
    functions = [ast.unparse(call.func), *others]
    first = _first_difference(total.value, functions) if others else None
    found = {first: " or ".join(others)} if first is not None else {}
    in_pieces = _in_pieces(call, total.value, samples)
    if in_pieces is not None and (first is None or in_pieces[0] < first):
        found = {in_pieces[0]: in_pieces[1], **found}
    if found:
        counts = " and one with ".join(f"{ast.unparse(parts)} = {one}" for one in found)
        yield (
            f"{ast.unparse(call)} may also be {' or '.join(found.values())}; "
            f"record a rank count with {counts}, where they differ"
        )


def _in_pieces(call: ast.Call, total: int, samples: Samples) -> tuple[int, str] | None:
    """Returns the fewest parts at which a cut differs from one with the same blocks that keeps pieces together, and this."""
    cut = FUNCTIONS[ast.unparse(call.func)]
    words = [ast.unparse(one) for one in call.args[1:]]
    blocks = np.asarray(evaluate(ast.unparse(call), samples.names)).astype(np.int64)
    common = math.gcd(total, *np.unique(blocks).tolist())
    found = []
    for piece in range(2, min(common, _MOST_PIECES) + 1):
        if common % piece:
            continue
        text = f"{piece} * {ast.unparse(call.func)}({total // piece}, {', '.join(words)})"
        if not gives(text, samples.names, blocks):
            continue
        for parts in range(2, min(total, _MOST_PARTS) + 1):
            index = np.arange(parts)
            other = piece * np.asarray(cut(total // piece, parts, index))
            if not np.array_equal(cut(total, parts, index), other):
                found.append((parts, text))
                break
    return min(found, default=None)


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
