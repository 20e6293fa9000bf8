"""The definition of a study: experiments/<study>/study.toml and claims.toml, strictly read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeAlias

from tradewind.config import places
from tradewind.config.experiment import Experiment
from tradewind.config.schema import (
    Key,
    Section,
    Table,
    Where,
    as_table,
    complete,
    read_table,
    written,
)
from tradewind.errors import ConfigError, suggestion
from tradewind.files import load_toml

_STUDY: Table = {"title": Key(str, required=True), "source": Key(str, required=True)}
_PART: Table = {
    "title": Key(str, required=True),
    "place": Key(str, ""),
    "evaluate": Key(str, "runs"),
    "long": Key(bool, False),
}
_PART_TABLES = ("experiments", "full", "model_error", "plots", "reduced", "settings")
_CLAIM: Table = {
    "id": Key(str, required=True),
    "claim": Key(str, required=True),
    "place": Key(str, ""),
    "condition": Key(str, ""),
    "finding": Key(str, ""),
    "untestable": Key(str, ""),
    "needs": Key(str, ""),
    "otherwise": Key(str, ""),
}
# The name of the error of all labels that are not named.
_OTHER = "other"
# The largest number in the settings of a part.
_LARGEST = 1e12
_CLAIM_TABLES = ("evidence", "parts")


@dataclass(frozen=True)
class Factors:
    """The factors by which times may be shorter and longer.

    Args:
        least: A number, or an expression over results.
        most: A number, or an expression over results.
    """

    least: float | str = 1.0
    most: float | str = 1.0


@dataclass(frozen=True)
class ByLabel:
    """Errors that differ along a dimension of the results.

    Args:
        dim: The dimension.
        terms: The error of each label.
        other: The error of all other labels.
    """

    dim: str
    terms: Mapping[str, ErrorTerm]
    other: ErrorTerm


# The relative error of simulated times that a cause has. A number, or an expression over results, is a share.
ErrorTerm: TypeAlias = "float | str | Factors | ByLabel"
ErrorTerms = Mapping[str, ErrorTerm]


@dataclass(frozen=True)
class Part:
    """A figure or table of a study.

    Args:
        name: Its name for `--only` and in the conditions of claims.
        title: Its subject.
        place: Its place in the paper, such as "figure 5b".
        experiments: Names of the experiment files that it is made of.
        reduced: Values that replace those of the experiments unless the full series is asked for,
            by dotted key.
        full: The same where it is asked for.
        evaluate: Name of an entry of EVALUATORS, which makes tables, figures and results.
        plots: Kinds of pictures of its runs.
        settings: Settings of the evaluator.
        model_error: Relative errors of its simulated times that differ from those of the study.
        long: Belongs to the full series only; in the reduced one it is made when it is named, with
            its full values.
    """

    name: str
    title: str
    place: str
    experiments: tuple[str, ...]
    reduced: Mapping[str, Any]
    full: Mapping[str, Any]
    evaluate: str
    plots: tuple[str, ...]
    settings: Mapping[str, Any]
    model_error: ErrorTerms
    long: bool = False

    def word(self, key: str) -> str:
        """Returns a string of the settings.

        Args:
            key: The name of the setting.

        Raises:
            ConfigError: If it is missing, or no text.
        """
        value = self.settings.get(key)
        if not isinstance(value, str):
            raise self._wrong(key, "a string")
        return value

    def words(self, key: str) -> tuple[str, ...]:
        """Returns a list of texts of the settings.

        Args:
            key: The name of the setting.

        Raises:
            ConfigError: If it is missing, or anything else.
        """
        return tuple(self._list(key, lambda entry: isinstance(entry, str), "a list of texts"))

    def counts(self, key: str) -> tuple[int, ...]:
        """Returns a list of positive whole numbers of the settings.

        Args:
            key: The name of the setting.

        Raises:
            ConfigError: If it is missing, or anything else.
        """
        return tuple(self._list(key, _is_count, "a list of positive whole numbers"))

    def processes(self, full: bool) -> list[int]:
        """Returns the process counts of the full series, or of the reduced one.

        Args:
            full: The full series.

        Raises:
            ConfigError: If they are missing, or no positive whole numbers.
        """
        return list(self.counts("processes" if full else "reduced_processes"))

    def seeds(self, full: bool) -> list[int]:
        """Returns the seeds of random choices of the full series, or of the reduced one.

        Args:
            full: The full series; else the reduced one, if it has seeds of its own.
        """
        is_reduced = not full and "reduced_seeds" in self.settings
        return list(self.counts("reduced_seeds" if is_reduced else "seeds"))

    def pairs(self, key: str) -> tuple[tuple[int, int], ...]:
        """Returns a list of pairs of positive whole numbers of the settings.

        Args:
            key: The name of the setting.

        Raises:
            ConfigError: If it is missing, or anything else.
        """
        found = self._list(key, _is_pair, "a list of pairs of positive whole numbers")
        return tuple((first, second) for first, second in found)

    def counts_by_name(self, key: str) -> dict[str, int]:
        """Returns a table of positive whole numbers of the settings; without it an empty one.

        Args:
            key: The name of the setting.

        Raises:
            ConfigError: If it is anything else.
        """
        value = self.settings.get(key, {})
        if not isinstance(value, dict) or not all(map(_is_count, value.values())):
            raise self._wrong(key, "a table of positive whole numbers")
        return dict(value)

    def tables(self, key: str) -> dict[str, dict[str, Any]]:
        """Returns a table of tables of the settings.

        Args:
            key: The name of the setting.

        Raises:
            ConfigError: If it is missing, or anything else.
        """
        value = self.settings.get(key)
        if not isinstance(value, dict) or not all(isinstance(one, dict) for one in value.values()):
            raise self._wrong(key, "a table of tables")
        return {name: dict(table) for name, table in value.items()}

    def number(self, key: str) -> float:
        """Returns a positive number of the settings.

        Args:
            key: The name of the setting.

        Raises:
            ConfigError: If it is missing, or anything else.
        """
        value = self.settings.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._wrong(key, "a number")
        if not 0 < value <= _LARGEST:
            raise self._wrong(key, f"a number from 0 to {_LARGEST:g}")
        return float(value)

    def _list(self, key: str, is_entry: Callable[[object], bool], expected: str) -> list[Any]:
        value = self.settings.get(key)
        if not isinstance(value, list) or not value or not all(map(is_entry, value)):
            raise self._wrong(key, expected)
        if any(entry in value[:place] for place, entry in enumerate(value)):
            raise self._wrong(key, f"{expected}, each one once")
        return value

    def _wrong(self, key: str, expected: str) -> ConfigError:
        given = f" = {written(self.settings[key])}" if key in self.settings else ""
        return ConfigError(f"part {self.name}: settings.{key}{given}: expected {expected}")


@dataclass(frozen=True)
class Claim:
    """One statement of the paper.

    Args:
        id: A name such as "Z5".
        claim: The statement in our words.
        place: Its place in the paper.
        condition: An expression over the results of parts, see `Expression`; true if the statement
            holds.
        evidence: Further expressions whose values are shown, by what they are.
        parts: Parts that it rests on beside those that the expressions name.
        finding: Why it does not hold, if it does not.
        untestable: Why nothing here can test it, if it has no condition.
        needs: An expression without whose truth the condition says nothing; empty: none.
        otherwise: The missing requirement, in words.
    """

    id: str
    claim: str
    place: str
    condition: str
    evidence: Mapping[str, str]
    parts: tuple[str, ...]
    finding: str
    untestable: str
    needs: str = ""
    otherwise: str = ""


@dataclass(frozen=True)
class Study:
    """A published study.

    Args:
        name: Name of its folder.
        title: Title of the paper.
        source: Its key in the list of references.
        folder: The folder of its files.
        parts: Its parts, in the order of the file.
        claims: Its claims, in the order of the file.
        model_error: Relative errors of the simulated times of all parts that consist of runs.
    """

    name: str
    title: str
    source: str
    folder: Path
    parts: Mapping[str, Part]
    claims: tuple[Claim, ...]
    model_error: ErrorTerms

    def experiments(self, part: Part, *, full: bool) -> dict[str, Experiment]:
        """Returns the experiments of a part, by the names of their files.

        Args:
            part: A part of the study.
            full: The full series instead of the reduced one.

        Raises:
            ConfigError: If a file or the reduced series is wrong.
        """
        overrides = dict(part.full if full else part.reduced)
        return {
            name: Experiment.load(self.folder / f"{name}.toml", overrides)
            for name in part.experiments
        }


def study_names() -> list[str]:
    """Returns the studies of this installation."""
    return sorted(places.study_folders())


def load_study(given: str | Path) -> Study:
    """Reads a study.

    Args:
        given: Its name, or the path of its folder.

    Returns:
        The study with its parts, claims and error of the model.

    Raises:
        ConfigError: Naming file, key, value and what is allowed.
    """
    folders = places.study_folders()
    folder = folders.get(str(given), Path(given))
    if not (folder / "study.toml").is_file():
        raise ConfigError(f"{given}: no such study; {suggestion(str(given), folders)}")
    where = Where(str(folder / "study.toml"))
    raw = load_toml(folder / "study.toml")
    _check_names(raw, ("study", "machines", "part", "model_error", "measured_error"), where)
    about = _read(raw.get("study", {}), _STUDY, where.inside("study"))
    tables = as_table(raw.get("part", {}), where.inside("part"))
    named = _read_errors(raw.get("measured_error", {}), where, {})
    machines = as_table(raw.get("machines", {}), where.inside("machines"))
    parts = {
        name: _with_machines(_read_part(name, table, where, folder, named), machines, where)
        for name, table in tables.items()
    }
    claims = _read_claims(folder / "claims.toml", parts)
    errors = _read_errors(raw.get("model_error", {}), where, named)
    name, title, source = folder.resolve().name, str(about["title"]), str(about["source"])
    return Study(name, title, source, folder, parts, claims, errors)


def _read_part(name: str, raw: object, where: Where, folder: Path, named: ErrorTerms) -> Part:
    place = where.inside(f"part.{name}")
    if not name.isidentifier():
        raise where.inside("part").error(name, ..., "expected a name of letters, digits and _")
    table = dict(as_table(raw, place))
    rest = {key: table.pop(key) for key in _PART_TABLES if key in table}
    section = _read(table, _PART, place, _PART_TABLES)
    experiments = _texts(rest.get("experiments", []), "experiments", place)
    for experiment in experiments:
        if not (folder / f"{experiment}.toml").is_file():
            raise place.error("experiments", experiment, f"no such file in {folder}")
    return Part(
        name,
        str(section["title"]),
        str(section["place"]),
        experiments,
        as_table(rest.get("reduced", {}), place.inside("reduced")),
        as_table(rest.get("full", {}), place.inside("full")),
        str(section["evaluate"]),
        _texts(rest.get("plots", []), "plots", place),
        as_table(rest.get("settings", {}), place.inside("settings")),
        _read_errors(rest.get("model_error", {}), place, named),
        bool(section["long"]),
    )


def _with_machines(part: Part, machines: Mapping[str, Any], where: Where) -> Part:
    """Returns a part with the tables of the machines of the study that its settings name."""
    names = part.settings.get("machines")
    if not isinstance(names, list):
        return part
    place = where.inside(f"part.{part.name}.settings")
    chosen = {name: _machine(name, machines, place, "machines") for name in names}
    return replace(part, settings={**part.settings, "machines": chosen})


def _machine(name: object, machines: Mapping[str, Any], where: Where, key: str) -> dict[str, Any]:
    """Returns the table of a machine of the study; what it does not say is that of `like`."""
    if not isinstance(name, str) or name not in machines:
        why = f"no machine of this study; {suggestion(str(name), machines)}"
        raise where.error(key, name, why)
    place = where.inside(f"machines.{name}")
    own = dict(as_table(machines[name], place))
    if "like" not in own:
        return own
    others = {other: table for other, table in machines.items() if other != name}
    return {**_machine(own.pop("like"), others, place, "like"), **own}


def _read_errors(raw: object, where: Where, named: ErrorTerms) -> ErrorTerms:
    """Returns errors by cause; the name of a measured error stands for that error."""
    place = where.inside("model_error")
    return _read_errors_of(as_table(raw, place), place, named)


def _read_error(name: str, value: object, where: Where, named: ErrorTerms) -> ErrorTerm:
    if isinstance(value, str):
        return named.get(value, value)
    if isinstance(value, dict):
        place = where.inside(name)
        if set(value) <= {"least", "most"}:
            return Factors(**{end: _read_factor(end, value[end], place) for end in value})
        if len(value) != 1:
            raise where.error(
                name, ..., "expected least and most, or one dimension with its labels"
            )
        ((dim, labels),) = value.items()
        terms = _read_errors_of(as_table(labels, place.inside(dim)), place.inside(dim), named)
        if _OTHER not in terms:
            raise place.error(dim, ..., f"expected `{_OTHER}`, for the labels that are not named")
        return ByLabel(dim, terms, terms.pop(_OTHER))
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < 1:
        raise where.error(name, value, "expected a share from 0 to 1, or a quoted expression")
    return value


def _read_errors_of(
    table: Mapping[str, Any], where: Where, named: ErrorTerms
) -> dict[str, ErrorTerm]:
    return {label: _read_error(label, value, where, named) for label, value in table.items()}


def _read_factor(name: str, value: object, where: Where) -> float | str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, int | float) or value <= 0:
        raise where.error(name, value, "expected a positive factor, or a quoted expression")
    return value


def _read_claims(path: Path, parts: Mapping[str, Part]) -> tuple[Claim, ...]:
    where = Where(str(path))
    raw = load_toml(path)
    _check_names(raw, ("claim",), where)
    entries = raw.get("claim", [])
    if not isinstance(entries, list):
        raise where.error("claim", ..., "expected [[claim]] tables")
    claims: list[Claim] = []
    for index, entry in enumerate(entries):
        claim = _read_claim(entry, where.inside(f"claim[{index}]"), parts)
        if any(other.id == claim.id for other in claims):
            raise where.error("id", claim.id, "is given twice")
        claims.append(claim)
    return tuple(claims)


def _read_claim(raw: object, where: Where, parts: Mapping[str, Part]) -> Claim:
    table = dict(as_table(raw, where))
    rest = {key: table.pop(key) for key in _CLAIM_TABLES if key in table}
    section = _read(table, _CLAIM, where, _CLAIM_TABLES)
    texts = {name: str(section[name]) for name in _CLAIM}
    named = _texts(rest.get("parts", []), "parts", where)
    for name in named:
        if name not in parts:
            raise where.error("parts", name, f"{texts['id']}: {suggestion(name, parts)}")
    if bool(texts["condition"]) == bool(texts["untestable"]):
        raise where.error("condition", ..., f"{texts['id']}: give either condition or untestable")
    if bool(texts["needs"]) != bool(texts["otherwise"]):
        raise where.error("needs", ..., f"{texts['id']}: needs and otherwise belong together")
    evidence = as_table(rest.get("evidence", {}), where.inside("evidence"))
    for name, expression in evidence.items():
        if not isinstance(expression, str):
            raise where.error(f"evidence.{name}", expression, "expected a quoted expression")
    return Claim(parts=named, evidence=evidence, **texts)


def _read(raw: object, table: Table, where: Where, also: tuple[str, ...] = ()) -> Section:
    _check_names(as_table(raw, where), (*table, *also), where)
    return complete(read_table(raw, table, where), table, where)


def _check_names(raw: Mapping[str, Any], known: tuple[str, ...], where: Where) -> None:
    for key in raw:
        if key not in known:
            raise where.error(key, ..., f"unknown key; {suggestion(key, known)}")


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _LARGEST


def _is_pair(value: object) -> bool:
    return isinstance(value, list) and len(value) == 2 and all(map(_is_count, value))


def _texts(value: object, key: str, where: Where) -> tuple[str, ...]:
    if not isinstance(value, list) or any(not isinstance(entry, str) for entry in value):
        raise where.error(key, value, "expected a list of texts")
    return tuple(value)
