"""Semi-Lagrangian advection and the Helmholtz solver on real MPI."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from tradewind import mpi
from tradewind.models.memory import Ranks, check_memory
from tradewind.models.solvers import SolverCase, with_arrays
from tradewind.mpi.words import setting_words


def run_on_mpi(
    case: SolverCase,
    ranks: int,
    progress: Callable[[int], None] | None = None,
    *,
    launcher: str | None = None,
    folder: Path | None = None,
) -> dict[str, Any]:
    """Runs a case on MPI processes.

    The tracer of the advection is that of any number of simulated ranks to the last bit; so are
    the numbers of the solver on as many ranks.

    Args:
        case: What to run.
        ranks: Number of processes.
        progress: Of an advection: is told the number of steps done, not after every step.
        launcher: Instead of mpiexec, such as "srun -n {n}".
        folder: Where the tracer is handed over, visible to the first rank; default: that of
            temporary files.

    Returns:
        As `solvers.run`, with mpi_library in place of simulated_s.

    Raises:
        ConfigError: If MPI cannot be started on so many ranks, settings do not fit, or need more
            memory than there is.
        MpiError: If air comes from beyond the halo, the solver does not converge, or a rank fails.
    """
    result: dict[str, Any] = {}
    check_memory(case.model, case.settings, ranks, Ranks.started_by(launcher))
    with tempfile.TemporaryDirectory(prefix=".tradewind-", dir=folder) as handover:
        words = [case.model, str(Path(handover).resolve()), *setting_words(case.settings)]
        events = mpi.stream("tradewind-model", words, ranks, launcher)
        with contextlib.closing(events):  # type: ignore[type-var]
            for event in events:
                if "stepped" in event and progress is not None:
                    progress(event["stepped"])
                elif "found" in event:
                    result = with_arrays(event["found"])
                elif "done" in event:
                    done = event["done"]
                    result |= {key: done[key] for key in ("messages", "bytes")}
                    result["mpi_library"] = done["library"]
        if case.model == "semi_lagrangian":
            shape = [len(result[name]) for name in ("latitude_deg", "longitude_deg", "height_m")]
            numbers = np.fromfile(Path(handover) / "tracer.bin", np.float64)
            result["tracer"] = numbers.reshape(shape)
    return result
