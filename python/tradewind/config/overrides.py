"""Changing single keys of an experiment: `--set a.b=c`, keyword arguments, and the sweep."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tradewind.config import keys
from tradewind.errors import ConfigError, suggestion
from tradewind.files import DEEPEST, toml_value

Raw = dict[str, Any]

# An entry of a list of tables, such as "phase[0]".
# More names than this say nothing in a message.
_MOST_NAMES = 12
_NUMBERED = re.compile(r"\[(\d+)\]")


def parse_assignments(assignments: Iterable[str]) -> dict[str, Any]:
    """Reads `key=value` texts; a value is TOML, or else a text.

    Raises:
        ConfigError: If one has no "=" or no key.
    """
    values: dict[str, Any] = {}
    for assignment in assignments:
        key, sign, text = assignment.partition("=")
        if not sign or not key.strip():
            raise ConfigError(
                f'--set {assignment}: expected key=value, such as "program.ranks=100"'
            )
        values[key.strip()] = toml_value(text.strip(), f"--set {key.strip()}")
    return values


def keyword_overrides(arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Turns keyword arguments such as `threads=2` into dotted keys.

    Raises:
        ConfigError: If there is no such keyword.
    """
    known = {name: f"simulation.{name}" for name in keys.sections()["simulation"]} | {
        "ranks": "program.ranks"
    }
    for name in arguments:
        if name not in known:
            raise ConfigError(f"{name} is no keyword of simulate; {suggestion(name, known)}")
    return {known[name]: value for name, value in arguments.items() if value is not None}


def path_of(dotted: str) -> tuple[str, ...]:
    """Splits a dotted key into its parts, of which some may be quoted, or numbers in brackets.

    Raises:
        ConfigError: If they are more than tables may be nested.
    """
    named = _NUMBERED.sub(r".\1", dotted)
    parts = tuple(part.strip().strip("\"'") for part in named.split("."))
    if len(parts) > DEEPEST:
        raise ConfigError(
            f"{dotted[:40]}...: {len(parts)} parts of a key, expected at most {DEEPEST}"
        )
    return parts


def value_of(raw: Raw, dotted: str) -> object:
    """Returns the value of a key in tables of tables, or None if it has none."""
    value: object = raw
    for part in path_of(dotted):
        if isinstance(value, list):
            value = _entry(value, part, dotted)
        else:
            value = value.get(part) if isinstance(value, dict) else None
    return value


def _entry(entries: list[Any], part: str, dotted: str) -> dict[str, Any]:
    """Returns the table of a list that a number from 0, a `name` or a `kind` picks."""
    tables = [entry for entry in entries if isinstance(entry, dict)]
    found = [entry for entry in tables if entry.get("name", entry.get("kind")) == part]
    if part.isdecimal():
        found = tables[int(part) : int(part) + 1]
    if len(found) != 1:
        what = "is that of several" if found else "is none"
        names = [str(entry.get("name", entry.get("kind"))) for entry in tables]
        known = f" ({', '.join(dict.fromkeys(names))})" if 0 < len(names) <= _MOST_NAMES else ""
        raise ConfigError(
            f"{dotted}: {part} {what} of the {len(entries)} tables; expected a number from 0 or a "
            f"name{known}"
        )
    return found[0]


def with_value(raw: Raw, dotted: str, value: object) -> None:
    """Sets one key in place, and makes a table of a short form ("routing = ...") on the way."""
    *parents, last = path_of(dotted)
    table: Any = raw
    for part in parents:
        if isinstance(table, list):
            table = _entry(table, part, dotted)
            continue
        below = table.get(part, {})
        if isinstance(below, str):
            below = {"name": below}
        if isinstance(below, list):
            table = below
            continue
        if not isinstance(below, dict):
            raise ConfigError(f"{dotted}: {part} is no table")
        table[part] = below
        table = below
    if isinstance(table, list):
        raise ConfigError(f"{dotted}: expected a key of one of the {len(table)} tables")
    table[last] = copy.deepcopy(value)


def with_overrides(raw: Raw, values: Mapping[str, Any]) -> Raw:
    """Copies an experiment and sets some keys; a key that was swept is swept no more.

    Args:
        raw: The tables of the experiment.
        values: Dotted keys; one that starts with "sweep." names a swept key.
    """
    result = copy.deepcopy(raw)
    for dotted, value in values.items():
        if dotted.startswith("sweep."):
            swept = ".".join(path_of(dotted.removeprefix("sweep.")))
            result.setdefault("sweep", {})[swept] = value
            continue
        with_value(result, dotted, value)
        sweep = result.get("sweep")
        if isinstance(sweep, dict):
            sweep.pop(".".join(path_of(dotted)), None)
    return result
