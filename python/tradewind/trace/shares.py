"""The share of MPI in the time of a recorded program, as `tradewind inspect` has it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tradewind.trace_file import Trace


def share_of_mpi(arrays: Mapping[str, Any]) -> float:
    """Returns the mean over ranks of the share of MPI, from the end of MPI_Init to the begin of MPI_Finalize.

    Args:
        arrays: The arrays of the trace.
    """
    trace = Trace.of(arrays)
    call_of = trace.arrays["events"].reshape(-1, 6)[:, 0]
    init, finalize = trace.calls.index("init"), trace.calls.index("finalize")
    shares = np.zeros(trace.ranks)
    for rank in range(trace.ranks):
        items, first = trace.items_of(rank)
        rows = np.flatnonzero(items[:, 0] >= 0)
        call = call_of[items[rows, 0]]
        computed = trace.arrays["computed"][first + rows][call != init].sum()
        inside = trace.arrays["inside"][first + rows][(call != init) & (call != finalize)].sum()
        shares[rank] = inside / (inside + computed) if inside + computed else 0.0
    return float(shares.mean())
