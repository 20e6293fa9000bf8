"""Runs the measurements of the compiled program and keeps every repetition."""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tradewind import core, mpi
from tradewind.bench import swap
from tradewind.bench.graph import MeshGrid, NeighborGraph
from tradewind.bench.overlap import OverlapMethod
from tradewind.bench.rows import Row
from tradewind.config import keys
from tradewind.config.schema import Section, Where, read_table
from tradewind.config.spec import Spec
from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.results.run_result import Array

if TYPE_CHECKING:
    import xarray

__all__ = [
    "Measurements",
    "Row",
    "check_start",
    "measure",
    "measure_simulated",
    "names",
    "operations",
    "transports",
]

_UNITS = {"_bytes_per_s": "byte s-1", "_s": "s"}


@dataclass(frozen=True)
class Measurements:
    """All rows of one call of `measure`.

    Args:
        name: One of `names()`.
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
        """Returns `seconds` over (case, repetition), with operation, name and bytes of a case.

        A case with fewer repetitions than others ends with NaN.
        """
        from tradewind import extras

        xr = extras.need("xarray", "datasets")
        data: dict[str, Any] = {
            "seconds": (("case", "repetition"), _side_by_side([row.seconds for row in self.rows])),
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
        from tradewind.results.netcdf import read_netcdf

        data = read_netcdf(path)
        try:
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
        except (ValueError, KeyError) as error:
            raise ConfigError(
                f"{path}: no measurements of tradewind bench can be read from it: {error}"
            ) from None


def _side_by_side(times: Sequence[Array]) -> Array:
    """Returns times as rows of equal length, the shorter ones with NaN at their ends."""
    table = np.full((len(times), max(len(some) for some in times)), np.nan)
    for row, some in zip(table, times, strict=True):
        row[: len(some)] = some
    return table


def _row_from(case: xarray.Dataset) -> Row:
    """Returns one case of a dataset."""
    values = {str(key): float(case[key]) for key in case.data_vars if key != "seconds"}
    known = {key: value for key, value in values.items() if not np.isnan(value)}
    operation, name = str(case["operation"].values), str(case["name"].values)
    operation = swap.FORMER_OPERATIONS.get(operation, operation)
    seconds = np.array(case["seconds"])
    return Row(operation, name, int(case["bytes"]), seconds[~np.isnan(seconds)], known)


def check_start(ranks: int, launcher: str | None = None) -> None:
    """Starts MPI processes that end at once, to find out early what is missing.

    Args:
        ranks: MPI processes.
        launcher: Command to use instead of mpiexec.

    Raises:
        ConfigError: If no MPI can be started.
        MpiError: If the job fails.
    """
    mpi.run(["info"], ranks, launcher)


def names() -> tuple[str, ...]:
    """Returns the names of the measurements."""
    return core.names("measurements")


def operations() -> tuple[str, ...]:
    """Returns the operations whose algorithms are measured."""
    return keys.measurements()["collectives"]["operation"].choices


def transports() -> tuple[str, ...]:
    """Returns what can carry the messages of a swap."""
    return keys.measurements()["swap"]["transport"].choices


def measure(
    name: str,
    ranks: int = 2,
    *,
    operations: Sequence[str] | None = None,
    algorithm: str | None = None,
    transports: Sequence[str] | None = None,
    protocol: str | None = None,
    graph: NeighborGraph | None = None,
    overlap: OverlapMethod | None = None,
    mesh: MeshGrid | None = None,
    sizes: Sequence[int] | None = None,
    repetitions: int | None = None,
    warm_up: int | None = None,
    launcher: str | None = None,
) -> Measurements:
    """Measures on real MPI processes of this machine. What is None has the measurement's default.

    Args:
        name: One of `names()`.
        ranks: MPI processes.
        operations: Which collectives; None: all of `operations()` that have the algorithm.
        algorithm: One of the algorithms of a collective, of neighbor or of mesh, "native" or "all".
        transports: For swap: "two_sided" (messages), "puts"; None: both.
        graph: For neighbor: the graph of messages; None: the squarest grid of ranks, 4 neighbours each.
        overlap: For overlap: kinds of sends, average and factors.
        mesh: For mesh: ranks and elements, and what they share; None: the squarest grid of ranks.
        protocol: For swap: one of worley1998's Table 2, or "all" that differ.
        sizes: Bytes of a message, block or vector, or of a point of a mesh; None: 8 B to 1 MiB, for swap the
            paper's 8 KB, 128 KB and 2 MB, for mesh 1, 26 and 104 numbers. Swap always measures 8 B too.
        repetitions: Repetitions of every case; for overlap by size if it is None.
        warm_up: Repetitions before them, which are not kept.
        launcher: Command to use instead of mpiexec, such as "srun -n {n}".

    Raises:
        ConfigError: If a name or number is wrong, or no MPI can be started.
        MpiError: If the job fails.
    """
    cases = _Cases(
        operations,
        algorithm,
        transports,
        protocol,
        graph or NeighborGraph(),
        overlap or OverlapMethod(),
        mesh or MeshGrid(),
    )
    jobs = _jobs(name, cases, {"sizes": sizes, "repetitions": repetitions, "warm_up": warm_up})
    nodes, cores = 1, usable_cores()
    if launcher is not None:
        nodes, cores = mpi.run(["info"], ranks, launcher)["nodes"], 0

    def run(settings: Section) -> Mapping[str, Any]:
        words = [f"{key}={_word(value)}" for key, value in settings.items()]
        return mpi.run(["measure", name, *words], ranks, launcher)

    return replace(_collect(name, ranks, jobs, run), nodes=nodes, cores=cores)


def measure_simulated(
    spec: Spec,
    name: str,
    *,
    operations: Sequence[str] | None = None,
    algorithm: str | None = None,
    overlap: OverlapMethod | None = None,
    sizes: Sequence[int] | None = None,
    repetitions: int = 3,
) -> Measurements:
    """Makes the same measurements on simulated ranks.

    Args:
        spec: A resolved run (`Member.spec`), of which only the machine and the number of ranks are used.
        name: The same as for `measure`, like the others.
        operations: Which collectives.
        algorithm: One of their algorithms, or "all".
        overlap: For overlap: kinds of sends, average and factors.
        sizes: Bytes of a message, block or vector; None as for `measure`.
        repetitions: Repetitions of every case; they differ only by what the barrier before them leaves.

    Raises:
        ConfigError: If a name or number is wrong, or the machine has too few places.
    """

    def run(settings: Section) -> Mapping[str, Any]:
        rows = core.load().measure(spec.tables(), name, settings)
        return {"library": "simulated", "rows": rows}

    amount: dict[str, object] = {"sizes": sizes, "repetitions": repetitions, "warm_up": 1}
    if name == "overlap":
        # The work takes simulated time only.
        amount["payload"] = False
    cases = _Cases(operations, algorithm, overlap=overlap or OverlapMethod())
    jobs = _jobs(name, cases, amount)
    return _collect(name, spec.program.ranks, jobs, run)


_Job = tuple[str, Section]


@dataclass(frozen=True)
class _Cases:
    """The requested cases of a measurement; None stands for all, or for the default."""

    operations: Sequence[str] | None = None
    algorithm: str | None = None
    transports: Sequence[str] | None = None
    protocol: str | None = None
    graph: NeighborGraph = field(default_factory=NeighborGraph)
    overlap: OverlapMethod = field(default_factory=OverlapMethod)
    mesh: MeshGrid = field(default_factory=MeshGrid)

    def settings(self, name: str) -> list[tuple[str, dict[str, object]]]:
        """Returns the operation and the settings of each job of a measurement."""
        if name == "collectives":
            own: dict[str, object] = {"algorithm": self.algorithm}
            known = self._with_algorithm() if self.operations is None else self.operations
            return [(one, {"operation": one, **own}) for one in known]
        if name == "neighbor":
            return [(name, {"algorithm": self.algorithm, **self.graph.settings()})]
        if name == "mesh":
            return [(name, {"algorithm": self.algorithm, **self.mesh.settings()})]
        if name == "swap":
            own = {"protocol": self.protocol}
            chosen = transports() if self.transports is None else self.transports
            given = [swap.present_transport(one) for one in chosen]
            return [(f"swap_{one}", {"transport": one, **own}) for one in given]
        return [(name, self.overlap.settings())] if name == "overlap" else [(name, {})]

    def _with_algorithm(self) -> list[str]:
        """Returns the operations that have the algorithm.

        Raises:
            ConfigError: If none has it.
        """
        if self.algorithm in (None, "all", "native"):
            return list(operations())
        catalogue = core.load().catalogue()
        known = {one: [name for name, _ in catalogue[one]] for one in operations()}
        having = [one for one, algorithms in known.items() if self.algorithm in algorithms]
        if not having:
            every = dict.fromkeys(name for algorithms in known.values() for name in algorithms)
            raise ConfigError(
                f"collectives: there is no algorithm '{self.algorithm}'; known are: {', '.join(every)}"
            )
        return having


def _jobs(name: str, cases: _Cases, amount: Mapping[str, object]) -> list[_Job]:
    """Returns the jobs to run: an operation and checked settings.

    `amount` holds sizes, repetitions and warm-up repetitions, as far as they are given.
    """
    if name not in names():
        raise ConfigError(f"measurement '{name}': known are {', '.join(names())}")
    table = keys.measurements()[name]
    jobs = []
    for operation, own in cases.settings(name):
        given = {
            key: list(value)
            if isinstance(value, Sequence) and not isinstance(value, str)
            else value
            for key, value in {**amount, **own}.items()
            if value is not None and key in table
        }
        section = read_table(given, table, Where("measurement", name))
        chosen = section.get("sizes")
        if name == "swap" and isinstance(chosen, list):
            section["sizes"] = swap.with_latency(chosen)
        jobs.append((operation, section))
    return jobs


def _word(value: object) -> str:
    """Returns a value as the compiled program reads it."""
    return f"[{','.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _collect(
    name: str, ranks: int, jobs: Sequence[_Job], run: Callable[[Section], Mapping[str, Any]]
) -> Measurements:
    rows: list[Row] = []
    library = ""
    for operation, settings in jobs:
        result = run(settings)
        library = result["library"]
        rows += [
            Row(operation, row["name"], row["bytes"], np.array(row["seconds"]), row["values"])
            for row in result["rows"]
        ]
    if name == "swap":
        rows = swap.with_rates(rows)
    return Measurements(name, ranks, library, tuple(rows))
