"""Checks the prose of Markdown: lines of at most 100 columns, and short sentences.

Code, tables, images and the addresses of links are not counted. Nine of ten sentences of all pages
have at most 30 words.

Usage: python tools/check_prose.py [FILE...]     (without files: all Markdown files)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

COLUMNS = 100
# The words of a sentence, and the share of the sentences that have no more.
WORDS, SHARE = 30, 0.9
_FOLDERS = ("docs", "bench", "examples", "experiments", "machines", "tests", "tools", "validation")

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LIST_ITEM = re.compile(r"\s*(?:[-*+:]|\d+\.)\s")
_ASIDE = re.compile(r"\s*(?:\||!\[|<!--)")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_WORD = re.compile(r"\b[\w'-]+\b")
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


def sentence_lengths(text: str) -> list[int]:
    """Returns the words of every sentence of a page, without headings and remains of up to 2 words."""
    prose = " ".join(line for _, line in prose_lines(text) if not line.startswith("#"))
    lengths = (len(_WORD.findall(sentence)) for sentence in _SENTENCE_END.split(prose))
    return [length for length in lengths if length > 2]


def main(arguments: list[str]) -> int:
    """Prints every fault; returns 1 if there is any."""
    paths = [Path(argument) for argument in arguments] or [
        *sorted(Path().glob("*.md")),
        *(path for folder in _FOLDERS for path in sorted(Path(folder).rglob("*.md"))),
    ]
    faults, lengths = [], []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        faults += [f"{path}:{line}: {fault}" for line, fault in check(text)]
        lengths += sentence_lengths(text)
    short = sum(length <= WORDS for length in lengths)
    if short < SHARE * len(lengths):
        faults.append(
            f"{short} of {len(lengths)} sentences have at most {WORDS} words: less than {SHARE:.0%}"
        )
    print(*faults, sep="\n", end="\n" if faults else "")
    if not arguments:
        share = short / max(1, len(lengths))
        print(f"prose: {len(paths)} pages, {share:.1%} short sentences, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
