"""The values that the paper prints, and the constants of its problems."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from tradewind.config import places
from tradewind.studies.tables import read_csv

MESHES = ("4x4", "4x8", "8x8", "8x14", "8x16", "16x16", "16x32")
RESOLUTIONS = ("T42L16", "T85L16")
METHODS = ("DTH", "DR")
LIBRARIES = ("MPI", "SHMEM")
MACHINES = ("T3E", "Origin2000")


@dataclass(frozen=True)
class Machine:
    """A machine of the tables.

    Args:
        files: Machine file for each library.
        in_table1: Its name in Table 1.
        in_table3: Its name in Table 3.
    """

    files: Mapping[str, str]
    in_table1: str
    in_table3: str


ABOUT: Mapping[str, Machine] = {
    "T3E": Machine({"MPI": "t3e900", "SHMEM": "t3e900-shmem"}, "SGI/CR T3E-900", "T3E-900"),
    "Origin2000": Machine(
        {"MPI": "origin2000", "SHMEM": "origin2000-shmem"}, "SGI/CR Origin2000", "Origin2000"
    ),
}


@dataclass(frozen=True)
class Problem:
    """A resolution of the paper (section 4).

    Args:
        truncation: M.
        latitudes: Latitudes of the physical grid.
        longitudes: Longitudes of the physical grid.
        flops: Per time step and level.
        steps: Steps of 5 days; the paper does not print its time step. 1200 s at T42 and 600 s at T85 are those
            of the serial code's test cases, and give the T3E's run times with the rates of Table 1.
    """

    truncation: int
    latitudes: int
    longitudes: int
    flops: int
    steps: int

    def points(self, levels: int) -> int:
        """Returns the points of the physical grid, on all levels.

        Args:
            levels: Number of levels.
        """
        return self.latitudes * self.longitudes * levels


PROBLEMS: Mapping[int, Problem] = {
    42: Problem(42, 64, 128, 4129859, 360),
    85: Problem(85, 128, 256, 24235477, 720),
}


def truncation_of(resolution: str) -> int:
    """Returns the truncation of a resolution: T42L16 -> 42.

    Args:
        resolution: Truncation and levels, as the paper writes them.
    """
    return int(resolution[1:].partition("L")[0])


def mesh_of(method: str, mesh: str) -> tuple[int, int]:
    """Returns processors in x and y; the column 8x14 is 14 x 8 for DTH (section 7).

    Args:
        method: `DTH` or `DR`.
        mesh: The column of the table, such as 8x14.
    """
    px, py = map(int, mesh.split("x"))
    return (py, px) if mesh == "8x14" and method == "DTH" else (px, py)


def _table(number: int) -> list[dict[str, str]]:
    folder: Path = places.data_folder("experiments") / "worley1998"
    return read_csv(folder / f"table{number}.csv")


@cache
def serial_rates() -> dict[tuple[str, str], float]:
    """Returns Table 1: flop/s by machine and resolution."""
    return {
        (row["machine"], name): 1e6 * float(value)
        for row in _table(1)
        for name, value in row.items()
        if name != "machine"
    }


@dataclass(frozen=True)
class Swap:
    """A cell of Table 3; the bandwidth counts both messages of a swap."""

    bandwidth: float
    latency_s: float
    protocol: str


@cache
def swaps() -> dict[tuple[str, str, str, int], Swap]:
    """Returns Table 3: by machine, library, order and bytes."""
    return {
        (row["machine"], row["library"], row["order"], int(row["bytes"])): Swap(
            1e6 * float(row["bandwidth_MB_s"]), 1e-6 * float(row["latency_us"]), row["protocol"]
        )
        for row in _table(3)
    }


@cache
def protocol_losses() -> dict[tuple[str, str, int, str], tuple[float, float]]:
    """Returns Table 4: losses by (0,6) and by MPI, by machine, algorithm, processors, resolution."""
    return {
        (row["machine"], row["algorithm"], int(row["processors"]), row["resolution"]): (
            0.01 * float(row["sendrecv_loss_percent"]),
            0.01 * float(row["mpi_loss_percent"]),
        )
        for row in _table(4)
    }


@cache
def run_times() -> dict[tuple[str, str, str, str, str, str], float]:
    """Returns Table 5 by machine, resolution, method, kind, library and mesh.

    The values are seconds, or shares for gen and coll.
    """
    return {
        (
            row["machine"],
            row["resolution"],
            row["method"],
            row["kind"],
            row["library"],
            row["mesh"],
        ): float(row["value"]) * (1.0 if row["unit"] == "s" else 0.01)
        for row in _table(5)
    }
