"""The collective operations of a trace, by operation and call site: what another algorithm could change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tradewind.inspection.calls import calls_of, numbered
from tradewind.inspection.messages import bytes_of
from tradewind.trace_file import Trace

# The operation whose algorithm a call has, by the name of the call in traces.
OPERATION_OF: Mapping[str, str] = {
    "barrier": "barrier",
    "bcast": "bcast",
    "reduce": "reduce",
    "gather": "gather",
    "scatter": "scatter",
    "scan": "scan",
    "exscan": "scan",
    "reduce_scatter": "reduce_scatter",
    "reduce_scatter_block": "reduce_scatter",
    "allreduce": "allreduce",
    "allgather": "allgather",
    "allgatherv": "allgather",
    "alltoall": "alltoallv",
    "alltoallv": "alltoallv",
    "neighbor_allgatherv": "neighbor",
    "neighbor_alltoallv": "neighbor",
}


@dataclass(frozen=True)
class CollectiveRow:
    """The calls of one operation at one call site.

    Args:
        operation: The operation, as experiments name it.
        site: The call site, or "" if it is unknown.
        count: The number of calls of all ranks.
        bytes: Bytes that the ranks contribute.
    """

    operation: str
    site: str
    count: int
    bytes: int


def collectives_of(trace: Trace) -> list[CollectiveRow]:
    """Returns the collective operations on more than one rank, those with most bytes first.

    Raises:
        TraceError: If a call names what does not exist.
    """
    calls = calls_of(trace)
    calls = calls.only(calls.is_call(*OPERATION_OF))
    sizes = calls.communicators.sizes[calls.group]
    calls = calls.only(sizes > 1)
    size = bytes_of(calls)
    call, site = calls.of_event("call"), calls.of_event("site")
    keys, which = numbered(call * (site.max(initial=0) + 2) + site + 1)
    rows: dict[tuple[str, str], tuple[int, int]] = {}
    for number in range(len(keys)):
        mine = which == number
        place = int(np.argmax(mine))
        operation = OPERATION_OF[trace.calls[int(call[place])]]
        own = int(site[place])
        key = operation, trace.strings[own] if own >= 0 else ""
        count, total = rows.get(key, (0, 0))
        turns = calls.turns[mine]
        rows[key] = count + int(turns.sum()), total + int((turns * size[mine]).sum())
    found = [CollectiveRow(*key, *sums) for key, sums in rows.items()]
    return sorted(found, key=lambda row: (-row.bytes, -row.count, row.operation, row.site))
