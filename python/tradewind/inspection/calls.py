"""The calls of a trace as columns: a row for each call in the folded form of each rank."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError
from tradewind.inspection.communicators import Communicators
from tradewind.inspection.names import NO_SITE, columns, kinds_of
from tradewind.trace_file import Trace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tradewind.trace_file import Numbers

    Floats = NDArray[np.float64]

UNKNOWN_SITE = "unknown"
_PICOSECOND = 1e-12
# Sums of counts and bytes stay below this, so that 64-bit integers hold them.
_MOST = 2.0**62


@dataclass(frozen=True, eq=False)
class Calls:
    """The rows of all ranks, one after the other; a row stands for all turns of the loops around it.

    Args:
        trace: The trace.
        rank: The rank of each row.
        row: The place of its times in the arrays of the trace.
        event: Its event.
        turns: How often the call is made.
    """

    trace: Trace
    rank: Numbers
    row: Numbers
    event: Numbers
    turns: Numbers

    def __post_init__(self) -> None:
        check_sum(self.turns, 1, "calls")

    def __len__(self) -> int:
        return len(self.rank)

    def of_event(self, column: str) -> Numbers:
        """Returns a column of the events for each row: call, comm, flags, site, first or count."""
        return self._events[column][self.event]

    def seconds(self, times: str) -> Floats:
        """Returns the times of all turns of each row in s.

        Args:
            times: `computed`, `processor` or `inside`.
        """
        seconds: Floats = np.multiply(self.trace.arrays[times][self.row], _PICOSECOND)
        return seconds

    def is_call(self, *names: str) -> NDArray[np.bool_]:
        """Reports for each row whether it is one of these calls, by their names in the trace."""
        numbers = [self.trace.calls.index(name) for name in names]
        return np.isin(self._events["call"], numbers)[self.event]

    def in_program(self) -> NDArray[np.bool_]:
        """Reports which rows lie between MPI_Init and MPI_Finalize."""
        return ~self.is_call("init", "finalize")

    @cached_property
    def kind(self) -> Numbers:
        """The index of the name of each row in `names`."""
        return self._kinds[0][self.event]

    @cached_property
    def names(self) -> list[str]:
        """The names of the calls in MPI."""
        return self._kinds[1]

    @cached_property
    def communicators(self) -> Communicators:
        """The communicators of all ranks."""
        return Communicators(self.trace)

    @cached_property
    def group(self) -> Numbers:
        """The group of the communicator of each row; -1 for calls without one."""
        group = np.full(len(self), -1)
        uses = self.is_call(*_with_communicator(self.trace))
        group[uses] = self.communicators.group(
            self.rank[uses], self.of_event("comm")[uses], self._name_at(uses)
        )
        return group

    @cached_property
    def sites(self) -> tuple[Numbers, list[str]]:
        """The index of the call site of each row, and the sites."""
        numbers, index = numbered(self.of_event("site"))
        strings = self.trace.strings
        names = [UNKNOWN_SITE if one <= NO_SITE else strings[one] for one in numbers.tolist()]
        return index, names

    def only(self, chosen: NDArray[np.bool_]) -> Calls:
        """Returns some of the rows."""
        return Calls(
            self.trace, self.rank[chosen], self.row[chosen], self.event[chosen], self.turns[chosen]
        )

    def _name_at(self, rows: NDArray[np.bool_]) -> list[str]:
        return [self.names[kind] for kind in self.kind[rows]] if len(rows) < 10**4 else []

    @cached_property
    def _events(self) -> dict[str, Numbers]:
        names = ("call", "comm", "flags", "site", "first", "count")
        return dict(zip(names, columns(self.trace), strict=True))

    @cached_property
    def _kinds(self) -> tuple[Numbers, list[str]]:
        return kinds_of(self.trace)


def calls_of(trace: Trace) -> Calls:
    """Returns the calls of all ranks, with the marks of regions, before which time passes, too.

    Raises:
        TraceError: If the loops pretend to make more calls than can be counted.
    """
    arrays = trace.arrays
    turns = turns_of(arrays["items"])
    counts = np.diff(arrays["time_first"])
    rank = np.repeat(np.arange(trace.ranks), counts)
    row = np.arange(len(rank))
    item = arrays["stream_first"][arrays["stream"]][rank] + row - arrays["time_first"][rank]
    event = arrays["items"][::2][item]
    keep = event >= 0
    return Calls(trace, rank[keep], row[keep], event[keep], turns[item[keep]])


def turns_of(items: Numbers) -> Numbers:
    """Returns how often each item is made, in all turns of the loops around it.

    Args:
        items: Value and length of each item, as in the trace.
    """
    values, lengths = items[::2], items[1::2]
    turns = np.ones(len(values), np.int64)
    size = np.zeros(len(values))
    for loop in np.flatnonzero(values < 0).tolist():
        body = slice(loop + 1, loop + 1 + int(lengths[loop]))
        turns[body] *= -values[loop]
        size[body] += np.log2(-float(values[loop]))
    if size.max(initial=0.0) > 61:
        raise TraceError("its loops pretend to make more than 2^61 calls")
    return turns


def numbered(values: Numbers) -> tuple[Numbers, Numbers]:
    """Does what `np.unique(values, return_inverse=True)` does, without sorting where values are dense."""
    low = int(values.min(initial=0))
    span = int(values.max(initial=0)) - low + 1
    if span > 4 * len(values) + 2**20:
        return np.unique(values, return_inverse=True)
    present = np.zeros(span, bool)
    present[values - low] = True
    return np.flatnonzero(present) + low, (np.cumsum(present) - 1)[values - low]


def joined(*columns: Numbers) -> Numbers:
    """Returns numbers that are equal where all columns are."""
    code = np.zeros(len(columns[0]), np.int64)
    for column in columns:
        values, index = numbered(column)
        code = numbered(code * len(values) + index)[1]
    return code


def check_sum(turns: Numbers, each: Numbers | int, what: str) -> None:
    """Refuses sums that 64-bit integers cannot hold.

    Args:
        turns: How often.
        each: Times what.
        what: Calls or bytes, for the message.

    Raises:
        TraceError: If they are larger.
    """
    if float(np.sum(turns.astype(np.float64) * each)) > _MOST:
        raise TraceError(f"it pretends to hold more than 2^62 {what}")


def _with_communicator(trace: Trace) -> tuple[str, ...]:
    first, last = trace.calls.index("send"), trace.calls.index("neighbor_alltoallv")
    return tuple(name for name in trace.calls[first : last + 1] if name != "wait")
