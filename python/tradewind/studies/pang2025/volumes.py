"""The volume that each process receives, and from whom (figures 6 and 14)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tradewind import extras
from tradewind.config.partition import ItemGraph, Numbers
from tradewind.plots.style import COLOURS, new_figure, styled
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.pang2025.meshes import graph_of, mesh_of, partition_of
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


@dataclass(frozen=True)
class ReceivedCells:
    """The cells that processes receive from each other.

    Args:
        processes: The number of processes.
        receiver: The receiving process of each pair that exchanges cells, shape (pairs,).
        sender: The sending one.
        cells: The cells that the pair exchanges.
    """

    processes: int
    receiver: Numbers
    sender: Numbers
    cells: Numbers

    def of_receivers(self) -> Numbers:
        """Returns the cells that each process receives."""
        counts = np.bincount(self.receiver, self.cells, self.processes)
        return np.asarray(counts, np.int64)

    def share_near_diagonal(self) -> float:
        """Returns the share of processes whose numbers differ by at most an eighth of all."""
        near = np.abs(self.receiver - self.sender) <= _BAND * self.processes
        return float(self.cells[near].sum() / self.cells.sum())

    def matrix(self, width: int) -> Numbers:
        """Returns the matrix of (receiver, sender), each entry the sum of `width` times `width`."""
        count = -(-self.processes // width)
        keys = self.receiver // width * count + self.sender // width
        sums = np.bincount(keys, self.cells, count**2)
        return np.asarray(sums, np.int64).reshape(count, count)


def received_cells(graph: ItemGraph, owners: Numbers, processes: int) -> ReceivedCells:
    """Returns the cells that processes receive; one that touches several cells comes once."""
    source = np.repeat(owners, np.diff(graph.first))
    owner = owners[graph.neighbors]
    between = source != owner
    cells = np.unique(source[between] * len(owners) + graph.neighbors[between])
    receiver, cell = cells // len(owners), cells % len(owners)
    pairs, counts = np.unique(receiver * processes + owners[cell], return_counts=True)
    return ReceivedCells(processes, pairs // processes, pairs % processes, counts)


def _share_of_all(processes: int) -> float:
    """Returns the share near the diagonal if all pairs exchanged as much."""
    differences = np.arange(1, processes)
    pairs = processes - differences
    return float(pairs[differences <= _BAND * processes].sum() / pairs.sum())


def _dataset(matrices: dict[int, ReceivedCells]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    volumes = [_CELL_MB * cells.of_receivers() for cells in matrices.values()]
    neighbors = [np.bincount(cells.receiver, minlength=count) for count, cells in matrices.items()]
    shares = [cells.share_near_diagonal() for cells in matrices.values()]
    every = [_share_of_all(count) for count in matrices]
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
        {
            count: ReceivedCells(
                count, np.arange(1, count), np.arange(count - 1), np.ones(count - 1, np.int64)
            )
            for count in part.processes(full=True)
        }
    )


def _evaluate(part: Part, context: Context) -> Evaluation:
    mesh = mesh_of(part, context)
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


def _figure(data: xarray.Dataset, matrices: dict[int, ReceivedCells]) -> Figure:
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
        panels[0].set_xticks(range(len(counts)), [str(count) for count in counts], fontsize="small")
        panels[0].set(xlabel="processes", ylabel="received volume (MiB)")
        panels[0].set_title("(a) smallest, mean and largest", loc="left")
        for letter, panel, count in zip("bcd", panels[1:], shown, strict=False):
            volume = _CELL_MB * matrices[count].matrix(-(-count // _MOST_PIXELS))
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
