"""The processor cores and the memory of this machine."""

from __future__ import annotations

import os
import platform
import resource
from pathlib import Path

_MEMBERSHIP, _GROUPS = Path("/proc/self/cgroup"), Path("/sys/fs/cgroup")
# More memory than any machine has.
UNLIMITED = 2**62


def usable_cores() -> int:
    """Returns the number of cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def processor_name() -> str:
    """Returns the name of the processor's model, or of its instruction set if nothing tells the model."""
    for line in _lines(Path("/proc/cpuinfo")):
        name, _, value = line.partition(":")
        if name.strip() == "model name" and value.strip():
            return " ".join(value.split())
    return platform.processor() or platform.machine()


def available_memory() -> int:
    """Returns the bytes that a new process can use on this machine, in this container, or below `ulimit -v`."""
    groups = map(_group_memory, _control_groups())
    free = [_meminfo("MemAvailable"), address_space(), *groups]
    return min(amount for amount in free if amount is not None)


def _control_groups() -> list[Path]:
    """Returns the folders of the control groups of this process that may limit memory.

    Each group is limited by those that it is in, too. In a container, the group that the kernel names
    is outside, and what is mounted is the group itself.
    """
    folders = []
    for line in _lines(_MEMBERSHIP):
        _, kinds, path = line.split(":", 2)
        if kinds and "memory" not in kinds.split(","):
            continue
        mounted = _GROUPS / "memory" if kinds else _GROUPS
        group = mounted / path.strip().lstrip("/")
        folders += [place for place in (group, *group.parents) if place.is_relative_to(mounted)]
    return folders or [_GROUPS, _GROUPS / "memory"]


def _group_memory(folder: Path) -> int | None:
    """Returns what is left to a control group: its limit, less what it uses and cannot give back."""
    for limit_file, used_file, kept in (
        ("memory.max", "memory.current", "inactive_file"),
        ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
    ):
        limit, used = _number(folder / limit_file), _number(folder / used_file)
        if limit is not None and used is not None:
            # Pages of files that nobody uses are given back when memory is short.
            words = [line.split() for line in _lines(folder / "memory.stat")]
            spare = next((int(number) for name, number in words if name == kept), 0)
            return max(0, limit - max(0, used - spare))
    return None


def address_space() -> int:
    """Returns the bytes that `ulimit -v` leaves to this process; `UNLIMITED` without a limit."""
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    pages = _lines(Path("/proc/self/statm"))
    if limit == resource.RLIM_INFINITY or not pages:
        return UNLIMITED
    return max(0, limit - int(pages[0].split()[0]) * resource.getpagesize())


def _meminfo(name: str) -> int | None:
    for line in _lines(Path("/proc/meminfo")):
        if line.startswith(name + ":"):
            return int(line.split()[1]) * 1024
    return None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError):
        return []


def _number(path: Path) -> int | None:
    try:
        return int(path.read_text(encoding="ascii"))
    except (OSError, ValueError):
        return None
