"""RankReader: the calls of one rank, made of its records in an archive of OTF2.

Score-P writes no record of a message to or from MPI_PROC_NULL, of a probe, and of a test that finds nothing.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tradewind.errors import TraceError
from tradewind.trace_file import NO_PEER, NONBLOCKING, PERSISTENT, TIMING
from tradewind.trace_formats.collective_sizes import Collective
from tradewind.trace_formats.otf2_calls import Call
from tradewind.trace_formats.otf2_communicators import Communicators
from tradewind.trace_formats.otf2_instances import Instances
from tradewind.trace_formats.otf2_requests import Requests
from tradewind.trace_formats.otf2_windows import Windows
from tradewind.trace_formats.rank_calls import RankCalls

_NOT_SAID = re.compile(r"MPI_(I?neighbor_\w+|I?alltoall[vw])(_init|_c)*", re.IGNORECASE)
_ONE_SIDED = re.compile(
    r"MPI_(R?(put|get|accumulate)|get_acc\w+|fetch\w+|compare\w+|win_\w+)", re.IGNORECASE
)
_ENDS = re.compile(r"MPI_(init(_thread)?|finalize)", re.IGNORECASE)
# Calls that wait, or receive, without a record.
_UNTOLD = re.compile(r"MPI_(m?probe|i?mrecv)", re.IGNORECASE)
_COMPLETES = re.compile(r"MPI_(wait|test)(all|any|some)?", re.IGNORECASE)
# Their time is waiting if they leave no record.
_WAITS = re.compile(r"MPI_((wait|test)(all|any|some)?|im?probe|win_test)", re.IGNORECASE)
_ON_TIME = re.compile(r"MPI_(test\w*|waitany|waitsome)", re.IGNORECASE)
_STARTS = re.compile(r"MPI_(start(all)?|i[sbr]?send)", re.IGNORECASE)


class RankReader:
    """Makes calls of the records of one rank, and hands them to a trace as soon as they are known.

    Args:
        rank: The rank.
        comms: The communicators.
        scale: Picoseconds of a tick.
        path: The archive, for errors.
        instances: The collectives that wait for their other ranks.
        calls: The calls of the rank in the trace.
    """

    def __init__(
        self,
        rank: int,
        comms: Communicators,
        scale: float,
        path: Path,
        instances: Instances,
        calls: RankCalls,
    ) -> None:
        self.rank = rank
        self.flushed_ps = 0
        self.flushes = 0
        self.pauses = 0
        self.unnamed = 0
        self.idle_waits = 0
        self._comms = comms
        self._scale = scale
        self._path = path
        self._depth = 0
        self._records: list[Any] = []
        self._begin = 0
        self._end: int | None = None
        self._written: list[tuple[int, int]] = []
        self._computed = 0
        self._waited = 0
        self._requests = Requests()
        self._sends: list[Call] = []
        self._made = 0
        self._windows = Windows(rank, comms)
        self._instances = instances
        self._calls = calls
        # Calls from the first one on whose request is not complete, and calls before it from the first one on
        # that waits for other ranks.
        self._pending: deque[Call] = deque()
        self._numbered: deque[Call] = deque()
        self._slots: dict[Call, int] = {}

    def read(self, event: Any, region: str | None) -> None:
        """Takes a record.

        Args:
            event: The record.
            region: The name of the region of MPI that it enters or leaves.
        """
        kind = type(event).__name__
        if self._end is None:
            self._end = event.time
        if region is not None and kind.endswith("Enter"):
            if not self._depth:
                self._compute_until(event.time)
            self._depth += 1
        elif region is not None and kind.endswith("Leave") and self._depth:
            self._depth -= 1
            if not self._depth:
                self._close(region, event.time)
        elif kind == "BufferFlush":
            self._written.append((event.time, event.stop_time))
            self.flushed_ps += round((event.stop_time - event.time) * self._scale)
            self.flushes += 1
        elif kind == "MeasurementOnOff":
            self.pauses += "OFF" in str(event.measurement_mode)
        elif kind.startswith(("Mpi", "NonBlockingCollective", "CommCreate", "Rma")):
            self._records.append(event)

    @property
    def pending(self) -> int:
        """The number of calls from the first one on whose request is not complete."""
        return len(self._pending)

    def lose_requests(self, completed: bytearray) -> None:
        """Takes it that requests are never complete.

        Args:
            completed: For each request, in the order in which they are started, whether it will be complete.
        """
        self._requests.lose(completed)

    def number(self) -> None:
        """Takes the requests that are not complete as never complete: there are no more records."""
        self._requests.close()
        self._number()

    def finish(self) -> None:
        """Hands the rest of the calls to the trace."""
        self._emit()
        self._calls.compute(self._computed)
        self._calls.finish()

    def _number(self) -> None:
        """Numbers the collectives among the calls that are known, and hands them to the trace."""
        while self._pending and not self._pending[0].is_open:
            call = self._pending.popleft()
            self._numbered.append(call)
            if isinstance(call.arguments, Collective):
                self._instances.add(self.rank, call)

    def _emit(self) -> None:
        """Hands calls to the trace up to the first one that waits for other ranks."""
        while self._numbered and not isinstance(self._numbered[0].arguments, Collective):
            call = self._numbered.popleft()
            self._calls.compute(call.computed)
            if call.is_lost:
                continue  # The peer was MPI_PROC_NULL, or the request was freed.
            if call.name == "finalize" and self._slots:
                self._calls.wait(list(self._slots.values()))
                self._slots = {}
            flags = call.flags | (NONBLOCKING if call.has_slot else 0)
            arguments = self._arguments_of(call)
            self._calls.call(call.name, arguments, comm=call.comm, flags=flags, inside=call.inside)

    def _arguments_of(self, call: Call) -> list[int]:
        """Returns the arguments of a call, with the slots that it takes or frees."""
        slots = self._slots
        if call.completes:
            closed = sorted(slots.pop(one) for one in call.completes if one in slots)
            self._calls.close(closed)
            return closed
        if call.label:
            return [self._calls.string(call.label)]
        assert isinstance(call.arguments, list)
        if not call.has_slot:
            return call.arguments
        slots[call] = self._calls.open()
        return [*call.arguments, slots[call]]

    def _compute_until(self, time: int) -> None:
        """Takes the time since the call before as computation."""
        assert self._end is not None
        self._computed += self._between(self._end, time)
        self._begin = time

    def _between(self, begin: int, end: int) -> int:
        """Returns the time between two records in ps, without that in which buffers were written.

        Buffers are written when the record that begins then has its time already.
        """
        ticks = end - begin
        for first, last in self._written:
            ticks -= max(min(last, end) - max(first, begin), 0)
        self._written = [one for one in self._written if one[1] > end]
        return round(ticks * self._scale)

    def _close(self, name: str, time: int) -> None:
        """Makes the calls of a region that is left."""
        inside = self._between(self._begin, time)
        self._end = time
        records, self._records, self._made = self._records, [], 0
        made = list(self._calls_of(name, records))
        if made:
            made[0].computed, self._computed = self._computed, 0
            made[0].inside = inside
            if made[-1].name in ("wait", "recv", "wait_posts"):
                made[-1].inside += self._waited
                self._waited = 0
            self._pending += made
            self._number()
            self._emit()
        elif _WAITS.fullmatch(name):
            self._waited += inside
            self.idle_waits += name.lower().startswith("mpi_wait")
        else:
            self._computed += inside

    def _calls_of(self, name: str, records: Sequence[Any]) -> Iterator[Call]:
        if _NOT_SAID.fullmatch(name):
            raise TraceError(
                f"{self._path}: rank {self.rank} calls {name}: OTF2 does not say how many bytes go to"
                " which rank"
            )
        if name.lower().startswith("mpi_sendrecv"):
            yield from self._exchange(records)
            return
        if not records or _ENDS.fullmatch(name):
            # Score-P creates the world in MPI_Init, and destroys it in MPI_Finalize.
            yield from self._without_records(name)
            return
        yield from self._windows.calls_of(name, records)
        completed = self._windows.completed_by(records)
        for record in records:
            yield from self._call_of(name, record, completed)
        if completed:
            yield Call("wait", completes=completed, flags=TIMING if _ON_TIME.fullmatch(name) else 0)

    def _without_records(self, name: str) -> Iterator[Call]:
        if _ENDS.fullmatch(name):
            yield Call("init" if name.lower().startswith("mpi_init") else "finalize")
        elif name.lower().startswith("mpi_file_"):
            yield Call("file", [0])
        elif _ONE_SIDED.fullmatch(name) or _UNTOLD.fullmatch(name):
            yield Call("other", label=name)

    def _exchange(self, records: Sequence[Any]) -> Iterator[Call]:
        sides = {"MpiSend": [NO_PEER, 0, 0], "MpiRecv": [NO_PEER, 0, 0]}
        comm = None
        for record in records:
            kind = type(record).__name__
            if kind in sides:
                peer = record.receiver if kind == "MpiSend" else record.sender
                sides[kind] = self._message(record, peer)
                comm = record.communicator
        if comm is not None:
            arguments = [*sides["MpiSend"], *sides["MpiRecv"]]
            yield Call("sendrecv", arguments, self._comms.number(self.rank, comm))

    def _call_of(self, region: str, record: Any, completed: list[Call]) -> Iterator[Call]:
        kind = type(record).__name__
        flags = PERSISTENT if region.lower().startswith("mpi_start") else 0
        if kind in ("MpiSend", "MpiIsend"):
            yield self._send(region, record, flags)
        elif kind == "MpiRecv":
            yield self._receive(region, record, completed)
        elif kind == "MpiIrecvRequest":
            yield self._open(record.request_id, Call("recv", [NO_PEER, 0, 0], flags=flags))
        elif kind == "NonBlockingCollectiveRequest":
            yield self._open(record.request_id, Call("other", label=region))
        elif kind in ("MpiIrecv", "MpiIsendComplete", "NonBlockingCollectiveComplete"):
            self._complete(kind, record, completed)
        elif kind == "MpiRequestCancelled":
            call = self._requests.completed(record.request_id)
            if call is not None:
                call.arguments = [NO_PEER, 0, 0]
                completed.append(call)
        elif kind == "CommCreate":
            self._made = self._comms.number(self.rank, record.communicator)
        elif kind == "MpiCollectiveEnd":
            yield self._collective(record, Call("other", label=region))

    def _send(self, region: str, record: Any, flags: int) -> Call:
        comm = self._comms.number(self.rank, record.communicator)
        call = Call(_send_name(region), self._message(record, record.receiver), comm, flags)
        if type(record).__name__ == "MpiIsend":
            return self._open(record.request_id, call)
        if _STARTS.fullmatch(region):
            # Without requests in the archive, the next wait that receives completes all sends.
            self.unnamed += 1
            call.has_slot = True
            self._sends.append(call)
        return call

    def _receive(self, region: str, record: Any, completed: list[Call]) -> Call:
        comm = self._comms.number(self.rank, record.communicator)
        call = Call("recv", self._message(record, record.sender), comm)
        if _COMPLETES.fullmatch(region):
            self.unnamed += 1
            call.has_slot = True
            completed += [*self._sends, call]
            self._sends = []
        return call

    def _message(self, record: Any, peer: int) -> list[int]:
        place = self._comms.place(self.rank, record.communicator)
        return [peer - place, record.msg_tag, record.msg_length]

    def _open(self, request: int, call: Call) -> Call:
        call.has_slot = True
        self._requests.start(request, call)
        return call

    def _complete(self, kind: str, record: Any, completed: list[Call]) -> None:
        call = self._requests.completed(record.request_id)
        if call is None:
            return
        if kind == "MpiIrecv":
            call.arguments = self._message(record, record.sender)
            call.comm = self._comms.number(self.rank, record.communicator)
        elif kind == "NonBlockingCollectiveComplete":
            self._collective(record, call)
        if call.name == "comm_create":
            call.has_slot = False
        else:
            completed.append(call)

    def _collective(self, record: Any, call: Call) -> Call:
        """Fills in a collective; its arguments may need those of the other ranks."""
        operation = str(record.collective_op).rpartition(".")[2].lower()
        comm = record.communicator
        call.comm = self._comms.number(self.rank, comm)
        if "handle" in operation or "allocate" in operation:
            if operation.startswith("create") and not call.label.lower().startswith("mpi_win"):
                call.name, call.label, call.arguments = "comm_create", "", [self._made]
            elif call.label.lower() in ("mpi_comm_free", "mpi_comm_disconnect"):
                call.name, call.label, call.arguments = "comm_free", "", [call.comm]
            return call
        call.name, call.label = operation, ""
        root = record.root if isinstance(record.root, int) and record.root >= 0 else 0
        call.arguments = Collective(
            operation,
            comm,
            self._comms.place(self.rank, comm),
            self._comms.size(comm),
            min(root, self._comms.size(comm) - 1),
            record.size_sent,
            record.size_received,
        )
        return call


def _send_name(region: str) -> str:
    """Returns the name of a send by its region, such as MPI_Issend."""
    name = re.sub(r"^mpi_i?", "", region.lower())
    return name if name in ("ssend", "bsend", "rsend") else "send"
