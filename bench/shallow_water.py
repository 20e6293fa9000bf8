"""Accuracy of the shallow water equations on the cubed sphere, on simulated ranks of one process.

Prints JSON. `convergence` has the errors of the depth in the steady case 2 of williamson1992 after
five days, with the order between neighbouring resolutions. `agreement` has the difference of the
surface height in cases 5 and 6 from the spectral model, whose own difference between two
truncations stands beside it. Takes 15 minutes on one core; with --quick, one minute.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import RectBivariateSpline

from tradewind.models.case import Case
from tradewind.models.run import ModelRun, run

Array = NDArray[np.float64]

CUBE, SPECTRAL = "homme", "pstswm"
RADIUS_M = 6.37122e6
LATITUDES = 60
MOUNTAIN_M = 2000.0


def cube(ne: int, method: str, number: int, **settings: Any) -> ModelRun:
    """Runs a case on the cubed sphere; its fields lie on LATITUDES x 2 LATITUDES points."""
    table = {"ne": ne, "method": method, "case": f"williamson{number}", "latitudes": LATITUDES}
    return run(Case.read(CUBE, {CUBE: {**table, **settings}}), ranks=1)


def spectral(truncation: int, number: int, days: float, step_s: int) -> ModelRun:
    """Runs a case with the spectral model."""
    table = {
        "truncation": truncation,
        "case": number,
        "days": days,
        "time_step": f"{step_s} s",
    }
    return run(Case.read(SPECTRAL, {SPECTRAL: table}), ranks=1)


def spacing_km(ne: int, method: str) -> float:
    """Returns the mean distance between points along the equator."""
    return 2 * math.pi * RADIUS_M / (4 * ne * (3 if method == "se" else 5)) / 1000


def convergence(resolutions: dict[str, list[int]], days: float) -> list[dict[str, Any]]:
    """Returns the errors of case 2 for both methods and two directions of the flow."""
    rows: list[dict[str, Any]] = []
    for method, series in resolutions.items():
        for alpha in (0.0, 45.0):
            last = None
            for ne in series:
                free = {"hyperviscosity_m4_s": 0.0} if method == "se" else {}
                made = cube(ne, method, 2, days=days, alpha_deg=alpha, **free)
                error = made.final.number("depth_error.l2")
                order = math.log2(last / error) if last else None
                last = error
                rows.append(
                    {
                        "method": method,
                        "alpha_deg": alpha,
                        "ne": ne,
                        "spacing_km": round(spacing_km(ne, method), 1),
                        "time_step_s": made.outline["time_step_s"],
                        "l2": error,
                        "maximum": made.final.number("depth_error.maximum"),
                        "order": order,
                    }
                )
    return rows


def ground_m(number: int, latitude: Array, longitude: Array) -> Array:
    """Returns the height of the ground: the mountain of case 5, otherwise nothing."""
    if number != 5:
        return np.zeros((latitude.size, longitude.size))
    radius = 20.0
    distance = np.hypot(longitude[None, :] - 270.0, latitude[:, None] - 30.0)
    return MOUNTAIN_M * (1 - np.minimum(distance, radius) / radius)


def surface(made: ModelRun, number: int) -> tuple[Array, Array, Array]:
    """Returns latitudes from the south, longitudes, and the height of the surface there."""
    latitude, longitude = made.axis("lat"), made.axis("lon")
    depth = made.final.fields["depth_m"]
    depth = depth.reshape(latitude.size, longitude.size)
    height = depth + ground_m(number, latitude, longitude)
    south_first = np.argsort(latitude)
    return latitude[south_first], longitude, height[south_first]


def difference(made: ModelRun, reference: ModelRun, number: int) -> float:
    """Returns the difference of surface heights, relative to them, weighted by area."""
    latitude, longitude, height = surface(made, number)
    their_latitude, their_longitude, theirs = surface(reference, number)
    margin = 4
    wrapped = np.concatenate(
        [their_longitude[-margin:] - 360, their_longitude, their_longitude[:margin] + 360]
    )
    columns = np.concatenate([theirs[:, -margin:], theirs, theirs[:, :margin]], axis=1)
    inside = np.abs(latitude) <= np.max(their_latitude)
    latitude, height = latitude[inside], height[inside]
    expected = RectBivariateSpline(their_latitude, wrapped, columns)(latitude, longitude)
    weight = np.cos(np.deg2rad(latitude))[:, None]
    square = np.sum(weight * (height - expected) ** 2) / np.sum(weight * expected**2)
    return float(np.sqrt(square))


def agreement(
    resolutions: dict[str, list[int]], truncations: tuple[int, int]
) -> list[dict[str, Any]]:
    """Returns differences from the spectral model in cases 5 and 6."""
    rows: list[dict[str, Any]] = []
    for number, days in ((5, 5.0), (5, 15.0), (6, 7.0), (6, 14.0)):
        coarse, fine = (spectral(m, number, days, 300 if m > 100 else 600) for m in truncations)
        rows.append(
            {
                "case": number,
                "days": days,
                "model": f"spectral T{truncations[0]} beside T{truncations[1]}",
                "l2": difference(coarse, fine, number),
            }
        )
        for method, series in resolutions.items():
            for ne in series:
                made = cube(ne, method, number, days=days)
                start = made.snapshots[0]
                rows.append(
                    {
                        "case": number,
                        "days": days,
                        "model": f"{method} ne = {ne}",
                        "spacing_km": round(spacing_km(ne, method), 1),
                        "l2": difference(made, fine, number),
                        "mass_change": made.final.number("mass_m") / start.number("mass_m") - 1,
                        "energy_change": made.final.number("energy_m3_s2")
                        / start.number("energy_m3_s2")
                        - 1,
                    }
                )
    return rows


def main() -> None:
    """Runs all cases and prints JSON."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="coarse resolutions only")
    quick = parser.parse_args().quick
    convergence_of = (
        {"se": [4, 8], "dg": [3, 6]} if quick else {"se": [4, 8, 16, 32], "dg": [3, 6, 12, 24]}
    )
    agreement_of = {"se": [8], "dg": [4]} if quick else {"se": [8, 16, 32], "dg": [4, 8, 16]}
    json.dump(
        {
            "convergence": convergence(convergence_of, 1.0 if quick else 5.0),
            "agreement": agreement(agreement_of, (42, 85) if quick else (85, 170)),
        },
        sys.stdout,
        indent=1,
    )
    print()


if __name__ == "__main__":
    main()
