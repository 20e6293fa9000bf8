"""The check, before anything is allocated, that a model with data has enough memory."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from tradewind import core
from tradewind.errors import ConfigError
from tradewind.host import available_memory
from tradewind.units import bytes_text

# The simulator, or what starts the processes, without any rank.
_BASE_BYTES = 7e6


class Ranks(Enum):
    """The kind of the ranks of a run, and the bytes that one of them takes without any field."""

    SIMULATED = 6e3
    MPI = 24e6
    # Started by the launcher of a cluster: nobody here knows how many share a node.
    ELSEWHERE = 0.0

    @classmethod
    def started_by(cls, launcher: str | None) -> Ranks:
        """Returns the kind of MPI processes: without a launcher, mpiexec starts them on this machine."""
        return cls.MPI if launcher is None else cls.ELSEWHERE


def needed_memory(
    model: str, settings: Mapping[str, object], ranks: int, where: Ranks = Ranks.SIMULATED
) -> float:
    """Estimates the bytes that a run takes when it takes most, all ranks together.

    Args:
        model: Its name.
        settings: What the core wants, in base units.
        ranks: How many ranks the grid is divided among.
        where: Where these are.

    Raises:
        ConfigError: If the grid, the ranks or the settings do not fit.
    """
    found = core.load().predict_model_memory(model, settings, ranks)
    # Datasets are made of the results when the ranks have ended, and the file is read once more.
    fields = max(found["ranks"] + found["results"], 3 * found["results"])
    return _BASE_BYTES + fields + ranks * where.value


def check_memory(
    model: str, settings: Mapping[str, object], ranks: int, where: Ranks = Ranks.SIMULATED
) -> None:
    """Refuses a run that needs more memory than there is here.

    Args:
        model: As for `needed_memory`, like the others.
        settings: What the core wants.
        ranks: How many there are.
        where: Where they are; elsewhere all memory is enough.

    Raises:
        ConfigError: Saying what is needed and what there is.
    """
    if where is Ranks.ELSEWHERE:
        return
    needed, free = needed_memory(model, settings, ranks, where), available_memory()
    if needed > free:
        kind = "MPI processes" if where is Ranks.MPI else "simulated ranks"
        raise ConfigError(
            f"{model} on {ranks} {kind} needs about {bytes_text(needed)} of memory, "
            f"{bytes_text(free)} are available; use a smaller grid or fewer fields"
        )
