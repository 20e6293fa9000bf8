"""Tables of results: as CSV for programs, as Markdown for people."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

Cell = str | int | float | None


@dataclass(frozen=True)
class Table:
    """A table with a header.

    Args:
        title: Above it.
        header: Names of the columns.
        rows: One cell per column; None is an empty cell.
    """

    title: str
    header: tuple[str, ...]
    rows: Sequence[Sequence[Cell]]

    def to_csv(self) -> str:
        """Returns comma-separated values with a header, numbers in full."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.header)
        writer.writerows([["" if cell is None else cell for cell in row] for row in self.rows])
        return text.getvalue()

    def to_markdown(self) -> str:
        """Returns a Markdown table, numbers with four digits."""
        lines = [list(self.header), ["---"] * len(self.header)]
        lines += [[cell_text(cell) for cell in row] for row in self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines) + "\n"


def cell_text(cell: Cell) -> str:
    """Returns the text of a cell.

    Args:
        cell: A number, a text, or None for an empty cell.
    """
    if cell is None:
        return ""
    text = f"{cell:.4g}" if isinstance(cell, float) else str(cell)
    return text.replace("|", "\\|").replace("\n", " ")


def read_csv(path: Path) -> list[dict[str, str]]:
    """Returns the rows of a CSV file with a header; lines that begin with # are remarks.

    Args:
        path: The file, in UTF-8.
    """
    lines = path.read_text(encoding="utf-8").splitlines()
    return list(csv.DictReader(line for line in lines if line and not line.startswith("#")))
