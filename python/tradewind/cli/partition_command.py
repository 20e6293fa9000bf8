"""`tradewind partition`: distributions of a model's mesh by its curve and by METIS."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from tradewind.cli import console
from tradewind.config import keys, places
from tradewind.config.partition import (
    PartitionQuality,
    item_graph,
    metis,
    quality,
    text_of,
)
from tradewind.files import write_text
from tradewind.models.case import Case


def _models() -> list[str]:
    return [name for name, entry in keys.models().items() if entry.has_items]


@click.command("partition")
@click.argument("model", type=click.Choice(_models()))
@click.argument("case", type=click.Path(path_type=Path))
@click.option("-n", "--ranks", type=click.IntRange(min=1), required=True, help="Number of ranks.")
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File for the ranks that METIS found, for the key partition_file.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(model: str, case: Path, ranks: int, output: Path | None, as_json: bool) -> int:
    """Compare how the curve and METIS distribute the mesh of CASE.

    The table has the points that ranks exchange (edge cut, each pair of elements once), the elements
    of the largest part over the average, and the ranks with which a rank exchanges messages.
    """
    read = Case.load(model, places.find_case(model, case))
    graph = item_graph(model, read.settings, ranks)
    by_metis = metis(graph, ranks)
    found = {
        "curve": quality(graph, graph.owners, ranks),
        "metis": quality(graph, by_metis, ranks),
    }
    if output is not None:
        write_text(output, text_of(by_metis))
        console.note(f"wrote {output}")
    if as_json:
        about = {"model": model, "ranks": ranks, "items": len(graph.owners)}
        console.print_json(about | {name: asdict(one) for name, one in found.items()})
    else:
        console.output.print(_table(f"{len(graph.owners)} items on {ranks} ranks", found))
    return 0


def _table(title: str, found: dict[str, PartitionQuality]) -> Table:
    table = Table(title=title)
    table.add_column("partition")
    for column in ("edge cut", "imbalance", "most neighbours", "mean neighbours", "most points"):
        table.add_column(column, justify="right")
    for name, one in found.items():
        table.add_row(
            name,
            str(one.edge_cut),
            f"{one.imbalance:.3f}",
            str(one.most_neighbors),
            f"{one.mean_neighbors:.2f}",
            str(one.most_points),
        )
    return table
