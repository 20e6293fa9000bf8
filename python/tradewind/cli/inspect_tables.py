"""Tables of `tradewind inspect`."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from tradewind.cli.tables import plain_table
from tradewind.inspection.comparison import Comparison
from tradewind.inspection.messages import Unmatched
from tradewind.inspection.summary import CallRow, Inspection, WaitRow, spread_of
from tradewind.units import bytes_text, decimal_bytes_text, seconds_text

_WORDS = ("call", "call site", "wait state", "size", "what", "reason")


def calls_table(rows: Sequence[CallRow], most: int) -> Table:
    """Returns the time in MPI by call.

    Args:
        rows: The calls, the most time first.
        most: The number of rows; the last one sums up the rest.
    """
    table = _table("by call", ("call", "calls", "bytes", "time inside", "share"))
    for row in _cut(rows, most):
        table.add_row(Text(row.call), *_cells(row))
    return table


def sites_table(rows: Sequence[CallRow], most: int) -> Table:
    """Returns the time in MPI by call site.

    Args:
        rows: The calls by site, the most time first.
        most: The number of rows; the last one sums up the rest.
    """
    table = _table("by call site", ("call", "call site", "calls", "bytes", "time inside", "share"))
    for row in _cut(rows, most):
        table.add_row(Text(row.call), Text(row.site), *_cells(row))
    return table


def sizes_table(found: Inspection) -> Table:
    """Returns the sizes of messages in powers of two."""
    table = _table("message sizes", ("size", "messages", "bytes", "share of the bytes"))
    whole = sum(size for *_, size in found.sizes)
    for low, high, messages, size in found.sizes:
        words = f"{bytes_text(low)} to {bytes_text(high + 1)}" if high > low else f"{low} B"
        share = 100 * size / whole if whole else 0.0
        table.add_row(words, f"{messages}", decimal_bytes_text(size), f"{share:.1f} %")
    return table


def ranks_table(found: Inspection) -> Table:
    """Returns how times and bytes spread over the ranks."""
    table = _table("over ranks", ("what", "min", "mean", "max", "imbalance"))
    times = found.per_rank
    for words, values in (
        ("computation, wall clock", times.computed_s),
        ("computation, processor time", times.processor_s),
        ("MPI", times.inside_s),
        ("of it wait states", times.wait_s),
    ):
        spread = spread_of(values)
        cells = [seconds_text(spread[name]) for name in ("min", "mean", "max")]
        table.add_row(words, *cells, f"{100 * spread['imbalance']:.1f} %")
    spread = spread_of(times.share)
    table.add_row(
        "share of MPI", *(f"{100 * spread[name]:.1f} %" for name in ("min", "mean", "max")), ""
    )
    spread = spread_of(times.collective_bytes.astype(float))
    cells = [decimal_bytes_text(spread[name]) for name in ("min", "mean", "max")]
    table.add_row("bytes into collectives", *cells, f"{100 * spread['imbalance']:.1f} %")
    return table


def pairs_table(found: Inspection, most: int) -> Table:
    """Returns the pairs of ranks between which most bytes go."""
    pairs = found.pairs
    table = _table("pairs of ranks", ("from - to", "messages", "bytes"))
    order = (-pairs.bytes).argsort(kind="stable")
    for i in order[:most].tolist():
        words = f"{pairs.source[i]} - {pairs.destination[i]}"
        table.add_row(words, str(pairs.messages[i]), decimal_bytes_text(float(pairs.bytes[i])))
    rest = order[most:]
    if len(rest):
        sums = str(pairs.messages[rest].sum()), decimal_bytes_text(float(pairs.bytes[rest].sum()))
        table.add_row(f"{len(rest)} more", *sums)
    return table


def waits_table(rows: Sequence[WaitRow], most: int) -> Table:
    """Returns the wait states, the most time first."""
    table = _table("wait states", ("wait state", "call", "call site", "calls", "time", "share"))
    for row in rows[:most]:
        share = f"{100 * row.share:.1f} %"
        cells = str(row.count), seconds_text(row.time_s), share
        table.add_row(row.state, Text(row.call), Text(row.site), *cells)
    return table


def unmatched_table(rows: Sequence[Unmatched], most: int) -> Table:
    """Returns messages without their other end."""
    columns = ("call", "call site", "rank", "peer", "tag", "bytes", "sends", "receives", "reason")
    table = _table("unmatched messages", columns)
    for row in rows[:most]:
        numbers = (row.rank, row.peer, row.tag, row.bytes, row.sends, row.receives)
        table.add_row(Text(row.call), Text(row.site), *map(str, numbers), row.reason)
    if len(rows) > most:
        table.add_row(f"{len(rows) - most} more", *[""] * 8)
    return table


def check_table(checked: Comparison, most: int) -> Table:
    """Returns recorded and replayed time in the calls of each site, the longest first."""
    columns = ["call", "call site", "calls", "recorded"]
    for machine in checked.machines:
        columns += [machine, f"change on {machine}" if len(checked.machines) > 1 else "change"]
    table = _table("recorded and replayed time, summed over ranks", columns)
    for row in checked.sites[:most]:
        mark = "*" if row.depends_on_timing else ""
        call, site = Text(row.call + mark), Text(row.site or "unknown")
        table.add_row(call, site, str(row.count), *_times(row.recorded_s, row.replayed_s))
    rest = checked.sites[most:]
    if rest:
        recorded_s = sum(row.recorded_s for row in rest)
        sums = [sum(times) for times in zip(*(row.replayed_s for row in rest), strict=True)]
        calls = str(sum(row.count for row in rest))
        table.add_row(f"{len(rest)} more", "", calls, *_times(recorded_s, sums))
    return table


def change(replayed_s: float, recorded_s: float) -> str:
    """Returns how much longer a replay takes than the recording, in percent; "" if nothing was recorded."""
    return f"{100 * (replayed_s / recorded_s - 1):+.0f} %" if recorded_s > 0 else ""


def _times(recorded_s: float, replayed_s: Sequence[float]) -> list[str]:
    cells = [seconds_text(recorded_s)]
    for time_s in replayed_s:
        cells += [seconds_text(time_s), change(time_s, recorded_s)]
    return cells


def _cut(rows: Sequence[CallRow], most: int) -> list[CallRow]:
    """Returns the first rows; the last one sums up the rest."""
    if len(rows) <= most:
        return list(rows)
    rest = rows[most - 1 :]
    whole = CallRow(
        f"{len(rest)} more",
        "",
        sum(row.count for row in rest),
        sum(row.bytes for row in rest),
        sum(row.time_s for row in rest),
        sum(row.share for row in rest),
    )
    return [*rows[: most - 1], whole]


def _cells(row: CallRow) -> tuple[str, str, str, str]:
    share = f"{100 * row.share:.1f} %"
    return str(row.count), decimal_bytes_text(row.bytes), seconds_text(row.time_s), share


def _table(title: str, columns: Sequence[str]) -> Table:
    return plain_table(title, columns, [column for column in columns if column in _WORDS])
