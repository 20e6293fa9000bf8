"""The same wave field by every way to exchange cells."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.errors import ConfigError
from tradewind.mesh import generate, write_mesh
from tradewind.models.case import Case
from tradewind.models.run import ModelRun, plan, simulate
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.mpi import installation
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray

_FIELD = "significant_height_m"
_CELLS = 642
_WAYS: Mapping[str, Mapping[str, str]] = {
    "point-to-point": {},
    "on arrival": {"schedule": "on_arrival"},
    "all at once": {"exchange": "burst"},
    "one after the other": {"exchange": "pairwise"},
    "persistent": {"exchange": "persistent"},
    "puts": {"exchange": "puts"},
    "interior overlapped": {"overlap": "computation"},
}
# The ways that only MPI libraries have, and the process counts for them.
_ON_MPI: Mapping[str, Mapping[str, str]] = {
    "point-to-point on MPI": {},
    "neighbourhood collective of MPI": {"exchange": "native"},
    "non-blocking collective of MPI": {"exchange": "native_nonblocking"},
}
_MOST_ON_MPI = 4
_CASE: Mapping[str, Any] = {
    "directions": 12,
    "frequencies": 12,
    "wind": "typhoon",
    "track": "0 140 20 950 400\n12 138 22 950 400\n",
    "wind_speed_m_s": 8,
    "hours": 12,
}


def _dataset(values: Mapping[str, list[float]], processes: list[int]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    about = {"units": "m", "long_name": "largest difference of the significant height"}
    data: xarray.Dataset = xr.Dataset(
        {"difference": (("way", "processes"), np.array(list(values.values())), about)},
        {"way": list(values), "processes": processes},
    )
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    processes = part.processes(full=True)
    return _dataset({way: [1.0] * len(processes) for way in (*_WAYS, *_ON_MPI)}, processes)


def _height(mesh: Path, ranks: int, way: Mapping[str, str], is_on_mpi: bool = False) -> Any:
    """Returns the significant height at the end of a run."""
    settings = {"mesh": str(mesh.resolve()), **_CASE, **way}
    planned = plan(Case.read("fvwam", {"fvwam": settings}), ranks)
    make: Callable[[ModelRun], None] = run_on_mpi if is_on_mpi else simulate
    make(planned)
    return planned.final.fields[_FIELD]


def _on_mpi(mesh: Path, processes: list[int], reference: Any) -> dict[str, list[float]]:
    """Returns the differences on MPI for a few processes; none on a machine without it.

    Raises:
        MpiError: If a run fails.
    """
    try:
        installation.find()
    except ConfigError:
        return {}
    found = {way: [float("nan")] * len(processes) for way in _ON_MPI}
    for way, settings in _ON_MPI.items():
        for place, count in enumerate(processes):
            if count <= _MOST_ON_MPI:
                height = _height(mesh, count, settings, is_on_mpi=True)
                found[way][place] = float(np.max(np.abs(height - reference)))
    return found


def _evaluate(part: Part, context: Context) -> Evaluation:
    processes = part.processes(context.full)
    context.work.mkdir(parents=True, exist_ok=True)
    path = context.work / f"globe-{_CELLS}.nc"
    write_mesh(generate(_CELLS), path)

    reference = _height(path, 1, {})
    found: dict[str, list[float]] = {}
    for way, settings in _WAYS.items():
        context.note(f"{way}: {len(processes)} runs")
        found[way] = [
            float(np.max(np.abs(_height(path, count, settings) - reference))) for count in processes
        ]
    context.note("on MPI")
    found |= _on_mpi(path, processes, reference)
    header = ("way", *(f"{count} processes" for count in processes))
    rows: list[list[Cell]] = [
        [way, *(None if np.isnan(value) else value for value in values)]
        for way, values in found.items()
    ]
    title = "Largest difference of the significant height to one process (m)"
    return Evaluation(_dataset(found, processes), {part.name: Table(title, header, rows)})


SAME_BITS = Evaluator(_outline, _evaluate)
