"""The result of one simulated run, as typed values."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tradewind.config.axes import Label
from tradewind.config.spec import Spec
from tradewind.core import RawDelay, RawLinks, RawOrigin, RawRun
from tradewind.results.critical_path import CriticalPath
from tradewind.results.resources import Resource, resources_of

Array = NDArray[Any]

Count = Literal[
    "ranks",
    "nodes",
    "switches",
    "messages",
    "bytes",
    "packets",
    "packet_hops",
    "events",
    "windows",
]
COUNTS: tuple[Count, ...] = get_args(Count)


@dataclass(frozen=True)
class Histogram:
    """Counts between edges.

    Args:
        edges: n + 1 ascending values.
        counts: n counts.
    """

    edges: Array
    counts: Array

    def to_dict(self) -> dict[str, list[float | None]]:
        """Returns plain lists, for JSON."""
        return {"edges": plain(self.edges), "counts": plain(self.counts)}


@dataclass(frozen=True)
class Delay:
    """Time of messages, or packets, beyond their contention-free time, in seconds."""

    count: int
    min_s: float
    median_s: float
    p99_s: float
    mean_s: float
    max_s: float
    histogram: Histogram

    @classmethod
    def from_core(cls, raw: RawDelay) -> Delay:
        """Makes it from the result of the core."""
        return cls(
            int(raw["count"]),
            float(raw["min_s"]),
            float(raw["median_s"]),
            float(raw["p99_s"]),
            float(raw["mean_s"]),
            float(raw["max_s"]),
            Histogram(raw["edges_s"], raw["counts"]),
        )

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        names = ("min", "median", "p99", "mean", "max")
        values = {name: finite(getattr(self, f"{name}_s")) for name in names}
        return {"count": self.count, **values, "histogram": self.histogram.to_dict()}


@dataclass(frozen=True)
class LinkClass:
    """All links of one kind: utilisation is busy time over simulated time, in 0..1."""

    name: str
    count: int
    bytes: int
    utilisation_mean: float
    utilisation_max: float
    waiting_s: float


@dataclass(frozen=True)
class Links:
    """Utilisation of all links, and of each kind of them."""

    mean: float
    max: float
    histogram: Histogram
    classes: tuple[LinkClass, ...]

    @classmethod
    def from_core(cls, raw: RawLinks) -> Links:
        """Makes them from the result of the core."""
        classes = tuple(LinkClass(**entry) for entry in raw["classes"])
        histogram = Histogram(raw["histogram_edges"], raw["histogram"])
        return cls(float(raw["mean"]), float(raw["max"]), histogram, classes)

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        return {
            "mean": finite(self.mean),
            "max": finite(self.max),
            "histogram": self.histogram.to_dict(),
            "classes": [dict(vars(entry)) for entry in self.classes],
        }


@dataclass(frozen=True)
class Phase:
    """A named part of the program: first start, last end and mean duration over the ranks.

    Args:
        count: How often the ranks enter it, all together; None for results of earlier versions.
        processes: Its process grid, if it is a phase of the experiment that has one.
    """

    name: str
    start_s: float
    end_s: float
    mean_s: float
    count: int | None = None
    processes: Sequence[int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Returns plain values, for JSON."""
        return {key: value for key, value in vars(self).items() if value is not None}

    def per_rank_s(self, ranks: int) -> float:
        """Returns the time that a rank spends in it in all, mean over the ranks; NaN if that is not known.

        Args:
            ranks: The number of ranks of the run.
        """
        return math.nan if self.count is None else self.mean_s * self.count / ranks


@dataclass(frozen=True)
class Matrix:
    """The traffic between ranks: source x destination, in bins of ranks.

    Args:
        bytes: Bytes per cell.
        delay_s: Mean delay of the messages of a cell.
        messages: Messages per cell.
    """

    bytes: Array
    delay_s: Array
    messages: Array


@dataclass(frozen=True)
class LinkPanel:
    """Loads of links where they stand in the topology, in cells of one or more links.

    Args:
        axes: What layers, rows and columns count; "" where there is one only.
        extents: How many of them the topology has; the arrays may have fewer.
        links: Links per cell; 0 where the topology has none. All arrays have three dimensions.
        bytes: What the links of a cell carried.
        waiting_s: Time that packets waited for them.
        utilisation_mean: Mean of busy time over simulated time, in 0..1.
        utilisation_max: The same of the busiest link.
    """

    axes: tuple[str, str, str]
    extents: tuple[int, int, int]
    links: Array
    bytes: Array
    waiting_s: Array
    utilisation_mean: Array
    utilisation_max: Array


