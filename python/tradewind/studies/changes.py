"""Changes of the tables of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tradewind.errors import ConfigError


def merged(tables: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns tables with changes put in, at any depth.

    Args:
        tables: Values and tables by key.
        changes: Those that differ or are new.

    Raises:
        ConfigError: If a value stands where the changes have a table.
    """
    result = dict(tables)
    for key, value in changes.items():
        if not isinstance(value, Mapping):
            result[key] = value
            continue
        inner = result.get(key, {})
        if not isinstance(inner, Mapping):
            raise ConfigError(f"{key} = {inner!r}: expected a table")
        result[key] = merged(inner, value)
    return result
