"""`tradewind mesh partition`: the cells of a mesh distributed over processes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from tradewind.cli import console, options
from tradewind.files import check_outputs
from tradewind.mesh.graph_info import (
    MeshPartition,
    measured,
    partition,
    write_graph,
    write_partition,
)
from tradewind.mesh.mpas_file import read_mesh


@click.command("partition")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "-n", "--processes", type=click.IntRange(min=1), required=True, help="Number of processes."
)
@click.option(
    "--method",
    default="metis",
    show_default=True,
    metavar="metis|curve|FILE",
    help="METIS, equal pieces along the space-filling curve, or a partition file to judge.",
)
@options.output_file("The partition file, such as graph.info.part.64.", required=False)
@click.option(
    "--graph", type=click.Path(path_type=Path, dir_okay=False), help="File for graph.info."
)
@click.option("--all-seas", is_flag=True, help="Accept a mesh whose cells are not connected.")
@options.json_output()
def command(
    file: Path,
    processes: int,
    method: str,
    output: Path | None,
    graph: Path | None,
    all_seas: bool,
    as_json: bool,
) -> int:
    """Distribute the cells of a mesh over processes; only those of the sea count.

    The table has the edges between processes (edge cut), the cells of the largest part over the average,
    the processes with which a process exchanges cells, and the cells that it receives.
    """
    check_outputs([output, graph], [file, Path(method)])
    mesh = read_mesh(file, connected=not all_seas)
    owners = partition(mesh, processes, method)
    if output is not None:
        write_partition(owners, output)
        console.note(f"wrote {output}")
    if graph is not None:
        write_graph(mesh, graph)
        console.note(f"wrote {graph}")
    found = measured(mesh, owners, processes)
    if as_json:
        console.print_json({"mesh": str(file), "method": method} | asdict(found))
    else:
        console.output.print(_table(method, found))
    return 0


def _table(method: str, found: MeshPartition) -> Table:
    table = Table(title=f"{found.cells} cells of the sea on {found.processes} processes, {method}")
    table.add_column("", justify="left")
    for column in ("most", "mean"):
        table.add_column(column, justify="right")
    table.add_row("edge cut", str(found.edge_cut), "")
    table.add_row("imbalance", f"{found.imbalance:.4f}", "")
    table.add_row("neighbours", str(found.most_neighbors), f"{found.mean_neighbors:.2f}")
    table.add_row("cells received", str(found.most_halo_cells), f"{found.mean_halo_cells:.1f}")
    return table
