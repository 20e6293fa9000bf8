"""Files that settings name: their paths, and the digests of their contents.

A setting such as `mesh = "sea.nc"` becomes "/home/me/sea.nc#sha256=...": the core opens the path,
and the hash of a run depends on the content alone, wherever the file is. Of a trace the core gets an
unpacked copy.
"""

from __future__ import annotations

import hashlib
import stat
from functools import cache
from pathlib import Path

from tradewind.aggregation import aggregate
from tradewind.config.schema import Section, Table, Value, Where
from tradewind.errors import ConfigError, TraceError
from tradewind.extrapolation import expand, is_pattern, load_pattern
from tradewind.trace_file import is_unpacked, read_unpacked, source_of, store, unpack
from tradewind.trace_formats.recognition import as_trace

# Stands between path and digest; src/tradewind/base/data_file.hpp has it, too.
_MARK = "#sha256="
# Ends the number of an unpacked trace whose messages are merged.
_MERGED = "-merged"


def resolve_files(section: Section, known: Table, where: Where, directory: Path) -> Section:
    """Puts path and digest in the place of the names of files.

    Args:
        section: Checked keys.
        known: What the keys accept.
        where: Their place, for messages.
        directory: The folder that relative paths start from.

    Raises:
        ConfigError: If a file cannot be read.
    """
    resolved = {
        key: _resolved(key, str(value), where, directory, section.get("ranks"))
        for key, value in section.items()
        if key in known and known[key].is_file
    }
    if "trace" in resolved:
        is_merged = section.get("aggregate") is True
        resolved["trace"] = _with_messages(resolved["trace"], is_merged, where)
    return section | resolved


def content_of(value: object) -> object:
    """Returns what a value says about a run: of a file its digest, of all others themselves."""
    return value.partition(_MARK)[2] if isinstance(value, str) and _MARK in value else value


def path_of(value: object) -> object:
    """Returns the path of a value that names a file, and all other values themselves."""
    return value.partition(_MARK)[0] if isinstance(value, str) else value


def _resolved(key: str, given: str, where: Where, directory: Path, ranks: Value | None) -> str:
    path, mark, known = given.partition(_MARK)
    file = (directory / path).resolve()
    if mark and not file.exists():
        return given
    if key == "trace":
        file = _in_our_format(file, key, given, where)
    try:
        status = file.stat()
        if not stat.S_ISREG(status.st_mode):
            raise where.error(key, given, "is no regular file")
        digest = _digest(file, status.st_size, status.st_mtime_ns)
    except OSError as error:
        raise where.error(key, given, error.strerror or str(error)) from None
    if is_unpacked(file):
        return f"{file}{_MARK}{known or file.name.partition('.')[0]}"
    if mark and digest != known:
        raise where.error(key, given, f"the file has another content, {_MARK[1:]}{digest}")
    if key == "trace":
        file = _unpacked(file, digest, ranks, where)
    return f"{file}{_MARK}{digest}"


def _with_messages(resolved: str, is_merged: bool, where: Where) -> str:
    """Returns an unpacked trace as it is, or with messages that are started together merged."""
    path, _, digest = resolved.partition(_MARK)
    file = Path(path)
    number, _, _ = file.name.partition(".")
    if number.endswith(_MERGED) and not is_merged:
        raise where.error("trace", path, "its messages are merged: aggregate = true")
    if not is_merged or number.endswith(_MERGED) or not file.exists():
        return resolved
    try:
        source = file.with_name(source_of(file))
        merged = store(number + _MERGED, source, lambda: aggregate(read_unpacked(file)).arrays)
    except TraceError as error:
        raise where.error("trace", path, str(error).removeprefix(f"{file}: ")) from None
    return f"{merged}{_MARK}{digest}"


def _in_our_format(file: Path, key: str, given: str, where: Where) -> Path:
    """Returns a trace of another program in our format; patterns and unpacked traces stay as they are."""
    if is_unpacked(file) or is_pattern(file):
        return file
    try:
        return as_trace(file)
    except TraceError as error:
        raise where.error(key, given, str(error).removeprefix(f"{file}: ")) from None


def _unpacked(file: Path, digest: str, ranks: Value | None, where: Where) -> Path:
    """Returns the unpacked copy of a trace, or what a pattern is on that many ranks."""
    try:
        if is_pattern(file):
            return store(
                f"{digest}-{ranks}", file, lambda: expand(load_pattern(file), int(str(ranks)))
            )
        return unpack(file, digest)
    except (TraceError, ConfigError) as error:
        raise where.error("trace", str(file), str(error).removeprefix(f"{file}: ")) from None


@cache
def _digest(path: Path, size: int, changed_ns: int) -> str:
    """Returns 16 hex digits; size and time of change tell when the file is another one."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
