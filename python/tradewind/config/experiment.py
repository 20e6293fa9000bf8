"""An experiment: a machine, a program and what varies, resolved to what the core simulates."""

from __future__ import annotations

import copy
import json
import math
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, TypedDict

from tradewind import core
from tradewind.config import data_file, keys, places
from tradewind.config.axes import Axis, Label, read_axes
from tradewind.config.given import plain
from tradewind.config.machine import read_machine
from tradewind.config.overrides import Raw, path_of, value_of, with_overrides, with_value
from tradewind.config.program import read_program
from tradewind.config.schema import Where, as_table, complete, read_table
from tradewind.config.spec import Hardware, Placement, Program, Simulation, Spec, Tables
from tradewind.errors import ConfigError, suggestion
from tradewind.files import check_nesting, load_text, parse_toml, shortened

_TABLES = ("machine", "program", "placement", "simulation", "sweep", "experiment")
_RANKS = "program.ranks"
# The rules that put consecutive ranks on a node.
_FILLS_NODES = ("linear", "block", "random")
# More runs than anybody has made; a list of more would take minutes and gigabytes.
_MOST_RUNS = 100_000
_MOST_NODES = 2**31


class MemberRecord(TypedDict):
    """A `Member` as JSON hands it from process to process."""

    parameters: dict[str, Label]
    position: Sequence[int]
    spec: Tables
    machine: str


@dataclass(frozen=True)
class Member:
    """One run of an experiment.

    Args:
        parameters: What distinguishes it from the other runs, by the name of the axis.
        position: Its index along each axis.
        spec: All its settings.
        machine: The name of its machine.
    """

    parameters: Mapping[str, Label]
    position: tuple[int, ...]
    spec: Spec
    machine: str

    @classmethod
    def of(cls, record: MemberRecord) -> Member:
        """Makes the member that `record` has described."""
        spec = Spec.of(record["spec"])
        return cls(record["parameters"], tuple(record["position"]), spec, record["machine"])

    def record(self) -> MemberRecord:
        """Returns everything as plain values for JSON."""
        return {
            "parameters": dict(self.parameters),
            "position": list(self.position),
            "spec": self.spec.tables(),
            "machine": self.machine,
        }

    @property
    def key(self) -> str:
        """The hash of all that can change the result (the number of threads cannot)."""
        return self.spec.key

    @property
    def ranks(self) -> int:
        """The number of simulated ranks."""
        return self.spec.program.ranks

    @property
    def threads(self) -> int:
        """The number of threads that simulate it."""
        return self.spec.simulation.threads

    @property
    def label(self) -> str:
        """The parameters in words."""
        if not self.parameters:
            return f"{self.spec.program.name} on {self.machine}"
        return ", ".join(f"{name} {value}" for name, value in self.parameters.items())


@dataclass(frozen=True)
class About:
    """The table [experiment]: what the runs are for.

    Args:
        title: What the experiment shows, in words.
        description: More words, if there are any.
        source: Where it comes from, if that is said.
    """

    title: str
    description: str | None = None
    source: str | None = None

    @property
    def words(self) -> tuple[str, ...]:
        """Description and source, as far as they are given."""
        return tuple(text for text in (self.description, self.source) if text is not None)


