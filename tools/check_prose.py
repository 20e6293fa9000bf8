"""Checks that no line of prose in Markdown is longer than 100 columns.

Code, tables, images and the addresses of links are not counted.

Usage: python tools/check_prose.py [FILE...]     (without files: all Markdown files)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = 100
# Pages with lines that are still too long. A page that has none must leave the list, which is to
# become empty.
NOT_YET: tuple[str, ...] = ()
_FOLDERS = ("docs", "bench", "examples", "experiments", "machines", "tests", "tools", "validation")

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LIST_ITEM = re.compile(r"\s*(?:[-*+:]|\d+\.)\s")
_ASIDE = re.compile(r"\s*(?:\||!\[|<!--)")
_ADDRESS = re.compile(r"\]\([^)]*\)|<?https?://\S+")


def prose_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yields number and text of every line that is not code, a table, an image or a comment."""
    fence = ""
    is_in_list = is_code_possible = False
    for number, line in enumerate(text.splitlines(), 1):
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and line.strip() == mark[1]:
                fence = ""
            continue
        if mark:
            fence = mark[1]
            continue
        if not line.strip():
            is_code_possible = not is_in_list
            continue
        if line.startswith("    ") and is_code_possible:
            continue
        is_code_possible = False
        is_in_list = bool(_LIST_ITEM.match(line)) or (is_in_list and line.startswith(" "))
        if not _ASIDE.match(line):
            yield number, line


def check(text: str) -> Iterator[tuple[int, str]]:
    """Yields line and fault for every line of prose that is too long."""
    for number, line in prose_lines(text):
        columns = len(_ADDRESS.sub("", line))
        if columns > COLUMNS:
            yield number, f"{columns} columns of prose, at most {COLUMNS}"


def check_page(path: Path, not_yet: tuple[str, ...] = NOT_YET) -> Iterator[str]:
    """Yields the faults of one page; a page of the list has one if it need not be there."""
    faults = list(check(path.read_text(encoding="utf-8")))
    if path.as_posix() not in not_yet:
        yield from (f"{path}:{line}: {fault}" for line, fault in faults)
    elif not faults:
        yield f"{path}: has no long line: take it off the list in tools/check_prose.py"


def main(arguments: list[str]) -> int:
    """Prints every fault; returns 1 if there is any."""
    paths = [Path(argument) for argument in arguments] or [
        *sorted(Path().glob("*.md")),
        *(path for folder in _FOLDERS for path in sorted(Path(folder).rglob("*.md"))),
    ]
    faults = [fault for path in paths for fault in check_page(path)]
    print(*faults, sep="\n", end="\n" if faults else "")
    if not arguments:
        print(f"prose: {len(paths)} pages, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
