"""Small pieces of HTML."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from tradewind.errors import ConfigError


@dataclass(frozen=True)
class Cell:
    """A cell of a table that can be sorted.

    Args:
        text: The text.
        value: A number or a text that rows are sorted by; None for nothing, which comes last.
    """

    text: str
    value: float | str | None


def sortable_table(head: Sequence[str], rows: Sequence[Sequence[Cell]], caption: str = "") -> str:
    """Returns a table whose rows the page sorts by a click on a head, and searches."""
    plain = table(head, [[cell.text for cell in row] for row in rows], caption)
    values = [[cell.value for cell in row] for row in rows]
    return (
        f'<div class="sortable" data-values="{escape(json.dumps(values), quote=True)}">'
        f"{plain}</div>"
    )


def table(head: Sequence[str], rows: Sequence[Sequence[str]], caption: str = "") -> str:
    """Returns a table that scrolls by itself; columns of numbers are right-aligned."""
    numeric = [
        all(_is_number(row[index]) for row in rows if index < len(row))
        for index in range(len(head))
    ]
    names = [' class="number"' if right and rows else "" for right in numeric]
    title = f"<caption>{escape(caption)}</caption>" if caption else ""
    top = "".join(
        f'<th scope="col"{name}>{escape(text)}</th>' for text, name in zip(head, names, strict=True)
    )
    body = "".join(_row(row, names) for row in rows)
    label = escape(caption or ", ".join(head), quote=True)
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table>{title}'
        f"<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(row: Sequence[str], names: Sequence[str]) -> str:
    cells = [f"<td{name}>{escape(text)}</td>" for text, name in zip(row, names, strict=False)]
    return f"<tr>{''.join(cells)}</tr>"


def _is_number(text: str) -> bool:
    """Returns whether a text is a number, such as "12", "1.5 ms" or "40 %", or empty."""
    first = text.partition(" ")[0]
    if first in ("\N{EN DASH}", "\N{INFINITY}"):
        return True
    try:
        float(first or "0")
    except ValueError:
        return False
    return len(text) < 16


def data_uri(picture: Path) -> str:
    """Returns a PNG file as an address that contains it.

    Raises:
        ConfigError: If the file cannot be read.
    """
    try:
        content = picture.read_bytes()
    except OSError as error:
        raise ConfigError(f"{picture}: {error.strerror or error}") from None
    return f"data:image/png;base64,{base64.b64encode(content).decode()}"
