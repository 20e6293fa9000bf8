from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import tradewind as tw
from tradewind import core
from tradewind.config import keys, places
from tradewind.config.axes import short_name
from tradewind.config.experiment import Experiment
from tradewind.config.machine import load_machine
from tradewind.config.overrides import parse_assignments
from tradewind.config.spec import Tables
from tradewind.errors import ConfigError
from tradewind.models.case import Case
from tradewind.models.run import plan
from tradewind.runs.limits import check_runs

# Table 1 of zheng2018; the fat trees have four full levels of switches here, three in the table.
TABLE_1 = {
    "torus-m": 390_625,
    "fattree-m": 390_625,
    "dragonfly-mm": 390_625,
    "dragonfly-sl": 390_625,
    "dragonfly-ls": 390_625,
    "torus-l": 1_171_875,
    "fattree-l": 1_185_921,
    "dragonfly-ml": 1_171_875,
}


def spec_of(raw: dict[str, Any], changes: dict[str, Any] | None = None) -> Tables:
    (member,) = Experiment.load(raw, changes).members()
    return member.spec.tables()


@pytest.mark.parametrize("name", sorted(places.machine_files()))
def test_every_machine_file_can_be_simulated_on(name: str) -> None:
    raw = {"machine": name, "program": {"name": "allreduce", "bytes": "8 B", "ranks": 8}}
    experiment = Experiment.load(raw)
    (prediction,) = check_runs(experiment.members(), name)
    assert prediction.nodes == TABLE_1.get(name, prediction.nodes)
    assert load_machine(name).title


@pytest.mark.parametrize(
    ("model", "name"),
    [(model, name) for model in keys.models() for name in places.case_files(model)],
)
def test_every_shipped_case_can_be_planned(model: str, name: str) -> None:
    run = plan(Case.load(model, places.find_case(model, Path(name))), 2)
    assert run.title and run.steps > 0


@pytest.mark.parametrize("name", sorted(places.experiment_files()))
def test_every_shipped_experiment_is_right(name: str) -> None:
    experiment = Experiment.load(name)
    members = experiment.members()
    assert len({member.key for member in members}) == len(members)
    check_runs([max(members, key=lambda member: member.ranks)], name)


def test_the_tables_of_keys_know_all_that_the_core_offers() -> None:
    catalogue = core.load().catalogue()
    for kind, table in (
        ("topologies", keys.topologies()),
        ("routings", keys.routings()),
        ("programs", keys.programs()),
    ):
        assert {name for name, _ in catalogue[kind]} == set(table)


def test_a_machine_is_resolved_to_base_units(small: dict[str, Any]) -> None:
    spec = spec_of(small)
    assert spec["link"] == {"bandwidth": 10e9, "latency": 100_000}
    assert spec["topology"] == {"name": "torus", "extents": [4, 4], "nodes_per_switch": 2}
    assert spec["routing"] == {"name": "dimension_order"}
    assert spec["simulation"]["packet_size"] == 4096
    assert spec["program"]["algorithm"] == "ring_k"
    assert spec["program"]["radix"] == 4
    assert "alltoallv" not in spec["program"]


def test_a_plain_number_is_read_where_the_key_names_the_unit(small: dict[str, Any]) -> None:
    small["machine"]["link"] = {"bandwidth_gb_per_s": 2.5, "latency_ns": 300}
    assert spec_of(small)["link"] == {"bandwidth": 2.5e9, "latency": 300_000}


def test_automatic_packet_size_is_zero_for_the_core(small: dict[str, Any]) -> None:
    assert spec_of(small, {"simulation.packet_size": "auto"})["simulation"]["packet_size"] == 0


def test_keys_beside_the_name_change_the_named_machine() -> None:
    raw = {
        "machine": {
            "name": "dragonfly-mm",
            "routing": "valiant",
            "link": {"global_latency": "1 us", "latency_ns": 50},
        },
        "program": {"name": "gcr", "ranks": 100},
    }
    spec = spec_of(raw)
    assert spec["link"] == {"bandwidth": 10e9, "latency": 50_000, "global_latency": 1_000_000}
    assert spec["routing"] == {"name": "valiant"}
    assert spec["topology"]["groups"] == 25


def test_another_topology_takes_nothing_over_from_the_one_it_replaces() -> None:
    raw = {
        "machine": {"name": "dragonfly-mm", "topology": {"name": "star", "nodes": 4}},
        "program": {"name": "gcr", "ranks": 4},
    }
    spec = spec_of(raw)
    assert spec["topology"] == {"name": "star", "nodes": 4}
    assert spec["routing"] == {"name": "minimal"}


def test_ejection_is_as_fast_as_injection_unless_it_is_given(small: dict[str, Any]) -> None:
    small["machine"]["nic"] = {"injection_bandwidth": "3 GB/s"}
    assert spec_of(small)["nic"]["ejection_bandwidth"] == 3e9


