"""The format of a trace by its content, and traces of all formats in ours.

A foreign trace is converted once and kept in the cache folder of the user, by paths, sizes and times of change of
its files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tradewind import core
from tradewind.cache import copy_of, is_kept
from tradewind.errors import ConfigError, TraceError
from tradewind.files import shortened
from tradewind.trace_file import Trace, is_trace, read_trace, write_trace
from tradewind.trace_formats import goal, goal_binary, otf2_archive, simgrid
from tradewind.trace_formats.goal_export import write_goal
from tradewind.trace_formats.perfetto import write_perfetto

# The bytes of a file that tell what it is, and the version of the conversions.
_BEGIN = 2**16
_CONVERSION = 2
_ANCHORS = ("traces.otf2",)
_KNOWN = "those of tradewind, GOAL, SimGrid and OTF2"


@dataclass(frozen=True)
class Format:
    """A format of traces.

    Args:
        name: Its name.
        files: Returns all files of a trace.
        read: Returns the arrays and facts of a trace in our format.
    """

    name: str
    files: Callable[[Path], list[Path]]
    read: Callable[[Path], tuple[dict[str, Any], dict[str, Any]]]


GOAL = Format("GOAL", lambda path: [path], goal.read_goal)
GOAL_BINARY = Format("GOAL (binary)", lambda path: [path], goal_binary.read_goal_binary)
SIMGRID = Format("SimGrid", simgrid.files_of, simgrid.read_simgrid)
OTF2 = Format("OTF2", otf2_archive.files_of, otf2_archive.read_otf2)


def format_of(path: Path) -> Format | None:
    """Returns the format of a foreign trace, and None for our own.

    Raises:
        TraceError: If it has no known format, or cannot be read.
    """
    if is_trace(path):
        return None
    try:
        with path.open("rb") as file:
            begin = file.read(_BEGIN)
    except OSError as error:
        raise TraceError(f"{path}: {error.strerror}") from None
    if otf2_archive.is_otf2(begin):
        return OTF2
    if goal_binary.is_goal_binary(begin):
        return GOAL_BINARY
    # The last line may be cut off.
    text = begin.decode(errors="replace").removeprefix("\ufeff").replace("\r\n", "\n")
    if goal.is_goal(text):
        return GOAL
    if simgrid.is_simgrid(text, path):
        return SIMGRID
    if path.suffix == ".pattern" or "[pattern]" in text.split("\n"):
        raise TraceError(
            f"{path}: is a pattern, no trace: it runs on any number of ranks as program.trace of an experiment"
        )
    what = "is no trace" if begin else "is empty, and no trace"
    raise TraceError(f"{path}: {what}: known are {_KNOWN}")


def as_trace(path: Path) -> Path:
    """Returns a trace in our format: the file itself, or one in the cache that was made of it.

    Args:
        path: A trace in any format; for OTF2 its anchor, or the folder with it.

    Raises:
        TraceError: If it cannot be read or converted.
    """
    path = _anchor(path)
    if path.exists() and not path.is_file():
        raise TraceError(f"{path}: is no regular file")
    found = format_of(path)
    if found is None:
        return path
    target = copy_of(_identity(found, path), path, "traces", ".trace")
    if not is_kept(target):
        try:
            arrays, facts = found.read(path)
        except ConfigError as error:
            raise TraceError(str(error)) from None
        write_trace(target, arrays, facts)
    return target


def read_any(path: Path) -> Trace:
    """Reads a trace in any format into memory.

    Raises:
        TraceError: If it cannot be read.
    """
    return read_trace(as_trace(path))


EXPORTS: dict[str, Callable[[Trace, Path], list[str]]] = {
    "goal": write_goal,
    "perfetto": write_perfetto,
}


def _anchor(path: Path) -> Path:
    """Returns the anchor of a folder of OTF2."""
    for name in _ANCHORS:
        if path.is_dir() and (path / name).is_file():
            return path / name
    return path


def _identity(found: Format, path: Path) -> str:
    parts = [f"{_CONVERSION} {core.load().version} {found.name}"]
    for file in found.files(path):
        try:
            status = file.stat()
        except OSError as error:
            raise TraceError(f"{shortened(str(file))}: {error.strerror}") from None
        parts.append(f"{file.resolve()} {status.st_size} {status.st_mtime_ns}")
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()[:16]
