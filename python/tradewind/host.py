"""The processor cores and the memory of this machine."""

from __future__ import annotations

import os
import resource
from pathlib import Path

# More memory than any machine has.
UNLIMITED = 2**62


def usable_cores() -> int:
    """Returns the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def available_memory() -> int:
    """Returns the bytes that a new process can use on this machine, in this container, or below `ulimit -v`."""
    free = [_meminfo("MemAvailable"), _address_space()]
    for limit_file, used_file in (
        ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
        (
            "/sys/fs/cgroup/memory/memory.limit_in_bytes",
            "/sys/fs/cgroup/memory/memory.usage_in_bytes",
        ),
    ):
        limit, used = _number(Path(limit_file)), _number(Path(used_file))
        if limit is not None and used is not None:
            free.append(max(0, limit - used))
    known = [amount for amount in free if amount is not None]
    return min(known) if known else UNLIMITED


def _address_space() -> int | None:
    """Returns what is left of the address space of this process, if that is limited."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _words(Path("/proc/self/statm"))
    if limit == resource.RLIM_INFINITY or not pages:
        return None
    return max(0, limit - int(pages[0]) * resource.getpagesize())


def _meminfo(name: str) -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    for line in lines:
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return None


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split()
    except OSError:
        return []


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
