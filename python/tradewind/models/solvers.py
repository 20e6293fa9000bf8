"""Semi-Lagrangian advection and the Helmholtz solver: cases, and runs on simulated ranks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from tradewind import core
from tradewind.config import keys
from tradewind.config.files import load_toml
from tradewind.config.program import resolve_tuning
from tradewind.config.schema import Section, Table, Where, as_table, complete, read_table
from tradewind.errors import ConfigError
from tradewind.models.memory import check_memory

MODELS: Mapping[str, Table] = {
    "semi_lagrangian": keys.SEMI_LAGRANGIAN,
    "helmholtz": keys.HELMHOLTZ_RUN,
}

_COORDINATES = ("longitude_deg", "latitude_deg", "height_m")


@dataclass(frozen=True)
class SolverCase:
    """One case to run.

    Args:
        model: One of MODELS.
        title: For people.
        settings: What the core wants, in base units.
    """

    model: str
    title: str
    settings: Section

    @classmethod
    def load(cls, model: str, path: Path) -> SolverCase:
        """Reads a case file: a table named as the model, and perhaps a title in [experiment].

        Raises:
            ConfigError: Naming file, key, value and what is allowed.
        """
        return cls.read(model, load_toml(path), str(path), path.parent)

    @classmethod
    def read(
        cls, model: str, raw: Mapping[str, Any], source: str = "case", directory: Path = Path()
    ) -> SolverCase:
        """Reads a case from a table of tables.

        Args:
            model: One of MODELS.
            raw: The tables.
            source: Where they come from, for messages.
            directory: Where the relative path of a tuning file starts.

        Raises:
            ConfigError: Naming key, value and what is allowed.
        """
        if model not in MODELS:
            raise ConfigError(f"unknown model {model!r}; allowed: {', '.join(MODELS)}")
        for name in raw:
            if name not in (model, "experiment"):
                raise ConfigError(f"{source}: unknown table [{name}]; allowed: {model}, experiment")
        about_where, where = Where(source, "experiment"), Where(source, model)
        about = read_table(
            as_table(raw.get("experiment", {}), about_where), keys.EXPERIMENT, about_where
        )
        table = as_table(raw.get(model, {}), where)
        section = complete(read_table(table, MODELS[model], where), MODELS[model], where)
        section = resolve_tuning(section, where, directory)
        return cls(model, str(about.get("title", model.replace("_", "-"))), section)


def run(
    case: SolverCase, ranks: int = 1, progress: Callable[[int], None] | None = None
) -> dict[str, Any]:
    """Runs a case with real data on simulated ranks.

    Args:
        case: What to run.
        ranks: How many ranks the grid is divided among.
        progress: Of an advection: is told the number of steps done.

    Returns:
        Both: processes, messages, bytes, simulated_s. semi_lagrangian: longitude_deg,
        latitude_deg, height_m, tracer [latitude, longitude, level] of the end, error (l1, l2,
        maximum) where the exact tracer is known, initial_mean, mean, lowest, highest,
        fastest_wind_m_s, courant, halo_rows, halo (columns, columns_sent, messages, bytes,
        request_messages, request_bytes). helmholtz: iterations, reductions, residuals after each
        iteration, true_residual, error, rhs_norm.

    Raises:
        ConfigError: If grid, ranks or settings do not fit, or need more memory than there is.
        Error: If air comes from beyond the halo, or the solver does not converge.
    """
    loaded = core.load()
    check_memory(case.model, case.settings, ranks)
    if case.model == "semi_lagrangian":
        return with_arrays(loaded.run_semi_lagrangian(case.settings, ranks, progress))
    return loaded.run_helmholtz(case.settings, ranks)


def with_arrays(result: dict[str, Any]) -> dict[str, Any]:
    """The result with its coordinates as arrays."""
    arrays = {name: np.array(result[name]) for name in _COORDINATES if name in result}
    return result | arrays
