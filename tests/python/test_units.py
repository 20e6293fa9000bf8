from __future__ import annotations

import pytest

from tradewind.errors import ConfigError
from tradewind.units import (
    FLOPS,
    RATE,
    SIZE,
    TIME,
    TIME_PER_BYTE,
    Dimension,
    bytes_text,
    count_text,
    decimal_bytes_text,
    quantities,
    rate_text,
    seconds_text,
)


@pytest.mark.parametrize(
    ("dimension", "text", "value"),
    [
        (TIME, "100 ns", 100_000),
        (TIME, "1.5us", 1_500_000),
        (TIME, "1.5 µs", 1_500_000),
        (TIME, "2 s", 2 * 10**12),
        (TIME, "10 min", 600 * 10**12),
        (TIME, "0.5 h", 1800 * 10**12),
        (TIME, "0 ns", 0),
        (SIZE, "4 KiB", 4096),
        (SIZE, "2 GiB", 2 * 2**30),
        (SIZE, "1e3 kB", 10**6),
        (RATE, "10 GB/s", 10e9),
        (RATE, "5.25 GiB/s", 5.25 * 2**30),
        (RATE, "200 Gbit/s", 25e9),
        (RATE, "200 Gb/s", 25e9),
        (RATE, "0.2 Tb/s", 25e9),
        (RATE, "800 Mb/s", 100e6),
        (RATE, "8 kb/s", 1000.0),
        (RATE, "8 bit/s", 1.0),
        (FLOPS, "1 Gflop/s", 1e9),
        (TIME_PER_BYTE, "0.1 ns/B", 100.0),
    ],
)
def test_a_quantity_is_read_exactly(dimension: Dimension, text: str, value: float) -> None:
    read = dimension.parse(text)
    assert read == value
    assert isinstance(read, int) == dimension.whole


@pytest.mark.parametrize(
    ("dimension", "text", "told"),
    [
        (TIME, "100", 'the unit is missing; expected a time such as "100 ns"'),
        (TIME, "100 KiB", 'unknown unit "KiB" of a time'),
        (TIME, "0.1 ps", "smaller than one picosecond"),
        (SIZE, "4 kib", 'unknown unit "kib" of a size; allowed: B, kB'),
        (RATE, "10 GB", 'unknown unit "GB" of a bandwidth'),
        (RATE, "10 Gb", 'unknown unit "Gb" of a bandwidth'),
        (RATE, "10 GiB", "Gb/s"),
        (SIZE, "8 Gb", 'unknown unit "Gb" of a size'),
        (RATE, "fast", 'expected a bandwidth such as "10 GB/s"'),
        (RATE, "", "expected a bandwidth"),
        (RATE, "nan GB/s", "expected a bandwidth"),
        (RATE, "inf GB/s", "expected a bandwidth"),
    ],
)
def test_a_wrong_quantity_is_refused_with_what_is_allowed(
    dimension: Dimension, text: str, told: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        dimension.parse(text)
    assert told in str(caught.value)


def test_every_example_of_a_dimension_can_be_read() -> None:
    for dimension in (TIME, SIZE, RATE, FLOPS, TIME_PER_BYTE):
        assert dimension.parse(dimension.example) > 0


def test_every_suffix_of_a_key_names_a_known_unit() -> None:
    for dimension in (TIME, SIZE, RATE, FLOPS, TIME_PER_BYTE):
        assert set(dimension.suffixes.values()) <= set(dimension.units)


def test_several_quantities_are_read_if_they_are_of_one_kind() -> None:
    assert quantities(["1 KiB", "2 MB"]) == [1024, 2_000_000]
    assert quantities(["100 ns", "1 us"]) == [100_000, 1_000_000]
    assert quantities(["1 KiB", "100 ns"]) is None
    assert quantities(["ring", "bruck"]) is None


def test_values_are_written_for_people() -> None:
    assert seconds_text(2.5e-6) == "2.5 µs"
    assert seconds_text(0.0) == "0 ns"
    assert seconds_text(999.4) == "999 s"
    assert seconds_text(5321.4) == "5321 s"
    assert bytes_text(4096) == "4 KiB"
    assert decimal_bytes_text(2e6) == "2 MB"
    assert count_text(12e6) == "12 M"
    assert count_text(7) == "7"
    assert rate_text(25e9) == "25 GB/s (200 Gb/s)"
    assert rate_text(1.25e14) == "125 TB/s (1 Pb/s)"
