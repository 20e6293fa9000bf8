"""Tables of the numbers that a run of a model reports, for a terminal."""

from __future__ import annotations

from typing import Any

from rich.table import Table
from rich.text import Text

from tradewind.models.run import ModelRun
from tradewind.units import decimal_bytes_text


def numbers_over_time(run: ModelRun) -> Table:
    """Returns the headline numbers of every output time, a row each.

    Args:
        run: A run with at least one output time.
    """
    table = Table(title=Text(run.title), title_justify="left", box=None, pad_edge=False)
    table.add_column("day", justify="right", no_wrap=True)
    shown = [about for about in run.snapshots[0].about_numbers if about["is_headline"]]
    for about in shown:
        unit = "" if about["unit"] == "1" else f" ({about['unit']})"
        table.add_column(f"{about['meaning']}{unit}", justify="right")
    for snapshot in run.snapshots:
        cells = [_text(snapshot.number(about["name"])) for about in shown]
        table.add_row(f"{snapshot.time_s / 86400:.4g}", *cells)
    return table


def final_numbers(run: ModelRun) -> Table:
    """Returns the numbers of the last output time, a row each.

    Args:
        run: A run with at least one output time.
    """
    table = Table(title=Text(run.title), title_justify="left", box=None, show_header=False)
    for about in run.final.about_numbers:
        value = run.final.number(about["name"])
        if about["unit"] == "byte":
            table.add_row(about["meaning"], decimal_bytes_text(value))
            continue
        unit = "" if about["unit"] == "1" else f" {about['unit']}"
        table.add_row(about["meaning"], f"{_text(value)}{unit}")
    return table


def _text(value: Any) -> str:
    """Writes a number; of a list the last entry."""
    if isinstance(value, list):
        return f"{_text(value[-1])}, the last of {len(value)}" if value else "none"
    if isinstance(value, int):
        return str(value)
    return f"{value:.9g}"
