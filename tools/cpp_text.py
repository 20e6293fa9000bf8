"""Reads C++ source text just well enough for the checks: comments, braces, functions."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SKIPPED = re.compile(
    r"""
    //[^\n]*                              # line comment
    | /\*.*?\*/                           # block comment
    | R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)"   # raw string
    | "(?:[^"\\\n]|\\.)*"                 # string
    | (?<![0-9A-Fa-f])'(?:[^'\\\n]|\\.)+' # character, but no digit separator
    """,
    re.VERBOSE | re.DOTALL,
)
_CONTROL = {"if", "for", "while", "switch", "catch", "constexpr", "requires"}
_SPECIFIER = re.compile(
    r"(\bconst|\bnoexcept|\boverride|\bfinal|\bmutable|&&?|->\s*[\w:<>,\s*&]+?)\s*$"
)


def blank(text: str) -> str:
    """Returns the text with comments, strings and directives blanked out; all positions stay."""

    def spaces(match: re.Match[str]) -> str:
        return re.sub(r"[^\n]", " ", match.group())

    without_comments = _SKIPPED.sub(spaces, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", spaces, without_comments, flags=re.MULTILINE)


def line_of(text: str, position: int) -> int:
    """Returns the line number, from 1, of a position in the text."""
    return text.count("\n", 0, position) + 1


def matching_open(text: str, close: int) -> int:
    """Returns where the bracket opens that closes at `close`, or -1."""
    depth = 0
    for position in range(close, -1, -1):
        if text[position] in ")]}":
            depth += 1
        elif text[position] in "([{":
            depth -= 1
            if depth == 0:
                return position
    return -1


@dataclass(frozen=True)
class Function:
    """A function body with what stands between the parentheses before it.

    Args:
        name: Name of the function, "lambda" for a lambda.
        parameters: Text of the parameter list.
        begin: Position of the opening brace.
        end: Position of the closing brace.
    """

    name: str
    parameters: str
    begin: int
    end: int


def _signature(text: str, brace: int) -> tuple[str, str] | None:
    """Returns name and parameters if the brace opens a function body."""
    head = text[:brace].rstrip()
    while match := _SPECIFIER.search(head[-200:]):
        head = head[: len(head) - len(match.group())].rstrip()
    if head.endswith("]"):
        return "lambda", ""
    if not head.endswith(")"):
        return None
    opening = matching_open(head, len(head) - 1)
    before = head[:opening].rstrip()
    if before.endswith("]"):
        return "lambda", head[opening + 1 : -1].strip()
    word = re.search(r"[\w~]+$", before)
    if word is None or word.group() in _CONTROL:
        return None
    return word.group(), head[opening + 1 : -1].strip()


def functions(blanked: str) -> list[Function]:
    """Returns all function bodies, lambdas included, in the order in which they close."""
    found: list[Function] = []
    open_braces: list[tuple[int, tuple[str, str] | None]] = []
    for match in re.finditer(r"[{}]", blanked):
        if match.group() == "{":
            open_braces.append((match.start(), _signature(blanked, match.start())))
        elif open_braces:
            begin, signature = open_braces.pop()
            if signature is not None:
                found.append(Function(*signature, begin, match.start()))
    return found


@dataclass(frozen=True)
class ClassSize:
    """The size of a class.

    Args:
        name: Name of the class.
        line: Line of its opening brace.
        functions: Member functions, constructors among them; deleted ones and friends aside.
        members: Data members, whose names end in an underscore.
    """

    name: str
    line: int
    functions: int
    members: int


_CLASS = re.compile(
    r"\bclass\s+(?:\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*(?P<name>\w+)(?:\s+final)?\s*(?::[^;{()]*)?\{"
)
_NO_MEMBER = re.compile(r"(?:friend|using|static_assert|enum|struct|class|union)\b")


def _statements(blanked: str, begin: int) -> list[str]:
    """Returns the statements of the block that opens at `begin`; inner blocks are left as `{}`."""
    depth, statement, found = 0, "", []
    for character in blanked[begin:]:
        if character == "}":
            depth -= 1
            if depth == 0:
                break
        if depth == 1:
            statement += character
            is_body = character == "}" and re.search(r"\)[^=;{]*(?::[^;]*)?\{\}$", statement)
            if character == ";" or is_body:
                found.append(re.sub(r"\b(?:public|private|protected):", "", statement).strip())
                statement = ""
        if character == "{":
            depth += 1
    return found


def class_sizes(blanked: str) -> list[ClassSize]:
    """Returns the sizes of all classes of a file; structs are records and not counted."""
    found = []
    for match in _CLASS.finditer(blanked):
        if re.search(r"\benum\s+$", blanked[: match.start()]):
            continue
        functions = members = 0
        for statement in _statements(blanked, match.end() - 1):
            text = re.sub(r"^(?:\[\[[^\]]*\]\]\s*|template\s*<[^{}]*>\s*(?=\w|\[))+", "", statement)
            if _NO_MEMBER.match(text) or text.rstrip(";").endswith("delete"):
                continue
            if re.search(r"\w+_\s*(?:=[^;]*|\{\}|\[[^\]]*\])?\s*;$", text):
                members += 1
            elif "(" in text:
                functions += 1
        line = line_of(blanked, match.end())
        found.append(ClassSize(match["name"], line, functions, members))
    return found
