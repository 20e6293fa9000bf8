"""Table 4: the cost of protocol and transport for each algorithm, predicted from tables 1 and 3."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.tables import Cell, Table
from tradewind.studies.worley1998 import figures, fit
from tradewind.studies.worley1998.printed import LIBRARIES, MACHINES, protocol_losses
from tradewind.studies.worley1998.small_runs import step_s

if TYPE_CHECKING:
    import xarray

# Settings of the program; the sums are over a column, the others within a row.
ALGORITHMS: dict[str, dict[str, str]] = {
    "dfft": {"fft": "dfft", "legendre": "sum"},
    "exchsum": {"legendre": "sum", "legendre_allreduce": "exchsum"},
    "halfsum": {"legendre": "sum", "legendre_allreduce": "halfsum"},
    "logtrans": {"fft": "logtrans", "legendre": "sum"},
    "ringpipe": {"legendre": "ringpipe"},
    "ringsum": {"legendre": "sum", "legendre_allreduce": "ringsum"},
    "srtrans": {"fft": "srtrans", "legendre": "sum"},
    "swtrans": {"fft": "swtrans", "legendre": "sum"},
}
IN_A_ROW = ("dfft", "logtrans", "srtrans", "swtrans")
PROCESSORS = (8, 32)
RESOLUTIONS = ("T42", "T85")
_LEVELS = {"T42": 16, "T85": 32}
# The other extent of the mesh on which a processor would have as many points: 8 x 8, and 16 x 32 or 32 x 16.
_OTHER_EXTENT = {8: 8, 32: 16}

_DIMENSIONS = ("machine", "algorithm", "processors", "resolution")
_COORDINATES: tuple[tuple[Any, ...], ...] = (
    MACHINES,
    tuple(ALGORITHMS),
    PROCESSORS,
    RESOLUTIONS,
)


def program(algorithm: str, processors: int, resolution: str, protocol: str) -> dict[str, Any]:
    """Returns the model on a line of processors, with the points per processor of section 6.

    Args:
        algorithm: The transposition algorithm, by its name in the paper.
        processors: The number of processors of the line.
        resolution: Truncation and levels, such as T42L16.
        protocol: The protocol, such as (0,6).
    """
    px, py = (processors, 1) if algorithm in IN_A_ROW else (1, processors)
    levels = _LEVELS[resolution] // _OTHER_EXTENT[processors]
    base = fit.model(int(resolution[1:]), levels=levels, px=px, py=py)
    return base | ALGORITHMS[algorithm] | {"protocol": protocol}


def _times(part: Part, context: Context) -> dict[tuple[Any, ...], dict[str, float]]:
    """Returns the time of a step by (machine, algorithm, processors, resolution, library) and protocol."""
    protocols = part.words("protocols" if context.full else "reduced_protocols")
    places = [
        (machine, algorithm, processors, resolution, library)
        for machine in MACHINES
        for algorithm in ALGORITHMS
        for processors in PROCESSORS
        for resolution in RESOLUTIONS
        for library in LIBRARIES
    ]
    context.note(f"{part.name}: {len(places) * len(protocols)} short simulations")
    return {
        place: {
            protocol: step_s(place[0], place[4], program(*place[1:4], protocol))
            for protocol in protocols
        }
        for place in places
    }


def _dataset() -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    shape = tuple(len(labels) for labels in _COORDINATES)
    names = ["sendrecv_loss_without_overlap"]
    names += [
        f"{what}_{kind}"
        for what in ("sendrecv_loss", "mpi_loss")
        for kind in ("printed", "predicted")
    ]
    variables = {name: (_DIMENSIONS, np.full(shape, np.nan)) for name in names}
    coordinates = dict(zip(_DIMENSIONS, map(list, _COORDINATES), strict=True))
    dataset: xarray.Dataset = xr.Dataset(variables, coordinates)
    for (machine, algorithm, processors, resolution), losses in protocol_losses().items():
        place = {"machine": machine, "algorithm": algorithm} | {
            "processors": processors,
            "resolution": resolution,
        }
        dataset["sendrecv_loss_printed"].loc[place] = losses[0]
        dataset["mpi_loss_printed"].loc[place] = losses[1]
    return dataset


def outline(part: Part, context: Context) -> xarray.Dataset:
    """Returns all cells of the table.

    Args:
        part: The part.
        context: The study, and whether the full series is made.
    """
    return _dataset().fillna(1.0)


def evaluate(part: Part, context: Context) -> Evaluation:
    """Simulates every cell and writes the table in the paper's layout.

    Args:
        part: The part.
        context: The study, and whether the full series is made.

    Returns:
        The losses of every cell, with a table.
    """
    times = _times(part, context)
    data = _dataset()
    best: dict[tuple[str, str], set[str]] = {}
    for (*labels, library), found in times.items():
        if library != "MPI":
            continue
        place = dict(zip(_DIMENSIONS, labels, strict=True))
        fastest = min(found, key=lambda protocol: found[protocol])
        best.setdefault((labels[0], labels[1]), set()).add(fastest)
        one_sided = min(times[(*labels, "SHMEM")].values())
        data["sendrecv_loss_predicted"].loc[place] = found["(0,6)"] / found[fastest] - 1
        plain = min(time for protocol, time in found.items() if protocol[1] in "01")
        data["sendrecv_loss_without_overlap"].loc[place] = found["(0,6)"] / plain - 1
        data["mpi_loss_predicted"].loc[place] = found[fastest] / one_sided - 1
    tables = {f"table4_{machine.lower()}": _table(data, machine, best) for machine in MACHINES}
    return Evaluation(data, tables, {"table4": figures.losses(data)})


def _table(data: xarray.Dataset, machine: str, best: dict[tuple[str, str], set[str]]) -> Table:
    header = ["algorithm", "what", "opt. protocols"]
    header += [
        f"{words} P={processors} {resolution} %"
        for words in ("(0,6) / opt MPI - 1:", "opt MPI / opt SHMEM - 1:")
        for processors in PROCESSORS
        for resolution in RESOLUTIONS
    ]
    rows: list[list[Cell]] = []
    for algorithm in ALGORITHMS:
        here = data.sel(machine=machine, algorithm=algorithm)
        for kind in ("predicted", "printed"):
            protocols = " ".join(sorted(best[machine, algorithm])) if kind == "predicted" else None
            numbers = [
                float(f"{100 * value:.3g}")
                for what in ("sendrecv_loss", "mpi_loss")
                for value in here[f"{what}_{kind}"].values.ravel()
            ]
            rows.append([algorithm, kind, protocols, *numbers])
    return Table(f"Effect of protocol on the {machine}", tuple(header), rows)


TABLE4 = Evaluator(outline, evaluate)
