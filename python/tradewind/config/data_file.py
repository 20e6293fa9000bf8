"""Files that settings name: their paths, and the digests of their contents.

A setting such as `mesh = "sea.nc"` becomes "/home/me/sea.nc#sha256=...": the core opens the path,
and the hash of a run depends on the content alone, wherever the file is. Of a trace the core gets an
unpacked copy, and of a NetCDF-4 file one in a classic format.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from tradewind.config.schema import Section, Table, Where
from tradewind.errors import ConfigError, TraceError
from tradewind.netcdf_file import as_classic, is_classic_copy
from tradewind.trace_file import facts_of, is_unpacked, read_unpacked, source_of, store, unpack

# Readers of traces are imported where they are used, so that runs of other programs start faster.
if TYPE_CHECKING:
    from tradewind.extrapolation.grids import GridRule
    from tradewind.extrapolation.rank_graph import RankGraph
    from tradewind.inspection.collectives import CollectiveRow

# Stands between path and digest; src/tradewind/base/data_file.hpp has it, too.
_MARK = "#sha256="


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
    if "trace" in section and "processes" not in section:
        section = section | _own_process_grid(section, directory)
    resolved = {
        key: _resolved(key, str(value), where, directory, section)
        for key, value in section.items()
        if key in known and known[key].is_file
    }
    if "trace" in resolved:
        merges = section.get("aggregate") is True
        resolved["trace"] = _with_messages(resolved["trace"], where, merges=merges)
    return section | resolved


def with_ranks_in_names(section: Section, known: Table) -> Section:
    """Puts the number of ranks in the place of `{ranks}` in the names of files.

    Args:
        section: Checked keys of a program, `ranks` among them.
        known: What the keys accept.
    """
    files = [
        key for key in section if (key in known and known[key].is_file) or key == "partition_file"
    ]
    if not files:
        return section
    from tradewind.extrapolation.rank_graph import RANKS

    ranks = str(section["ranks"])
    return section | {key: str(section[key]).replace(RANKS, ranks) for key in files}


def content_of(value: object) -> object:
    """Returns what a value says about a run: of a file its digest, of all others themselves."""
    return value.partition(_MARK)[2] if isinstance(value, str) and _MARK in value else value


def path_of(value: object) -> object:
    """Returns the path of a value that names a file, and all other values themselves."""
    return value.partition(_MARK)[0] if isinstance(value, str) else value


def trace_remarks(program: Mapping[str, object]) -> list[str]:
    """Returns lines for people about a trace: faults of the recording, and how many messages are merged.

    Args:
        program: The settings of a program, resolved.

    Raises:
        ConfigError: If the trace cannot be read.
    """
    path = Path(str(path_of(program.get("trace", ""))))
    if not is_unpacked(path):
        return []
    from tradewind.aggregation import aggregation_lines, is_merged, original_of

    numbers = facts_of(path) if is_merged(path) else {}
    merged = (
        [f"program.aggregate: {line}" for line in aggregation_lines(numbers)] if numbers else []
    )
    return [*_doubts(original_of(path)), *merged]


def incomplete_trace(program: Mapping[str, object]) -> str:
    """Returns what is to be said of a deadlock if the program replays a recording that is incomplete; otherwise "".

    Args:
        program: The settings of a program, resolved.
    """
    path = Path(str(path_of(program.get("trace", ""))))
    if not is_unpacked(path):
        return ""
    from tradewind.aggregation import is_merged, original_of

    recorded = original_of(path) if is_merged(path) else path
    if facts_of(recorded).get("complete", True):
        return ""
    return f"{source_of(recorded)} is incomplete: the program ended before MPI_Finalize, so that messages may lack one end"


def trace_collectives(program: Mapping[str, object]) -> list[CollectiveRow]:
    """Returns the collective operations of the trace that a program replays, those with most bytes first.

    Args:
        program: The settings of a program, resolved.

    Returns:
        Nothing for a program without a trace, or with one that is too long to count its calls.
    """
    path = Path(str(path_of(program.get("trace", ""))))
    return list(_collectives(path)) if is_unpacked(path) else []


@cache
def _collectives(unpacked: Path) -> tuple[CollectiveRow, ...]:
    from tradewind.inspection.collectives import collectives_of
    from tradewind.inspection.doubts import MOST_CALLS

    trace = read_unpacked(unpacked, facts_of(unpacked))
    return tuple(collectives_of(trace)) if len(trace.arrays["computed"]) <= MOST_CALLS else ()


@cache
def _doubts(unpacked: Path) -> tuple[str, ...]:
    if not unpacked.exists():
        return ()
    from tradewind.inspection.doubts import doubts_of_replay

    # A pattern has no facts of a recording, but its messages may lack an end on so many ranks.
    try:
        found = doubts_of_replay(read_unpacked(unpacked, facts_of(unpacked)))
    except TraceError as error:
        raise ConfigError(f"{source_of(unpacked)}: {error}") from None
    return tuple(f"{source_of(unpacked)}: {line}" for line in found)


def _resolved(key: str, given: str, where: Where, directory: Path, section: Section) -> str:
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
    if is_unpacked(file) or is_classic_copy(file):
        return f"{file}{_MARK}{known or file.name.partition('.')[0]}"
    if mark and digest != known:
        raise where.error(key, given, f"the file has another content, {_MARK[1:]}{digest}")
    if key == "trace":
        file = _unpacked(file, digest, section, where, directory)
    else:
        file = _classic(file, digest, key, given, where)
    return f"{file}{_MARK}{digest}"


def _own_process_grid(section: Section, directory: Path) -> Section:
    """Returns the process grid of a pattern in two dimensions, by which ranks can be placed."""
    file = directory / str(path_of(section["trace"]))
    try:
        status = file.stat()
        rule = _grid_rule(file, status.st_size, status.st_mtime_ns)
        if rule is None or rule.axes != 2:
            return {}
        return {"processes": list(rule.extents(int(str(section.get("ranks")))))}
    except (OSError, TraceError):
        # Whoever reads the pattern tells what is wrong with it.
        return {}


@cache
def _grid_rule(file: Path, size: int, changed_ns: int) -> GridRule | None:
    """Returns the rule of a pattern, which is read once for all runs; None of other files."""
    from tradewind.extrapolation import is_pattern, load_pattern

    return load_pattern(file).grid if is_pattern(file) else None


def _with_messages(resolved: str, where: Where, *, merges: bool) -> str:
    """Returns an unpacked trace as it is, or with messages that are started together merged."""
    from tradewind.aggregation import is_merged, merged_file

    path, _, digest = resolved.partition(_MARK)
    file = Path(path)
    if is_merged(file) and not merges:
        raise where.error("trace", path, "its messages are merged: aggregate = true")
    if not merges or not file.exists():
        return resolved
    try:
        return f"{merged_file(file)}{_MARK}{digest}"
    except TraceError as error:
        raise where.error("trace", path, str(error).removeprefix(f"{file}: ")) from None


def _in_our_format(file: Path, key: str, given: str, where: Where) -> Path:
    """Returns a trace of another program in our format; patterns and unpacked traces stay as they are."""
    from tradewind.extrapolation import is_pattern
    from tradewind.trace_formats.recognition import as_trace

    if is_unpacked(file) or is_pattern(file):
        return file
    try:
        return as_trace(file)
    except TraceError as error:
        raise where.error(key, given, str(error).removeprefix(f"{file}: ")) from None


@lru_cache(maxsize=4)
def _graph(file: Path, size: int, changed_ns: int, partition: str, ranks: int) -> RankGraph:
    """Reads a graph of ranks, once for all that ask for it."""
    from tradewind.extrapolation.rank_graph import RankGraph

    return RankGraph.read(file, partition, ranks)


def _rank_graph(section: Section, where: Where, directory: Path, ranks: int) -> RankGraph | None:
    """Returns the graph of ranks of a pattern, if one is given."""
    if "graph" not in section:
        if "partition_file" in section:
            raise where.error("partition_file", ..., "is given without a graph")
        return None
    given = str(path_of(section["graph"]))
    file, partition = directory / given, str(section.get("partition_file", ""))
    try:
        status = file.stat()
        return _graph(file, status.st_size, status.st_mtime_ns, partition, ranks)
    except OSError as error:
        raise where.error("graph", given, error.strerror or str(error)) from None
    except ConfigError as error:
        why = str(error).removeprefix(f"{directory / given}: ")
        raise where.error("graph", given, why) from None


def _unpacked(file: Path, digest: str, section: Section, where: Where, directory: Path) -> Path:
    """Returns the unpacked copy of a trace, or what a pattern is on these ranks."""
    from tradewind.extrapolation import (
        expand_for_replay,
        is_pattern,
        load_pattern,
        problem_text,
        read_problem,
    )
    from tradewind.extrapolation.grids import GridError

    given = section.get("processes")
    extents = tuple(given) if isinstance(given, list) else ()
    for key in ("processes", "problem_size", "graph", "partition_file"):
        if key in section and not is_pattern(file):
            why = "a recording keeps its own; a pattern of tradewind extrapolate can have others"
            raise where.error(key, section[key], why)
    ranks = int(str(section.get("ranks")))
    graph = _rank_graph(section, where, directory, ranks)
    try:
        if not is_pattern(file):
            return unpack(file, digest)
        number = f"{digest}-matched-{ranks}{'-' if extents else ''}{'x'.join(map(str, extents))}"
        problem = read_problem(str(section["problem_size"])) if "problem_size" in section else {}
        if problem or graph is not None:
            words = problem_text(problem), "" if graph is None else graph.words
            number += f"-{hashlib.sha256(repr(words).encode()).hexdigest()[:16]}"
        return store(
            number,
            file,
            lambda: expand_for_replay(
                load_pattern(file).with_sizes(problem), ranks, extents, graph
            ),
        )
    except (TraceError, ConfigError) as error:
        if isinstance(error, GridError) and error.words == " x ".join(map(str, extents)):
            raise where.error("processes", list(extents), str(error)) from None
        raise where.error("trace", str(file), str(error).removeprefix(f"{file}: ")) from None


def _classic(file: Path, digest: str, key: str, given: str, where: Where) -> Path:
    """Returns the file, or a copy that the core can read if it is a NetCDF-4 file."""
    try:
        return as_classic(file, digest)
    except ConfigError as error:
        raise where.error(key, given, str(error).removeprefix(f"{file}: ")) from None


@cache
def _digest(path: Path, size: int, changed_ns: int) -> str:
    """Returns 16 hex digits; size and time of change tell when the file is another one."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]
