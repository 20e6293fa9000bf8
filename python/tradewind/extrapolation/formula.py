"""Formulas of patterns: arithmetic over the rank count, the process grid and the problem size.

A formula is a number or a text such as `"8 * part(360, nx, x)"`. It is evaluated for all ranks at once.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import TraceError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Values = NDArray[Any]

Formula = int | float | str
# Evaluates a part of a formula for the values of names.
Term = Callable[[Mapping[str, Any]], Any]
_LONGEST = 1000
_LARGEST = 2.0**62


def part(total: Any, parts: Any, index: Any) -> Any:
    """Returns the size of a block where `total` items are cut into `parts`, and the first blocks are larger."""
    return total // parts + (index < total % parts)


def part_last(total: Any, parts: Any, index: Any) -> Any:
    """Returns the same where the last blocks are larger."""
    return total // parts + (index >= parts - total % parts)


def part_even(total: Any, parts: Any, index: Any) -> Any:
    """Returns the same where larger blocks are spread: from index * total // parts on."""
    return (index + 1) * total // parts - index * total // parts


def part_snake(total: Any, parts: Any, index: Any) -> Any:
    """Returns the same where items are dealt to and fro, as spectral models deal out wavenumbers.

    The first to the last block get an item each, then the last to the first, and so on: what is left over goes to the
    last blocks if an odd number of rounds came before, and to the first ones otherwise.
    """
    return np.where(
        np.asarray(total) // parts % 2 == 1,
        part_last(total, parts, index),
        part(total, parts, index),
    )


def part_ceil(total: Any, parts: Any, index: Any) -> Any:
    """Returns the same where blocks have total / parts items, rounded up, until nothing is left."""
    block = -(-np.asarray(total) // parts)
    return np.clip(total - index * block, 0, block)


def part_rest(total: Any, parts: Any, index: Any) -> Any:
    """Returns the same where blocks have total / parts items, rounded down, and the last one has the rest, too."""
    return total // parts + np.where(np.asarray(index) == parts - 1, total % parts, 0)


def tournament(players: Any, player: Any, turn: Any) -> Any:
    """Returns the partner in a turn of a tournament, by the circle method, as transposes of FFTW have it.

    All but the last of an even number of players sit in a circle, and the partner is 2 * turn - player. Who would be
    the own partner has the last one. For an odd number there is no such turn without a pause: the result is no number.
    """
    count, own, k = (np.asarray(one, float) for one in (players, player, turn))
    circle = count - 1
    there = np.mod(2 * k - own, np.maximum(circle, 1))
    partner = np.where(there == own, circle, there)
    partner = np.where(own == circle, k, partner)
    return np.where(count % 2 == 0, partner, np.nan)


def folded(ranks: Any, rank: Any, turn: Any) -> Any:
    """Returns the partner in a turn of recursive doubling, in which a power of two of ranks take part.

    For each rank beyond that power two of the first ranks are one, whose calls are made by the second of them. The
    result is no number in turns that there are not.
    """
    count, own = np.asarray(ranks, np.int64), np.asarray(rank, np.int64)
    power = 2 ** np.floor(np.log2(count)).astype(np.int64)
    bit = np.exp2(np.asarray(turn, float))
    is_turn = (bit >= 1) & (bit < power)
    rest = count - power
    place = np.where(own < 2 * rest, own // 2, own - rest)
    other = np.bitwise_xor(place, np.where(is_turn, bit, 0).astype(np.int64))
    return np.where(is_turn, np.where(other < rest, 2 * other + 1, other + rest), np.nan)


def place_after_pairs(ranks: int, rank: int) -> int:
    """Returns the place of a rank among those that take part in it; -1 if another one makes its calls."""
    rest = ranks - (1 << (ranks.bit_length() - 1))
    if rank < 2 * rest:
        return rank // 2 if rank % 2 else -1
    return rank - rest


def _integer(value: Any) -> Any:
    """Returns a value of the operator ^, which has bits."""
    found = np.asarray(value, float)
    if not np.all(np.abs(found) <= 2.0**53):
        raise ValueError("an operand of ^ is no whole number")
    return np.rint(found).astype(np.int64)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "part": part,
    "part_last": part_last,
    "part_even": part_even,
    "part_snake": part_snake,
    "part_ceil": part_ceil,
    "part_rest": part_rest,
    "tournament": tournament,
    "folded": folded,
    "ceil": np.ceil,
    "floor": np.floor,
    "log2": np.log2,
    "sqrt": np.sqrt,
    "min": np.minimum,
    "max": np.maximum,
}
_BINARY: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.mod,
    ast.BitXor: lambda a, b: np.bitwise_xor(_integer(a), _integer(b)),
    ast.Pow: lambda a, b: np.power(np.asarray(a, float), b),
}
_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}


