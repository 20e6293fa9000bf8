"""Checks that comments of C++ sources are sentences or noun phrases, not fragments.

A paragraph of `///` lines must not start with a word such as "What", "Of" or "Whether": a function's
comment starts with a verb ("Returns whether ..."), a type's or a field's with a noun. Drawings,
which are indented, are not checked.

Usage: python tools/check_comments.py [FILE...]     (without files: all C++ files)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

# Folders whose comments are not checked.
UNREVISED: tuple[str, ...] = ()
_FRAGMENT = re.compile(
    r"(?:What|Where|Of|Whether|How|Who|Whom|As|By|To|For|In|With|From|Until|Up|So|None|Nobody|Told|"
    r"Behind|Beside|Beyond|Instead|Else|At|On)\b"
)
_PROSE = re.compile(r"\s*///(?: ([@\\]brief )?(?P<text>\S.*)|\s{2,}\S.*)$")
_FOLDERS = ("src", "tests/cpp", "apps", "bench", "examples", "python", "validation")
_SUFFIXES = {".c", ".cpp", ".h", ".hpp"}


def check(text: str) -> Iterator[tuple[int, str]]:
    """Yields line and fault for every paragraph in the text of one file that starts as a fragment."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        found = _PROSE.match(line)
        if found and not inside and (start := _FRAGMENT.match(found["text"] or "")):
            yield number, f'a comment starts with "{start.group()}": begin with a verb or a noun'
        inside = found is not None


def is_revised(path: Path) -> bool:
    """Returns whether the comments of a file are checked."""
    relative = path.resolve()
    if relative.is_relative_to(Path.cwd()):
        relative = relative.relative_to(Path.cwd())
    return not any(relative.is_relative_to(folder) for folder in UNREVISED)


def main(arguments: list[str]) -> int:
    """Prints every fragment; returns 1 if there is any."""
    paths = [Path(argument) for argument in arguments] or [
        path
        for folder in _FOLDERS
        for path in sorted(Path(folder).rglob("*"))
        if path.suffix in _SUFFIXES
    ]
    checked = [path for path in paths if is_revised(path)]
    count = 0
    for path in checked:
        for line, fault in check(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}: {fault}")
            count += 1
    if not arguments:
        print(f"comments: {len(checked)} files, {count} fragments")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
