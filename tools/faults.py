"""Kills, interrupts and starves commands, and checks that they end well and go on to the same results.

Usage: python tools/faults.py [--seconds 60] [--seed 1] [--first 0] [--count N] [--kind NAME]

kill        SIGKILL or SIGINT in mid-sweep; the same command goes on to results that are the same to the last bit
interrupt   SIGINT at a random time to a program or model that would last; status 130 before it is ended
memory      a random `ulimit -v`; refused before it starts, done, or an error in one line
disk        a full disk (a small tmpfs, or a limit of files where that cannot be mounted); what was there is intact

A traceback, a signal, a hang, an error of several lines and a result that differs are faults. Trial number N of a
seed is always the same, but for the time of the machine. The exit status is 1 if there are faults.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from fault_cases import INTERRUPTED, LIMITED, SWEEP, command_of

_HANG_S = 120
# A command that looks for interrupts answers at once; the rest is the time of a busy machine. Those that do not are
# ended after 5 seconds.
_ANSWER_S = 4.5
_MIB = 2**20
# The cost of simulating differs from run to run.
_COSTS = ("wall_s", "cpu_s", "peak_rss_bytes", "memory_bytes", "origin")
_SLOWEST_START_S = 4.0
# A command with a limit of memory that still computes after this time has what it needs.
_LONG_ENOUGH_S = 12.0
_PAUSE_S = 3.0


def _start(
    folder: Path, words: Sequence[str], limit: tuple[int, int] | None = None
) -> subprocess.Popen[bytes]:
    """Starts `tradewind` in a folder, in a process group of its own, with a limit of a resource."""

    def prepare() -> None:
        # A shell lets the jobs in its background ignore it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if limit is not None:
            resource.setrlimit(limit[0], (limit[1], limit[1]))

    return subprocess.Popen(
        [sys.executable, "-m", "tradewind", *words],
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        preexec_fn=prepare,
        start_new_session=True,
    )


def _end(process: subprocess.Popen[bytes]) -> tuple[int, str] | None:
    """Returns status and errors of a process; None if it hangs."""
    try:
        _, told = process.communicate(timeout=_HANG_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None
    return process.returncode, told.decode(errors="replace")


def fault_of(
    end: tuple[int, str] | None, allowed: Sequence[int], most_errors: int = 1
) -> str | None:
    """Returns the fault of an ending, or None.

    Args:
        end: Status and errors; None for a hang.
        allowed: The statuses that are no fault.
        most_errors: The most lines of errors.
    """
    if end is None:
        return "hang"
    status, told = end
    if "Traceback (most recent call last)" in told:
        return "traceback"
    if status < 0:
        return f"ended by {signal.Signals(-status).name}"
    if status not in allowed:
        return f"exit status {status}"
    errors = [line for line in told.splitlines() if "error" in line.lower()]
    if status and not 1 <= len(errors) <= most_errors:
        return f"{len(errors)} lines of errors"
    return None


def most_errors(name: str) -> int:
    """Returns the most lines of errors of a case of LIMITED: one of each process that `mpiexec` starts, and its own."""
    words = LIMITED[name].get("words", [""])
    return 3 if words[0] == "mpiexec" else 1


def _wait_for_work(process: subprocess.Popen[bytes], seconds: float) -> None:
    """Waits until a process and its children have computed for so long, or has ended."""
    end = time.monotonic() + _SLOWEST_START_S + 4 * seconds
    while process.poll() is None and time.monotonic() < end:
        if _processor_seconds(process.pid) > seconds:
            return
        time.sleep(0.02)


def _all_processes() -> dict[int, tuple[int, float]]:
    """Returns the parent and the processor time in seconds of each process."""
    found = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            words = path.read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
            used_s = (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")
            found[int(path.parent.name)] = int(words[1]), used_s
    return found


def children_of(process: int) -> list[int]:
    """Returns the processes that a process has started, and those that they have started."""
    parents = {one: parent for one, (parent, _) in _all_processes().items()}
    family = {process}
    while more := {one for one, of in parents.items() if of in family} - family:
        family |= more
    return sorted(family - {process})


def _processor_seconds(process: int) -> float:
    """Returns the processor time of a process and of all that it has started."""
    known = _all_processes()
    return sum(known[one][1] for one in (process, *children_of(process)) if one in known)


def killed(folder: Path, rng: random.Random) -> str | None:
    """Ends a sweep once or several times in its middle, and lets it go on."""
    whole = _reference()
    (folder / "sweep.toml").write_text(SWEEP, encoding="utf-8")
    words = ["simulate", "sweep.toml", "-o", "out", "--no-plots"]
    for _ in range(rng.randint(1, 3)):
        process = _start(folder, words)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(rng.uniform(0.3, _SLOWEST_START_S))
        number = rng.choice([signal.SIGKILL, signal.SIGINT])
        if process.poll() is None:
            process.send_signal(number)
        end = _end(process)
        fault = fault_of(end, (0, 130))
        if fault not in (None, "ended by SIGKILL"):
            return f"{fault}: {end[1].strip().splitlines()[-3:] if end else ''}"
    fault = fault_of(_end(_start(folder, words)), (0,))
    if fault is not None:
        return f"goes on with {fault}"
    if _content(folder / "out") != whole:
        return "other results after an interruption"
    left = [path.name for path in (folder / "out").rglob(".*") if path.name != ".lock"]
    return f"left behind: {left[0]}" if left else None


_whole: list[dict[str, Any]] = []


def _reference() -> dict[str, Any]:
    """Returns the results of the sweep that nobody interrupts; made once."""
    if not _whole:
        with tempfile.TemporaryDirectory(prefix="tradewind-faults-") as place:
            folder = Path(place)
            (folder / "sweep.toml").write_text(SWEEP, encoding="utf-8")
            end = _end(_start(folder, ["simulate", "sweep.toml", "-o", "out", "--no-plots"]))
            if end is None or end[0] != 0:
                raise RuntimeError(f"faults: the sweep fails by itself: {end}")
            _whole.append(_content(folder / "out"))
    return _whole[0]


def _content(folder: Path) -> dict[str, Any]:
    """Returns all that the runs of a folder give, but for the cost of simulating."""
    content = {}
    for path in (folder / "runs").glob("*.json"):
        record = json.loads(path.read_text(encoding="utf-8"))
        result = {name: value for name, value in record["result"].items() if name not in _COSTS}
        content[path.stem] = [record["status"], record["arrays_sha256"], result]
    return content


def interrupted(folder: Path, rng: random.Random) -> str | None:
    """Interrupts a program or model that would last."""
    name = rng.choice(list(INTERRUPTED))
    fault = interrupt(folder, name, rng.uniform(0.5, 3.0))
    return None if fault is None else f"{name}: {fault}"


def interrupt(folder: Path, name: str, after_s: float) -> str | None:
    """Starts a case of INTERRUPTED, interrupts it after some processor time; returns a fault."""
    process = _start(folder, command_of(INTERRUPTED[name], folder))
    _wait_for_work(process, after_s)
    begin = time.monotonic()
    if process.poll() is None:
        process.send_signal(signal.SIGINT)
    end = _end(process)
    fault = fault_of(end, (0, 130))
    took = time.monotonic() - begin
    if fault is None and took > _ANSWER_S:
        return f"interrupted after {took:.1f} s"
    if end is not None and "did not answer" in end[1]:
        return "does not look for interrupts"
    return fault


def starved(folder: Path, rng: random.Random) -> str | None:
    """Runs a command with a random limit of its address space."""
    name = rng.choice(list(LIMITED))
    limit = int(2 ** rng.uniform(27.0, 32.5))
    words = command_of(LIMITED[name], folder)
    process = _start(folder, words, (resource.RLIMIT_AS, limit))
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_LONG_ENOUGH_S)
    if process.poll() is None:
        before = _processor_seconds(process.pid)
        time.sleep(_PAUSE_S)
        is_idle = process.poll() is None and _processor_seconds(process.pid) - before < 0.01
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"hang ({name}, {limit // _MIB} MiB)" if is_idle else None
    end = _end(process)
    fault = fault_of(end, (0, 1, 2), most_errors(name))
    told = end[1].strip().splitlines()[-1:] if end else []
    return None if fault is None else f"{fault} ({name}, {limit // _MIB} MiB): {told}"


@contextlib.contextmanager
def _small_disk(place: Path, size: int) -> Iterator[tuple[int, int] | None]:
    """Mounts a disk of some bytes; yields a limit of the size of files where that is refused."""
    place.mkdir()
    options = ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(place)]
    try:
        is_mounted = subprocess.run(options, capture_output=True, check=False).returncode == 0
    except OSError:
        is_mounted = False
    try:
        yield None if is_mounted else (resource.RLIMIT_FSIZE, max(size // 16, 512))
    finally:
        if is_mounted:
            subprocess.run(["umount", "-l", str(place)], check=False)


def filled(folder: Path, rng: random.Random) -> str | None:
    """Runs a sweep on a disk that is too small for it."""
    whole = _reference()
    with _small_disk(folder / "disk", rng.randrange(4096, 160 * 1024, 4096)) as limit:
        disk = folder / "disk"
        with contextlib.suppress(OSError):
            (disk / "kept.txt").write_text("kept", encoding="utf-8")
        (folder / "sweep.toml").write_text(SWEEP, encoding="utf-8")
        words = ["simulate", "sweep.toml", "-o", "disk/out", "--no-plots"]
        end = _end(_start(folder, words, limit))
        fault = fault_of(end, (0, 1, 2))
        if fault is not None:
            return f"{fault}: {end[1].strip().splitlines()[-1:] if end else ''}"
        if (disk / "kept.txt").read_text(encoding="utf-8") != "kept":
            return "a file that was there is lost"
        if not (disk / "out").is_dir():
            return None
        # The files that are there move to a disk with room, and goes on.
        shutil.copytree(disk / "out", folder / "out")
    fault = fault_of(
        _end(_start(folder, ["simulate", "sweep.toml", "-o", "out", "--no-plots"])), (0,)
    )
    if fault is not None:
        return f"goes on with {fault}"
    return None if _content(folder / "out") == whole else "other results after a full disk"


TRIALS: dict[str, Callable[[Path, random.Random], str | None]] = {
    "kill": killed,
    "interrupt": interrupted,
    "memory": starved,
    "disk": filled,
}


def _options(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seconds", type=float, default=60.0, help="begin no trial after so long")
    parser.add_argument("--seed", type=int, default=1, help="decides about all trials")
    parser.add_argument("--first", type=int, default=0, help="number of the first trial")
    parser.add_argument("--count", type=int, default=10**9, help="at most so many trials")
    parser.add_argument("--kind", action="append", choices=list(TRIALS), help="only this kind")
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Makes trials until time is up; returns 1 if one of them is at fault."""
    options = _options(arguments)
    kinds = options.kind or list(TRIALS)
    tried: Counter[str] = Counter()
    faults = 0
    begin = time.monotonic()
    for number in range(options.first, options.first + options.count):
        if time.monotonic() - begin > options.seconds:
            break
        kind = kinds[number % len(kinds)]
        with tempfile.TemporaryDirectory(prefix="tradewind-faults-") as place:
            fault = TRIALS[kind](Path(place), random.Random(f"{options.seed} {number}"))
        tried[kind] += 1
        if fault is None:
            continue
        faults += 1
        again = f"python tools/faults.py --seed {options.seed} --first {number} --count 1"
        again += "".join(f" --kind {one}" for one in options.kind or [])
        print(f"{kind}: {fault}\n    repeat  {again}", flush=True)
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(tried.items()))
    print(f"faults: seed {options.seed}: {sum(tried.values())} trials ({counts}), {faults} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
