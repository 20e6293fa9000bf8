"""A machine: its network, nodes and message costs, from a file of machines/ or from a table."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from tradewind.config import keys, places
from tradewind.config.given import plain
from tradewind.config.overrides import with_value
from tradewind.config.schema import (
    Section,
    Table,
    Where,
    as_table,
    complete,
    key_name,
    read_table,
    written,
)
from tradewind.config.spec import Hardware
from tradewind.errors import suggestion
from tradewind.files import is_there, load_toml
from tradewind.units import Dimension, quantity_text

Layer = dict[str, Section]


class Machine:
    """A validated machine, which can be changed and passed on.

    An experiment takes it as `machine`, and a sweep takes several.

    Args:
        given: The name of a machine file, the path of one, or the table of an experiment.

    Attributes:
        name: Its name, "table" if it was given as a table without one.
        title: The machine in words.
        hardware: The settings of its parts, in base units.

    Raises:
        ConfigError: If there is no such machine, or anything in it is wrong.
    """

    name: str
    title: str
    hardware: Hardware

    def __init__(self, given: str | Path | Mapping[str, Any]) -> None:
        raw = plain(given, "machine")
        self._read({"name": raw} if isinstance(raw, str) else raw, Where("machine"), Path())

    @classmethod
    def read(cls, raw: object, where: Where, directory: Path) -> Machine:
        """Reads the table of an experiment, as `read_machine` does."""
        machine = cls.__new__(cls)
        machine._read(raw, where, directory)
        return machine

    def _read(self, raw: object, where: Where, directory: Path) -> None:
        self._table = copy.deepcopy(dict(as_table(raw, where)))
        file, self.hardware = _resolved(self._table, where, directory)
        self.name, self.title = file.name, file.title
        given = self._table.get("name")
        if isinstance(given, str) and given.endswith(".toml"):
            # An experiment in another folder means the same file.
            self._table["name"] = str((directory / given).resolve())

    def with_(self, changes: Mapping[str, Any] | None = None, **sections: Any) -> Machine:
        """Returns the machine with other values.

        Args:
            changes: Values for dotted keys, such as {"link.bandwidth": "25 GB/s"}.
            **sections: Tables that are merged key by key, such as link={"bandwidth": "25 GB/s"};
                or a text for the name of a topology or routing rule.

        Raises:
            ConfigError: If a key is unknown or a value is wrong.
        """
        table = copy.deepcopy(self._table)
        dotted = dict(plain(changes or {}, "machine"))
        for section, value in plain(sections, "machine").items():
            if isinstance(value, dict):
                dotted |= {f"{section}.{key}": one for key, one in value.items()}
            else:
                dotted[section] = value
        topology = str(self.hardware.topology.name)
        other = dotted.get("topology.name", topology)
        if other != topology:
            table.pop("topology", None)
            table.pop("routing", None)
        for key, value in dotted.items():
            _forget(table, key, topology)
            with_value(table, key, value)
        return Machine(table)

    def to_table(self) -> dict[str, Any]:
        """Returns the table that stands for it in an experiment."""
        return copy.deepcopy(self._table)

    def __repr__(self) -> str:
        """Says its name, network and changes."""
        changes = ", ".join(self._changes())
        network = f"{self.hardware.topology.name}, {self.hardware.routing.name} routing"
        return f"<Machine {self.name}: {network}{' with ' if changes else ''}{changes}>"

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><th>{escape(section)}</th><td>{escape(self._words(section, table))}</td></tr>"
            for section, table in self.hardware.tables().items()
        )
        return f"<table><caption>{escape(repr(self)[1:-1])}</caption>{rows}</table>"

    def _words(self, section: str, settings: Mapping[str, Any]) -> str:
        known = _tables(self.hardware.topology.name).get(section, {})
        words = []
        for key, value in settings.items():
            kind = known[key].kind if key in known else None
            if isinstance(kind, Dimension) and isinstance(value, int | float):
                value = quantity_text(kind, value)
            words.append(f"{key} {value}")
        return ", ".join(words)

    def _changes(self) -> Iterator[str]:
        if "name" not in self._table:
            return
        for section, value in self._table.items():
            if isinstance(value, dict):
                yield from (f"{section}.{key} = {written(one)}" for key, one in value.items())
            elif section != "name":
                yield f"{section} = {written(value)}"

    def __eq__(self, other: object) -> bool:
        """Compares names and all settings."""
        if not isinstance(other, Machine):
            return NotImplemented
        return self.name == other.name and self.hardware.tables() == other.hardware.tables()

    def __hash__(self) -> int:
        """Returns the hash of the name."""
        return hash(self.name)


@dataclass(frozen=True)
class _MachineFile:
    """The contents of a machine file, without defaults.

    Args:
        name: Its name.
        title: What it is, in words.
        layer: The sections that it has.
        source: Its path; empty for a table of an experiment.
    """

    name: str
    title: str
    layer: Layer
    source: str = ""


def load_machine(name_or_path: str | Path) -> Machine:
    """Loads a machine by its name or from a file.

    Args:
        name_or_path: A file of machines/ without its ending, or the path of a TOML file.

    Raises:
        ConfigError: If there is no such machine or its file is wrong.
    """
    return Machine(name_or_path)


def read_machine(raw: object, where: Where, directory: Path) -> Machine:
    """Reads the [machine] table of an experiment: a named machine, changed by the other keys.

    Args:
        raw: The table, with `name` (a machine file) and any section of a machine file.
        where: Its place, for messages.
        directory: Where relative paths of machine files start.

    Raises:
        ConfigError: If anything in it or in the machine's file is wrong.
    """
    return Machine.read(raw, where, directory)


def _resolved(
    raw: Mapping[str, Any], where: Where, directory: Path
) -> tuple[_MachineFile, Hardware]:
    table = dict(raw)
    name = table.pop("name", None)
    if name is None:
        machine = _MachineFile("table", "", {})
    elif isinstance(name, str):
        machine = _read_file(name, where, directory)
    else:
        raise where.error("name", name, "expected the quoted name of a machine file")
    _check_sections(table, keys.MACHINE_SECTIONS, where)
    layer = _merged(machine.layer, _read_layer(table, machine.layer, where))
    # A key that no table changes is missing in the file itself.
    place = where if table or name is None else Where(machine.source)
    return machine, Hardware.of(_completed(layer, place))


def _forget(table: dict[str, Any], dotted: str, topology: str) -> None:
    """Removes a key of a machine's table that is written otherwise: `latency_ns` for `latency`."""
    section, _, key = dotted.partition(".")
    known = _tables(topology).get(section)
    present = table.get(section)
    if known is None or not isinstance(present, dict):
        return
    name = key_name(key, known)
    for one in [one for one in present if name is not None and key_name(one, known) == name]:
        del present[one]


