"""The compiled core, loaded on first use, with types."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, NotRequired, Protocol, TypedDict, cast

from tradewind.errors import Error

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Array = NDArray[Any]

Progress = Callable[[int, int, int], bool]


class ModelObserver(Protocol):
    """The listener of a run of a model; may raise to end it."""

    def stepped(self, step: int) -> None:
        """Is told of every step when it is done."""

    def observed(self, snapshot: Mapping[str, Any]) -> None:
        """Is told fields and diagnostics, wherever output was asked for."""


class RawDelay(TypedDict):
    """Times of messages or packets beyond their contention-free time; `edges_s` has one more entry."""

    count: int
    min_s: float
    median_s: float
    p99_s: float
    mean_s: float
    max_s: float
    edges_s: Array
    counts: Array


class RawLinkClass(TypedDict):
    """All links of one kind."""

    name: str
    count: int
    bytes: int
    utilisation_mean: float
    utilisation_max: float
    waiting_s: float


class RawLinks(TypedDict):
    """Utilisation of links, in 0..1; `histogram_edges` has one entry more than `histogram`."""

    mean: float
    max: float
    histogram_edges: Array
    histogram: Array
    classes: list[RawLinkClass]


class RawPhase(TypedDict):
    """A named part of the program: first start, last end, mean duration, and how often all ranks enter it."""

    name: str
    start_s: float
    end_s: float
    mean_s: float
    count: NotRequired[int]
    processes: NotRequired[list[int]]


class RawPhaseOutline(TypedDict):
    """A phase that an experiment describes: its name, the ranks that run it together, its grid."""

    name: str
    ranks: int
    processes: list[int] | None


class RawMatrix(TypedDict):
    """Traffic between bins of ranks, source x destination."""

    bytes: Array
    delay_s: Array
    messages: Array


class RawLinkPanel(TypedDict):
    """Loads of links where they stand in the topology; all arrays have three dimensions."""

    axes: Sequence[str]
    extents: Sequence[int]
    links: Array
    bytes: Array
    waiting_s: Array
    utilisation_mean: Array
    utilisation_max: Array


class RawCriticalPath(TypedDict):
    """The steps of the critical path: the names of their kinds, and an entry per step."""

    kinds: list[str]
    kind: Array
    begin_ps: Array
    end_ps: Array
    rank: Array
    partner: Array
    phase: Array
    switch: Array
    port: Array
    to_switch: Array
    link_class: Array


class RawOrigin(TypedDict):
    """When and on what a run was simulated."""

    date: str
    host: str
    processor: str
    cores: int


class RawRun(TypedDict):
    """The result of a simulation; the last entries are there if the run asked for them."""

    time_s: float
    wall_s: float
    cpu_s: float
    peak_rss_bytes: int
    ranks: int
    nodes: int
    switches: int
    messages: int
    bytes: int
    packets: int
    packet_hops: int
    events: int
    windows: int
    hash: str
    delay: RawDelay
    links: RawLinks
    phases: list[RawPhase]
    busiest_rank_s: NotRequired[float]
    packet_wait: NotRequired[RawDelay]
    matrix: NotRequired[RawMatrix]
    timeline: NotRequired[dict[str, Array]]
    phase_marks: NotRequired[dict[str, Array]]
    link_details: NotRequired[dict[str, Array]]
    link_map: NotRequired[dict[str, RawLinkPanel]]
    critical_path: NotRequired[RawCriticalPath]
    processes: NotRequired[list[int]]
    origin: NotRequired[RawOrigin]


class RawPrediction(TypedDict):
    """The rough prediction of a run."""

    memory_bytes: int
    address_bytes: int
    ranks: int
    nodes: int
    switches: int
    messages: int
    packets: int
    bytes: int


class TraceBuilder(Protocol):
    """A trace that grows: the calls of each rank are added in their order, and folded into loops."""

    def string(self, text: str) -> int:
        """Returns the number of a text."""

    def event(
        self, call: str, comm: int, arguments: Sequence[int], flags: int = 0, site: int = -1
    ) -> int:
        """Returns the number of a call with its arguments.

        Raises:
            TraceError: If the arguments do not have the shape of the call.
        """

    def communicator(self, rank: int, members: Sequence[int]) -> int:
        """Adds a communicator of a rank, made of ranks of the world, and returns its number there."""

    def add(
        self, rank: int, events: Array, computed: Array, processor: Array, inside: Array
    ) -> None:
        """Adds calls of a rank; all arrays have one 64-bit entry for each, times are picoseconds."""

    def finish(self) -> dict[str, Any]:
        """Returns the arrays of the trace by name, and its strings as bytes."""


class Core(Protocol):
    """The interface of `tradewind._core`."""

    version: str

    def simulate(
        self,
        spec: Mapping[str, Mapping[str, object]],
        progress: Progress | None = None,
        group: object = None,
    ) -> RawRun:
        """Runs one simulation; `progress` gets done ranks, packet-hops and simulated ps.

        With the `group` of tradewind._processes its processes share the run, and only the first
        gets more than wall_s, cpu_s and peak_rss_bytes.
        """

    def TraceBuilder(self, ranks: int) -> TraceBuilder:  # noqa: N802 - a class
        """Makes an empty trace of that many ranks."""

    def trace_calls(self) -> list[tuple[str, str]]:
        """Returns name and shape of each call of a trace."""

    def trace_arrays(self) -> list[str]:
        """Returns the names of the arrays of a trace."""

    def check_trace(self, path: str) -> None:
        """Raises TraceError unless an unpacked trace is whole."""

    def raw_sites(self, folder: str) -> list[tuple[str, int, str]]:
        """Returns module, offset and function of each call site in the raw files of a recording."""

    def read_raw(
        self, folder: str, sites: Sequence[tuple[str, int, str]]
    ) -> tuple[dict[str, Any], list[dict[str, Any]]]:
        """Returns the arrays of a trace, and what is known of each recorded rank.

        The last entry of each of the `sites` is its name.
        """

    def predict(self, spec: Mapping[str, Mapping[str, object]]) -> RawPrediction:
        """Estimates memory, messages and packets of a run without making it."""

    def read_values(self, spec: Mapping[str, Mapping[str, object]]) -> dict[str, dict[str, Any]]:
        """Returns the values that the core reads to set up a run: given ones, and its defaults."""

    def routes(self, spec: Mapping[str, Mapping[str, object]], nodes: int) -> dict[str, Any]:
        """Lists the links, and the routes over them, between the first nodes of a machine."""

    def survey_machine(self, spec: Mapping[str, Mapping[str, object]]) -> dict[str, Any]:
        """Returns the nodes, switches, links, distances and bisection of a machine."""

    def message_cost(
        self, spec: Mapping[str, Mapping[str, object]], source: int, target: int, size: int
    ) -> dict[str, Any]:
        """Returns the time of a message between two nodes in a simulation, and its parts."""

    def shortest_route(
        self, spec: Mapping[str, Mapping[str, object]], source: int, target: int
    ) -> list[tuple[int, int, str, str]]:
        """Returns the links of the shortest route: from and to switch, class, place."""

    def wiring(self, spec: Mapping[str, Mapping[str, object]], most_links: int) -> dict[str, Any]:
        """Returns the switches of a machine, and how they are joined if by few enough links."""

    def check_room(self, spec: Mapping[str, Mapping[str, object]], ranks: int) -> None:
        """Refuses more ranks than the nodes of a machine have room for, by a ConfigError."""

    def place_ranks(self, spec: Mapping[str, Mapping[str, object]], ranks: int) -> list[int]:
        """Returns the node of each rank."""

    def programs(self) -> list[dict[str, Any]]:
        """Returns every program with the settings that it declares."""

    def topologies(self) -> list[dict[str, Any]]:
        """Returns every topology: settings, routing rules with its default first, link classes."""

    def routings(self) -> list[dict[str, Any]]:
        """Returns every routing rule with the settings that it declares."""

    def machine_settings(self) -> dict[str, list[dict[str, Any]]]:
        """Returns the declarations of the sections that do not depend on the topology."""

    def algorithm_settings(self) -> list[dict[str, Any]]:
        """Returns the declarations of the settings that choose an algorithm."""

    def plan_model(self, model: str, settings: Mapping[str, object], ranks: int) -> dict[str, Any]:
        """Checks a run of a model with data; returns what is known before its first step."""

    def run_model(
        self,
        model: str,
        settings: Mapping[str, object],
        ranks: int,
        observer: ModelObserver,
        checkpoints: Mapping[str, object],
    ) -> dict[str, Any]:
        """Runs a model with data on simulated ranks; returns the traffic."""

    def predict_model_memory(
        self, model: str, settings: Mapping[str, object], ranks: int
    ) -> dict[str, float]:
        """Estimates the bytes of all `ranks` of a model with data together, and of its `results`."""

    def measure(
        self, spec: Mapping[str, Any], name: str, settings: Mapping[str, object]
    ) -> list[dict[str, Any]]:
        """Runs a measurement on simulated ranks; returns its rows."""

    def operations(self, spec: Mapping[str, Mapping[str, object]]) -> list[dict[str, Any]]:
        """Returns the operations of a program whose algorithm one can choose."""

    def processes(self, spec: Mapping[str, Mapping[str, object]]) -> list[int] | None:
        """Returns the process grid [cx, cy] of a program that has one."""

    def phases(self, spec: Mapping[str, Mapping[str, object]]) -> list[RawPhaseOutline]:
        """Returns the phases of a program; none of a program without phases."""

    def item_graph(
        self, spec: Mapping[str, Mapping[str, object]]
    ) -> Mapping[str, list[int]] | None:
        """Returns the items that a program distributes: first, neighbors, weights, owners; None: it has none."""

    def rank_edges(self, graph: str, partition: str, ranks: int) -> Mapping[str, list[int]]:
        """Returns the edges of a graph of ranks from a file: from, to, weight."""

    def halo_edges(
        self, spec: Mapping[str, Mapping[str, object]]
    ) -> Mapping[str, list[int]] | None:
        """Returns who sends how many items to whom by a program's halo: from, to, weight; None: it has none."""

    def tuning_remarks(self, spec: Mapping[str, Mapping[str, object]]) -> list[str]:
        """Says where a run takes what was tuned for another number of ranks."""

    def put_protocols(self) -> list[str]:
        """Returns the protocols that differ from one another where puts carry the messages."""

    def algorithms(self) -> list[dict[str, Any]]:
        """Returns the algorithms that one can choose, with the options that they read."""

    def collectives(self) -> list[dict[str, Any]]:
        """Returns every operation: its name, its default algorithm, whether one can choose it."""

    def measurements(self) -> dict[str, list[dict[str, Any]]]:
        """Returns the settings that each measurement declares."""

    def tuned_case(self, table: str, operation: str, ranks: int, size: int) -> dict[str, Any]:
        """Returns the case that the text of a tuning table gives."""

    def catalogue(self) -> dict[str, list[tuple[str, str]]]:
        """Returns names and summaries of everything that can be chosen, by kind."""


@cache
def load() -> Core:
    """Returns the compiled core.

    Raises:
        Error: If it is missing or was built for another Python.
    """
    try:
        return cast(Core, importlib.import_module("tradewind._core"))
    except ImportError as error:
        raise Error(
            f"the compiled core of tradewind cannot be loaded ({error}); reinstall tradewind"
        ) from None


@cache
def names(kind: str) -> tuple[str, ...]:
    """Returns the names of the entries of one part of the catalogue, such as "alltoallv"."""
    return tuple(name for name, _ in load().catalogue()[kind])


@cache
def protocols() -> Mapping[str, str]:
    """Returns every spelling of a message protocol, such as "(1,6)" or "synchronous", and its name."""
    spellings = {"default": "default"}
    for name, summary in load().catalogue()["protocols"]:
        spellings[name] = spellings[summary.partition(":")[0]] = name
    return spellings
