"""The meshes of the study: made once, and kept with the results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from tradewind.config.partition import ItemGraph, Numbers, metis
from tradewind.errors import ConfigError, suggestion
from tradewind.mesh import Box, VoronoiMesh, generate, generate_region, read_mesh, write_mesh
from tradewind.mesh.depth import with_depth
from tradewind.mesh.graph_info import sea_graph
from tradewind.mesh.region import marked_sea, sea_only
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context

Note = Callable[[str], None]
# The region of the paper, 90 to 150 degrees east and 5 degrees south to 45 degrees north.
_REGION = Box(90.0, 150.0, -5.0, 45.0)
_SWEEPS = 5
_DEPTH_M = 4000.0


def _region(cells: int) -> VoronoiMesh:
    return generate_region(cells, _REGION, sweeps=_SWEEPS)


def _globe(cells: int) -> VoronoiMesh:
    return generate(cells, sweeps=0)


# The meshes, and their sea cells over all of their cells, about.
_MESHES: Mapping[str, tuple[Callable[[int], VoronoiMesh], float]] = {
    "region": (_region, 0.603),
    "globe": (_globe, 0.7105),
}


def mesh_of(part: Part, context: Context) -> Path:
    """Returns the file of a part's mesh, which is made if needed.

    The settings `mesh`, "region" or "globe", and `cells` or `reduced_cells` say which.

    Args:
        part: The part.
        context: Its inputs; the mesh is kept in the study's folder for what takes long.

    Raises:
        ConfigError: If the settings are wrong.
    """
    name = part.word("mesh")
    if name not in _MESHES:
        raise ConfigError(
            f"part {part.name}: settings.mesh: {name}: unknown; {suggestion(name, _MESHES)}"
        )
    cells = int(part.number("cells" if context.full else "reduced_cells"))
    work = context.work.parent / "meshes"
    path = work / f"{name}-{cells}.nc"
    if path.is_file():
        return path
    context.note(f"mesh of the {name} with {cells} sea cells")
    work.mkdir(parents=True, exist_ok=True)
    make, sea_share = _MESHES[name]
    whole = make(round(cells / sea_share))
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
