"""The output of the command line: results on standard output, everything else on standard error."""

from __future__ import annotations

import codecs
import io
import json
import os
import re
import sys
import unicodedata
from typing import TYPE_CHECKING, Any

from tradewind.files import shortened

if TYPE_CHECKING:
    from rich.console import Console

    errors: Console
    output: Console

# Letters in ASCII; others are written without their accents, or as a question mark.
_PLAIN = {"µ": "u", "\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-", "…": "..."}
_PLAIN_TEXT = "tradewind.plain_text"


def _as_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replaces letters that the encoding of a terminal or file does not have."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    plain = (_PLAIN.get(one) or unicodedata.normalize("NFKD", one)[0] for one in letters)
    return "".join(one if one.isascii() else "?" for one in plain), error.end


def write_in_any_encoding(stream: object) -> None:
    """Lets a stream write "us" in place of "µs" where its encoding has no such letter.

    Args:
        stream: One that is not UTF-8, such as standard output with PYTHONIOENCODING=ascii.
    """
    if isinstance(stream, io.TextIOWrapper) and codecs.lookup(stream.encoding).name != "utf-8":
        stream.reconfigure(errors=_PLAIN_TEXT)


codecs.register_error(_PLAIN_TEXT, _as_ascii)
write_in_any_encoding(sys.stdout)
write_in_any_encoding(sys.stderr)
# Names and numbers of thousands of letters would hide what is said of them.
_LONG_WORD = re.compile(r"\S{201,}")
# Variables by which users tell rich that a file or a pipe is a terminal.
_TERMINALS = ("FORCE_COLOR", "TTY_COMPATIBLE")
# Letters that would move the cursor, which rich leaves out as well.
_CURSOR = str.maketrans("", "", "\a\b\v\f\r")
_silenced: list[bool] = []


def __getattr__(name: str) -> Any:
    """Makes the console of standard error, `errors`, or of standard output, `output`, on first use."""
    if name not in ("errors", "output"):
        raise AttributeError(f"module tradewind.cli.console has no attribute {name}")
    from rich.console import Console

    # The default of rich for an unknown width would break lines of messages in files.
    width = None if name == "errors" or sys.stdout.isatty() else 160
    made = Console(stderr=name == "errors", soft_wrap=True, width=width, quiet=bool(_silenced))
    globals()[name] = made
    return made


def _console(name: str) -> Console:
    made: Console = globals().get(name) or __getattr__(name)
    return made


def _is_terminal() -> bool:
    """Reports whether what is written to standard error has colours, or a progress bar below it."""
    return sys.stderr.isatty() or any(map(os.environ.get, _TERMINALS))


def note(message: str) -> None:
    """Says something that is no result.

    Args:
        message: One or more lines.
    """
    if _is_terminal():
        _console("errors").print(message, markup=False, highlight=False)
    elif not _silenced:
        sys.stderr.write(message.translate(_CURSOR) + "\n")


def mute() -> None:
    """Silences this process from now on; another one writes for it."""
    _silenced.append(True)
    for name in ("errors", "output"):
        if name in globals():
            globals()[name].quiet = True
    drop_output()


def drop_output() -> None:
    """Lets everything for standard output go nowhere, so that no flush at the end complains."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(value: dict[str, Any]) -> None:
    """Prints the one JSON object of a command.

    Args:
        value: The object; NaN is refused.
    """
    sys.stdout.write(json.dumps(value, allow_nan=False) + "\n")
    sys.stdout.flush()


def fail(kind: str, message: str, status: int, *, as_json: bool) -> int:
    """Tells an error and returns the exit status, also if standard output cannot be written.

    Args:
        kind: The class of the error, for JSON.
        message: The message, in one line.
        status: The exit status.
        as_json: Whether standard output gets the error as JSON, too.

    Returns:
        The exit status.
    """
    message = _LONG_WORD.sub(lambda word: shortened(word[0]), message)
    if _is_terminal():
        _console("errors").print("error:", style="bold red", end=" ")
        note(message)
    else:
        note(f"error: {message}")
    try:
        if as_json:
            print_json({"error": {"kind": kind, "message": message}})
        sys.stdout.flush()
    except OSError:
        drop_output()
    return status
