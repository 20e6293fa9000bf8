"""The ledger: every claim of a study with the verdict that its condition gives over the results."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind.errors import ConfigError
from tradewind.runs.store import write_text
from tradewind.studies.definition import Claim, Study
from tradewind.studies.expression import Expression, parse, shown
from tradewind.studies.functions import NoLabel, NoValue
from tradewind.studies.tables import Table

if TYPE_CHECKING:
    import xarray

REPRODUCED = "reproduced"
NOT_REPRODUCED = "not reproduced"
NOT_TESTABLE = "not testable here"


@dataclass(frozen=True)
class CheckedClaim:
    """A claim whose expressions are known to be sound.

    Args:
        claim: As the study has it.
        condition: None if nothing here can test it.
        evidence: Expressions to show, by what they are.
    """

    claim: Claim
    condition: Expression | None
    evidence: Mapping[str, Expression]

    @property
    def needed(self) -> tuple[str, ...]:
        """The parts without which there is no verdict."""
        tested = self.condition.parts if self.condition else ()
        return tuple(dict.fromkeys([*self.claim.parts, *tested]))

    @property
    def parts(self) -> tuple[str, ...]:
        """Every part that it rests on, those of the evidence too."""
        expressions = [*([self.condition] if self.condition else []), *self.evidence.values()]
        named = [name for expression in expressions for name in expression.parts]
        return tuple(dict.fromkeys([*self.claim.parts, *named]))


@dataclass(frozen=True)
class Entry:
    """One line of the ledger.

    Args:
        id: Of the claim.
        claim: The statement.
        place: Where the paper makes it.
        verdict: REPRODUCED, NOT_REPRODUCED or NOT_TESTABLE.
        evidence: What was measured and compared, and why.
        parts: Parts of the study that the verdict rests on.
    """

    id: str
    claim: str
    place: str
    verdict: str
    evidence: str
    parts: tuple[str, ...] = ()


def check_claims(study: Study, outlines: Mapping[str, xarray.Dataset]) -> list[CheckedClaim]:
    """Checks every expression: its words, and by evaluating it over results without meaning.

    Args:
        study: With the claims.
        outlines: For every part, what its results will look like.

    Raises:
        ConfigError: Naming the claim whose expression is wrong.
    """
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
    evidence = {name: parse(text, study.parts) for name, text in claim.evidence.items()}
    try:
        if condition is not None:
            condition.truth(outlines)
    except NoValue:
        pass
    for expression in evidence.values():
        try:
            expression.value(outlines)
        except NoValue:
            continue
    return CheckedClaim(claim, condition, evidence)


def judge(
    claim: CheckedClaim, results: Mapping[str, xarray.Dataset], missing: Mapping[str, str]
) -> Entry:
    """The verdict on a claim.

    Args:
        claim: The claim.
        results: Results of the parts that were made.
        missing: For every other part, why it was not; and for parts with failed runs, which.
    """
    verdict, evidence = _verdict(claim, results, missing)
    about = claim.claim
    return Entry(about.id, about.claim, about.place, verdict, evidence, claim.parts)


def _verdict(
    claim: CheckedClaim, results: Mapping[str, xarray.Dataset], missing: Mapping[str, str]
) -> tuple[str, str]:
    if claim.condition is None:
        return NOT_TESTABLE, claim.claim.untestable
    absent = [name for name in claim.needed if name not in results]
    if absent:
        return NOT_TESTABLE, "; ".join(f"{name}: {missing[name]}" for name in absent)
    try:
        holds, compared = claim.condition.truth(results)
    except (NoLabel, NoValue, ConfigError) as error:
        reasons = [f"{name}: {missing[name]}" for name in claim.parts if name in missing]
        return NOT_TESTABLE, "; ".join([str(error), *reasons])
    words = [*compared, *_shown_evidence(claim, results)]
    if not holds and claim.claim.finding:
        words.append(claim.claim.finding)
    return (REPRODUCED if holds else NOT_REPRODUCED), "; ".join(words)


def _shown_evidence(claim: CheckedClaim, results: Mapping[str, xarray.Dataset]) -> list[str]:
    words = []
    for name, expression in claim.evidence.items():
        absent = [part for part in expression.parts if part not in results]
        if absent:
            words.append(f"{name}: needs {', '.join(absent)}")
            continue
        try:
            words.append(f"{name}: {shown(expression.value(results)[0])}")
        except (NoLabel, NoValue, ConfigError) as error:
            words.append(f"{name}: {error}")
    return words


def write_ledger(entries: list[Entry], study: Study, notes: list[str], folder: Path) -> None:
    """Writes ledger.json and ledger.md, each all or not at all.

    Args:
        entries: In the order of the claims.
        study: What was reproduced.
        notes: What is missing, in words.
        folder: Where to.
    """
    plain: list[dict[str, Any]] = [dict(vars(entry)) for entry in entries]
    write_text(folder / "ledger.json", json.dumps(plain, indent=1, ensure_ascii=False) + "\n")
    write_text(folder / "ledger.md", ledger_text(entries, study, notes))


def ledger_text(entries: list[Entry], study: Study, notes: list[str]) -> str:
    """The ledger in Markdown."""
    rows = [
        [entry.id, entry.place, entry.claim, entry.verdict, entry.evidence] for entry in entries
    ]
    table = Table("", ("id", "where", "claim", "verdict", "evidence"), rows).to_markdown()
    lines = [f"# {study.title}", "", f"Source: {study.source}. {counts_text(entries)}.", "", table]
    if notes:
        lines += ["## Missing", "", *(f"- {note}" for note in notes), ""]
    return "\n".join(lines)


def counts_text(entries: list[Entry]) -> str:
    """How many claims have which verdict."""
    verdicts = [entry.verdict for entry in entries]
    kinds = (REPRODUCED, NOT_REPRODUCED, NOT_TESTABLE)
    return ", ".join(f"{verdicts.count(kind)} {kind}" for kind in kinds)
