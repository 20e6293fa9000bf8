"""Names of call sites: file and line where debug information has them, else the function."""

from __future__ import annotations

import itertools
import shutil
import subprocess
from collections.abc import Iterable, Sequence
from pathlib import Path

# Module, offset of the return address in it, and function or name.
Site = tuple[str, int, str]
_ADDRESSES_AT_ONCE = 500


def named(sites: Iterable[Site]) -> list[Site]:
    """Returns the sites with a name such as "solver.f90:212" in place of the function.

    Args:
        sites: What the core's `raw_sites` returns.
    """
    result = []
    for module, group in itertools.groupby(sorted(sites), key=lambda site: site[0]):
        of_module = list(group)
        for at in range(0, len(of_module), _ADDRESSES_AT_ONCE):
            part = of_module[at : at + _ADDRESSES_AT_ONCE]
            lines = _lines(module, [offset for _, offset, _ in part])
            for (_, offset, function), line in zip(part, lines, strict=True):
                name = line or function or f"{Path(module).name}+{offset:#x}"
                result.append((module, offset, name))
    return result


def _lines(module: str, offsets: Sequence[int]) -> list[str]:
    """Returns file and line of each return address, or its function; empty where neither is known."""
    nothing = [""] * len(offsets)
    program = shutil.which("addr2line")
    if program is None or not Path(module).is_file():
        return nothing
    # The call is before the address to which it returns.
    words = [program, "-C", "-f", "-e", module, *(f"{max(offset - 1, 0):#x}" for offset in offsets)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    except OSError:
        return nothing
    lines = done.stdout.splitlines()
    if done.returncode != 0 or len(lines) != 2 * len(offsets):
        return nothing
    return [_name(*pair) for pair in zip(lines[::2], lines[1::2], strict=True)]


def _name(function: str, place: str) -> str:
    file, _, line = place.partition(" (")[0].rpartition(":")
    if file and file != "??" and line not in ("?", "0"):
        return f"{Path(file).name}:{line}"
    return "" if function == "??" else _without_types(function)


def _without_types(function: str) -> str:
    """Returns a C++ function without its result, arguments and template arguments."""
    if "operator" in function:
        return function
    kept, depth = [], 0
    for letter in function.partition(" [clone")[0].replace("(anonymous namespace)::", ""):
        depth += letter in "<("
        if depth == 0:
            kept.append(letter)
        depth -= letter in ">)"
    words = "".join(kept).removesuffix(" const").split()
    return words[-1] if words else function
