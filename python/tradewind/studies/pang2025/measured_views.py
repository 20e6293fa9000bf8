"""Tables and pictures of the measured runs, in the layout of the paper."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.plots.style import COLOURS, MARKERS, new_figure, styled
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_BETTER = "better of two"
# The width of all bars of one number of processes.
_GROUP = 0.84


def _measured(data: xarray.Dataset) -> list[tuple[str, int]]:
    """Returns the libraries and process counts that there are results of."""
    known = data.run_s.sel(estimate="median", statistic="mean").isel(way=0).notnull()
    return [
        (str(library), int(count))
        for library in data.library.values
        for count in data.processes.values
        if bool(known.sel(library=library, processes=count))
    ]


def _libraries(data: xarray.Dataset) -> list[str]:
    return list(dict.fromkeys(library for library, _ in _measured(data)))


def _counts(data: xarray.Dataset) -> list[int]:
    return sorted({count for _, count in _measured(data)})


def _rounded(values: Any, scale: float = 1.0, digits: int = 3) -> list[float]:
    return [float(f"{scale * float(value):.{digits}g}") for value in np.ravel(values)]


def tables(name: str, data: xarray.Dataset) -> dict[str, Table]:
    """Returns tables of times, speed-ups and volumes, by the names of their files.

    Args:
        name: The name of the part.
        data: Its results.
    """
    about = f"{data.cells} cells, {data.steps} steps, sandwiches: {data.sandwiches}"
    return {
        name: _times(f"Time of a run in s, {about}", data),
        f"{name}-speedups": _speedups(f"Speed-up over the paper's point-to-point, {about}", data),
        f"{name}-volumes": _volumes(f"Received volume in MiB, {about}", data),
    }


def _times(title: str, data: xarray.Dataset) -> Table:
    rows: list[list[Cell]] = []
    for library, count in _measured(data):
        for way in data.way.values:
            one = data.sel(library=library, processes=count, way=way)
            better, median = one.sel(estimate=_BETTER), one.sel(estimate="median")
            rows.append(
                [
                    library,
                    count,
                    str(way),
                    *_rounded(better.communication_s),
                    *_rounded(better.wait_s),
                    *_rounded(better.computation_s),
                    *_rounded(median.communication_s.sel(statistic="mean")),
                    *_rounded(median.wait_s.sel(statistic="mean")),
                    *_rounded(median.exchange_processor_s.sel(statistic="mean")),
                    *_rounded(median.computation_s.sel(statistic="mean")),
                    *_rounded(better.run_s.sel(statistic="largest")),
                    *_rounded(median.run_s.sel(statistic="largest")),
                ]
            )
    header = (
        *("library", "processes", "way"),
        *(
            f"{time}, better of two: {statistic}"
            for time in ("communication", "wait", "computation")
            for statistic in data.statistic.values
        ),
        *(f"{time}, median" for time in ("communication", "wait")),
        *("processor time of the communication, median", "computation, median"),
        *("longest run, better of two", "longest run, median"),
    )
    return Table(title, header, rows)


def _speedups(title: str, data: xarray.Dataset) -> Table:
    rows: list[list[Cell]] = []
    for library, count in _measured(data):
        for way in data.way.values[1:]:
            one = data.sel(library=library, processes=count, way=way)
            cells: list[float] = []
            for values in (one.speedup_communication, one.speedup_run):
                better = values.sel(estimate=_BETTER, statistic=["mean", "largest"])
                spread = values.sel(estimate=["median", "lowest", "highest"], statistic="mean")
                cells += _rounded(better) + _rounded(spread)
            rows.append([library, count, str(way), *cells])
    columns = ("better of two: mean", "largest", "mean: median", "lowest", "highest")
    header = (
        *("library", "processes", "way"),
        *(f"communication, {column}" for column in columns),
        *(f"run, {column}" for column in columns),
    )
    return Table(title, header, rows)


def _volumes(title: str, data: xarray.Dataset) -> Table:
    rows: list[list[Cell]] = [
        [count, *_rounded(data.volume_mib.sel(processes=count), digits=4)]
        for count in _counts(data)
    ]
    return Table(title, ("processes", "smallest", "mean", "largest"), rows)


def figures(name: str, data: xarray.Dataset) -> Mapping[str, Figure]:
    """Returns the pictures of times and of speed-ups, by the names of their files.

    Args:
        name: The name of the part.
        data: Its results.
    """
    return {name: _draw_times(data), f"{name}-speedups": _draw_speedups(data)}


def _label(data: xarray.Dataset, panel: Axes, counts: list[int]) -> None:
    """Labels an axis of process counts, and marks those that have more processes than cores."""
    shared = any(count > data.cores for count in counts)
    names = [f"{count}*" if count > data.cores else str(count) for count in counts]
    panel.set_xticks(range(len(counts)), names)
    panel.set_xlabel("processes (*: more than cores)" if shared else "processes")


def _draw_times(data: xarray.Dataset) -> Figure:
    """Draws communication with its range over processes, and below it both parts of a run."""
    libraries, counts = _libraries(data), _counts(data)
    ways = [str(way) for way in data.way.values]
    width = _GROUP / len(ways)
    with styled():
        figure = new_figure(1.2 + 4.2 * len(libraries), 7.0)
        panels = figure.subplots(2, len(libraries), sharey="row", squeeze=False)
        for column, library in enumerate(libraries):
            upper, lower = panels[0][column], panels[1][column]
            for index, way in enumerate(ways):
                one = data.sel(
                    estimate=_BETTER, library=library, way=way, processes=counts, statistic="mean"
                )
                ends = data.communication_s.sel(
                    estimate=_BETTER, library=library, way=way, processes=counts
                )
                across = np.arange(len(counts)) + width * (index - (len(ways) - 1) / 2)
                mean = one.communication_s.values
                upper.bar(across, mean, 0.9 * width, color=COLOURS[index], label=way)
                spread = [
                    mean - ends.sel(statistic="smallest").values,
                    ends.sel(statistic="largest").values - mean,
                ]
                upper.errorbar(across, mean, spread, fmt="none", color="0.2", capsize=2.5)
                lower.bar(across, one.computation_s.values, 0.9 * width, color="0.75")
                lower.bar(
                    across,
                    mean,
                    0.9 * width,
                    bottom=one.computation_s.values,
                    color=COLOURS[index],
                )
            upper.set_title(library)
            _label(data, upper, counts)
            _label(data, lower, counts)
        panels[0][0].set_ylabel("communication of a process (s)")
        panels[1][0].set_ylabel("computation (grey), communication (s)")
        figure.legend(
            *panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=3
        )
    return figure


def _draw_speedups(data: xarray.Dataset) -> Figure:
    """Draws speed-ups of communication and of the run, with the ends of the sandwiches."""
    libraries, counts = _libraries(data), _counts(data)
    names = {"speedup_communication": "communication", "speedup_run": "whole model"}
    with styled():
        figure = new_figure(1.2 + 4.2 * len(libraries), 7.0)
        panels = figure.subplots(2, len(libraries), sharey="row", squeeze=False)
        for row, (name, words) in enumerate(names.items()):
            for column, library in enumerate(libraries):
                panel = panels[row][column]
                for index, way in enumerate(data.way.values[1:], start=1):
                    one = data[name].sel(library=library, way=way, processes=counts)
                    across = np.arange(len(counts)) + 0.08 * (index - len(data.way) / 2)
                    mean = one.sel(statistic="mean")
                    middle = mean.sel(estimate="median").values
                    spread = [
                        middle - mean.sel(estimate="lowest").values,
                        mean.sel(estimate="highest").values - middle,
                    ]
                    panel.errorbar(
                        across,
                        middle,
                        spread,
                        color=COLOURS[index],
                        marker=MARKERS[index],
                        capsize=3.0,
                        label=f"{way}, by mean",
                    )
                    panel.plot(
                        across,
                        one.sel(statistic="largest", estimate="median").values,
                        color=COLOURS[index],
                        marker=MARKERS[index],
                        markerfacecolor="white",
                        linestyle=":",
                        label=f"{way}, by maximum",
                    )
                panel.axhline(1.0, color="0.6", linewidth=0.8)
                panel.set_title(f"{library}: {words}")
                _label(data, panel, counts)
            panels[row][0].set_ylabel(f"speed-up of the {words}")
        figure.legend(
            *panels[0][0].get_legend_handles_labels(), loc="outside lower center", ncols=2
        )
    return figure
