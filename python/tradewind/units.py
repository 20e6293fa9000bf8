"""Quantities with units: "10 GB/s", "100 ns", "4 KiB" to base units and back."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tradewind.errors import ConfigError

# Longer digits and exponents would take long to be computed exactly, and no quantity needs them.
_NUMBER = re.compile(
    r"\s*([+-]?(?:\d{1,99}\.?\d{0,99}|\.\d{1,99})(?:[eE][+-]?\d{1,3})?)\s*([^\s\d].*?)?\s*$"
)


@dataclass(frozen=True)
class Dimension:
    """A kind of quantity and the units it may be written in.

    Args:
        name: Its name in messages, such as "time".
        units: Size of each unit in the base unit.
        suffixes: Endings of a key that fix the unit of a plain number, such as `latency_ns`.
        base: The base unit, for people.
        example: A correct value, for messages.
        whole: True if the value in base units is an integer.
    """

    name: str
    units: Mapping[str, Fraction]
    suffixes: Mapping[str, str]
    base: str
    example: str
    whole: bool

    def parse(self, text: str) -> int | float:
        """Converts a number with a unit into base units.

        Args:
            text: A quantity such as "100 ns".

        Returns:
            The value in base units; an int if the dimension is counted in whole base units.

        Raises:
            ConfigError: If the text is no number with one of the known units.
        """
        match = _NUMBER.match(text)
        if match is None:
            raise ConfigError(f'expected a {self.name} such as "{self.example}"')
        number, unit = match.groups()
        if unit is None:
            raise ConfigError(
                f'the unit is missing; expected a {self.name} such as "{self.example}"'
            )
        if unit not in self.units:
            known = ", ".join(self.units)
            raise ConfigError(f'unknown unit "{unit}" of a {self.name}; allowed: {known}')
        return self.scaled(Fraction(number), unit)

    def scaled(self, number: Fraction, unit: str) -> int | float:
        """Converts `number` of `unit` into base units, rounding to whole ones where they count."""
        value = number * self.units[unit]
        if not self.whole:
            try:
                return float(value)
            except OverflowError:
                raise ConfigError(f"is too large a {self.name}") from None
        if 0 < value < 1:
            raise ConfigError(f"is smaller than one {self.base}")
        return round(value)


def _powers(units: Mapping[str, int], bottom: str = "") -> dict[str, Fraction]:
    return {name + bottom: Fraction(size) for name, size in units.items()}


_BYTES = {
    "B": 1,
    "kB": 10**3,
    "MB": 10**6,
    "GB": 10**9,
    "TB": 10**12,
    "KiB": 2**10,
    "MiB": 2**20,
    "GiB": 2**30,
    "TiB": 2**40,
}
_BITS = {
    prefix + bit + "/s": Fraction(size, 8)
    for bit in ("b", "bit")
    for prefix, size in (("", 1), ("k", 10**3), ("M", 10**6), ("G", 10**9), ("T", 10**12))
}
_TIMES = {"ps": 1, "ns": 10**3, "us": 10**6, "µs": 10**6, "ms": 10**9, "s": 10**12}
_FLOPS = {"flop/s": 1, "Mflop/s": 10**6, "Gflop/s": 10**9, "Tflop/s": 10**12}

TIME = Dimension(
    "time",
    _powers(_TIMES | {"min": 60 * 10**12, "h": 3600 * 10**12}),
    {"ps": "ps", "ns": "ns", "us": "us", "ms": "ms", "s": "s"},
    "picosecond",
    "100 ns",
    whole=True,
)
SIZE = Dimension(
    "size",
    _powers(_BYTES),
    {"bytes": "B", "kib": "KiB", "mib": "MiB", "gib": "GiB"},
    "byte",
    "4 KiB",
    whole=True,
)
RATE = Dimension(
    "bandwidth",
    _powers(_BYTES, "/s") | _BITS,
    {
        "bytes_per_s": "B/s",
        "mb_per_s": "MB/s",
        "gb_per_s": "GB/s",
        "mbit_per_s": "Mbit/s",
        "gbit_per_s": "Gbit/s",
    },
    "byte per second",
    "10 GB/s",
    whole=False,
)
FLOPS = Dimension(
    "computing rate",
    _powers(_FLOPS),
    {"per_s": "flop/s"},
    "flop/s",
    "50 Gflop/s",
    whole=False,
)
TIME_PER_BYTE = Dimension(
    "time per byte",
    _powers(_TIMES, "/B"),
    {"ps": "ps/B", "ns": "ns/B"},
    "picosecond per byte",
    "0.1 ns/B",
    whole=False,
)


# Values in base units below that are written in those.
_SMALLEST = 1000


def quantities(texts: Sequence[str]) -> list[int | float] | None:
    """Returns texts as values in base units, if all are quantities of one kind: `["1 KiB", "1 MiB"]`."""
    for dimension in (TIME, SIZE, RATE, FLOPS, TIME_PER_BYTE):
        with contextlib.suppress(ConfigError):
            return [dimension.parse(text) for text in texts]
    return None


def _scaled_text(value: float, steps: tuple[tuple[float, str], ...]) -> str:
    size, name = next((step for step in steps if abs(value) >= step[0]), steps[-1])
    number = value / size
    return f"{number:.3g} {name}" if abs(number) < 999.5 else f"{number:.0f} {name}"


def seconds_text(seconds: float) -> str:
    """Returns a time as text: `seconds_text(2.5e-6)` is "2.5 µs"."""
    return _scaled_text(seconds, ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")))


def bytes_text(size: float) -> str:
    """Returns a size as text: `bytes_text(2048)` is "2 KiB"."""
    return _scaled_text(
        size, ((2.0**40, "TiB"), (2.0**30, "GiB"), (2.0**20, "MiB"), (2.0**10, "KiB"), (1.0, "B"))
    )


def decimal_bytes_text(size: float) -> str:
    """Returns a size by powers of ten, for axes: `decimal_bytes_text(2e6)` is "2 MB"."""
    steps = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB"), (1.0, "B"))
    return _scaled_text(size, steps)


def rate_text(rate: float) -> str:
    """Returns a bandwidth in bytes and in bits: `rate_text(25e9)` is "25 GB/s (200 Gb/s)"."""

    def scaled(value: float, unit: str) -> str:
        sizes = ((1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
        return _scaled_text(
            value, (*((size, f"{name}{unit}/s") for size, name in sizes), (1.0, f"{unit}/s"))
        )

    return f"{scaled(rate, 'B')} ({scaled(8 * rate, 'b')})"


def count_text(count: float) -> str:
    """Returns a count as text: `count_text(12e6)` is "12 M"."""
    return _scaled_text(
        count, ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""))
    ).rstrip()


def quantity_text(dimension: Dimension, value: float) -> str:
    """Returns a value in base units as text: `quantity_text(TIME, 2500)` is "2.5 ns"."""
    if abs(value) < _SMALLEST and dimension in (TIME, RATE, FLOPS):
        return (
            f"{value:g} {'ps' if dimension is TIME else 'B/s' if dimension is RATE else 'flop/s'}"
        )
    if dimension is TIME:
        return seconds_text(value * 1e-12)
    if dimension is SIZE:
        return bytes_text(value)
    if dimension is RATE:
        return f"{value / 1e9:g} GB/s"
    if dimension is FLOPS:
        return f"{value / 1e9:g} Gflop/s"
    return f"{value:g} {dimension.base}"
