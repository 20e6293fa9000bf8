"""Checks the prose of Markdown: lines of at most 100 columns, short sentences, few numbers.

Code, tables, images and the addresses of links are not counted. Nine of ten sentences of all pages
have at most 30 words. A sentence in a page of a study has at most two numbers.

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
# The numbers of a sentence in the pages of studies. Three or more belong in a table.
NUMBERS, _STUDIES = 2, ("docs", "studies")
_FOLDERS = ("docs", "bench", "examples", "experiments", "machines", "tests", "tools", "validation")

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_LIST_ITEM = re.compile(r"\s*(?:[-*+:]|\d+\.)\s")
_ASIDE = re.compile(r"\s*(?:\||!\[|<!--)")
_SENTENCE_END = re.compile(r"(?<=[.!?])[*)\"]*\s+")
_WORD = re.compile(r"\b[\w'-]+\b")
_ADDRESS = re.compile(r"\]\([^)]*\)|<?https?://\S+")

# A number is a quantity in digits: "64", "10,000", "2.5", "1e5", "-3", and each end of "5 to 8 %".
# An extent such as "288 x 144 x 256" is one number, and so is a formula with digits such as $10^6$.
# Not counted are
# - digits in code and in the address of a link;
# - digits of a name: ring-4, Z22, T3E-900, figure 5b, tables 1 and 3, MPICH 5.0.2, version 7.1;
# - a protocol (0,6) or (2,x), a process grid 8x14, and an ordinal such as 99th;
# - numbers in words.
_CODE = re.compile(r"`[^`]*`")
_FORMULA = re.compile(r"\$[^$]+\$")
_VALUE = r"\d+(?:,\d{3})*(?:\.\d+)?(?:e-?\d+)?"
_REFERENCE = re.compile(
    r"\b(?:figures?|tables?|version|SST/macro|MPICH) \d[\w.]*(?:(?:,| and| to| or)+ \d[\w.]*)*",
    re.IGNORECASE,
)
_LABEL = re.compile(r"\(\d,[\dx]\)|\b\d+x\d+\b|\b\d+th\b|\b\d+(?:\.\d+){2,}")
_NUMBER = re.compile(rf"(?<![\w.])(?<![A-Za-z]-){_VALUE}(?: x {_VALUE})*(?!\w)")


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


def _paragraphs(text: str) -> Iterator[tuple[int, str]]:
    """Yields first line and text of every paragraph and list item, without headings and formulas."""
    first, lines = 0, list[str]()
    for number, line in [*prose_lines(text), (0, "")]:
        is_heading = line.startswith("#")
        if number != first + len(lines) or _LIST_ITEM.match(line) or is_heading:
            if lines and not lines[0].startswith("$$"):
                yield first, "\n".join(lines)
            first, lines = number + is_heading, []
        if not is_heading:
            lines.append(line)


def sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yields the line and the words of every sentence of a page."""
    for first, paragraph in _paragraphs(text):
        start = 0
        for end in [*_SENTENCE_END.finditer(paragraph), None]:
            sentence = paragraph[start : end.start() if end else None]
            yield first + paragraph.count("\n", 0, start), " ".join(sentence.split())
            start = end.end() if end else start


def sentence_lengths(text: str) -> list[int]:
    """Returns the words of every sentence of a page, without headings and remains of up to 2 words."""
    lengths = (len(_WORD.findall(sentence)) for _, sentence in sentences(text))
    return [length for length in lengths if length > 2]


def numbers(sentence: str) -> list[str]:
    """Returns the numbers of a sentence; a comment above the patterns says what counts as one."""
    text = _ADDRESS.sub("]", _CODE.sub("code", sentence))
    text = _FORMULA.sub(lambda formula: "1" if re.search(r"\d", formula[0]) else "x", text)
    return _NUMBER.findall(_LABEL.sub("label", _REFERENCE.sub("reference", text)))


def check_numbers(text: str) -> Iterator[tuple[int, str]]:
    """Yields line and fault for every sentence with more numbers than a reader can compare."""
    for line, sentence in sentences(text):
        found = len(numbers(sentence))
        if found > NUMBERS:
            start = " ".join(sentence.split()[:6])
            yield line, f'{found} numbers in the sentence "{start} ...", at most {NUMBERS}'


def main(arguments: list[str]) -> int:
    """Prints every fault; returns 1 if there is any."""
    paths = [Path(argument) for argument in arguments] or [
        *sorted(Path().glob("*.md")),
        *(path for folder in _FOLDERS for path in sorted(Path(folder).rglob("*.md"))),
    ]
    faults, lengths = [], []
    for path in paths:
        text = path.read_text(encoding="utf-8")
        found = [*check(text)]
        if path.parent.parts[-2:] == _STUDIES:
            found += check_numbers(text)
        faults += [f"{path}:{line}: {fault}" for line, fault in found]
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
