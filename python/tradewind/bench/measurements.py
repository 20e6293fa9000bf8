"""Runs the measurements of the compiled program and keeps every repetition."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import mpi
from tradewind.config.experiment import usable_cores
from tradewind.errors import ConfigError
from tradewind.runs.results import Array

if TYPE_CHECKING:
    import xarray

OPERATIONS = ("alltoallv", "allreduce", "allgather", "bcast", "barrier")
MEASUREMENTS = ("pingpong", "collectives", "overlap", "overhead", "kernels")
# 8 B to 1 MiB in steps of four.
_SIZES = (*(8 * 4**step for step in range(9)), 1 << 20)


@dataclass(frozen=True)
class Row:
    """The repetitions of one case.

    Args:
        operation: Name of the measurement, or of a collective.
        name: Kind of send, call, algorithm or kernel; "native" is the library's own.
        size: Bytes of a message, block or vector.
        seconds: Of each repetition, on its slowest rank.
        values: What overlap works out of them, in seconds; `availability` is a share. Of kernels,
            what one call does: `flops` and `memory_bytes`.
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
    """All rows of one call of `measure`.

    Args:
        name: One of MEASUREMENTS.
        ranks: MPI processes, or simulated ranks.
        library: Name and version of the MPI, or "simulated".
        rows: Cases.
        nodes: Nodes that the ranks sat on.
        cores: Cores that the ranks could use; 0 if that is not known.
    """

    name: str
    ranks: int
    library: str
    rows: tuple[Row, ...]
    nodes: int = 1
    cores: int = 0

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
        about = {
            "measurement": self.name,
            "ranks": self.ranks,
            "library": self.library,
            "nodes": self.nodes,
            "cores": self.cores,
        }
        dataset: xarray.Dataset = xr.Dataset(data, coordinates, about)
        dataset["seconds"].attrs.update(long_name="time of one repetition", units="s")
        return dataset

    @classmethod
    def load(cls, path: Path) -> Measurements:
        """Reads what `tradewind bench -o` has written.

        Raises:
            ConfigError: If the file is missing or is no file of measurements.
        """
        from tradewind import extras

        xr = extras.need("xarray", "datasets")
        try:
            with xr.open_dataset(path) as opened:
                data = opened.load()
            rows = [_row_from(data.isel(case=index)) for index in range(data.sizes["case"])]
            about = data.attrs
            return cls(
                str(about["measurement"]),
                int(about["ranks"]),
                str(about["library"]),
                tuple(rows),
                int(about.get("nodes", 1)),
                int(about.get("cores", 0)),
            )
        except (OSError, ValueError, KeyError) as error:
            raise ConfigError(
                f"{path}: no measurements of tradewind bench can be read from it: {error}"
            ) from None


def _row_from(case: xarray.Dataset) -> Row:
    """One case of a dataset."""
    values = {str(key): float(case[key]) for key in case.data_vars if key != "seconds"}
    known = {key: value for key, value in values.items() if not np.isnan(value)}
    operation, name = str(case["operation"].values), str(case["name"].values)
    return Row(operation, name, int(case["bytes"]), np.array(case["seconds"]), known)


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
    jobs = _jobs(name, operations, algorithm, (sizes, repetitions, warm_up))
    nodes, cores = 1, usable_cores()
    if launcher is not None:
        nodes, cores = mpi.run(["info"], ranks, launcher)["nodes"], 0
    found = _collect(name, ranks, jobs, lambda words: mpi.run(words, ranks, launcher))
    return replace(found, nodes=nodes, cores=cores)


def measure_simulated(
    spec: Mapping[str, Any],
    name: str,
    *,
    operations: Sequence[str] = OPERATIONS,
    algorithm: str = "all",
    sizes: Sequence[int] = _SIZES,
    repetitions: int = 3,
) -> Measurements:
    """Makes the same measurements on simulated ranks.

    Args:
        spec: One resolved run of an experiment (`Member.spec`); only machine and `ranks` are used.
        name: As for `measure`, like the others.
        operations: Which collectives.
        algorithm: One of their algorithms, or "all".
        sizes: Bytes of a message, block or vector.
        repetitions: Of every case; they differ only by what the barrier before them leaves.

    Raises:
        ConfigError: If a name or number is wrong, or the machine has too few places.
    """
    from tradewind import core

    def run(words: Sequence[str]) -> Mapping[str, Any]:
        _, measurement, *assignments = words
        settings = {
            key: json.loads(text) if text[0] in "[0123456789" else text
            for key, _, text in (word.partition("=") for word in assignments)
        }
        rows = core.load().measure(spec, measurement, settings)
        return {"library": "simulated", "rows": rows}

    jobs = _jobs(name, operations, algorithm, (sizes, repetitions, 1))
    return _collect(name, int(spec["program"]["ranks"]), jobs, run)


_Job = tuple[str, list[str]]


def _jobs(
    name: str,
    operations: Sequence[str],
    algorithm: str,
    amount: tuple[Sequence[int], int, int],
) -> list[_Job]:
    """What is to be run: an operation and the words of the program; `amount` is sizes, repetitions, warm-up."""
    if name not in MEASUREMENTS:
        raise ConfigError(f"measurement '{name}': known are {', '.join(MEASUREMENTS)}")
    for operation in operations:
        if operation not in OPERATIONS:
            raise ConfigError(f"operation '{operation}': known are {', '.join(OPERATIONS)}")
    sizes, repetitions, warm_up = amount
    common = [
        f"sizes=[{','.join(str(size) for size in sizes)}]",
        f"repetitions={repetitions}",
        f"warm_up={warm_up}",
    ]
    if name == "collectives":
        return [
            (one, ["measure", name, *common, f"operation={one}", f"algorithm={algorithm}"])
            for one in operations
        ]
    return [(name, ["measure", name, *common])]


def _collect(
    name: str, ranks: int, jobs: Sequence[_Job], run: Callable[[Sequence[str]], Mapping[str, Any]]
) -> Measurements:
    rows: list[Row] = []
    library = ""
    for operation, words in jobs:
        result = run(words)
        library = result["library"]
        rows += [
            Row(operation, row["name"], row["bytes"], np.array(row["seconds"]), row["values"])
            for row in result["rows"]
        ]
    return Measurements(name, ranks, library, tuple(rows))
