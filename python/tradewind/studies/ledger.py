"""The ledger: every claim of a study with the verdict that its condition gives over the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind.errors import ConfigError
from tradewind.files import write_text
from tradewind.report.reach import Reach, reach_of
from tradewind.studies.definition import Claim, Study
from tradewind.studies.expression import Expression, parse, shown
from tradewind.studies.model_error import PartError, check_errors, part_errors
from tradewind.studies.tables import Table
from tradewind.studies.uncertain import NoLabel, NoValue

if TYPE_CHECKING:
    import xarray

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
UNDECIDED = "undecided"
NOT_TESTABLE = "not testable here"
VERDICTS = (REPRODUCED, NOT_REPRODUCED, UNDECIDED, NOT_TESTABLE)

_OF_TRUTH = {True: REPRODUCED, False: NOT_REPRODUCED, None: UNDECIDED}


@dataclass(frozen=True)
class CheckedClaim:
    """A claim whose expressions are known to be sound.

    Args:
        claim: The claim of the study.
        condition: None if nothing here can test it.
        evidence: Expressions to show, by what they are.
        needs: The requirement for the condition to be meaningful; None: nothing.
    """

    claim: Claim
    condition: Expression | None
    evidence: Mapping[str, Expression]
    needs: Expression | None = None

    @property
    def needed(self) -> tuple[str, ...]:
        """The parts that a verdict needs."""
        return self._parts_of(self.condition, self.needs)

    @property
    def parts(self) -> tuple[str, ...]:
        """All parts that it depends on, with those of the evidence."""
        return self._parts_of(self.condition, self.needs, *self.evidence.values())

    def _parts_of(self, *expressions: Expression | None) -> tuple[str, ...]:
        named = [name for expression in expressions if expression for name in expression.parts]
        return tuple(dict.fromkeys([*self.claim.parts, *named]))


@dataclass(frozen=True)
class Findings:
    """The results by which claims are judged.

    Args:
        results: Results of the parts that were made.
        missing: The reason for every other part; for parts with failed runs, these runs.
        errors: Relative errors of the simulated times of the parts.
    """

    results: Mapping[str, xarray.Dataset]
    missing: Mapping[str, str]
    errors: Mapping[str, PartError] = field(default_factory=dict)

    @classmethod
    def of(
        cls, study: Study, results: Mapping[str, xarray.Dataset], missing: Mapping[str, str]
    ) -> Findings:
        """Returns the results of a study with the errors that it declares.

        Args:
            study: The study.
            results: The dataset of each part that has been made, by name.
            missing: The reason for each part that has not, by name.
        """
        return cls(results, missing, part_errors(study, results))

    @cached_property
    def shares(self) -> dict[str, Any]:
        """The relative errors of simulated times by part."""
        return {name: error.total for name, error in self.errors.items()}


@dataclass(frozen=True)
class Entry:
    """One line of the ledger.

    Args:
        id: Name of the claim.
        claim: The statement.
        place: Its place in the paper.
        verdict: One of VERDICTS.
        evidence: The measured and compared values, with reasons.
        parts: Parts of the study that the verdict rests on.
        reach: Ranks and seeds of the deciding parts.
        model_error: Relative errors of their simulated times, by part, in words.
    """

    id: str
    claim: str
    place: str
    verdict: str
    evidence: str
    parts: tuple[str, ...] = ()
    reach: Mapping[str, Reach] = field(default_factory=dict)
    model_error: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values."""
        reach = {name: reach.to_dict() for name, reach in self.reach.items()}
        return {**vars(self), "reach": reach, "model_error": dict(self.model_error)}


def check_claims(study: Study, outlines: Mapping[str, xarray.Dataset]) -> list[CheckedClaim]:
    """Checks every expression: its words, and by evaluating it over results without meaning.

    Args:
        study: The study with the claims.
        outlines: The form of the results of every part.

    Returns:
        The claims with their parsed expressions, in the order of the study.

    Raises:
        ConfigError: Naming the claim whose expression is wrong.
    """
    check_errors(study, outlines)
    checked = []
    for claim in study.claims:
        try:
            checked.append(_check(claim, study, outlines))
        except (ConfigError, NoLabel) as error:
            source = study.folder / "claims.toml"
            raise ConfigError(f"{source}: claim {claim.id}: {error}") from None
    return checked


def _check(claim: Claim, study: Study, outlines: Mapping[str, xarray.Dataset]) -> CheckedClaim:
    condition = parse(claim.condition, study.parts) if claim.condition else None
    needs = parse(claim.needs, study.parts) if claim.needs else None
    evidence = {name: parse(text, study.parts) for name, text in claim.evidence.items()}
    for expression in (condition, needs):
        try:
            if expression is not None:
                expression.truth(outlines)
        except NoValue:
            continue
    for expression in evidence.values():
        try:
            expression.value(outlines)
        except NoValue:
            continue
    return CheckedClaim(claim, condition, evidence, needs)