def evaluate(formula: Formula, names: Mapping[str, Any]) -> Any:
    """Evaluates a formula.

    Args:
        formula: A number or a text.
        names: The values of names; arrays have an entry for each rank.

    Raises:
        TraceError: If it is no formula, or a name is unknown.
    """
    if isinstance(formula, int | float):
        return formula
    try:
        term = _term_of(formula)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            return term(names)
    except (
        SyntaxError,
        ValueError,
        TypeError,
        RecursionError,
        MemoryError,
        ArithmeticError,
    ) as error:
        raise TraceError(f'"{formula}" is no formula: {error}') from None


def whole(
    formula: Formula, names: Mapping[str, Any], ranks: int, used: Values | None = None
) -> NDArray[np.int64]:
    """Evaluates a formula to a whole number for each rank.

    Args:
        formula: A number or a text.
        names: The values of names.
        ranks: The number of entries of the result.
        used: Whether each entry is used; others may have any value. None: all are.

    Raises:
        TraceError: If it is no formula, or a value is not finite, negative or too large.
    """
    values = np.broadcast_to(np.asarray(evaluate(formula, names), float), (ranks,))
    if used is not None:
        values = np.where(used, values, 0)
    if not np.all(np.isfinite(values)) or np.any(values < -0.5) or np.any(values > _LARGEST):
        raise TraceError(f'"{formula}" is negative, infinite or too large for a rank')
    rounded: NDArray[np.int64] = np.rint(values).astype(np.int64)
    return rounded


@lru_cache(maxsize=4096)
def _term_of(formula: str) -> Term:
    """Returns what evaluates a formula."""
    if len(formula) > _LONGEST:
        raise TraceError(f"a formula of {len(formula)} characters; allowed are {_LONGEST}")
    return _term(ast.parse(formula, mode="eval").body, formula)


def _term(node: ast.expr, formula: str) -> Term:
    match node:
        case ast.Constant(value=bool() | int() | float() as number) if abs(number) <= _LARGEST:
            return lambda names: number
        case ast.Name(id=name):
            return lambda names: _named(name, names, formula)
        case ast.BinOp(left=left, op=operator, right=right) if type(operator) in _BINARY:
            return _joined(_BINARY[type(operator)], (left, right), formula)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _joined(np.negative, (operand,), formula)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return _joined(np.logical_not, (operand,), formula)
        case ast.BoolOp(op=operator, values=values):
            join = np.logical_and if isinstance(operator, ast.And) else np.logical_or
            return _joined(lambda *found: reduce(join, found), values, formula)
        case ast.Compare(left=left, ops=[operator], comparators=[right]) if (
            type(operator) in _COMPARE
        ):
            return _joined(_COMPARE[type(operator)], (left, right), formula)
        case ast.Call(func=ast.Name(id=name), args=arguments, keywords=[]) if name in FUNCTIONS:
            return _joined(FUNCTIONS[name], arguments, formula)
        case _:
            raise TraceError(f'"{formula}" is no formula: {ast.unparse(node)} is not allowed')


def _joined(function: Callable[..., Any], operands: Sequence[ast.expr], formula: str) -> Term:
    """Returns a function of other terms."""
    terms = [_term(operand, formula) for operand in operands]
    return lambda names: function(*[term(names) for term in terms])


def _named(name: str, names: Mapping[str, Any], formula: str) -> Any:
    if name in names:
        return names[name]
    known = ", ".join(sorted([*names, *FUNCTIONS]))
    raise TraceError(f'"{formula}": {name} is unknown; known are: {known}')


def written(value: float) -> str:
    """Writes a number for a formula: whole ones without a point."""
    return str(round(value)) if math.isclose(value, round(value), abs_tol=1e-9) else f"{value:.6g}"
