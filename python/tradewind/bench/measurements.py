"""Runs the measurements of the compiled program and keeps every repetition."""

from __future__ import annotations

import json
import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import mpi
from tradewind.bench import swap
from tradewind.bench.graph import NeighborGraph
from tradewind.bench.rows import Row
from tradewind.config.spec import Spec
from tradewind.errors import ConfigError
from tradewind.host import usable_cores

if TYPE_CHECKING:
    import xarray

__all__ = [
    "MEASUREMENTS",
    "OPERATIONS",
    "TRANSPORTS",
    "Measurements",
    "Row",
    "measure",
    "measure_simulated",
]

OPERATIONS = ("alltoallv", "allreduce", "allgather", "bcast", "barrier")
TRANSPORTS = ("two_sided", "one_sided")
MEASUREMENTS = ("pingpong", "swap", "collectives", "overlap", "overhead", "kernels", "neighbor")
# 8 B to 1 MiB in steps of four.
_SIZES = (*(8 * 4**step for step in range(9)), 1 << 20)
_UNITS = {"_bytes_per_s": "byte s-1", "_s": "s"}


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

    @property
    def operations(self) -> tuple[str, ...]:
        """The operations of the rows, each once."""
        return tuple(dict.fromkeys(row.operation for row in self.rows))

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values for JSON; times in seconds."""
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
        """Returns `seconds` over (case, repetition), with operation, name and bytes of a case."""
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
        dataset["bytes"].attrs.update(long_name="size of a message, block or vector", units="byte")
        for key in data:
            unit = next((_UNITS[end] for end in _UNITS if str(key).endswith(end)), "1")
            dataset[key].attrs["units"] = unit
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
    """Returns one case of a dataset."""
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
        transports: For swap: "two_sided" (messages), "one_sided" (puts).
        graph: For neighbor: the graph of messages; None: the squarest grid of ranks, 4 neighbours each.
        protocol: For swap: one of worley1998's Table 2, or "all" that differ.
        sizes: Bytes of a message, block or vector; None: 8 B to 1 MiB, for swap the paper's 8 KB, 128 KB
            and 2 MB. Swap always measures 8 B too.
        repetitions: Repetitions of every case.
        warm_up: Repetitions before them, which are not kept.
        launcher: Command to use instead of mpiexec, such as "srun -n {n}".

    Raises:
        ConfigError: If a name or number is wrong, or no MPI can be started.
        MpiError: If the job fails.
    """
    cases = _Cases(operations, algorithm, transports, protocol, graph or NeighborGraph())
    jobs = _jobs(name, cases, sizes, (repetitions, warm_up))
    nodes, cores = 1, usable_cores()
    if launcher is not None:
        nodes, cores = mpi.run(["info"], ranks, launcher)["nodes"], 0
    found = _collect(name, ranks, jobs, lambda words: mpi.run(words, ranks, launcher))
    return replace(found, nodes=nodes, cores=cores)


def measure_simulated(
    spec: Spec,
    name: str,
    *,
    operations: Sequence[str] = OPERATIONS,
    algorithm: str = "all",
    sizes: Sequence[int] | None = None,
    repetitions: int = 3,
) -> Measurements:
    """Makes the same measurements on simulated ranks.

    Args:
        spec: A resolved run (`Member.spec`), of which only the machine and the number of ranks are used.
        name: The same as for `measure`, like the others.
        operations: Which collectives.
        algorithm: One of their algorithms, or "all".
        sizes: Bytes of a message, block or vector; None as for `measure`.
        repetitions: Repetitions of every case; they differ only by what the barrier before them leaves.

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
        rows = core.load().measure(spec.tables(), measurement, settings)
        return {"library": "simulated", "rows": rows}

    jobs = _jobs(name, _Cases(operations, algorithm), sizes, (repetitions, 1))
    return _collect(name, spec.program.ranks, jobs, run)


_Job = tuple[str, list[str]]


@dataclass(frozen=True)
class _Cases:
    """The requested cases of a measurement."""

    operations: Sequence[str] = OPERATIONS
    algorithm: str = "all"
    transports: Sequence[str] = TRANSPORTS
    protocol: str = "all"
    graph: NeighborGraph = field(default_factory=NeighborGraph)

    def words(self, name: str) -> list[_Job]:
        """Returns the operation and settings of each job of a measurement."""
        if name == "collectives":
            settings = f"algorithm={self.algorithm}"
            return [(one, [f"operation={one}", settings]) for one in self.operations]
        if name == "neighbor":
            return [(name, [f"algorithm={self.algorithm}", *self.graph.words()])]
        if name == "swap":
            settings = f"protocol={self.protocol}"
            return [(f"swap_{one}", [f"transport={one}", settings]) for one in self.transports]
        return [(name, [])]


def _jobs(
    name: str, cases: _Cases, sizes: Sequence[int] | None, amount: tuple[int, int]
) -> list[_Job]:
    """Returns the jobs to run: an operation and the arguments of the program.

    `amount` holds the numbers of repetitions and of warm-up repetitions.
    """
    _refuse("measurement", (name,), MEASUREMENTS)
    _refuse("operation", cases.operations, OPERATIONS)
    _refuse("transport", cases.transports, TRANSPORTS)
    if name == "swap":
        sizes = swap.with_latency(swap.SIZES if sizes is None else sizes)
    repetitions, warm_up = amount
    common = [
        f"sizes=[{','.join(str(size) for size in sizes or _SIZES)}]",
        f"repetitions={repetitions}",
        f"warm_up={warm_up}",
    ]
    return [
        (operation, ["measure", name, *common, *words]) for operation, words in cases.words(name)
    ]


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
    if name == "swap":
        rows = swap.with_rates(rows)
    return Measurements(name, ranks, library, tuple(rows))


def _refuse(what: str, given: Sequence[str], known: Sequence[str]) -> None:
    """Refuses names that are not known."""
    for name in given:
        if name not in known:
            raise ConfigError(f"{what} '{name}': known are {', '.join(known)}")
