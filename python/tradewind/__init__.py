"""Tradewind: what does the communication of a weather model cost, here and on machines that do not exist yet."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tradewind import errors

if TYPE_CHECKING:
    from tradewind.experiment import Experiment
    from tradewind.machine import Machine, load_machine
    from tradewind.results import Run
    from tradewind.study import RunSet, simulate, sweep

__all__ = ["Experiment", "Machine", "Run", "RunSet", "errors", "load_machine", "simulate", "sweep"]

_HOMES = {
    "Experiment": "experiment",
    "Machine": "machine",
    "load_machine": "machine",
    "Run": "results",
    "RunSet": "study",
    "simulate": "study",
    "sweep": "study",
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
