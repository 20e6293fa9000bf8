"""Comparison of runs that are made elsewhere: everything but the cost of simulating."""

from __future__ import annotations

from typing import Any

import numpy as np

TAKEN = {"wall_s", "cpu_s", "peak_rss_bytes", "memory_bytes", "origin"}


def assert_same(one: Any, other: Any, path: str = "") -> None:
    """All that two runs give is the same to the last bit."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one.keys() - TAKEN:
            assert_same(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_same(left, right, f"{path}[{index}]")
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, err_msg=path)
    else:
        assert one == other or (one != one and other != other), path
