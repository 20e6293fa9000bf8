"""The contents of a folder of results: sweeps, data sets, a ledger of claims, tables and pictures."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.files import load_json
from tradewind.report.output import DAMAGED, MISSING, load_outcomes
from tradewind.report.reach import reach_of
from tradewind.results.netcdf import read_netcdf
from tradewind.results.record import DamagedError
from tradewind.runs.paths import WithPaths, with_critical_paths
from tradewind.runs.run import Run, RunSet

if TYPE_CHECKING:
    import xarray

_NUMBER = re.compile(r"(\d+)")


@dataclass(frozen=True)
class Gap:
    """A run that is not in the results.

    Args:
        label: Its parameters in words.
        state: "failed", "damaged" or "not run".
        reason: Its error, or what to do.
    """

    label: str
    state: str
    reason: str

    @property
    def is_damage(self) -> bool:
        """True if the run was finished and its files have changed since."""
        return self.state == "damaged"


@dataclass(frozen=True)
class Part:
    """The results of one experiment.

    Args:
        name: Its folder or file in the folder of the report.
        title: Its title.
        data: The data set, with one dimension per swept key.
        about: Description and source of the experiment.
        gaps: The missing runs.
        runs: Number of runs that were wanted; 0 if nobody knows.
        finished: The finished runs, as far as they are more than the data set.
        remarks: What the part leaves out.
        recording: The trace that the experiment replays, if it is one.
    """

    name: str
    title: str
    data: xarray.Dataset
    about: tuple[str, ...] = ()
    gaps: tuple[Gap, ...] = ()
    runs: int = 0
    finished: tuple[Run, ...] = ()
    remarks: tuple[str, ...] = ()
    recording: Path | None = None


@dataclass(frozen=True)
class Claim:
    """A line of a ledger."""

    id: str
    claim: str
    place: str
    verdict: str
    evidence: str
    parts: tuple[str, ...] = ()

    def is_about(self, picture: str) -> bool:
        """Returns whether the picture is of a part that the verdict rests on."""
        return any(shows(picture, part) for part in self.parts)


def shows(picture: str, part: str) -> bool:
    """Returns whether a picture of this name is of the part; one with several pictures adds their kind."""
    return picture == part or picture.startswith(f"{part}-")


@dataclass(frozen=True)
class Contents:
    """All that a report shows.

    Args:
        folder: The folder of the source.
        parts: Results of experiments.
        ledger: Claims of a study with their verdicts.
        tables: Rows of the tables by name, the first row being the head.
        pictures: PNG files.
    """

    folder: Path
    parts: Sequence[Part]
    ledger: Sequence[Claim]
    tables: Mapping[str, Sequence[Sequence[str]]]
    pictures: Sequence[Path]


def read_contents(folder: Path, path_s: float = 0.0) -> Contents:
    """Reads what is there.

    Args:
        folder: The folder of results.
        path_s: The processor time in s for critical paths that runs have not kept.

    Raises:
        ConfigError: If the folder is missing, holds no results, or a file in it is damaged.
    """
    if not folder.is_dir():
        wrong = "is a file" if folder.exists() else "there is no such folder"
        raise ConfigError(
            f"{folder}: {wrong}; expected a folder that tradewind simulate -o, demo or reproduce has "
            "written"
        )
    contents = Contents(
        folder,
        tuple(_parts(folder, path_s)),
        tuple(_ledger(folder / "ledger.json")),
        {path.stem: _table(path) for path in _files(folder / "tables", "*.csv")},
        _files(folder / "figures", "*.png"),
    )
    if not (contents.parts or contents.ledger or contents.tables or contents.pictures):
        raise ConfigError(
            f"{folder}: no results of tradewind here; expected what simulate -o, demo or reproduce writes"
        )
    return contents


def _parts(folder: Path, path_s: float) -> Iterator[Part]:
    """Yields the experiment of the folder itself, those of its folders, and data sets in data/."""
    plans = [folder / "experiment.json", *sorted(folder.glob("*/experiment.json"))]
    places = [plan.parent for plan in plans if plan.is_file()]
    lonely = [folder, *sorted(path for path in folder.iterdir() if path.is_dir())]
    for place in lonely:
        name = "" if place == folder else place.name
        if place in places:
            yield _experiment(place, name, path_s / len(places))
        elif (place / "results.nc").is_file():
            yield _data_set(place / "results.nc", name)
    for path in _files(folder / "data", "*.nc"):
        yield _data_set(path, path.stem)


def _files(folder: Path, pattern: str) -> list[Path]:
    """Returns the files of a pattern, ordered by name: fig5a before fig10a."""
    return sorted(folder.glob(pattern), key=_by_number)


def _by_number(path: Path) -> list[str | int]:
    pieces: list[str | int] = [*_NUMBER.split(path.stem)]
    pieces[1::2] = map(int, pieces[1::2])
    return pieces


def _experiment(place: Path, name: str, path_s: float) -> Part:
    """Returns the runs of an experiment; if they are missing or of another version, the file made of them."""
    try:
        runs = load_outcomes(place, core.load().version)
    except DamagedError:
        raise
    except ConfigError as error:
        # A file that the runs read, such as a trace, may be gone.
        if not (place / "results.nc").is_file():
            raise
        whole = _data_set(place / "results.nc", name)
        return replace(whole, about=(*whole.about, f"The values are those of results.nc: {error}."))
    gaps = tuple(_gaps(runs))
    if not runs.runs and (place / "results.nc").is_file():
        whole = _data_set(place / "results.nc", name)
        damage = [
            f"The values are those of results.nc: {gap.reason}." for gap in gaps if gap.is_damage
        ]
        return replace(whole, about=(*whole.about, *damage))
    if not runs.runs and all(entry.kind == MISSING for entry in runs.failures):
        raise ConfigError(
            f"{place}: no finished run of version {core.load().version}; run the experiment again"
        )
    words = runs.experiment.about.words
    found = with_critical_paths(runs, path_s)
    data = found.runs.to_xarray()
    whole = Part(name, runs.experiment.title, data, words, gaps, len(runs.outcomes))
    return replace(
        whole,
        finished=tuple(found.runs.runs),
        remarks=tuple(_without_path(found)),
        recording=_recording(runs.experiment),
    )


def _recording(experiment: Experiment) -> Path | None:
    """Returns the trace that an experiment names; None if it varies."""
    program = experiment.raw.get("program")
    given = program.get("trace") if isinstance(program, dict) else None
    return experiment.directory / given if isinstance(given, str) else None


def _without_path(found: WithPaths) -> Iterator[str]:
    """Yields how many runs have no critical path, and why."""
    runs = len(found.runs)
    if found.too_long:
        yield (
            f"{found.too_long} of {runs} runs are left out of the critical paths, as they take longer:"
            " tradewind report --path-for SECONDS, or tradewind explain EXPERIMENT --run N."
        )
    if found.refused:
        yield f"{found.refused} of {runs} runs cannot be repeated, and have no critical path."


def _gaps(runs: RunSet) -> Iterator[Gap]:
    for entry in runs.failures:
        label = entry.member.label
        if entry.kind == MISSING:
            yield Gap(label, "not run", entry.message)
        elif entry.kind == DAMAGED:
            yield Gap(label, "damaged", entry.message)
        else:
            yield Gap(label, "failed", f"{entry.kind}: {entry.message}")


def _data_set(path: Path, name: str) -> Part:
    data = read_netcdf(path)
    wanted = missing = 0
    if "time_s" in data:
        wanted = data["time_s"].size
        missing = wanted - int(data["time_s"].notnull().sum())
    gaps = (Gap(f"{missing} of {wanted} runs", "missing", "have no values in the file"),)
    title = str(data.attrs.get("title", name or path.stem))
    reach = reach_of(data)
    about = (f"Run on {reach.text}.",) if reach is not None else ()
    return Part(name, title, data, about, gaps if missing else (), wanted)


def _ledger(path: Path) -> Iterator[Claim]:
    if not path.is_file():
        return
    try:
        entries = load_json(path)
        for entry in entries:
            needed = {key: _words(entry[key]) for key in ("id", "claim", "verdict", "evidence")}
            parts = tuple(map(str, entry.get("parts", ())))
            yield Claim(place=str(entry.get("place", "")), parts=parts, **needed)
    except (TypeError, KeyError, AttributeError) as error:
        raise ConfigError(
            f"{path}: damaged: expected a list of {{id, claim, verdict, evidence}} ({error!r})"
        ) from None


def _words(value: Any) -> str:
    """Returns evidence as text; it may be a table of numbers."""
    return value if isinstance(value, str) else json.dumps(value)


def _table(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))
    except (OSError, ValueError, csv.Error) as error:
        raise ConfigError(f"{path}: cannot be read as a table: {error}") from None
