"""`tradewind mesh generate`: a mesh of Voronoi cells, global or regional, refined, of the sea, with depth."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from tradewind.cli import console, options
from tradewind.cli.mesh_tables import quality_table
from tradewind.errors import ConfigError
from tradewind.files import is_there
from tradewind.mesh.check import mesh_quality
from tradewind.mesh.depth import (
    SHALLOWEST_M,
    Shelf,
    Slope,
    depth_of_elevation,
    read_elevation,
    with_depth,
)
from tradewind.mesh.generation import SWEEPS, generate, generate_region
from tradewind.mesh.mpas_file import read_mesh, write_mesh
from tradewind.mesh.refine import Box, Circle, Refinement
from tradewind.mesh.region import along_curve, marked_sea, region, sea_only
from tradewind.mesh.voronoi_mesh import DEEPEST_SEA_M, SHALLOWEST_SEA_M, VoronoiMesh


class Numbers(click.ParamType):  # type: ignore[type-arg]
    """Numbers between commas, some of which may be left out at the end."""

    name = "numbers"

    def __init__(self, names: str, optional: int = 0) -> None:
        self._names = names.split(",")
        self._least = len(self._names) - optional

    def get_metavar(self, param: click.Parameter | None, ctx: click.Context | None = None) -> str:
        """Returns the names of the numbers."""
        needed, more = self._names[: self._least], self._names[self._least :]
        return ",".join(needed) + "".join(f"[,{name}]" for name in more)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[float, ...]:
        """Returns the numbers."""
        if isinstance(value, tuple):
            return value
        words = str(value).split(",")
        try:
            numbers = tuple(map(float, words))
        except ValueError:
            self.fail(f"{value!r} holds something that is no number", param, ctx)
        if not self._least <= len(numbers) <= len(self._names):
            self.fail(f"{value!r} must be {self.get_metavar(param)}", param, ctx)
        return numbers


_BOX = "WEST,EAST,SOUTH,NORTH"


@click.command("generate")
@options.output_file("The mesh file.", required=True)
@click.option(
    "--cells",
    type=click.IntRange(min=1),
    help="Number of cells of the globe, or with --region of the region (nearly), land included.",
)
@click.option(
    "--from",
    "source",
    type=click.Path(path_type=Path),
    help="Start from this mesh file of any origin, instead of making --cells.",
)
@click.option(
    "--lloyd",
    "sweeps",
    type=click.IntRange(min=0),
    default=SWEEPS,
    show_default=True,
    help="The most sweeps of Lloyd's method on each level of refinement.",
)
@click.option(
    "--refine",
    "circles",
    type=Numbers("LON,LAT,RADIUS_KM,FACTOR,WIDTH_KM", optional=1),
    multiple=True,
    help="Make the spacing FACTOR times finer in a circle. It changes within WIDTH_KM outside, by "
    "default the radius. May be repeated; the finest one counts.",
)
@click.option(
    "--refine-box",
    "boxes",
    type=Numbers(f"{_BOX},FACTOR,WIDTH_KM", optional=1),
    multiple=True,
    help="The same for a box in degrees; WIDTH_KM is 1000 by default.",
)
@click.option("--region", type=Numbers(_BOX), help="Keep the cells of a box, in degrees.")
@click.option(
    "--sea", "is_sea", is_flag=True, help="Keep the largest connected sea, by global-land-mask."
)
@click.option("--all-seas", is_flag=True, help="Keep every cell of the sea, connected or not.")
@click.option("--mark-land", is_flag=True, help="Keep land, with maskCell 0.")
@click.option(
    "--keep-order",
    is_flag=True,
    help="Leave the cells in the order in which they were made or read.",
)
@click.option(
    "--depth",
    metavar="METRES|FILE|FORMULA",
    help="4000 by default, or what --from has. Metres, a NetCDF file with heights, slope:LON,LAT,BEARING,DEPTH,GRADIENT or "
    "shelf:DEEP,SHELF,WIDTH_KM.",
)
@click.option("--variable", help="Name of the heights in the file, if it has several variables.")
@click.option(
    "--shallowest",
    type=options.Finite(min=SHALLOWEST_SEA_M, max=DEEPEST_SEA_M),
    default=SHALLOWEST_M,
    show_default=True,
    help="Least depth of the sea in metres.",
)
@options.json_output()
def command(
    output: Path,
    depth: str | None,
    variable: str | None,
    shallowest: float,
    as_json: bool,
    **given: Any,
) -> int:
    """Generate a mesh of Voronoi cells, or take one from a file.

    Cells are numbered along a space-filling curve, so that equal pieces of their order are compact.
    """
    land = [name for name in ("is_sea", "all_seas", "mark_land") if given[name]]
    if len(land) > 1:
        raise ConfigError(
            "mesh generate: only one of --sea, --all-seas and --mark-land is possible"
        )
    if depth is None and given["source"] is None:
        depth = "4000"
    depths = None if depth is None else _depths(depth, variable)
    mesh = _generated(given)
    if land:
        console.note("land mask")
        mesh = marked_sea(mesh)
    if land and land != ["mark_land"]:
        mesh = sea_only(mesh, all_parts=land == ["all_seas"])
    if depths is not None:
        try:
            mesh = with_depth(mesh, depths(mesh), shallowest)
        except ConfigError as error:
            said = str(error).removeprefix("depth: ")
            raise ConfigError(f"--depth {depth}: {said}") from None
    write_mesh(mesh, output)
    console.note(f"wrote {output}")
    quality = mesh_quality(mesh)
    if as_json:
        console.print_json({"mesh": str(output)} | asdict(quality))
    else:
        console.output.print(quality_table(str(output), quality))
    return 0


def _generated(given: dict[str, Any]) -> VoronoiMesh:
    """Returns the mesh before land is removed.

    Raises:
        ConfigError: If not exactly one of --cells and --from is given.
    """
    along = not given["keep_order"]
    if (given["cells"] is None) == (given["source"] is None):
        raise ConfigError("mesh generate: exactly one of --cells and --from is needed")
    if given["source"] is not None:
        return _taken(given["source"], given, along)
    finer = [
        Refinement(Circle(lon, lat, radius), factor, *(width or (radius,)))
        for lon, lat, radius, factor, *width in given["circles"]
    ]
    finer += [
        Refinement(Box(*corners[:4]), corners[4], *(corners[5:] or (1000.0,)))
        for corners in given["boxes"]
    ]
    cells, sweeps = given["cells"], given["sweeps"]
    if given["region"] is None:
        return generate(cells, finer, sweeps=sweeps, progress=console.note, along_curve=along)
    box = Box(*given["region"])
    return generate_region(
        cells, box, finer, sweeps=sweeps, progress=console.note, along_curve=along
    )


def _taken(source: Path, given: dict[str, Any], along: bool) -> VoronoiMesh:
    """Returns the mesh of a file, or the region of it.

    Raises:
        ConfigError: If an option asks for other cells.
    """
    if given["circles"] or given["boxes"]:
        raise ConfigError("mesh generate: the cells of a file cannot be refined")
    mesh = read_mesh(source, connected=False)
    if given["region"] is not None:
        mesh = region(mesh, Box(*given["region"]))
    return along_curve(mesh) if along else mesh


def _depths(depth: str, variable: str | None) -> Callable[[VoronoiMesh], Any]:
    """Returns what gives the depths of a mesh, by an option.

    Raises:
        ConfigError: If it is no number, no formula and no file.
    """
    kind, _, words = depth.partition(":")
    formulas: dict[str, Any] = {"slope": Slope, "shelf": Shelf}
    if kind in formulas:
        try:
            depths: Callable[[VoronoiMesh], Any] = formulas[kind](
                *map(float, words.split(","))
            ).depths
            return depths
        except (TypeError, ValueError):
            raise ConfigError(
                f"--depth {depth}: must be slope:LON,LAT,BEARING,DEPTH,GRADIENT or "
                "shelf:DEEP,SHELF,WIDTH_KM"
            ) from None
    try:
        metres = float(depth)
    except ValueError:
        path = Path(depth)
        if not is_there(path):
            raise ConfigError(f"--depth {depth}: no number, no formula, and no such file") from None
        return lambda mesh: _depths_of_file(mesh, path, variable)
    return lambda mesh: metres


def _depths_of_file(mesh: VoronoiMesh, path: Path, variable: str | None) -> Any:
    """Returns the depths that the heights in a file give."""
    console.note(f"depths of {path}")
    return depth_of_elevation(mesh, read_elevation(path, variable))
