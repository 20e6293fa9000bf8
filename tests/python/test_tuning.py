from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_bench import needs_mpi

import tradewind as tw
from tradewind import core, mpi, tuning
from tradewind.cli import main
from tradewind.config.experiment import Experiment
from tradewind.config.partition import item_graph
from tradewind.errors import ConfigError, Interrupted
from tradewind.models import run as models
from tradewind.models.case import Case
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.tuning import (
    Candidate,
    Entry,
    MeasuredTrials,
    Search,
    SimulatedTrials,
    Tuner,
    Tuning,
)
from tradewind.tuning.search import coarse_candidates, default_candidate
from tradewind.tuning.trials import uses_of

# One switch, no overheads but latency: what has the fewest stages wins for short vectors.
MACHINE: dict[str, Any] = {
    "topology": {"name": "star", "nodes": 16},
    "link": {"bandwidth": "10 GB/s", "latency": "1 us"},
    "message": {
        "overhead_send": "1 ns",
        "overhead_receive": "1 ns",
        "latency": "10 us",
        "gap_per_byte": "100 ps/B",
    },
}


def _experiment(program: dict[str, Any], **tables: Any) -> Experiment:
    return Experiment.load(
        {"machine": MACHINE, "program": program, "simulation": {"network": "analytic"}, **tables}
    )


def _tune(program: dict[str, Any], path: Path, **tables: Any) -> Tuning:
    return Tuner(_experiment(program, **tables), SimulatedTrials(60), path).run()


def test_the_known_best_of_a_latency_bound_allreduce_is_found(tmp_path: Path) -> None:
    program = {"name": "allreduce", "bytes": "8 B", "ranks": 16}
    (entry,) = _tune(program, tmp_path / "tuning.json").entries
    # One stage in which everyone sends to everyone costs one latency; nothing can cost less.
    assert (entry.algorithm, entry.options.get("radix")) == ("recursive_k", 16)
    assert 10e-6 < entry.time_s < 11e-6


def test_the_known_best_radix_between_coarse_ones_is_found() -> None:
    def trial(candidate: Candidate, bound_s: float) -> float | None:
        if candidate.algorithm != "ring_k" or "protocol" in candidate.options:
            return 100.0
        return 1.0 + abs(int(candidate.options["radix"]) - 23) / 10

    best = Search("alltoallv", 256, trial).run()
    assert best == Candidate("ring_k", radix=23)


def test_protocols_are_tried_for_the_best_and_what_does_not_work_is_passed_over() -> None:
    seen = []

    def trial(candidate: Candidate, bound_s: float) -> float | None:
        seen.append(candidate)
        if candidate.algorithm == "burst":
            return None
        return 1.0 if candidate == Candidate("ring", protocol="(0,3)") else 2.0 + len(seen)

    search = Search("alltoallv", 8, trial)
    # The default is tried first, so it is the best of the coarse ones; the ring is put beside it.
    assert seen == []
    search.times[Candidate("ring")] = 1.5
    assert search.run() == Candidate("ring", protocol="(0,3)")
    assert Candidate("burst") in search.times and search.times[Candidate("burst")] is None
    assert len(set(seen)) == len(seen)


def test_the_best_are_tried_by_puts_by_every_protocol_that_differs_there() -> None:
    wanted = Candidate("ring", protocol="(2,1)", transport="puts")

    def trial(candidate: Candidate, bound_s: float) -> float | None:
        assert candidate.algorithm != "burst" or candidate.transport is None
        return 1.0 if candidate == wanted else 3.0 if candidate.algorithm == "ring" else 4.0

    search = Search("alltoallv", 8, trial)
    assert search.run() == wanted
    assert wanted.settings == {"algorithm": "ring", "protocol": "(2,1)", "transport": "puts"}
    assert "transport" not in wanted.options and wanted.label == "ring, protocol (2,1), by puts"
    by_puts = [
        c.options.get("protocol")
        for c in search.times
        if c.algorithm == "ring" and c.transport == "puts"
    ]
    assert by_puts == [None, *core.load().put_protocols()]


