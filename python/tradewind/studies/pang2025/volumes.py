"""The volume that each process receives, and from whom (figures 6 and 14)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tradewind import extras
from tradewind.config.partition import ItemGraph, Numbers
from tradewind.plots.style import COLOURS, new_figure, styled
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.pang2025.meshes import (
    cells_of,
    graph_of,
    partition_of,
    regional_mesh,
)
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

# Equation 2: directions, frequencies, bytes of a number, and steps of an hour.
_CELL_MB = 36 * 35 * 4 * 60 / 2**20
# The width of the band around the diagonal, over the number of processes.
_BAND = 1 / 8
# Processes along an axis of the pictures of matrices.
_MOST_PIXELS = 512


def received_cells(graph: ItemGraph, owners: Numbers, processes: int) -> Numbers:
    """Returns the cells that process i receives from process j, as a matrix."""
    source = np.repeat(owners, np.diff(graph.first))
    owner = owners[graph.neighbors]
    between = source != owner
    # A cell that several cells of a process touch is received once.
    pairs = np.unique(source[between] * len(owners) + graph.neighbors[between])
    receiver, cell = pairs // len(owners), pairs % len(owners)
    counts = np.bincount(receiver * processes + owners[cell], minlength=processes**2)
    return counts.reshape(processes, processes)


def _share_near_diagonal(matrix: Numbers) -> float:
    """Returns the share of the volume between processes that differ by at most an eighth."""
    processes = len(matrix)
    receiver, sender = np.nonzero(matrix)
    near = np.abs(receiver - sender) <= _BAND * processes
    return float(matrix[receiver[near], sender[near]].sum() / matrix.sum())


def _dataset(matrices: dict[int, Numbers]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    volumes = [_CELL_MB * matrix.sum(axis=1) for matrix in matrices.values()]
    neighbors = [(matrix > 0).sum(axis=1) for matrix in matrices.values()]
    shares = [_share_near_diagonal(matrix) for matrix in matrices.values()]
    every = [_share_near_diagonal(1 - np.eye(count, dtype=np.int64)) for count in matrices]
    mb = {"units": "MiB", "long_name": "received volume of a process in 60 steps"}
    data: xarray.Dataset = xr.Dataset(
        {
            "smallest": ("processes", [float(one.min()) for one in volumes], mb),
            "mean": ("processes", [float(one.mean()) for one in volumes], mb),
            "largest": ("processes", [float(one.max()) for one in volumes], mb),
            "mean_neighbors": ("processes", [float(one.mean()) for one in neighbors]),
            "most_neighbors": ("processes", [int(one.max()) for one in neighbors]),
            "near_diagonal": (
                "processes",
                shares,
                {"long_name": "share of processes whose numbers differ by at most an eighth"},
            ),
            "near_diagonal_of_all": (
                "processes",
                every,
                {"long_name": "the same share if all pairs of processes had the same volume"},
            ),
        },
        {"processes": list(matrices)},
    )
    return data


def _outline(part: Part, context: Context) -> xarray.Dataset:
    return _dataset(
        {count: np.eye(count, k=1, dtype=np.int64) for count in part.processes(full=True)}
    )


def _evaluate(part: Part, context: Context) -> Evaluation:
    mesh = regional_mesh(cells_of(part, context.full), context.work.parent / "meshes", context.note)
    graph = graph_of(mesh)
    matrices = {
        count: received_cells(graph, partition_of(graph, count, mesh.parent, context.note), count)
        for count in part.processes(context.full)
    }
    data = _dataset(matrices).assign_attrs(cells=len(graph.owners))
    rows: list[list[Cell]] = []
    for count in data.processes.values:
        here = data.sel(processes=count)
        values = (here.smallest, here["mean"], here.largest, here.mean_neighbors)
        rounded = [float(f"{float(value):.4g}") for value in values]
        share = round(100 * float(here.near_diagonal), 1)
        rows.append([int(count), *rounded, int(here.most_neighbors), share])
    header = (
        "processes",
        "smallest (MiB)",
        "mean (MiB)",
        "largest (MiB)",
        "mean neighbours",
        "most neighbours",
        "near the diagonal (%)",
    )
    title = f"{part.title}: {len(graph.owners)} cells"
    figures = {part.name: _figure(data, matrices)}
    return Evaluation(data, {part.name: Table(title, header, rows)}, figures)


def _figure(data: xarray.Dataset, matrices: dict[int, Numbers]) -> Figure:
    """Draws volumes with their range, and the matrices of the first, middle and last count."""
    from matplotlib.colors import LogNorm

    counts = list(matrices)
    shown = list(dict.fromkeys([counts[0], counts[len(counts) // 2], counts[-1]]))
    with styled():
        figure = new_figure(10.0, 8.0)
        panels = list(figure.subplots(2, 2).flat)
        mean = data["mean"].values
        spread = np.array([mean - data.smallest.values, data.largest.values - mean])
        panels[0].bar(range(len(counts)), mean, color=COLOURS[5])
        panels[0].errorbar(
            range(len(counts)), mean, spread, fmt="none", color=COLOURS[6], capsize=4
        )
        panels[0].set_xticks(range(len(counts)), [str(count) for count in counts])
        panels[0].set(xlabel="processes", ylabel="received volume (MiB)")
        panels[0].set_title("(a) smallest, mean and largest", loc="left")
        for letter, panel, count in zip("bcd", panels[1:], shown, strict=False):
            volume = _CELL_MB * matrices[count]
            width = -(-count // _MOST_PIXELS)
            if width > 1:
                edges = np.arange(0, count, width)
                volume = np.add.reduceat(np.add.reduceat(volume, edges, 0), edges, 1)
            image = panel.imshow(
                np.ma.masked_equal(volume.T, 0),
                norm=LogNorm(),
                origin="lower",
                interpolation="nearest",
                extent=(-0.5, count - 0.5, -0.5, count - 0.5),
            )
            figure.colorbar(image, ax=panel, label="volume (MiB)")
            panel.set(xlabel="receiving process", ylabel="sending process")
            panel.set_title(f"({letter}) {count} processes", loc="left")
            panel.grid(False)
        for panel in panels[1 + len(shown) :]:
            panel.set_visible(False)
    return figure


VOLUMES = Evaluator(_outline, _evaluate)
