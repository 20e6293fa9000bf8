"""Runs of models with data on real MPI."""

from __future__ import annotations

import contextlib
import math
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tradewind import core, mpi
from tradewind.models.run import (
    Array,
    Checkpointing,
    ModelRun,
    PhaseTimes,
    Progress,
    Recorder,
)
from tradewind.mpi.words import setting_words


def run_on_mpi(
    run: ModelRun,
    progress: Progress | None = None,
    checkpoints: Checkpointing | None = None,
    *,
    launcher: str | None = None,
    folder: Path | None = None,
    library: mpi.Mpi | None = None,
    reorder: bool = False,
) -> None:
    """Makes a planned run on MPI processes; what it has shown when it is ended stays in it.

    Fields and numbers are those of as many simulated ranks, to the last bit.

    Args:
        run: From `plan`.
        progress: Is told the step and the number of steps, not after every step.
        checkpoints: Files of the state, which the first rank writes and reads.
        launcher: Instead of mpiexec, such as "srun -n {n}".
        folder: The folder through which fields are handed over, visible to the first rank; default:
            that of temporary files.
        library: Another MPI than that of this installation, such as one of `mpi.find_all`.
        reorder: Lets MPI renumber the processes by the graph of the halo; `run.moved` then is the number of
            those that have another rank.

    Raises:
        ConfigError: If MPI cannot be started on so many ranks, or a checkpoint does not fit.
        MpiError: If the run fails, such as one that becomes unstable, or a rank fails.
    """
    recorder = Recorder(run, progress)
    with tempfile.TemporaryDirectory(prefix=".tradewind-", dir=folder) as handover:
        place = Path(handover).resolve()
        settings = {**_with_files(run.case.settings, place), **_files(checkpoints)}
        if reorder:
            settings["reorder"] = True
        words = [run.case.model, str(place), *setting_words(settings)]
        events = mpi.stream("tradewind-model", words, run.ranks, launcher, library)
        with contextlib.closing(events):  # type: ignore[type-var]
            for event in events:
                if "stepped" in event:
                    recorder.stepped(event["stepped"])
                elif "observed" in event:
                    output = event["observed"]
                    recorder.observed(output | _read(place / output.pop("file"), run))
                else:
                    done = event["done"]
                    run.library = done["library"]
                    run.messages, run.bytes = done["messages"], done["bytes"]
                    run.step_s = done["step_s"]
                    run.moved = done["moved"]
                    run.phases = {
                        phase["name"]: PhaseTimes(
                            np.array(phase["seconds"]),
                            np.array(phase["blocked_s"]),
                            np.array(phase["processor_s"]),
                            np.array(phase["received_bytes"]),
                        )
                        for phase in done["phases"]
                    }


def _files(checkpoints: Checkpointing | None) -> dict[str, object]:
    """Returns the settings of `tradewind-model` that stand for checkpoints."""
    files = (checkpoints or Checkpointing()).settings()
    if not files:
        return {}
    wanted = {
        "checkpoint_every": files["every"],
        "checkpoint_file": _absolute(files["file"]),
        "restart_file": _absolute(files["restart"]),
        "version": core.load().version,
    }
    return {key: value for key, value in wanted.items() if value != ""}


def _absolute(file: object) -> str:
    return str(Path(str(file)).resolve()) if file else ""


def _with_files(settings: Mapping[str, object], folder: Path) -> Mapping[str, object]:
    """Puts words of several lines, which no launcher is sure to pass on, into files."""
    files = {}
    for key, value in settings.items():
        if isinstance(value, str) and "\n" in value:
            files[key] = str(folder / f"{key}.table")
            Path(files[key]).write_text(value, encoding="utf-8")
    return {**settings, **files}


def _read(file: Path, run: ModelRun) -> dict[str, dict[str, Array]]:
    """Reads fields and spectra of one output time by name; removes the file."""
    lengths = {axis["dimension"]: len(axis["values"]) for axis in run.outline["axes"]}
    if mesh := run.outline["mesh"]:
        lengths |= mesh["sizes"]
    stations: Mapping[str, Any] = run.outline["stations"] or {}
    if stations:
        lengths |= {axis["dimension"]: len(axis["values"]) for axis in stations["axes"]}
        lengths["station"] = len(stations["names"])
    numbers = np.fromfile(file, np.float64)
    file.unlink()
    read: dict[str, dict[str, Array]] = {"fields": {}, "spectra": {}}
    begin = 0
    for kind, fields in (
        ("fields", run.outline["fields"]),
        ("spectra", stations.get("fields", ())),
    ):
        for field in fields:
            shape = tuple(lengths[dimension] for dimension in field["dimensions"])
            end = begin + math.prod(shape)
            read[kind][field["name"]] = numbers[begin:end].reshape(shape)
            begin = end
    return read
