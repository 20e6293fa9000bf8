"""The spectral shallow water model on real MPI."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from tradewind import mpi
from tradewind.models.pstswm import Array, ModelRun, Progress, Recorder
from tradewind.mpi.words import setting_words


def run_on_mpi(
    run: ModelRun,
    progress: Progress | None = None,
    *,
    launcher: str | None = None,
    folder: Path | None = None,
) -> None:
    """Makes a planned run on MPI processes; what it has shown when it is ended stays in it.

    The fields and diagnostics are those of as many simulated ranks, to the last bit.

    Args:
        run: From `pstswm.plan`.
        progress: Is told the step and the number of steps.
        launcher: Instead of mpiexec, such as "srun -n {n}".
        folder: Where fields are handed over, visible to the first rank; default: that of
            temporary files.

    Raises:
        ConfigError: If MPI cannot be started on so many ranks.
        MpiError: If the run becomes unstable or a rank fails.
    """
    recorder = Recorder(run, progress)
    with tempfile.TemporaryDirectory(prefix=".tradewind-", dir=folder) as handover:
        settings = _with_table(run.case.settings, Path(handover).resolve())
        words = ["pstswm", str(Path(handover).resolve()), *setting_words(settings)]
        events = mpi.stream("tradewind-model", words, run.ranks, launcher)
        with contextlib.closing(events):  # type: ignore[type-var]
            for event in events:
                if "stepped" in event:
                    recorder.stepped(event["stepped"])
                elif "observed" in event:
                    snapshot = event["observed"]
                    fields = _read(Path(handover) / snapshot.pop("file"), run)
                    recorder.observed(snapshot | fields)
                else:
                    done = event["done"]
                    run.library = done["library"]
                    run.messages, run.bytes = done["messages"], done["bytes"]
                    run.step_s = done["step_s"]


def _with_table(settings: Mapping[str, object], folder: Path) -> Mapping[str, object]:
    """A tuning's table goes into a file: no launcher passes on a word of several lines for sure."""
    if "tuning" not in settings:
        return settings
    file = folder / "tuning.table"
    file.write_text(str(settings["tuning"]), encoding="utf-8")
    return {**settings, "tuning": str(file)}


def _read(file: Path, run: ModelRun) -> dict[str, Array]:
    """The fields of one time by name, each [level, latitude, longitude]; removes the file."""
    grid = run.grid
    names = grid["fields"]
    shape = (len(names), run.case.levels, len(grid["latitude_deg"]), len(grid["longitude_deg"]))
    numbers = np.fromfile(file, np.float64).reshape(shape)
    file.unlink()
    return dict(zip(names, numbers, strict=True))
