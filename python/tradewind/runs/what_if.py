"""Changes of a run that may make it faster, and what each gains in a simulation."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.config import keys, parts
from tradewind.config.data_file import trace_collectives
from tradewind.config.experiment import Experiment
from tradewind.config.parts import Part
from tradewind.config.schema import Key
from tradewind.config.spec import Spec
from tradewind.errors import ConfigError
from tradewind.results.critical_path import CriticalPath
from tradewind.runs.run import Run
from tradewind.runs.sweep import simulate
from tradewind.units import Dimension, quantity_text

# A change of the machine is tried where what it acts on takes at least this share of the path.
_WORTH_TRYING = 0.02
_FASTER = "ranks that compute twice as fast"
# (kinds of steps, section, key, factor, what it means)
_HARDWARE: tuple[tuple[tuple[str, ...], str, str, float, str], ...] = (
    (
        ("injection_queue", "port_queue", "credit", "back_pressure", "wire"),
        "nic",
        "injection_bandwidth",
        2,
        "interfaces twice as fast",
    ),
    (
        ("port_queue", "credit", "back_pressure", "wire"),
        "link",
        "bandwidth",
        2,
        "links twice as fast",
    ),
    (("wire", "rendezvous"), "link", "latency", 0.5, "half the latency of links"),
    (("credit", "back_pressure"), "switch", "buffer", 4, "buffers four times as large"),
    (("back_pressure", "injection_queue"), "nic", "messages_in_turn", 8, "messages sent in turn"),
    (("overhead",), "message", "overhead_send", 0.5, "half the overhead of a send"),
    (("overhead",), "message", "overhead_receive", 0.5, "half the overhead of a receive"),
    (("rendezvous",), "message", "eager_limit", 4, "eager messages four times as long"),
    (
        ("memory", "node_copy", "local_work", "wire", "back_pressure"),
        "node",
        "memory_bandwidth",
        2,
        "memory twice as fast",
    ),
    (("compute",), "node", "flops", 2, _FASTER),
)
# The settings of programs that say how long they compute, and how much.
_COUNTED = ("flops", "memory", "total_flops", "total_memory")
_COMPUTATION = ("slowdown", "time", "total_time")
# Process grids on either side of the present one.
_GRIDS_BESIDE = 2
# The call sites of an operation, those with most bytes, at which its algorithm is changed alone.
_MOST_SITES = 3


@dataclass(frozen=True)
class Change:
    """A change of an experiment.

    Args:
        group: What it changes: algorithm, process grid, placement or machine.
        words: The change in words.
        settings: The values of dotted keys, as `--set` takes them.
    """

    group: str
    words: str
    settings: Mapping[str, Any]

    @property
    def arguments(self) -> str:
        """The options of the command line that make the change."""
        return " ".join(f"--set {_quoted(f'{k}={_text(v)}')}" for k, v in self.settings.items())


@dataclass(frozen=True)
class Trial:
    """A change, and the run with it.

    Args:
        change: The change.
        time_s: The simulated time in s.
        gain: The share of the time without the change that it saves; negative if it costs time.
    """

    change: Change
    time_s: float
    gain: float

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        return {
            "group": self.change.group,
            "change": self.change.words,
            "settings": dict(self.change.settings),
            "time_s": self.time_s,
            "gain": self.gain,
        }


@dataclass(frozen=True)
class Trials:
    """Changes that were tried, and those that were not.

    Args:
        tried: The changes that were simulated, the best first.
        left: The changes for which there was no time.
        refused: The changes that the experiment does not allow, and why.
    """

    tried: Sequence[Trial]
    left: Sequence[Change]
    refused: Sequence[tuple[Change, str]]


class Question:
    """An experiment of one run that can be made again with changes.

    Args:
        given: The file, the name of a shipped experiment, or the tables.
        overrides: Values for dotted keys.
        number: Which run of a sweep, from 1; None if there is only one.

    Raises:
        ConfigError: If the experiment is wrong, or a sweep and no run of it was chosen.
    """

    def __init__(
        self,
        given: str | Path | Mapping[str, Any],
        overrides: Mapping[str, Any],
        number: int | None = None,
    ) -> None:
        loaded = Experiment.load(given, overrides)
        self._given = given
        self._source = f"{loaded.source} (overridden)"
        self._fixed = dict(overrides) | _chosen(loaded, number)

    def experiment(self, changes: Mapping[str, Any] | None = None) -> Experiment:
        """Returns the experiment with some keys changed."""
        return Experiment.load(self._given, {**self._fixed, **(changes or {})})

    def run(self, changes: Mapping[str, Any] | None = None) -> Run:
        """Simulates the experiment with some keys changed.

        Raises:
            ConfigError: If the changed experiment is refused.
        """
        run = simulate(self.experiment(changes))
        assert isinstance(run, Run)
        return run

    def try_all(
        self,
        changes: Sequence[Change],
        base_s: float,
        seconds: float,
        note: Callable[[Change], None],
    ) -> Trials:
        """Simulates one change after the other until the time is up.

        Args:
            changes: The changes, the most promising first.
            base_s: The simulated time without a change.
            seconds: The real time in s after which no further run begins.
            note: Is told of each change before it is tried.
        """
        until = time.monotonic() + seconds
        tried: list[Trial] = []
        refused: list[tuple[Change, str]] = []
        left: list[Change] = []
        for change in changes:
            if time.monotonic() > until:
                left.append(change)
                continue
            note(change)
            try:
                time_s = self.run(change.settings).time_s
            except ConfigError as error:
                refused.append((change, str(error).rpartition(f"{self._source}: ")[2]))
                continue
            gain = 1 - time_s / base_s if base_s > 0 else 0.0
            tried.append(Trial(change, time_s, gain))
        return Trials(sorted(tried, key=lambda trial: -trial.gain), left, refused)


def changes_of(spec: Spec, path: CriticalPath) -> list[Change]:
    """Returns the changes that may help a run.

    The first change of each group comes before the second one of any, so that a search that ends
    early has tried some of all.

    Args:
        spec: The settings of the run.
        path: Its critical path, which decides what of the machine is worth a change.
    """
    chosen = _parts(spec, path)
    groups = (
        _placements(spec),
        (change for part in chosen for change in _grids(part)),
        itertools.chain(_computation(chosen, path), _hardware(spec, chosen, path)),
        (change for part in chosen for change in _algorithms(part)),
        _algorithms_of_calls(spec),
        _algorithms_of_sites(spec),
    )
    turns = itertools.zip_longest(*groups)
    return [change for turn in turns for change in turn if change is not None]


def bounds_without(spec: Spec) -> dict[str, dict[str, Any]]:
    """Returns changes that take a cause of delay away, by what is left then.

    Args:
        spec: The settings of the run.
    """
    packets = spec.simulation.network != "analytic"
    fast = {
        f"machine.{section}.{key}": "1000 TB/s"
        for section, key in (
            ("link", "bandwidth"),
            ("nic", "injection_bandwidth"),
            ("nic", "ejection_bandwidth"),
            ("node", "memory_bandwidth"),
        )
    } | {
        f"machine.link.{key}": "1000 TB/s"
        for key in spec.hardware.link
        if key.endswith("_bandwidth")
    }
    bounds: dict[str, dict[str, Any]] = {}
    if packets:
        bounds["buffers without a limit"] = {"simulation.network": "packet_unbounded"}
        bounds["switches without queues (analytic)"] = {"simulation.network": "analytic"}
        fast["simulation.network"] = "packet_unbounded"
    bounds["latencies, overheads and computation alone"] = fast
    return bounds


def _chosen(experiment: Experiment, number: int | None) -> dict[str, Any]:
    """Returns the values that make one run of a sweep."""
    members = experiment.members()
    if number is None:
        if len(members) == 1:
            number = 1
        else:
            raise ConfigError(
                f"{experiment.source}: a sweep of {len(members)} runs: choose one of them with "
                f"--run 1 .. {len(members)}, or fix what varies with --set"
            )
    if not 1 <= number <= len(members):
        raise ConfigError(f"--run {number}: expected 1 .. {len(members)}")
    position = members[number - 1].position
    values: dict[str, Any] = {}
    for axis, index in zip(experiment.axes, position, strict=True):
        values |= axis.values[index]
    return values


def _placements(spec: Spec) -> Iterator[Change]:
    rules = [rule for rule in keys.sections()["placement"]["rule"].choices if rule != "file"]
    has_grid = core.load().processes({"program": dict(spec.program)}) is not None
    for rule in rules:
        if rule != spec.placement.rule and (has_grid or rule != "tiles"):
            yield Change("placement", f"placement {rule}", {"placement": {"rule": rule}})


def _parts(spec: Spec, path: CriticalPath) -> list[Part]:
    """Returns the program and its phases that are worth a change, the longest on the path first."""
    shares = {entry.name: entry.share for entry in path.by_phase()}
    phases = [(shares.get(phase.name, 0.0), phase) for phase in parts.phases(spec.program)]
    phases.sort(key=lambda one: -one[0])
    return [parts.whole(spec.program), *(one for share, one in phases if share >= _WORTH_TRYING)]


def _change(part: Part, group: str, words: str, key: str, value: Any) -> Change:
    """Returns the change of one key of a part."""
    told = f"{part.name}: {words}" if part.name else words
    return Change(group, told, {f"{part.key}.{key}": value})


def _grids(part: Part) -> Iterator[Change]:
    """Yields other process grids: turned, and those beside the present one among all."""
    present = part.processes
    if present is None or not part.is_on_all or "processes" not in part.program.keys:
        return
    ranks = present[0] * present[1]
    all_grids = [[count, ranks // count] for count in range(1, ranks + 1) if ranks % count == 0]
    at = all_grids.index(list(present))
    near = sorted(
        (grid for grid in all_grids if abs(all_grids.index(grid) - at) <= _GRIDS_BESIDE),
        key=lambda grid: abs(all_grids.index(grid) - at),
    )
    turned = [present[1], present[0]]
    for grid in [*near, *([turned] if turned not in near else [])]:
        if grid != list(present):
            words = f"process grid {grid[0]} x {grid[1]}"
            yield _change(part, "process grid", words, "processes", grid)


def _algorithms(part: Part) -> Iterator[Change]:
    """Yields the other algorithms of the operation, with their own default options."""
    operation = part.program.operation
    if operation is None:
        return
    present = part.settings.get("algorithm")
    for name in _others(operation, present):
        value = {"algorithm": name}
        yield _change(part, "algorithm", f"{operation} by {name}", operation, value)


def _algorithms_of_calls(spec: Spec) -> Iterator[Change]:
    """Yields the other algorithms of a program that has a key for each of its operations."""
    program = keys.programs()[spec.program.name]
    if program.operation is not None:
        return
    declared = program.keys
    recorded = trace_collectives(dict(spec.program.items()))
    if recorded:
        used = list(dict.fromkeys(row.operation for row in recorded))
    else:
        told = core.load().operations(spec.tables())
        used = sorted({use["operation"] for use in told if use["key"]} & set(declared))
    for operation in used:
        present = str(spec.program.get(operation, declared[operation].default)).partition(":")[0]
        for name in _others(operation, present):
            yield Change("algorithm", f"{operation} by {name}", {f"program.{operation}": name})


def _algorithms_of_sites(spec: Spec) -> Iterator[Change]:
    """Yields the other algorithms at single call sites, where a trace has the operation at several."""
    program = dict(spec.program.items())
    recorded = [row for row in trace_collectives(program) if _can_be_named(row.site)]
    given = str(program.get("sites", ""))
    declared = keys.programs()[spec.program.name].keys
    for operation in dict.fromkeys(row.operation for row in recorded):
        rows = [row for row in recorded if row.operation == operation]
        present = str(program.get(operation, declared[operation].default)).partition(":")[0]
        for row in rows[:_MOST_SITES] if len(rows) > 1 else ():
            for name in _others(operation, present):
                entry = f"{row.site} {operation}={name}"
                words = f"{operation} at {row.site} by {name}"
                sites = f"{given}; {entry}" if given else entry
                yield Change("algorithm", words, {"program.sites": sites})


def _can_be_named(site: str) -> bool:
    """Returns whether the key `sites` can name a call site."""
    return bool(site) and not set(";=") & set(site)


def _others(operation: str, present: object) -> list[str]:
    """Returns the other algorithms that programs can choose, each by its first name."""
    ways = [way for way in core.load().algorithms() if way["operation"] == operation]
    if not ways:
        return [name for name in core.names(operation) if name != present]
    first = {way["name"]: way["same_as"] for way in ways}
    return [name for name in dict.fromkeys(first.values()) if name != first.get(str(present))]


def _computation(chosen: Sequence[Part], path: CriticalPath) -> Iterator[Change]:
    """Yields faster computation where a program or phase says how long it computes."""
    if path.share_of("compute") < _WORTH_TRYING:
        return
    for part in chosen:
        for key in _COMPUTATION:
            declared = part.program.keys.get(key)
            present = part.settings.get(key) or (declared.default if declared else None)
            if declared is not None and isinstance(present, int | float) and present > 0:
                halved = _as_text(declared, present / 2)
                yield _change(part, "machine", _FASTER, key, halved)


def _computes_by_rate(chosen: Sequence[Part]) -> bool:
    """Returns False if all computation has a time of its own, so that no rate changes it."""
    timed = any(key in part.program.keys for part in chosen for key in _COMPUTATION)
    return not timed or any(part.settings.get(key) for part in chosen for key in _COUNTED)


def _hardware(spec: Spec, chosen: Sequence[Part], path: CriticalPath) -> Iterator[Change]:
    found = []
    for kinds, section, key, factor, words in _HARDWARE:
        share = path.share_of(*kinds)
        settings = getattr(spec.hardware, section)
        if share < _WORTH_TRYING or key not in settings:
            continue
        if words == _FASTER and not _computes_by_rate(chosen):
            continue
        declared = keys.sections()[section][key]
        value = settings.number(key)
        changed = 8 if key == "messages_in_turn" else _as_text(declared, value * factor)
        if value == 0 or changed == value:
            continue
        changes = {f"machine.{section}.{key}": changed}
        if key == "injection_bandwidth":
            # The rate of receiving follows that of sending only where no file gives it.
            received = settings.number("ejection_bandwidth") * factor
            changes["machine.nic.ejection_bandwidth"] = _as_text(declared, received)
        found.append((share, Change("machine", words, changes)))
    yield from (change for _, change in sorted(found, key=lambda one: -one[0]))


def _as_text(declared: Key, value: float) -> Any:
    kind = declared.kind
    return quantity_text(kind, value) if isinstance(kind, Dimension) else value


def _text(value: Any) -> str:
    if isinstance(value, Mapping):
        inner = ", ".join(f"{key} = {_text(one)}" for key, one in value.items())
        return f"{{{inner}}}"
    if isinstance(value, list):
        return f"[{', '.join(str(one) for one in value)}]"
    return f'"{value}"' if isinstance(value, str) else str(value)


def _quoted(text: str) -> str:
    return f"'{text}'" if any(letter in text for letter in ' "[]{}') else text
