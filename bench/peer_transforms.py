"""The transforms of transform_speed with ducc0 and SHTns, one thread, in processor time, as JSON.

`pip install ducc0 shtns`; the second one is built from source and needs the headers of FFTW. What is not installed is left out.

Usage: python bench/peer_transforms.py [SECONDS]
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from types import ModuleType

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


def ducc0_calls(
    ducc0: ModuleType, truncation: int, latitudes: int, longitudes: int
) -> tuple[Callable[[], object], Callable[[], object]]:
    """Synthesis and analysis of one real field on a Gaussian grid."""
    geometry = {"lmax": truncation, "spin": 0, "nthreads": 1, "geometry": "GL"}
    count = (truncation + 1) * (truncation + 2) // 2
    alm = np.random.default_rng(1).normal(size=(1, count)) + 0j
    field = ducc0.sht.synthesis_2d(alm=alm, ntheta=latitudes, nphi=longitudes, **geometry)

    def inverse() -> None:
        ducc0.sht.synthesis_2d(alm=alm, ntheta=latitudes, nphi=longitudes, map=field, **geometry)

    def forward() -> None:
        ducc0.sht.analysis_2d(map=field, alm=alm, **geometry)

    return inverse, forward


def shtns_calls(
    shtns: ModuleType, truncation: int, latitudes: int, longitudes: int
) -> tuple[Callable[[], object], Callable[[], object]]:
    """The same with the fastest algorithm that SHTns finds on this machine."""
    sht = shtns.sht(truncation, truncation)
    sht.set_grid(latitudes, longitudes, flags=shtns.sht_gauss)
    spectrum = sht.spec_array()
    spectrum[:] = np.random.default_rng(1).normal(size=spectrum.size)
    field = sht.spat_array()

    def inverse() -> None:
        sht.SH_to_spat(spectrum, field)

    def forward() -> None:
        sht.spat_to_SH(field, spectrum)

    return inverse, forward


PEERS = {"ducc0": ducc0_calls, "shtns": shtns_calls}


def main(arguments: list[str]) -> None:
    """Prints the times of all sizes, in milliseconds per field."""
    budget = float(arguments[0]) if arguments else 1.0
    result = {}
    for name, calls in PEERS.items():
        try:
            library = importlib.import_module(name)
        except ImportError:
            continue
        rows = []
        for size in SIZES:
            inverse, forward = calls(library, *size)
            rows.append(
                {
                    "truncation": size[0],
                    "inverse_ms_per_field": 1e3 * fastest(budget, inverse),
                    "forward_ms_per_field": 1e3 * fastest(budget, forward),
                }
            )
        result[name] = rows
    print(json.dumps(result, indent=1))


if __name__ == "__main__":
    main(sys.argv[1:])