def judge(claim: CheckedClaim, findings: Findings) -> Entry:
    """Returns the verdict on a claim.

    Args:
        claim: The claim.
        findings: The results by which it is judged.
    """
    verdict, evidence = _verdict(claim, findings)
    about = claim.claim
    made = [name for name in claim.needed if name in findings.results]
    found = {name: reach_of(findings.results[name]) for name in made}
    reach = {name: one for name, one in found.items() if one is not None}
    texts = {name: findings.errors[name].text for name in made if name in findings.errors}
    errors = {name: text for name, text in texts.items() if text}
    words = [evidence]
    if claim.condition is not None:
        words += [f"{name} was run on {one.text}" for name, one in reach.items()]
        words += [f"relative error of times of {name}: {text}" for name, text in errors.items()]
    about_claim = (about.id, about.claim, about.place)
    return Entry(*about_claim, verdict, "; ".join(words), claim.parts, reach, errors)


def _verdict(claim: CheckedClaim, findings: Findings) -> tuple[str, str]:
    if claim.condition is None:
        return NOT_TESTABLE, claim.claim.untestable
    absent = [name for name in claim.needed if name not in findings.results]
    if absent:
        return NOT_TESTABLE, "; ".join(f"{name}: {findings.missing[name]}" for name in absent)
    unknown = [
        f"the error of {name} is unknown: {cause} ({reason})"
        for name in claim.needed
        if name in findings.errors
        for cause, reason in findings.errors[name].missing.items()
    ]
    if unknown:
        return NOT_TESTABLE, "; ".join(unknown)
    try:
        if claim.needs is not None:
            enough, compared = claim.needs.truth(findings.results, findings.shares)
            if not enough:
                words = [claim.claim.otherwise, *compared, *_shown_evidence(claim, findings)]
                return NOT_TESTABLE, "; ".join(words)
        holds, compared = claim.condition.truth(findings.results, findings.shares)
    except (NoLabel, NoValue, ConfigError) as error:
        named = [name for name in claim.parts if name in findings.missing]
        reasons = [f"{name}: {findings.missing[name]}" for name in named]
        return NOT_TESTABLE, "; ".join([str(error), *reasons])
    words = [*compared, *_shown_evidence(claim, findings)]
    if not holds and claim.claim.finding:
        words.append(claim.claim.finding)
    return _OF_TRUTH[holds], "; ".join(words)


def _shown_evidence(claim: CheckedClaim, findings: Findings) -> list[str]:
    words = []
    for name, expression in claim.evidence.items():
        absent = [part for part in expression.parts if part not in findings.results]
        if absent:
            words.append(f"{name}: needs {', '.join(absent)}")
            continue
        try:
            value, _ = expression.value(findings.results, findings.shares)
            words.append(f"{name}: {shown(value)}")
        except (NoLabel, NoValue, ConfigError) as error:
            words.append(f"{name}: {error}")
    return words


def write_ledger(entries: list[Entry], study: Study, notes: list[str], folder: Path) -> None:
    """Writes ledger.json and ledger.md, each all or not at all.

    Args:
        entries: Verdicts in the order of the claims.
        study: The reproduced study.
        notes: The missing results, in words.
        folder: The folder to write to.
    """
    plain: list[dict[str, Any]] = [entry.to_dict() for entry in entries]
    write_text(folder / "ledger.json", json.dumps(plain, indent=1, ensure_ascii=False) + "\n")
    write_text(folder / "ledger.md", ledger_text(entries, study, notes))


def ledger_text(entries: list[Entry], study: Study, notes: list[str]) -> str:
    """Returns the ledger in Markdown.

    Args:
        entries: The verdicts, one for each claim.
        study: The study.
        notes: Remarks on parts that are missing or reduced.
    """
    rows = [
        [entry.id, entry.place, entry.claim, entry.verdict, entry.evidence] for entry in entries
    ]
    table = Table("", ("id", "where", "claim", "verdict", "evidence"), rows).to_markdown()
    lines = [f"# {study.title}", "", f"Source: {study.source}. {counts_text(entries)}.", "", table]
    reach = {name: one for entry in entries for name, one in entry.reach.items()}
    if reach:
        parts = [
            [name, study.parts[name].place, reach[name].text]
            for name in study.parts
            if name in reach
        ]
        lines += ["## Run on", "", Table("", ("part", "where", "run on"), parts).to_markdown()]
    if notes:
        lines += ["## Missing", "", *(f"- {note}" for note in notes), ""]
    return "\n".join(lines)


def counts_text(entries: list[Entry]) -> str:
    """Returns the number of claims with each verdict.

    Args:
        entries: The verdicts, one for each claim.
    """
    verdicts = [entry.verdict for entry in entries]
    return ", ".join(f"{verdicts.count(kind)} {kind}" for kind in VERDICTS)
