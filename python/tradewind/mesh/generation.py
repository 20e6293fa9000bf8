"""Generation of meshes, from coarse to fine: relax the points, put one on each edge, and so on.

Long waves of the error of Lloyd's method fade slowly, after many sweeps of a fine mesh. On a coarse mesh
these sweeps cost little, and a finer mesh starts from it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tradewind.errors import ConfigError
from tradewind.mesh import icosahedron
from tradewind.mesh.curve import curve_order
from tradewind.mesh.lloyd import Density, relaxed
from tradewind.mesh.refine import Box, Refinement, density_of, sampled
from tradewind.mesh.region import region
from tradewind.mesh.triangulation import (
    Points,
    Triangulation,
    Values,
    bisected,
    moved,
    of_points,
    renumbered,
    triangle_area,
    with_points_in,
)
from tradewind.mesh.voronoi import voronoi_mesh
from tradewind.mesh.voronoi_mesh import EARTH_RADIUS_M, Progress, VoronoiMesh

# Half-edges are numbered in 32 bits: 3 (2 N - 4) < 2^31.
MOST_CELLS = 350_000_000
FEWEST_CELLS = 12
SWEEPS = 20
# Other meshes start from so many points at least, relaxed by so many sweeps. A uniform mesh that starts from
# few of them has few pentagons; a refined one needs more to have some in each refinement.
_COARSEST_UNIFORM, _COARSEST_REFINED, _COARSE_SWEEPS = 200, 1500, 300
# Around a region the spacing grows up to so many times, to so many km, in so many cells per factor of e.
_MOST_OUTSIDE, _COARSEST_OUTSIDE_KM, _GROWTH_CELLS, _WIDEST_KM = 16.0, 1000.0, 15.0, 10000.0
_REGION_SAMPLES = 1 << 20


def _quiet(message: str) -> None:
    """Says nothing."""


def generate(
    cells: int,
    refinements: Sequence[Refinement] = (),
    *,
    sweeps: int = SWEEPS,
    progress: Progress = _quiet,
    along_curve: bool = True,
) -> VoronoiMesh:
    """Returns a mesh that covers the sphere.

    Args:
        cells: The number of cells. Without refinements, 10 f^2 + 2 cells come from an icosahedron whose
            edges are divided into f parts; all others from a spiral of points.
        refinements: Where the mesh is finer.
        sweeps: The most sweeps of Lloyd's method on each level; 0 leaves an icosahedron as it is.
        progress: Called with what is done.
        along_curve: Numbers the cells along a space-filling curve, so that equal pieces of their order are
            compact. Else they have the order in which they were made.

    Raises:
        ConfigError: If a number is out of range.
    """
    _check(cells, sweeps)
    if not refinements and icosahedron.frequency_of(cells) is None:
        regular = 10 * round(math.sqrt((cells - 2) / 10)) ** 2 + 2
        progress(f"a mesh of {regular} cells would be more regular")
    density = density_of(refinements) if refinements else None
    mesh = _made(triangulation(cells, density, sweeps, progress), density, progress, along_curve)
    _check_refinements(mesh, refinements)
    return mesh


def generate_region(
    cells: int,
    box: Box,
    refinements: Sequence[Refinement] = (),
    *,
    sweeps: int = SWEEPS,
    progress: Progress = _quiet,
    along_curve: bool = True,
) -> VoronoiMesh:
    """Returns a mesh of a region.

    A mesh of the globe is made that becomes up to 16 times coarser outside, and then cut.

    Args:
        cells: The number of cells of the region, within a few percent.
        box: The region.
        refinements: Where the mesh is finer inside the region.
        sweeps: As for `generate`.
        progress: As for `generate`.
        along_curve: As for `generate`.

    Raises:
        ConfigError: If a number is out of range.
    """
    _check(cells, sweeps)
    area = box.area() * EARTH_RADIUS_M**2
    spacing_km = math.sqrt(area / cells * 2 / math.sqrt(3)) / 1000
    factor = min(_MOST_OUTSIDE, max(1.0, _COARSEST_OUTSIDE_KM / spacing_km))
    width_km = min(_GROWTH_CELLS * math.log(factor) * spacing_km + 1, _WIDEST_KM)
    inner, outer = density_of(refinements), density_of([Refinement(box, factor, width_km)])

    def density(points: Points) -> Values:
        return inner(points) * outer(points)

    samples = icosahedron.fibonacci(_REGION_SAMPLES)
    wanted = np.sqrt(density(samples))
    share = float(wanted[box.contains(samples)].sum() / wanted.sum())
    if share == 0:
        raise ConfigError(f"{box}: it is too small")
    every = max(FEWEST_CELLS, round(cells / share))
    _check(every, sweeps)
    globe = _made(triangulation(every, density, sweeps, progress), density, progress, along_curve)
    mesh = region(globe, box)
    _check_refinements(mesh, refinements)
    return mesh


def _made(
    mesh: Triangulation, density: Density | None, progress: Progress, along_curve: bool
) -> VoronoiMesh:
    if along_curve:
        mesh = renumbered(mesh, curve_order(mesh.points))
    progress(f"{len(mesh.points)} cells: connections and areas")
    return voronoi_mesh(mesh, density)


def _check(cells: int, sweeps: int) -> None:
    if not FEWEST_CELLS <= cells <= MOST_CELLS:
        raise ConfigError(f"mesh: {cells} cells, but they must be {FEWEST_CELLS} to {MOST_CELLS}")
    if sweeps < 0:
        raise ConfigError(f"mesh: {sweeps} sweeps, but there must be 0 or more")


def _check_refinements(mesh: VoronoiMesh, refinements: Sequence[Refinement]) -> None:
    for one in refinements:
        if (one.place.distances(mesh.cells) > 0).all():
            raise ConfigError(
                f"refinement of {one.place}: no cell is inside, for it is too small, or not in the mesh"
            )


def triangulation(
    cells: int, density: Density | None, sweeps: int, progress: Progress = _quiet
) -> Triangulation:
    """Returns the triangulation of the centres of a mesh, as `generate` makes it."""
    frequency = icosahedron.frequency_of(cells) if density is None else None
    if frequency is not None:
        return _from_icosahedron(frequency, sweeps, progress)
    sizes = [cells]
    coarsest = _COARSEST_UNIFORM if density is None else _COARSEST_REFINED
    while sizes[-1] > 4 * coarsest:
        sizes.append((sizes[-1] - 2) // 4 + 2)
    start = icosahedron.fibonacci(sizes[-1]) if density is None else sampled(sizes[-1], density)
    try:
        mesh = of_points(start)
    except ConfigError:
        raise ConfigError(
            f"refinement: too few of {cells} cells are left for the rest of the sphere; "
            "more cells or smaller factors are needed"
        ) from None
    mesh = _relaxed(mesh, max(sweeps, _COARSE_SWEEPS), density, progress)
    for size in sizes[-2::-1]:
        finer = bisected(mesh)
        mesh = _filled(moved(finer, finer.points), size, density)
        mesh = _relaxed(mesh, sweeps, density, progress)
    return mesh


def _from_icosahedron(frequency: int, sweeps: int, progress: Progress) -> Triangulation:
    """Returns a subdivided icosahedron, relaxed on each level if there are sweeps."""
    base = icosahedron.base_frequency(frequency)
    mesh = icosahedron.subdivided(base)
    while True:
        mesh = _relaxed(mesh, sweeps, None, progress)
        if base == frequency:
            return mesh
        mesh, base = bisected(mesh), 2 * base


def _relaxed(
    mesh: Triangulation, sweeps: int, density: Density | None, progress: Progress
) -> Triangulation:
    if sweeps == 0:
        return mesh
    after = relaxed(mesh, sweeps, density)
    progress(
        f"{len(mesh.points)} cells: {after.sweeps} sweeps, largest move {after.largest_move:.1e}"
    )
    return after.mesh


def _filled(mesh: Triangulation, cells: int, density: Density | None) -> Triangulation:
    """Returns the mesh with points in its largest triangles, so that it has `cells` points."""
    missing = cells - len(mesh.points)
    if missing <= 0:
        return mesh
    corners = [mesh.points[mesh.triangles[:, k]] for k in range(3)]
    mass = triangle_area(*corners)
    if density is not None:
        mass = mass * np.sqrt(density(sum(corners, np.zeros(3))))
    largest = np.sort(np.argpartition(mass, -missing)[-missing:])
    finer = with_points_in(mesh, largest)
    return moved(finer, finer.points)
