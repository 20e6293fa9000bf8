"""`tradewind graph`: who sends how much to whom in one exchange of a model's halo."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from rich.table import Table

from tradewind.cli import console, options
from tradewind.config import places
from tradewind.config.halo_graph import HaloGraph, halo_graph, models_with_halo
from tradewind.files import write_text
from tradewind.models.case import Case


@click.command("graph")
@click.argument("model", type=click.Choice(models_with_halo()))
@click.argument("case", type=click.Path(path_type=Path))
@click.option("-n", "--ranks", type=click.IntRange(min=1), required=True, help="Number of ranks.")
@options.output_file(
    "The edge list: a line FROM TO WEIGHT for each message, the weight in items.", required=False
)
@options.json_output()
def command(model: str, case: Path, ranks: int, output: Path | None, as_json: bool) -> int:
    """Say who sends how much to whom when MODEL exchanges its halo once.

    Items are the points of elements of homme, the cells of fvwam and the columns of
    semi_lagrangian. The edge list is a graph for the program `graph`, and for `tradewind
    extrapolate` and the patterns that it finds.
    """
    read = Case.load(model, places.find_case(model, case))
    found = halo_graph(model, read.settings, ranks)
    if output is not None:
        write_text(output, found.text)
        console.note(f"wrote {output}")
    told = _summary(found)
    if as_json:
        console.print_json({"model": model, "ranks": ranks} | told)
    else:
        table = Table("over ranks", *told["sent"], title=f"{model} on {ranks} ranks")
        for name, row in told.items():
            table.add_row(name, *(f"{value:g}" for value in row.values()))
        console.output.print(table)
    return 0


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
