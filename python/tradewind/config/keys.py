"""The tables of keys: what every section, topology, routing rule and program accepts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

from tradewind import core
from tradewind.config.schema import Key, Table
from tradewind.units import FLOPS, RATE, SIZE, TIME, TIME_PER_BYTE, Dimension

_NAME: Table = {"name": Key(str, required=True, meaning="name in the catalogue")}


@dataclass(frozen=True)
class TopologyKeys:
    """The settings of one topology.

    Args:
        keys: Its own keys.
        routings: Routing rules that work on it; the first is the default.
        link_classes: Its kinds of links, each of which may have its own bandwidth and latency.
    """

    keys: Table
    routings: tuple[str, ...]
    link_classes: tuple[str, ...] = ()


EXPERIMENT: Table = {
    "title": Key(str, meaning="title of results and pictures; none: the name of the file"),
    "description": Key(str, meaning="purpose, in sentences; none: nothing"),
    "source": Key(str, meaning="paper or origin; none: nothing"),
}
MACHINE_FILE: Table = {
    "title": Key(str, meaning="the machine in a few words; none: nothing"),
    "source": Key(str, meaning="origin of its values; none: nothing"),
}


@dataclass(frozen=True)
class ProgramKeys:
    """The settings of one program, as the core declares them.

    Args:
        keys: The keys of its messages alone, beside `name` and `ranks`.
        run_keys: The keys of a run with data; empty for patterns.
        operation: The collective whose algorithm it lets one choose, in a table of that name.
        tuned_setting: The key that may be "tuned"; empty if there is none.
        can_restart: Whether runs with data write checkpoints and restart from them.
        is_timed_with_data: Whether measurements of its choices run it with data.
        has_items: Whether the keys `partition` and `partition_file` distribute its mesh.
        has_halo: Whether a case fixes who sends how much to whom when it exchanges its halo.
        kinds: The programs that may be its phases; empty: it has none.
        phase_keys: The keys of each phase, beside those of its program.
    """

    keys: Table
    run_keys: Table
    operation: str | None = None
    tuned_setting: str = ""
    can_restart: bool = False
    is_timed_with_data: bool = False
    has_items: bool = False
    has_halo: bool = False
    kinds: tuple[str, ...] = ()
    phase_keys: Table = field(default_factory=dict)


# Takes algorithm and options from the file that the key `tuning` names.
TUNED = "tuned"

_KINDS: Mapping[str, Dimension | type] = {
    "truth": bool,
    "whole": int,
    "real": float,
    "word": str,
    "whole_list": list,
    "size": SIZE,
    "duration": TIME,
    "rate": RATE,
    "flop_rate": FLOPS,
    "time_per_byte": TIME_PER_BYTE,
    "file": str,
}


def _table_of(*declared: Iterable[Mapping[str, Any]]) -> Table:
    """Makes a table from declarations of the core.

    Options of algorithms have no default here, because the algorithm that is chosen decides.
    """
    chosen = {one["key"] for one in core.load().algorithm_settings()}
    return {
        one["key"]: _of_algorithm(one) if one["key"] in chosen else _key(one)
        for declarations in declared
        for one in declarations
    }


def _of_algorithm(one: Mapping[str, Any]) -> Key:
    key = _key(one)
    said = key.meaning if key.without[1] else f"{key.meaning}; none: that of the algorithm"
    return replace(key, default=None, meaning=said)


def _key(one: Mapping[str, Any]) -> Key:
    """Makes what a key accepts from its declaration."""
    return Key(
        _KINDS[one["type"]],
        one["default"],
        one["low"],
        one["high"],
        one["choices"],
        words={one["word_for_zero"]: 0} if one["word_for_zero"] else {},
        length=one["length"],
        required=one["required"],
        meaning=one["meaning"],
        is_file=one["type"] == "file",
        acts=one["acts"],
    )


@cache
def topologies() -> Mapping[str, TopologyKeys]:
    """Returns the settings of every topology by its name."""
    return {
        entry["name"]: TopologyKeys(
            _table_of(entry["settings"]), entry["routings"], entry["link_classes"]
        )
        for entry in core.load().topologies()
    }


@cache
def routings() -> Mapping[str, Table]:
    """Returns the settings of every routing rule by its name."""
    return {entry["name"]: _NAME | _table_of(entry["settings"]) for entry in core.load().routings()}


@cache
def sections() -> Mapping[str, Table]:
    """Returns the settings of the sections of machines and experiments that are always the same.

    Those are link, switch, nic, node, message, placement and simulation. The core does not read
    the file of a placement and the limit of memory, which are declared here.
    """
    tables = {
        name: _table_of(declared) for name, declared in core.load().machine_settings().items()
    }
    tables["placement"] = {
        name: tables["placement"].get(name)
        or Key(
            str,
            meaning="file with the node of each rank, for the rule file; none: must be given then",
            acts="before the run: node of each rank",
        )
        for name in ("rule", "seed", "file", "processes")
    }
    tables["simulation"]["memory_limit"] = Key(
        SIZE,
        low=1,
        meaning="memory that a run may be expected to need; none: what this machine has",
        acts="before the run: larger ones are refused",
    )
    return tables


def link_table(topology: str) -> Table:
    """Returns the keys of [link]: for all links, and for each class of links of the topology."""
    table = dict(sections()["link"])
    for name in topologies()[topology].link_classes:
        for key in ("bandwidth", "latency"):
            meaning = f"{key} of {name} links; none: {key}"
            table[f"{name}_{key}"] = replace(table[key], required=False, meaning=meaning)
    return table


@cache
def programs() -> Mapping[str, ProgramKeys]:
    """Returns the settings of every program by its name."""
    known = {}
    for entry in core.load().programs():
        chosen = core.load().algorithm_settings() if entry["operation"] else []
        run = (entry["settings"], entry["run_settings"], chosen) if entry["is_model"] else ()
        known[entry["name"]] = ProgramKeys(
            _table_of(entry["settings"], entry["message_settings"]),
            _table_of(*run),
            entry["operation"] or None,
            entry["tuned_setting"],
            entry["can_restart"],
            entry["is_model"] and entry["is_timed_with_data"],
            entry["has_items"],
            entry["has_halo"],
            tuple(entry["kinds"]),
            _table_of(entry["phase_settings"]),
        )
    return known


@cache
def models() -> Mapping[str, ProgramKeys]:
    """Returns the settings of the programs that can run with data."""
    with_data = {entry["name"] for entry in core.load().programs() if entry["is_model"]}
    return {name: entry for name, entry in programs().items() if name in with_data}


@cache
def algorithm() -> Table:
    """Returns the keys of the table that chooses an algorithm."""
    return _table_of(core.load().algorithm_settings())


@cache
def options() -> tuple[str, ...]:
    """Returns the options of algorithms, in the order of the columns of a tuning table."""
    return tuple(key for key in algorithm() if key not in ("algorithm", "tuning"))


@cache
def operations() -> frozenset[str]:
    """Returns the names of all collective operations."""
    return frozenset(one["name"] for one in core.load().collectives())


@cache
def options_of(operation: str) -> Mapping[str, Table]:
    """Returns the options that each algorithm of an operation reads, with its own defaults.

    Args:
        operation: One whose algorithm one can choose, or MODEL.KEY, a choice of a model.
    """
    return {
        entry["name"]: {one["key"]: _key(one) for one in entry["options"]}
        for entry in core.load().algorithms()
        if entry["operation"] == operation
    }


@cache
def default_algorithm(operation: str) -> str:
    """Returns the algorithm of an operation, or of a choice of a model, where none is named."""
    return next(
        str(entry["name"])
        for entry in core.load().algorithms()
        if entry["operation"] == operation and entry["is_default"]
    )


@cache
def measurements() -> Mapping[str, Table]:
    """Returns the settings of every measurement by its name."""
    return {
        name: {one["key"]: _key(one) for one in declared}
        for name, declared in core.load().measurements().items()
    }


PROGRAM_COMMON: Table = _NAME | {
    "ranks": Key(int, low=1, high=2**31 - 1, required=True, meaning="number of ranks")
}

MACHINE_SECTIONS = ("topology", "routing", "link", "switch", "nic", "node", "message")
