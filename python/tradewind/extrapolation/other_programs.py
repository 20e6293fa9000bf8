"""The search for recordings that are not of the program that the others are of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet

from tradewind.trace_file import Trace

# A call and its call site, which may be empty.
_Call = tuple[str, str]
_MOST_NAMED = 3


def other_program(traces: Sequence[Trace]) -> str:
    """Says which recording is of another program than the rest; empty if nothing tells so.

    Args:
        traces: Recordings that no rule explains together.
    """
    calls = [set(_calls(trace)) for trace in traces]
    places: dict[_Call, list[int]] = {}
    for trace, some in zip(traces, calls, strict=True):
        for call in sorted(some):
            if call[0] == "init" and call[1]:
                places.setdefault(call, []).append(trace.ranks)
    if len(places) > 1 and sum(map(len, places.values())) == len(traces):
        # Each program calls it once.
        where = " and ".join(
            f"at {site} on {_numbers(ranks)} ranks" for (_, site), ranks in places.items()
        )
        return (
            f"the recordings look like those of different programs: init is {where}"
            f"{_difference(calls, traces)}"
        )
    for number in range(len(traces)):
        rest = [some for other, some in enumerate(calls) if other != number]
        only = calls[number].difference(*rest)
        lacks = set.intersection(*rest) - calls[number] if rest else set()
        # A branch of one program has other lines of the same file.
        if only and lacks and not (_files(only) and _files(only) <= _files(set().union(*rest))):
            return (
                f"the recording on {traces[number].ranks} ranks looks like one of another program, or "
                f"takes another branch: it has {_list(only)}, which no other has, and lacks {_list(lacks)}, "
                "which all others have"
            )
    return ""


def _difference(calls: Sequence[AbstractSet[_Call]], traces: Sequence[Trace]) -> str:
    """Returns what a recording calls that no recording with its call of MPI_Init elsewhere does."""
    first = {call for call in calls[0] if call[0] == "init"}
    one = set().union(*(some for some in calls if first <= some))
    other = set().union(*(some for some in calls if not first <= some))
    only = {call for call in other - one if call[0] not in ("init", "finalize")}
    ranks = [trace.ranks for trace, some in zip(traces, calls, strict=True) if some & only]
    return f"; those on {_numbers(ranks)} ranks alone have {_list(only)}" if only else ""


def _calls(trace: Trace) -> Iterator[_Call]:
    """Yields the calls of all ranks."""
    for call, _, _, site, _, _ in trace.arrays["events"].reshape(-1, 6).tolist():
        yield trace.calls[call], trace.strings[site] if site >= 0 else ""


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
