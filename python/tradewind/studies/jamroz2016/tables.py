"""Tables 1 and 2: run times on Yellowstone, calibrated on the column of 338 processes alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.config.experiment import Experiment
from tradewind.core import load
from tradewind.plots.style import COLOURS, MARKERS, label_decades, new_figure, styled
from tradewind.runs.run import RunSet
from tradewind.studies.definition import Part, Study
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.jamroz2016.printed import (
    CALIBRATED,
    DG,
    LEVELS,
    PROCESSES,
    RESOLUTIONS,
    SE,
    Method,
    run_times,
)
from tradewind.studies.tables import Cell, Table
from tradewind.units import seconds_text

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

# Simulated steps, one of which returns to the reference levels.
STEPS = 3
# The paper's limit for asynchronous messages (code availability): up to 4 MiB they are eager.
_EAGER_LIMIT = "4194305 B"
# Rates of packing and adding on a core of 2012; chosen.
_COPIES = {"copy_bandwidth": "4 GB/s", "sum_bandwidth": "3 GB/s"}
# Seconds of a step that are far below its limits, which the messages do not depend on.
_STEP = {60: "10 s", 120: "5 s"}
_CALIBRATIONS = 4


def run_tables(method: Method, ne: int, mode: str, processes: int, flops: float) -> dict[str, Any]:
    """Returns the tables of one run."""
    message = {} if mode == "synchronous" else {"message": {"eager_limit": _EAGER_LIMIT}}
    return {
        "machine": {
            "name": "yellowstone",
            "node": {"flops": f"{flops:.0f} flop/s", **_COPIES},
            **message,
        },
        "program": {
            "name": "homme",
            "ranks": processes,
            "method": method.name,
            "ne": ne,
            "levels": LEVELS,
            "steps": STEPS,
            "time_step": _STEP[ne],
            **method.settings,
            **method.modes[mode],
        },
    }


def _step_s(method: Method, ne: int, mode: str, flops: float) -> float:
    """Returns the simulated time of a step on the calibrated column."""
    experiment = Experiment.load(run_tables(method, ne, mode, CALIBRATED, flops))
    (member,) = experiment.members()
    found = load().simulate(member.spec.tables(), lambda *progress: True)
    return float(found["time_s"]) / STEPS


@cache
def calibrated_flops(table: int, ne: int, mode: str) -> float:
    """Returns the rate of a core, in flop/s, with which 338 processes take the printed time."""
    method = SE if table == SE.table else DG
    printed = run_times(table)[ne, CALIBRATED, mode] / method.steps[ne]
    return fitted_flops(lambda flops: _step_s(method, ne, mode, flops), printed)


def fitted_flops(step_s: Callable[[float], float], wanted: float) -> float:
    """Returns the rate of a core, in flop/s, with which a step takes the wanted time.

    The rate is found by a secant iteration on the time of the computation.

    Args:
        step_s: The time of a step at a rate, all of which but the messages goes with 1 / rate.
        wanted: The time of a step in seconds.
    """
    flops = 1e9
    time = step_s(flops)
    work = flops * time
    for _ in range(_CALIBRATIONS):
        computing = work / flops
        flops = work / max(computing + wanted - time, 0.01 * wanted)
        time = step_s(flops)
    return flops


def _experiments(method: Method, part: Part, full: bool) -> dict[str, Experiment]:
    experiments = {}
    for ne in RESOLUTIONS:
        for mode in method.modes:
            flops = calibrated_flops(method.table, ne, mode)
            tables = run_tables(method, ne, mode, CALIBRATED, flops)
            tables["sweep"] = {"program.ranks": part.processes(full)}
            experiments[f"ne{ne} {mode}"] = Experiment.load(tables)
    return experiments


def _dataset(method: Method, runs: Mapping[str, RunSet]) -> xarray.Dataset:
    """Returns printed and predicted times; those that were not run are missing."""
    xr = extras.need("xarray", "datasets")
    modes = list(method.modes)
    shape = (len(RESOLUTIONS), len(PROCESSES), len(modes))
    printed = np.full(shape, np.nan)
    for (ne, processes, mode), value in run_times(method.table).items():
        printed[RESOLUTIONS.index(ne), PROCESSES.index(processes), modes.index(mode)] = value
    predicted = np.full(shape, np.nan)
    for name, found in runs.items():
        resolution_label, mode = name.split(" ")
        resolution = int(resolution_label.removeprefix("ne"))
        for run in found:
            place = (
                RESOLUTIONS.index(resolution),
                PROCESSES.index(int(run.parameters["ranks"])),
                modes.index(mode),
            )
            predicted[place] = run.time_s / STEPS * method.steps[resolution]
    dimensions = ("ne", "processes", "mode")
    data: xarray.Dataset = xr.Dataset(
        {
            "printed_s": (dimensions, printed, {"units": "s", "long_name": "printed time"}),
            "predicted_s": (dimensions, predicted, {"units": "s", "long_name": "predicted time"}),
        },
        {"ne": list(RESOLUTIONS), "processes": list(PROCESSES), "mode": modes},
    )
    first = data.printed_s.sel(processes=CALIBRATED, drop=True)
    data["scaled_s"] = (first * CALIBRATED / data.processes).transpose(*dimensions)
    data["elements"] = 6 * data.ne**2 / data.processes
    # The calibrated column says nothing about a prediction.
    others = data.processes != CALIBRATED
    data["error"] = (data.predicted_s / data.printed_s - 1).where(others)
    data["scaled_error"] = (data.scaled_s / data.printed_s - 1).where(others)
    for kind in ("printed", "predicted"):
        times = data[f"{kind}_s"]
        data[f"gain_{kind}"] = times.sel(mode="synchronous", drop=True) / times - 1
    data["gain_error"] = (data.gain_predicted - data.gain_printed).where(others)
    return data


def _table(method: Method, data: xarray.Dataset) -> Table:
    modes = list(method.modes)
    header = ("ne", "P", "E/P", *(f"{mode} {kind}" for mode in modes for kind in _COLUMNS))
    rows: list[list[Cell]] = []
    for ne in RESOLUTIONS:
        for processes in PROCESSES:
            here = data.sel(ne=ne, processes=processes)
            cells: list[Cell] = [ne, processes, float(f"{float(here.elements):.4g}")]
            for mode in modes:
                values = [float(here[name].sel(mode=mode)) for name in _COLUMNS.values()]
                cells += [None if np.isnan(one) else float(f"{one:.4g}") for one in values]
            rows.append(cells)
    return Table(f"Table {method.table}: seconds on Yellowstone", header, rows)


_COLUMNS = {
    "printed": "printed_s",
    "predicted": "predicted_s",
    "gain printed": "gain_printed",
    "gain predicted": "gain_predicted",
}


def _figure(method: Method, data: xarray.Dataset) -> Figure:
    """Draws times and gains over processes; printed ones are markers, predicted ones lines."""
    with styled():
        figure = new_figure(9.4, 7.4)
        panels = figure.subplots(2, len(RESOLUTIONS), squeeze=False, sharex=True)
        for column, ne in enumerate(RESOLUTIONS):
            for row, name in enumerate(("{}_s", "gain_{}")):
                panel = panels[row][column]
                for index, mode in enumerate(method.modes):
                    if row == 1 and index == 0:
                        continue
                    here = data.sel(ne=ne, mode=mode)
                    predicted = here[name.format("predicted")].values
                    known = ~np.isnan(predicted)
                    across = np.array(PROCESSES)
                    scale = 100.0 if row == 1 else 1.0
                    panel.plot(
                        across[known],
                        scale * predicted[known],
                        color=COLOURS[index],
                        label=mode.replace("_", " "),
                    )
                    panel.plot(
                        across,
                        scale * here[name.format("printed")].values,
                        MARKERS[index],
                        color=COLOURS[index],
                    )
                panel.set_xscale("log")
                panel.set_xticks(PROCESSES, [str(count) for count in PROCESSES], rotation=45)
                panel.minorticks_off()
                if row == 0:
                    panel.set(title=f"ne = {ne}", yscale="log")
                    label_decades(panel.yaxis, seconds_text)
                else:
                    panel.axhline(0.0, color="0.6", linewidth=0.8)
                    panel.set_xlabel("processes")
            panels[0][column].legend(title="line: predicted, marker: printed")
        panels[0][0].set_ylabel("time of all steps")
        panels[1][0].set_ylabel("gain over synchronous (%)")
    return figure


def _evaluator(method: Method) -> Evaluator:
    def experiments(part: Part, study: Study, full: bool) -> Mapping[str, Experiment]:
        return _experiments(method, part, full)

    def outline(part: Part, context: Context) -> xarray.Dataset:
        return _dataset(method, {}).fillna(1.0)

    def evaluate(part: Part, context: Context) -> Evaluation:
        data = _dataset(method, context.runs)
        name = f"table{method.table}"
        return Evaluation(data, {name: _table(method, data)}, {name: _figure(method, data)})

    return Evaluator(outline, evaluate, experiments)


TABLE1 = _evaluator(SE)
TABLE2 = _evaluator(DG)
