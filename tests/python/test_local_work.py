"""Copies and sums of ranks in their own memory, in simulated time."""

from __future__ import annotations

from typing import Any

import pytest

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError

MACHINE: dict[str, Any] = {
    "topology": {"name": "star", "nodes": 6},
    "link": {"bandwidth": "1 GB/s", "latency": "1 us"},
    "node": {"ranks_per_node": 2},
    "message": {"eager_limit": "1 KiB"},
}
RATES = {"copy_bandwidth": "4 GB/s", "copy_overhead": "50 ns", "sum_bandwidth": "2 GB/s"}
# Hashes of the completion times of all ranks before local work had any rate.
WITHOUT_RATES = {
    "allreduce recursive_doubling": "062b51d5c050bd67",
    "allreduce recursive_k": "b638748f393b6f30",
    "allreduce rabenseifner": "8f9b52312e71c29f",
    "allreduce ring": "fd1abe4a2477aa66",
    "allreduce tree": "54dd3cd6184f8930",
    "allreduce swing": "d167f6031cb18da0",
    "allreduce bine": "7c5c1b59961ac4e1",
    "allreduce ringpipe": "55d1ce35420007e2",
    "alltoallv burst": "fdaad96c5bd330f2",
    "alltoallv pairwise": "c93c58a12dba7c8f",
    "alltoallv bruck": "8689544319742165",
    "alltoallv bruck_k": "6abe8ae733349975",
    "halo": "099f08a16eb44736",
    "gcr": "b0225e8e5f537850",
    "transposition": "c33849cfdb99aa10",
}
SETTINGS: dict[str, dict[str, Any]] = {
    "allreduce": {"bytes": "4800 B"},
    "alltoallv": {"bytes": "600 B"},
    "halo": {"grid": [24, 12, 4], "width": 2, "process_grid": "squarest"},
    "gcr": {},
    "transposition": {"grid": [24, 12, 16]},
}


def _simulated(case: str, node: dict[str, Any]) -> dict[str, Any]:
    name, _, algorithm = case.partition(" ")
    program = {"name": name, "ranks": 12, **SETTINGS[name]}
    if algorithm:
        program[name] = algorithm
    machine = MACHINE | {"node": MACHINE["node"] | node}
    (member,) = Experiment.load({"machine": machine, "program": program}).members()
    found: dict[str, Any] = core.load().simulate(member.spec.tables())
    return found


@pytest.mark.parametrize("case", WITHOUT_RATES)
def test_local_work_takes_time_only_on_a_machine_with_rates(case: str) -> None:
    plain = _simulated(case, {})
    assert plain["hash"] == WITHOUT_RATES[case]
    assert _simulated(case, {"cache": "1 KiB"})["hash"] == plain["hash"]
    busy = _simulated(case, RATES)
    assert busy["time_s"] > plain["time_s"]
    assert (busy["messages"], busy["bytes"]) == (plain["messages"], plain["bytes"])
    # A copy has at least 4800 bytes, or many rows.
    assert busy["time_s"] - plain["time_s"] > 0.1e-6


def test_what_no_cache_holds_goes_at_a_rate_of_its_own() -> None:
    case = "allreduce recursive_doubling"
    plain = _simulated(case, {})["time_s"]
    # Twelve ranks: eight of them exchange three times, and four more fold before that: four sums,
    # the last of which hide a little of what partners wait for each other.
    sums = 4 * 4800 / 2e9
    slow = {"sum_bandwidth": "2 GB/s", "uncached_sum_bandwidth": "1 GB/s"}
    inside = _simulated(case, {**slow, "cache": "4800 B"})["time_s"]
    beyond = _simulated(case, {**slow, "cache": "4799 B"})["time_s"]
    assert inside - plain == pytest.approx(sums, rel=0.05)
    assert beyond - plain == pytest.approx(2 * sums, rel=0.05)


def test_a_rate_of_zero_is_refused() -> None:
    with pytest.raises(ConfigError, match="copy_bandwidth"):
        _simulated("halo", {"copy_bandwidth": "0 GB/s"})
