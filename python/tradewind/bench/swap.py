"""The values of worley1998's Table 3 for a swap: bandwidth, latency and the best protocol."""

from __future__ import annotations

import warnings
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tradewind.bench.rows import Row

# The 2 MB, 128 KB and 8 KB of the paper: 262144, 16384 and 1024 doubles.
SIZES = (2 << 20, 128 << 10, 8 << 10)
# A swap of this message, one double, consists of latency only.
LATENCY_SIZE = 8
ORDERS = ("unordered", "ordered")
# Names of the first releases, in scripts and in files of measurements.
FORMER_TRANSPORTS = {"one_sided": "puts"}
FORMER_OPERATIONS = {f"swap_{old}": f"swap_{new}" for old, new in FORMER_TRANSPORTS.items()}


@dataclass(frozen=True)
class BestSwap:
    """One cell of Table 3: the protocol of the largest bandwidth.

    Args:
        transport: "two_sided" or "puts".
        order: "unordered" or "ordered".
        size: Bytes of a message.
        bandwidth_bytes_per_s: Largest observed, in bytes per second.
        latency_s: Latency of that protocol, which need not be the smallest.
        protocol: A name of the paper, such as "(0,2)".
    """

    transport: str
    order: str
    size: int
    bandwidth_bytes_per_s: float
    latency_s: float
    protocol: str


def present_transport(name: str) -> str:
    """Returns the name of a transport, also for one that has been renamed."""
    if name not in FORMER_TRANSPORTS:
        return name
    present = FORMER_TRANSPORTS[name]
    warnings.warn(
        f'the transport "{name}" is called "{present}"; the next release will refuse the old name',
        FutureWarning,
        stacklevel=2,
    )
    return present


def with_latency(sizes: Iterable[int]) -> list[int]:
    """Returns the sizes, and before them the one that gives the latency."""
    return [LATENCY_SIZE, *(size for size in sizes if size != LATENCY_SIZE)]


def is_ordered(protocol: str) -> bool:
    """Returns whether one side sends first: (1,x) and (3,x)."""
    return protocol[1] in "13"


def with_rates(rows: Iterable[Row]) -> list[Row]:
    """Adds bandwidth and latency to the rows of swaps.

    worley1998 counts both messages of a swap. An ordered swap, with its two messages one after the
    other, has the bandwidth of a ping-pong; an unordered one has up to twice that. The bandwidth is
    2 bytes / (shortest time), "maximum observed". The latency is that of the median swap of one
    double, or half of it in ordered swaps, whose two messages wait for each other. The paper does
    not say how its "typical SWAP overhead" was measured.

    Args:
        rows: Rows with the swap of LATENCY_SIZE for every operation and protocol.

    Returns:
        The same rows, with `bandwidth_bytes_per_s` and `latency_s`.
    """
    rows = list(rows)
    latency = {
        (row.operation, row.name): row.median_s / (2 if is_ordered(row.name) else 1)
        for row in rows
        if row.size == LATENCY_SIZE
    }
    return [
        replace(
            row,
            values={
                "bandwidth_bytes_per_s": 2 * row.size / float(row.seconds.min()),
                "latency_s": latency[row.operation, row.name],
            },
        )
        for row in rows
    ]


def best_swaps(rows: Iterable[Row]) -> tuple[BestSwap, ...]:
    """Finds the protocol of the largest bandwidth for each transport, order and size.

    Args:
        rows: Rows of `measure("swap")`; the row of the latency counts only if it is alone.

    Returns:
        In the order of the rows; a cell without a protocol is left out.
    """
    best: dict[tuple[str, str, int], Row] = {}
    all_rows = [row for row in rows if row.operation.startswith("swap_")]
    only_latency = all(row.size == LATENCY_SIZE for row in all_rows)
    for row in all_rows:
        if row.size == LATENCY_SIZE and not only_latency:
            continue
        transport = row.operation.removeprefix("swap_")
        key = (transport, ORDERS[is_ordered(row.name)], row.size)
        if (
            key not in best
            or row.values["bandwidth_bytes_per_s"] > best[key].values["bandwidth_bytes_per_s"]
        ):
            best[key] = row
    return tuple(
        BestSwap(*key, row.values["bandwidth_bytes_per_s"], row.values["latency_s"], row.name)
        for key, row in best.items()
    )