@dataclass(frozen=True)
class RunResult:
    """The result of one finished simulation.

    Args:
        parameters: What distinguishes it from the other runs of its experiment.
        spec: All settings of the run.
        machine: Name of the simulated machine.
        raw: The result of the core.
    """

    parameters: Mapping[str, Label]
    spec: Spec
    machine: str
    raw: RawRun

    def __repr__(self) -> str:
        """Says what ran and how long it took in simulated time."""
        return f"<{type(self).__name__} {self.spec.program.name} {self.ranks} ranks on {self.machine}: {self.time_s:.6g} s>"

    @property
    def time_s(self) -> float:
        """Simulated time from the start to the end of the last rank."""
        return float(self.raw["time_s"])

    @property
    def wall_s(self) -> float:
        """Real time that the simulation took."""
        return float(self.raw["wall_s"])

    @property
    def cpu_s(self) -> float:
        """Processor time that the simulation took, over all threads."""
        return float(self.raw["cpu_s"])

    @property
    def peak_rss_bytes(self) -> int:
        """Largest memory of the process that simulated."""
        return int(self.raw["peak_rss_bytes"])

    @property
    def ranks(self) -> int:
        """Simulated ranks."""
        return int(self.raw["ranks"])

    @property
    def processes(self) -> tuple[int, int] | None:
        """Process grid [cx, cy] of the program, given or chosen; None where it has none."""
        found = self.raw.get("processes")
        return (int(found[0]), int(found[1])) if found else None

    @property
    def process_grids(self) -> dict[str, tuple[int, int]]:
        """Process grids: the program's under "", and those of phases that differ by their names."""
        found = {}
        # That of a program of phases may be none of theirs, and have no rows or columns either.
        over = {value for key, value in self.spec.program.items() if key.endswith("].over")}
        is_used = (
            not over
            or "processes" in self.spec.program
            or over & {"rows", "columns"}
            or any(phase.processes is not None for phase in self.phases)
        )
        if self.processes is not None and is_used:
            found[""] = self.processes
        for phase in self.phases:
            if phase.processes is not None and tuple(phase.processes) != found.get(""):
                found[phase.name] = (phase.processes[0], phase.processes[1])
        return found

    @property
    def counts(self) -> dict[str, int]:
        """Ranks, nodes, switches, messages, bytes, packets, packet-hops, events and windows."""
        return {name: int(self.raw[name]) for name in COUNTS}

    @property
    def hash(self) -> str:
        """Hash of every rank's completion time; equal for any number of threads."""
        return str(self.raw["hash"])

    @property
    def origin(self) -> RawOrigin | None:
        """Date, host and processor of the simulation; None for results of earlier versions."""
        return self.raw.get("origin")

    @property
    def delay(self) -> Delay:
        """Delays of messages."""
        return Delay.from_core(self.raw["delay"])

    @property
    def packet_wait(self) -> Delay | None:
        """Waits of packets at output ports, one for each passage through a switch.

        Only if `simulation.packet_waits` asked for it. A train of packets counts as one.
        """
        raw = self.raw.get("packet_wait")
        return Delay.from_core(raw) if raw else None

    @property
    def links(self) -> Links:
        """Utilisation of links."""
        return Links.from_core(self.raw["links"])

    @property
    def resources(self) -> tuple[Resource, ...]:
        """Every kind of resource with its busiest one, in the order of how busy they were."""
        # Records of the former format do not tell how busy ranks were.
        busy_s = self.raw.get("busiest_rank_s", 0.0)
        return resources_of(self.raw["links"]["classes"], busy_s, self.time_s)

    @property
    def busiest(self) -> Resource | None:
        """The busiest resource of the machine; None where the network has none."""
        return next(iter(self.resources), None)

    @property
    def busiest_words(self) -> str:
        """The busiest resource and how busy it was: "injection 79 %"."""
        busiest = self.busiest
        return f"{busiest.name} {busiest.busy}" if busiest else "none"

    @property
    def critical_path(self) -> CriticalPath | None:
        """Steps that the end of the run waited for, if `simulation.critical_path` asked for it."""
        return CriticalPath.of(self.raw)

    @property
    def phases(self) -> tuple[Phase, ...]:
        """Parts of the program."""
        return tuple(Phase(**phase) for phase in self.raw["phases"])

    @property
    def matrix(self) -> Matrix | None:
        """Traffic between ranks, if `simulation.matrix_bins` asked for it."""
        raw = self.raw.get("matrix")
        return Matrix(raw["bytes"], raw["delay_s"], raw["messages"]) if raw else None

    @property
    def link_map(self) -> Mapping[str, LinkPanel]:
        """Loads of links by panel of the topology; empty without `simulation.link_map_bins`."""
        panels = {}
        for name, raw in self.raw.get("link_map", {}).items():
            layers, rows, columns = raw["axes"]
            depth, height, width = raw["extents"]
            panels[name] = LinkPanel(
                (layers, rows, columns),
                (depth, height, width),
                raw["links"],
                raw["bytes"],
                raw["waiting_s"],
                raw["utilisation_mean"],
                raw["utilisation_max"],
            )
        return panels

    @property
    def timeline(self) -> Mapping[str, Array] | None:
        """Every message as arrays, if `simulation.timeline` asked for it.

        Columns: source, destination (ranks), bytes, sent_ps, arrived_ps, delay_ps.
        """
        return self.raw.get("timeline") or None

    @property
    def phase_marks(self) -> Mapping[str, Array] | None:
        """Every phase of every rank as arrays, if `simulation.timeline` asked for it.

        Columns: rank, phase (index into `phases`), begin_ps, end_ps.
        """
        return self.raw.get("phase_marks") or None

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the arrays per message, as plain values for JSON."""
        result: dict[str, Any] = {
            "parameters": dict(self.parameters),
            "program": self.spec.program.name,
            "machine": self.machine,
            "routing": self.spec.hardware.routing.name,
            "time_s": self.time_s,
            "wall_s": self.wall_s,
            "cpu_s": self.cpu_s,
            "peak_rss_bytes": self.peak_rss_bytes,
            **({"processes": list(self.processes)} if self.processes else {}),
            **self.counts,
            "hash": self.hash,
            "delay_s": self.delay.to_dict(),
            **({"packet_wait_s": self.packet_wait.to_dict()} if self.packet_wait else {}),
            "links": self.links.to_dict(),
            "resources": [entry.to_dict() for entry in self.resources],
            "phases": [phase.to_dict() for phase in self.phases],
        }
        if self.matrix is not None:
            result["matrix"] = {name: plain(array) for name, array in vars(self.matrix).items()}
        if self.link_map:
            result["link_map"] = {
                name: {key: plain(value) for key, value in vars(panel).items()}
                for name, panel in self.link_map.items()
            }
        return result


def finite(value: float) -> float | None:
    """Returns the value, or None where JSON has no word for it."""
    return float(value) if math.isfinite(value) else None


def plain(array: Array) -> list[Any]:
    """Returns nested lists, with None for values that JSON cannot hold."""
    values = np.asarray(array)
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        blank = values.astype(object)
        blank[~np.isfinite(values)] = None
        values = blank
    nested: list[Any] = values.tolist()
    return nested


def on_common_edges(histograms: Sequence[Histogram]) -> tuple[Array, list[Array]]:
    """Puts histograms that end at different edges of the same series on the longest series.

    Returns:
        The edges, and the counts of each histogram.

    Raises:
        ValueError: If the edges do not belong to one series.
    """
    edges = max((histogram.edges for histogram in histograms), key=len)
    for histogram in histograms:
        if not np.array_equal(edges[: len(histogram.edges)], histogram.edges):
            raise ValueError("the histograms of these runs have different edges")
    bins = max(len(edges) - 1, 0)  # a network without links has no edges
    return edges, [np.pad(entry.counts, (0, bins - len(entry.counts))) for entry in histograms]


def merged_delay(runs: Sequence[RunResult]) -> Delay:
    """Adds up the delays of several runs; the quantiles come from the summed histogram."""
    delays = [run.delay for run in runs]
    edges, all_counts = on_common_edges([delay.histogram for delay in delays])
    counts = np.sum(all_counts, axis=0)
    total = sum(delay.count for delay in delays)
    mean = sum(delay.mean_s * delay.count for delay in delays) / max(total, 1)
    smallest = min(delay.min_s for delay in delays)
    largest = max(delay.max_s for delay in delays)
    histogram = Histogram(edges, counts)
    middle, high = (min(_quantile(histogram, share), largest) for share in (0.5, 0.99))
    return Delay(total, smallest, middle, high, mean, largest, histogram)


def _quantile(histogram: Histogram, share: float) -> float:
    """Returns the upper edge of the bin that holds the quantile."""
    cumulative = np.cumsum(histogram.counts)
    if cumulative.size == 0 or cumulative[-1] == 0:
        return 0.0
    return float(histogram.edges[1 + int(np.searchsorted(cumulative, share * cumulative[-1]))])
