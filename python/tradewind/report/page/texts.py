"""Values with units as the page writes them."""

from __future__ import annotations

from tradewind.units import seconds_text


def time_text(seconds: float) -> str:
    """Returns a time with its unit, as the figures write it: `time_text(2.5e-6)` is "2.5 µs"."""
    return "0 s" if seconds == 0 else seconds_text(seconds)


def percent_text(share: float) -> str:
    """Returns a share in percent: `percent_text(0.5)` is "50 %"."""
    return f"{100 * share:.3g} %"


def counted(count: int, what: str) -> str:
    """Returns a number of things: `counted(2, "run")` is "2 runs"."""
    return f"{count} {what}{'' if count == 1 else 's'}"
