"""Every kind of wrong input gives one line with file, key, value and what is allowed."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from tradewind.config import places
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.runs.limits import check_runs

WRONG: list[tuple[str, dict[str, Any], list[str]]] = [
    ("unknown table", {"machin": {}}, ["machin", 'did you mean "machine"?']),
    ("unknown section", {"machine.lnk": {}}, ["machine.lnk", 'did you mean "link"?']),
    ("unknown key", {"machine.link.latncy": "1 us"}, ["latncy", "1 us", 'did you mean "latency"?']),
    (
        "missing unit",
        {"machine.link.latency": 100},
        ["link.latency = 100", "with its unit", "100 ns"],
    ),
    ("wrong unit", {"machine.link.latency": "100 KiB"}, ['unknown unit "KiB"', "ps, ns, us"]),
    ("unit in the key and in the value", {"machine.switch.latency_ns": "5 ns"}, ["a plain number"]),
    ("key twice", {"machine.switch": {"latency": "1 ns", "latency_ns": 1}}, ["given twice"]),
    ("negative latency", {"machine.link.latency": "-1 ns"}, ["-1 ns", "expected at least 1"]),
    ("no bandwidth", {"machine.link.bandwidth": "0 GB/s"}, ["0 GB/s", "expected at least 1"]),
    ("wrong type", {"program.ranks": "many"}, ['program.ranks = "many"', "a whole number"]),
    ("fraction of a rank", {"program.ranks": 1.5}, ["1.5", "a whole number"]),
    ("truth for a number", {"program.ranks": True}, ["true", "a whole number"]),
    ("number for a truth", {"simulation.timeline": 1}, ["timeline = 1", "true or false"]),
    ("no ranks", {"program.ranks": 0}, ["program.ranks = 0", "at least 1"]),
    ("text for a list", {"program.grid": "big"}, ["program.grid", "a list of 3 whole numbers"]),
    ("short list", {"program.grid": [1, 2]}, ["[1, 2]", "expected 3 numbers, not 2"]),
    ("zero in a list", {"machine.topology.extents": [4, 0]}, ["[4, 0]", "at least 1"]),
    ("table for a text", {"program.name": {}}, ["program.name", "unknown program"]),
    ("no table", {"simulation": 3}, ["simulation = 3", "expected a table"]),
    ("unknown machine", {"machine": "torus-x"}, ["torus-x", "unknown machine", "torus-m"]),
    ("unknown topology", {"machine.topology.name": "tours"}, ["tours", 'did you mean "torus"?']),
    ("unknown routing", {"machine.routing": "minimum"}, ["minimum", 'did you mean "minimal"?']),
    (
        "routing elsewhere",
        {"machine.routing": "d_mod_k"},
        ["d_mod_k", "topology torus", "allowed: dim"],
    ),
    (
        "key of another topology",
        {"machine.topology.arity": 4},
        ["topology.arity = 4", "unknown key"],
    ),
    ("key of another program", {"program.width": 3}, ["program.width = 3", "unknown key"]),
    ("unknown program", {"program.name": "halos"}, ["halos", 'did you mean "halo"?']),
    ("unknown algorithm", {"program.alltoallv": "ringk"}, ["ringk", 'did you mean "ring_k"?']),
    (
        "no such radix",
        {"program.alltoallv": {"algorithm": "burst", "radix": 2}},
        ["burst has no radix"],
    ),
    (
        "no protocols",
        {"program.alltoallv": {"algorithm": "burst", "protocol": "(0,6)"}},
        ["burst has no protocol"],
    ),
    (
        "unknown protocol",
        {"program.alltoallv": {"algorithm": "ring", "protocol": "sinchronous"}},
        ["sinchronous", 'did you mean "synchronous"?', "(0,0), (0,1)"],
    ),
    ("unknown choice", {"simulation.network": "fluid"}, ["fluid", "analytic, packet, packet_unb"]),
    (
        "grid of processes",
        {"program.processes": [3, 3]},
        ["[3, 3]", "the product must be the number of ranks, 8"],
    ),
    (
        "processes too many",
        {"program.processes": [1, 8], "program.grid": [4, 4, 4]},
        ["cy may be at most 4"],
    ),
    (
        "no fitting processes",
        {"program.ranks": 31, "program.grid": [8, 8, 8]},
        ["31", "cx cuts x and may be at most 8"],
    ),
    (
        "more ranks than places",
        {"program.ranks": 128},
        ["ranks = 128", "32 nodes x 1 ranks per node"],
    ),
    ("no file of nodes", {"placement": {"rule": "file"}}, ["placement.file", "missing"]),
    ("absent file", {"placement": {"rule": "file", "file": "no.txt"}}, ["no.txt", "No such file"]),
    ("file without rule", {"placement": {"file": "no.txt"}}, ['rule = "file"']),
    ("sweep of one value", {"sweep.program.ranks": 4}, ["a list with at least one"]),
    ("sweep of anything", {"sweep.colour.x": [1]}, ["colour.x", "cannot vary"]),
    ("value twice", {"sweep.program.ranks": [4, 4]}, ["[4, 4]", "given twice"]),
    (
        "wrong value in a sweep",
        {"sweep.program.ranks": [4, -1]},
        ["program.ranks = -1", "at least 1"],
    ),
    ("huge rate", {"machine.link.bandwidth": "1e400 GB/s"}, ["too large a bandwidth"]),
    ("huge exponent", {"machine.link.latency": "1e99999999 s"}, ["unknown unit"]),
    ("endless digits", {"machine.link.latency": "9" * 5000 + " s"}, ["expected a time"]),
    (
        "huge number",
        {"machine.nic.injection_bandwidth_gb_per_s": 10**400},
        ["too large a bandwidth"],
    ),
    ("infinity", {"machine.switch.latency_ns": math.inf}, ["expected a finite number"]),
    ("not a number", {"machine.switch.latency_ns": math.nan}, ["expected a finite number"]),
    ("huge number for a real one", {"simulation.error_target": 10**400}, ["expected at most"]),
    (
        "little memory",
        {"simulation.memory_limit": "1 KiB"},
        ["of memory", "simulation.memory_limit"],
    ),
]


@pytest.mark.parametrize(
    ("changes", "told"), [case[1:] for case in WRONG], ids=[case[0] for case in WRONG]
)
def test_wrong_input_is_told_in_one_line(
    small: dict[str, Any], changes: dict[str, Any], told: list[str]
) -> None:
    with pytest.raises(ConfigError) as caught:
        experiment = Experiment.load(small, changes)
        check_runs(experiment.members(), experiment.source)
    message = str(caught.value)
    assert message.startswith("experiment")
    assert "\n" not in message
    for part in told:
        assert part in message


def test_the_small_experiment_itself_is_right(small: dict[str, Any]) -> None:
    experiment = Experiment.load(small)
    assert len(check_runs(experiment.members(), experiment.source)) == 1


def test_a_missing_key_is_named_with_an_example(small: dict[str, Any]) -> None:
    del small["machine"]["link"]["latency"]
    with pytest.raises(ConfigError, match=r'machine\.link\.latency: is missing, such as "100 ns"'):
        Experiment.load(small).members()


def test_a_missing_table_is_named(small: dict[str, Any]) -> None:
    del small["program"]
    with pytest.raises(ConfigError, match=r"the table \[program\] is missing"):
        Experiment.load(small).members()


def test_an_error_names_the_file_and_says_if_the_value_was_overridden(sweep_file: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        Experiment.load(sweep_file, {"program.bytes": "1 GHz"}).members()
    assert str(caught.value).startswith(f'{sweep_file} (overridden): program.bytes = "1 GHz": ')


def test_broken_toml_is_told_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("[machine]\nname = \n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"broken\.toml: not a TOML file: .*line 2"):
        Experiment.load(path)


def test_an_absent_experiment_is_told_with_the_shipped_ones() -> None:
    with pytest.raises(ConfigError, match='did you mean "zheng2018/fig5b"'):
        Experiment.load("experiments/zheng2018/fig5bb.toml")


def test_an_error_inside_a_machine_file_names_that_file(
    tmp_path: Path, small: dict[str, Any]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[topology]\nname = "torus"\nextent = [4]\n', encoding="utf-8")
    small["machine"] = {"name": str(path)}
    with pytest.raises(ConfigError) as caught:
        Experiment.load(small).members()
    assert str(caught.value).startswith(f"{path}: topology.extent = [4]: unknown key")


def test_a_value_that_the_sweep_replaces_is_checked_too(small: dict[str, Any]) -> None:
    small["sweep"] = {"program.ranks": [2, 4]}
    small["program"]["ranks"] = "many"
    with pytest.raises(ConfigError, match=r'program\.ranks = "many": expected a whole number'):
        Experiment.load(small).members()


def test_a_value_that_the_sweep_replaces_need_not_fit_to_the_others(small: dict[str, Any]) -> None:
    small["sweep"] = {"program.ranks": [2, 4]}
    small["program"]["ranks"] = 1
    assert len(Experiment.load(small).members()) == 2


def test_a_sweep_of_too_many_runs_is_refused_before_they_are_listed(small: dict[str, Any]) -> None:
    seeds = list(range(1, 1001))
    keys = ("simulation.seed", "placement.seed", "program.repeat")
    small["sweep"] = dict.fromkeys(keys, seeds)
    told = r"experiment: sweep: 1000 x 1000 x 1000 = 1000000000 runs; expected at most 100000"
    with pytest.raises(ConfigError, match=told):
        Experiment.load(small).members()


def test_every_shipped_experiment_has_values_that_are_right_before_its_sweep() -> None:
    for name in places.experiment_files():
        experiment = Experiment.load(name)
        experiment._check_replaced()
