"""The [program] table: which communication is simulated, by which algorithm, on how many ranks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.config import keys
from tradewind.config.data_file import path_of, resolve_files, with_ranks_in_names
from tradewind.config.partition import read_partition_file, with_metis
from tradewind.config.phases import read_phases
from tradewind.config.schema import (
    Section,
    Table,
    Value,
    Where,
    as_table,
    complete,
    read_table,
    written,
)
from tradewind.config.spec import Program
from tradewind.config.tuning_file import Tuning, load_tuning
from tradewind.errors import ConfigError, TraceError, suggestion
from tradewind.trace_file import is_unpacked, read_facts


def read_program(
    raw: object, where: Where, directory: Path = Path(), ranks_per_node: int | None = None
) -> Program:
    """Reads and checks the table; the algorithm's table is flattened into it, and phases are.

    Args:
        raw: The table.
        where: Its place, for messages.
        directory: The folder that relative paths of files start from.
        ranks_per_node: The ranks of a node of the machine, for phases on each node.

    Raises:
        ConfigError: Naming file, key, value and what is allowed.
    """
    table = dict(as_table(raw, where))
    name = table.get("name")
    if name is None:
        raise where.error("name", ..., f"is missing; allowed: {', '.join(keys.programs())}")
    if not isinstance(name, str) or name not in keys.programs():
        raise where.error(
            "name", name, f"unknown program; {suggestion(str(name), keys.programs())}"
        )
    if name == "trace" and "ranks" not in table:
        table["ranks"] = _ranks_of_trace(table.get("trace"), where, directory)
    if not keys.programs()[name].kinds:
        return Program(read_settings(name, table, where, directory))
    phases = table.pop("phase", [])
    if "tuning" in table:
        phases = _tuned_phases(phases, table.pop("tuning"), where, directory)
    section = read_settings(name, table, where, directory)
    if ranks_per_node is not None and _is_over_nodes(phases):
        section.setdefault("ranks_per_node", ranks_per_node)
    section |= read_phases(phases, section, where, directory, read_settings)
    _check_processes(section, where)
    return Program(section)


def read_settings(name: str, table: dict[str, Any], where: Where, directory: Path) -> Section:
    """Reads and checks the settings of a program, those of its algorithm included.

    Args:
        name: A known program.
        table: Its table, with `name` and `ranks`.
        where: The place of the table, for messages.
        directory: The folder that relative paths of files start from.

    Raises:
        ConfigError: Naming file, key, value and what is allowed.
    """
    program = keys.programs()[name]
    known = keys.PROGRAM_COMMON | program.keys
    algorithm: Section = {}
    if program.operation is not None:
        given = table.pop(program.operation, {})
        _check_known(table, [*known, program.operation], where)
        place = where.inside(program.operation)
        algorithm = _read_algorithm(given, program.operation, place, directory)
    elif name == "trace":
        table = _in_words(table, known, where, directory)
    section = complete(read_table(table, known, where), known, where)
    given_trace = section.get("trace")
    section = resolve_tuning(section, where, directory) | algorithm
    section = with_ranks_in_names(section, known)
    section = read_partition_file(section, where, directory)
    section = resolve_files(section, known, where, directory)
    section = with_metis(name, section, int(str(section["ranks"])))
    _check_processes(section, where, given_trace)
    return section


def _ranks_of_trace(given: object, where: Where, directory: Path) -> object:
    """Returns the ranks of a recording, which are those of its replay."""
    if not isinstance(given, str):
        raise where.error(
            "trace", given if given is not None else ..., "expected the file of a trace"
        )
    path = directory / str(path_of(given))
    if path.suffix == ".pattern":
        raise where.error("ranks", ..., "is missing: a pattern runs on any number of ranks")
    if is_unpacked(path):
        raise where.error("ranks", ..., "is missing: an unpacked trace does not say it")
    from tradewind.trace_formats.recognition import as_trace

    try:
        return read_facts(as_trace(path))["ranks"]
    except TraceError as error:
        raise where.error("trace", given, str(error)) from None


def _tuned_phases(phases: object, given: object, where: Where, directory: Path) -> object:
    """Returns phases that name no algorithm with the tuning of the program, if it has their operation."""
    known = {"tuning": keys.algorithm()["tuning"]}
    section = read_table({"tuning": given}, known, where)
    tuned = _load_tuned(section, where, directory).operations
    if not isinstance(phases, list):
        return phases
    choice = {"algorithm": keys.TUNED, **section}
    return [
        {operation: dict(choice), **entry} if operation in tuned else entry
        for entry in phases
        for operation in [_operation_of(entry)]
    ]


def _operation_of(phase: object) -> str | None:
    """Returns the operation of a phase that is a table with a known kind, if it has one."""
    kind = phase.get("kind") if isinstance(phase, dict) else None
    program = keys.programs().get(kind) if isinstance(kind, str) else None
    return program.operation if program else None


def _is_over_nodes(phases: object) -> bool:
    """Reports whether a phase runs on each node by itself."""
    entries = phases if isinstance(phases, list) else []
    return any(isinstance(entry, dict) and entry.get("over") == "nodes" for entry in entries)


def resolve_tuning(section: Section, where: Where, directory: Path) -> Section:
    """Puts the table of tuned cases in the place of the file's name, where something is "tuned".

    Args:
        section: Checked keys of a model; others come back as they are.
        where: Its place, for messages.
        directory: Where the relative path of the file starts.

    Raises:
        ConfigError: If the file is missing or wrong, or nothing is "tuned".
    """
    if keys.TUNED in section.values():
        return section | {"tuning": _load_tuned(section, where, directory).table_text()}
    if "tuning" in section:
        raise where.error(
            "tuning", section["tuning"], f'only read where an algorithm is "{keys.TUNED}"'
        )
    return section


def _check_known(table: Mapping[str, Any], known: list[str], where: Where) -> None:
    """Refuses unknown keys, with the algorithm's table among the allowed ones."""
    for key, value in table.items():
        with_unit = any(key.startswith(name + "_") for name in known)
        if key not in known and not with_unit:
            raise where.error(key, value, f"unknown key; {suggestion(key, known)}")


