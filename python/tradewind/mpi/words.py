"""Settings as words of a command line, as `tradewind-mpi` reads them."""

from __future__ import annotations

from collections.abc import Mapping


def words_of(spec: Mapping[str, Mapping[str, object]]) -> list[str]:
    """Returns one `section.key=value` for each setting of an experiment in base units."""
    return [f"{section}.{word}" for section, table in spec.items() for word in setting_words(table)]


def setting_words(table: Mapping[str, object]) -> list[str]:
    """Returns one `key=value` for each setting, without loss."""
    return [f"{key}={_text(value)}" for key, value in table.items()]


def _text(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        return "[" + ",".join(str(entry) for entry in value) + "]"
    return repr(value) if isinstance(value, float) else str(value)
