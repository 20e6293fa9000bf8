"""The error of simulated times, which the comparisons of conditions take into account.

Long messages travel as trains of packets, whose error is the `error_target` of the run, if its packets
are "auto". Other causes stand in study.toml: numbers, or expressions over the results of the parts
that vary the cause, for all results or by label. If results have several seeds, their smallest and largest values count as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.config import keys
from tradewind.config.experiment import Experiment
from tradewind.config.schema import Where, as_table
from tradewind.errors import ConfigError, Error, suggestion
from tradewind.files import parse_json, parse_toml
from tradewind.studies.definition import ByLabel, ErrorTerm, Factors, Part, Study
from tradewind.studies.expression import parse
from tradewind.studies.shapes import has_missing
from tradewind.studies.uncertain import NoLabel, NoValue, Shares, as_shares, computed

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
        terms: Errors by cause: numbers, or arrays over dimensions of the results.
        missing: Reasons for unknown errors, by cause.
    """

    terms: Mapping[str, Shares] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)

    @property
    def total(self) -> Shares:
        """Root of the sum of the squares on each side: the causes are independent of each other."""
        return Shares(
            _root_of_squares([term.below for term in self.terms.values()]),
            _root_of_squares([term.above for term in self.terms.values()]),
        )

    @property
    def text(self) -> str:
        """The text, with the largest of an array."""
        words = [f"{name} {text}" for name, text in zip(self.terms, self._sizes(), strict=True)]
        words = [text for text in words if text.rpartition(" ")[2] != "0"]
        words += [f"{name} unknown ({reason})" for name, reason in self.missing.items()]
        return ", ".join(words)

    def _sizes(self) -> Iterator[str]:
        for term in self.terms.values():
            below, above = (float(np.max(np.asarray(side))) for side in (term.below, term.above))
            least = f"-{below:.2g}" if below > 0 else "0"
            yield f"{above:.2g}" if below == above else f"{least}..+{above:.2g}"


def _root_of_squares(terms: list[Any]) -> Any:
    return np.sqrt(sum((term**2 for term in terms), start=np.float64(0.0)))


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
            try:
                _check_term(term, study, part, outlines)
            except NoValue:
                continue
            except (ConfigError, NoLabel) as error:
                source = study.folder / "study.toml"
                raise ConfigError(f"{source}: model_error {name}: {error}") from None


def _check_term(
    term: ErrorTerm, study: Study, part: Part, outlines: Mapping[str, xarray.Dataset]
) -> None:
    match term:
        case str():
            parse(term, study.parts).value(outlines)
        case Factors():
            for end in (term.least, term.most):
                _check_term(end, study, part, outlines)
        case ByLabel():
            labels = outlines[part.name].get(term.dim)
            if labels is None:
                known = suggestion(term.dim, map(str, outlines[part.name].dims))
                raise ConfigError(f"{part.name} has no dimension `{term.dim}`; {known}")
            for label in term.terms:
                if label not in map(str, labels.values):
                    raise ConfigError(
                        f"{part.name} has no {term.dim} `{label}`; "
                        f"{suggestion(label, map(str, labels.values))}"
                    )
            for one in (*term.terms.values(), term.other):
                _check_term(one, study, part, outlines)


def _terms(study: Study, part: Part) -> dict[str, ErrorTerm]:
    shared = study.model_error if part.evaluate == "runs" else {}
    return {**shared, **part.model_error}


def _part_error(study: Study, part: Part, results: Mapping[str, xarray.Dataset]) -> PartError:
    data = results[part.name]
    terms: dict[str, Shares] = {}
    missing: dict[str, str] = {}
    declared = _terms(study, part)
    for name in dict.fromkeys([TRAINS, *declared]):
        try:
            if name in declared:
                shares = _shares(declared[name], data, study, results)
            else:
                shares = as_shares(_train_error(data))
            terms[name] = shares.map(partial(_of_long_messages, data)) if name == TRAINS else shares
        except (NoLabel, NoValue, Error) as error:
            missing[name] = str(error)
    return PartError(terms, missing)


def _shares(
    term: ErrorTerm, data: xarray.Dataset, study: Study, results: Mapping[str, xarray.Dataset]
) -> Shares:
    """Returns the shares by which the times of the data may be smaller and larger."""
    match term:
        case Factors():
            least, most = (
                _measured(end, study, results) if isinstance(end, str) else end
                for end in (term.least, term.most)
            )
            return Shares(np.maximum(0.0, 1.0 - least), np.maximum(0.0, most - 1.0))
        case ByLabel():
            return _shares_by_label(term, data, study, results)
        case str():
            return as_shares(_measured(term, study, results))
    return as_shares(term)


def _shares_by_label(
    term: ByLabel, data: xarray.Dataset, study: Study, results: Mapping[str, xarray.Dataset]
) -> Shares:
    import xarray

    labels = data[term.dim]
    own = [
        _shares(term.terms.get(str(label), term.other), data, study, results)
        for label in labels.values
    ]

    def along(sides: list[Any]) -> xarray.DataArray:
        arrays = xarray.broadcast(
            *[xarray.DataArray(side).reset_coords(drop=True) for side in sides]
        )
        return xarray.concat(arrays, labels)

    return Shares(along([one.below for one in own]), along([one.above for one in own]))


def _measured(text: str, study: Study, results: Mapping[str, xarray.Dataset]) -> Any:
    expression = parse(text, study.parts)
    absent = [name for name in expression.parts if name not in results]
    if absent:
        raise NoValue(f"needs {', '.join(absent)}")
    value = computed(expression.value(results)[0])
    if has_missing(value):
        raise NoValue(f"`{text}` has no value")
    return value


def _of_long_messages(data: xarray.Dataset, share: Any) -> Any:
    """Returns the error of trains, in the runs that have messages of more than one packet."""
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