def _read_algorithm(raw: object, operation: str, where: Where, directory: Path) -> Section:
    table = {"algorithm": raw} if isinstance(raw, str) else dict(as_table(raw, where))
    table.setdefault("algorithm", keys.default_algorithm(operation))
    section = read_table(table, keys.algorithm(), where)
    name = str(section["algorithm"])
    known = (*core.names(operation), keys.TUNED)
    if name == keys.TUNED:
        return _read_tuned(section, operation, where, directory)
    if "tuning" in section:
        raise _tuning_without_use(section, where)
    if name not in known:
        raise where.error("algorithm", name, f"unknown algorithm; {suggestion(name, known)}")
    own = keys.options_of(operation).get(name, {})
    for key in keys.options():
        if key in section:
            _check_option(key, section[key], own, _Choice(operation, name), where)
    if "protocol" in section:
        section["protocol"] = _read_protocol(str(section["protocol"]), where)
    return section


@dataclass(frozen=True)
class _Choice:
    """An algorithm of an operation."""

    operation: str
    name: str


def _check_option(key: str, value: Value, own: Table, choice: _Choice, where: Where) -> None:
    """Refuses an option that the algorithm does not have, or a value that only others accept."""
    if key not in own:
        others = [name for name, table in keys.options_of(choice.operation).items() if key in table]
        known = f"; those with it: {', '.join(others)}" if others else ""
        raise where.error(key, value, f"the algorithm {choice.name} has no {key}{known}")
    if own[key].kind not in (int, float):
        return
    try:
        own[key].read(value)
    except ConfigError as error:
        raise where.error(key, value, f"{error}, for the algorithm {choice.name}") from None


