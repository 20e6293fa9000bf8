"""Tests of message protocols as a setting of collective operations."""

from __future__ import annotations

import pytest

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError

OPERATIONS = ("alltoallv", "allreduce")
ALGORITHMS = [(operation, name) for operation in OPERATIONS for name in core.names(operation)]


def simulated(operation: str, algorithm: dict[str, object], ranks: int = 6) -> dict[str, object]:
    """Runs one operation with 4800 bytes per block or vector on a single switch."""
    experiment = Experiment.load(
        {
            "machine": {
                "topology": {"name": "star", "nodes": 8},
                "link": {"bandwidth": "1 GB/s", "latency": "1 us"},
                "message": {"eager_limit": "1 KiB"},
            },
            "program": {
                "name": operation,
                "bytes": "4800 B",
                "ranks": ranks,
                operation: algorithm,
            },
        }
    )
    (member,) = experiment.members()
    return core.load().simulate(member.spec.tables())


@pytest.mark.parametrize(("operation", "name"), ALGORITHMS)
def test_settings_and_core_agree_on_who_takes_a_protocol(operation: str, name: str) -> None:
    if name in ("burst", "spread_out", "hierarchical"):
        with pytest.raises(ConfigError, match=f"the algorithm {name} has no protocol"):
            simulated(operation, {"algorithm": name, "protocol": "(1,0)"})
        return
    plain = simulated(operation, {"algorithm": name})
    ordered = simulated(operation, {"algorithm": name, "protocol": "(1,0)"})
    assert ordered["bytes"] == plain["bytes"]
    assert ordered["messages"] == plain["messages"]
    # In a stage of a bine tree no two ranks send to each other: there is nothing to order.
    assert (ordered["hash"] == plain["hash"]) == (name == "bine")


@pytest.mark.parametrize("spelling", ["(1,6)", "( 1, 6 )", "synchronous"])
def test_a_protocol_has_a_number_and_words(spelling: str) -> None:
    named = simulated("alltoallv", {"algorithm": "ring", "protocol": spelling})
    plain = simulated("alltoallv", {"algorithm": "ring"})
    assert named["messages"] == 2 * plain["messages"]  # type: ignore[operator]


def test_the_native_sendrecv_is_the_default_where_a_stage_has_one_partner() -> None:
    for name in ("ring", "pairwise", "srtrans", "swtrans", "logtrans", "bruck"):
        native = simulated("alltoallv", {"algorithm": name, "protocol": "(0,6)"})
        assert native["hash"] == simulated("alltoallv", {"algorithm": name})["hash"]


def test_every_protocol_of_the_core_can_be_set() -> None:
    names = core.names("protocols")
    assert len(names) == 26
    times = {
        name: simulated("allreduce", {"algorithm": "halfsum", "protocol": name}, 8)["time_s"]
        for name in names
    }
    assert times["(1,0)"] > times["(0,3)"]  # type: ignore[operator]
    assert times["(1,6)"] > times["(1,0)"]  # type: ignore[operator]
