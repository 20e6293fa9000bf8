"""Collectives measured on the processes of this machine, beside the library's own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import bench, core, extras
from tradewind.errors import ConfigError, MpiError, suggestion
from tradewind.host import usable_cores
from tradewind.plots import measurements
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator, NotTestableError
from tradewind.studies.tables import Cell, Table
from tradewind.units import SIZE, bytes_text

if TYPE_CHECKING:
    import xarray

_NATIVE = "native"


def _empty(part: Part) -> xarray.Dataset:
    """Returns `median_s` of every algorithm of the operation and of the native one, over bytes."""
    xr = extras.need("xarray", "datasets")
    operation = _operation(part)
    names = [name for name, _ in core.load().catalogue()[operation]] + [_NATIVE]
    sizes = _sizes(part)
    dataset: xarray.Dataset = xr.Dataset(
        {"median_s": (("algorithm", "bytes"), np.full((len(names), len(sizes)), np.nan))},
        {"algorithm": names, "bytes": sizes},
        {"processes": 0},
    )
    return dataset


def _operation(part: Part) -> str:
    operation = part.word("operation")
    if operation not in bench.operations():
        raise ConfigError(
            f"part {part.name}: settings.operation = {operation}: unknown; "
            f"{suggestion(operation, bench.operations())}"
        )
    return operation


def _sizes(part: Part) -> list[int]:
    return [int(SIZE.parse(text)) for text in part.words("sizes")]


def evaluate(part: Part, context: Context) -> Evaluation:
    """Returns medians over as many processes as there are cores.

    Args:
        part: The part, whose settings name operations, sizes in bytes and repetitions.
        context: The study, and whether the full series is made.

    Raises:
        NotTestableError: If there are less than two cores, or no MPI.
    """
    processes = usable_cores()
    if processes < 2:
        raise NotTestableError("two processes on one core take turns, which measures the scheduler")
    operation = _operation(part)
    context.note(f"{part.name}: {operation} between {processes} processes")
    amount = int(part.number("repetitions" if context.full else "reduced_repetitions"))
    try:
        measured = bench.measure(
            "collectives",
            processes,
            operations=(operation,),
            sizes=_sizes(part),
            repetitions=int(amount),
        )
    except (ConfigError, MpiError) as error:
        raise NotTestableError(str(error)) from None
    data = _empty(part).assign_attrs(processes=processes, library=measured.library)
    for row in measured.rows:
        data["median_s"].loc[{"algorithm": row.name, "bytes": row.size}] = row.median_s
    figures = {part.name: measurements.draw(measured, operation)}
    return Evaluation(data, {part.name: _table(data, measured)}, figures)


def _table(data: xarray.Dataset, measured: bench.Measurements) -> Table:
    names = [str(name) for name in data["algorithm"].values]
    rows: list[list[Cell]] = []
    for size in data["bytes"].values:
        times: Any = data["median_s"].sel(bytes=size).values
        rows.append([bytes_text(int(size)), *(float(f"{1e6 * time:.4g}") for time in times)])
    title = f"Median time in microseconds, {measured.ranks} processes, {measured.library}"
    return Table(title, ("block", *names), rows)


HERE = Evaluator(lambda part, context: _empty(part).fillna(1.0), evaluate)
