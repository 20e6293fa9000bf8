"""The transforms of transform_speed with ducc0 (pip install ducc0), one thread, in processor time, as JSON.

Usage: python bench/ducc0_transforms.py [SECONDS]
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable

import ducc0
import numpy as np

SIZES = ((42, 64, 128), (85, 128, 256), (170, 256, 512))


def fastest(budget: float, work: Callable[[], object]) -> float:
    """The shortest time of one call, averaged over ten, within `budget` seconds."""
    work()
    best = float("inf")
    begin = time.process_time()
    while time.process_time() - begin < budget:
        start = time.process_time()
        for _ in range(10):
            work()
        best = min(best, (time.process_time() - start) / 10)
    return best


def measured(budget: float, truncation: int, latitudes: int, longitudes: int) -> dict[str, float]:
    """Milliseconds per field of synthesis and analysis at one truncation."""
    geometry = {"lmax": truncation, "spin": 0, "nthreads": 1, "geometry": "GL"}
    count = (truncation + 1) * (truncation + 2) // 2
    alm = np.random.default_rng(1).normal(size=(1, count)) + 0j
    field = ducc0.sht.synthesis_2d(alm=alm, ntheta=latitudes, nphi=longitudes, **geometry)

    def inverse() -> None:
        ducc0.sht.synthesis_2d(alm=alm, ntheta=latitudes, nphi=longitudes, map=field, **geometry)

    def forward() -> None:
        ducc0.sht.analysis_2d(map=field, alm=alm, **geometry)

    return {
        "truncation": truncation,
        "inverse_ms_per_field": 1e3 * fastest(budget, inverse),
        "forward_ms_per_field": 1e3 * fastest(budget, forward),
    }


def main(arguments: list[str]) -> None:
    """Prints the times of all sizes."""
    budget = float(arguments[0]) if arguments else 1.0
    rows = [measured(budget, *size) for size in SIZES]
    print(json.dumps({"ducc0": ducc0.__version__, "transforms": rows}, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
