"""Runs with data: the same bits by every way to communicate, and the wave by both methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.models.case import Case
from tradewind.models.run import ModelRun, run
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.jamroz2016.printed import DG, SE, Method
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray

_NAME = "homme"
_RANKS = (1, 2, 5, 8, 24)
_FIELD = "surface_pressure_hpa"
# Every mode of the paper, and the ordered sums of its section 5.2.
_WAYS: dict[str, tuple[Method, dict[str, str]]] = {
    **{f"se {mode}": (SE, dict(settings)) for mode, settings in SE.modes.items()},
    "se ordered": (SE, {"schedule": "on_arrival", "summation": "fixed"}),
    **{f"dg {mode}": (DG, dict(settings)) for mode, settings in DG.modes.items()},
}


def _run(ranks: int, settings: dict[str, Any]) -> ModelRun:
    return run(Case.read(_NAME, {_NAME: settings}), ranks)


def _largest_differences(part: Part, context: Context) -> dict[str, list[float]]:
    """Returns, by way and ranks, the largest difference of the surface pressure to one rank."""
    found: dict[str, list[float]] = {}
    for way, (method, settings) in _WAYS.items():
        context.note(f"{way}: {len(_RANKS)} runs")
        step = "300 s" if method is DG else "1800 s"
        case = {"ne": 2, "method": method.name, "steps": 8, "time_step": step}
        first = dict(next(iter(method.modes.values())))
        reference = _run(1, case | dict(method.settings) | first).final.fields[_FIELD]
        found[way] = [
            float(
                np.max(
                    np.abs(
                        _run(ranks, case | dict(method.settings) | settings).final.fields[_FIELD]
                        - reference
                    )
                )
            )
            for ranks in _RANKS
        ]
    return found


def _bits_dataset(values: dict[str, list[float]]) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    data: xarray.Dataset = xr.Dataset(
        {
            "difference": (
                ("way", "processes"),
                np.array(list(values.values())),
                {"units": "hPa", "long_name": "largest difference of the surface pressure"},
            )
        },
        {"way": list(values), "processes": list(_RANKS)},
    )
    return data


def _bits_outline(part: Part, context: Context) -> xarray.Dataset:
    return _bits_dataset({way: [1.0] * len(_RANKS) for way in _WAYS})


def _bits_evaluate(part: Part, context: Context) -> Evaluation:
    values = _largest_differences(part, context)
    header = ("way", *(f"{ranks} ranks" for ranks in _RANKS))
    rows: list[list[Cell]] = [[way, *some] for way, some in values.items()]
    table = Table("Largest difference to one rank after 8 steps (hPa)", header, rows)
    return Evaluation(_bits_dataset(values), {"same_bits": table})


_METHODS = ("se", "dg")
_DAYS = (7, 9)


def _wave_dataset(
    lowest: dict[tuple[str, int], float], distance: list[float], se_ne: int
) -> xarray.Dataset:
    xr = extras.need("xarray", "datasets")
    pressures = [[lowest[method, day] for day in _DAYS] for method in _METHODS]
    data: xarray.Dataset = xr.Dataset(
        {
            "lowest_hpa": (
                ("method", "day"),
                np.array(pressures),
                {"units": "hPa", "long_name": "lowest surface pressure"},
            ),
            "distance_hpa": (
                ("day",),
                np.array(distance),
                {"units": "hPa", "long_name": "l2 difference of the methods"},
            ),
            "se_ne": ((), float(se_ne), {"units": "1", "long_name": "ne of spectral elements"}),
        },
        {"method": list(_METHODS), "day": list(_DAYS)},
    )
    return data


def _wave_outline(part: Part, context: Context) -> xarray.Dataset:
    return _wave_dataset({(m, d): 1.0 for m in _METHODS for d in _DAYS}, [1.0, 1.0], 30)


def _wave_evaluate(part: Part, context: Context) -> Evaluation:
    prefix = "" if context.full else "reduced_"
    lowest: dict[tuple[str, int], float] = {}
    fields: dict[tuple[str, int], Any] = {}
    rows: list[list[Cell]] = []
    latitudes = 90
    for method in _METHODS:
        ne = int(part.number(f"{prefix}{method}_ne"))
        context.note(f"{method}, ne = {ne}: 9 days")
        case = {"ne": ne, "method": method, "latitudes": latitudes, "output_every_hours": 24}
        found = _run(2, case | {"days": 9})
        for output in found.snapshots:
            day = round(output.time_s / 86400)
            rows.append(
                [
                    method,
                    ne,
                    day,
                    float(output.number("lowest_pressure_hpa")),
                    float(output.number("highest_pressure_hpa")),
                    float(output.number("mean_pressure_hpa")),
                ]
            )
            if day in _DAYS:
                lowest[method, day] = float(output.number("lowest_pressure_hpa"))
                fields[method, day] = np.asarray(output.fields[_FIELD])
    south = -90.0 + 180.0 * (np.arange(latitudes) + 0.5) / latitudes
    weight = np.cos(np.radians(south))[:, None]
    distance = [
        float(
            np.sqrt(
                np.sum(weight * (fields["se", day] - fields["dg", day]) ** 2)
                / (np.sum(weight) * 2 * latitudes)
            )
        )
        for day in _DAYS
    ]
    header = ("method", "ne", "day", "lowest hPa", "highest hPa", "mean hPa")
    table = Table("The baroclinic wave", header, rows)
    se_ne = int(part.number(f"{prefix}se_ne"))
    return Evaluation(_wave_dataset(lowest, distance, se_ne), {"waves": table})


SAME_BITS = Evaluator(_bits_outline, _bits_evaluate)
WAVES = Evaluator(_wave_outline, _wave_evaluate)
