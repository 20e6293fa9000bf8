"""Damages input files: as trees of tables and lists, and byte by byte.

A mutation may know that what it makes must be refused; then an input that is accepted is a fault as well.
"""

from __future__ import annotations

import copy
import datetime
import json
import math
import random
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

# The place of a value in a tree: the table or list that holds it, and its key or index there.
Place = tuple[Any, Any]

UNKNOWN_KEY = "surely_unknown"

_NUMBERS: tuple[int | float, ...] = (
    *(0, 1, -1, 2, 3, 7, 255, 1000, 4096, 65537, 10**6, 2**31 - 1, 2**31, 2**32, 2**62, 2**63 - 1),
    *(-(2**63), 2**64, 10**30, 10**400, 0.0, -0.0, 0.5, 1e-320, 1e300, -1e300),
    *(math.inf, -math.inf, math.nan),
)
_TEXTS = (
    *("", " ", "a\0b", "\n", "é", "\U0001f600", "x" * 10_000, "[red]", "%s", "{}", "..", "no such"),
    *("tuned", "auto", "default", "true", "1", "1 s", "0 ns", "-1 ns", "1e400 B", "1e9999999 s"),
    *(
        "1e-400 GB/s",
        "nan s",
        "inf B",
        "9" * 400 + " s",
        "1 parsec",
        "(0,6)",
        "a.b.c",
        "a" + ".a" * 200,
    ),
)
_OTHERS: tuple[Any, ...] = (
    True,
    False,
    [],
    {},
    [[]],
    [{}],
    [0],
    [1, "a"],
    datetime.date(2000, 1, 1),
)
_DEPTHS = (40, 90, 1000, 20_000)


@dataclass(frozen=True)
class Mutant:
    """A damaged file.

    Args:
        content: Its bytes.
        must_fail: Whether a program that accepts it is wrong.
        story: What was done, for people.
    """

    content: bytes
    must_fail: bool
    story: str


def mutate_text(
    content: bytes, others: list[bytes], ending: str, rng: random.Random, *, is_strict: bool
) -> Mutant:
    """Damages a TOML or JSON file.

    Args:
        content: The file.
        others: Files of the same kind, of which parts may be taken.
        ending: "toml" or "json".
        rng: All that is random.
        is_strict: Whether unknown keys of the highest level must be refused.
    """
    if rng.random() < 0.3:
        return _with_oracle(_damaged(content, rng), ending, "bytes")
    load = tomllib.loads if ending == "toml" else json.loads
    tree: Any = load(content.decode())
    other: Any = load(rng.choice(others).decode())
    stories, must_fail = [], False
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        change = rng.choice(_CHANGES)
        sure = change(tree, other, rng)
        if sure is None:
            continue
        must_fail = sure and is_strict
        stories.append(change.__name__.strip("_"))
        if must_fail:
            break
    story = ", ".join(stories) or "nothing"
    if rng.random() < 0.03:
        return Mutant(_deep(ending, rng), True, "deep")
    text = toml_text(tree) if ending == "toml" else json.dumps(tree, default=str)
    return Mutant(text.encode("utf-8", "surrogatepass"), must_fail, story)


def mutate_binary(content: bytes, rng: random.Random) -> Mutant:
    """Damages a file of any kind byte by byte; readers may well not see it."""
    return Mutant(_damaged(content, rng), False, "bytes")


def toml_text(tree: dict[str, Any]) -> str:
    """Writes tables as TOML, everything below the highest level inline."""
    return "".join(f"{json.dumps(str(key))} = {_toml_value(tree[key])}\n" for key in tree)


def _toml_value(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(value)
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, dict):
        inside = (f"{json.dumps(str(key))} = {_toml_value(entry)}" for key, entry in value.items())
        return "{" + ", ".join(inside) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml_value, value)) + "]"
    return str(value)


def _deep(ending: str, rng: random.Random) -> bytes:
    depth = rng.choice(_DEPTHS)
    if ending == "json":
        start, end = rng.choice((("[", "]"), ('{"a": ', "}")))
        return (start * depth + "1" + end * depth).encode()
    keys = ".".join("a" * min(depth, 1000))
    return rng.choice(
        (
            "a = " + "[" * depth + "]" * depth,
            "a = " + "{b = " * depth + "1" + "}" * depth,
            f"{keys} = 1",
            f"[{keys}]",
        )
    ).encode()


def _with_oracle(content: bytes, ending: str, story: str) -> Mutant:
    """Returns the mutant of a content, which must be refused if the parser refuses it."""
    try:
        (tomllib.loads if ending == "toml" else json.loads)(content.decode("utf-8"))
    except (ValueError, RecursionError):
        return Mutant(content, True, f"{story}, unreadable")
    return Mutant(content, False, story)