def test_set_takes_toml_values_and_bare_texts() -> None:
    given = ["program.ranks=100", "machine.routing=valiant", "program.grid=[1, 2, 3]", "a.b=4 KiB"]
    assert parse_assignments(given) == {
        "program.ranks": 100,
        "machine.routing": "valiant",
        "program.grid": [1, 2, 3],
        "a.b": "4 KiB",
    }


def test_set_without_a_value_is_refused() -> None:
    with pytest.raises(ConfigError, match="expected key=value"):
        parse_assignments(["program.ranks"])


def test_a_sweep_is_the_cartesian_product(sweep_file: Path) -> None:
    experiment = Experiment.load(sweep_file)
    assert [(axis.name, axis.labels) for axis in experiment.axes] == [
        ("ranks", (2, 4, 8)),
        ("algorithm", ("recursive_doubling", "ring")),
    ]
    members = experiment.members()
    assert [member.position for member in members] == [(i, j) for i in range(3) for j in range(2)]
    assert members[3].parameters == {"ranks": 4, "algorithm": "ring"}
    assert members[3].spec.program["algorithm"] == "ring"


def test_setting_a_swept_key_ends_its_sweep(sweep_file: Path) -> None:
    experiment = Experiment.load(sweep_file, {"program.ranks": 8})
    assert [axis.name for axis in experiment.axes] == ["algorithm"]
    assert all(member.ranks == 8 for member in experiment.members())


def test_a_sweep_can_be_set_from_outside(sweep_file: Path) -> None:
    experiment = Experiment.load(sweep_file, {"sweep.program.ranks": [3, 5]})
    assert experiment.axes[0].labels == (3, 5)


def test_series_set_several_keys_at_once() -> None:
    experiment = Experiment.load("zheng2018/fig9a", {"program.ranks": 100})
    labels = [member.parameters["series"] for member in experiment.members()]
    names = [member.spec.program.name for member in experiment.members()]
    assert labels == ["halo, 3 points", "halo, 10 points", "halo, 20 points", "transposition"]
    assert names == ["halo", "halo", "halo", "transposition"]


def test_tables_can_vary_and_are_labelled_by_what_they_say() -> None:
    labels = Experiment.load("zheng2018/fig5a").axes[1].labels
    assert labels == ("burst", "bruck", "ring_k, radix 1", "ring_k, radix 4")


@pytest.mark.parametrize(
    ("dotted", "name"),
    [
        ("program.ranks", "ranks"),
        ("machine.name", "machine"),
        ("machine.routing", "routing"),
        ("machine.link.bandwidth", "link_bandwidth"),
        ("program.alltoallv.radix", "radix"),
    ],
)
def test_an_axis_has_a_short_name(dotted: str, name: str) -> None:
    assert short_name(dotted) == name


def test_threads_change_neither_key_nor_result_but_the_seed_does(small: dict[str, Any]) -> None:
    (one,) = Experiment.load(small, {"simulation.threads": 1}).members()
    (two,) = Experiment.load(small, {"simulation.threads": 2}).members()
    (other,) = Experiment.load(small, {"simulation.seed": 2}).members()
    assert one.key == two.key != other.key


def test_ranks_are_placed_by_a_file(tmp_path: Path, small: dict[str, Any]) -> None:
    path = tmp_path / "nodes.txt"
    path.write_text(" ".join(map(str, range(7, -1, -1))), encoding="utf-8")
    small["placement"] = {"rule": "file", "file": str(path)}
    assert spec_of(small)["placement"]["nodes"] == [7, 6, 5, 4, 3, 2, 1, 0]
    with pytest.raises(ConfigError, match="expected 4 numbers from 0, one per rank, not 8"):
        spec_of(small, {"program.ranks": 4})


def test_tiles_are_made_of_the_process_grid_of_the_program(small: dict[str, Any]) -> None:
    small["placement"] = {"rule": "tiles"}
    assert spec_of(small)["placement"]["processes"] == [2, 4]
    assert spec_of(small, {"program.processes": [8, 1]})["placement"]["processes"] == [8, 1]
    assert spec_of(small, {"placement.processes": [4, 2]})["placement"]["processes"] == [4, 2]
    run = tw.simulate(small)
    assert isinstance(run, tw.Run) and run.time_s > 0


def test_tiles_without_a_process_grid_are_refused(small: dict[str, Any]) -> None:
    small["placement"] = {"rule": "tiles"}
    small["program"] = {"name": "gcr", "ranks": 8}
    with pytest.raises(ConfigError, match="the program gcr names no process grid"):
        spec_of(small)
    small["placement"]["processes"] = [4, 2]
    assert spec_of(small)["placement"]["processes"] == [4, 2]
    for wrong, said in (
        ({"rule": "tiles", "processes": [3, 2]}, "the product must be 8 ranks"),
        ({"rule": "linear", "processes": [4, 2]}, 'only read with rule = "tiles"'),
    ):
        small["placement"] = wrong
        with pytest.raises(ConfigError, match=said):
            spec_of(small)