@dataclass(frozen=True)
class Experiment:
    """A set of runs that was read from a file or from a table.

    Args:
        raw: The tables, overrides included.
        text: What was given: the text of the file, or the table as JSON.
        source: Name for messages: the path, or "experiment".
        directory: Where relative paths start.
        overridden: Values that were set from outside, by dotted key.
        axes: What varies.
    """

    raw: Raw
    text: str
    source: str
    directory: Path
    overridden: Mapping[str, Any]
    axes: tuple[Axis, ...]

    @classmethod
    def load(
        cls, given: str | Path | Mapping[str, Any], overrides: Mapping[str, Any] | None = None
    ) -> Experiment:
        """Reads an experiment.

        Args:
            given: The path of a TOML file, the name of a shipped experiment, or the tables.
            overrides: Values for dotted keys, such as {"program.ranks": 100}.

        Raises:
            ConfigError: If a table or the sweep is wrong; single runs are checked by `members`.
        """
        if isinstance(given, Mapping):
            raw = plain(given, "experiment")
            check_nesting(raw, "experiment")
            text = json.dumps(raw, indent=2)
            source, directory = "experiment", Path()
        elif not isinstance(given, str | os.PathLike):
            raise ConfigError(
                f"{type(given).__name__} is no experiment; expected the path of a TOML file, the name of "
                "a shipped one, or a table of tables"
            )
        else:
            path = places.find_experiment(Path(given))
            text = load_text(path)
            raw, source, directory = parse_toml(text, str(path)), str(path), path.parent
        values: dict[str, Any] = plain(overrides or {}, f"{source} (overridden)")
        raw = with_overrides(raw, values)
        where = Where(source, "", frozenset(values))
        _check_tables(raw, where)
        axes = read_axes(raw.pop("sweep", {}), where.inside("sweep"))
        return cls(raw, text, source, directory, values, axes)

    @property
    def name(self) -> str:
        """Name of its file without the ending."""
        return Path(self.source).stem

    @property
    def about(self) -> About:
        """The title; without one, the name of the file."""
        about = read_table(
            self.raw.get("experiment", {}), keys.EXPERIMENT, Where(self.source, "experiment")
        )
        texts = {key: str(text) for key, text in about.items()}
        return About(**{"title": self.name, **texts})

    @property
    def title(self) -> str:
        """The purpose, in sentences."""
        return self.about.title

    @property
    def is_sweep(self) -> bool:
        """True if it has more than one run to make."""
        return bool(self.axes)

    def members(self) -> list[Member]:
        """Returns every run, checked, in the order of the file.

        Raises:
            ConfigError: Naming file, key, value and what is allowed.
        """
        runs = math.prod(len(axis.labels) for axis in self.axes)
        if runs > _MOST_RUNS:
            sizes = " x ".join(str(len(axis.labels)) for axis in self.axes)
            raise ConfigError(
                f"{self.source}: sweep: {sizes} = {runs} runs; expected at most {_MOST_RUNS}"
            )
        self._check_replaced()
        choices = [range(len(axis.labels)) for axis in self.axes]
        return [self._member(position) for position in product(*choices)]

    def up_to(self, ranks: int, also: Collection[int] = ()) -> Experiment | None:
        """Leaves out the runs with more ranks, but for some counts; returns None if none is left."""

        def is_wanted(count: object) -> bool:
            return not isinstance(count, int) or count <= ranks or count in also

        fixed = as_table(self.raw.get("program", {}), Where(self.source, "program")).get("ranks")
        varying = [axis for axis in self.axes if any(_RANKS in values for values in axis.values)]
        if not varying:
            return self if is_wanted(fixed) else None
        axes = tuple(
            axis.where(lambda values: is_wanted(values.get(_RANKS, fixed)))
            if axis in varying
            else axis
            for axis in self.axes
        )
        return replace(self, axes=axes) if all(axis.labels for axis in axes) else None

    def _member(self, position: tuple[int, ...]) -> Member:
        raw = copy.deepcopy(self.raw)
        values: dict[str, Any] = {}
        parameters: dict[str, Label] = {}
        for axis, index in zip(self.axes, position, strict=True):
            values |= axis.values[index]
            parameters[axis.name] = axis.labels[index]
        for dotted in sorted(values, key=lambda key: key.count(".")):
            with_value(raw, dotted, values[dotted])
        for dotted, value in self.overridden.items():
            if any(dotted.startswith(f"{swept}.") for swept in values):
                with_value(raw, dotted, value)
        try:
            spec, machine = self._resolved(raw)
        except ConfigError as error:
            raise type(error)(self._in_sweep(str(error), values)) from None
        return Member(parameters, position, spec, machine)

    def _in_sweep(self, message: str, values: Mapping[str, Any]) -> str:
        """Says in a message on a key that it is one of the sweep, if it is."""
        where = Where(self.source, "", frozenset(self.overridden))
        for dotted in values:
            plain = ".".join(path_of(dotted))
            place = str(where.error(plain, ..., "")).removesuffix(" ")
            if message.startswith(place.removesuffix(":")):
                rest = message.removeprefix(place.removesuffix(plain + ":"))
                return f"{place.removesuffix(plain + ':')}sweep: {rest}"
        return message

    def _check_replaced(self) -> None:
        """Checks the values in the file that the sweep replaces, which no run has.

        They may fit each other alone, as ranks and process grid do: a value is refused only if it is
        refused beside the other values of the file, and in the first run of the other axes.
        """
        if not self.axes or self._refusal(self.raw) is None:
            return
        for axis in self.axes:
            raw = copy.deepcopy(self.raw)
            for other in self.axes:
                for key, swept in other.values[0].items() if other is not axis else ():
                    with_value(raw, key, swept)
            found = self._refusal(raw)
            replaced = [key for key in axis.values[0] if value_of(self.raw, key) is not None]
            if found is not None and any(self._is_about(found, key) for key in replaced):
                raise found

    def _refusal(self, raw: Raw) -> ConfigError | None:
        try:
            self._resolved(raw)
        except ConfigError as error:
            return error
        return None

    def _is_about(self, error: ConfigError, dotted: str) -> bool:
        where = Where(self.source, "", frozenset(self.overridden))
        place = str(where.error(".".join(path_of(dotted)), ..., "")).removesuffix(": ")
        return str(error).startswith((f"{place} = ", f"{place}.", f"{place}: "))

    def _resolved(self, raw: Raw) -> tuple[Spec, str]:
        where = Where(self.source, "", frozenset(self.overridden))
        for needed in ("machine", "program"):
            if needed not in raw:
                raise ConfigError(f"{self.source}: the table [{needed}] is missing")
        given = raw["machine"]
        machine = read_machine(
            {"name": given} if isinstance(given, str) else given,
            where.inside("machine"),
            self.directory,
        )
        _check_room(raw["program"], machine.hardware, where.inside("program"))
        program = read_program(
            raw["program"],
            where.inside("program"),
            self.directory,
            machine.hardware.node.whole("ranks_per_node"),
        )
        _check_room(dict(program), machine.hardware, where.inside("program"), raw["program"])
        place = where.inside("placement")
        placement = _read_placement(raw.get("placement", {}), program, place, self.directory)
        simulation = _read_simulation(raw.get("simulation", {}), where.inside("simulation"))
        return Spec(machine.hardware, program, placement, simulation), machine.name


