"""JSON records with a schema and a checksum: what was damaged since it was written is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tradewind.errors import ConfigError
from tradewind.files import load_json

_SCHEMA, _CHECKSUM = "schema", "sha256"


class DamagedError(ConfigError):
    """A file of results that is not what was written; the message names it."""


def damaged(path: Path, reason: str) -> DamagedError:
    """Makes the error for a file.

    Args:
        path: The file.
        reason: What is wrong with it.
    """
    return DamagedError(f"{path}: damaged: {reason}")


def sealed(record: Mapping[str, Any], schema: str) -> str:
    """Returns a record as JSON text, with its schema and the checksum of all values.

    Args:
        record: Values for JSON; others are written as texts.
        schema: The name and number of what it holds, such as "run 2".
    """
    # Keys and values are those of the file: a number as a key is a text there.
    values = json.loads(json.dumps({_SCHEMA: schema, **record}, default=str))
    return json.dumps({**values, _CHECKSUM: _checksum(values)}, indent=1) + "\n"


def read_sealed(path: Path, schema: str) -> dict[str, Any]:
    """Reads what `sealed` has written.

    Args:
        path: The file.
        schema: The expected schema.

    Raises:
        DamagedError: If anything in it has changed, or it has another schema.
        ConfigError: If it cannot be opened.
    """
    return checked(load_record(path), path, schema)


def checked(record: Mapping[str, Any], path: Path, schema: str) -> dict[str, Any]:
    """Returns the values of a record without its seal.

    Args:
        record: What `load_record` has read.
        path: Where, for messages.
        schema: The expected schema.

    Raises:
        DamagedError: If anything in it has changed, or it has another schema.
    """
    values = dict(record)
    if values.pop(_CHECKSUM, None) != _checksum(values):
        raise damaged(path, "its checksum is wrong")
    if values.pop(_SCHEMA, None) != schema:
        raise damaged(path, f'expected the schema "{schema}"')
    return values


def load_record(path: Path) -> dict[str, Any]:
    """Reads a table of JSON, sealed or not.

    Raises:
        DamagedError: If it is none.
        ConfigError: If it cannot be opened.
    """
    try:
        record = load_json(path)
    except ConfigError as error:
        if not path.is_file():
            raise
        raise DamagedError(f"{error}; it is damaged") from None
    if not isinstance(record, dict):
        raise damaged(path, "expected a table")
    return record


def is_sealed(record: Mapping[str, Any]) -> bool:
    """Returns whether a record has a schema or a checksum; those of earlier days have neither."""
    return _SCHEMA in record or _CHECKSUM in record


def _checksum(values: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
