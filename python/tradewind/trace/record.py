"""Recording of an MPI program: runs it with the recorder preloaded, and makes a trace of its calls."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import threading
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import FrameType
from typing import Any

from tradewind import core
from tradewind.errors import ConfigError, Error, TraceError
from tradewind.files import check_folder, check_is_no_input, is_special, write_error
from tradewind.trace import call_sites
from tradewind.trace.recorder import SOURCES, built_recorder
from tradewind.trace.shares import share_of_mpi
from tradewind.trace.variation import remarks_on_variation
from tradewind.trace.wrappers import read_table
from tradewind.trace_file import write_trace
from tradewind.units import seconds_text

_FOLDER = "TRADEWIND_RECORD"
_THREADS_MULTIPLE = "MPI_THREAD_MULTIPLE"
# Functions that are recorded unless a trace cannot hold what has made their requests.
_ABOUT_REQUESTS = re.compile(r"MPI_((Wait|Test)(all|any|some)?|Start(all)?|Request_free|Cancel)")
# Processor time of other threads is told from so many seconds of each rank, and so large a share of that of MPI's
# thread, on. Libraries such as OpenBLAS start threads that compute for a tenth of a second.
_LEAST_OF_OTHERS_S, _LEAST_SHARE_OF_OTHERS = 0.2, 0.1
# Files that the recorder leaves in the folder besides those of ranks.
_NOTES = ("other-library", "no-files", "spawned", "other-program")
_ENDS = {
    "recording": "ended without MPI_Finalize",
    "aborted": "called MPI_Abort",
    "disk_full": "ran out of disk space for the recording",
    "cannot_write": "could not write the recording",
    "lost": "had written more calls than are in the file of events",
    "cut": "posted a receive that was never complete; later calls are left out",
}


@dataclass(frozen=True)
class Recording:
    """A finished recording.

    Args:
        path: The trace.
        status: The exit status of the command.
        facts: What is known of it, as the trace has it.
        totals: Sums over the ranks: calls, messages, bytes, inside_ps, computed_ps.
        mpi_share: The mean share of MPI in the time from the end of MPI_Init to MPI_Finalize.
    """

    path: Path
    status: int
    facts: Mapping[str, Any]
    totals: Mapping[str, int]
    mpi_share: float


def record(
    command: Sequence[str],
    output: Path | None,
    mpicc: str | None = None,
    keep_raw: bool = False,
    sizes: Mapping[str, int] | None = None,
) -> Recording:
    """Runs a command, records what its processes call of MPI, and writes a trace.

    Args:
        command: The words of the command, such as ["mpiexec", "-n", "16", "./my_model"].
        output: The trace, whose folder is made if need be; by default it is named as the program and lies in the
            current folder.
        mpicc: The C compiler of the program's MPI, if it cannot be found.
        keep_raw: Keep the raw files, in a folder beside the trace.
        sizes: The sizes of the problem by name, which the trace tells `tradewind extrapolate`.

    Raises:
        ConfigError: If there is no such command or no compiler, or nothing was recorded.
        TraceError: If the raw files are damaged, as on a disk that was full from the start; they are then kept.
        Error: If the trace cannot be written; the raw files are then kept, too, and `collect` reads them.
    """
    if shutil.which(command[0]) is None:
        raise ConfigError(f"record: there is no program {command[0]} that could be started")
    output = output or Path(f"{_program_name(command)}.trace")
    folder = output.absolute().parent
    check_folder(folder)
    _check_output(output)
    check_is_no_input(output, map(Path, command))
    library = built_recorder(command, mpicc)
    # Beside the trace, because all nodes of a job see that folder.
    raw = _made_folder(output, folder)
    kept, kept_raw = keep_raw, output.with_name(f"{output.name}.raw")
    try:
        status = _run(command, library, raw)
        return _collected(command, output, raw, status, sizes)
    except ConfigError:
        raise
    except TraceError as error:
        # Another reading would find the same.
        kept = True
        raise TraceError(f"{error}; the raw files are kept in {kept_raw}") from None
    except Error as error:
        kept = True
        raise type(error)(
            f"{error}; tradewind record --collect {kept_raw} reads the raw files"
        ) from None
    finally:
        if kept:
            _keep(raw, kept_raw)
        else:
            shutil.rmtree(raw, ignore_errors=True)


def collect(raw: Path, output: Path | None, sizes: Mapping[str, int] | None = None) -> Recording:
    """Makes a trace of raw files that were left, since `tradewind record` itself was killed.

    Args:
        raw: Their folder, which is kept.
        output: The trace; by default it has the name of the folder.
        sizes: The sizes of the problem by name.

    Raises:
        ConfigError: If the folder holds no raw files.
        TraceError: If they are damaged.
    """
    if not any(raw.glob("definitions.*")):
        raise ConfigError(f"record: {raw} holds no raw files, which are named definitions.RANK")
    name = raw.name.strip(".").removesuffix(".raw")
    output = output or Path(name).with_suffix(".trace")
    _check_output(output)
    return _collected((), output, raw, 0, sizes)


def _check_output(output: Path) -> None:
    """Refuses a device or a pipe, beside which no raw files can lie."""
    if is_special(output):
        raise ConfigError(f"record: {output} is no regular file; expected a path for a trace")


def _made_folder(output: Path, folder: Path) -> Path:
    """Returns a new folder for raw files, in that of the trace, which is made if need be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        return Path(tempfile.mkdtemp(prefix=f".{output.name}-", dir=folder))
    except OSError as error:
        raise write_error(output, error) from None


