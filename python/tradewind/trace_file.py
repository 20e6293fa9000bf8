"""Traces as files: a ZIP archive of NumPy arrays, which anybody can read with `numpy.load`.

`src/tradewind/trace/arrays.def` says what the arrays hold. Beside them are `trace.json`, with facts of the
recording, and `strings`, the bytes of all texts. The core reads an unpacked copy, which is kept in the
cache folder of the user.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from tradewind import core
from tradewind.cache import copy_of, is_kept, make_room, original_name
from tradewind.errors import TraceError
from tradewind.files import write_atomically, write_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]

# Flags of an event, as src/tradewind/trace/call.hpp has it.
WILDCARD, TIMING, NONBLOCKING, PERSISTENT = 1, 2, 4, 8
# All flags, with those of an exclusive lock (16) and of a promise that nothing is in the way (32).
ALL_FLAGS = 63
# The peer of a message to or from MPI_PROC_NULL.
NO_PEER = int(np.iinfo(np.int64).min)
FORMAT, VERSION = "tradewind-trace", 1
_FACTS, _STRINGS = "trace.json", "strings"
_MAGIC = b"TWTRACE1"
_ZIP = b"PK\x03\x04"
# Damaged archives may pretend to hold anything.
_MOST_BYTES = 2**40
_MOST_FACTS = 2**24
_ENDING = ".trace-unpacked"


@dataclass(frozen=True, eq=False)
class Trace:
    """A recorded program.

    Args:
        facts: What is known of the recording: `ranks`, `complete`, `command`, `library`, `recorded`, `warnings`.
        arrays: The arrays by name, of 64-bit integers.
        strings: All texts: call sites, phases.
    """

    facts: Mapping[str, Any]
    arrays: Mapping[str, Numbers]
    strings: tuple[str, ...]

    @classmethod
    def of(cls, arrays: Mapping[str, Any], facts: Mapping[str, Any] | None = None) -> Trace:
        """Makes a trace from what `TraceBuilder.finish` returns."""
        text, places = bytes(arrays[_STRINGS]), np.asarray(arrays["string_first"]).tolist()
        strings = [
            text[begin:end].decode(errors="replace") for begin, end in itertools.pairwise(places)
        ]
        numbers = {name: np.asarray(arrays[name]) for name in core.load().trace_arrays()}
        return cls(facts or {}, numbers, tuple(strings))

    @property
    def ranks(self) -> int:
        """The number of ranks."""
        return len(self.arrays["stream"])

    def items_of(self, rank: int) -> tuple[Numbers, int]:
        """Returns value and length of each item of a rank, and the place of their times."""
        stream = int(self.arrays["stream"][rank])
        first, end = self.arrays["stream_first"][stream : stream + 2].tolist()
        return self.arrays["items"].reshape(-1, 2)[first:end], int(self.arrays["time_first"][rank])

    def members(self, rank: int, comm: int) -> Numbers:
        """Returns the ranks of a communicator of a rank."""
        group = int(self.arrays["comm_group"][self.arrays["comm_first"][rank] + comm])
        first, end = self.arrays["group_first"][group : group + 2].tolist()
        return self.arrays["group_ranks"][first:end]

    @cached_property
    def calls(self) -> tuple[str, ...]:
        """The names of the calls, by the numbers that events have."""
        return tuple(name for name, _ in core.load().trace_calls())


def command_text(facts: Mapping[str, Any]) -> str:
    """Returns the command that was recorded, in one line; empty if it is not known.

    Args:
        facts: The facts of the trace.
    """
    command = facts.get("command") or ""
    return " ".join(map(str, command)) if isinstance(command, list) else str(command)


def write_trace(path: Path, arrays: Mapping[str, Any], facts: Mapping[str, Any]) -> None:
    """Writes a trace atomically.

    Args:
        path: The file.
        arrays: What `TraceBuilder.finish` returns.
        facts: What is known of the recording; format, version and ranks are added.

    Raises:
        Error: If it cannot be written.
    """
    known = {"format": FORMAT, "version": VERSION, "ranks": len(arrays["stream"]), **facts}

    def fill(file: IO[bytes]) -> None:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=6) as archive:
            archive.writestr(_entry(_FACTS), json.dumps(known, indent=1))
            archive.writestr(_entry(_STRINGS), bytes(arrays["strings"]))
            for name in core.load().trace_arrays():
                with archive.open(_entry(f"{name}.npy"), "w", force_zip64=True) as member:
                    np.lib.format.write_array(
                        member, np.ascontiguousarray(arrays[name], "<i8"), allow_pickle=False
                    )

    write_atomically(path, fill)


def _entry(name: str) -> zipfile.ZipInfo:
    """Returns an entry without a time, so that equal traces are equal files."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def is_trace(path: Path) -> bool:
    """Reports whether a file is a trace in our format, whole or damaged."""
    try:
        with path.open("rb") as file:
            return file.read(2) == b"PK"
    except OSError:
        return False


