"""The table of counts and measures of a mesh."""

from __future__ import annotations

from rich.table import Table

from tradewind.mesh.check import MeshQuality


def quality_table(title: str, quality: MeshQuality) -> Table:
    """Returns the table of a mesh.

    Args:
        title: Its title.
        quality: Counts and measures.
    """
    table = Table(title=title, show_header=False)
    table.add_column("what")
    table.add_column("value", justify="right")
    for name, value in _rows(quality):
        table.add_row(name, value)
    return table


def _rows(quality: MeshQuality) -> list[tuple[str, str]]:
    distances = (quality.dc_min_m, quality.dc_mean_m, quality.dc_max_m)
    parts = quality.sea_parts
    return [
        ("cells, edges, vertices", f"{quality.cells}, {quality.edges}, {quality.vertices}"),
        ("vertices - edges + cells", str(quality.euler)),
        ("area / area of the sphere", f"{quality.area_share:.15g}"),
        ("largest / smallest area", f"{quality.area_ratio:.4f}"),
        ("dc min, mean, max in km", ", ".join(f"{one / 1000:.3f}" for one in distances)),
        ("shortest / mean dv", f"{quality.dv_ratio:.4f}"),
        (
            "cells by number of edges",
            ", ".join(f"{count} with {degree}" for degree, count in quality.degrees.items()),
        ),
        ("largest deviation from a right angle", f"{quality.orthogonality:.1e}"),
        ("largest centroid residual / spacing", f"{quality.centroid_residual:.1e}"),
        ("cells of the sea", str(quality.sea_cells)),
        ("area of the sea / area of the sphere", f"{quality.sea_share:.4f}"),
        (
            "connected parts of the sea",
            f"{len(parts)}, of {', '.join(map(str, parts[:5]))}{', ...' if len(parts) > 5 else ''} cells",
        ),
        (
            "mean and greatest depth in m",
            f"{quality.depth_mean_m:.1f}, {quality.depth_max_m:.1f}",
        ),
    ]