def test_what_is_best_by_puts_is_tuned_and_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = SimulatedTrials.seconds

    def no_two_sided(self: SimulatedTrials, use: Any, candidate: Candidate, bound_s: float) -> Any:
        seconds = real(self, use, candidate, 1.0)
        return seconds if candidate.transport or seconds is None else seconds + 1.0

    monkeypatch.setattr(SimulatedTrials, "seconds", no_two_sided)
    path = tmp_path / "tuning.json"
    program = {"name": "alltoallv", "bytes": "64 B", "ranks": 6}
    (entry,) = _tune(program, path).entries
    assert entry.transport == "puts" and entry.label.endswith("by puts")
    assert tuning.load_tuning(path).entries == [entry]
    assert path.with_suffix(".table").read_text().splitlines()[-1].endswith(" puts")
    tuned = {"alltoallv": {"algorithm": "tuned", "tuning": str(path)}}
    run = tw.simulate(_experiment(program | tuned))
    assert isinstance(run, tw.Run) and run.time_s == pytest.approx(entry.time_s)


def test_candidates_are_those_of_the_catalogue_without_second_names() -> None:
    names = {candidate.algorithm for candidate in coarse_candidates("alltoallv", 64)}
    assert names == {
        e["same_as"] for e in core.load().algorithms() if e["operation"] == "alltoallv"
    }
    assert "srtrans" not in names and {"burst", "bruck_k", "swtrans"} <= names
    assert default_candidate("allreduce") == Candidate("recursive_k", radix=16)
    for candidate in coarse_candidates("allreduce", 8):
        assert int(candidate.options.get("radix", 2)) in (*range(2, 9), 16)


def test_a_tuning_file_comes_back_as_it_was(tmp_path: Path) -> None:
    entries = [
        Entry("alltoallv", 8, 64, "bruck_k", {"radix": 3}, 1e-5, "ring_k, radix 4", 2e-5, 3e-5),
        Entry("alltoallv", 8, 4096, "ring", {"protocol": "(0,3)"}, 1e-4, "ring_k, radix 4"),
        Entry("allreduce", 8, 8, "ring", {}, 1e-4, "recursive_k, radix 16"),
    ]
    written = Tuning(entries, {"by": "simulation"}, {"key": 1.0, "other": None})
    path = tmp_path / "tuning.json"
    written.save(path)
    read = tuning.load_tuning(path)
    assert read.entries == entries and read.tried == written.tried and read.finished
    assert (tmp_path / "tuning.table").read_text() == read.table_text() == written.table_text()
    ranges = {(e.operation, e.size): (low, high) for e, low, high in read.ranges()}
    assert ranges["alltoallv", 64] == (0, 512)
    assert ranges["alltoallv", 4096] == (513, 2**63 - 1)
    assert entries[0].gain(entries[0].default_time_s) == pytest.approx(0.5)
    found = core.load().tuned_case(read.table_text(), "alltoallv", 8, 513)
    assert found["algorithm"] == "ring"


ENTRY: dict[str, Any] = {
    "operation": "allreduce",
    "ranks": 8,
    "bytes": 8,
    "algorithm": "ring",
    "options": {},
    "time_s": 1.0,
    "default": "",
}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"version": 9}, "version 9"),
        ({"format": "other"}, "no tuning file"),
        ({"entries": [{"operation": "alltoallv"}]}, "damaged"),
        ({"tried": 1, "entries": 3}, "damaged"),
        ({"tried": {"a": "soon"}}, "damaged"),
        ({"entries": [ENTRY | {"bytes": ".."}]}, "damaged"),
        ({"entries": [ENTRY | {"bytes": math.inf}]}, "damaged"),
        ({"entries": [ENTRY | {"options": ["radix"]}]}, "damaged"),
        ({"entries": [ENTRY | {"options": {"radix": {}}}]}, "damaged"),
        ({"entries": [ENTRY | {"time_s": "soon"}]}, "damaged"),
        ({"entries": [ENTRY | {"ranks": True}]}, "damaged"),
        ({"entries": [ENTRY | {"transport": "pigeons"}]}, "damaged"),
    ],
)
def test_a_wrong_tuning_file_is_refused(tmp_path: Path, change: dict[str, Any], words: str) -> None:
    path = tmp_path / "tuning.json"
    Tuning([Entry("allreduce", 8, 8, "ring", {}, 1.0, "")]).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ConfigError, match=words):
        tuning.load_tuning(path)


