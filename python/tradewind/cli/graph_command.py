"""`tradewind graph`: who sends how much to whom in one exchange of a model's halo."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from rich.table import Table

from tradewind.cli import console, options
from tradewind.config import places
from tradewind.config.halo_graph import RANK_FILES, HaloGraph, halo_graph, models_with_halo
from tradewind.config.halo_graph import rank_file as file_of_ranks
from tradewind.config.mapping import nodes_of
from tradewind.config.partition import Numbers
from tradewind.errors import ConfigError
from tradewind.files import check_outputs, write_text
from tradewind.models.case import Case


@click.command("graph")
@click.argument("model", type=click.Choice(models_with_halo()))
@click.argument("case", type=click.Path(path_type=Path))
@click.option("-n", "--ranks", type=click.IntRange(min=1), required=True, help="Number of ranks.")
@options.output_file(
    "The edge list: a line FROM TO WEIGHT for each message, the weight in items.", required=False
)
@click.option(
    "--ranks-per-node",
    type=click.IntRange(min=1),
    help="Also put ranks on nodes of so many so that less leaves them.",
)
@click.option(
    "--nodes-per-switch",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="With --ranks-per-node: first let less leave switches of so many nodes.",
)
@click.option(
    "--placement",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the node of each rank, which an experiment takes by `placement.file`.",
)
@click.option(
    "--rank-file",
    type=click.Path(path_type=Path, dir_okay=False),
    help="The same for a launcher.",
)
@click.option(
    "--rank-file-format",
    type=click.Choice(RANK_FILES),
    default=RANK_FILES[0],
    show_default=True,
    help="For --map-by rankfile:file=FILE of Open MPI, or the MPICH_RANK_ORDER of Cray MPICH.",
)
@options.json_output()
def command(
    model: str,
    case: Path,
    ranks: int,
    output: Path | None,
    ranks_per_node: int | None,
    nodes_per_switch: int,
    placement: Path | None,
    rank_file: Path | None,
    rank_file_format: str,
    as_json: bool,
) -> int:
    """Say who sends how much to whom when MODEL exchanges its halo once.

    Items are the points of elements of homme, the cells of fvwam and the columns of
    semi_lagrangian. The edge list is a graph for the program `graph`, and for `tradewind
    extrapolate` and the patterns that it finds.

    With --ranks-per-node METIS maps the ranks onto nodes. The table then has what leaves nodes where
    ranks fill them in order, at random, and as mapped.
    """
    if ranks_per_node is None and (placement or rank_file or nodes_per_switch > 1):
        raise ConfigError("--placement, --rank-file and --nodes-per-switch need --ranks-per-node")
    found_case = places.find_case(model, case)
    check_outputs([output, placement, rank_file], [found_case])
    read = Case.load(model, found_case)
    found = halo_graph(model, read.settings, ranks)
    if output is not None:
        write_text(output, found.text)
        console.note(f"wrote {output}")
    told = _summary(found)
    leaving: dict[str, dict[str, int]] = {}
    if ranks_per_node is not None:
        between = found.between_ranks()
        mapped = nodes_of(between, ranks_per_node, nodes_per_switch)
        leaving = _leaving(found, mapped, ranks_per_node, nodes_per_switch)
        for path, text in (
            (placement, "".join(f"{node}\n" for node in mapped.tolist())),
            (rank_file, file_of_ranks(mapped, rank_file_format)),
        ):
            if path is not None:
                write_text(path, text)
                console.note(f"wrote {path}")
    if as_json:
        console.print_json({"model": model, "ranks": ranks} | told | leaving)
    else:
        table = Table("over ranks", *told["sent"], title=f"{model} on {ranks} ranks")
        for name, row in told.items():
            table.add_row(name, *(f"{value:g}" for value in row.values()))
        console.output.print(table)
        if leaving:
            console.output.print(_leaving_table(leaving))
    return 0


def _leaving(
    graph: HaloGraph, mapped: Numbers, ranks_per_node: int, nodes_per_switch: int
) -> dict[str, dict[str, int]]:
    """Returns the items that leave nodes and switches by the order of the ranks."""
    in_order = np.arange(graph.ranks) // ranks_per_node
    at_random = np.random.default_rng(1).permutation(in_order)
    orders = {"in order": in_order, "at random": at_random, "mapped": mapped}
    told = {"between nodes": {name: graph.leaving(nodes) for name, nodes in orders.items()}}
    if nodes_per_switch > 1:
        told["between switches"] = {
            name: graph.leaving(nodes // nodes_per_switch) for name, nodes in orders.items()
        }
    return told


def _leaving_table(leaving: dict[str, dict[str, int]]) -> Table:
    table = Table("items", *leaving["between nodes"])
    for name, row in leaving.items():
        table.add_row(name, *map(str, row.values()))
    return table


def _summary(graph: HaloGraph) -> dict[str, dict[str, float]]:
    """Returns least, mean and most of messages and items over the ranks."""

    def over_ranks(place: np.ndarray, weights: np.ndarray | None) -> dict[str, float]:
        sums = np.bincount(place, weights, minlength=graph.ranks)
        return {"least": float(sums.min()), "mean": float(sums.mean()), "most": float(sums.max())}

    return {
        "neighbours": over_ranks(graph.source, None),
        "sent": over_ranks(graph.source, graph.items),
        "received": over_ranks(graph.target, graph.items),
    }
