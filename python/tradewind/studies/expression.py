"""Conditions of claims: a small language over the results of parts, evaluated without running any code.

    median(abs(table5.error)) < 0.1
    all(at(fig5b.time_s, machine="torus-m") > at(fig5b.time_s, machine="fattree-m"))

`part.variable` is an array with named dimensions. The language has numbers, texts, lists,
arithmetic, comparisons, `and`, `or`, `not` and the functions of FUNCTIONS, and nothing else.
Simulated times, and speed-ups, shares, gains and losses of them, carry the error of their model: a
comparison that holds only for some of the values within the error is undecided.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import ConfigError, suggestion
from tradewind.studies.functions import FUNCTIONS
from tradewind.studies.quantities import EXCESS, QUOTIENT, SHARE, TIME, Form
from tradewind.studies.shapes import has_missing
from tradewind.studies.uncertain import (
    COMPARISONS,
    NoLabel,
    NoValue,
    Uncertain,
    as_shares,
    calculated,
    carried,
    compared,
    computed,
    conjunction,
    disjunction,
    negated,
    over_seeds,
)

if TYPE_CHECKING:
    import xarray

Value = Any

_ARITHMETIC: Mapping[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_SIGNS: Mapping[type[ast.cmpop], str] = dict(
    zip((ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq), COMPARISONS, strict=True)
)
_LONGEST = 2000

# Endings of the names of quantities that carry the error of the model, with their form.
_FORMS: Mapping[str, Form] = {
    "_s": TIME,
    "delay_edge": TIME,
    "packet_wait_edge": TIME,
    "_speedup": QUOTIENT,
    "share": SHARE,
    "gain": EXCESS,
    "gain_predicted": EXCESS,
    "loss_predicted": EXCESS,
    "coll_predicted": EXCESS,
    "gen_predicted": EXCESS,
}
_MEASURED = ("wall_s", "cpu_s")

# Relative error of the simulated times of each part: a share, or shares below and above, as numbers or arrays over
# dimensions of it.
Errors = Mapping[str, Any]


@dataclass(frozen=True)
class Expression:
    """A checked expression.

    Args:
        text: The expression as written.
        tree: Its syntax tree, with nothing in it that is not allowed.
        parts: The parts that it names.
    """

    text: str
    tree: ast.expr
    parts: tuple[str, ...]

    def value(
        self, results: Mapping[str, xarray.Dataset], errors: Errors | None = None
    ) -> tuple[Value, list[str]]:
        """Evaluates it.

        Args:
            results: The results of at least the parts that it names.
            errors: Relative errors of the simulated times of parts; of the others, none.

        Returns:
            The value, and what was compared with what, in words.

        Raises:
            NoLabel: If a point is asked for that the results do not have.
            NoValue: If a value that is compared is missing (NaN).
            ConfigError: If the values do not fit the operations.
        """
        evaluation = _Evaluation(results, errors or {})
        with np.errstate(all="ignore"):
            try:
                value = over_seeds(evaluation.of(self.tree))
            except (NoLabel, NoValue, ConfigError):
                raise
            except (TypeError, ValueError, ArithmeticError, KeyError) as error:
                raise ConfigError(f"`{self.text}`: {error}") from None
        return value, evaluation.compared

    def truth(
        self, results: Mapping[str, xarray.Dataset], errors: Errors | None = None
    ) -> tuple[bool | None, list[str]]:
        """Evaluates a condition: true, false, or None if the error of the model decides it.

        Args:
            results: The dataset of each part, by name.
            errors: The relative error of the model for each part and quantity; None without errors.

        Returns:
            The truth, and remarks on values that decide it.

        Raises:
            ConfigError: If the values do not fit the operations, or the value is not one truth.
            NoLabel: If the results lack a point.
            NoValue: If a value that decides is missing.
        """
        value, compared = self.value(results, errors)
        truth = _one_truth(value, self.text)
        if isinstance(truth, Uncertain):
            return (bool(truth.low) if truth.low == truth.high else None), compared
        return bool(truth), compared


def parse(text: str, parts: Mapping[str, object]) -> Expression:
    """Reads an expression and checks that it holds nothing but what the language has.

    Args:
        text: The expression.
        parts: The names that it may use.

    Returns:
        The checked expression.

    Raises:
        ConfigError: Naming the piece that is not allowed.
    """
    if len(text) > _LONGEST:
        raise ConfigError(f"the expression has more than {_LONGEST} characters")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ConfigError(f"`{text}` is no expression: {getattr(error, 'msg', error)}") from None
    named = tuple(dict.fromkeys(_checked(tree, parts)))
    return Expression(text, tree, named)


def _checked(node: ast.AST, parts: Mapping[str, object]) -> Iterator[str]:
    """Goes through the tree; yields the parts that are named."""
    match node:
        case ast.Constant(value=bool() | int() | float() | str()):
            return
        case ast.Attribute(value=ast.Name(id=part)):
            if part not in parts:
                raise ConfigError(f"`{part}` is no part of the study; {suggestion(part, parts)}")
            if node.attr.startswith("_"):
                raise ConfigError(f"`{node.attr}` is no name of a result")
            yield part
            return
        case ast.Call(func=ast.Name(id=name)):
            if name not in FUNCTIONS:
                raise ConfigError(f"`{name}` is no function; {suggestion(name, FUNCTIONS)}")
            inside: list[ast.AST] = [*node.args, *(word.value for word in node.keywords)]
            if any(word.arg is None for word in node.keywords):
                raise ConfigError(f"`{ast.unparse(node)}`: ** is not allowed")
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            inside = [node.left, node.right]
        case ast.UnaryOp(op=ast.Not() | ast.USub()):
            inside = [node.operand]
        case ast.BoolOp():
            inside = list(node.values)
        case ast.Compare() if all(type(sign) in _SIGNS for sign in node.ops):
            inside = [node.left, *node.comparators]
        case ast.List() | ast.Tuple():
            inside = list(node.elts)
        case _:
            raise ConfigError(f"`{ast.unparse(node)}` is not allowed in a condition")
    for piece in inside:
        yield from _checked(piece, parts)


@dataclass
class _Evaluation:
    results: Mapping[str, Any]
    errors: Errors
    compared: list[str] = field(default_factory=list)

    def of(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant():
                # Whole numbers could be raised to powers without end.
                value = node.value
                return float(value) if type(value) is int else value
            case ast.Attribute(value=ast.Name(id=part)):
                return self._variable(part, node.attr)
            case ast.Call(func=ast.Name(id=name)):
                words = {str(word.arg): self.of(word.value) for word in node.keywords}
                return FUNCTIONS[name](*map(self.of, node.args), **words)
            case ast.BinOp():
                sides = over_seeds(self.of(node.left)), over_seeds(self.of(node.right))
                return calculated(_ARITHMETIC[type(node.op)], *sides)
            case ast.UnaryOp(op=ast.Not()):
                return negated(_one_truth(self.of(node.operand), ast.unparse(node.operand)))
            case ast.UnaryOp():
                return calculated(operator.mul, -1.0, over_seeds(self.of(node.operand)))
            case ast.BoolOp():
                # All operands are evaluated, so that the evidence is complete.
                truths = [_one_truth(self.of(entry), ast.unparse(entry)) for entry in node.values]
                return (conjunction if isinstance(node.op, ast.And) else disjunction)(truths)
            case ast.Compare():
                return self._compare(node)
            case ast.List() | ast.Tuple():
                return [self.of(entry) for entry in node.elts]
        raise ConfigError(f"`{ast.unparse(node)}` is not allowed in a condition")

    def _variable(self, part: str, name: str) -> Value:
        dataset = self.results[part]
        if name in dataset.variables:
            values = dataset[name]
            form = next((form for end, form in _FORMS.items() if name.endswith(end)), None)
            if form is None or name in _MEASURED:
                return values
            shares = as_shares(self.errors.get(part, 0.0))
            return form.with_error(values, shares.map(lambda share: _fitted(share, values)))
        if isinstance(dataset.attrs.get(name), int | float | np.number):
            return float(dataset.attrs[name])
        if name.startswith(tuple(dataset.attrs.get("later", ()))):
            raise NoValue(f"{part}.{name} is known after the runs")
        raise ConfigError(
            f"{part} has no `{name}`; {suggestion(name, map(str, dataset.variables))}"
        )

    def _compare(self, node: ast.Compare) -> Value:
        entries = (node.left, *node.comparators)
        values = [over_seeds(self.of(entry)) for entry in entries]
        texts = [ast.unparse(entry) for entry in entries]
        truths = []
        for index, sign in enumerate(node.ops):
            left, right = values[index], values[index + 1]
            for value, text in ((left, texts[index]), (right, texts[index + 1])):
                if has_missing(value):
                    raise NoValue(f"`{text}` has no value")
            name = _SIGNS[type(sign)]
            truths.append(compared(name, left, right))
            sides = (texts[index], left), (texts[index + 1], right)
            self.compared.append(_told(sides[0], name, sides[1], truths[-1]))
        return conjunction(truths)


def _fitted(share: Value, values: xarray.DataArray) -> Value:
    """Returns a share with the labels of the values: the largest where the share has none of its own."""
    beyond = [dim for dim in getattr(share, "dims", ()) if dim not in values.dims]
    if beyond:
        share = share.max(beyond)
    dims = getattr(share, "dims", ())
    if not dims:
        return float(share)
    return share.reindex({dim: values[dim] for dim in dims}).fillna(float(share.max()))


def shown(value: Value) -> str:
    """Returns a value as text with four digits, and its error if it has one.

    Arrays of up to eight entries are given in full.

    Args:
        value: A number, a truth, an array, or one of these with its error.
    """
    if isinstance(value, list):
        return ", ".join(map(shown, value))
    array = np.asarray(computed(value))
    if array.dtype.kind in "US" or array.dtype.kind == "O":
        return ", ".join(map(str, array.ravel()[:8]))
    if array.dtype.kind == "b":
        return ", ".join(map(_truth_text, _entries(value)[:8]))
    if array.size > 8:
        low, high = np.nanmin(array), np.nanmax(array)
        return f"{array.size} values in {low:.4g}..{high:.4g}"
    texts = [f"{entry:.4g}" for entry in array.ravel()]
    if isinstance(value, Uncertain) and array.size == 1:
        least, most = (float(np.asarray(bound).item()) for bound in (value.low, value.high))
        return f"{texts[0]} ({least:.4g}..{most:.4g})"
    return ", ".join(texts)


def _entries(truth: Value) -> list[bool | None]:
    """Returns truths one by one; None is undecided."""
    if not isinstance(truth, Uncertain):
        return [bool(entry) for entry in np.asarray(truth).ravel()]
    low, high = (np.asarray(bound).ravel() for bound in (truth.low, truth.high))
    return [bool(a) if a == b else None for a, b in zip(low, high, strict=True)]


def _truth_text(truth: bool | None) -> str:
    return "undecided" if truth is None else "yes" if truth else "no"


def _told(left: tuple[str, Value], sign: str, right: tuple[str, Value], truth: Value) -> str:
    """Returns one comparison in words: with both values, or with the number of entries that fulfil it."""
    sides = [
        text if text == shown(value) or not _is_computed(value) else f"{text} = {shown(value)}"
        for text, value in (left, right)
    ]
    entries = _entries(truth)
    if len(entries) == 1:
        return f"{sides[0]} {sign} {sides[1]}: {_truth_text(entries[0])}"
    open_ones = entries.count(None)
    undecided = f", {open_ones} undecided" if open_ones else ""
    return f"{sides[0]} {sign} {sides[1]}: {entries.count(True)} of {len(entries)}{undecided}"


def _is_computed(value: Value) -> bool:
    return not isinstance(value, float | str | list) or isinstance(value, np.floating)


def _one_truth(value: Value, text: str) -> Value:
    """Returns a truth with its bounds as plain values."""
    array = np.asarray(computed(value))
    if array.size != 1 or array.dtype.kind != "b":
        what = "an array" if array.size != 1 else "a number or text"
        raise ConfigError(f"`{text}` is {what}, not one truth value; use all(...) or any(...)")
    return carried(lambda truth: bool(np.asarray(truth).item()), value)
