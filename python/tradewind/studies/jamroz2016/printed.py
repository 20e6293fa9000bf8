"""The run times that the paper prints, and what its modes are here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from tradewind.config import places
from tradewind.studies.tables import read_csv

RESOLUTIONS = (60, 120)
PROCESSES = (338, 675, 1350, 2700, 5400, 10800, 21600)
# The column that predictions are calibrated on.
CALIBRATED = 338
LEVELS = 26


@dataclass(frozen=True)
class Method:
    """A table of the paper.

    Args:
        table: Its number.
        name: The method in the program's settings.
        modes: The settings of each column; the first is the synchronous one.
        steps: Time steps by ne.
        settings: Settings that all columns share.
    """

    table: int
    name: str
    modes: Mapping[str, Mapping[str, str]]
    steps: Mapping[int, int]
    settings: Mapping[str, float | str]


_ON_ARRIVAL = {"schedule": "on_arrival"}
SE = Method(
    1,
    "se",
    {
        "synchronous": {"schedule": "synchronous"},
        "asynchronous": _ON_ARRIVAL | {"summation": "arrival"},
    },
    {60: 4860, 120: 1080},
    {},
)
# Nair (2009) diffuses the wind and filters nothing; the paper does not print its coefficient, which
# no time depends on.
DG = Method(
    2,
    "dg",
    {
        "synchronous": {"schedule": "synchronous", "connectivity": "edges_and_corners"},
        "overlap_vx": _ON_ARRIVAL | {"connectivity": "edges_and_corners"},
        "asynchronous": _ON_ARRIVAL | {"connectivity": "edges"},
        "overlapping": {"overlap": "computation", "connectivity": "edges"},
    },
    {60: 4500, 120: 4500},
    {"viscosity_m2_s": 1e5, "filter_time": "0 s"},
)


@cache
def run_times(method: int) -> dict[tuple[int, int, str], float]:
    """Returns the run times of a table in seconds, by ne, processes and mode."""
    folder = places.data_folder("experiments") / "jamroz2016"
    return {
        (int(row["ne"]), int(row["processes"]), mode): float(value)
        for row in read_csv(folder / f"table{method}.csv")
        for mode, value in row.items()
        if mode not in ("ne", "processes")
    }
