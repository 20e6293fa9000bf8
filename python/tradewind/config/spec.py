"""A resolved run: typed parts with their settings in base units, which the core simulates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, Self

from tradewind.config.data_file import content_of
from tradewind.config.given import plain
from tradewind.config.schema import Section, Value

# The parts as plain tables of tables: what the core and JSON want.
Tables = dict[str, Section]

_WITHOUT_EFFECT = (("simulation", "threads"), ("simulation", "memory_limit"))


@dataclass(frozen=True, eq=False)
class Settings(Mapping[str, Value]):
    """The settings of one part of a run: a mapping that cannot be changed.

    Args:
        table: What was set or has a default, by key, in base units (ps, bytes, bytes/s, flop/s).
    """

    table: Mapping[str, Value]

    def __getitem__(self, key: str) -> Value:
        """Returns the value of a key.

        Raises:
            KeyError: If it was not set and has no default.
        """
        return self.table[key]

    def __iter__(self) -> Iterator[str]:
        """Goes over the keys in the order of their declaration, or of the file."""
        return iter(self.table)

    def __len__(self) -> int:
        """Returns the number of settings."""
        return len(self.table)

    def whole(self, key: str) -> int:
        """Returns the value of a key that takes whole numbers.

        Raises:
            KeyError: If it was not set and has no default.
            TypeError: If it is of another kind.
        """
        value = self.table[key]
        if isinstance(value, bool) or not isinstance(value, int):
            raise TypeError(f"{key} = {value!r} is no whole number")
        return value

    def number(self, key: str) -> float:
        """Returns the value of a key that takes numbers.

        Raises:
            KeyError: If it was not set and has no default.
            TypeError: If it is of another kind.
        """
        value = self.table[key]
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise TypeError(f"{key} = {value!r} is no number")
        return float(value)

    def text(self, key: str) -> str:
        """Returns the value of a key that takes texts.

        Raises:
            KeyError: If it was not set and has no default.
            TypeError: If it is of another kind.
        """
        value = self.table[key]
        if not isinstance(value, str):
            raise TypeError(f"{key} = {value!r} is no text")
        return value

    def changed(self, **values: Any) -> Self:
        """Returns the settings with other values for some keys, in base units."""
        return type(self)({**self.table, **plain(values, "settings")})


class Named(Settings):
    """Settings of a part that comes in several kinds: a topology, a routing rule or a program."""

    @property
    def name(self) -> str:
        """The kind of the part."""
        return self.text("name")


class Program(Named):
    """The program, and the algorithm that it uses."""

    @property
    def ranks(self) -> int:
        """The number of simulated ranks."""
        return self.whole("ranks")


class Placement(Settings):
    """The placement of ranks on nodes."""

    @property
    def rule(self) -> str:
        """The rule that places the ranks."""
        return self.text("rule")


class Simulation(Settings):
    """The settings of a simulation and of its records."""

    @property
    def network(self) -> str:
        """The network model: packet, packet_unbounded or analytic."""
        return self.text("network")

    @property
    def threads(self) -> int:
        """The number of threads that simulate."""
        return self.whole("threads")

    @property
    def memory_limit(self) -> int | None:
        """The bytes that the run may take, whatever there is; None if that was not set."""
        return self.whole("memory_limit") if "memory_limit" in self else None


@dataclass(frozen=True)
class Hardware:
    """The parts of a machine."""

    topology: Named
    link: Settings
    switch: Settings
    nic: Settings
    node: Settings
    message: Settings
    routing: Named

    @classmethod
    def of(cls, tables: Mapping[str, Mapping[str, Value]]) -> Hardware:
        """Makes the parts from their tables; other tables are left alone.

        Raises:
            KeyError: If one is missing.
        """
        return cls(
            topology=Named(tables["topology"]),
            link=Settings(tables["link"]),
            switch=Settings(tables["switch"]),
            nic=Settings(tables["nic"]),
            node=Settings(tables["node"]),
            message=Settings(tables["message"]),
            routing=Named(tables["routing"]),
        )

    def tables(self) -> Tables:
        """Returns a copy of the settings of each part by its name."""
        parts: dict[str, Settings] = {part.name: getattr(self, part.name) for part in fields(self)}
        return {name: dict(settings) for name, settings in parts.items()}


@dataclass(frozen=True)
class Spec:
    """One run as the core simulates it.

    Args:
        hardware: The machine.
        program: What runs on it.
        placement: Where its ranks are.
        simulation: How it is simulated.
    """

    hardware: Hardware
    program: Program
    placement: Placement
    simulation: Simulation

    @classmethod
    def of(cls, tables: Mapping[str, Mapping[str, Value]]) -> Spec:
        """Makes a run from its tables, those of `tables` or what JSON has made of them.

        Raises:
            KeyError: If one is missing.
        """
        return cls(
            Hardware.of(tables),
            Program(tables["program"]),
            Placement(tables["placement"]),
            Simulation(tables["simulation"]),
        )

    @property
    def key(self) -> str:
        """The hash of all settings that can change the result, 16 hex digits."""
        return tables_key(self.tables())

    def tables(self) -> Tables:
        """Returns a copy of all settings by part and key, as the core and JSON want them."""
        return {
            **self.hardware.tables(),
            "program": dict(self.program),
            "placement": dict(self.placement),
            "simulation": dict(self.simulation),
        }


def tables_key(tables: Mapping[str, Mapping[str, object]]) -> str:
    """Returns the `key` of the run with these tables, whatever else may be wrong with them."""
    effective = {
        part: {
            key: content_of(value)
            for key, value in settings.items()
            if (part, key) not in _WITHOUT_EFFECT
        }
        for part, settings in tables.items()
    }
    text = json.dumps(effective, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()[:16]
