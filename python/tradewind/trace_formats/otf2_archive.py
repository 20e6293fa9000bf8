"""Archives of OTF2, which Score-P and other tools write, by the package `otf2`.

What an archive says of a call lies between the records that enter and leave its region: the messages that it
sends, receives, starts or completes. Time outside regions of MPI is computation. Score-P's bytes of
collectives count all blocks that leave or reach a rank, so a block is found by division.

Refused are calls of which OTF2 has too little: alltoallv (only its sums), neighbourhood collectives, messages
between groups, MPI calls by several threads of a rank.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from contextlib import redirect_stderr
from pathlib import Path
from types import ModuleType
from typing import Any

from tradewind import core, extras
from tradewind.errors import Error, TraceError
from tradewind.trace_formats.clocks import MessageClocks
from tradewind.trace_formats.otf2_communicators import Communicators
from tradewind.trace_formats.otf2_instances import Instances
from tradewind.trace_formats.otf2_messages import without_messages
from tradewind.trace_formats.otf2_rank import RankReader
from tradewind.trace_formats.otf2_requests import completed_requests
from tradewind.trace_formats.rank_calls import RankCalls
from tradewind.units import seconds_text

_PS_PER_S = 10**12
# From so many calls of a rank behind a request on, the archive is searched for requests that are never complete.
_MOST_PENDING = 10_000


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
    complaints = io.StringIO()
    try:
        with (
            redirect_stderr(complaints),
            without_messages(),
            otf2.reader.open(str(path)) as archive,
        ):
            return _convert(otf2, archive, path)
    except Error:
        raise
    except MemoryError:
        raise
    except Exception as error:  # The package raises what its C library finds as many types.
        reason = str(error) or type(error).__name__
        if "GlobalDefReader" in complaints.getvalue():
            reason = "the package otf2 reads no communicators between two groups, or its definitions are damaged"
        raise TraceError(f"{path}: cannot be read as an archive of OTF2: {reason}") from None


def _convert(otf2: ModuleType, archive: Any, path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    world = _world(otf2, archive, path)
    rank_of = {location: rank for rank, location in enumerate(world)}
    builder = core.load().TraceBuilder(len(world))
    comms = Communicators(otf2, archive, builder, rank_of)
    regions = _mpi_regions(otf2, archive)
    scale = _PS_PER_S / archive.timer_resolution
    instances = Instances(path)
    readers = [
        RankReader(rank, comms, scale, path, instances, RankCalls(builder, rank))
        for rank in range(len(world))
    ]
    clocks = MessageClocks()
    is_searched = False
    for location, event in archive.events:
        rank = rank_of.get(location)
        if rank is not None:
            readers[rank].read(event, regions.get(_region_of(event)))
            _note_time(clocks, comms, rank, event)
            if not is_searched and readers[rank].pending > _MOST_PENDING:
                _lose_requests(otf2, path, readers)
                is_searched = True
        elif type(event).__name__.startswith("Mpi"):
            raise TraceError(
                f"{path}: thread {location.name} calls MPI; only one thread of a rank may"
            )
    for reader in readers:
        reader.number()
    instances.close()
    for reader in readers:
        reader.finish()
    remarks = (clocks.remark(scale), *_remarks(readers, instances.doubtful))
    warnings = [line for line in remarks if line]
    facts = {"complete": True, "converted_from": "OTF2", "command": path.name}
    return builder.finish(), facts | ({"warnings": warnings} if warnings else {})


def _lose_requests(otf2: ModuleType, path: Path, readers: Sequence[RankReader]) -> None:
    """Looks through the archive for requests that are never complete, such as those of MPI_PROC_NULL.

    Until that is known, the calls behind them wait in memory.
    """
    with otf2.reader.open(str(path)) as again:
        completed = completed_requests(again.events)
        # Locations of two readers are different objects.
        for reader, location in zip(readers, _world(otf2, again, path), strict=True):
            reader.lose_requests(completed.get(location, bytearray()))


def _region_of(event: Any) -> Any:
    """Returns the region that a record enters or leaves; with call stacks that of its context."""
    context = getattr(event, "calling_context", None)
    return getattr(event if context is None else context, "region", None)


def _mpi_regions(otf2: ModuleType, archive: Any) -> dict[Any, str]:
    """Returns the names of the regions that are calls of MPI.

    Functions of the program may be named like them, such as mpi_exchange. Names are judged only where no
    region says that it is of MPI.
    """
    regions = list(archive.definitions.regions)
    of_mpi = [one for one in regions if one.paradigm == otf2.Paradigm.MPI]
    named = [one for one in regions if one.name.upper().startswith("MPI_")]
    # TAU writes MPI_Send().
    return {one: one.name.partition("(")[0].rstrip() for one in of_mpi or named}


def _remarks(readers: Sequence[RankReader], doubtful: int) -> list[str]:
    """Returns lines for people about what the archive lacks."""
    lines = []
    if doubtful:
        lines.append(
            f"{doubtful} collectives have bytes that fit two sizes of a block, since OTF2 does not say"
            " whether they were in place: that of whole numbers of 8 bytes is taken, and of two such the"
            " smaller one"
        )
    idle = sum(reader.idle_waits for reader in readers)
    if idle:
        lines.append(
            f"{idle} waits complete nothing of the archive: requests with MPI_PROC_NULL, of MPI-IO, or"
            " of calls that it does not have, such as MPI_Isendrecv"
        )
    if any(reader.unnamed for reader in readers):
        lines.append(
            "the archive has no requests of nonblocking messages: each receive is taken as started where"
            " it is completed, and each send as completed with the next receive"
        )
    flushes = sum(reader.flushes for reader in readers)
    if flushes:
        time = seconds_text(sum(reader.flushed_ps for reader in readers) / _PS_PER_S)
        lines.append(
            f"buffers of the recorder were written {flushes} times while the program ran; these {time}"
            " are left out"
        )
    if any(reader.pauses for reader in readers):
        lines.append(
            "the recorder was off for a part of the program: calls of that part are missing"
        )
    return lines


def _note_time(clocks: MessageClocks, comms: Communicators, rank: int, event: Any) -> None:
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
