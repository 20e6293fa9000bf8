"""Programs on real MPI: which MPI there is, and how they are started."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tradewind.mpi.installation import Mpi, find, find_all
from tradewind.mpi.launch import run, world
from tradewind.mpi.stream import stream
from tradewind.mpi.words import words_of

if TYPE_CHECKING:
    from tradewind.mpi.comm import Comm, Halo
    from tradewind.mpi.mesh import Mesh, Share

__all__ = [
    "Comm",
    "Halo",
    "Mesh",
    "Mpi",
    "Share",
    "find",
    "find_all",
    "run",
    "stream",
    "words_of",
    "world",
]

# Names of modules that need NumPy, which takes longer to load than all else of a command.
_HOMES = {"Comm": "comm", "Halo": "comm", "Mesh": "mesh", "Share": "mesh"}


def __getattr__(name: str) -> Any:
    """Loads the modules of communicators and meshes on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module tradewind.mpi has no attribute {name}")
    value = getattr(importlib.import_module(f"tradewind.mpi.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