def _in_words(
    table: Mapping[str, Any], known: Table, where: Where, directory: Path
) -> dict[str, Any]:
    """Returns the table of a recorded program with its tables of algorithms in words.

    So `allreduce = { algorithm = "ring_k", radix = 4 }` is "ring_k:radix=4", and the file of `{ algorithm = "tuned",
    tuning = FILE }` is that of the program.

    Args:
        table: The settings.
        known: The keys of the program.
        where: The place of the table, for messages.
        directory: The folder that relative paths of files start from.
    """
    result = dict(table)
    for operation in keys.operations() & known.keys():
        given = table.get(operation)
        if not isinstance(given, Mapping):
            continue
        place = where.inside(operation)
        section = read_table(given, keys.algorithm(), place)
        name = section.pop("algorithm", known[operation].default)
        result[operation] = name
        if name == keys.TUNED:
            if "tuning" in table:
                section.setdefault("tuning", table["tuning"])
            _read_tuned(section, operation, place, directory)
            file = result.setdefault("tuning", section["tuning"])
            if file != section["tuning"]:
                hint = f"the program has one tuning, and {written(file)} is given, too"
                raise place.error("tuning", section["tuning"], hint)
        elif "tuning" in section:
            raise _tuning_without_use(section, place)
        elif section:
            options = ",".join(f"{key}={value}" for key, value in section.items())
            result[operation] = f"{name}:{options}"
    return result


def _tuning_without_use(section: Section, where: Where) -> ConfigError:
    return where.error("tuning", section["tuning"], f'only read with algorithm = "{keys.TUNED}"')


def _read_tuned(section: Section, operation: str, where: Where, directory: Path) -> Section:
    """Puts the table of tuned cases in the place of the file's name."""
    for key in keys.options():
        if key in section:
            raise where.error(key, section[key], "the tuning chooses it")
    tuning = _load_tuned(section, where, directory)
    if operation not in tuning.operations:
        tuned = ", ".join(tuning.operations)
        raise where.error(
            "tuning", section["tuning"], f"{operation} was not tuned, but only: {tuned}"
        )
    return {"algorithm": keys.TUNED, "tuning": tuning.table_text()}


def _load_tuned(section: Section, where: Where, directory: Path) -> Tuning:
    if "tuning" not in section:
        raise where.error("tuning", ..., "is missing: the file of `tradewind tune`")
    try:
        return load_tuning(directory / str(section["tuning"]))
    except ConfigError as error:
        raise where.error("tuning", section["tuning"], str(error)) from None


def _read_protocol(given: str, where: Where) -> str:
    known = core.protocols()
    name = given.replace(" ", "")
    if name not in known:
        raise where.error("protocol", given, f"unknown protocol; {suggestion(name, known)}")
    return known[name]


def _check_processes(section: Section, where: Where, trace: object = None) -> None:
    """Refuses ranks and process grids that do not fit the program's domain.

    Args:
        section: The settings.
        where: The place of the table, for messages.
        trace: The file of a trace as the user named it; the core gets an unpacked copy.
    """
    try:
        core.load().processes({"program": section})
    except ConfigError as error:
        message = str(error)
        named, said = _named_setting(message, section)
        missing, _, why = message.partition(": ")
        if not named and missing in keys.programs()[str(section["name"])].keys:
            raise where.error(missing, ..., why) from None
        if not named:
            key = next(key for key in ("trace", "processes", "graph", "ranks") if key in section)
            shown = path_of(trace if key == "trace" else section[key])
            raise where.error(key, shown, message) from None
        shown = trace if named == "trace" else section[named]
        raise where.error(named, path_of(shown), said) from None


def _named_setting(message: str, section: Section) -> tuple[str, str]:
    """Returns the setting that an error of the core begins with, "" if with none, and the rest of the error."""
    named = message.partition(" = ")[0]
    if named in section:
        return named, message.partition(": ")[2] or message
    named, colon, said = message.partition(": ")
    if not colon or named not in section:
        return "", message
    return named, said.removeprefix(f"{written(section[named])}: ").removeprefix(f"{named}: ")
