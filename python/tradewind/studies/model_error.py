"""The error of simulated times, which the comparisons of conditions take into account.

Long messages travel as trains of packets, whose error is the `error_target` of the run, if its packets
are "auto". Other causes stand in study.toml: numbers, or expressions over the results of the parts
that vary the cause. If results have several seeds, their smallest and largest values count as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config import keys
from tradewind.config.experiment import Experiment
from tradewind.config.schema import Where, as_table
from tradewind.errors import ConfigError, Error
from tradewind.files import parse_json, parse_toml
from tradewind.studies.definition import Part, Study
from tradewind.studies.expression import parse
from tradewind.studies.shapes import has_missing
from tradewind.studies.uncertain import NoLabel, NoValue, computed

if TYPE_CHECKING:
    import xarray

TRAINS = "trains"
# Settings that decide about trains.
_SETTINGS = ("network", "packet_size", "error_target")
_AUTO = ("auto", 0)


@dataclass(frozen=True)
class PartError:
    """The relative error of the simulated times of a part.

    Args:
        terms: Errors by cause: a number, or an array over dimensions of the results.
        missing: Reasons for unknown errors, by cause.
    """

    terms: Mapping[str, Any] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> Any:
        """Root of the sum of the squares: the causes are independent of each other."""
        return np.sqrt(sum((term**2 for term in self.terms.values()), start=np.float64(0.0)))

    @property
    def text(self) -> str:
        """The text, with the largest of an array."""
        largest = {name: float(np.max(np.asarray(term))) for name, term in self.terms.items()}
        words = [f"{name} {share:.2g}" for name, share in largest.items() if share > 0]
        words += [f"{name} unknown ({reason})" for name, reason in self.missing.items()]
        return ", ".join(words)


def part_errors(study: Study, results: Mapping[str, xarray.Dataset]) -> dict[str, PartError]:
    """Returns the errors of all parts whose results are given.

    Args:
        study: The study, which declares the errors.
        results: The dataset of each part, by name.

    Raises:
        ConfigError: If an expression of the study is wrong.
    """
    return {
        name: _part_error(study, study.parts[name], results)
        for name in results
        if name in study.parts
    }


def check_errors(study: Study, outlines: Mapping[str, xarray.Dataset]) -> None:
    """Evaluates every expression of errors over results without meaning.

    Args:
        study: The study, which declares the errors.
        outlines: The form of the results of every part, by name.

    Raises:
        ConfigError: Naming the error whose expression is wrong.
    """
    for part in study.parts.values():
        for name, term in _terms(study, part).items():
            if isinstance(term, str):
                try:
                    parse(term, study.parts).value(outlines)
                except NoValue:
                    continue
                except (ConfigError, NoLabel) as error:
                    source = study.folder / "study.toml"
                    raise ConfigError(f"{source}: model_error {name}: {error}") from None


def _terms(study: Study, part: Part) -> dict[str, float | str]:
    shared = study.model_error if part.evaluate == "runs" else {}
    return {**shared, **part.model_error}


def _part_error(study: Study, part: Part, results: Mapping[str, xarray.Dataset]) -> PartError:
    data = results[part.name]
    terms: dict[str, Any] = {}
    missing: dict[str, str] = {}
    for name, term in ({TRAINS: None} | _terms(study, part)).items():
        try:
            share = _measured(term, study, results) if isinstance(term, str) else term
            terms[name] = _of_long_messages(data, share) if name == TRAINS else share
        except (NoLabel, NoValue, Error) as error:
            missing[name] = str(error)
    return PartError(terms, missing)


def _measured(text: str, study: Study, results: Mapping[str, xarray.Dataset]) -> Any:
    expression = parse(text, study.parts)
    absent = [name for name in expression.parts if name not in results]
    if absent:
        raise NoValue(f"needs {', '.join(absent)}")
    value = computed(expression.value(results)[0])
    if has_missing(value):
        raise NoValue(f"`{text}` has no value")
    return value


def _of_long_messages(data: xarray.Dataset, given: Any) -> Any:
    """Returns the error of trains, in the runs that have messages of more than one packet."""
    share = _train_error(data) if given is None else given
    if "packets" not in data or "messages" not in data:
        return share
    return (data["packets"] > data["messages"]) * share


def _train_error(data: xarray.Dataset) -> Any:
    """Returns `error_target` of every run with packets "auto", from the experiment that the results name."""
    import xarray

    if "experiment" not in data.attrs:
        return 0.0
    text, source = str(data.attrs["experiment"]), "the experiment that the results name"
    # Tables given in Python are stored as JSON, whose first letter begins no TOML file.
    tables = (parse_json if text.startswith("{") else parse_toml)(text, source)
    changes = parse_json(str(data.attrs.get("overrides", "{}")), f"{source}, overrides")
    experiment = Experiment.load(tables, as_table(changes, Where(source, "overrides")))
    axes = [axis for axis in experiment.axes if _changes_packets(axis.values)]
    shares = [
        _error_target(experiment, [axis.values[i] for axis, i in zip(axes, position, strict=True)])
        for position in product(*[range(len(axis.labels)) for axis in axes])
    ]
    shape = [len(axis.labels) for axis in axes]
    coordinates = {axis.name: list(axis.labels) for axis in axes}
    return xarray.DataArray(np.reshape(shares, shape), coordinates, list(coordinates))


def _changes_packets(values: tuple[Mapping[str, Any], ...]) -> bool:
    return any(name in _SETTINGS for name, _ in _simulation_keys(values))


def _simulation_keys(values: tuple[Mapping[str, Any], ...]) -> Iterator[tuple[str, Any]]:
    for one in values:
        for dotted, value in one.items():
            table, _, name = dotted.partition(".")
            if table == "simulation":
                yield from [(name, value)] if name else value.items()


def _error_target(experiment: Experiment, choices: list[Mapping[str, Any]]) -> float:
    declared = keys.sections()["simulation"]
    defaults = {name: declared[name].default for name in _SETTINGS}
    chosen: dict[str, Any] = defaults | experiment.raw.get("simulation", {})
    chosen |= dict(_simulation_keys(tuple(choices)))
    uses_trains = chosen["network"] != "analytic" and chosen["packet_size"] in _AUTO
    return float(chosen["error_target"]) if uses_trains else 0.0
