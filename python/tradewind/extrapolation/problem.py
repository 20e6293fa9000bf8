"""The size of the problem: numbers with names of their own, such as the points of the domain, on which formulas depend."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from tradewind.errors import ConfigError
from tradewind.extrapolation.formula import FUNCTIONS
from tradewind.files import shortened

Problem = Mapping[str, int]

_NAME = re.compile(r"[A-Za-z_]\w*")
# Names that have a meaning in the formulas of calls, beside the number of ranks and the turn of a loop.
NAMES_OF_CALLS = (
    *("rank", "x", "y", "z", "nx", "ny", "nz", "j", "m", "inside"),
    *("peer", "peer_x", "peer_y", "peer_z", "weight"),
)
# Words that stand before traces, too.
GRAPH, PARTITION = "graph", "partition"
_RESERVED = frozenset(("P", "k", GRAPH, PARTITION, *NAMES_OF_CALLS, *FUNCTIONS))
_LARGEST = 2**53


def read_problem(words: str) -> dict[str, int]:
    """Reads sizes as they are given on the command line and in experiments.

    Args:
        words: Such as `"columns=730, levels=20"`.

    Raises:
        ConfigError: If a name is none or has another meaning, or a value is no whole number from 1 on.
    """
    problem: dict[str, int] = {}
    for entry in words.split(","):
        name, equals, value = (one.strip() for one in entry.partition("="))
        if not equals or not _NAME.fullmatch(name):
            raise ConfigError(
                f"problem size {shortened(repr(entry.strip()))}: expected NAME=NUMBER"
            )
        _check_name(name)
        if name in problem:
            raise ConfigError(f"problem size {name}: is given twice")
        if not value.isdecimal() or not 1 <= int(value) <= _LARGEST:
            raise ConfigError(f"problem size {name} = {value}: expected a whole number from 1 on")
        problem[name] = int(value)
    return problem


def _check_name(name: str) -> None:
    if name in _RESERVED:
        raise ConfigError(f"problem size {name}: the name has another meaning in formulas")


def problem_text(problem: Problem) -> str:
    """Writes sizes as `read_problem` reads them."""
    return ", ".join(f"{name}={value}" for name, value in problem.items())


def varied(problems: Sequence[Problem]) -> list[dict[str, int]]:
    """Returns the sizes of each recording without those that are equal in all.

    Raises:
        ConfigError: If the recordings have sizes of other names, or one has another meaning in formulas.
    """
    names = list(problems[0])
    for problem in problems:
        if set(problem) != set(names):
            has, wants = (", ".join(sorted(one)) or "none" for one in (problem, names))
            raise ConfigError(
                f"problem sizes: one recording has {has}, another {wants}; expected the same names"
            )
    for name in names:
        _check_name(name)
    several = [name for name in names if len({problem[name] for problem in problems}) > 1]
    return [{name: problem[name] for name in several} for problem in problems]
