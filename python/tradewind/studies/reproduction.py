"""Reproducing a study: its runs, then its tables and figures, then the verdicts on its claims."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind import core, extras
from tradewind.config.experiment import Experiment, Member
from tradewind.errors import ConfigError, Error, suggestion
from tradewind.files import write_text
from tradewind.results.netcdf import read_netcdf, write_netcdf
from tradewind.results.record import DamagedError
from tradewind.runs.duration import Plan
from tradewind.runs.execution import Observer
from tradewind.runs.limits import Prediction, check_runs
from tradewind.runs.local import GO_ON, is_short, run_here
from tradewind.runs.lock import locked
from tradewind.runs.run import Failure, Run, RunSet
from tradewind.runs.store import RunStore
from tradewind.runs.workplace import THIS_MACHINE, Workplace
from tradewind.studies.catalogue import evaluator
from tradewind.studies.definition import Part, Study
from tradewind.studies.evaluation import Context, Evaluation, NotTestableError
from tradewind.studies.ledger import (
    CheckedClaim,
    Entry,
    Findings,
    check_claims,
    judge,
    write_ledger,
)
from tradewind.studies.seeds import with_idle_seeds

if TYPE_CHECKING:
    import xarray

Display = Callable[[Mapping[tuple[int, ...], Prediction]], AbstractContextManager[Observer]]
_Runs = dict[str, dict[str, RunSet]]

_FULL = "full"


@dataclass(frozen=True)
class Reproduction:
    """The outcome of a reproduction.

    Args:
        study: The reproduced study.
        entries: One per claim.
        failures: Runs that failed.
        notes: The missing results, in words.
    """

    study: Study
    entries: list[Entry]
    failures: list[Failure]
    notes: list[str]


@dataclass
class _Work:
    """A reproduction in progress."""

    study: Study
    selected: Sequence[Part]
    full: bool
    folder: Path
    note: Callable[[str], None]
    place: Workplace
    max_ranks: int | None = None
    results: dict[str, xarray.Dataset] = field(default_factory=dict)
    missing: dict[str, str] = field(default_factory=dict)
    skipped: dict[str, str] = field(default_factory=dict)
    beyond: dict[str, list[int]] = field(default_factory=dict)

    @property
    def store(self) -> RunStore:
        """The finished runs."""
        return RunStore(self.folder / "runs")

    def in_full(self, part: Part) -> bool:
        """Returns whether a part is made with its full values."""
        return self.full or part.long

    def context(self, part: Part, experiments: Any, runs: Any) -> Context:
        work = self.folder / "work" / part.name
        full = self.in_full(part)
        return Context(self.study, full, experiments, runs, self.note, self.results, work)


def reproduce(
    study: Study,
    folder: Path,
    display: Display,
    note: Callable[[str], None],
    *,
    only: Sequence[str] = (),
    full: bool = False,
    place: Workplace = THIS_MACHINE,
    max_ranks: int | None = None,
) -> Reproduction:
    """Makes the parts of a study and judges its claims; finished runs in the folder are kept.

    Args:
        study: The study to reproduce.
        folder: Receives ledger.json, ledger.md, tables/, figures/, data/ and the finished runs.
        display: Draws the progress of the runs that it is given.
        note: Receives other messages.
        only: Names of parts; if empty all, of the reduced series those that are not long. Of the
            others, results in the folder count.
        full: The full series instead of the reduced one.
        place: The place for long runs; short ones are made in this process.
        max_ranks: Only runs with at most that many ranks; the others can be made later, into the same
            folder; those that it has already are kept in the results. Default: all.

    Returns:
        The ledger, with notes on what is missing and the failed runs.

    Raises:
        ConfigError: If a name, an experiment or an expression is wrong, or another process writes into
            the folder; nothing has run then.
        Interrupted: On Ctrl-C; finished runs are in the folder.
    """
    extras.need("xarray", "studies")
    for name in only:
        if name not in study.parts:
            raise ConfigError(f"{study.name} has no part {name}; {suggestion(name, study.parts)}")
    selected = [
        part
        for name, part in study.parts.items()
        if name in only or (not only and (full or not part.long))
    ]
    work = _Work(study, selected, full, folder, note, place, max_ranks)
    claims = check_claims(study, _outlines(work))
    with locked(folder):
        return _made(work, claims, display)


def _made(work: _Work, claims: list[CheckedClaim], display: Display) -> Reproduction:
    runs = _make_runs(work, display)
    for part in work.selected:
        if part.name not in work.skipped:
            _evaluate(work, part, runs[part.name])
    _take_over(work)
    return _judged(work, claims, runs)


def ledger_of(study: Study, folder: Path) -> list[Entry]:
    """Judges the claims of a study by the results that a folder of `reproduce` has; makes none.

    Args:
        study: The study.
        folder: The folder of its results.

    Raises:
        ConfigError: If an expression is wrong.
    """
    extras.need("xarray", "studies")
    work = _Work(study, [], False, folder, lambda text: None, THIS_MACHINE)
    claims = check_claims(study, _outlines(work))
    _take_over(work)
    findings = Findings.of(study, work.results, work.missing)
    return [judge(claim, findings) for claim in claims]


def _outlines(work: _Work) -> dict[str, xarray.Dataset]:
    outlines: dict[str, xarray.Dataset] = {}
    for name, part in work.study.parts.items():
        with _named(work.study, part):
            made_by = evaluator(part.evaluate)
            context = work.context(part, made_by.experiments(part, work.study, True), {})
            outlines[name] = made_by.outline(part, context)
    return outlines


@contextlib.contextmanager
def _named(study: Study, part: Part) -> Iterator[None]:
    """Adds the file of a study and the part to errors that do not name a file of its folder."""
    try:
        yield
    except ConfigError as error:
        if str(error).startswith(f"{study.folder}/"):
            raise
        said = str(error).removeprefix(f"part {part.name}: ")
        file = study.folder / "study.toml"
        raise type(error)(f"{file}: part {part.name}: {said}") from None


def _make_runs(work: _Work, display: Display) -> _Runs:
    """Makes all runs of all parts at once; a run that two parts share is made once."""
    experiments: dict[tuple[str, str], Experiment] = {}
    members: dict[tuple[str, str], list[Member]] = {}
    for part in work.selected:
        with _named(work.study, part):
            for name, experiment in _experiments(part, work).items():
                experiments[part.name, name] = experiment
                members[part.name, name] = [with_idle_seeds(one) for one in experiment.members()]
    outcomes = _outcomes([member for some in members.values() for member in some], work, display)
    runs: _Runs = {part.name: {} for part in work.selected}
    for place, experiment in experiments.items():
        found = [_own(outcomes[member.key], member) for member in members[place]]
        runs[place[0]][place[1]] = RunSet(experiment, found)
    return runs


def _experiments(part: Part, work: _Work) -> dict[str, Experiment]:
    """Returns the experiments of a part, or none if one has only runs above the limit of ranks."""
    found = evaluator(part.evaluate).experiments(part, work.study, work.in_full(part))
    if work.max_ranks is None:
        return dict(found)
    beyond = {name: _finished_beyond(experiment, work) for name, experiment in found.items()}
    trimmed = {
        name: experiment.up_to(work.max_ranks, beyond[name]) for name, experiment in found.items()
    }
    kept = {name: experiment for name, experiment in trimmed.items() if experiment is not None}
    if len(kept) < len(found):
        work.skipped[part.name] = f"has no runs with at most {work.max_ranks} ranks"
        return {}
    work.beyond[part.name] = sorted(set().union(*beyond.values()))
    return kept


def _finished_beyond(experiment: Experiment, work: _Work) -> set[int]:
    """Returns the counts of ranks above the limit that the results keep.

    These are the counts whose possible runs are all finished in the folder.
    """
    assert work.max_ranks is not None
    version = core.load().version
    by_ranks: dict[int, list[Member]] = {}
    for member in map(with_idle_seeds, experiment.members()):
        if member.ranks > work.max_ranks:
            by_ranks.setdefault(member.ranks, []).append(member)
    kept = set()
    for ranks, members in by_ranks.items():
        open_ones = [one for one in members if work.store.load(one, version) is None]
        impossible = (isinstance(_expected(one, work), Failure) for one in open_ones)
        if len(open_ones) < len(members) and all(impossible):
            kept.add(ranks)
    return kept


def _expected(member: Member, work: _Work) -> Prediction | Failure:
    """Returns the needs of a run, or the reason that it cannot be made here."""
    try:
        (prediction,) = check_runs([member], work.study.name, work.place.memory())
    except ConfigError as error:
        return Failure(member, type(error).__name__, str(error))
    return prediction


def _own(outcome: Run | Failure, member: Member) -> Run | Failure:
    """Returns the outcome under the parameters of this member, which may share it with another one."""
    if isinstance(outcome, Failure):
        return replace(outcome, member=member)
    return replace(outcome, parameters=dict(member.parameters), machine=member.machine)


def _outcomes(members: list[Member], work: _Work, display: Display) -> dict[str, Run | Failure]:
    outcomes: dict[str, Run | Failure] = {}
    possible: dict[str, tuple[Member, Prediction]] = {}
    for member in members:
        if member.key in possible or member.key in outcomes:
            continue
        expected = _expected(member, work)
        if isinstance(expected, Failure):
            outcomes[member.key] = expected
        else:
            # Positions distinguish runs, and those of two experiments could be the same.
            possible[member.key] = (replace(member, position=(len(possible),)), expected)
    for short in (True, False):
        chosen = {key: entry for key, entry in possible.items() if is_short(entry[1]) == short}
        if not chosen:
            continue
        some, predictions = zip(*chosen.values(), strict=True)
        with display({one.position: expected for one, expected in chosen.values()}) as observer:
            if short:
                found = run_here(some, predictions, work.store, observer)
            else:
                place = work.place
                _announce_duration(Plan(some, predictions, place.cores()), work)
                found = place.execution(some, predictions, work.store, observer, GO_ON).run()
        outcomes |= dict(zip(chosen, found, strict=True))
    return outcomes


def _announce_duration(plan: Plan, work: _Work) -> None:
    """Says before long runs if they are expected to take more than an hour."""
    version = core.load().version
    for line in plan.remarks_if_long(lambda one: work.store.load(one, version) is not None):
        work.note(line)


def _evaluate(work: _Work, part: Part, runs: Mapping[str, RunSet]) -> None:
    experiments: dict[str, Experiment] = {name: one.experiment for name, one in runs.items()}
    failed = [entry for some in runs.values() for entry in some.failures]
    if failed:
        first = f"{failed[0].member.label}: {failed[0].message}"
        work.missing[part.name] = f"{len(failed)} runs failed, the first: {first}"
    try:
        with _named(work.study, part):
            result = evaluator(part.evaluate).evaluate(part, work.context(part, experiments, runs))
    except NotTestableError as error:
        work.missing[part.name] = str(error)
        work.note(f"not testable here: {part.name}: {error}")
        return
    except ConfigError:
        raise
    except Error as error:
        work.missing[part.name] = f"failed: {type(error).__name__}: {error}"
        work.note(f"failed: {part.name}: {error}")
        return
    work.results[part.name] = result.data
    _write(work, part, result)
    work.note(f"written: {part.name}: {part.title}")


def _write(work: _Work, part: Part, result: Evaluation) -> None:
    for name, table in result.tables.items():
        write_text(work.folder / "tables" / f"{name}.csv", table.to_csv())
    if result.figures:
        from tradewind.plots.style import save

        for name, figure in result.figures.items():
            for ending in ("png", "svg"):
                save(figure, work.folder / "figures" / f"{name}.{ending}")
    about = {
        "part": part.name,
        "series": _series(work, part),
        "tradewind_version": core.load().version,
    }
    write_netcdf(result.data.assign_attrs(about), _data_file(work, part.name))


def _series(work: _Work, part: Part) -> str:
    name = _FULL if work.in_full(part) else "reduced"
    if work.max_ranks is None:
        return name
    more = "".join(f", and {ranks}" for ranks in work.beyond[part.name])
    return f"{name}, up to {work.max_ranks} ranks{more}"


def _data_file(work: _Work, part: str) -> Path:
    return work.folder / "data" / f"{part}.nc"


def _take_over(work: _Work) -> None:
    """Loads results of parts that were made earlier, by this version and in the same series."""
    for name, part in work.study.parts.items():
        if name in work.results or name in work.missing:
            continue
        work.missing[name] = _why_not_made(work, part)
        path = _data_file(work, name)
        if not path.is_file():
            continue
        try:
            data = read_netcdf(path)
        except DamagedError as error:
            work.missing[name] = f"{error}; make it again"
            continue
        if data.attrs.get("tradewind_version") != core.load().version:
            work.missing[name] = "made by another version; make it again"
        elif work.full and not str(data.attrs.get("series")).startswith(_FULL):
            work.missing[name] = "made with the reduced series only; make it again with --full"
        else:
            work.results[name] = data
            del work.missing[name]


def _why_not_made(work: _Work, part: Part) -> str:
    if part.name in work.skipped:
        return work.skipped[part.name]
    if part.long:
        return f"takes long, so it is made when asked for: --only {part.name}, or --full"
    return "not made; run tradewind reproduce without --only"


def _judged(work: _Work, claims: list[CheckedClaim], runs: _Runs) -> Reproduction:
    findings = Findings.of(work.study, work.results, work.missing)
    entries = [judge(claim, findings) for claim in claims]
    notes = [f"{name}: {reason}" for name, reason in work.missing.items()]
    write_ledger(entries, work.study, notes, work.folder)
    failures = [entry for part in runs.values() for one in part.values() for entry in one.failures]
    return Reproduction(work.study, entries, failures, notes)