def test_unknown_names_and_unreadable_files_are_refused(tmp_path: Path) -> None:
    for operation, algorithm in (("gather", "ring"), ("allreduce", "magic")):
        path = tmp_path / f"{operation}.json"
        Tuning([Entry(operation, 8, 8, algorithm, {}, 1.0, "")]).save(path)
        with pytest.raises(ConfigError, match=algorithm if operation == "allreduce" else operation):
            tuning.load_tuning(path)
    with pytest.raises(ConfigError, match="No such file"):
        tuning.load_tuning(tmp_path / "none.json")
    (tmp_path / "text.json").write_text("not JSON")
    with pytest.raises(ConfigError, match="not a JSON file"):
        tuning.load_tuning(tmp_path / "text.json")


def test_an_experiment_takes_what_was_tuned(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    program = {"name": "allreduce", "bytes": "8 B", "ranks": 16}
    found = _tune(program, path)
    tuned = program | {"allreduce": {"algorithm": "tuned", "tuning": str(path)}}
    run = tw.simulate(_experiment(tuned))
    assert isinstance(run, tw.Run)
    assert run.time_s == pytest.approx(found.entries[0].time_s)
    slow = tw.simulate(_experiment(program | {"allreduce": "ring"}))
    assert isinstance(slow, tw.Run) and slow.time_s > 2 * run.time_s
    near = _experiment(tuned | {"ranks": 12}).members()[0]
    assert tuning.remarks(near.spec) == [
        "allreduce on 12 ranks was not tuned: recursive_k is taken from 16 ranks"
    ]
    assert tuning.remarks(_experiment(tuned).members()[0].spec) == []


def test_every_stage_of_a_transposition_is_tuned_by_itself(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    program = {"name": "transposition", "grid": [64, 32, 16], "processes": [2, 4], "ranks": 8}
    found = _tune(program, path)
    assert {(entry.operation, entry.ranks) for entry in found.entries} == {
        ("alltoallv", 2),
        ("alltoallv", 4),
    }
    tuned = program | {"alltoallv": {"algorithm": "tuned", "tuning": "tuning.json"}}
    raw = {"machine": MACHINE, "program": tuned, "simulation": {"network": "analytic"}}
    text = json.dumps(raw)
    experiment = Experiment(raw, text, "experiment", tmp_path, {}, ())
    run, default = tw.simulate(experiment), tw.simulate(_experiment(program))
    assert isinstance(run, tw.Run) and isinstance(default, tw.Run)
    assert run.time_s <= default.time_s


def test_wrong_uses_of_a_tuning_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    Tuning([Entry("allreduce", 8, 8, "ring", {}, 1.0, "")]).save(path)
    program = {"name": "alltoallv", "bytes": "8 B", "ranks": 8}
    for table, words in (
        ({"algorithm": "tuned"}, "tuning: is missing"),
        ({"algorithm": "tuned", "tuning": str(path)}, "alltoallv was not tuned"),
        ({"algorithm": "tuned", "tuning": str(path), "radix": 2}, "the tuning chooses it"),
        ({"algorithm": "ring", "tuning": str(path)}, "only read with"),
        ({"algorithm": "tuned", "tuning": "none.json"}, "No such file"),
    ):
        with pytest.raises(ConfigError, match=words):
            _experiment(program | {"alltoallv": table}).members()
    with pytest.raises(ConfigError, match="pingpong has no operation"):
        _tune({"name": "pingpong", "bytes": "8 B", "ranks": 4}, path)


# Programs of models and of neighbours, and what is tuned of each.
CHOICES: list[tuple[dict[str, Any], str | None, dict[str, Any], set[str]]] = [
    ({"name": "halo", "grid": [32, 32, 4], "width": 2, "ranks": 4}, "neighbor", {}, {"neighbor"}),
    ({"name": "neighbor", "bytes": "1 KiB", "ranks": 9}, "neighbor", {}, {"neighbor"}),
    ({"name": "gcr", "iterations": 2, "ranks": 8}, "allreduce", {}, {"allreduce"}),
    (
        {"name": "helmholtz", "grid": [12, 12, 4], "iterations": 2, "ranks": 4},
        "allreduce",
        {},
        {"allreduce"},
    ),
    (
        {"name": "semi_lagrangian", "grid": [24, 12, 4], "ranks": 4},
        None,
        {"exchange": "tuned"},
        {"semi_lagrangian.exchange"},
    ),
    (
        {"name": "pstswm", "truncation": 21, "levels": 4, "processes": [4, 2], "ranks": 8},
        None,
        {"method": "tuned"},
        {"pstswm.fft", "pstswm.legendre"},
    ),
    ({"name": "homme", "ne": 2, "ranks": 6}, None, {"exchange": "tuned"}, {"mesh"}),
]


@pytest.mark.parametrize(
    ("program", "table", "keys", "operations"), CHOICES, ids=[c[0]["name"] for c in CHOICES]
)
def test_every_program_with_choices_is_tuned_and_takes_what_was_found(
    tmp_path: Path,
    program: dict[str, Any],
    table: str | None,
    keys: dict[str, Any],
    operations: set[str],
) -> None:
    path = tmp_path / "tuning.json"
    found = _tune(program, path)
    assert {entry.operation for entry in found.entries} == operations
    for entry in found.entries:
        assert entry.default_time_s is not None and 0 < entry.time_s <= entry.default_time_s
    choice = {"algorithm": "tuned", "tuning": str(path)}
    more = {table: choice} if table else {**keys, "tuning": str(path)}
    tuned = _experiment(program | more)
    run, default = tw.simulate(tuned), tw.simulate(_experiment(program))
    assert isinstance(run, tw.Run) and isinstance(default, tw.Run)
    assert run.time_s <= default.time_s
    assert tuning.remarks(tuned.members()[0].spec) == []


def test_a_model_without_data_uses_no_contents_of_messages() -> None:
    """Fills memory with huge numbers, which the maximum over ranks took for a wind."""
    code = """
import tradewind as tw
for exchange in ("wide", "on_demand"):
    program = {"name": "semi_lagrangian", "grid": [24, 12, 4], "ranks": 4, "exchange": exchange}
    assert tw.simulate({"machine": "laptop", "program": program}).time_s > 0
"""
    patterns = {"MALLOC_PERTURB_": "165"}
    subprocess.run([sys.executable, "-c", code], check=True, env={**os.environ, **patterns})


def test_the_transforms_of_pstswm_gain_what_was_computed(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    program = {
        "name": "pstswm",
        "truncation": 21,
        "levels": 2,
        "processes": [8, 1],
        "ranks": 8,
        "start": "under_way",
    }
    (entry,) = _tune(program, path).entries
    # Latency decides here: seven stages of the ring cost more than one burst or three of Bruck's.
    assert entry.default == "ring" and entry.algorithm != "ring"
    run = tw.simulate(_experiment(program | {"method": "tuned", "tuning": str(path)}))
    default = tw.simulate(_experiment(program))
    assert isinstance(run, tw.Run) and isinstance(default, tw.Run)
    assert run.time_s == pytest.approx(entry.time_s)
    assert default.time_s == pytest.approx(entry.default_time_s)
    assert entry.gain(entry.default_time_s) == pytest.approx(1 - run.time_s / default.time_s)


TRANSPOSED = [
    Entry("pstswm.fft", 2, 64, "bruck_k", {"radix": 2, "protocol": "(0,3)"}, 1.0, "ring"),
    Entry("pstswm.legendre", 2, 64, "transpose.burst", {}, 1.0, "transpose.ring"),
]


def _fields(keys: dict[str, Any], directory: Path, *, on_mpi: bool = False) -> list[Any]:
    raw = {"case": 6, "truncation": 21, "time_step": "900 s", "days": 4 / 96, "processes": [2, 2]}
    run = models.plan(Case.read("pstswm", {"pstswm": raw | keys}, directory=directory), 4)
    (run_on_mpi if on_mpi else models.simulate)(run)
    return [snapshot.fields for snapshot in run.snapshots]


@pytest.mark.parametrize("on_mpi", [False, pytest.param(True, marks=needs_mpi)])
def test_a_tuned_model_gives_the_bits_of_the_default_where_it_transposes(
    tmp_path: Path, on_mpi: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    Tuning(TRANSPOSED).save(tmp_path / "tuning.json")
    keys = {"method": "tuned", "tuning": "tuning.json"}
    usual = _fields({}, tmp_path)
    cases = [_fields(keys, tmp_path, on_mpi=on_mpi)]
    if on_mpi:
        monkeypatch.setenv("TRADEWIND_TUNING", str(tmp_path / "tuning.json"))
        cases.append(_fields({}, tmp_path, on_mpi=True))
    for found in cases:
        for ours, theirs in zip(found, usual, strict=True):
            for name, values in theirs.items():
                np.testing.assert_array_equal(ours[name], values)


def test_a_case_with_a_tuning_must_ask_for_it(tmp_path: Path) -> None:
    for keys, words in (
        ({"method": "tuned"}, "tuning: is missing"),
        ({"tuning": "tuning.json"}, "only read where an algorithm is"),
        ({"method": "tuned", "tuning": "none.json"}, "No such file"),
    ):
        with pytest.raises(ConfigError, match=words):
            Case.read("pstswm", {"pstswm": keys}, directory=tmp_path)
    with pytest.raises(ConfigError, match="only read where an algorithm is"):
        Case.read("helmholtz", {"helmholtz": {"grid": [9, 9, 3], "tuning": "x"}})


def test_an_interrupted_search_goes_on_where_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "tuning.json"
    program = {"name": "allreduce", "bytes": "1 KiB", "ranks": 8}
    calls = []
    real = SimulatedTrials.seconds

    def counted(self: SimulatedTrials, *arguments: Any) -> float | None:
        calls.append(arguments)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return real(self, *arguments)

    monkeypatch.setattr(SimulatedTrials, "seconds", counted)
    with pytest.raises(Interrupted, match="3 trials are in"):
        _tune(program, path)
    assert not json.loads(path.read_text())["finished"]
    found = Tuner(_experiment(program), SimulatedTrials(60), path).run()
    again = Tuner(_experiment(program), SimulatedTrials(60), tmp_path / "other.json").run()
    assert found.finished and found.entries == again.entries
    assert len(calls) == 1 + 2 * len(again.tried)


def test_more_ranks_than_the_machine_holds_are_named(tmp_path: Path) -> None:
    program = {"name": "allreduce", "bytes": "8 B", "ranks": 17}
    with pytest.raises(ConfigError, match=r"ranks = 17.*16"):
        _tune(program, tmp_path / "tuning.json")
    assert not (tmp_path / "tuning.json").exists()


def test_the_command_tunes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    experiment = tmp_path / "small.toml"
    experiment.write_text(
        '[machine]\nname = "laptop"\n[program]\nname = "alltoallv"\nbytes = "64 B"\nranks = 4\n'
        '[sweep]\n"program.bytes" = ["64 B", "16 KiB"]\n[simulation]\nnetwork = "analytic"\n'
    )
    output = tmp_path / "tuning.json"
    assert main(["tune", str(experiment), "-o", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [entry["bytes"] for entry in told["entries"]] == [64, 16384]
    for entry in told["entries"]:
        assert 0 < entry["time_s"] <= entry["default_time_s"]
    assert main(["tune", str(experiment), "-o", str(tmp_path / "tuning.txt")]) == 2


@needs_mpi
def test_tuning_by_measurement_knows_the_native_collective(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = tmp_path / "small.toml"
    experiment.write_text(
        '[machine]\nname = "laptop"\n[program]\nname = "allreduce"\nbytes = "64 B"\nranks = 4\n'
    )
    output = tmp_path / "tuning.json"
    words = ["tune", str(experiment), "-o", str(output), "-n", "2", "--repetitions", "3", "--json"]
    assert main(words) == 0
    (entry,) = json.loads(capsys.readouterr().out)["entries"]
    assert entry["ranks"] == 2 and entry["native_time_s"] > 0
    assert entry["time_s"] <= entry["default_time_s"]
    monkeypatch.setenv("TRADEWIND_TUNING", str(output))
    told = mpi.run(["run", "allreduce", "bytes=64"], 2)
    assert told["time_s"] > 0 and told["remarks"] == []
    (remark,) = mpi.run(["run", "allreduce", "bytes=64"], 1)["remarks"]
    assert remark.startswith("allreduce on 1 ranks was not tuned")
    with pytest.raises(ConfigError, match=r"other\.table cannot be read"):
        mpi.run(["run", "allreduce", "bytes=64", "algorithm=tuned", "tuning=other.json"], 2)


@needs_mpi
@pytest.mark.parametrize(
    ("program", "candidates"),
    [
        (
            {"name": "pstswm", "truncation": 21, "processes": [2, 1]},
            [Candidate("ring"), Candidate("dfft", protocol="(1,6)")],
        ),
        (
            {"name": "pstswm", "truncation": 21, "processes": [1, 2]},
            [Candidate("sum.recursive_k", radix=2), Candidate("ringpipe")],
        ),
        (
            {"name": "semi_lagrangian", "grid": [24, 12, 4]},
            [Candidate("wide"), Candidate("on_demand")],
        ),
        ({"name": "helmholtz", "grid": [12, 12, 4], "iterations": 3}, [Candidate("ring")]),
        (
            {"name": "halo", "grid": [16, 16, 4], "width": 2},
            [Candidate("burst"), Candidate("pairwise", protocol="(1,6)")],
        ),
        ({"name": "neighbor", "bytes": "64 B"}, [Candidate("pairwise")]),
        (
            {"name": "homme", "ne": 2, "levels": 4},
            [
                Candidate("on_arrival.persistent"),
                Candidate("puts"),
                Candidate("pairwise", protocol="(1,6)"),
            ],
        ),
    ],
)
def test_candidates_of_models_and_neighbours_are_measured(
    program: dict[str, Any], candidates: list[Candidate]
) -> None:
    (use,) = uses_of(_experiment(program | {"ranks": 2}).members()[0])
    trials = MeasuredTrials(60, 3)
    for candidate in candidates:
        seconds = trials.seconds(use, candidate, float("inf"))
        # No step of a model is as fast as lines of a report that come together.
        assert seconds is not None
        assert seconds > (2e-5 if program["name"] == "pstswm" else 0)
    assert trials.seconds(use, Candidate("magic"), float("inf")) is None
    native = trials.native_seconds(use)
    with_native = ("helmholtz", "homme", "neighbor", "pstswm")
    assert (native is not None and native > 0) == (program["name"] in with_native)


def test_a_mesh_exchange_is_tuned_beside_what_the_experiment_fixes(tmp_path: Path) -> None:
    program = {"name": "homme", "ne": 4, "method": "dg", "ranks": 8}
    use = uses_of(_experiment(program).members()[0])[0]
    assert (use.operation, use.ranks, use.key, use.count) == ("mesh", 8, "exchange", 1)
    # Four fields with 26 levels at the points that rank 0 sends, on average over its neighbours.
    graph = item_graph("homme", {"ne": 4, "method": "dg"}, 8)
    source, target = np.repeat(graph.owners, np.diff(graph.first)), graph.owners[graph.neighbors]
    sent = (source == 0) & (target != 0)
    points = int(graph.weights[sent].sum())
    assert use.size == points * 4 * 26 * 8 // len(set(target[sent].tolist()))
    # Computation overlaps with messages on arrival only.
    trials = SimulatedTrials(60)
    (overlapping,) = uses_of(_experiment(program | {"overlap": "computation"}).members()[0])
    for name, works in (("synchronous", False), ("burst", False), ("on_arrival", True)):
        assert (trials.seconds(overlapping, Candidate(name), 1.0) is not None) == works, name
    assert trials.seconds(use, Candidate("sum_on_arrival"), 1.0) is None
    assert trials.seconds(use, Candidate("native"), 1.0) is None
    path = tmp_path / "tuning.json"
    Tuning([Entry("mesh", 8, use.size, "pairwise", {"protocol": "(1,6)"}, 1.0, "")]).save(path)
    tuned = {"exchange": "tuned", "tuning": str(path)}
    run, same = (
        tw.simulate(_experiment(program | own))
        for own in (tuned, {"exchange": "pairwise:protocol=(1,6)"})
    )
    assert isinstance(run, tw.Run) and isinstance(same, tw.Run) and run.hash == same.hash
    with pytest.raises(ConfigError, match="the tuning chooses it"):
        tw.simulate(_experiment(program | tuned | {"schedule": "on_arrival"}))
