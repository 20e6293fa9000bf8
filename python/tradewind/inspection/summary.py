"""The summary of a trace that `tradewind inspect` prints, draws and writes as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind.errors import ConfigError
from tradewind.inspection.calls import Calls, calls_of, numbered
from tradewind.inspection.messages import (
    Pairs,
    Unmatched,
    bytes_of,
    ends_of,
    pairs_of,
    sizes_of,
    transfers_of,
    unmatched,
)
from tradewind.inspection.timeline import Excerpt, Timeline, excerpt_of, timeline_of
from tradewind.inspection.waits import wait_states
from tradewind.trace_file import TIMING, WILDCARD

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tradewind.inspection.calls import Floats
    from tradewind.trace_file import Numbers, Trace

# The most calls whose time line is unfolded for wait states.
MOST_UNFOLDED = 5_000_000
# Ranks in the excerpt of the time line, and calls of each.
_EXCERPT_RANKS, _EXCERPT_CALLS = 32, 60


@dataclass(frozen=True)
class CallRow:
    """The calls of one name, at one call site or at all.

    Args:
        call: The name in MPI.
        site: The call site, or "".
        count: The number of calls.
        bytes: Bytes of their messages or contributions.
        time_s: The time in them, summed over ranks.
        share: This time as a share of the recorded time of all ranks.
    """

    call: str
    site: str
    count: int
    bytes: int
    time_s: float
    share: float


@dataclass(frozen=True)
class WaitRow:
    """The waits of one kind at one call site.

    Args:
        state: The kind.
        call: The call that waits.
        site: Its call site.
        count: How many calls wait.
        time_s: Their waits, summed over ranks.
        share: The same as a share of the recorded time of all ranks.
    """

    state: str
    call: str
    site: str
    count: int
    time_s: float
    share: float


@dataclass(frozen=True, eq=False)
class PerRank:
    """Times of each rank in s, from the end of MPI_Init to the begin of MPI_Finalize.

    Args:
        computed_s: The time between the calls.
        processor_s: The processor time of the same.
        inside_s: The time in the calls.
        wait_s: The part of it that is a wait state.
        collective_bytes: What the rank contributes to collectives.
    """

    computed_s: Floats
    processor_s: Floats
    inside_s: Floats
    wait_s: Floats
    collective_bytes: Numbers

    @property
    def total_s(self) -> Floats:
        """The recorded time."""
        return self.computed_s + self.inside_s

    @property
    def share(self) -> Floats:
        """The share of MPI in the recorded time."""
        total = self.total_s
        return np.divide(self.inside_s, total, out=np.zeros(len(total)), where=total > 0)


@dataclass(frozen=True, eq=False)
class Inspection:
    """The calls, messages, times and faults of a recorded program.

    Args:
        facts: What is known of the recording.
        ranks: The number of ranks.
        only_rank: The rank that calls, messages and wait states are of; None for all.
        calls: The number of calls.
        by_call: The calls by name, the most time first.
        by_site: The same by call site, too.
        sizes: Sends by size: smallest, largest, messages, bytes.
        pairs: Messages by sender and receiver.
        per_rank: Times of each rank.
        unmatched: Messages without their other end.
        wildcards: Receives and probes from any source or with any tag.
        timing: Calls that depend on timing, by name.
        other: Calls of which only the name was recorded.
        waits: Wait states by call site, the most time first; None if there are too many calls.
        excerpt: The middle of the time line; None if no time was recorded, or there are too many calls.
    """

    facts: Mapping[str, Any]
    ranks: int
    only_rank: int | None
    calls: int
    by_call: list[CallRow]
    by_site: list[CallRow]
    sizes: list[tuple[int, int, int, int]]
    pairs: Pairs
    per_rank: PerRank
    unmatched: list[Unmatched]
    wildcards: int
    timing: Mapping[str, int]
    other: Mapping[str, int]
    waits: list[WaitRow] | None = field(default=None)
    excerpt: Excerpt | None = field(default=None)

    @property
    def time_s(self) -> float:
        """The recorded time, of the slowest rank or of the only one."""
        return float(self.per_rank.total_s[_shown_ranks(self.only_rank)].max(initial=0.0))

    def to_dict(self) -> dict[str, Any]:
        """Returns everything as JSON can hold it."""
        times = self.per_rank
        return {
            "facts": dict(self.facts),
            "ranks": self.ranks,
            "rank": self.only_rank,
            "calls": self.calls,
            "messages": int(self.pairs.messages.sum()),
            "bytes": int(self.pairs.bytes.sum()),
            "collective_bytes": int(times.collective_bytes[_shown_ranks(self.only_rank)].sum()),
            "time_s": self.time_s,
            "mpi_share": spread_of(times.share),
            "computation_s": spread_of(times.computed_s),
            "computation_processor_s": spread_of(times.processor_s),
            "by_call": [asdict(row) for row in self.by_call],
            "by_site": [asdict(row) for row in self.by_site],
            "sizes": [
                {"from": low, "to": high, "messages": messages, "bytes": size}
                for low, high, messages, size in self.sizes
            ],
            "pairs": {
                name: getattr(self.pairs, name).tolist()
                for name in ("source", "destination", "messages", "bytes")
            },
            "per_rank": {name: values.tolist() for name, values in vars(times).items()},
            "unmatched": [asdict(one) for one in self.unmatched],
            "wildcards": self.wildcards,
            "timing_dependent": dict(self.timing),
            "not_recorded": dict(self.other),
            "wait_states": None if self.waits is None else [asdict(row) for row in self.waits],
        }


def _shown_ranks(only_rank: int | None) -> slice:
    """Returns the ranks that tables are of."""
    return slice(None) if only_rank is None else slice(only_rank, only_rank + 1)


def spread_of(values: Floats) -> dict[str, float]:
    """Returns smallest, mean and largest value, and the imbalance (largest - mean) / largest."""
    if not len(values):
        return {"min": 0.0, "mean": 0.0, "max": 0.0, "imbalance": 0.0}
    mean, most = float(values.mean()), float(values.max())
    return {
        "min": float(values.min()),
        "mean": mean,
        "max": most,
        "imbalance": (most - mean) / most if most > 0 else 0.0,
    }


def inspect(trace: Trace, only_rank: int | None = None) -> Inspection:
    """Sums up a trace.

    Args:
        trace: The trace.
        only_rank: The rank that calls, messages and wait states are of; None for all. Its messages are those that it
            sends, puts, gets or accumulates.

    Raises:
        ConfigError: If there is no such rank.
        TraceError: If a call names what does not exist.
    """
    if only_rank is not None and not 0 <= only_rank < trace.ranks:
        raise ConfigError(f"rank {only_rank}: the trace has ranks 0..{trace.ranks - 1}")
    everything = calls_of(trace)
    size = bytes_of(everything)
    ends = ends_of(everything)
    transfers = transfers_of(everything, ends)
    if only_rank is not None:
        transfers = transfers.only(everything.rank[transfers.at] == only_rank)
    waits, waits_of_ranks, excerpt = None, np.zeros(trace.ranks), None
    if everything.turns.sum() <= MOST_UNFOLDED:
        timeline = timeline_of(trace, MOST_UNFOLDED)
        waits, waits_of_ranks = _waits(timeline, only_rank)
        excerpt = excerpt_of(timeline, _EXCERPT_RANKS, _EXCERPT_CALLS)
    times = _per_rank(everything, size, waits_of_ranks)
    shown = ~everything.is_call("region")
    if only_rank is not None:
        shown &= everything.rank == only_rank
    calls, sizes = everything.only(shown), size[shown]
    wildcards, timing, other = timing_and_wildcards(calls)
    total_s = float(times.total_s[_shown_ranks(only_rank)].sum())
    return Inspection(
        facts=trace.facts,
        ranks=trace.ranks,
        only_rank=only_rank,
        calls=int(calls.turns.sum()),
        by_call=_rows(calls, sizes, total_s, by_site=False),
        by_site=_rows(calls, sizes, total_s, by_site=True),
        sizes=sizes_of(transfers),
        pairs=pairs_of(transfers, trace.ranks),
        per_rank=times,
        unmatched=unmatched(everything, ends),
        wildcards=wildcards,
        timing=timing,
        other=other,
        waits=waits,
        excerpt=excerpt,
    )


def timing_and_wildcards(calls: Calls) -> tuple[int, dict[str, int], dict[str, int]]:
    """Counts what no recording predicts.

    Returns:
        The receives and probes from any source or with any tag; the calls that depend on timing, by
        name; the calls of which only the name is known.
    """
    flags = calls.of_event("flags")
    return (
        int(calls.turns[(flags & WILDCARD) != 0].sum()),
        _counts(calls, (flags & TIMING) != 0),
        _counts(calls, calls.is_call("other")),
    )


def _per_rank(calls: Calls, size: Numbers, wait_s: Floats) -> PerRank:
    def sums(values: Floats) -> Floats:
        found: Floats = np.zeros(calls.trace.ranks)
        np.add.at(found, calls.rank, values)
        return found

    numbers = calls.of_event("call")
    first = calls.trace.calls.index("barrier")
    last = calls.trace.calls.index("neighbor_alltoallv")
    collective = (numbers >= first) & (numbers <= last)
    contributed = np.zeros(calls.trace.ranks, np.int64)
    np.add.at(contributed, calls.rank[collective], (size * calls.turns)[collective])
    after_init = ~calls.is_call("init")
    return PerRank(
        sums(np.where(after_init, calls.seconds("computed"), 0)),
        sums(np.where(after_init, calls.seconds("processor"), 0)),
        sums(np.where(calls.in_program(), calls.seconds("inside"), 0)),
        wait_s,
        contributed,
    )


def _rows(calls: Calls, size: Numbers, total_s: float, *, by_site: bool) -> list[CallRow]:
    """Sums up calls by name, or by name and site."""
    index, sites = calls.sites if by_site else (np.zeros(len(calls), np.int64), [""])
    keys, place = numbered(calls.kind * len(sites) + index)
    counts = np.zeros(len(keys), np.int64)
    bytes_ = np.zeros(len(keys), np.int64)
    np.add.at(counts, place, calls.turns)
    np.add.at(bytes_, place, calls.turns * size)
    time = np.bincount(place, calls.seconds("inside"), minlength=len(keys))
    inside = np.bincount(
        place, np.where(calls.in_program(), calls.seconds("inside"), 0), minlength=len(keys)
    )
    rows = [
        CallRow(
            calls.names[key // len(sites)],
            sites[key % len(sites)],
            int(counts[i]),
            int(bytes_[i]),
            float(time[i]),
            float(inside[i]) / total_s if total_s > 0 else 0.0,
        )
        for i, key in enumerate(keys.tolist())
    ]
    return sorted(rows, key=lambda row: (-row.time_s, -row.count, row.call, row.site))


def _counts(calls: Calls, chosen: NDArray[np.bool_]) -> dict[str, int]:
    counts = np.zeros(len(calls.names), np.int64)
    np.add.at(counts, calls.kind[chosen], calls.turns[chosen])
    return {calls.names[kind]: int(counts[kind]) for kind in np.flatnonzero(counts).tolist()}


def _waits(timeline: Timeline, only_rank: int | None) -> tuple[list[WaitRow], Floats]:
    """Returns the wait states by call site, and the waits of each rank."""
    calls, rank = timeline.calls, timeline.rank
    states = wait_states(timeline)
    of_ranks = np.zeros(calls.trace.ranks)
    for state in states:
        of_ranks += np.bincount(rank, state.time_s, minlength=len(of_ranks))
    shown = np.ones(len(rank), bool) if only_rank is None else rank == only_rank
    index, sites = calls.sites
    key = (calls.kind * len(sites) + index)[timeline.at]
    total_s = _recorded_s(calls, only_rank)
    rows = []
    for state in states:
        chosen = np.flatnonzero(shown & (state.time_s > 0))
        keys, place = numbered(key[chosen])
        time = np.bincount(place, state.time_s[chosen], minlength=len(keys))
        count = np.bincount(place, minlength=len(keys))
        rows += [
            WaitRow(
                state.name,
                calls.names[one // len(sites)],
                sites[one % len(sites)],
                int(count[i]),
                float(time[i]),
                float(time[i]) / total_s if total_s > 0 else 0.0,
            )
            for i, one in enumerate(keys.tolist())
        ]
    return sorted(rows, key=lambda row: -row.time_s), of_ranks


def _recorded_s(calls: Calls, only_rank: int | None) -> float:
    own = np.ones(len(calls), bool) if only_rank is None else calls.rank == only_rank
    computed = calls.seconds("computed")[own & ~calls.is_call("init")].sum()
    return float(computed + calls.seconds("inside")[own & calls.in_program()].sum())
