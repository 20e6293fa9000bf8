"""The axes of communicators where a grid has one rank along some of its axes, so that several may be meant."""

from __future__ import annotations

from collections.abc import Sequence

from tradewind.extrapolation.grids import GridRule, group_axes
from tradewind.extrapolation.tree import FIXED_COMMS, View
from tradewind.trace_file import Trace


def known_axes(traces: Sequence[Trace], view: View) -> dict[int, set[str]]:
    """Returns the axes of communicators where grids leave no doubt, by the numbers of these on a rank.

    A row of a grid of one column is a rank alone, and so is a column of a grid of one row. At other rank counts
    they differ.

    Returns:
        Nothing if the grids have one rank along the same axes in all traces.
    """
    comms = max(_comms(trace, rank) for trace in traces for rank in range(trace.ranks))
    known: dict[int, set[str]] = {}
    for comm in range(len(FIXED_COMMS), comms):
        rule = view.of_comms.get(comm, view.rule)
        flat = [_flat_axes(rule, trace) for trace in traces]
        if min(flat) < max(flat):
            plain = [trace for trace, axes in zip(traces, flat, strict=True) if axes == min(flat)]
            known[comm] = {
                axes[0]
                for trace in plain
                for rank in range(trace.ranks)
                if comm < _comms(trace, rank)
                and (axes := group_axes(rule.extents(trace.ranks), trace.members(rank, comm), rank))
            }
    return known


def _comms(trace: Trace, rank: int) -> int:
    """Returns the number of communicators of a rank."""
    first = trace.arrays["comm_first"]
    return int(first[rank + 1] - first[rank])


def _flat_axes(rule: GridRule, trace: Trace) -> int:
    """Returns the number of axes along which the grid of a trace has one rank."""
    return rule.extents(trace.ranks).count(1)
