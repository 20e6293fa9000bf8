"""The compiled core, loaded on first use, with types."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, Protocol, cast

from tradewind.errors import Error

Progress = Callable[[int, int, int], bool]


class ModelObserver(Protocol):
    """What is told of a run of a model; may raise to end it."""

    def stepped(self, step: int) -> None:
        """After every step."""

    def observed(self, snapshot: Mapping[str, Any]) -> None:
        """Fields and diagnostics, wherever output was asked for."""


class Core(Protocol):
    """What `tradewind._core` offers."""

    version: str

    def simulate(
        self,
        spec: Mapping[str, Mapping[str, object]],
        progress: Progress | None = None,
        transport: object = None,
    ) -> dict[str, Any]:
        """Runs one simulation; `progress` gets done ranks, packet-hops and simulated ps.

        With a `transport` of tradewind._processes its processes share the run, and only the first
        gets more than wall_s, cpu_s and peak_rss_bytes.
        """

    def predict(self, spec: Mapping[str, Mapping[str, object]]) -> dict[str, Any]:
        """Estimates memory, messages and packets of a run without making it."""

    def routes(self, spec: Mapping[str, Mapping[str, object]], nodes: int) -> dict[str, Any]:
        """Lists the links, and the routes over them, between the first nodes of a machine."""

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
        """Operations of a program whose algorithm one can choose."""

    def processes(self, spec: Mapping[str, Mapping[str, object]]) -> list[int] | None:
        """The process grid [cx, cy] of a program that has one."""

    def tuning_remarks(self, spec: Mapping[str, Mapping[str, object]]) -> list[str]:
        """Where a run takes what was tuned for another number of ranks."""

    def put_protocols(self) -> list[str]:
        """Names of the protocols that differ from one another where puts carry the messages."""

    def algorithms(self) -> list[dict[str, Any]]:
        """Algorithms that one can choose, with the options that they read."""

    def tuned_case(self, table: str, operation: str, ranks: int, size: int) -> dict[str, Any]:
        """The case that the text of a tuning table gives."""

    def catalogue(self) -> dict[str, list[tuple[str, str]]]:
        """Names and summaries of everything that can be chosen, by kind."""


@cache
def load() -> Core:
    """The compiled core.

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
    """Names of the entries of one part of the catalogue, such as "alltoallv"."""
    return tuple(name for name, _ in load().catalogue()[kind])


@cache
def protocols() -> Mapping[str, str]:
    """Every spelling of a message protocol, such as "(1,6)" or "synchronous", and its name."""
    spellings = {"default": "default"}
    for name, summary in load().catalogue()["protocols"]:
        spellings[name] = spellings[summary.partition(":")[0]] = name
    return spellings
