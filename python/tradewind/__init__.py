"""Tradewind: the cost of a weather model's communication, here and on future machines."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tradewind import errors

if TYPE_CHECKING:
    from tradewind.config.experiment import Experiment
    from tradewind.config.machine import Machine, load_machine
    from tradewind.mpi.library import cmake_dir
    from tradewind.runs.run import Run, RunSet
    from tradewind.runs.sweep import simulate, sweep

__all__ = [
    "Experiment",
    "Machine",
    "Run",
    "RunSet",
    "cmake_dir",
    "errors",
    "load_machine",
    "simulate",
    "sweep",
]

_HOMES = {
    "Experiment": "config.experiment",
    "Machine": "config.machine",
    "load_machine": "config.machine",
    "Run": "runs.run",
    "RunSet": "runs.run",
    "cmake_dir": "mpi.library",
    "simulate": "runs.sweep",
    "sweep": "runs.sweep",
}


def __getattr__(name: str) -> Any:
    """Loads the modules behind the public names on first use, so that `import tradewind` is cheap."""
    if name == "__version__":
        return importlib.import_module("tradewind.core").load().version
    if name not in _HOMES:
        raise AttributeError(f"module tradewind has no attribute {name}")
    value = getattr(importlib.import_module(f"tradewind.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