def _keep(raw: Path, folder: Path) -> None:
    """Moves the raw files to where users see them."""
    shutil.rmtree(folder, ignore_errors=True)
    raw.replace(folder)


def _program_name(command: Sequence[str]) -> str:
    """Returns the name of the program in a command: of a script, or of a file that is no launcher."""
    for word in command:
        if word.endswith(".py"):
            return Path(word).stem
    files = [word for word in command[1:] if Path(word).is_file() and os.access(word, os.X_OK)]
    named = [word for word in files if not Path(word).name.startswith("python")]
    return Path(named[0] if named else command[0]).name


def _run(command: Sequence[str], library: Path, raw: Path) -> int:
    """Runs the command with the recorder preloaded; it has the terminal, and hears Ctrl-C itself."""
    before = os.environ.get("LD_PRELOAD")
    preload = f"{library}:{before}" if before else str(library)
    environment = {**os.environ, "LD_PRELOAD": preload, _FOLDER: str(raw)}
    try:
        process = subprocess.Popen(command, env=environment)
    except OSError as error:
        raise ConfigError(f"record: {command[0]}: {error.strerror}") from None
    before_end = _forward_end(process)
    try:
        status = process.wait()
    except KeyboardInterrupt:
        status = _ended(process)
    finally:
        if before_end is not None:
            signal.signal(signal.SIGTERM, before_end)
    return 128 - status if status < 0 else status


def _forward_end(process: subprocess.Popen[bytes]) -> Any:
    """Passes SIGTERM on to the command, so that what was recorded can be kept; returns the old handler."""
    if threading.current_thread() is not threading.main_thread():
        return None

    def answer(number: int, frame: FrameType | None) -> None:
        process.terminate()
        interrupt = signal.getsignal(signal.SIGINT)
        if callable(interrupt):
            interrupt(number, frame)

    return signal.signal(signal.SIGTERM, answer)


def _ended(process: subprocess.Popen[bytes]) -> int:
    """Waits for a command that has heard Ctrl-C as well; a second one ends it."""
    try:
        return process.wait(timeout=10)
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        process.send_signal(signal.SIGTERM)
    try:
        return process.wait(timeout=5)
    except (KeyboardInterrupt, subprocess.TimeoutExpired):
        process.kill()
        return process.wait()


def _collected(
    command: Sequence[str],
    output: Path,
    raw: Path,
    status: int,
    sizes: Mapping[str, int] | None,
) -> Recording:
    notes = {name: _lines(raw / name) for name in _NOTES}
    if not any(raw.glob("definitions.*")):
        raise ConfigError(f"record: nothing was recorded: {_why(command, notes, status)}")
    loaded = core.load()
    sites = call_sites.named(loaded.raw_sites(str(raw)))
    try:
        arrays, ranks = loaded.read_raw(str(raw), sites)
    except TraceError as error:
        if notes["other-program"]:
            raise TraceError(
                f"{error}: the command ran several MPI programs; record one at a time"
            ) from None
        raise
    count = len(arrays["stream"])
    facts = _facts(command, status, count, ranks, notes)
    if sizes:
        facts["sizes"] = dict(sizes)
    facts["warnings"] += remarks_on_variation(arrays, ranks)
    write_trace(output, arrays, facts)
    keys = ("calls", "messages", "bytes", "inside_ps", "computed_ps")
    totals = {key: sum(rank[key] for rank in ranks) for key in keys}
    return Recording(output, status, facts, totals, share_of_mpi(arrays))


def _lines(path: Path) -> list[str]:
    return path.read_text(errors="replace").splitlines() if path.exists() else []