def _read_file(name: str, where: Where, directory: Path) -> _MachineFile:
    path = _machine_path(name, where, directory)
    raw = load_toml(path)
    place = Where(str(path))
    _check_sections(raw, (*keys.MACHINE_SECTIONS, *keys.MACHINE_FILE), place)
    about = read_table({k: raw[k] for k in keys.MACHINE_FILE if k in raw}, keys.MACHINE_FILE, place)
    tables = {key: value for key, value in raw.items() if key not in keys.MACHINE_FILE}
    layer = _read_layer(tables, {}, place)
    return _MachineFile(path.stem, str(about.get("title", "")), layer, str(path))


def _machine_path(name: str, where: Where, directory: Path) -> Path:
    if name.endswith(".toml"):
        path = directory / name
        if path.is_file():
            return path
        raise where.error("name", name, f"no such machine file in {directory.resolve()}")
    shipped = places.machine_files()
    if name in shipped:
        return shipped[name]
    path = directory / name
    if is_there(path) and path.is_file():
        why = "is a file, but no machine file, whose name ends in .toml"
        raise where.error("name", name, f"{why}; {suggestion(name, shipped)}")
    raise where.error("name", name, f"unknown machine; {suggestion(name, shipped)}")


def _check_sections(raw: Mapping[str, Any], known: tuple[str, ...], where: Where) -> None:
    for key, value in raw.items():
        if key not in known:
            raise where.error(key, value, f"unknown key; {suggestion(key, known)}")


def _read_layer(raw: Mapping[str, Any], below: Mapping[str, Section], where: Where) -> Layer:
    """Reads the sections of one file or table; `below` is what it changes."""
    topology = _topology_name(raw, below, where)
    tables = _tables(topology)
    layer: Layer = {}
    for section, value in raw.items():
        place = where.inside(section)
        if section == "routing":
            layer[section] = _read_routing(
                value, str(below.get("routing", {}).get("name", "")), place
            )
        else:
            layer[section] = read_table(value, tables[section], place)
    return layer


def _topology_name(raw: Mapping[str, Any], below: Mapping[str, Section], where: Where) -> str:
    place = where.inside("topology")
    given = as_table(raw.get("topology", {}), place).get(
        "name", below.get("topology", {}).get("name")
    )
    if given is None:
        raise place.error("name", ..., f"is missing; allowed: {', '.join(keys.topologies())}")
    if not isinstance(given, str) or given not in keys.topologies():
        raise place.error(
            "name", given, f"unknown topology; {suggestion(str(given), keys.topologies())}"
        )
    return given


def _tables(topology: str) -> dict[str, Table]:
    return {
        "topology": {"name": keys.PROGRAM_COMMON["name"], **keys.topologies()[topology].keys},
        "link": keys.link_table(topology),
        **{name: keys.sections()[name] for name in ("switch", "nic", "node", "message")},
    }


def _read_routing(raw: object, below: str, where: Where) -> Section:
    table = {"name": raw} if isinstance(raw, str) else as_table(raw, where)
    name = table.get("name", below)
    if not isinstance(name, str) or name not in keys.routings():
        key = Where(where.source, "", where.overridden)
        raise key.error(
            where.path, name, f"unknown routing; {suggestion(str(name), keys.routings())}"
        )
    return read_table(table, keys.routings()[name], where)


def _merged(below: Mapping[str, Section], above: Layer) -> Layer:
    """Merges key by key; another topology or routing rule takes nothing over from the one it replaces."""
    result: Layer = {section: dict(values) for section, values in below.items()}
    if _replaces(below, above, "topology"):
        common = keys.link_table("torus")
        result.pop("routing", None)
        result["link"] = {k: v for k, v in result.get("link", {}).items() if k in common}
    for section, values in above.items():
        kept = {} if _replaces(below, above, section) else result.get(section, {})
        result[section] = kept | values
    return result


def _replaces(below: Mapping[str, Section], above: Layer, section: str) -> bool:
    name = above.get(section, {}).get("name")
    return name is not None and name != below.get(section, {}).get("name")


def _completed(layer: Layer, where: Where) -> Layer:
    topology = str(layer["topology"]["name"])
    whole: Layer = {}
    for section, table in _tables(topology).items():
        whole[section] = complete(layer.get(section, {}), table, where.inside(section))
    whole["nic"].setdefault("ejection_bandwidth", whole["nic"]["injection_bandwidth"])
    fitting = keys.topologies()[topology].routings
    routing = layer.get("routing", {"name": fitting[0]})
    if routing["name"] not in fitting:
        wrong = f"does not work on the topology {topology}; allowed: {', '.join(fitting)}"
        raise where.error("routing", routing["name"], wrong)
    whole["routing"] = routing
    return whole
