"""The communicators of a trace: their groups, the places of ranks in them, and which of them are one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from tradewind.errors import TraceError

if TYPE_CHECKING:
    from tradewind.trace_file import Numbers, Trace


class Communicators:
    """Each rank numbers its communicators in the order in which it got them.

    Communicators of one group are told apart by this order: the second of a group on one rank is the
    second of that group on all others, as MPI demands.

    Args:
        trace: The trace.
    """

    def __init__(self, trace: Trace) -> None:
        arrays = trace.arrays
        self._ranks = trace.ranks
        self._first = np.array(arrays["comm_first"])
        self._group = np.array(arrays["comm_group"])
        self._group_first = np.array(arrays["group_first"])
        self._members = np.array(arrays["group_ranks"])
        self.sizes = np.diff(self._group_first)
        groups = np.repeat(np.arange(len(self.sizes)), self.sizes)
        keys = groups * self._ranks + self._members
        self._order = np.argsort(keys, kind="stable")
        self._keys = keys[self._order]
        self._context = self._contexts()

    def group(self, rank: Numbers, comm: Numbers, names: Sequence[str] = ()) -> Numbers:
        """Returns the groups of communicators.

        Args:
            rank: The ranks.
            comm: Their communicators.
            names: The names of the calls, for the message.

        Raises:
            TraceError: If a rank does not have that communicator.
        """
        return self._group[self._entry(rank, comm, names)]

    def context(self, rank: Numbers, comm: Numbers) -> Numbers:
        """Returns numbers of communicators that are equal on all ranks that share one."""
        return self._context[self._entry(rank, comm, ())]

    def members(self, group: int) -> list[int]:
        """Returns the ranks of a group in the world."""
        begin, end = self._group_first[group : group + 2].tolist()
        members: list[int] = self._members[begin:end].tolist()
        return members

    def index(self, rank: Numbers, group: Numbers) -> Numbers:
        """Returns the places of ranks in groups.

        Raises:
            TraceError: If one is not in its group.
        """
        wanted = group * self._ranks + rank
        if not len(self._keys):
            place = np.zeros(len(wanted), np.int64)
        else:
            place = np.minimum(np.searchsorted(self._keys, wanted), len(self._keys) - 1)
        found = self._keys[place] == wanted if len(self._keys) else np.zeros(len(wanted), bool)
        if not found.all():
            lost = int(np.flatnonzero(~found)[0])
            raise TraceError(f"rank {rank[lost]} uses a communicator that it is not in")
        return self._order[place] - self._group_first[group]

    def world(self, rank: Numbers, group: Numbers, offset: Numbers) -> Numbers:
        """Returns the ranks in the world of peers.

        Args:
            rank: The own ranks.
            group: The groups in which they communicate.
            offset: Rank of the peer minus the own rank, in the group.

        Raises:
            TraceError: If a group has no such rank.
        """
        place = self.index(rank, group) + offset
        outside = (place < 0) | (place >= self.sizes[group])
        if outside.any():
            lost = int(np.flatnonzero(outside)[0])
            raise TraceError(
                f"rank {rank[lost]} names rank {place[lost]} of a communicator of"
                f" {self.sizes[group[lost]]}"
            )
        return self._members[self._group_first[group] + place]

    def _entry(self, rank: Numbers, comm: Numbers, names: Sequence[str]) -> Numbers:
        entry = self._first[rank] + comm
        outside = (comm < 0) | (entry >= self._first[rank + 1])
        if outside.any():
            lost = int(np.flatnonzero(outside)[0])
            name = names[lost] if lost < len(names) else "a call"
            raise TraceError(
                f"rank {rank[lost]}: {name} names communicator {comm[lost]}; it has"
                f" {self._first[rank[lost] + 1] - self._first[rank[lost]]}"
            )
        return entry

    def _contexts(self) -> Numbers:
        """Counts for each communicator of a rank the earlier ones of the same group."""
        rank = np.repeat(np.arange(self._ranks), np.diff(self._first))
        key = rank * max(len(self.sizes), 1) + self._group
        order = np.argsort(key, kind="stable")
        ordered = key[order]
        is_first = np.ones(len(key), bool)
        is_first[1:] = ordered[1:] != ordered[:-1]
        place = np.arange(len(key))
        earlier = np.empty(len(key), np.int64)
        earlier[order] = place - np.maximum.accumulate(np.where(is_first, place, 0))
        contexts: Numbers = self._group * (earlier.max(initial=0) + 1) + earlier
        return contexts
