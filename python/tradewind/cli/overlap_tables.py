"""Tables of overlap in the layout of Sandia's mpi_overhead, on the console and in files."""

from __future__ import annotations

from pathlib import Path

from rich.table import Table

from tradewind.bench import Measurements, overlap
from tradewind.files import write_text


def tables(result: Measurements) -> list[Table]:
    """Returns a table for the send and one for the receive by each kind of send."""
    return [_table(result, kind) for kind in overlap.kinds(result.rows)]


def _table(result: Measurements, kind: str) -> Table:
    title = (
        f"overlap, {overlap.describe(kind)}, {result.ranks} ranks, {result.library}: times in µs"
    )
    table = Table(title=title)
    for column in overlap.COLUMNS:
        table.add_column(column, justify="right")
    for row in result.rows:
        if row.name == kind:
            table.add_row(*overlap.line(row))
    return table


def write(result: Measurements, folder: Path) -> list[Path]:
    """Writes a text file for each table; returns their paths."""
    files = []
    for kind in overlap.kinds(result.rows):
        file = folder / f"overlap-{kind}.txt"
        write_text(file, overlap.to_text(result.rows, kind))
        files.append(file)
    return files
