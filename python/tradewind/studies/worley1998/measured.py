"""Tables 1, 4 and 5 for this machine: the model with data, in one process and on real MPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.errors import ConfigError, MpiError
from tradewind.host import usable_cores
from tradewind.models.case import Case
from tradewind.models.run import plan, simulate, step_seconds
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator, NotTestableError
from tradewind.studies.tables import Cell, Table
from tradewind.studies.worley1998 import table4
from tradewind.studies.worley1998.printed import PROBLEMS, truncation_of

if TYPE_CHECKING:
    import xarray

_SERIAL = ("T42L1", "T42L3", "T42L16", "T85L1", "T85L3")
_RESOLUTIONS = ("T42L16", "T85L16")
_MESHES = {2: ("1x2", "2x1"), 4: ("1x4", "2x2", "4x1")}
_WAYS: Mapping[str, Mapping[str, dict[str, str]]] = {
    "DTH": {
        "srtrans (0,6)": {"fft": "srtrans", "protocol": "(0,6)"},
        "srtrans (0,3)": {"fft": "srtrans", "protocol": "(0,3)"},
        "swtrans (0,3)": {"fft": "swtrans", "protocol": "(0,3)"},
        "srtrans (2,3)": {"fft": "srtrans", "protocol": "(2,3)"},
    },
    "DR": {
        "(0,6)": {"protocol": "(0,6)"},
        "(0,3)": {"protocol": "(0,3)"},
        "(2,3)": {"protocol": "(2,3)"},
    },
}
_GEN = {"DTH": "srtrans (0,6)", "DR": "(0,6)"}


def _settings(resolution: str, work: float, more: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the settings of a run with about `work` operations and at least ten steps."""
    truncation = truncation_of(resolution)
    levels = int(resolution.partition("L")[2])
    step_s = 432000 // PROBLEMS[truncation].steps
    steps = max(10, round(work / (PROBLEMS[truncation].flops * levels)))
    return {
        "case": 2,
        "truncation": truncation,
        "levels": levels,
        "time_step": f"{step_s} s",
        "days": steps * step_s / 86400,
        **more,
    }


def _step_s(settings: dict[str, Any], ranks: int, run: Callable[..., None]) -> float:
    """Returns the time of a step: the median on MPI, the mean in one process."""
    planned = plan(Case.read("pstswm", {"pstswm": settings}), ranks)
    return step_seconds(planned, run)


def evaluate_table1(part: Part, context: Context) -> Evaluation:
    """Returns rates of one process in the paper's operations.

    Args:
        part: The part, whose settings say how much is measured.
        context: The study, and whether the full series is made.
    """
    work = _work(part, context)
    context.note(f"{part.name}: {len(_SERIAL)} serial runs")
    rates = []
    for resolution in _SERIAL:
        seconds = _step_s(_settings(resolution, work, {}), 1, simulate)
        levels = int(resolution.partition("L")[2])
        rates.append(PROBLEMS[truncation_of(resolution)].flops * levels / seconds)
    data = _table1(rates)
    row: list[Cell] = ["this machine", *(float(f"{rate / 1e6:.4g}") for rate in rates)]
    table = Table("Serial Mflop/s rates here", ("machine", *_SERIAL), [row])
    return Evaluation(data, {part.name: table})


def _work(part: Part, context: Context) -> float:
    return 1e9 * part.number("gflop" if context.full else "reduced_gflop")


