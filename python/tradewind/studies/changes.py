"""Changes of the tables of an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def merged(tables: Mapping[str, Any], changes: Mapping[str, Any]) -> dict[str, Any]:
    """Returns tables with changes put in, at any depth.

    Args:
        tables: Values and tables by key.
        changes: Those that differ or are new.
    """
    result = dict(tables)
    for key, value in changes.items():
        is_table = isinstance(value, Mapping)
        result[key] = merged(dict(result.get(key, {})), value) if is_table else value
    return result
