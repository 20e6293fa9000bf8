"""Values as people write them in Python, made plain: numpy, tuples, ranges, paths, machines."""

from __future__ import annotations

import numbers
import os
from collections.abc import Mapping
from typing import Any

from tradewind.errors import ConfigError
from tradewind.files import DEEPEST


def plain(value: Any, source: str, depth: int = 0) -> Any:
    """Returns a value as TOML would have it: numbers, texts, lists and tables of Python.

    Args:
        value: Anything; numpy numbers and arrays, tuples, ranges, paths and machines included.
        source: Where it comes from, for messages.
        depth: The number of tables and lists around it.

    Raises:
        ConfigError: If it is of a kind that no setting has, or nested too deeply.
    """
    if depth > DEEPEST:
        raise ConfigError(f"{source}: lists and tables are nested more than {DEEPEST} deep")
    if value is None or isinstance(value, bool | str):
        return str(value) if isinstance(value, str) else value
    if isinstance(value, numbers.Integral):
        return int(value)
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, Mapping):
        return {
            _key(key, source): plain(one, f"{source}{'.' if depth else ': '}{key}", depth + 1)
            for key, one in value.items()
        }
    if isinstance(value, list | tuple | range):
        return [plain(one, source, depth + 1) for one in value]
    for method in ("to_table", "tolist", "to_list"):
        convert = getattr(value, method, None)
        if callable(convert):
            return plain(convert(), source, depth + 1)
    if hasattr(value, "__array__"):
        return plain(value.__array__(), source, depth + 1)
    raise ConfigError(
        f"{source}: {type(value).__name__} {str(value)[:40]!r} is no value of a setting; expected a "
        "number, text, list, table, path, or an array of numpy"
    )


def _key(key: object, source: str) -> str:
    if not isinstance(key, str):
        raise ConfigError(f"{source}: the key {key!r} of a table is no text")
    return str(key)
