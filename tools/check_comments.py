"""Checks that comments and docstrings are sentences or noun phrases, not fragments.

A paragraph of `///` lines must not start with a word such as "What", "Of" or "Whether": a function's
comment starts with a verb ("Returns whether ..."), a type's or a field's with a noun. Drawings,
which are indented, are not checked. Docstrings of Python keep the same rule, and `#` comments must
not start with a relative word.

Usage: python tools/check_comments.py [FILE...]     (without files: all sources)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

_FRAGMENT = re.compile(
    r"(?:What|Where|Of|Whether|How|Who|Whom|As|By|To|For|In|With|From|Until|Up|So|None|Nobody|Told|"
    r"Behind|Beside|Beyond|Instead|Else|At|On)\b"
)
_PROSE = re.compile(r"\s*///(?: ([@\\]brief )?(?P<text>\S.*)|\s{2,}\S.*)$")
_RELATIVE = re.compile(r"(?:What|Where|Of|Whether|How|Who|Whom)\b")
_REMARK = re.compile(r"\s*# (?P<text>\S.*)$")
_DOCSTRING = re.compile(r'\s*r?"""(?P<text>\S.*)$')
_FOLDERS = (
    "src",
    "tests/cpp",
    "apps",
    "bench",
    "examples",
    "python",
    "tests/python",
    "tools",
    "validation",
    "docs/_ext",
)
_SUFFIXES = {".c", ".cpp", ".h", ".hpp", ".py"}


def check(text: str) -> Iterator[tuple[int, str]]:
    """Yields line and fault for every paragraph in the text of one file that starts as a fragment."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        found = _PROSE.match(line)
        if found and not inside and (start := _FRAGMENT.match(found["text"] or "")):
            yield number, f'a comment starts with "{start.group()}": begin with a verb or a noun'
        inside = found is not None


def check_python(text: str) -> Iterator[tuple[int, str]]:
    """Yields line and fault for every comment and docstring of Python that starts as a fragment."""
    inside = False
    for number, line in enumerate(text.split("\n"), 1):
        remark = _REMARK.match(line)
        if remark and not inside and (start := _RELATIVE.match(remark["text"])):
            yield number, f'a comment starts with "{start.group()}": begin with a verb or a noun'
        inside = remark is not None
        docstring = _DOCSTRING.match(line)
        if docstring and (start := _FRAGMENT.match(docstring["text"])):
            yield number, f'a docstring starts with "{start.group()}": begin with a verb or a noun'


def main(arguments: list[str]) -> int:
    """Prints every fragment; returns 1 if there is any."""
    paths = [Path(argument) for argument in arguments] or [
        path
        for folder in _FOLDERS
        for path in sorted(Path(folder).rglob("*"))
        if path.suffix in _SUFFIXES
    ]
    count = 0
    for path in paths:
        find = check_python if path.suffix == ".py" else check
        for line, fault in find(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}: {fault}")
            count += 1
    if not arguments:
        print(f"comments: {len(paths)} files, {count} fragments")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