def _why(command: Sequence[str], notes: Mapping[str, list[str]], status: int) -> str:
    words = shlex.join(command)
    if notes["other-library"]:
        return f"{words} uses {notes['other-library'][0].split(',')[0]}; --mpicc names its compiler"
    if notes["no-files"]:
        return notes["no-files"][0]
    ended = f", or ended in MPI_Init; its status is {status}" if status else ""
    return f"{words} called MPI_Init in no process that loads a shared library of MPI{ended}"


def _facts(
    command: Sequence[str],
    status: int,
    count: int,
    ranks: Sequence[Mapping[str, Any]],
    notes: Mapping[str, list[str]],
) -> dict[str, Any]:
    """Returns what a trace says of its recording."""
    ends = Counter(_end(rank) for rank in ranks)
    del ends["finished"]
    missing = count - len(ranks)
    functions = sum((Counter(rank["functions"]) for rank in ranks), Counter())
    return {
        "ranks": count,
        "complete": not ends and not missing,
        "command": list(command),
        "exit_status": status,
        "library": ranks[0]["facts"].get("library", ""),
        "hosts": sorted({rank["facts"].get("host", "") for rank in ranks}),
        "recorded": datetime.now(UTC).isoformat(timespec="seconds"),
        "functions": dict(sorted(functions.items())),
        "failed_tests": sum(rank["failed_tests"] for rank in ranks),
        "warnings": [
            *_incomplete(ends, missing),
            *_not_recorded(functions, ranks, notes),
            *_other_threads(ranks),
        ],
    }


def _other_threads(ranks: Sequence[Mapping[str, Any]]) -> list[str]:
    """Says that threads other than those that call MPI have computed, which replays leave out."""
    pairs = [rank["facts"].get("processor_ns", "0 0").split() for rank in ranks]
    of_all, of_one = (sum(int(pair[place]) for pair in pairs) / 1e9 for place in range(2))
    others = of_all - of_one
    if others < max(len(ranks) * _LEAST_OF_OTHERS_S, _LEAST_SHARE_OF_OTHERS * of_one):
        return []
    return [
        f"other threads than those that call MPI computed {seconds_text(others)} beside {seconds_text(of_one)}: "
        'a replay leaves that out, unless computation = "wall"'
    ]


def _end(rank: Mapping[str, Any]) -> str:
    """Returns how the recording of a rank has ended."""
    if rank["status"] != "finished":
        return str(rank["status"])
    if rank["is_cut"]:
        return "cut"
    return "lost" if rank["calls"] < rank["written"] else "finished"


def _incomplete(ends: Mapping[str, int], missing: int) -> list[str]:
    lines = [f"incomplete: {_many(number, 'rank')} {_ENDS[end]}" for end, number in ends.items()]
    return lines + ([f"incomplete: {_many(missing, 'rank')} left no file"] if missing else [])


def _not_recorded(
    functions: Mapping[str, int], ranks: Sequence[Mapping[str, Any]], notes: Mapping[str, list[str]]
) -> list[str]:
    """Says what the program did beyond what a trace can hold."""
    table = read_table((SOURCES / "calls.txt").read_text(encoding="utf-8"))
    known = {*table.functions, *table.own}
    unknown = [
        f"{name} ({number})"
        for name, number in sorted(functions.items())
        if name.removeprefix("MPI_").removesuffix("_c") not in known
    ]
    named_only = sum((Counter(rank["named_only"]) for rank in ranks), Counter())
    about_requests = [
        f"{name} ({number})"
        for name, number in sorted(named_only.items())
        if _ABOUT_REQUESTS.fullmatch(name)
    ]
    foreign = sum(rank["foreign"] for rank in ranks)
    threads = sum(rank["other_threads"] for rank in ranks)
    lines = []
    if unknown:
        lines.append(f"not recorded but as time: {', '.join(unknown)}")
    if foreign:
        lines.append(f"not recorded but as time: {foreign} calls on intercommunicators")
    if about_requests:
        lines.append(
            f"not recorded but as time: {', '.join(about_requests)} "
            "of requests whose start is not recorded"
        )
    if threads:
        lines.append(
            f"not recorded: {threads} calls of other threads than that of MPI_Init "
            f"({_THREADS_MULTIPLE} cannot be recorded)"
        )
    if notes["other-program"]:
        lines.append(
            f"not recorded: {_many(len(notes['other-program']), 'process', 'es')} of another MPI program that "
            "the command ran; record one at a time"
        )
    if notes["spawned"]:
        lines.append(f"not recorded: {_many(len(notes['spawned']), 'spawned process', 'es')}")
    return lines


def _many(number: int, noun: str, ending: str = "s") -> str:
    return f"{number} {noun}{'' if number == 1 else ending}"
