"""Tables without rules, for a terminal."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from rich.table import Table
from rich.text import Text


def plain_table(
    title: str, columns: Sequence[str], left: Collection[str], wrapped: Collection[str] = ()
) -> Table:
    """Returns an empty table without rules.

    Args:
        title: Its title.
        columns: Its columns; numbers stand at the right.
        left: The columns with words, which stand at the left.
        wrapped: The columns whose words may be broken.
    """
    table = Table(title=Text(title), title_justify="left", box=None, pad_edge=False)
    for column in columns:
        side = "left" if column in left else "right"
        table.add_column(column, justify=side, no_wrap=column not in wrapped)  # type: ignore[arg-type]
    return table
