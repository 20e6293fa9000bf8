"""Runs the measurements of the compiled program and keeps every repetition."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import mpi
from tradewind.errors import ConfigError
from tradewind.runs.results import Array

if TYPE_CHECKING:
    import xarray

OPERATIONS = ("alltoallv", "allreduce", "allgather", "bcast", "barrier")
MEASUREMENTS = ("pingpong", "collectives", "overlap")
# 8 B to 1 MiB in steps of four.
_SIZES = (*(8 * 4**step for step in range(9)), 1 << 20)


@dataclass(frozen=True)
class Row:
    """The repetitions of one case.

    Args:
        operation: "pingpong", "overlap" or the name of a collective.
        name: Kind of send, or algorithm; "native" is the library's own.
        size: Bytes of a message, block or vector.
        seconds: Of each repetition, on its slowest rank.
        values: What overlap works out of them, in seconds; `availability` is a share.
    """

    operation: str
    name: str
    size: int
    seconds: Array
    values: Mapping[str, float]

    @property
    def median_s(self) -> float:
        """Median of the repetitions."""
        return float(np.median(self.seconds))

    def percentile_s(self, percent: float) -> float:
        """A percentile of the repetitions."""
        return float(np.percentile(self.seconds, percent))

    @property
    def confidence_s(self) -> tuple[float, float]:
        """95 % confidence interval of the median, from order statistics (no assumed distribution)."""
        count = len(self.seconds)
        ordered = np.sort(self.seconds)
        reach = 0.98 * np.sqrt(count)
        low = max(int(np.floor(count / 2 - reach)), 0)
        high = min(int(np.ceil(count / 2 + reach)), count - 1)
        return float(ordered[low]), float(ordered[high])


@dataclass(frozen=True)
class Measurements:
    """All rows of one call of `measure`."""

    name: str
    ranks: int
    library: str
    rows: tuple[Row, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; times in seconds."""
        rows = [
            {
                "operation": row.operation,
                "name": row.name,
                "bytes": row.size,
                "median_s": row.median_s,
                "p5_s": row.percentile_s(5),
                "p95_s": row.percentile_s(95),
                "confidence_95_s": list(row.confidence_s),
                "min_s": float(row.seconds.min()),
                "max_s": float(row.seconds.max()),
                "repetitions": len(row.seconds),
                **row.values,
            }
            for row in self.rows
        ]
        return {
            "measurement": self.name,
            "ranks": self.ranks,
            "library": self.library,
            "machine": platform.processor() or platform.machine(),
            "rows": rows,
        }

    def to_xarray(self) -> xarray.Dataset:
        """Every repetition: `seconds` over (case, repetition), with operation, name and bytes of a case."""
        from tradewind import extras

        xr = extras.need("xarray", "datasets")
        data: dict[str, Any] = {
            "seconds": (("case", "repetition"), np.stack([row.seconds for row in self.rows])),
        }
        for key in sorted({key for row in self.rows for key in row.values}):
            data[key] = ("case", [row.values.get(key, np.nan) for row in self.rows])
        coordinates = {
            "operation": ("case", [row.operation for row in self.rows]),
            "name": ("case", [row.name for row in self.rows]),
            "bytes": ("case", [row.size for row in self.rows]),
        }
        about = {"measurement": self.name, "ranks": self.ranks, "library": self.library}
        dataset: xarray.Dataset = xr.Dataset(data, coordinates, about)
        dataset["seconds"].attrs.update(long_name="time of one repetition", units="s")
        return dataset


def measure(
    name: str,
    ranks: int = 2,
    *,
    operations: Sequence[str] = OPERATIONS,
    algorithm: str = "all",
    sizes: Sequence[int] = _SIZES,
    repetitions: int = 100,
    warm_up: int = 10,
    launcher: str | None = None,
) -> Measurements:
    """Measures on real MPI processes of this machine.

    Args:
        name: One of MEASUREMENTS.
        ranks: MPI processes.
        operations: Which collectives.
        algorithm: One of their algorithms, "native" or "all".
        sizes: Bytes of a message, block or vector.
        repetitions: Of every case.
        warm_up: Repetitions before those, which are not kept.
        launcher: Instead of mpiexec, such as "srun -n {n}".

    Raises:
        ConfigError: If a name or number is wrong, or no MPI can be started.
        MpiError: If the job fails.
    """
    if name not in MEASUREMENTS:
        raise ConfigError(f"measurement '{name}': known are {', '.join(MEASUREMENTS)}")
    for operation in operations:
        if operation not in OPERATIONS:
            raise ConfigError(f"operation '{operation}': known are {', '.join(OPERATIONS)}")
    common = [
        f"sizes=[{','.join(str(size) for size in sizes)}]",
        f"repetitions={repetitions}",
        f"warm_up={warm_up}",
    ]
    jobs = [(name, common)]
    if name == "collectives":
        jobs = [
            (one, [*common, f"operation={one}", f"algorithm={algorithm}"]) for one in operations
        ]
    rows: list[Row] = []
    library = ""
    for operation, words in jobs:
        result = mpi.run(["measure", name, *words], ranks, launcher)
        library = result["library"]
        rows += [
            Row(operation, row["name"], row["bytes"], np.array(row["seconds"]), row["values"])
            for row in result["rows"]
        ]
    return Measurements(name, ranks, library, tuple(rows))