def _damaged(content: bytes, rng: random.Random) -> bytes:
    data = bytearray(content)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        begin = rng.randrange(len(data) + 1)
        length = rng.choice((1, 1, 2, 8, 100, 5000))
        kind = rng.randrange(6)
        if kind == 0 and data:
            at = min(begin, len(data) - 1)
            data[at] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[begin : begin + length]
        elif kind == 2:
            data[begin:begin] = rng.randbytes(min(length, 100))
        elif kind == 3:
            data[begin:begin] = data[begin : begin + length]
        elif kind == 4:
            data[begin : begin + 1] = rng.choice(b"\0\n\"'[]{}=.,#\\-+0e\xff").to_bytes()
        else:
            del data[begin:]
    return bytes(data)


def _places(tree: Any) -> Iterator[Place]:
    entries = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, value in list(entries):
        yield tree, key
        if isinstance(value, dict | list):
            yield from _places(value)


def _any_place(tree: Any, rng: random.Random) -> Place | None:
    places = list(_places(tree)) if isinstance(tree, dict | list) else []
    return rng.choice(places) if places else None


# Each changes the tree and returns whether the result must be refused; None if it found no place.
_Change = Callable[[Any, Any, random.Random], bool | None]


def _replace(tree: Any, other: Any, rng: random.Random) -> bool | None:
    place = _any_place(tree, rng)
    if place is None:
        return None
    # A copy: other changes may be made inside it.
    place[0][place[1]] = copy.deepcopy(rng.choice(rng.choice((_NUMBERS, _TEXTS, _OTHERS))))
    return False


def _scale(tree: Any, other: Any, rng: random.Random) -> bool | None:
    numbers = [
        (holder, key)
        for holder, key in _places(tree)
        if isinstance(holder[key], int | float) and not isinstance(holder[key], bool)
    ]
    if not numbers:
        return None
    holder, key = rng.choice(numbers)
    factor, more = rng.choice((-1, 1, 2, 10, 1000, 2**20)), rng.choice((-1, 0, 1))
    holder[key] = holder[key] * factor + more
    return False


def _quantity(tree: Any, other: Any, rng: random.Random) -> bool | None:
    texts = [(holder, key) for holder, key in _places(tree) if isinstance(holder[key], str)]
    if not texts:
        return None
    holder, key = rng.choice(texts)
    words = holder[key].split(" ") or [""]
    numbers = (
        "0",
        "-1",
        "1e3",
        "1e30",
        "1e-30",
        "1e4000",
        "1e-4000",
        "nan",
        "",
        "1_000",
        ".5",
        "٣",
    )
    words[0] = rng.choice(numbers)
    holder[key] = " ".join(words)
    return False


def _remove(tree: Any, other: Any, rng: random.Random) -> bool | None:
    place = _any_place(tree, rng)
    if place is None:
        return None
    del place[0][place[1]]
    return False


def _transplant(tree: Any, other: Any, rng: random.Random) -> bool | None:
    place, source = _any_place(tree, rng), _any_place(other, rng)
    if place is None or source is None:
        return None
    key = source[1] if isinstance(place[0], dict) and isinstance(source[1], str) else place[1]
    # A copy: a table put into itself would have no end.
    place[0][key] = json.loads(json.dumps(source[0][source[1]], default=str))
    return False


def _wrap(tree: Any, other: Any, rng: random.Random) -> bool | None:
    place = _any_place(tree, rng)
    if place is None:
        return None
    holder, key = place
    value = holder[key]
    holder[key] = rng.choice(([value], [value, value], {"name": value}, {"a": {"b": value}}))
    return False


def _repeat(tree: Any, other: Any, rng: random.Random) -> bool | None:
    lists = [holder[key] for holder, key in _places(tree) if isinstance(holder[key], list)]
    if not lists:
        return None
    chosen = rng.choice(lists)
    chosen += chosen * rng.choice((1, 1, 20))
    return False


def _rename(tree: Any, other: Any, rng: random.Random) -> bool | None:
    tables = [(holder, key) for holder, key in _places(tree) if isinstance(key, str)]
    if not tables:
        return None
    holder, key = rng.choice(tables)
    new = rng.choice((key[:-1], key + "_ns", key.upper(), f"{key}.{key}", "", "é", key + "\0"))
    holder[new] = holder.pop(key)
    return False


def _unknown(tree: Any, other: Any, rng: random.Random) -> bool | None:
    """No file may have tables of any name; the programs know all that they read."""
    if not isinstance(tree, dict):
        return None
    tree[UNKNOWN_KEY] = rng.choice((1, "a", [], {}, {"b": 1}))
    return True


_CHANGES: tuple[_Change, ...] = (
    *(_replace, _replace, _replace, _replace, _scale, _scale, _quantity, _quantity),
    *(_remove, _transplant, _transplant, _wrap, _repeat, _rename, _unknown),
)
