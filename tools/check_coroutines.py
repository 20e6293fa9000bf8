"""Checks the house rules for coroutines, which keep the faults of g++ 12 out.

`co_await` stands only as a whole statement or as the initialiser of one named local; there is
no alignas in a file of coroutines; the first parameter of every coroutine is a Comm&.

Usage: python tools/check_coroutines.py [FILE...]     (without files: all C++ files)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from cpp_text import Function, blank, functions, line_of, matching_open

_COROUTINE_WORD = re.compile(r"(?<!operator )\bco_(?:await|return|yield)\b")
_NAMED_LOCAL = re.compile(r"(?:const\s+)?[\w:]+(?:<[\w:<>,\s*]+>)?\s*[&*]{0,2}\s+\w+\s*=")
_COMM_FIRST = re.compile(r"(?:const\s+)?(?:\w+::)*\w*Comm\s*&")
_HEADED = re.compile(
    r"(?:else\s+)?(?:if(?:\s+constexpr)?|for|while)\s*\(|else\b|case\s[^:]*:|default\s*:"
)


def _closing(text: str, opening: int) -> int:
    """Returns where the parenthesis closes that opens at `opening`."""
    depth = 0
    for position in range(opening, len(text)):
        depth += {"(": 1, ")": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return len(text) - 1


def _without_heads(start: str) -> str:
    """Removes `if (...)`, `for (...)`, `else`, `case ...:` from the start of a statement."""
    start = start.strip()
    while match := _HEADED.match(start):
        end = match.end()
        if match.group().endswith("("):
            end = _closing(start, match.end() - 1) + 1
        start = start[end:].strip()
    return start


def _statement_begin(text: str, position: int) -> int:
    """Returns where the statement around `position` begins; `for (a; b; c)` is no boundary."""
    index = position - 1
    while index >= 0:
        character = text[index]
        if character == ")":
            index = matching_open(text, index)
        elif character in ";{}":
            return index + 1
        index -= 1
    return 0


def _statement_end(text: str, position: int) -> int:
    """Returns where the statement that holds `position` ends: its semicolon outside of brackets."""
    depth = 0
    for index in range(position, len(text)):
        depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(text[index], 0)
        if text[index] == ";" and depth <= 0:
            return index
    return len(text)


def _opener(text: str, position: int) -> str:
    """Returns the innermost bracket that is open at `position`."""
    depth = 0
    for character in reversed(text[:position]):
        depth += {")": 1, "]": 1, "}": 1, "(": -1, "[": -1, "{": -1}.get(character, 0)
        if depth < 0:
            return character
    return "{"


def _await_fault(text: str, position: int) -> str | None:
    """Returns what is wrong with the `co_await` at this position."""
    before = _without_heads(text[_statement_begin(text, position) : position])
    after = text[position + len("co_await") : _statement_end(text, position)]
    is_nested = _opener(text, position) in "([" or after.count("}") > after.count("{")
    if is_nested or (before and not _NAMED_LOCAL.fullmatch(before)):
        return "co_await must be a whole statement or initialise one named local"
    if re.search(r"\bco_await\b", after):
        return "two co_await in one statement"
    if "?" in after:
        return "a conditional expression together with co_await: use if and else"
    if re.search(r"(?:^|[(,=\s])\[[^\]]*\]\s*[({]", after):
        return "a lambda in an awaited expression: name it first"
    return None


def _innermost(bodies: list[Function], position: int) -> Function | None:
    around = [body for body in bodies if body.begin < position < body.end]
    return max(around, key=lambda body: body.begin, default=None)


def check(text: str) -> Iterator[tuple[int, str]]:
    """Yields line and fault for every broken rule in the text of one file."""
    source = blank(text)
    words = list(_COROUTINE_WORD.finditer(source))
    if not words:
        return
    bodies = functions(source)
    reported: set[int] = set()
    for word in words:
        line = line_of(source, word.start())
        if word.group() == "co_await":
            fault = _await_fault(source, word.start())
            if fault:
                yield line, fault
        body = _innermost(bodies, word.start())
        if body and body.begin not in reported and not _COMM_FIRST.match(body.parameters):
            reported.add(body.begin)
            yield (
                line_of(source, body.begin),
                f"the first parameter of coroutine {body.name} must be Comm&",
            )
    for match in re.finditer(r"\balignas\b", source):
        yield (
            line_of(source, match.start()),
            "alignas in a file of coroutines: g++ 12 ignores it in frames",
        )


def main(arguments: list[str]) -> int:
    """Prints every broken rule; returns 1 if there is any."""
    paths = [Path(argument) for argument in arguments] or [
        path
        for folder in ("src", "tests/cpp", "apps", "bench", "examples", "validation")
        for path in sorted(Path(folder).rglob("*.[ch]pp"))
    ]
    count = 0
    for path in paths:
        for line, fault in check(path.read_text(encoding="utf-8")):
            print(f"{path}:{line}: {fault}")
            count += 1
    if not arguments:
        print(f"coroutines: {len(paths)} files, {count} broken rules")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
