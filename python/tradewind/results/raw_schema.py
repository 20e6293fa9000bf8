"""The check that a result that was read from a file has all entries, of the right types."""

from __future__ import annotations

import typing
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Any, NotRequired, get_args, get_origin

import numpy as np

from tradewind import core

# Checkers of types know them only; here they are needed as classes.
_NAMES = {**vars(core), "Array": np.ndarray}


def faults(raw: object, kind: type = core.RawRun, path: str = "result") -> Iterator[str]:
    """Yields what does not fit in a result.

    Args:
        raw: What was read.
        kind: The typed dict that it must be.
        path: Where it is, for messages.
    """
    if not isinstance(raw, Mapping):
        yield f"{path} is no table"
        return
    for key, hint in _hints(kind).items():
        is_optional = get_origin(hint) is NotRequired
        if key in raw:
            inner = get_args(hint)[0] if is_optional else hint
            yield from _faults(raw[key], inner, f"{path}.{key}")
        elif not is_optional:
            yield f"{path}.{key} is missing"


@cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind, _NAMES, _NAMES, include_extras=True)


def _faults(value: object, hint: Any, path: str) -> Iterator[str]:
    origin, inner = get_origin(hint), get_args(hint)
    if typing.is_typeddict(hint):
        yield from faults(value, hint, path)
    elif origin is dict:
        if not isinstance(value, Mapping):
            yield f"{path} is no table"
            return
        for key, entry in value.items():
            yield from _faults(entry, inner[1], f"{path}.{key}")
    elif origin in (list, Sequence):
        if not isinstance(value, list | tuple):
            yield f"{path} is no list"
            return
        for index, entry in enumerate(value):
            yield from _faults(entry, inner[0], f"{path}[{index}]")
    elif not _is(value, hint):
        yield f"{path} is no {hint.__name__}"


def _is(value: object, kind: type) -> bool:
    if isinstance(value, bool):
        return kind is bool
    return isinstance(value, int | float) if kind is float else isinstance(value, kind)
