"""The error tree: every message says who complains, what was given and what was expected."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = [
    "ConfigError",
    "DeadlockError",
    "Error",
    "Interrupted",
    "MessageError",
    "MpiError",
    "TopologyError",
    "TraceError",
]


class Error(Exception):
    """Base of everything that Tradewind raises on purpose."""


class ConfigError(Error):
    """A parameter that the user gave is not acceptable."""


class TopologyError(ConfigError):
    """A network shape or wiring that cannot exist."""


class DeadlockError(Error):
    """A simulated program that cannot go on; the message names the waiting ranks."""


class MessageError(Error):
    """A message of a simulated program that its receive cannot take: too long, or sent ready too early."""


class MpiError(Error):
    """The MPI library reported a failure."""


class TraceError(Error):
    """A trace cannot be read or does not fit the run."""


class Interrupted(Error):  # noqa: N818 - the C++ class has the same name
    """The user or a signal asked the run to stop."""


def suggestion(given: str, allowed: Iterable[str]) -> str:
    """Says what is allowed instead of `given`, with the nearest name first.

    Args:
        given: The name that was not found.
        allowed: Every name that would have been accepted.

    Returns:
        Half a sentence, such as `did you mean "latency"? allowed: bandwidth, latency`.
    """
    names = sorted(allowed)
    near = difflib.get_close_matches(given, names, n=1, cutoff=0.6)
    hint = f'did you mean "{near[0]}"? ' if near else ""
    return f"{hint}allowed: {', '.join(names) if names else 'nothing'}"
