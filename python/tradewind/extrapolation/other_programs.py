"""The search for recordings that are not of the program that the others are of."""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

import numpy as np

from tradewind.trace_file import Trace

# A call and its call site, which may be empty.
_Call = tuple[str, str]
_MOST_NAMED = 3


def different_programs(traces: Sequence[Trace]) -> str:
    """Says which recordings begin at another line than the rest; empty if all begin at the same one, or no line is known.

    Args:
        traces: Recordings, each of which calls MPI_Init once.
    """
    calls = [_calls(trace) for trace in traces]
    places: dict[str, list[int]] = {}
    for trace, some in zip(traces, calls, strict=True):
        for name, site in sorted(some):
            if name == "init" and site:
                places.setdefault(site, []).append(trace.ranks)
    if len(places) < 2 or sum(map(len, places.values())) != len(traces):
        return ""
    where = " and ".join(f"at {site} on {_numbers(ranks)} ranks" for site, ranks in places.items())
    return (
        f"the recordings look like those of different programs, or builds of one: init is {where}"
        f"{_difference(calls, traces)}"
    )


def other_program(traces: Sequence[Trace]) -> str:
    """Says which recording is of another program than the rest; empty if nothing tells so.

    Args:
        traces: Recordings that no rule explains together.
    """
    calls = [_calls(trace) for trace in traces]
    if len(calls) < 2:
        return ""
    for number, own in enumerate(calls):
        rest = [some for other, some in enumerate(calls) if other != number]
        only = own.difference(*rest)
        lacks = set.intersection(*rest) - own
        # A branch of one program has other lines of the same file.
        if only and lacks and not (_files(only) and _files(only) <= _files(set().union(*rest))):
            return (
                f"the recording on {traces[number].ranks} ranks looks like one of another program, or "
                f"takes another branch: it has {_list(only)}, which no other has, and lacks {_list(lacks)}, "
                "which all others have"
            )
    return ""


def calls_of_some(traces: Sequence[Trace], but: str) -> str:
    """Says which calls are on some rank counts alone; empty if all whose lines are known are on all.

    Args:
        traces: Recordings that no rule explains together.
        but: A reason that may name one of them; then nothing is said.
    """
    calls = [_calls(trace) for trace in traces]
    places: dict[str, list[_Call]] = {}
    for call in sorted(set().union(*calls)):
        ranks = [trace.ranks for trace, some in zip(traces, calls, strict=True) if call in some]
        if call[1] and len(ranks) < len(traces):
            places.setdefault(_numbers(ranks), []).append(call)
    if any(" at ".join(call) in but for some in places.values() for call in some):
        return ""
    return "; ".join(
        f"{_list(set(some))}: on {ranks} ranks alone" for ranks, some in places.items()
    )


def _difference(calls: Sequence[AbstractSet[_Call]], traces: Sequence[Trace]) -> str:
    """Returns what a recording calls that no recording with its call of MPI_Init elsewhere does."""
    first = {call for call in calls[0] if call[0] == "init"}
    one = set().union(*(some for some in calls if first <= some))
    other = set().union(*(some for some in calls if not first <= some))
    only = {call for call in other - one if call[0] not in ("init", "finalize")}
    ranks = [trace.ranks for trace, some in zip(traces, calls, strict=True) if some & only]
    return f"; those on {_numbers(ranks)} ranks alone have {_list(only)}" if only else ""


def _calls(trace: Trace) -> set[_Call]:
    """Returns the calls of all ranks."""
    pairs = np.unique(trace.arrays["events"].reshape(-1, 6)[:, [0, 3]], axis=0).tolist()
    return {(trace.calls[call], trace.strings[site] if site >= 0 else "") for call, site in pairs}


def _files(calls: AbstractSet[_Call]) -> set[str]:
    """Returns the source files of some calls, as far as they are known."""
    return {site.rpartition(":")[0] for _, site in calls if ":" in site}


def _list(calls: AbstractSet[_Call]) -> str:
    """Returns the first of some calls in words."""
    some = sorted(calls, key=lambda call: (call[0] in ("init", "finalize"), call))
    words = [name + (f" at {site}" if site else "") for name, site in some[:_MOST_NAMED]]
    return ", ".join(words) + (
        f" and {len(some) - len(words)} more" if len(some) > len(words) else ""
    )


def _numbers(ranks: Sequence[int]) -> str:
    return ", ".join(map(str, sorted(set(ranks))))
