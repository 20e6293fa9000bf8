"""Runs the measurements of the compiled program and keeps every repetition."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import mpi
from tradewind.bench import swap
from tradewind.bench.graph import NeighborGraph
from tradewind.bench.rows import Row
from tradewind.errors import ConfigError

if TYPE_CHECKING:
    import xarray

__all__ = ["MEASUREMENTS", "OPERATIONS", "TRANSPORTS", "Measurements", "Row", "measure"]

OPERATIONS = ("alltoallv", "allreduce", "allgather", "bcast", "barrier")
TRANSPORTS = ("two_sided", "one_sided")
MEASUREMENTS = ("pingpong", "swap", "collectives", "overlap", "neighbor")
# 8 B to 1 MiB in steps of four.
_SIZES = (*(8 * 4**step for step in range(9)), 1 << 20)
_UNITS = {"_bytes_per_s": "byte s-1", "_s": "s"}


@dataclass(frozen=True)
class Measurements:
    """All rows of one call of `measure`."""

    name: str
    ranks: int
    library: str
    rows: tuple[Row, ...]

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations of the rows, each once."""
        return tuple(dict.fromkeys(row.operation for row in self.rows))

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
        dataset["bytes"].attrs.update(long_name="size of a message, block or vector", units="byte")
        for key in data:
            unit = next((_UNITS[end] for end in _UNITS if str(key).endswith(end)), "1")
            dataset[key].attrs["units"] = unit
        return dataset


def measure(
    name: str,
    ranks: int = 2,
    *,
    operations: Sequence[str] = OPERATIONS,
    algorithm: str = "all",
    transports: Sequence[str] = TRANSPORTS,
    protocol: str = "all",
    graph: NeighborGraph | None = None,
    sizes: Sequence[int] | None = None,
    repetitions: int = 100,
    warm_up: int = 10,
    launcher: str | None = None,
) -> Measurements:
    """Measures on real MPI processes of this machine.

    Args:
        name: One of MEASUREMENTS.
        ranks: MPI processes.
        operations: Which collectives.
        algorithm: One of the algorithms of a collective or of neighbor, "native" or "all".
        transports: Of swap: "two_sided" (messages), "one_sided" (puts).
        graph: Of neighbor: who sends to whom; None: the squarest grid of ranks, 4 neighbours each.
        protocol: Of swap: one of worley1998's Table 2, or "all" that differ.
        sizes: Bytes of a message, block or vector; None: 8 B to 1 MiB, for swap the paper's 8 KB, 128 KB
            and 2 MB. Swap always measures 8 B too.
        repetitions: Of every case.
        warm_up: Repetitions before those, which are not kept.
        launcher: Instead of mpiexec, such as "srun -n {n}".

    Raises:
        ConfigError: If a name or number is wrong, or no MPI can be started.
        MpiError: If the job fails.
    """
    _refuse("measurement", (name,), MEASUREMENTS)
    _refuse("operation", operations, OPERATIONS)
    _refuse("transport", transports, TRANSPORTS)
    if name == "swap":
        sizes = swap.with_latency(swap.SIZES if sizes is None else sizes)
    common = [
        f"sizes=[{','.join(str(size) for size in sizes or _SIZES)}]",
        f"repetitions={repetitions}",
        f"warm_up={warm_up}",
    ]
    jobs: list[tuple[str, list[str]]] = [(name, [])]
    if name == "collectives":
        jobs = [(one, [f"operation={one}", f"algorithm={algorithm}"]) for one in operations]
    if name == "neighbor":
        jobs = [(name, [f"algorithm={algorithm}", *(graph or NeighborGraph()).words()])]
    if name == "swap":
        jobs = [(f"swap_{one}", [f"transport={one}", f"protocol={protocol}"]) for one in transports]
    rows: list[Row] = []
    library = ""
    for operation, words in jobs:
        result = mpi.run(["measure", name, *common, *words], ranks, launcher)
        library = result["library"]
        rows += [
            Row(operation, row["name"], row["bytes"], np.array(row["seconds"]), row["values"])
            for row in result["rows"]
        ]
    if name == "swap":
        rows = swap.with_rates(rows)
    return Measurements(name, ranks, library, tuple(rows))


def _refuse(what: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Refuses names that are not known."""
    for name in given:
        if name not in known:
            raise ConfigError(f"{what} '{name}': known are {', '.join(known)}")
