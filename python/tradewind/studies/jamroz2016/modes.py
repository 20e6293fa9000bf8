"""The modes of tables 1 and 2 with data on the processes of this machine, measured in a sandwich.

One sandwich runs the modes of a method forwards and backwards, A B C C B A. The two times of a mode
have their middle at the same moment, so that a steady drift of the machine cancels in their mean.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.errors import ConfigError, MpiError
from tradewind.host import usable_cores
from tradewind.models.case import Case
from tradewind.models.run import plan, step_seconds
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.plots.style import COLOURS, MARKERS, label_decades, new_figure, styled
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator, NotTestableError
from tradewind.studies.jamroz2016.printed import DG, SE, Method
from tradewind.studies.tables import Cell, Table
from tradewind.units import seconds_text

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

_METHODS = (SE, DG)
_MODEL = "homme"
_SYNCHRONOUS = "synchronous"


def _way(method: Method, mode: str) -> str:
    return f"{method.name} {mode}"


def _number(part: Part, full: bool, name: str) -> int:
    return int(part.number(name if full else f"reduced_{name}"))


def _empty(part: Part) -> xarray.Dataset:
    """Returns the results of the full series, all of them missing."""
    xr = extras.need("xarray", "datasets")
    ways = [_way(method, mode) for method in _METHODS for mode in method.modes]
    processes = part.processes(full=True)
    sandwiches = list(range(1, _number(part, True, "sandwiches") + 1))
    whole = np.full((len(ways), len(processes), len(sandwiches)), np.nan)
    dimensions = ("way", "processes", "sandwich")
    data: xarray.Dataset = xr.Dataset(
        {
            "step_s": (dimensions, whole, {"units": "s", "long_name": "median time of a step"}),
            "gain": (
                dimensions,
                whole.copy(),
                {"units": "1", "long_name": "gain over the synchronous mode of the sandwich"},
            ),
        },
        {"way": ways, "processes": processes, "sandwich": sandwiches},
    )
    data["oversubscribed"] = ("processes", [count > usable_cores() for count in processes])
    return data


def _step_s(settings: dict[str, Any], processes: int) -> float:
    try:
        return step_seconds(plan(Case.read(_MODEL, {_MODEL: settings}), processes), run_on_mpi)
    except (ConfigError, MpiError) as error:
        raise NotTestableError(str(error)) from None


def _sandwich(settings: Mapping[str, dict[str, Any]], processes: int) -> dict[str, float]:
    """Runs all modes forwards and backwards; returns the mean of both times of each."""
    forwards = list(settings)
    times: dict[str, list[float]] = {mode: [] for mode in settings}
    for mode in [*forwards, *reversed(forwards)]:
        times[mode].append(_step_s(settings[mode], processes))
    return {mode: float(np.mean(both)) for mode, both in times.items()}


def _settings(part: Part, full: bool, method: Method) -> dict[str, dict[str, Any]]:
    """Returns the settings of each mode of a method."""
    common = {
        "ne": _number(part, full, "ne"),
        "method": method.name,
        "steps": _number(part, full, f"{method.name}_steps"),
        **method.settings,
    }
    return {mode: {**common, **own} for mode, own in method.modes.items()}


def evaluate(part: Part, context: Context) -> Evaluation:
    """Returns the times of a step and the gains over the synchronous mode.

    Raises:
        NotTestableError: If there are fewer than two cores, or no MPI.
    """
    if usable_cores() < 2:
        raise NotTestableError("two processes on one core only take turns")
    data = _empty(part)
    sandwiches = _number(part, context.full, "sandwiches")
    for processes in part.processes(context.full):
        for method in _METHODS:
            context.note(f"{part.name}: {method.name} on {processes} processes")
            settings = _settings(part, context.full, method)
            for sandwich in range(1, sandwiches + 1):
                times = _sandwich(settings, processes)
                for mode, time in times.items():
                    place = {"way": _way(method, mode), "processes": processes}
                    place["sandwich"] = sandwich
                    data["step_s"].loc[place] = time
                    data["gain"].loc[place] = times[_SYNCHRONOUS] / time - 1
    ne = _number(part, context.full, "ne")
    data = data.assign_attrs(ne=ne, cores=usable_cores(), sandwiches=sandwiches)
    return Evaluation(data, {part.name: _table(data)}, {part.name: _figure(data)})


def _measured(data: xarray.Dataset) -> list[int]:
    """Returns the processes that there are results of."""
    return [int(count) for count in data.processes.values if _times(data, count).size]


def _times(data: xarray.Dataset, processes: int) -> Any:
    values = data.step_s.sel(processes=processes).values
    return values[~np.isnan(values)]


def _spread(values: Any) -> tuple[float, float, float]:
    """Returns median, smallest and largest of the sandwiches."""
    return float(np.nanmedian(values)), float(np.nanmin(values)), float(np.nanmax(values))


def _table(data: xarray.Dataset) -> Table:
    rows: list[list[Cell]] = []
    for processes in _measured(data):
        shared = bool(data.oversubscribed.sel(processes=processes))
        for way in data.way.values:
            one = data.sel(processes=processes, way=way)
            milliseconds = [float(f"{1e3 * time:.4g}") for time in _spread(one.step_s)]
            gains = [float(f"{100 * gain:.3g}") for gain in _spread(one.gain)]
            elements = float(f"{6 * data.ne**2 / processes:.4g}")
            cores = "oversubscribed" if shared else "own"
            rows.append([str(way), processes, cores, elements, *milliseconds, *gains])
    header = ("way", "P", "cores", "E/P", "step ms", "min", "max", "gain %", "min", "max")
    title = f"Steps at ne = {data.ne} on {data.cores} cores, sandwiches: {data.sandwiches}"
    return Table(title, header, rows)


def _figure(data: xarray.Dataset) -> Figure:
    processes = _measured(data)
    with styled():
        figure = new_figure(9.0, 6.4)
        panels = figure.subplots(2, len(_METHODS), sharex=True, squeeze=False)
        for column, method in enumerate(_METHODS):
            for index, mode in enumerate(method.modes):
                own = data.sel(way=_way(method, mode), processes=processes)
                style = {"color": COLOURS[index], "marker": MARKERS[index], "capsize": 3.0}
                # Side by side, so that bars do not hide each other.
                across = np.arange(len(processes)) + 0.06 * (index - 1.5)
                for row, (name, scale) in enumerate((("step_s", 1.0), ("gain", 100.0))):
                    if name == "gain" and index == 0:
                        continue
                    spread = scale * np.array([_spread(some) for some in own[name].values])
                    middle, low, high = spread.T
                    panels[row][column].errorbar(
                        across,
                        middle,
                        [middle - low, high - middle],
                        label=mode.replace("_", " "),
                        **style,
                    )
            panels[0][column].set(title=f"{method.name}, ne = {data.ne}", yscale="log")
            label_decades(panels[0][column].yaxis, seconds_text)
            panels[0][column].legend()
            panels[1][column].axhline(0.0, color="0.6", linewidth=0.8)
            panels[1][column].set_xticks(
                range(len(processes)),
                [f"{count}*" if count > data.cores else str(count) for count in processes],
            )
            panels[1][column].set_xlabel("processes (*: more than cores)")
        panels[0][0].set_ylabel("time of a step")
        panels[1][0].set_ylabel("gain over synchronous (%)")
    return figure


HERE = Evaluator(lambda part, context: _empty(part).fillna(1.0), evaluate)
