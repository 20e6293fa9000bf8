"""Archives of OTF2, which Score-P and other tools write, by the package `otf2`.

What an archive says of a call lies between the records that enter and leave its region: the messages that it
sends, receives, starts or completes. Time outside regions of MPI is computation. Score-P's bytes of
collectives count all blocks that leave or reach a rank, so a block is found by division.

Refused are calls of which OTF2 has too little: alltoallv (only its sums), neighbourhood collectives, messages
between groups, MPI calls by several threads of a rank.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

from tradewind import core, extras
from tradewind.errors import Error, TraceError
from tradewind.trace_file import NO_PEER, NONBLOCKING, PERSISTENT, TIMING
from tradewind.trace_formats.clocks import MessageClocks
from tradewind.trace_formats.collective_sizes import Collective, arguments_of
from tradewind.trace_formats.rank_calls import RankCalls

_PS_PER_S = 10**12
_NOT_SAID = re.compile(r"MPI_(I?neighbor_\w+|I?alltoall[vw])(_init|_c)*", re.IGNORECASE)
_ONE_SIDED = re.compile(
    r"MPI_(R?(put|get|accumulate)|get_acc\w+|fetch\w+|compare\w+|win_\w+)", re.IGNORECASE
)
_ON_TIME = re.compile(r"MPI_(test\w*|waitany|waitsome)", re.IGNORECASE)


@dataclass
class _Request:
    slot: int
    call: _Call


@dataclass(eq=False)
class _Call:
    """A call whose arguments may become known later."""

    name: str
    arguments: list[int] | Collective = field(default_factory=list)
    comm: int = 0
    flags: int = 0
    slot: int | None = None
    label: str = ""
    computed: int = 0
    inside: int = 0


def is_otf2(content: bytes) -> bool:
    """Reports whether a file begins like the anchor of an archive."""
    return b"OTF2" in content[:16]


def files_of(path: Path) -> list[Path]:
    """Returns the files of an archive, by its anchor."""
    stem = path.with_suffix("")
    inside = sorted(file for file in stem.rglob("*") if file.is_file()) if stem.is_dir() else []
    return [path, *(file for file in (stem.with_suffix(".def"),) if file.is_file()), *inside]


def read_otf2(path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Reads an archive.

    Returns:
        The arrays of a trace, and its facts.

    Raises:
        Error: If the package `otf2` is missing.
        TraceError: If the archive is damaged, or a call in it cannot be expressed.
    """
    otf2 = extras.need("otf2", "archives of OTF2", "trace")
    extras.need("otf2.reader", "archives of OTF2", "trace")
    try:
        with otf2.reader.open(str(path)) as archive:
            return _convert(otf2, archive, path)
    except Error:
        raise
    except MemoryError:
        raise
    except Exception as error:  # The package raises what its C library finds as many types.
        reason = str(error) or type(error).__name__
        raise TraceError(f"{path}: cannot be read as an archive of OTF2: {reason}") from None


