"""Strict reading of TOML tables: every key is known, has a type, a unit and a range."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Set
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tradewind.errors import ConfigError, suggestion
from tradewind.units import Dimension, quantity_text

Value = bool | int | float | str | list[int]
Section = dict[str, Value]


@dataclass(frozen=True)
class Where:
    """The place that an error message names.

    Args:
        source: The file, or what stands for it.
        path: Dotted name of the table.
        overridden: Dotted keys that came from the command line instead of the file.
    """

    source: str
    path: str = ""
    overridden: Set[str] = frozenset()

    def inside(self, key: str) -> Where:
        """Returns the place of a table inside this one."""
        return Where(self.source, self._dotted(key), self.overridden)

    def error(self, key: str, value: object, expected: str) -> ConfigError:
        """Makes a one-line error for `key` of this table.

        `value` is left out if it is `...`, or the lines of a file that stand in the place of its name.
        """
        dotted = self._dotted(key)
        is_content = isinstance(value, str) and value.endswith("\n")
        given = "" if value is ... or is_content else f" = {written(value)}"
        return ConfigError(f"{self._origin(dotted)}: {dotted}{given}: {expected}")

    def _dotted(self, key: str) -> str:
        return f"{self.path}.{key}" if self.path else key

    def _origin(self, dotted: str) -> str:
        for key in self.overridden:
            if dotted == key or dotted.startswith(key + ".") or key.startswith(dotted + "."):
                return f"{self.source} (overridden)"
        return self.source


def written(value: object) -> str:
    """Writes a value as one would write it into the file, on one line and not too long."""
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "..."


@dataclass(frozen=True)
class Key:
    """The values that one key accepts.

    Args:
        kind: A dimension for quantities, or bool, int, float, str, or list (of whole numbers).
        default: Value in base units where the key is absent; None leaves it out.
        low: Smallest allowed number (of each entry, for lists), in base units.
        high: Largest allowed number, in base units.
        choices: The allowed texts, empty if any will do.
        words: Texts that stand for a number, such as "auto" for 0.
        length: Allowed length of a list.
        required: True if the table is wrong without it.
        meaning: What it is, in a few words.
        is_file: True if the text is the path of a file.
        acts: The piece of the model in which it acts; empty if that is the same for its table.
    """

    kind: Dimension | type
    default: Value | None = None
    low: float = 0
    high: float = 2**62
    choices: tuple[str, ...] = ()
    words: Mapping[str, int] = field(default_factory=dict)
    length: tuple[int, int] = (1, 8)
    required: bool = False
    meaning: str = ""
    is_file: bool = False
    acts: str = ""

    @property
    def without(self) -> tuple[str, str]:
        """The meaning, and what holds where the key is absent and has no default: "" if unsaid."""
        for mark in ("; none: ", "; default: "):
            if mark in self.meaning:
                meaning, _, otherwise = self.meaning.partition(mark)
                return meaning, otherwise
        return self.meaning, ""

    def read(self, value: object) -> Value:
        """Checks a value and converts it to base units.

        Raises:
            ConfigError: With what was expected; the caller adds the place.
        """
        if isinstance(value, str) and value in self.words:
            return self.words[value]
        if isinstance(self.kind, Dimension):
            return self._quantity(self.kind, value)
        if self.kind is str:
            return self._text(value)
        if self.kind is list:
            return self._list(value)
        if self.kind is bool:
            if not isinstance(value, bool):
                raise ConfigError("expected true or false")
            return value
        return self._number(value)

    def plain(self, value: object, unit: str) -> Value:
        """Checks a plain number whose unit stands in the name of the key."""
        if not isinstance(self.kind, Dimension):
            raise TypeError("only quantities have units")
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError("expected a plain number, since the key names the unit")
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError("expected a finite number")
        return self._ranged(self.kind.scaled(Fraction(value), unit))

    def _quantity(self, dimension: Dimension, value: object) -> Value:
        also = f' or "{next(iter(self.words))}"' if self.words else ""
        if isinstance(value, str):
            try:
                number = dimension.parse(value)
            except ConfigError as error:
                raise ConfigError(f"{error}{also}") from None
            return self._ranged(number)
        raise ConfigError(
            f'expected a {dimension.name} with its unit, such as "{dimension.example}"{also}'
        )

    def _text(self, value: object) -> str:
        if not isinstance(value, str):
            raise ConfigError("expected a quoted string")
        if self.choices and value not in self.choices:
            raise ConfigError(suggestion(value, self.choices))
        return value

    @property
    def takes_truths(self) -> bool:
        """True if its list is of truth values, which are 0 and 1 in base units."""
        return self.kind is list and (self.low, self.high) == (0, 1)

    def _list(self, value: object) -> list[int]:
        shortest, longest = self.length
        wanted = str(shortest) if shortest == longest else f"{shortest} to {longest}"
        if self.takes_truths:
            if not isinstance(value, list) or any(type(entry) is not bool for entry in value):
                raise ConfigError(f"expected a list of {wanted} of true and false")
            value = [int(entry) for entry in value]
        if not isinstance(value, list) or any(type(entry) is not int for entry in value):
            raise ConfigError(f"expected a list of {wanted} whole numbers")
        if not shortest <= len(value) <= longest:
            raise ConfigError(f"expected {wanted} numbers, not {len(value)}")
        for entry in value:
            self._ranged(entry)
        return list(value)

    def _number(self, value: object) -> int | float:
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise ConfigError(
                "expected a whole number" if self.kind is int else "expected a number"
            )
        if self.kind is int and not isinstance(value, int):
            raise ConfigError("expected a whole number")
        ranged = self._ranged(value)
        return ranged if self.kind is int else float(ranged)

    def _ranged(self, value: float) -> int | float:
        if not value >= self.low:
            raise ConfigError(f"expected at least {self._bound_text(self.low)}")
        if not value <= self.high:
            raise ConfigError(f"expected at most {self._bound_text(self.high)}")
        return value

    def _bound_text(self, limit: float) -> str:
        """Writes a limit with a unit that people use."""
        if isinstance(self.kind, Dimension):
            return quantity_text(self.kind, limit)
        return _bound(limit)


def _bound(limit: float) -> str:
    """Writes a limit: whole numbers in full."""
    return str(int(limit)) if float(limit).is_integer() and abs(limit) < 1e15 else f"{limit:g}"


Table = dict[str, Key]


def read_table(raw: object, table: Table, where: Where) -> Section:
    """Reads the keys that are present, in base units.

    Args:
        raw: The table as TOML gave it.
        table: What its keys accept.
        where: Its place, for messages.

    Returns:
        Values under the plain name of each key (without a unit).

    Raises:
        ConfigError: Naming file, key, value and what is allowed.
    """
    section: Section = {}
    for given, value in as_table(raw, where).items():
        name, unit = _known(given, table)
        if name is None:
            raise where.error(given, value, f"unknown key; {suggestion(given, table)}")
        if name in section:
            raise where.error(given, value, f'"{name}" is given twice')
        try:
            section[name] = table[name].plain(value, unit) if unit else table[name].read(value)
        except ConfigError as error:
            raise where.error(given, value, str(error)) from None
    return section


def as_table(raw: object, where: Where) -> Mapping[str, Any]:
    """Returns the raw value itself, if it is a table.

    Raises:
        ConfigError: If it is anything else.
    """
    if not isinstance(raw, Mapping):
        raise ConfigError(f"{where.source}: {where.path} = {written(raw)}: expected a table")
    return raw


def complete(section: Section, table: Table, where: Where) -> Section:
    """Adds the defaults of absent keys.

    Raises:
        ConfigError: If a required key is absent.
    """
    whole: Section = {}
    for name, key in table.items():
        if name in section:
            whole[name] = section[name]
        elif key.required:
            example = f', such as "{key.kind.example}"' if isinstance(key.kind, Dimension) else ""
            raise where.error(name, ..., f"is missing{example}")
        elif key.default is not None:
            whole[name] = key.default
    return whole


def key_name(given: str, table: Table) -> str | None:
    """Returns the plain name of a key that may end in a unit; None if it is unknown."""
    return _known(given, table)[0]


def _known(given: str, table: Table) -> tuple[str | None, str]:
    """Returns the name of the key and, where it names its unit, that unit."""
    if given in table:
        return given, ""
    for name, key in table.items():
        if isinstance(key.kind, Dimension) and given.startswith(name + "_"):
            unit = key.kind.suffixes.get(given[len(name) + 1 :])
            if unit is not None:
                return name, unit
    return None, ""
