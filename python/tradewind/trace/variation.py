"""Computation that varies from turn to turn of a loop, of which a trace has the mean."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tradewind.trace_file import Trace
from tradewind.units import seconds_text

_PICOSECONDS = 1e12
# Variation is told from this share of the processor time on, and where that is such a share of the run.
_LEAST_SHARE, _LEAST_COMPUTATION = 0.2, 0.001
# Ranks that compute less are no model.
_LEAST_PROCESSOR_PS = 10**9


def remarks_on_variation(
    arrays: Mapping[str, Any], ranks: Sequence[Mapping[str, Any]]
) -> list[str]:
    """Says that the times before calls differ much between the turns of loops.

    A replay has the mean in each turn. So it does not wait for ranks that were late in some turns only.

    Args:
        arrays: The arrays of the trace.
        ranks: What is known of each recorded rank.
    """
    names = ("deviation_ps", "processor_ps", "computed_ps", "inside_ps")
    deviation, processor, computed, inside = (sum(rank[name] for rank in ranks) for name in names)
    least = max(_LEAST_COMPUTATION * (computed + inside), _LEAST_PROCESSOR_PS * len(ranks))
    if processor < least or deviation < _LEAST_SHARE * processor:
        return []
    trace = Trace.of(arrays)
    worst = max(ranks, key=lambda rank: int(rank["deviation_ps"]))
    call, _, _, site = trace.arrays["events"].reshape(-1, 6)[worst["varying_event"]][:4].tolist()
    where = f" at {trace.strings[site]}" if site >= 0 else ""
    mean, own = (
        seconds_text(worst[name] / _PICOSECONDS)
        for name in ("varying_mean_ps", "varying_deviation_ps")
    )
    return [
        f"computation varies from turn to turn, before {trace.calls[call]}{where} on rank {worst['rank']} by {own} "
        f"around its mean of {mean}; a replay has the mean in each turn: that leaves out noise of a busy machine, but also "
        "waits for imbalance that moves between ranks"
    ]
