"""A machine as a file of its own: all settings, in base units."""

from __future__ import annotations

import json

from tradewind.config import keys
from tradewind.config.machine import Machine
from tradewind.config.schema import Key, Table, Value
from tradewind.units import FLOPS, RATE, SIZE, TIME, TIME_PER_BYTE

# The unit of each kind of quantity that C++ programs read.
_UNITS = {
    SIZE.name: "B",
    TIME.name: "ps",
    RATE.name: "B/s",
    FLOPS.name: "flop/s",
    TIME_PER_BYTE.name: "ps/B",
}


def export_text(machine: Machine) -> str:
    """Returns the text of a machine file that names no other one and leaves nothing to defaults.

    Args:
        machine: The machine.

    Returns:
        TOML in base units, for experiments and for `simcomm::read_machine_file` of C++ programs.
    """
    tables = machine.hardware.tables()
    lines = [
        f"# Exported by `tradewind machine export {machine.name}`.",
        f"title = {_text(machine.title)}",
    ]
    for section, settings in tables.items():
        table = _table(machine, section)
        lines += ["", f"[{section}]"]
        lines += [f"{key} = {_written(value, table.get(key))}" for key, value in settings.items()]
    return "\n".join([*lines, ""])


def _table(machine: Machine, section: str) -> Table:
    hardware = machine.hardware
    if section == "topology":
        return keys.topologies()[hardware.topology.name].keys
    if section == "routing":
        return keys.routings()[hardware.routing.name]
    if section == "link":
        return keys.link_table(hardware.topology.name)
    return keys.sections()[section]


def _written(value: Value, key: Key | None) -> str:
    unit = _UNITS.get(getattr(key and key.kind, "name", ""))
    if unit is not None:
        return f'"{value!r} {unit}"'
    if isinstance(value, str):
        return _text(value)
    return json.dumps(value)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