def _convert(otf2: ModuleType, archive: Any, path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    world = _world(otf2, archive, path)
    rank_of = {location: rank for rank, location in enumerate(world)}
    builder = core.load().TraceBuilder(len(world))
    comms = _Communicators(otf2, archive, builder, rank_of)
    scale = _PS_PER_S / archive.timer_resolution
    readers = [_Reader(rank, comms, scale, path) for rank in range(len(world))]
    clocks = MessageClocks()
    for location, event in archive.events:
        if location in rank_of:
            readers[rank_of[location]].read(event)
            _note_time(clocks, comms, rank_of[location], event)
        elif type(event).__name__.startswith("Mpi"):
            raise TraceError(
                f"{path}: thread {location.name} calls MPI; only one thread of a rank may"
            )
    _resolve(readers, path)
    for rank, reader in enumerate(readers):
        reader.emit(RankCalls(builder, rank))
    remark = clocks.remark(scale)
    facts = {"complete": True, "converted_from": "OTF2", "command": path.name}
    return builder.finish(), facts | ({"warnings": [remark]} if remark else {})


def _note_time(clocks: MessageClocks, comms: _Communicators, rank: int, event: Any) -> None:
    """Notes when a message is sent or received."""
    kind = type(event).__name__
    if kind in ("MpiSend", "MpiIsend"):
        own = comms.place(rank, event.communicator)
        clocks.sent((event.communicator, own, event.receiver, event.msg_tag), event.time)
    elif kind in ("MpiRecv", "MpiIrecv"):
        own = comms.place(rank, event.communicator)
        clocks.received((event.communicator, event.sender, own, event.msg_tag), event.time)


def _world(otf2: ModuleType, archive: Any, path: Path) -> list[Any]:
    """Returns the locations of the ranks, in their order."""
    for group in archive.definitions.groups:
        is_of_ranks = group.group_type == otf2.GroupType.COMM_LOCATIONS
        if is_of_ranks and group.paradigm == otf2.Paradigm.MPI and group.members:
            return list(group.members)
    raise TraceError(f"{path}: has no ranks of MPI")


class _Communicators:
    """The communicators of an archive with their numbers on each rank."""

    def __init__(
        self, otf2: ModuleType, archive: Any, builder: Any, rank_of: dict[Any, int]
    ) -> None:
        self.members: dict[Any, list[int]] = {}
        self._numbers: dict[tuple[int, Any], int] = {}
        everybody = list(range(len(rank_of)))
        for comm in archive.definitions.comms:
            if comm.group.group_type == otf2.GroupType.COMM_SELF:
                self._numbers |= {(rank, comm): 1 for rank in everybody}
                continue
            members = [rank_of[one] for one in comm.group.members if one in rank_of]
            self.members[comm] = members
            is_world = members == everybody and comm.name in ("MPI_COMM_WORLD", "MPI_WORLD", "")
            for rank in members:
                number = 0 if is_world else builder.communicator(rank, members)
                self._numbers[rank, comm] = number

    def number(self, rank: int, comm: Any) -> int:
        """Returns the number of a communicator on a rank.

        Raises:
            TraceError: If the rank is not in it, or it joins two groups.
        """
        if (rank, comm) not in self._numbers:
            raise TraceError(
                f"rank {rank} uses {comm.name}: it is not in it, or it joins two groups"
            )
        return self._numbers[rank, comm]

    def place(self, rank: int, comm: Any) -> int:
        """Returns the rank within a communicator."""
        return self.members[comm].index(rank) if comm in self.members else 0

    def size(self, comm: Any) -> int:
        """Returns the number of ranks of a communicator."""
        return len(self.members[comm]) if comm in self.members else 1


class _Reader:
    """Makes calls of the records of one rank."""

    def __init__(self, rank: int, comms: _Communicators, scale: float, path: Path) -> None:
        self.rank = rank
        self.calls: list[_Call] = []
        self._comms = comms
        self._scale = scale
        self._path = path
        self._regions: list[str] = []
        self._records: list[Any] = []
        self._begin: int | None = None
        self._end: int | None = None
        self._computed = 0
        self._requests: dict[int, _Request] = {}
        self._free: list[int] = []
        self._slots = 0

    def read(self, event: Any) -> None:
        """Takes a record."""
        kind = type(event).__name__
        if self._end is None:
            self._end = event.time
        if kind in ("Enter", "Leave"):
            name = event.region.name
            if not name.upper().startswith("MPI_"):
                return
            if kind == "Enter":
                if not self._regions:
                    self._begin = event.time
                self._regions.append(name)
            elif self._regions:
                self._regions.pop()
                if not self._regions:
                    self._close(name, event.time)
        elif kind.startswith(("Mpi", "NonBlockingCollective")):
            self._records.append(event)

    def emit(self, calls: RankCalls) -> None:
        """Hands the calls to the trace."""
        for call in self.calls:
            calls.compute(call.computed)
            arguments = call.arguments
            assert isinstance(arguments, list)
            if call.label:
                arguments = [calls.string(call.label)]
            slot = [] if call.slot is None else [call.slot]
            calls.call(
                call.name,
                [*arguments, *slot],
                comm=call.comm,
                flags=call.flags | (NONBLOCKING if slot else 0),
                inside=call.inside,
            )
        calls.compute(self._computed)
        calls.finish()

    def _close(self, name: str, time: int) -> None:
        """Makes the calls of a region that is left."""
        assert self._begin is not None and self._end is not None
        self._computed += round((self._begin - self._end) * self._scale)
        inside = round((time - self._begin) * self._scale)
        self._end = time
        records, self._records = self._records, []
        made = list(self._calls_of(name, records))
        if not made:
            self._computed += inside
            return
        made[0].computed, self._computed = self._computed, 0
        made[0].inside = inside
        self.calls += made

    def _calls_of(self, name: str, records: list[Any]) -> Iterator[_Call]:
        if _NOT_SAID.fullmatch(name):
            raise TraceError(
                f"{self._path}: rank {self.rank} calls {name}: OTF2 does not say how many bytes go to"
                " which rank"
            )
        if name.lower().startswith(("mpi_sendrecv", "mpi_isendrecv")):
            yield from self._exchange(records)
            return
        completed: list[int] = []
        for record in records:
            yield from self._call_of(name, record, completed)
        if completed or name.lower().startswith(("mpi_wait", "mpi_test")):
            timing = TIMING if _ON_TIME.fullmatch(name) else 0
            yield _Call("wait", sorted(completed), flags=timing)
            self._free += completed
        elif not records:
            yield from self._without_records(name)

    def _without_records(self, name: str) -> Iterator[_Call]:
        lower = name.lower()
        if lower.startswith(("mpi_init", "mpi_finalize")) and not lower.endswith("ed"):
            yield _Call("init" if lower.startswith("mpi_init") else "finalize")
        elif lower.startswith("mpi_file_"):
            yield _Call("file", [0])
        elif _ONE_SIDED.fullmatch(name):
            yield _Call("other", label=name)

    def _exchange(self, records: list[Any]) -> Iterator[_Call]:
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
            yield _Call("sendrecv", arguments, self._comms.number(self.rank, comm))

    def _call_of(self, region: str, record: Any, completed: list[int]) -> Iterator[_Call]:
        kind = type(record).__name__
        flags = PERSISTENT if region.lower().startswith("mpi_start") else 0
        if kind in ("MpiSend", "MpiIsend"):
            comm = self._comms.number(self.rank, record.communicator)
            call = _Call(_send_name(region), self._message(record, record.receiver), comm, flags)
            if kind == "MpiIsend":
                self._open(record.request_id, call)
            yield call
        elif kind == "MpiRecv":
            comm = self._comms.number(self.rank, record.communicator)
            yield _Call("recv", self._message(record, record.sender), comm)
        elif kind == "MpiIrecvRequest":
            call = _Call("recv", [NO_PEER, 0, 0], flags=flags)
            self._open(record.request_id, call)
            yield call
        elif kind == "NonBlockingCollectiveRequest":
            call = _Call("other", label=region)
            self._open(record.request_id, call)
            yield call
        elif kind in ("MpiIrecv", "MpiIsendComplete", "NonBlockingCollectiveComplete"):
            self._complete(kind, record, completed)
        elif kind == "MpiRequestCancelled":
            request = self._requests.pop(record.request_id, None)
            if request is not None:
                completed.append(request.slot)
        elif kind == "MpiCollectiveEnd":
            yield self._collective(record, _Call("other", label=region))

    def _message(self, record: Any, peer: int) -> list[int]:
        place = self._comms.place(self.rank, record.communicator)
        return [peer - place, record.msg_tag, record.msg_length]

    def _open(self, request: int, call: _Call) -> None:
        if self._free:
            call.slot = min(self._free)
            self._free.remove(call.slot)
        else:
            call.slot, self._slots = self._slots, self._slots + 1
        self._requests[request] = _Request(call.slot, call)

    def _complete(self, kind: str, record: Any, completed: list[int]) -> None:
        request = self._requests.pop(record.request_id, None)
        if request is None:
            return
        completed.append(request.slot)
        if kind == "MpiIrecv":
            request.call.arguments = self._message(record, record.sender)
            request.call.comm = self._comms.number(self.rank, record.communicator)
        elif kind == "NonBlockingCollectiveComplete":
            self._collective(record, request.call)

    def _collective(self, record: Any, call: _Call) -> _Call:
        """Fills in a collective; its arguments may need those of the other ranks."""
        operation = str(record.collective_op).rpartition(".")[2].lower()
        comm = record.communicator
        call.comm = self._comms.number(self.rank, comm)
        if "handle" in operation or "allocate" in operation:
            if operation.startswith("create") and not call.label.lower().startswith("mpi_win"):
                call.name, call.label, call.arguments = "comm_create", "", [call.comm]
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


def _resolve(readers: list[_Reader], path: Path) -> None:
    """Finds the arguments of collectives, of which some need the sizes of all ranks."""
    instances: dict[tuple[Any, int], list[Collective]] = {}
    for reader in readers:
        counts: dict[Any, int] = {}
        for call in reader.calls:
            if isinstance(call.arguments, Collective):
                key = call.arguments.comm
                counts[key] = counts.get(key, 0) + 1
                instances.setdefault((key, counts[key]), []).append(call.arguments)
    found: dict[int, list[int]] = {}
    for parts in instances.values():
        parts.sort(key=lambda part: part.place)
        for part in parts:
            try:
                found[id(part)] = arguments_of(part, parts)
            except ValueError as error:
                raise TraceError(f"{path}: {part.operation}: {error}") from None
    for reader in readers:
        for call in reader.calls:
            if isinstance(call.arguments, Collective):
                call.arguments = found[id(call.arguments)]
