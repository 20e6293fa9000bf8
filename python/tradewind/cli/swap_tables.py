"""Tables of swaps: every protocol, and the best ones in the layout of worley1998's Table 3."""

from __future__ import annotations

from rich.table import Table

from tradewind.bench import BestSwap, Measurements, best_swaps
from tradewind.bench.swap import LATENCY_SIZE, ORDERS
from tradewind.units import bytes_text

_TRANSPORTS = {"two_sided": "MPI", "puts": "puts"}


def tables(result: Measurements) -> list[Table]:
    """Returns a table for each transport, then tables of the best unordered and ordered protocols.

    Args:
        result: The measurement `swap`.
    """
    best = best_swaps(result.rows)
    per_order = [[cell for cell in best if cell.order == order] for order in ORDERS]
    return [_protocols(result, operation) for operation in result.operations] + [
        _best(cells, result.library) for cells in per_order if cells
    ]


def _protocols(result: Measurements, operation: str) -> Table:
    """Returns one line per protocol: bandwidth at each size, and latency."""
    rows = [row for row in result.rows if row.operation == operation]
    sizes = [size for size in dict.fromkeys(row.size for row in rows) if size != LATENCY_SIZE]
    transport = operation.removeprefix("swap_")
    table = Table(title=f"swap, {transport.replace('_', '-')}, {result.library}: bandwidth (MB/s)")
    table.add_column("protocol")
    for size in sizes:
        table.add_column(bytes_text(size), justify="right")
    table.add_column("latency (µs)", justify="right")
    for name in dict.fromkeys(row.name for row in rows):
        of_size = {row.size: row for row in rows if row.name == name}
        cells = [_megabytes(of_size[size].values["bandwidth_bytes_per_s"]) for size in sizes]
        latency = of_size[LATENCY_SIZE].values["latency_s"]
        table.add_row(name, *cells, _microseconds(latency))
    return table


def _best(cells: list[BestSwap], library: str) -> Table:
    """Returns Table 3: bandwidth, latency and protocol for each size, one line per transport."""
    sizes = list(dict.fromkeys(cell.size for cell in cells))
    table = Table(title=f"{cells[0].order}, {library}: best bandwidth (MB/s), its latency (µs)")
    table.add_column("")
    for size in sizes:
        table.add_column(f"{bytes_text(size)} BW", justify="right")
        table.add_column("lat.", justify="right")
        table.add_column("prot.")
    for transport in dict.fromkeys(cell.transport for cell in cells):
        own = {cell.size: cell for cell in cells if cell.transport == transport}
        line = [_TRANSPORTS[transport]]
        for size in sizes:
            line += [
                _megabytes(own[size].bandwidth_bytes_per_s),
                _microseconds(own[size].latency_s),
                own[size].protocol,
            ]
        table.add_row(*line)
    return table


def _megabytes(rate: float) -> str:
    return f"{rate / 1e6:.0f}" if rate >= 1e7 else f"{rate / 1e6:.3g}"


def _microseconds(time: float) -> str:
    return f"{time * 1e6:.3g}"
