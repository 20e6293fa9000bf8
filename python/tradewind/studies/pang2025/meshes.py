"""The meshes of the study: made once, and kept with the results."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from tradewind.config.partition import ItemGraph, Numbers, metis
from tradewind.mesh import Box, generate_region, read_mesh, write_mesh
from tradewind.mesh.depth import with_depth
from tradewind.mesh.graph_info import sea_graph
from tradewind.mesh.region import marked_sea, sea_only
from tradewind.studies.definition import Part

Note = Callable[[str], None]
# The region of the paper, 90 to 150 degrees east and 5 degrees south to 45 degrees north.
_WEST, _EAST, _SOUTH, _NORTH = 90.0, 150.0, -5.0, 45.0
# Sea cells of the region over all of its cells, for a start.
_SEA_SHARE = 0.603
_SWEEPS = 5
_DEPTH_M = 4000.0


def regional_mesh(sea_cells: int, work: Path, note: Note) -> Path:
    """Returns the file of a mesh of the region with about as many sea cells, which is made if needed.

    Args:
        sea_cells: The wanted number.
        work: The folder for it.
        note: Receives messages on the progress.
    """
    path = work / f"region-{sea_cells}.nc"
    if path.is_file():
        return path
    note(f"mesh of the region with {sea_cells} sea cells")
    work.mkdir(parents=True, exist_ok=True)
    box = Box(_WEST, _EAST, _SOUTH, _NORTH)
    whole = generate_region(round(sea_cells / _SEA_SHARE), box, sweeps=_SWEEPS)
    write_mesh(with_depth(sea_only(marked_sea(whole)), _DEPTH_M), path)
    return path


def graph_of(path: Path) -> ItemGraph:
    """Returns the graph of the sea cells of a mesh file."""
    return sea_graph(read_mesh(path))


def partition_of(graph: ItemGraph, processes: int, work: Path, note: Note) -> Numbers:
    """Returns the process of each cell by METIS, kept in a file."""
    path = work / f"metis-{len(graph.owners)}-{processes}.npy"
    if path.is_file():
        return np.asarray(np.load(path), np.int64)
    note(f"METIS: {len(graph.owners)} cells on {processes} processes")
    owners = metis(graph, processes)
    np.save(path, owners.astype(np.int32))
    return owners


def cells_of(part: Part, full: bool) -> int:
    """Returns the number of sea cells of a part."""
    return int(part.number("cells" if full else "reduced_cells"))
