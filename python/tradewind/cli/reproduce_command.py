"""`tradewind reproduce`: the figures, tables and claims of a published study."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from rich.table import Table
from rich.text import Text

from tradewind.cli import console, options
from tradewind.report.page import write_report
from tradewind.runs.progress import ProgressDisplay
from tradewind.runs.workplace import workplace
from tradewind.studies import Reproduction, load_study, reproduce
from tradewind.studies.ledger import counts_text


@click.command("reproduce")
@click.argument("study")
@click.option("--only", help="Parts of the study, such as table5,fig5a; default: all.")
@click.option("--full", is_flag=True, help="The full series instead of the reduced one.")
@click.option(
    "--max-ranks",
    type=click.IntRange(min=1),
    help="Only the runs with at most that many ranks; the others can be made later.",
)
@options.output_folder("Folder for the results; default: tradewind-results/STUDY.")
@options.scheduler()
@options.json_output("Print one JSON object with the ledger.")
def command(
    study: str,
    only: str | None,
    full: bool,
    max_ranks: int | None,
    folder: Path | None,
    scheduler: str | None,
    as_json: bool,
) -> int:
    """Reproduce STUDY: its tables and figures, and a ledger with a verdict on every claim.

    Finished runs in the folder are kept, so that the next call continues an interrupted one.
    """
    loaded = load_study(study)
    parts = [word.strip() for word in only.split(",") if word.strip()] if only else []
    folder = folder or Path("tradewind-results") / loaded.name
    with workplace(scheduler) as place:
        result = reproduce(
            loaded,
            folder,
            lambda predictions: ProgressDisplay(console.errors, predictions),
            console.note,
            only=parts,
            full=full,
            place=place,
            max_ranks=max_ranks,
        )
    write_report(folder, folder / "report.html")
    if as_json:
        console.print_json(_json_of(result))
    else:
        console.output.print(_table(result))
    console.note(f"{counts_text(result.entries)}; results: {os.path.relpath(folder)}")
    return 1 if result.failures else 0


def _table(result: Reproduction) -> Table:
    """Returns the ledger for a terminal; the evidence is in ledger.md."""
    title = Text(result.study.title)
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in ("claim", "where", "verdict", "statement"):
        table.add_column(name, no_wrap=name != "statement")
    for entry in result.entries:
        table.add_row(*map(Text, (entry.id, entry.place, entry.verdict, entry.claim)))
    return table


def _json_of(result: Reproduction) -> dict[str, Any]:
    return {
        "study": result.study.name,
        "ledger": [entry.to_dict() for entry in result.entries],
        "missing": result.notes,
        "failed": [
            {"run": entry.member.label, "kind": entry.kind, "message": entry.message}
            for entry in result.failures
        ],
    }
