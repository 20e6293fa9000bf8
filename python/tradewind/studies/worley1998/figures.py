"""Pictures of predicted beside printed numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.plots.style import COLOURS, DASHES, MARKERS, label_decades, new_figure, styled
from tradewind.results.run_result import Array
from tradewind.studies.worley1998.printed import LIBRARIES, MACHINES, MESHES, METHODS, RESOLUTIONS
from tradewind.units import seconds_text

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def processors(mesh: str) -> int:
    """Returns the number of processors of a mesh: 4x8 -> 32.

    Args:
        mesh: Columns and rows of processors.
    """
    px, py = map(int, mesh.split("x"))
    return px * py


def run_times(data: xarray.Dataset) -> Figure:
    """Draws run times over processors, one panel per machine and resolution.

    Printed times are markers, predicted ones lines.

    Args:
        data: Times (s), predicted and printed, by machine, library, resolution, method and mesh.

    Returns:
        The figure.
    """
    across = np.array([processors(mesh) for mesh in MESHES])
    with styled():
        figure = new_figure(10.0, 7.4)
        panels = figure.subplots(len(RESOLUTIONS), len(MACHINES), squeeze=False, sharex="col")
        for row, resolution in enumerate(RESOLUTIONS):
            for column, machine in enumerate(MACHINES):
                panel = panels[row][column]
                _draw(panel, data.sel(machine=machine, resolution=resolution), across)
                panel.set(title=f"{machine}, {resolution}", xscale="log", yscale="log")
                panel.set_xticks(across, ["" if one == 112 else str(one) for one in across])
                panel.minorticks_off()
                label_decades(panel.yaxis, seconds_text)
                if row + 1 == len(RESOLUTIONS):
                    panel.set_xlabel("processors")
                if column == 0:
                    panel.set_ylabel("run time of 5 days")
        panels[0][0].legend(title="line: predicted, marker: printed")
    return figure


def _draw(panel: Axes, data: xarray.Dataset, across: Array) -> None:
    for index, (method, library) in enumerate((m, one) for m in METHODS for one in LIBRARIES):
        cell = data.sel({"method": method, "library": library})
        known = ~np.isnan(cell.predicted_s.values)
        panel.plot(
            across[known],
            cell.predicted_s.values[known],
            color=COLOURS[index],
            label=f"{method}, {library}",
        )
        panel.plot(
            across,
            cell.printed_s.values,
            linestyle="none",
            color=COLOURS[index],
            marker=MARKERS[index],
        )


def losses(data: xarray.Dataset) -> Figure:
    """Draws the loss of MPI against SHMEM for each algorithm: predicted over printed.

    Args:
        data: The losses of Table 4 as shares, predicted and printed, by machine and algorithm.

    Returns:
        The figure.
    """
    with styled():
        figure = new_figure(9.6, 4.6)
        panels = figure.subplots(1, len(MACHINES), squeeze=False)[0]
        for panel, machine in zip(panels, MACHINES, strict=True):
            here = data.sel(machine=machine)
            groups = [(p, r) for p in data.processors.values for r in data.resolution.values]
            for index, (count, resolution) in enumerate(groups):
                cell = here.sel(processors=count, resolution=resolution)
                panel.plot(
                    100 * cell.mpi_loss_printed.values,
                    100 * cell.mpi_loss_predicted.values,
                    linestyle="none",
                    marker=MARKERS[index],
                    color=COLOURS[index],
                    label=f"{count} processors, {resolution}",
                )
            values = np.concatenate(
                [here.mpi_loss_printed.values.ravel(), here.mpi_loss_predicted.values.ravel()]
            )
            low, high = 100 * np.nanmin(values) - 5, 100 * np.nanmax(values) + 5
            panel.plot([low, high], [low, high], color="0.6", linewidth=0.8, zorder=0)
            panel.set(title=machine, xlabel="printed: MPI slower than SHMEM by (%)")
        panels[0].set_ylabel("predicted (%)")
        panels[0].legend()
    return figure


def shares(data: xarray.Dataset, names: Sequence[str]) -> Figure:
    """Draws the share of the cells of Table 5 within an error, for some baselines.

    Args:
        data: The variable `baseline_error`, as shares of the printed time.
        names: The baselines to draw.

    Returns:
        The figure.
    """
    with styled():
        figure = new_figure(7.2, 4.4)
        panel = figure.subplots()
        for index, name in enumerate(names):
            errors = np.abs(data.baseline_error.sel(baseline=name).values.ravel())
            known = np.sort(errors[~np.isnan(errors)])
            panel.step(
                100 * known,
                100 * np.arange(1, len(known) + 1) / max(len(known), 1),
                where="post",
                color=COLOURS[index],
                linestyle=DASHES[index % 2],
                label=name,
            )
        panel.set(xlabel="error of at most (%)", ylabel="cells of Table 5 (%)", ylim=(0, 102))
        panel.axhline(50, color="0.6", linewidth=0.8, zorder=0)
        panel.legend(loc="lower right")
    return figure
