"""The folder of a run of a model: what an earlier call left there is kept, or gone on from."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.config.data_file import content_of
from tradewind.errors import ConfigError
from tradewind.files import write_error
from tradewind.models.run import ModelRun, Snapshot
from tradewind.results.record import DamagedError, load_record

CHECKPOINT, NUMBERS = "checkpoint.bin", "diagnostics.json"
_PICTURES = ("map-start", "map-end", "strip", "spectra", "section-end", "series")
_OUTPUT = (NUMBERS, "fields.nc", "spectra.nc", *(f"{name}.png" for name in _PICTURES))

Note = Callable[[str], None]


def earlier(folder: Path, planned: ModelRun, *, on_mpi: bool, note: Note) -> dict[str, Any] | None:
    """Returns the numbers that an earlier call for the same run has left in a folder, if it has.

    Args:
        folder: The folder of results.
        planned: The run.
        on_mpi: True if its ranks are MPI processes.
        note: Is told of a damaged file.

    Raises:
        ConfigError: If the folder holds another run.
    """
    path = folder / NUMBERS
    if not path.is_file():
        return None
    try:
        found = load_record(path)
    except DamagedError as error:
        note(f"{error}; the run is made again")
        return None
    version = core.load().version
    mine = [version, *_identity(planned.case.model, planned.case.settings, planned.ranks, on_mpi)]
    try:
        on_mpi_then = found.get("on_mpi", bool(found["mpi_library"]))
        kept = (found["model"], found["settings"], found["ranks"], on_mpi_then)
        theirs = [found.get("tradewind_version", version), *_identity(*kept)]
    except (KeyError, TypeError, AttributeError):
        note(f"{path}: not written by tradewind run; the run is made again")
        return None
    if mine != theirs:
        names = ("the version", "the model", "the settings", "the ranks", "simulated ranks or MPI")
        differs = next(name for name, a, b in zip(names, mine, theirs, strict=True) if a != b)
        raise ConfigError(
            f"{folder}: holds another run ({found.get('title', kept[0])}, {kept[2]} ranks), which "
            f"differs in {differs}; choose another folder, or replace it with --fresh"
        )
    return found


def restore(planned: ModelRun, found: Mapping[str, Any]) -> bool:
    """Puts the numbers of a complete run into a planned one; returns False if they are not all there.

    Args:
        planned: The run, of which nothing has been made.
        found: What `earlier` has returned.
    """
    try:
        about = tuple(found["about_numbers"])
        for entry in found["snapshots"]:
            numbers = {key: value for key, value in entry.items() if key not in ("step", "time_s")}
            snapshot = Snapshot(int(entry["step"]), float(entry["time_s"]), {}, numbers, about)
            for one in about:
                snapshot.number(one["name"])
            planned.snapshots.append(snapshot)
    except (KeyError, TypeError, ValueError):
        planned.snapshots.clear()
    return found.get("complete") is True and planned.is_complete


def set_aside(folder: Path, found: Mapping[str, Any]) -> Path:
    """Moves the output of an incomplete run into a folder of its own; returns that.

    Args:
        folder: The folder of results.
        found: What `earlier` has returned.

    Raises:
        Error: If a file cannot be moved.
    """
    aside = folder / f"until-step-{found.get('steps_done', 0)}"
    try:
        aside.mkdir(exist_ok=True)
        for name in _OUTPUT:
            if (folder / name).exists():
                (folder / name).replace(aside / name)
    except OSError as error:
        raise write_error(aside, error) from None
    return aside


def remove_output(folder: Path, kept: Iterable[Path | None]) -> None:
    """Removes what an earlier run has left, of which the next one may not replace every file.

    Args:
        folder: The folder of results.
        kept: The checkpoints that the next run begins with and writes, which stay.
    """
    stays = [file for file in kept if file is not None and file.exists()]
    for name in (*_OUTPUT, CHECKPOINT):
        path = folder / name
        if not any(path.exists() and path.samefile(file) for file in stays):
            with contextlib.suppress(OSError):
                path.unlink()


def _identity(model: object, settings: Mapping[str, Any], ranks: object, on_mpi: bool) -> list[Any]:
    """Returns what distinguishes runs, as JSON has it: files count by their content."""
    plain = {key: content_of(value) for key, value in settings.items()}
    identity: list[Any] = json.loads(json.dumps([model, plain, ranks, on_mpi], default=str))
    return identity
