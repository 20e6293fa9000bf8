"""Extrapolation: the rule behind recordings of a program, for any number of ranks."""

from tradewind.extrapolation.compare import first_difference
from tradewind.extrapolation.computation import Computation, compared_computation
from tradewind.extrapolation.consistency import expand_for_replay
from tradewind.extrapolation.discover import discover
from tradewind.extrapolation.expand import expand
from tradewind.extrapolation.pattern import (
    Pattern,
    calls_in,
    has_graph,
    is_pattern,
    load_pattern,
    pattern_text,
)
from tradewind.extrapolation.problem import problem_text, read_problem

__all__ = [
    "Computation",
    "Pattern",
    "calls_in",
    "compared_computation",
    "discover",
    "expand",
    "expand_for_replay",
    "first_difference",
    "has_graph",
    "is_pattern",
    "load_pattern",
    "pattern_text",
    "problem_text",
    "read_problem",
]
