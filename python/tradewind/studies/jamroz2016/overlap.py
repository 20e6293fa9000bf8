"""Figure 1: overhead of a message and the work that hides it, here and on a simulated Yellowstone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import bench, extras
from tradewind.bench.overlap import SYNCHRONOUS
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError, MpiError
from tradewind.host import usable_cores
from tradewind.plots import overlap as plot
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator, NotTestableError
from tradewind.studies.tables import Cell, Table
from tradewind.units import SIZE, bytes_text

if TYPE_CHECKING:
    import xarray

_MACHINES = ("here", "yellowstone")
_SIDES = ("send", "receive")
# The paper's limit of eager messages for asynchronous modes; and none, so that all make a rendezvous.
_EAGER_LIMITS = {"eager": "4194305 B", "rendezvous": "0 B"}
# The sends that stand for a protocol where the library sets the limit.
_SENDS = {"eager": "standard sends", "rendezvous": "synchronous sends"}
# Ranks 0 and 16 are on two nodes of Yellowstone, which has 16 ranks on each.
_SIMULATED_RANKS = 17
_VARIABLES = {
    "iteration_s": "time with message and work",
    "work_s": "time of the work that hides the message",
    "overhead_s": "share of the message in the time of its processor",
    "base_s": "time without work",
    "availability": "share of the message's time that is left to the processor",
}


def _sizes(part: Part, full: bool) -> list[int]:
    chosen = part.words("sizes" if full else "reduced_sizes")
    return [int(SIZE.parse(text)) for text in chosen]


def _empty(part: Part) -> xarray.Dataset:
    """Returns the results of the full series, all of them missing."""
    xr = extras.need("xarray", "datasets")
    labels: dict[str, list[Any]] = {
        "machine": list(_MACHINES),
        "protocol": list(_EAGER_LIMITS),
        "side": list(_SIDES),
        "bytes": _sizes(part, full=True),
    }
    shape = tuple(len(some) for some in labels.values())
    data: xarray.Dataset = xr.Dataset(
        {
            name: (
                tuple(labels),
                np.full(shape, np.nan),
                {"units": "s" if name.endswith("_s") else "1", "long_name": meaning},
            )
            for name, meaning in _VARIABLES.items()
        },
        labels,
        {"rounds": 0},
    )
    return data


def _measured(part: Part, context: Context, sizes: Sequence[int]) -> list[bench.Measurements]:
    """Returns the measurement of two processes of this machine, made several times.

    Medians of repetitions leave out those that other jobs have interrupted.
    """
    if usable_cores() < 2:
        raise NotTestableError("two processes on one core take turns, which measures the scheduler")
    prefix = "" if context.full else "reduced_"
    rounds = int(part.number(f"{prefix}rounds"))
    context.note(f"{part.name}: {rounds} rounds between two processes")
    try:
        return [
            bench.measure(
                "overlap",
                2,
                overlap=bench.OverlapMethod(average="median"),
                sizes=sizes,
                repetitions=int(part.number(f"{prefix}repetitions")),
            )
            for _ in range(rounds)
        ]
    except (ConfigError, MpiError) as error:
        raise NotTestableError(str(error)) from None


def _simulated(eager_limit: str, sizes: Sequence[int]) -> bench.Measurements:
    """Returns the measurement between two nodes of Yellowstone; the program does not matter."""
    tables = {
        "machine": {"name": "yellowstone", "message": {"eager_limit": eager_limit}},
        "program": {"name": "allreduce", "ranks": _SIMULATED_RANKS, "bytes": "8 B"},
    }
    (member,) = Experiment.load(tables).members()
    return bench.measure_simulated(
        member.spec, "overlap", overlap=bench.OverlapMethod(send_mode="standard"), sizes=sizes
    )


def _fill(
    data: xarray.Dataset, machine: str, protocol: str, rounds: Sequence[bench.Measurements]
) -> None:
    """Puts the medians over the rounds of a measurement at their place."""
    synchronous = machine == "here" and protocol == "rendezvous"
    for side in _SIDES:
        kind = f"{SYNCHRONOUS}{side}" if synchronous else side
        for row in (row for row in rounds[0].rows if row.name == kind):
            place = {"machine": machine, "protocol": protocol, "side": side, "bytes": row.size}
            for name in _VARIABLES:
                found = [
                    same.values[name]
                    for one in rounds
                    for same in one.rows
                    if (same.name, same.size) == (kind, row.size)
                ]
                data[name].loc[place] = float(np.median(found))


def evaluate(part: Part, context: Context) -> Evaluation:
    """Returns the values of Sandia's benchmark here and in the simulation.

    Raises:
        NotTestableError: If there are fewer than two cores, or no MPI.
    """
    sizes = _sizes(part, context.full)
    here = _measured(part, context, sizes)
    data = _empty(part).assign_attrs(rounds=len(here), library=here[0].library)
    for protocol, limit in _EAGER_LIMITS.items():
        _fill(data, "here", protocol, here)
        _fill(data, "yellowstone", protocol, [_simulated(limit, sizes)])
    found = data.sel(bytes=sizes)
    figure = plot.draw(_curves(found), f"two processes, {here[0].library}; Yellowstone simulated")
    return Evaluation(data, {part.name: _table(found)}, {part.name: figure})


def _curves(data: xarray.Dataset) -> list[plot.OverlapCurve]:
    drawn = []
    for protocol in _EAGER_LIMITS:
        for machine in _MACHINES:
            for side in _SIDES:
                one = data.sel(machine=machine, protocol=protocol, side=side)
                drawn.append(
                    plot.OverlapCurve(
                        machine,
                        f"{protocol} ({_SENDS[protocol]} here)",
                        side,
                        [int(size) for size in one.bytes.values],
                        [float(time) for time in one.overhead_s.values],
                        [float(time) for time in one.work_s.values],
                    )
                )
    return drawn


def _table(data: xarray.Dataset) -> Table:
    """Returns Sandia's columns for each machine, protocol, side and size."""
    rows: list[list[Cell]] = []
    for machine in _MACHINES:
        for protocol in _EAGER_LIMITS:
            for side in _SIDES:
                for size in data.bytes.values:
                    place = {"machine": machine, "protocol": protocol, "side": side, "bytes": size}
                    one = data.sel(place)
                    times = [
                        float(f"{1e6 * float(one[name]):.4g}")
                        for name in ("iteration_s", "work_s", "overhead_s", "base_s")
                    ]
                    available = float(f"{100 * float(one.availability):.3g}")
                    label = bytes_text(int(size))
                    rows.append([machine, protocol, side, label, *times, available])
    header = ("machine", "protocol", "side", "msgsize", "iter_t", "work_t", "overhead", "base_t")
    return Table("Overlap, times in microseconds", (*header, "avail(%)"), rows)


HERE = Evaluator(lambda part, context: _empty(part).fillna(1.0), evaluate)
