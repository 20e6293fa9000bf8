"""The output of the command line: results on standard output, everything else on standard error."""

from __future__ import annotations

import json
import os
import re
import sys
from typing import Any

from rich.console import Console

from tradewind.files import shortened

# Names and numbers of thousands of letters would hide what is said of them.
_LONG_WORD = re.compile(r"\S{201,}")
# The default of rich for an unknown width would break lines of messages in files.
errors = Console(stderr=True, soft_wrap=True)
output = Console(soft_wrap=True, width=None if sys.stdout.isatty() else 160)


def note(message: str) -> None:
    """Says something that is no result.

    Args:
        message: One or more lines.
    """
    errors.print(message, markup=False, highlight=False)


def mute() -> None:
    """Silences this process from now on; another one writes for it."""
    errors.quiet = output.quiet = True
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_json(value: dict[str, Any]) -> None:
    """Prints the one JSON object of a command.

    Args:
        value: The object; NaN is refused.
    """
    sys.stdout.write(json.dumps(value, allow_nan=False) + "\n")
    sys.stdout.flush()


def fail(kind: str, message: str, status: int, *, as_json: bool) -> int:
    """Tells an error and returns the exit status.

    Args:
        kind: The class of the error, for JSON.
        message: The message, in one line.
        status: The exit status.
        as_json: Whether standard output gets the error as JSON, too.

    Returns:
        The exit status.
    """
    message = _LONG_WORD.sub(lambda word: shortened(word[0]), message)
    errors.print("error:", style="bold red", end=" ")
    note(message)
    if as_json:
        print_json({"error": {"kind": kind, "message": message}})
    return status
