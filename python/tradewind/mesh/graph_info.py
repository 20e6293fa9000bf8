"""The graph of a mesh in the form of METIS, and distributions of its cells over processes.

graph.info           "cells edges", then the neighbours of each cell, counted from 1
graph.info.part.R    the process of each cell, from 0 to R - 1, one a line
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tradewind.config.partition import ItemGraph, Numbers, metis, metis_text, quality, text_of
from tradewind.errors import ConfigError
from tradewind.files import load_text, write_text
from tradewind.mesh.curve import curve_order
from tradewind.mesh.triangulation import Indices
from tradewind.mesh.voronoi_mesh import VoronoiMesh

METHODS = ("metis", "curve")


@dataclass(frozen=True)
class MeshPartition:
    """A distribution of the cells of a mesh, and what it costs.

    Cells of the sea count alone: land has no waves, and nothing of it is sent.

    Args:
        processes: The number of processes.
        cells: Cells of the sea.
        edge_cut: Edges between cells of different processes.
        imbalance: Cells of the largest part over the average.
        most_neighbors: The most processes with which one exchanges cells.
        mean_neighbors: The average of them.
        most_halo_cells: The most cells that one process receives.
        mean_halo_cells: The average of them.
    """

    processes: int
    cells: int
    edge_cut: int
    imbalance: float
    most_neighbors: int
    mean_neighbors: float
    most_halo_cells: int
    mean_halo_cells: float


def sea_graph(mesh: VoronoiMesh, processes: int = 1) -> ItemGraph:
    """Returns the graph of the cells of the sea, of equal weight as they have equal work.

    Each edge between two of them has weight 1. The owners are equal pieces along the curve.

    Raises:
        ConfigError: If there are more processes than cells of the sea.
    """
    sea = np.flatnonzero(mesh.sea > 0)
    if not 1 <= processes <= len(sea):
        raise ConfigError(
            f"partition: {processes} processes, but they must be 1 to {len(sea)}, "
            "the number of cells of the sea"
        )
    number = np.full(len(mesh.cells) + 1, -1, np.int64)
    number[sea] = np.arange(len(sea))
    neighbors = number[mesh.cells_on_cell[sea]]
    used = np.arange(neighbors.shape[1]) < mesh.edge_count[sea][:, None]
    there = used & (mesh.cells_on_cell[sea] >= 0) & (neighbors >= 0)
    first = np.concatenate([[0], np.cumsum(there.sum(axis=1))])
    listed = neighbors[there]
    owners = np.empty(len(sea), np.int64)
    owners[curve_order(mesh.cells[sea])] = np.arange(len(sea)) * processes // len(sea)
    return ItemGraph(first, listed, np.ones(len(listed), np.int64), owners)


def partition(mesh: VoronoiMesh, processes: int, method: str) -> Indices:
    """Returns the process of each cell.

    Args:
        mesh: The mesh.
        processes: The number of processes.
        method: "metis", "curve" for equal pieces along the space-filling curve, or the path of a file.

    Raises:
        ConfigError: If there are more processes than cells of the sea, or the file does not fit.
        Error: If pymetis is needed and not installed.
    """
    graph = sea_graph(mesh, processes)
    if method not in METHODS:
        return read_partition(Path(method), mesh, processes)
    return _with_land(mesh, metis(graph, processes) if method == "metis" else graph.owners)


def _with_land(mesh: VoronoiMesh, owners: Numbers) -> Indices:
    """Returns the process of each cell: land gets that of the cell of the sea before it."""
    before = np.maximum(np.cumsum(mesh.sea > 0) - 1, 0)
    every: Indices = owners[before]
    return every


def measured(mesh: VoronoiMesh, owners: Indices, processes: int) -> MeshPartition:
    """Returns what a distribution of the cells costs."""
    graph, sea = sea_graph(mesh, processes), mesh.sea > 0
    of_sea = owners[sea].astype(np.int64)
    found = quality(graph, of_sea, processes)
    target = np.repeat(of_sea, np.diff(graph.first))
    between = of_sea[graph.neighbors] != target
    halo = np.unique(target[between] * len(of_sea) + graph.neighbors[between])
    received = np.bincount(halo // len(of_sea), minlength=processes)
    return MeshPartition(
        processes,
        len(of_sea),
        found.edge_cut,
        found.imbalance,
        found.most_neighbors,
        found.mean_neighbors,
        int(received.max()),
        float(received.mean()),
    )


def graph_text(mesh: VoronoiMesh) -> str:
    """Returns graph.info: all cells, land too, with their neighbours."""
    used = np.arange(mesh.cells_on_cell.shape[1]) < mesh.edge_count[:, None]
    used &= mesh.cells_on_cell >= 0
    neighbors = mesh.cells_on_cell[used].astype(np.int64)
    first = np.concatenate([[0], np.cumsum(used.sum(axis=1))])
    owners = np.zeros(len(mesh.cells), np.int64)
    return metis_text(ItemGraph(first, neighbors, np.ones_like(neighbors), owners))


def write_graph(mesh: VoronoiMesh, path: Path) -> None:
    """Writes graph.info, atomically."""
    write_text(path, graph_text(mesh))


def write_partition(owners: Indices, path: Path) -> None:
    """Writes the process of each cell, atomically."""
    write_text(path, text_of(owners.tolist()))


def read_partition(path: Path, mesh: VoronoiMesh, processes: int | None = None) -> Indices:
    """Reads the process of each cell.

    Args:
        path: The file.
        mesh: The mesh that it belongs to.
        processes: The number of processes; by default the largest one in the file and all below.

    Raises:
        ConfigError: If the file cannot be read, has another number of cells, or leaves a process without
            cells of the sea.
    """
    try:
        words = load_text(path).split()
    except ConfigError as error:
        raise ConfigError(f"{error}; expected a partition: a process for each cell") from None
    if len(words) != len(mesh.cells):
        raise ConfigError(
            f"{path}: it has {len(words)} lines, but the mesh has {len(mesh.cells)} cells"
        )
    wrong = next((word for word in words if not word.isdecimal() or len(word) > 9), None)
    if wrong is not None:
        raise ConfigError(f"{path}: {wrong[:40]!r} is no number of a process")
    owners = np.array(words, np.int32)
    processes = int(owners.max()) + 1 if processes is None else processes
    if owners.max() >= processes:
        raise ConfigError(
            f"{path}: process {owners.max()}, but there are {processes}, numbered from 0"
        )
    empty = np.bincount(owners[mesh.sea > 0], minlength=processes) == 0
    if empty.any():
        raise ConfigError(f"{path}: process {int(np.argmax(empty))} has no cell of the sea")
    return owners