def read_facts(path: Path) -> dict[str, Any]:
    """Reads what is known of a recording.

    Raises:
        TraceError: If the file cannot be read, is no trace, or of a newer version.
    """
    with _opened(path) as archive:
        return _facts(archive, path)


def read_trace(path: Path) -> Trace:
    """Reads a trace into memory.

    Raises:
        TraceError: If the file cannot be read, is no trace, of a newer version, or damaged.
    """
    unpacked = unpack(path)
    with _opened(path) as archive:
        facts = _facts(archive, path)
    return read_unpacked(unpacked, facts)


def read_unpacked(path: Path, facts: Mapping[str, Any] | None = None) -> Trace:
    """Reads an unpacked trace, whose content has been checked.

    Raises:
        TraceError: If the file cannot be read.
    """
    names = core.load().trace_arrays()
    try:
        memory = np.memmap(path, np.uint8, "r")
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None
    table = memory[8 : 8 + 16 * (len(names) + 1)].view("<i8").reshape(-1, 2)
    parts = [memory[begin : begin + size] for begin, size in table.tolist()]
    arrays: dict[str, Any] = {
        name: part.view("<i8") for name, part in zip(names, parts, strict=False)
    }
    return Trace.of(arrays | {_STRINGS: parts[-1].tobytes()}, facts)


def unpack(path: Path, digest: str | None = None) -> Path:
    """Unpacks a trace for the core, once for each content.

    Args:
        path: The trace.
        digest: A name for its content; default: made of its path, size and time of change.

    Returns:
        The unpacked file, in the cache folder of the user. It has been checked.

    Raises:
        TraceError: If the file cannot be read, is no trace, of a newer version, or damaged.
        Error: If there is no space for the unpacked file.
    """
    if digest is None:
        digest = f"{zlib.crc32(_identity(path)):08x}{zlib.adler32(_identity(path)):08x}"
    target = _unpacked_file(digest, path)
    if is_kept(target, facts_file(target)) and facts_file(target).exists():
        return target
    with _opened(path) as archive:
        facts = _facts(archive, path)
        names = [f"{name}.npy" for name in core.load().trace_arrays()]
        sizes = [_array_bytes(archive, name, path) for name in names]
        sizes.append(_member(archive, _STRINGS, path).file_size)
        if sizes[names.index("stream.npy")] != 8 * facts["ranks"]:
            raise TraceError(
                f"{path}: has calls of {sizes[names.index('stream.npy')] // 8} ranks, but its"
                f" {_FACTS} says {facts['ranks']}"
            )
        _check_room(target, sizes)
        write_atomically(target, lambda file: _fill(file, archive, names, sizes, path))
    _check(target, path)
    write_text(facts_file(target), json.dumps(facts))
    return target


def facts_file(unpacked: Path) -> Path:
    """Returns the place beside an unpacked trace where the facts of its recording are kept."""
    return unpacked.with_name(f"{unpacked.name}.facts")


def facts_of(unpacked: Path) -> dict[str, Any]:
    """Returns what is known of the recording of an unpacked trace; empty if it is none of a file."""
    try:
        return dict(json.loads(facts_file(unpacked).read_text()))
    except (OSError, ValueError):
        return {}


def _check(target: Path, path: Path) -> None:
    """Checks an unpacked file, and removes it if it is damaged; `path` is what an error names."""
    try:
        core.load().check_trace(str(target))
    except TraceError as error:
        target.unlink(missing_ok=True)
        reason = str(error).removeprefix(f"{target}: ")
        raise TraceError(f"{path}: {reason}") from None


def _unpacked_file(digest: str, source: Path) -> Path:
    """Returns the place of an unpacked trace; errors of the core name the file that it was made from."""
    return copy_of(digest, source, "traces", _ENDING)


def store(digest: str, source: Path, make: Callable[[], Mapping[str, Any]]) -> Path:
    """Writes a trace unpacked, for the core, unless it is there.

    Args:
        digest: A name for its content, without a point.
        source: The file that it was made from.
        make: Returns what `TraceBuilder.finish` returns.

    Returns:
        The file, in the cache folder of the user. It has been checked.

    Raises:
        TraceError: If the arrays do not fit each other.
        Error: If there is no space for the file.
    """
    target = _unpacked_file(digest, source)
    if is_kept(target, facts_file(target)):
        return target
    arrays = make()
    parts = [
        np.ascontiguousarray(arrays[one], "<i8").tobytes() for one in core.load().trace_arrays()
    ]
    parts.append(bytes(arrays[_STRINGS]))

    def fill(file: IO[bytes]) -> None:
        _write_table(file, [len(part) for part in parts])
        for part in parts:
            file.write(part + bytes(-len(part) % 8))

    _check_room(target, [len(part) for part in parts])
    write_atomically(target, fill)
    _check(target, source)
    return target


