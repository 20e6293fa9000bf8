"""Windows: the one-sided calls of one rank, made of its records in an archive of OTF2.

A flush has no record of its own: its targets are those of the accesses that are complete with it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tradewind.trace_file import TIMING
from tradewind.trace_formats.otf2_calls import Call
from tradewind.trace_formats.otf2_communicators import Communicators

_EXCLUSIVE = 16
_ACCESSES = {"RmaPut": "put", "RmaGet": "get", "RmaAtomic": "accumulate"}
_LOCKS = {"RmaRequestLock": "lock", "RmaReleaseLock": "unlock"}
_GROUPS = {"post": "post", "start": "start"}
_ALONE = {"complete": "complete", "wait": "wait_posts", "test": "wait_posts"}
_WITH_REQUEST = re.compile(r"MPI_R(put|get|accumulate|get_accumulate)", re.IGNORECASE)


class Windows:
    """Makes the one-sided calls of a rank.

    Args:
        rank: The rank.
        comms: The communicators.
    """

    def __init__(self, rank: int, comms: Communicators) -> None:
        self._rank = rank
        self._comms = comms
        self._numbers: dict[Any, int] = {}
        self._targets: dict[tuple[Any, int], int] = {}
        self._open: dict[tuple[Any, int], Call] = {}

    def calls_of(self, region: str, records: Sequence[Any]) -> Iterator[Call]:
        """Returns the calls of a region, without waits for requests."""
        word = region.lower().removeprefix("mpi_win_")
        for record in records:
            kind = type(record).__name__
            if kind in _ACCESSES:
                yield self._access(region, kind, record)
            elif kind in _LOCKS:
                is_exclusive = "EXCLUSIVE" in str(getattr(record, "lock_type", ""))
                peers = self._peers(record.win, record.remote)
                yield self._call(_LOCKS[kind], record.win, peers, _EXCLUSIVE * is_exclusive)
            elif kind == "RmaGroupSync" and word in _GROUPS:
                members = self._comms.places_of(record.win.comm, record.group)
                yield self._call(_GROUPS[word], record.win, self._relative(record.win, members))
            elif kind == "RmaGroupSync" and word in _ALONE and record.sync_level.value:
                yield self._call(_ALONE[word], record.win, flags=TIMING * (word == "test"))
            elif kind == "RmaWinCreate":
                yield self._call("win_create", record.win, [0])
            elif kind == "RmaWinDestroy":
                yield self._call("win_free", record.win)
            elif kind == "RmaCollectiveEnd" and word == "fence":
                yield self._call("fence", record.win)
        if word.startswith("flush"):
            yield from self._flush(records)
        for record in records:
            if type(record).__name__ == "RmaOpCompleteRemote":
                self._targets.pop((record.win, record.matching_id), None)

    def completed_by(self, records: Sequence[Any]) -> list[Call]:
        """Returns the calls whose requests are complete with a region."""
        ends = [one for one in records if type(one).__name__ == "RmaOpCompleteNonBlocking"]
        found = [self._open.pop((one.win, one.matching_id), None) for one in ends]
        return [call for call in found if call is not None]

    def _access(self, region: str, kind: str, record: Any) -> Call:
        is_atomic = kind == "RmaAtomic"
        size = (record.bytes_received or record.bytes_sent) if is_atomic else record.bytes
        peer = record.remote - self._comms.place(self._rank, record.win.comm)
        call = self._call(_ACCESSES[kind], record.win, [peer, size])
        key = (record.win, record.matching_id)
        self._targets[key] = record.remote
        if _WITH_REQUEST.fullmatch(region):
            call.has_slot = True
            self._open[key] = call
        return call

    def _flush(self, records: Sequence[Any]) -> Iterator[Call]:
        targets: dict[Any, set[int]] = {}
        for record in records:
            key = (getattr(record, "win", None), getattr(record, "matching_id", None))
            if key in self._targets:
                targets.setdefault(record.win, set()).add(self._targets[key])
        for win, places in targets.items():
            yield self._call("flush", win, self._relative(win, sorted(places)))

    def _call(self, name: str, win: Any, arguments: Sequence[int] = (), flags: int = 0) -> Call:
        number = self._numbers.setdefault(win, len(self._numbers))
        return Call(name, [number, *arguments], self._comms.number(self._rank, win.comm), flags)

    def _peers(self, win: Any, remote: int) -> list[int]:
        """Returns the target of a lock, or those of a lock of all."""
        size = self._comms.size(win.comm)
        return self._relative(win, [remote] if remote < size else range(size))

    def _relative(self, win: Any, places: Sequence[int]) -> list[int]:
        own = self._comms.place(self._rank, win.comm)
        return [place - own for place in places]
