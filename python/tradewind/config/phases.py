"""The tables [[program.phase]]: a program as phases, each of which is another program."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tradewind import core
from tradewind.config import keys
from tradewind.config.schema import Section, Where, as_table, complete, read_table, written
from tradewind.errors import ConfigError, suggestion

# Reads the settings of a program of that name, algorithm included: `read_settings` of program.py.
ReadSettings = Callable[[str, dict[str, object], Where, Path], Section]


def read_phases(
    raw: object, section: Section, where: Where, directory: Path, read: ReadSettings
) -> Section:
    """Reads the phases of a program.

    Args:
        raw: The list of tables.
        section: The checked keys of the program itself.
        where: The place of the program's table.
        directory: The folder that relative paths of files start from.
        read: What reads the settings of a phase's program.

    Returns:
        The settings of all phases; those of the first one have keys such as "phase[0].bytes".

    Raises:
        ConfigError: Naming file, key, value and what is allowed.
    """
    if not isinstance(raw, list) or not raw:
        raise ConfigError(
            f"{where.source}: {where.path}.phase = {written(raw)}: expected tables [[program.phase]]"
        )
    flat: Section = {}
    for index, entry in enumerate(raw):
        place = where.inside(f"phase[{index}]")
        settings = _read_phase(entry, section, place, directory, read)
        flat |= {f"phase[{index}].{key}": value for key, value in settings.items()}
    return flat


def _read_phase(
    raw: object, section: Section, where: Where, directory: Path, read: ReadSettings
) -> Section:
    program = keys.programs()[str(section["name"])]
    table = dict(as_table(raw, where))
    own = {key: table.pop(key) for key in program.phase_keys if key in table}
    common = complete(read_table(own, program.phase_keys, where), program.phase_keys, where)
    kind = str(common["kind"])
    if kind not in program.kinds:
        raise where.error("kind", kind, f"unknown program; {suggestion(kind, program.kinds)}")
    known = keys.programs()[kind].keys
    if "ranks" in table:
        raise where.error("ranks", table["ranks"], f"unknown key; {suggestion('ranks', known)}")
    over = str(common["over"])
    if over == "all" and "processes" in section and "processes" in known:
        table.setdefault("processes", section["processes"])
    table |= {"name": kind, "ranks": _group_size(over, section, where)}
    settings = read(kind, table, where, directory)
    return common | {key: settings[key] for key in settings if key not in ("name", "ranks")}


def _group_size(over: str, section: Section, where: Where) -> int:
    """Returns the number of ranks that run a phase together."""
    ranks = int(str(section["ranks"]))
    if over == "all":
        return ranks
    if over == "nodes":
        if "ranks_per_node" not in section:
            raise where.error("over", over, "needs ranks_per_node of the program or a machine")
        return min(int(str(section["ranks_per_node"])), ranks)
    grid = core.load().processes({"program": section})
    assert grid is not None
    return grid[0] if over == "rows" else grid[1]
