"""Table 3: swaps, measured on the MPI of this machine, and simulated on the machine files made from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import bench, extras
from tradewind.bench.swap import ORDERS, SIZES, best_swaps
from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator, NotTestableError
from tradewind.studies.tables import Cell, Table
from tradewind.studies.worley1998.printed import ABOUT, LIBRARIES, MACHINES, swaps
from tradewind.studies.worley1998.small_runs import simulated_s

if TYPE_CHECKING:
    import xarray

_HERE = ("transport", "order", "bytes")
_MODELLED = ("machine", "library", "order", "bytes")


def _empty(
    dimensions: tuple[str, ...], labels: tuple[Any, ...], names: list[str]
) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    shape = tuple(len(one) for one in labels)
    dataset: xarray.Dataset = xr.Dataset(
        {name: (dimensions, np.full(shape, np.nan)) for name in names},
        dict(zip(dimensions, map(list, labels), strict=True)),
    )
    return dataset


def _here() -> xarray.Dataset:
    names = ["bandwidth_bytes_per_s", "latency_s"]
    return _empty(_HERE, (bench.transports(), ORDERS, SIZES), names)


def evaluate_here(part: Part, context: Context) -> Evaluation:
    """Measures all protocols between two processes; the best ones are the table.

    Args:
        part: The part, whose settings have the repetitions.
        context: The study, and whether the full series is made.

    Returns:
        Bandwidths (B/s) and latencies (s) by transport, order and size, with a table.

    Raises:
        NotTestableError: If there are less than two cores, or no MPI.
    """
    if usable_cores() < 2:
        raise NotTestableError("two processes on one core take turns, which is no swap")
    repetitions = int(part.number("repetitions" if context.full else "reduced_repetitions"))
    context.note(f"{part.name}: swaps between two processes")
    try:
        measured = bench.measure("swap", 2, repetitions=repetitions)
    except ConfigError as error:
        raise NotTestableError(str(error)) from None
    data = _here()
    data.attrs["library"] = measured.library
    rows: list[list[Cell]] = []
    for cell in best_swaps(measured.rows):
        place = {"transport": cell.transport, "order": cell.order, "bytes": cell.size}
        data["bandwidth_bytes_per_s"].loc[place] = cell.bandwidth_bytes_per_s
        data["latency_s"].loc[place] = cell.latency_s
        numbers = [f"{cell.bandwidth_bytes_per_s / 1e6:.4g}", f"{1e6 * cell.latency_s:.3g}"]
        rows.append([cell.transport, cell.order, cell.size, *numbers, cell.protocol])
    header = ("transport", "order", "bytes", "BW MB/s", "lat. µs", "prot.")
    title = f"Swaps between two processes here, {measured.library}"
    return Evaluation(data, {part.name: Table(title, header, rows)})


def _modelled() -> xarray.Dataset:
    names = ["bandwidth_printed", "bandwidth_simulated"]
    return _empty(_MODELLED, (MACHINES, LIBRARIES, ORDERS, SIZES), names)


def evaluate_modelled(part: Part, context: Context) -> Evaluation:
    """Simulates the swaps of Table 3 on the machine files.

    Args:
        part: The part.
        context: The study.

    Returns:
        Simulated and printed bandwidths (B/s), by machine, library and size.
    """
    data = _modelled()
    rows: list[list[Cell]] = []
    for machine in MACHINES:
        for library in LIBRARIES:
            for order, protocol in zip(ORDERS, ("(0,6)", "(1,0)"), strict=True):
                for size in SIZES:
                    printed = swaps()[ABOUT[machine].in_table3, library, order, size].bandwidth
                    found = 2 * size / _swap_s(machine, library, protocol, size)
                    place = {"machine": machine, "library": library, "order": order, "bytes": size}
                    data["bandwidth_printed"].loc[place] = printed
                    data["bandwidth_simulated"].loc[place] = found
                    numbers: list[Cell] = [
                        printed / 1e6,
                        float(f"{found / 1e6:.4g}"),
                        float(f"{100 * (found / printed - 1):.3g}"),
                    ]
                    rows.append([machine, library, order, size, *numbers])
    data["error"] = data.bandwidth_simulated / data.bandwidth_printed - 1
    header = ("machine", "library", "order", "bytes", "printed MB/s", "simulated MB/s", "error %")
    return Evaluation(data, {part.name: Table("Swaps on the machine files", header, rows)})


def _swap_s(machine: str, library: str, protocol: str, size: int) -> float:
    program = {
        "name": "alltoallv",
        "ranks": 2,
        "bytes": f"{size} B",
        "alltoallv": {"algorithm": "swtrans", "protocol": protocol},
    }
    return simulated_s(machine, library, {"program": program})


def _outline_modelled(part: Part, context: Context) -> xarray.Dataset:
    data = _modelled()
    data["error"] = data.bandwidth_simulated
    return data.fillna(1.0)


HERE = Evaluator(lambda part, context: _here().fillna(1.0), evaluate_here)
MODELLED = Evaluator(_outline_modelled, evaluate_modelled)
