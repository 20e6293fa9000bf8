"""Words on pictures: names with units, places and times, and the choice of times."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

Kind = TypeVar("Kind")


def labelled(named: Mapping[str, Any]) -> str:
    """Returns the long name of a field or an axis with its unit."""
    unit = "" if named["unit"] == "1" else f" ({unit_text(named['unit'], 0)})"
    return f"{named['long_name']}{unit}"


def unit_text(unit: str, exponent: int) -> str:
    """Returns a unit with raised powers, after a power of ten."""
    raised = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
    words = []
    for word in () if unit == "1" else unit.split():
        letters = word.rstrip("-0123456789")
        words.append(letters + word[len(letters) :].translate(raised))
    if exponent:
        words.insert(0, "10" + str(exponent).translate(raised))
    return " ".join(words) or "1"


def time_text(time_s: float) -> str:
    """Returns a model time for titles."""
    days = time_s / 86400.0
    if 0 < time_s < 3600.0:
        return f"{time_s:.4g} s"
    return f"day {days:.4g}" if days >= 1 or days == 0 else f"hour {24 * days:.4g}"


def spread(items: Sequence[Kind], most: int) -> list[Kind]:
    """Returns up to `most` items from the first to the last, evenly."""
    last = len(items) - 1
    count = min(len(items), most)
    return [items[round(n * last / max(count - 1, 1))] for n in range(count)]


def longitude_text(value: float) -> str:
    """Returns a longitude in degrees east as "130°E"."""
    turned = (value + 180) % 360 - 180
    side = "" if turned in (0, -180) else ("E" if turned > 0 else "W")
    return f"{abs(turned):g}°{side}"


def latitude_text(value: float) -> str:
    """Returns a latitude in degrees north as "30°N"."""
    return f"{abs(value):g}°{'' if value == 0 else 'N' if value > 0 else 'S'}"
