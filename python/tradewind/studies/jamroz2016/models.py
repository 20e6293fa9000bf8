"""Runs with data: the same bits by every way to communicate, and the wave by both methods."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import extras
from tradewind.errors import ConfigError
from tradewind.models.case import Case
from tradewind.models.run import ModelRun, run
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation, Evaluator
from tradewind.studies.jamroz2016.printed import DG, SE, Method
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray

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


@dataclass(frozen=True)
class _Wave:
    """The baroclinic wave by one method.

    Args:
        days: The days of the outputs, shape (days,).
        lowest_hpa: Lowest surface pressure, shape (days,).
        highest_hpa: Highest one, likewise.
        mean_hpa: Mean one, likewise.
        pressure_hpa: Surface pressure, shape (days, latitudes, longitudes).
    """

    days: NDArray[Any]
    lowest_hpa: NDArray[Any]
    highest_hpa: NDArray[Any]
    mean_hpa: NDArray[Any]
    pressure_hpa: NDArray[Any]

    def at_day(self, values: NDArray[Any], day: int) -> Any:
        """Returns the entry of a day."""
        return values[np.flatnonzero(self.days == day)[0]]


def _wave(case: Mapping[str, Any], kept: Path) -> _Wave:
    """Runs nine days of a case, or reads them from the file in which an earlier run kept them."""
    if kept.is_file():
        with np.load(kept) as file:
            return _Wave(**{one.name: file[one.name] for one in fields(_Wave)})
    outputs = _run(2, {**case, "days": 9, "output_every_hours": 24}).snapshots
    numbers = ("lowest_pressure_hpa", "highest_pressure_hpa", "mean_pressure_hpa")
    lowest, highest, mean = (
        np.array([float(output.number(name)) for output in outputs]) for name in numbers
    )
    days = np.array([round(output.time_s / 86400) for output in outputs])
    pressure = np.array([output.fields[_FIELD] for output in outputs])
    wave = _Wave(days, lowest, highest, mean, pressure)
    kept.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(kept, **{one.name: getattr(wave, one.name) for one in fields(_Wave)})
    return wave


def _wave_evaluate(part: Part, context: Context) -> Evaluation:
    cases = part.tables("cases" if context.full else "reduced_cases")
    if set(cases) != set(_METHODS):
        raise ConfigError(f"part {part.name}: settings: cases for {' and '.join(_METHODS)} wanted")
    latitudes = int(part.number("latitudes"))
    waves: dict[str, _Wave] = {}
    rows: list[list[Cell]] = []
    for method, case in cases.items():
        context.note(f"{method}, ne = {case['ne']}: 9 days")
        whole = {"method": method, "latitudes": latitudes, **case}
        wave = _wave(whole, context.work / f"{method}-ne{case['ne']}-{latitudes}.npz")
        waves[method] = wave
        rows += [
            [method, int(case["ne"]), int(day), *map(float, numbers)]
            for day, *numbers in zip(
                wave.days, wave.lowest_hpa, wave.highest_hpa, wave.mean_hpa, strict=True
            )
        ]
    lowest = {
        (method, day): float(wave.at_day(wave.lowest_hpa, day))
        for method, wave in waves.items()
        for day in _DAYS
    }
    header = ("method", "ne", "day", "lowest hPa", "highest hPa", "mean hPa")
    table = Table("The baroclinic wave", header, rows)
    distances = [_distance(waves["se"], waves["dg"], day) for day in _DAYS]
    return Evaluation(_wave_dataset(lowest, distances, int(cases["se"]["ne"])), {"waves": table})


def _distance(one: _Wave, other: _Wave, day: int) -> float:
    """Returns the l2 difference of the surface pressures of a day, weighted by area."""
    difference = one.at_day(one.pressure_hpa, day) - other.at_day(other.pressure_hpa, day)
    latitudes, longitudes = difference.shape
    degrees = -90.0 + 180.0 * (np.arange(latitudes) + 0.5) / latitudes
    weight = np.cos(np.radians(degrees))[:, None]
    return float(np.sqrt(np.sum(weight * difference**2) / (np.sum(weight) * longitudes)))


SAME_BITS = Evaluator(_bits_outline, _bits_evaluate)
WAVES = Evaluator(_wave_outline, _wave_evaluate)