def _check_tables(raw: Raw, where: Where) -> None:
    for key, value in raw.items():
        if key not in _TABLES:
            raise where.error(key, value, f"unknown table; {suggestion(key, _TABLES)}")
        if key != "machine" or not isinstance(value, str):
            as_table(value, where.inside(key))
    read_table(raw.get("experiment", {}), keys.EXPERIMENT, where.inside("experiment"))


def _check_room(program: object, hardware: Hardware, where: Where, given: object = None) -> None:
    """Refuses a pattern on more ranks than the machine has room for, before their calls are written.

    Of a recording, whose ranks the user has not given, an error names the file. Other programs are
    refused when they are simulated, which is as soon.

    Args:
        program: The table of the program, as it is given or read.
        hardware: The machine.
        where: The place of the table, for messages.
        given: The table as it is given, if the program is read.
    """
    if not isinstance(program, Mapping) or "trace" not in program:
        return
    ranks = program.get("ranks")
    if isinstance(ranks, bool) or not isinstance(ranks, int) or not 0 < ranks < _MOST_NODES:
        return
    try:
        core.load().check_room(hardware.tables(), ranks)
    except ConfigError as error:
        head, _, why = str(error).partition(f"ranks = {ranks}: ")
        # Faults of a machine are told when it is simulated.
        if head or not why:
            return
        if isinstance(given, Mapping) and "ranks" not in given:
            shown = data_file.path_of(given["trace"])
            raise where.error("trace", shown, f"has {ranks} ranks, but {why}") from None
        raise where.error("ranks", ranks, why) from None


def _read_simulation(raw: object, where: Where) -> Simulation:
    table = keys.sections()["simulation"]
    section = complete(read_table(raw, table, where), table, where)
    section.setdefault("threads", 1)
    return Simulation(section)


def _read_placement(raw: object, program: Program, where: Where, directory: Path) -> Placement:
    table = keys.sections()["placement"]
    section = complete(read_table(raw, table, where), table, where)
    rule = section["rule"]
    for key, reader in (("file", "file"), ("processes", "tiles")):
        if key in section and rule != reader:
            raise where.error(key, section[key], f'only read with rule = "{reader}"')
    if rule == "file":
        file = section.pop("file", None)
        section["nodes"] = _read_nodes(file, program, where, directory)
    over_nodes = any(k.startswith("phase[") and v == "nodes" for k, v in program.items())
    if over_nodes and rule not in _FILLS_NODES:
        why = f'a phase is over "nodes", which needs one of: {", ".join(_FILLS_NODES)}'
        raise where.error("rule", rule, why)
    if rule == "tiles":
        section["processes"] = _read_processes(section.get("processes"), program, where)
    return Placement(section)


def _read_nodes(file: object, program: Program, where: Where, directory: Path) -> list[int]:
    if file is None:
        raise where.error(
            "file", ..., 'is missing: rule = "file" reads the node of every rank from it'
        )
    try:
        nodes = [int(word) for word in load_text(directory / str(file)).split()]
    except ConfigError as error:
        raise where.error("file", file, str(error)) from None
    except ValueError:
        raise where.error("file", file, "expected one whole number per rank") from None
    if len(nodes) != program.ranks:
        wanted = f"expected {program.ranks} numbers from 0, one per rank, not {len(nodes)}"
        raise where.error("file", file, wanted)
    wrong = next((node for node in nodes if not 0 <= node < _MOST_NODES), None)
    if wrong is not None:
        raise where.error("file", file, f"{shortened(str(wrong))} is no number of a node, from 0")
    return nodes


def _read_processes(given: object, program: Program, where: Where) -> list[int]:
    """Reads the process grid that tiles are made of: the program's, unless another one is given."""
    if isinstance(given, list):
        if given[0] * given[1] != program.ranks:
            raise where.error("processes", given, f"the product must be {program.ranks} ranks")
        return given
    found = core.load().processes({"program": dict(program)})
    if found is None:
        why = f"is missing: the program {program.name} names no process grid"
        raise where.error("processes", ..., why)
    return found