def _table1(rates: list[float]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    dataset: xarray.Dataset = xr.Dataset(
        {"flop_per_s": ("resolution", rates)}, {"resolution": list(_SERIAL)}
    )
    return dataset


def _processes() -> int:
    """Returns the largest count of the table that has a core for each process."""
    fitting = [count for count in _MESHES if count <= usable_cores()]
    if not fitting:
        raise NotTestableError("two processes on one core only take turns")
    return max(fitting)


def _table5() -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    meshes = [mesh for some in _MESHES.values() for mesh in some]
    labels = {"resolution": list(_RESOLUTIONS), "method": list(_WAYS), "mesh": meshes}
    shape = tuple(len(one) for one in labels.values())
    names = ("run_time_s", "gen_loss")
    dataset: xarray.Dataset = xr.Dataset(
        {name: (tuple(labels), np.full(shape, np.nan)) for name in names}, labels
    )
    return dataset


def evaluate_table5(part: Part, context: Context) -> Evaluation:
    """Returns run times of 5 days on as many real processes as there are cores, from the median step.

    Args:
        part: The part, whose settings say how much is measured.
        context: The study, and whether the full series is made.
    """
    count = _processes()
    work = _work(part, context)
    context.note(f"{part.name}: the model on {count} processes")
    data = _table5()
    rows: list[list[Cell]] = []
    for resolution in _RESOLUTIONS:
        for method, ways in _WAYS.items():
            for mesh in _MESHES[count]:
                times = {
                    way: _run_time_s(resolution, method, mesh, work, more)
                    for way, more in ways.items()
                }
                best = min(times, key=lambda way: times[way])
                loss = times[_GEN[method]] / times[best] - 1
                place = {"resolution": resolution, "method": method, "mesh": mesh}
                data["run_time_s"].loc[place] = times[best]
                data["gen_loss"].loc[place] = loss
                numbers = [float(f"{times[best]:.4g}"), float(f"{100 * loss:.2g}")]
                rows.append([resolution, method, mesh, *numbers, best])
    header = ("resolution", "alg.", "mesh", "opt s", "gen slower by %", "opt protocol")
    return Evaluation(data, {part.name: Table("Run times of 5 days here, MPI", header, rows)})


def _run_time_s(
    resolution: str, method: str, mesh: str, work: float, more: Mapping[str, str]
) -> float:
    px, py = map(int, mesh.split("x"))
    settings = _settings(resolution, work, {"method": method, "processes": [px, py], **more})
    return _step_on_mpi_s(settings, px * py) * PROBLEMS[truncation_of(resolution)].steps


def _step_on_mpi_s(settings: dict[str, Any], ranks: int) -> float:
    try:
        return _step_s(settings, ranks, run_on_mpi)
    except (ConfigError, MpiError) as error:
        raise NotTestableError(str(error)) from None


def _table4() -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    algorithms = list(table4.ALGORITHMS)
    dataset: xarray.Dataset = xr.Dataset(
        {
            name: ("algorithm", np.full(len(algorithms), np.nan))
            for name in ("sendrecv_loss", "two_sided_loss")
        },
        {"algorithm": algorithms},
    )
    return dataset


def evaluate_table4(part: Part, context: Context) -> Evaluation:
    """Returns the losses of (0,6) and of two-sided messages on a line of real processes, T42L16.

    Args:
        part: The part, whose settings say how much is measured.
        context: The study, and whether the full series is made.
    """
    count = _processes()
    context.note(f"{part.name}: {len(table4.ALGORITHMS)} algorithms on {count} processes")
    data = _table4()
    rows: list[list[Cell]] = []
    for algorithm in table4.ALGORITHMS:
        two_sided = _steps_s(part, context, algorithm, "two_sided")
        puts = _steps_s(part, context, algorithm, "puts")
        best = min(two_sided, key=lambda protocol: two_sided[protocol])
        best_put = min(puts, key=lambda protocol: puts[protocol])
        losses = (two_sided["(0,6)"] / two_sided[best] - 1, two_sided[best] / puts[best_put] - 1)
        for name, loss in zip(("sendrecv_loss", "two_sided_loss"), losses, strict=True):
            data[name].loc[{"algorithm": algorithm}] = loss
        step_ms = [float(f"{1e3 * s:.4g}") for s in (two_sided[best], puts[best_put])]
        in_percent = [float(f"{100 * loss:.2g}") for loss in losses]
        rows.append(
            [algorithm, best, step_ms[0], in_percent[0], best_put, step_ms[1], in_percent[1]]
        )
    header = ["algorithm", "opt. protocol", "step ms", "(0,6) slower by %"]
    header += ["opt. protocol of puts", "by puts, step ms", "two-sided slower by %"]
    title = f"Effect of protocol and transport here, {count} processes, MPI"
    return Evaluation(data, {part.name: Table(title, tuple(header), rows)})


def _steps_s(part: Part, context: Context, algorithm: str, transport: str) -> dict[str, float]:
    """Returns the time of a step under each protocol of the part that the transport supports."""
    count = _processes()
    series = "protocols" if transport == "two_sided" else "put_protocols"
    mesh = [count, 1] if algorithm in table4.IN_A_ROW else [1, count]
    more = {**table4.ALGORITHMS[algorithm], "processes": mesh, "transport": transport}
    return {
        protocol: _step_on_mpi_s(
            _settings("T42L16", _work(part, context), more | {"protocol": protocol}), count
        )
        for protocol in part.words(series if context.full else f"reduced_{series}")
    }


TABLE1 = Evaluator(lambda part, context: _table1([1.0] * len(_SERIAL)), evaluate_table1)
TABLE5 = Evaluator(lambda part, context: _table5().fillna(1.0), evaluate_table5)
TABLE4 = Evaluator(lambda part, context: _table4().fillna(1.0), evaluate_table4)
