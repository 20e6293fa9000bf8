"""The [sweep] table: the axes along which an experiment varies."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tradewind.config.overrides import path_of
from tradewind.config.schema import Where, as_table, written
from tradewind.errors import suggestion
from tradewind.units import quantities

Label = int | float | str

_VARYING = ("machine", "program", "placement", "simulation")
# `seed` in a sweep sets both of them.
_SEED_KEYS = ("simulation.seed", "placement.seed")
# Names of the axes, and dimensions of results, along which only random choices differ.
SEEDS = ("seed", "simulation_seed", "placement_seed")


@dataclass(frozen=True)
class Axis:
    """One direction of a sweep.

    Args:
        name: Short name, also that of the dimension of the results.
        labels: What distinguishes the runs along it: numbers if all are numbers, else texts.
        values: For each label, what is set, by dotted key.
    """

    name: str
    labels: tuple[Label, ...]
    values: tuple[Mapping[str, Any], ...]

    @property
    def is_numeric(self) -> bool:
        """True if the labels are numbers."""
        return all(isinstance(label, int | float) for label in self.labels)

    @property
    def is_seed(self) -> bool:
        """True if only random choices differ along it."""
        return self.name in SEEDS

    @property
    def numbers(self) -> Mapping[Label, float]:
        """The value of each label, of quantities in base units; empty if they are names."""
        if self.is_numeric:
            return {label: float(label) for label in self.labels}
        values = quantities([str(label) for label in self.labels])
        return dict(zip(self.labels, values, strict=True)) if values else {}

    def where(self, wanted: Callable[[Mapping[str, Any]], bool]) -> Axis:
        """The axis with the labels alone whose values are wanted."""
        kept = [index for index, values in enumerate(self.values) if wanted(values)]
        labels = tuple(self.labels[index] for index in kept)
        return Axis(self.name, labels, tuple(self.values[index] for index in kept))


def x_axis(axes: Sequence[Axis]) -> Axis | None:
    """Returns the x axis of figures: among the varying axes ranks, else numbers, else quantities."""
    chosen = [axis for axis in axes if not axis.is_seed] or axes
    varying = [axis for axis in chosen if len(axis.labels) > 1] or chosen
    numeric = [axis for axis in varying if axis.is_numeric]
    ranks = [axis for axis in numeric if axis.name == "ranks"]
    measured = [axis for axis in varying if axis.numbers]
    return next(iter([*ranks, *numeric, *measured]), None)


def read_axes(raw: object, where: Where) -> tuple[Axis, ...]:
    """Reads the sweep.

    Args:
        raw: Lists of values by dotted key; and `series`, a list of tables each of which sets
            several keys at once and may have a `label`; and `seed`, a list of whole numbers, for all
            random choices of a run.
        where: The place of the table, for messages.

    Raises:
        ConfigError: If a key cannot vary, or its values are no list, or are given twice.
    """
    axes = []
    for dotted, values in as_table(raw, where).items():
        if not isinstance(values, list) or not values:
            raise where.error(dotted, values, "expected a list with at least one value")
        if dotted == "series":
            axes.append(_read_series(values, where))
            continue
        keys = _SEED_KEYS if dotted == "seed" else (dotted,)
        for key in keys:
            _check_key(key, values, where)
        labels = _labels(values)
        if len(set(labels)) != len(labels):
            raise where.error(dotted, values, "the same value is given twice")
        settings = tuple(dict.fromkeys(keys, value) for value in values)
        axes.append(Axis(short_name(dotted), labels, settings))
    return _with_unique_names(axes)


def short_name(dotted: str) -> str:
    """Name of the axis of a key: "program.ranks" is "ranks", "machine.name" is "machine"."""
    parts = path_of(dotted)
    if parts[-1] == "name":
        parts = parts[:-1]
    if len(parts) > 2 and parts[0] == "machine":
        return "_".join(parts[1:])
    return parts[-1]


def _read_series(entries: list[Any], where: Where) -> Axis:
    labels: list[Label] = []
    values = []
    for index, entry in enumerate(entries):
        place = where.inside(f"series[{index}]")
        table = dict(as_table(entry, place))
        label = table.pop("label", None)
        for dotted, value in table.items():
            _check_key(dotted, value, place)
        text = ", ".join(map(str, _labels(list(table.values())))) if label is None else label
        if not isinstance(text, str) or text in labels:
            raise place.error("label", label, "expected a string that no other series has")
        labels.append(text)
        values.append(table)
    return Axis("series", tuple(labels), tuple(values))


def _check_key(dotted: str, value: object, where: Where) -> None:
    first = path_of(dotted)[0]
    if first not in _VARYING:
        hint = suggestion(first, [name + "..." for name in _VARYING])
        raise where.error(dotted, value, f"this key cannot vary; {hint}")


def _labels(values: list[Any]) -> tuple[Label, ...]:
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        return tuple(values)
    return tuple(_label(value) for value in values)


def _label(value: object) -> str:
    if isinstance(value, Mapping):
        rest = [
            f"{key} {_label(entry)}"
            for key, entry in value.items()
            if key not in ("name", "algorithm")
        ]
        main = [str(value[key]) for key in ("name", "algorithm") if key in value]
        return ", ".join(main + rest)
    return value if isinstance(value, str) else written(value)


def _with_unique_names(axes: list[Axis]) -> tuple[Axis, ...]:
    result: list[Axis] = []
    for axis in axes:
        taken = {other.name for other in axes if other is not axis}
        name = axis.name
        if name in taken and axis.values and name != "series":
            name = "_".join(path_of(next(iter(axis.values[0]))))
        result.append(Axis(name, axis.labels, axis.values))
    return tuple(result)
