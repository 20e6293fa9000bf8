"""Calls whose outcome depends on timing, which no rule of a program's calls predicts."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tradewind.inspection.names import columns, kinds_of
from tradewind.trace_file import TIMING, WILDCARD, Trace

_ON_TIME = "these calls depend on timing, so that no rule predicts what they do"
_FROM_ANY = "these calls receive from any source or with any tag, so that timing may decide about their peers"
_MOST_NAMED = 3


def calls_on_time(traces: Sequence[Trace], but: str) -> str:
    """Says which calls depend on timing; empty if there are none.

    Args:
        traces: Recordings that no rule explains together.
        but: A reason that may say the same of receives from any source; then nothing is said of these.
    """
    flags = (TIMING,) if "from any source" in but else (TIMING, WILDCARD)
    words = {TIMING: _ON_TIME, WILDCARD: _FROM_ANY}
    found = {flag: _flagged(traces, flag) for flag in flags}
    return "; ".join(f"{words[flag]}: {_list(some)}" for flag, some in found.items() if some)


def _flagged(traces: Sequence[Trace], flag: int) -> list[str]:
    """Returns the calls that have a flag, with their call sites where these are known."""
    found: dict[str, None] = {}
    for trace in traces:
        _, _, flags, sites, _, _ = columns(trace)
        kinds, names = kinds_of(trace)
        events = np.flatnonzero((flags & flag) != 0)
        pairs = np.unique(np.stack([kinds[events], sites[events]], axis=1), axis=0).tolist()
        for kind, site in pairs:
            found[names[kind] + (f" at {trace.strings[site]}" if site >= 0 else "")] = None
    return list(found)


def _list(calls: Sequence[str]) -> str:
    """Returns the first of some calls in words."""
    more = len(calls) - _MOST_NAMED
    return ", ".join(calls[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