def is_unpacked(path: Path) -> bool:
    """Reports whether a path is that of an unpacked trace, whose name is the digest of its content."""
    return path.name.endswith(_ENDING)


def source_of(path: Path) -> str:
    """Returns the name of the file that an unpacked trace was made from."""
    return original_name(path, _ENDING)


def _identity(path: Path) -> bytes:
    try:
        status = path.stat()
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None
    return f"{path.resolve()} {status.st_size} {status.st_mtime_ns}".encode()


def _is_cut_off(path: Path) -> bool:
    """Reports whether a file begins as an archive, and ends before the table of what is in it."""
    try:
        with path.open("rb") as file:
            return _ZIP.startswith(file.read(len(_ZIP))) and not zipfile.is_zipfile(path)
    except OSError:
        return False


@contextlib.contextmanager
def _opened(path: Path) -> Iterator[zipfile.ZipFile]:
    """Opens the archive; whatever is wrong with it becomes a TraceError."""
    try:
        with zipfile.ZipFile(path) as archive:
            yield archive
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror or error}") from None
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,
        RuntimeError,
        struct.error,
        ValueError,
    ) as error:
        if isinstance(error, TraceError):
            raise
        if isinstance(error, zipfile.BadZipFile) and _is_cut_off(path):
            raise TraceError(
                f"{path}: is cut off: the end of the archive is missing; copy the trace again, or record it again"
            ) from None
        raise TraceError(f"{path}: is no trace, or a damaged one: {error}") from None


def _member(archive: zipfile.ZipFile, name: str, path: Path) -> zipfile.ZipInfo:
    try:
        return archive.getinfo(name)
    except KeyError:
        raise TraceError(f"{path}: is no trace, or a damaged one: it has no {name}") from None


def _refused(constant: str) -> object:
    raise ValueError(f"{_FACTS} holds {constant}")


def _facts(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    if _member(archive, _FACTS, path).file_size > _MOST_FACTS:
        raise TraceError(f"{path}: {_FACTS} is too large")
    facts = json.loads(archive.read(_FACTS), parse_constant=_refused)
    if not isinstance(facts, dict) or facts.get("format") != FORMAT:
        raise TraceError(f"{path}: is no trace of tradewind")
    version = facts.get("version")
    if version != VERSION:
        raise TraceError(
            f"{path}: is a trace of version {version}; this tradewind reads version {VERSION}"
        )
    ranks = facts.get("ranks")
    if not isinstance(ranks, int) or isinstance(ranks, bool) or ranks < 1:
        raise TraceError(f"{path}: {_FACTS} does not say how many ranks it has")
    return facts


def _header(member: IO[bytes], name: str, path: Path) -> int:
    """Reads the header of an array; returns the number of its entries."""
    version = np.lib.format.read_magic(member)
    read = (
        np.lib.format.read_array_header_1_0
        if version == (1, 0)
        else np.lib.format.read_array_header_2_0
    )
    shape, _, kind = read(member)
    if len(shape) != 1 or kind != np.dtype("<i8"):
        raise TraceError(f"{path}: {name} is no list of 64-bit integers")
    return int(shape[0])


def _array_bytes(archive: zipfile.ZipFile, name: str, path: Path) -> int:
    whole = _member(archive, name, path).file_size
    with archive.open(name) as member:
        size = 8 * _header(member, name, path)
    if size > whole:
        raise TraceError(f"{path}: {name} is cut off")
    return size


def _check_room(target: Path, sizes: list[int]) -> None:
    if sum(sizes) > _MOST_BYTES:
        raise TraceError(f"{target.name}: the trace pretends to hold {sum(sizes)} bytes")
    make_room(target, sum(sizes))


def _fill(
    file: IO[bytes], archive: zipfile.ZipFile, names: list[str], sizes: list[int], path: Path
) -> None:
    """Writes the unpacked file: its table, then arrays and strings at multiples of 8 bytes."""
    _write_table(file, sizes)
    for name, size in zip([*names, _STRINGS], sizes, strict=True):
        with archive.open(name) as member:
            if name != _STRINGS:
                _header(member, name, path)
            left = size
            while left:
                block = member.read(min(left, 2**22))
                if not block:
                    raise TraceError(f"{path}: {name} is cut off")
                file.write(block)
                left -= len(block)
        file.write(bytes(-size % 8))


def _write_table(file: IO[bytes], sizes: list[int]) -> None:
    begin = len(_MAGIC) + 16 * len(sizes)
    table = []
    for size in sizes:
        table.append((begin, size))
        begin += -(-size // 8) * 8
    file.write(_MAGIC)
    file.write(np.asarray(table, np.int64).tobytes())
