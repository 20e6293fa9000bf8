"""`tradewind partition`: distributions of a model's mesh by its curve and by METIS."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from tradewind.cli import console
from tradewind.config import keys, places
from tradewind.config.mapping import mapped, rank_graph, volume_between_nodes
from tradewind.config.partition import (
    PartitionQuality,
    item_graph,
    metis,
    metis_text,
    quality,
    text_of,
)
from tradewind.files import check_outputs, write_text
from tradewind.models.case import Case


def _models() -> list[str]:
    return [name for name, entry in keys.models().items() if entry.has_items]


@click.command("partition")
@click.argument("model", type=click.Choice(_models()))
@click.argument("case", type=click.Path(path_type=Path))
@click.option("-n", "--ranks", type=click.IntRange(min=1), required=True, help="Number of ranks.")
@click.option(
    "--ranks-per-node",
    type=click.IntRange(min=1),
    help="Also order the parts of METIS so that less leaves nodes with so many ranks.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="File for the ranks that METIS found, in the better order if there is one, for the key "
    "partition_file.",
)
@click.option(
    "--graph",
    "graph_file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the graph of the items, as METIS reads it.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
def command(
    model: str,
    case: Path,
    ranks: int,
    ranks_per_node: int | None,
    output: Path | None,
    graph_file: Path | None,
    as_json: bool,
) -> int:
    """Compare how the curve and METIS distribute the mesh of CASE.

    The table has the points that ranks exchange (edge cut, each pair of items once), the items of the
    largest part over the average, and the ranks with which a rank exchanges messages. With
    --ranks-per-node it also has the points that leave nodes, where ranks fill node after node.
    """
    found_case = places.find_case(model, case)
    check_outputs([output, graph_file], [found_case])
    read = Case.load(model, found_case)
    graph = item_graph(model, read.settings, ranks)
    by_metis = metis(graph, ranks)
    owners = {"curve": graph.owners, "metis": by_metis}
    if ranks_per_node is not None:
        by_metis = owners["metis, mapped"] = mapped(graph, by_metis, ranks, ranks_per_node)
    found = {name: quality(graph, one, ranks) for name, one in owners.items()}
    leaving = {
        name: volume_between_nodes(rank_graph(graph, one, ranks), ranks_per_node)
        for name, one in owners.items()
        if ranks_per_node is not None
    }
    if output is not None:
        write_text(output, text_of(by_metis))
        console.note(f"wrote {output}")
    if graph_file is not None:
        write_text(graph_file, metis_text(graph))
        console.note(f"wrote {graph_file}")
    if as_json:
        about = {"model": model, "ranks": ranks, "items": len(graph.owners)}
        told = {name: asdict(one) for name, one in found.items()}
        for name, points in leaving.items():
            told[name]["between_nodes"] = points
        console.print_json(about | told)
    else:
        console.output.print(_table(f"{len(graph.owners)} items on {ranks} ranks", found, leaving))
    return 0


def _table(title: str, found: dict[str, PartitionQuality], leaving: dict[str, int]) -> Table:
    table = Table(title=title)
    table.add_column("partition")
    columns = ("edge cut", "imbalance", "most neighbours", "mean neighbours", "most points")
    for column in (*columns, *(("between nodes",) if leaving else ())):
        table.add_column(column, justify="right")
    for name, one in found.items():
        table.add_row(
            name,
            str(one.edge_cut),
            f"{one.imbalance:.3f}",
            str(one.most_neighbors),
            f"{one.mean_neighbors:.2f}",
            str(one.most_points),
            *((str(leaving[name]),) if leaving else ()),
        )
    return table
