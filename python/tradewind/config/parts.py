"""The parts of a program whose settings can be changed: the whole program, or one of its phases."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tradewind import core
from tradewind.config import keys
from tradewind.config.schema import Section
from tradewind.config.spec import Program


@dataclass(frozen=True)
class Part:
    """A program, or one of its phases.

    Args:
        name: The phase, as results name it; empty for the program.
        key: The dotted key of its table.
        settings: Its settings, with the name and the ranks of its program.
        processes: Its process grid; None where it has none.
    """

    name: str
    key: str
    settings: Mapping[str, Any]
    processes: tuple[int, int] | None = None

    @property
    def program(self) -> keys.ProgramKeys:
        """The settings that its program declares."""
        return keys.programs()[str(self.settings["name"])]

    @property
    def is_on_all(self) -> bool:
        """True unless it runs in each row, column or node by itself."""
        return str(self.settings.get("over", "all")) == "all"


def whole(program: Program) -> Part:
    """Returns the program as one part."""
    found = core.load().processes({"program": dict(program)})
    return Part("", "program", program, (found[0], found[1]) if found else None)


def phases(program: Program) -> list[Part]:
    """Returns the phases of a program in their order, as the core names them; [] without phases."""
    if not keys.programs()[program.name].kinds:
        return []
    parts = []
    for index, outline in enumerate(core.load().phases({"program": dict(program)})):
        own = dict(_settings_of(program, index))
        settings = {**own, "name": own["kind"], "ranks": outline["ranks"]}
        grid = outline["processes"]
        key = f"program.phase[{index}]"
        parts.append(Part(outline["name"], key, settings, (grid[0], grid[1]) if grid else None))
    return parts


def alone(program: Program, chosen: Iterable[int], changes: Iterable[Section]) -> Program:
    """Returns a program of some of the phases, run once, with another algorithm.

    Args:
        program: A program of phases.
        chosen: The numbers of the phases that are kept.
        changes: For each of them, the settings that take the place of those of its algorithm.
    """
    kept = {
        key: value
        for key, value in program.items()
        if not key.startswith("phase[") and key not in ("repeat", "tuning")
    }
    for place, (index, changed) in enumerate(zip(chosen, changes, strict=True)):
        own = {k: v for k, v in _settings_of(program, index) if k not in keys.algorithm()}
        kept |= {f"phase[{place}].{key}": value for key, value in (own | changed).items()}
    return Program(kept)


def _settings_of(program: Program, index: int) -> Iterator[tuple[str, Any]]:
    """Yields the settings of a phase."""
    prefix = f"phase[{index}]."
    for key, value in program.items():
        if key.startswith(prefix):
            yield key.removeprefix(prefix), value
