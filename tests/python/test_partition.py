"""Distributions of a mesh over ranks: METIS and the curve, files, and the same bits with all of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import needs_mpi

import tradewind as tw
from tradewind import extras
from tradewind.cli import main
from tradewind.config.partition import item_graph, metis, quality, text_of
from tradewind.errors import ConfigError, Error
from tradewind.models.case import Case
from tradewind.models.run import Checkpointing, ModelRun, plan, run, simulate
from tradewind.models.run_on_mpi import run_on_mpi

needs_metis = pytest.mark.skipif(not extras.available("pymetis"), reason="needs pymetis")

SMALL: dict[str, Any] = {"ne": 3, "case": "steady", "steps": 3}
METHODS: dict[str, dict[str, Any]] = {
    "se": {"method": "se", "time_step": "1800 s", "hyperviscosity_m4_s": 1e17},
    "dg": {"method": "dg", "time_step": "200 s"},
}


def case_of(changes: dict[str, Any], directory: Path = Path()) -> Case:
    return Case.read("homme", {"homme": SMALL | changes}, directory=directory)


def same_bits(one: ModelRun, other: ModelRun) -> bool:
    """Returns whether all fields and numbers of the last output are the same."""
    first, second = one.final, other.final
    return first.numbers == second.numbers and all(
        np.array_equal(first.fields[name], second.fields[name]) for name in first.fields
    )


def test_elements_have_eight_neighbours_or_seven_and_weights_of_their_points() -> None:
    graph = item_graph("homme", {"ne": 4}, 5)
    counts = np.diff(graph.first)
    # Seven where three elements meet at a corner of the cube.
    assert sorted(np.unique(counts, return_counts=True)[1]) == [24, 72]
    assert counts.min() == 7 and counts.max() == 8
    weights = {}
    for item in range(96):
        for place in range(graph.first[item], graph.first[item + 1]):
            weights[item, int(graph.neighbors[place])] = int(graph.weights[place])
    assert set(weights.values()) == {1, 4}
    assert all(weights[other, item] == weight for (item, other), weight in weights.items())
    assert np.bincount(graph.owners).tolist() == [20, 19, 19, 19, 19]
    dg = item_graph("homme", {"ne": 4, "method": "dg"}, 5)
    assert set(np.diff(dg.first)) == {4} and set(dg.weights) == {6}
    with pytest.raises(ConfigError, match=r"pstswm: has no items to distribute.*homme"):
        item_graph("pstswm", {}, 2)


def test_the_quality_of_a_partition_is_what_its_definition_says() -> None:
    graph = item_graph("homme", {"ne": 3}, 7)
    owners = np.array([(5 * item + item // 4) % 7 for item in range(54)])
    found = quality(graph, owners, 7)
    cut, sent = 0, [0] * 7
    partners: list[set[int]] = [set() for _ in range(7)]
    for item in range(54):
        for place in range(graph.first[item], graph.first[item + 1]):
            other = owners[graph.neighbors[place]]
            if other != owners[item]:
                cut += graph.weights[place]
                sent[owners[item]] += graph.weights[place]
                partners[owners[item]].add(other)
    assert found.edge_cut == cut / 2 and found.most_points == max(sent)
    assert found.most_neighbors == max(map(len, partners))
    assert found.mean_neighbors == pytest.approx(sum(map(len, partners)) / 7)
    assert found.imbalance == pytest.approx(7 * np.bincount(owners).max() / 54)


@needs_metis
@pytest.mark.parametrize("ranks", [1, 2, 5, 7, 24, 53, 54])
def test_metis_gives_every_rank_an_element(ranks: int) -> None:
    graph = item_graph("homme", {"ne": 3}, ranks)
    owners = metis(graph, ranks)
    assert len(owners) == 54 and set(owners) == set(range(ranks))
    assert np.array_equal(owners, metis(graph, ranks))


@needs_metis
@pytest.mark.parametrize(("ne", "ranks"), [(8, 6), (8, 24), (16, 32)])
def test_metis_and_the_curve_cut_fewer_edges_than_scattered_elements(ne: int, ranks: int) -> None:
    graph = item_graph("homme", {"ne": ne}, ranks)
    scattered = quality(graph, np.arange(6 * ne * ne) * 35 % ranks, ranks)
    for owners in (metis(graph, ranks), graph.owners):
        found = quality(graph, owners, ranks)
        assert found.edge_cut < 0.6 * scattered.edge_cut
        assert found.most_neighbors < 12 and found.imbalance < 1.1


@needs_metis
@pytest.mark.parametrize("method", sorted(METHODS))
def test_either_partition_gives_the_same_bits(method: str, tmp_path: Path) -> None:
    by_curve = run(case_of(METHODS[method]), 5)
    by_metis = run(case_of(METHODS[method] | {"partition": "metis"}), 5)
    assert "partition_file" in by_metis.case.settings
    assert same_bits(by_curve, by_metis)
    (tmp_path / "own.part").write_text(text_of(np.arange(54) * 7 % 4), encoding="utf-8")
    by_file = run(case_of(METHODS[method] | {"partition_file": "own.part"}, tmp_path), 4)
    assert same_bits(by_curve, by_file)


@needs_mpi
@needs_metis
def test_a_partition_by_metis_runs_on_mpi_by_every_native_exchange() -> None:
    here = run(case_of(METHODS["se"]))
    for exchange in ("synchronous", "native", "native_nonblocking", "on_arrival.persistent"):
        case = case_of(METHODS["se"] | {"partition": "metis", "exchange": exchange})
        there = plan(case, 4)
        run_on_mpi(there)
        assert same_bits(here, there), exchange


@needs_metis
def test_messages_alone_follow_the_partition(tmp_path: Path) -> None:
    machine = {
        "topology": {"name": "star", "nodes": 24},
        "link": {"bandwidth": "10 GB/s", "latency": "1 us"},
    }
    program = {"name": "homme", "ne": 4, "ranks": 24}
    network = {"simulation": {"network": "analytic"}}

    def simulated(**changes: object) -> tw.Run:
        done = tw.simulate({"machine": machine, "program": program | changes, **network})
        assert isinstance(done, tw.Run)
        return done

    (tmp_path / "worst.part").write_text(text_of(np.arange(96) * 35 % 24), encoding="utf-8")
    by_metis = simulated(partition="metis")
    worst = simulated(partition_file=str(tmp_path / "worst.part"))
    assert by_metis.counts["messages"] < worst.counts["messages"]
    assert by_metis.counts["bytes"] < worst.counts["bytes"]
    assert simulated(partition="curve").hash == simulated().hash


@needs_metis
def test_the_command_compares_partitions_and_writes_the_ranks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = tmp_path / "case.toml"
    case.write_text("[homme]\nne = 3\nsteps = 1\n", encoding="utf-8")
    part = tmp_path / "metis.part"
    assert main(["partition", "homme", str(case), "-n", "6", "-o", str(part), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["items"] == 54 and found["curve"]["imbalance"] == 1.0
    ranks = [int(line) for line in part.read_text(encoding="utf-8").splitlines()]
    graph = item_graph("homme", {"ne": 3}, 6)
    assert quality(graph, np.array(ranks), 6).edge_cut == found["metis"]["edge_cut"]
    assert main(["partition", "homme", str(case), "-n", "6"]) == 0
    assert "most neighbours" in capsys.readouterr().out
    case.write_text('[homme]\nne = 3\nsteps = 1\npartition_file = "metis.part"\n', encoding="utf-8")
    assert plan(Case.load("homme", case), 6).ranks == 6
    with pytest.raises(ConfigError, match=r"has the rank [345], expected one of 0\.\.2"):
        plan(Case.load("homme", case), 3)
    with pytest.raises(ConfigError, match="rank 6 of 7 has no element"):
        plan(Case.load("homme", case), 7)


def test_wrong_partitions_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match=r"partition_file = .*none\.part.*No such file"):
        case_of({"partition_file": "none.part"}, tmp_path)
    with pytest.raises(ConfigError, match="curve, metis"):
        case_of({"partition": "scotch"})
    (tmp_path / "short.part").write_text("0\n1\n", encoding="utf-8")
    short = {"partition_file": "short.part"}
    with pytest.raises(ConfigError, match="only 2 ranks, expected one for each of the 54"):
        plan(case_of(short, tmp_path), 2)
    with pytest.raises(ConfigError, match='partition = "curve" has no partition_file'):
        plan(case_of(short | {"partition": "curve"}, tmp_path), 2)
    (tmp_path / "empty.part").write_text("", encoding="utf-8")
    with pytest.raises(ConfigError, match="only 0 ranks"):
        plan(case_of({"partition_file": "empty.part"}, tmp_path), 2)
    with pytest.raises(ConfigError, match="ne = 600 has 2160000 elements"):
        item_graph("homme", {"ne": 600}, 2)
    monkeypatch.setitem(sys.modules, "pymetis", None)
    with pytest.raises(Error, match=r'partitions by METIS need .*"tradewind\[mesh\]"'):
        plan(case_of({"partition": "metis"}), 2)


@needs_metis
def test_a_checkpoint_goes_on_with_its_own_partition_only(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.bin"
    own = METHODS["se"] | {"partition": "metis"}
    whole = plan(case_of(own), 3)
    simulate(whole, None, Checkpointing(2, file))
    again = plan(case_of(own), 3)
    simulate(again, None, Checkpointing(restart=file))
    assert same_bits(whole, again)
    # Another partition whose parts have the same sizes.
    graph = item_graph("homme", {"ne": 3}, 3)
    (tmp_path / "other.part").write_text(text_of(metis(graph, 3)[::-1]), encoding="utf-8")
    other = plan(case_of(own | {"partition_file": "other.part"}, tmp_path), 3)
    with pytest.raises(ConfigError, match="was written with another partition"):
        simulate(other, None, Checkpointing(restart=file))
