"""Tests of the critical path: whole, without effect on the run, and right where it is known."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import tradewind as tw
from tradewind import core
from tradewind.config import keys
from tradewind.config.experiment import Experiment
from tradewind.results.critical_path import MEANINGS
from tradewind.runs import what_if
from tradewind.runs.store import RunStore
from tradewind.runs.what_if import Question, changes_of

Table = dict[str, Any]

GRID = [96, 96, 20]
ALLTOALLV: Table = {"name": "alltoallv", "bytes": "32 KiB", "ranks": 24}
PROGRAMS: dict[str, Table] = {
    "halo": {"name": "halo", "grid": GRID, "width": 3, "ranks": 24},
    "transposition": {"name": "transposition", "grid": GRID, "ranks": 24},
    "allreduce": {"name": "allreduce", "bytes": "1 MB", "ranks": 24},
    "gcr": {"name": "gcr", "ranks": 24, "flops": 1e5, "iterations": 4},
    "pingpong": {"name": "pingpong", "bytes": "100 kB", "ranks": 24},
    "spectral_step": {"name": "spectral_step", "grid": GRID, "ranks": 24, "spacing_m": 20000},
    "on_demand": {
        "name": "semi_lagrangian_halo",
        "grid": GRID,
        "ranks": 24,
        "exchange": "on_demand",
        "spacing_m": 20000,
    },
    "pstswm": {"name": "pstswm", "truncation": 21, "ranks": 8, "steps": 2},
    "homme": {"name": "homme", "ne": 4, "method": "dg", "ranks": 24, "steps": 1},
    **{
        f"protocol {protocol}": ALLTOALLV
        | {"ranks": 12, "alltoallv": {"algorithm": "pairwise", "protocol": protocol}}
        for protocol in ("simple", "ready_send", "synchronous", "overlap_nonblocking")
    },
    "puts": ALLTOALLV | {"alltoallv": {"algorithm": "pairwise", "transport": "puts"}},
}
MACHINES: dict[str, Table] = {
    "fat tree": {"name": "fattree-m"},
    "torus, shared memory": {"name": "torus-m", "node": {"model": "AMM2", "ranks_per_node": 4}},
    "adaptive routes": {"name": "dragonfly-ml", "routing": "ugal"},
    "four interfaces": {"name": "frontier"},
    "striped messages": {"name": "frontier", "nic": {"affinity": "stripe"}},
    "interfaces in turn": {"name": "frontier", "nic": {"affinity": "message"}},
    "weak progress": {"name": "jinan", "message": {"progress": "weak"}},
    "small buffers": {"name": "torus-l", "switch": {"buffer": "8 KiB"}},
    "costly copies": {"name": "t3e900"},
}
NETWORKS = ("packet", "packet_unbounded", "analytic")


def run_of(machine: Table, program: Table, **simulation: Any) -> tw.Run:
    """Simulates with the critical path."""
    settings = {"critical_path": True, **simulation}
    return tw.simulate({"machine": machine, "program": program, "simulation": settings})


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_path_has_no_gap_adds_up_to_the_time_and_changes_nothing(
    program: str, machine: str
) -> None:
    for network in NETWORKS:
        run = run_of(MACHINES[machine], PROGRAMS[program], network=network)
        path = run.critical_path
        assert path is not None
        path.check(run.time_s)
        assert path.time_ps == round(run.time_s * 1e12)
        for split in (path.by_kind(), path.by_phase()):
            assert sum(entry.time_ps for entry in split) == path.time_ps
        among_ranks = sum(entry.time_ps for entry in (*path.by_pair(), *path.by_rank()))
        assert among_ranks == path.time_ps
        alone = tw.simulate(
            {
                "machine": MACHINES[machine],
                "program": PROGRAMS[program],
                "simulation": {"network": network},
            }
        )
        assert alone.hash == run.hash
        assert alone.critical_path is None


def test_the_steps_of_a_message_follow_one_another_from_rank_to_rank() -> None:
    run = run_of(MACHINES["small buffers"], PROGRAMS["transposition"])
    assert run.critical_path is not None
    columns = run.critical_path.columns
    # The path is at the partner of a step, or still in the message, when the next one begins.
    for i in range(len(run.critical_path) - 1):
        here, after = ((int(columns["rank"][k]), int(columns["partner"][k])) for k in (i, i + 1))
        assert after == here or after[0] in here


def test_the_core_and_the_words_have_the_same_kinds() -> None:
    run = run_of(MACHINES["fat tree"], PROGRAMS["pingpong"])
    assert run.critical_path is not None
    assert list(run.critical_path.kinds) == list(MEANINGS)


def test_a_message_alone_is_overhead_and_wire() -> None:
    pingpong = {"name": "pingpong", "bytes": "8 B", "ranks": 2}
    run = run_of({"name": "fattree-m"}, pingpong)
    path = run.critical_path
    assert path is not None
    times = {entry.name: entry.time_ps for entry in path.by_kind()}
    assert set(times) == {"overhead", "wire"}
    # Two messages, each with 250 ns at either end.
    assert times["overhead"] == 4 * 250_000
    assert path.handovers == 2
    assert [entry.name for entry in path.by_pair()] == ["0 - 1", "1 - 0"]


def test_a_long_message_that_waits_for_another_one_of_its_interface_says_so() -> None:
    # Both ranks of a node send 1 MB at the same time through an interface of 10 GB/s.
    node = {"ranks_per_node": 2, "model": "AMM1", "memory_bandwidth": "1000 GB/s"}
    machine = {"name": "fattree-m", "node": node, "nic": {"messages_in_turn": 1}}
    program = {"name": "halo", "grid": [4, 4, 10000], "processes": [4, 1], "width": 1, "ranks": 4}
    path = run_of(machine, program, network="packet_unbounded").critical_path
    assert path is not None
    assert path.share_of("injection_queue", "port_queue") > 0.2


def test_computation_that_makes_others_wait_is_on_the_path() -> None:
    gcr = {"name": "gcr", "ranks": 16, "flops": 1e6, "iterations": 3}
    machine = {"name": "fattree-m", "node": {"flops": "1 Gflop/s", "compute_spread": 0.2}}
    path = run_of(machine, gcr).critical_path
    assert path is not None
    assert path.by_kind()[0].name == "compute"


def test_the_queue_at_a_hot_port_names_the_port() -> None:
    # The ranks are at four switches, which few links join.
    program = ALLTOALLV | {"ranks": 100, "alltoallv": {"algorithm": "spread_out"}}
    run = run_of(MACHINES["small buffers"], program)
    path = run.critical_path
    assert path is not None
    waits = path.by_link()
    assert waits
    assert all(str(entry.name).startswith("switch ") and entry.time_ps > 0 for entry in waits)
    queued = sum(
        entry.time_ps for entry in path.by_kind() if entry.name in ("port_queue", "credit")
    )
    assert sum(entry.time_ps for entry in waits) == queued


def test_the_path_survives_the_store(tmp_path: Path, cli: Cli) -> None:
    file = write(tmp_path / "kept.toml", HALO + '[sweep]\n"program.ranks" = [12, 24]\n')
    kept = ("-o", tmp_path / "out", "--set", "simulation.critical_path=true")
    told = [cli("simulate", file, *kept, *more, "--json") for more in ((), ("--resume",))]
    assert [done.returncode for done in told] == [0, 0], told[1].stderr
    assert told[0].stdout == told[1].stdout
    done = cli("report", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    member = Experiment.load(file, {"simulation.critical_path": True}).members()[1]
    stored = RunStore(tmp_path / "out" / "runs").load(member, core.load().version)
    assert stored is not None
    assert stored.critical_path is not None
    stored.critical_path.check(stored.time_s)


def test_several_threads_make_no_difference() -> None:
    settings = {"critical_path": True, "threads": 2}
    run = tw.simulate({"machine": "torus-m", "program": PROGRAMS["halo"], "simulation": settings})
    alone = run_of({"name": "torus-m"}, PROGRAMS["halo"])
    assert run.hash == alone.hash
    assert run.critical_path is not None
    assert alone.critical_path is not None
    assert np.array_equal(
        run.critical_path.columns["end_ps"], alone.critical_path.columns["end_ps"]
    )


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


HALO = """
machine = "torus-l"
[program]
name = "halo"
grid = [200, 200, 20]
width = 5
ranks = 48
"""


def test_explain_tells_the_path_and_gains_that_the_arguments_give(tmp_path: Path, cli: Cli) -> None:
    file = write(tmp_path / "halo.toml", HALO)
    done = cli("explain", file, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    path = told["critical_path"]
    assert sum(entry["time_ps"] for entry in path["kinds"]) == round(told["time_s"] * 1e12)
    assert sum(entry["time_ps"] for entry in path["phases"]) == path["time_ps"]
    assert told["resources"][0]["utilisation"] == max(
        entry["utilisation"] for entry in told["resources"]
    )
    assert min(told["without"].values()) > 0
    groups = {entry["group"] for entry in told["changes"]}
    assert groups == {"placement", "process grid", "algorithm", "machine"}
    gains = [entry["gain"] for entry in told["changes"]]
    assert gains == sorted(gains, reverse=True)
    best = told["changes"][0]
    assert best["gain"] == pytest.approx(1 - best["time_s"] / told["time_s"])
    again = tw.simulate(file, best["settings"])
    assert again.time_s == best["time_s"]


def test_the_arguments_that_the_table_names_make_the_change(tmp_path: Path, cli: Cli) -> None:
    file = write(tmp_path / "halo.toml", HALO)
    done = cli("explain", file)
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if " --set " in line]
    assert rows
    for row in (rows[0], rows[-1]):
        arguments = shlex.split(row[row.index("--set ") :])
        made = cli("simulate", file, "--json", *arguments)
        assert made.returncode == 0, made.stderr
        shown = row.split("%")[0].split()
        gain = 1 - json.loads(made.stdout)["time_s"] / tw.simulate(file).time_s
        assert float(shown[-1]) == pytest.approx(100 * gain, abs=0.051)


PHASES = """
[machine]
name = "torus-m"

[program]
name = "phases"
ranks = 24
processes = [6, 4]

[[program.phase]]
kind = "compute"
time = "40 us"

[[program.phase]]
kind = "transposition"
grid = [48, 24, 8]

[[program.phase]]
kind = "allreduce"
name = "sums"
over = "rows"
bytes = "64 kB"

[[program.phase]]
kind = "allreduce"
bytes = "8 B"

[[program.phase]]
kind = "allreduce"
bytes = "80 kB"
allreduce = "ring"
"""


def test_explain_changes_phases_that_take_time(tmp_path: Path, cli: Cli) -> None:
    file = write(tmp_path / "phases.toml", PHASES)
    done = cli("explain", file, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    words = {entry["change"]: entry for entry in told["changes"]}
    found = {change.partition(":")[0] for change, entry in words.items() if ": " in change}
    shares = {entry["name"]: entry["share"] for entry in told["critical_path"]["phases"]}
    assert found == {name for name, share in shares.items() if share > 0.02}
    assert {"compute", "transposition", "sums", "allreduce 2"} <= found
    computed = next(words[change] for change in words if change.startswith("compute: "))
    assert computed["settings"] == {"program.phase[0].time": "20 µs"}
    assert told["time_s"] - computed["time_s"] == pytest.approx(20e-6)
    assert "allreduce 2: allreduce by ring" not in words
    assert "transposition: process grid 4 x 6" in words
    assert "process grid 4 x 6" in words
    assert not any(change.startswith("sums: process grid") for change in words)
    changed = words["allreduce 2: allreduce by recursive_doubling"]
    assert changed["settings"] == {
        "program.phase[4].allreduce": {"algorithm": "recursive_doubling"}
    }
    assert tw.simulate(file, changed["settings"]).time_s == changed["time_s"]


def test_explain_tries_some_of_each_group_when_the_time_is_short(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    question = Question(write(tmp_path / "phases.toml", PHASES), {})
    run = question.run({"simulation.critical_path": True})
    assert run.critical_path is not None
    changes = changes_of(run.spec, run.critical_path)
    ticks = iter([0.0, *([1.0] * 4), *([9.0] * len(changes))])
    monkeypatch.setattr(what_if.time, "monotonic", lambda: next(ticks))
    trials = question.try_all(changes, run.time_s, 5.0, lambda change: None)
    assert {trial.change.group for trial in trials.tried} == {
        "placement",
        "process grid",
        "machine",
        "algorithm",
    }
    assert len(trials.left) == len(changes) - 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a sweep of 2 runs: choose one of them with --run 1 .. 2"),
        (("--run", "0"), "--run 0: expected 1 .. 2"),
        (("--run", "3"), "--run 3: expected 1 .. 2"),
    ],
)
def test_explain_wants_one_run(
    tmp_path: Path, cli: Cli, arguments: tuple[str, ...], message: str
) -> None:
    file = write(tmp_path / "two.toml", HALO + '[sweep]\n"program.ranks" = [12, 24]\n')
    done = cli("explain", file, *arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_explain_takes_a_run_of_a_sweep_and_tries_nothing_if_told(tmp_path: Path, cli: Cli) -> None:
    file = write(tmp_path / "two.toml", HALO + '[sweep]\n"program.ranks" = [12, 24]\n')
    done = cli("explain", file, "--run", "2", "--try-for", "0", "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["ranks"] == 24
    assert told["changes"] == told["not_tried"] == []
    assert told["without"] == {}


def test_every_run_names_its_busiest_resource() -> None:
    node = {"model": "AMM2", "memory_bandwidth": "20 GB/s", "ranks_per_node": 4}
    halo = PROGRAMS["halo"] | {"ranks": 160}
    machine = {"name": "torus-m", "node": node, "link": {"bandwidth": "1000 GB/s"}}
    shared = tw.simulate({"machine": machine, "program": halo})
    assert shared.busiest is not None
    assert shared.busiest.name == "memory"
    names = {entry.name for entry in shared.resources}
    assert names == {"link", "injection", "ejection", "memory", "processor"}
    for entry in shared.resources:
        assert 0 < entry.utilisation <= 1
        assert entry.bound_s == pytest.approx(entry.utilisation * shared.time_s)
    idle = tw.simulate(
        {"machine": {"name": "fattree-m"}, "program": PROGRAMS["pingpong"]}, {"program.ranks": 2}
    )
    assert idle.busiest is not None
    assert idle.busiest.name in ("injection", "ejection")


def test_a_processor_is_busy_unless_its_rank_waits() -> None:
    machine = {
        "name": "fattree-m",
        "message": {"overhead_send": "300 ns", "overhead_receive": "200 ns"},
    }
    pingpong = {"name": "pingpong", "bytes": "8 B", "ranks": 2}
    run = tw.simulate({"machine": machine, "program": pingpong})
    (processor,) = (entry for entry in run.resources if entry.name == "processor")
    each_way = run.counts["messages"] // 2
    assert processor.bound_s == pytest.approx(each_way * 500e-9, rel=1e-9)
    assert processor.utilisation == pytest.approx(processor.bound_s / run.time_s)
    computing = tw.simulate(
        {"machine": machine, "program": {"name": "compute", "time": "1 ms", "ranks": 2}}
    )
    assert computing.busiest is not None
    assert (computing.busiest.name, computing.busiest.utilisation) == ("processor", 1.0)


def test_memory_of_a_node_counts_what_comes_and_goes_through_it() -> None:
    node = {"model": "AMM2", "memory_bandwidth": "50 GB/s"}
    pingpong = {"name": "pingpong", "bytes": "1 MB", "ranks": 2}
    run = tw.simulate({"machine": {"name": "fattree-m", "node": node}, "program": pingpong})
    (memory,) = (entry for entry in run.links.classes if entry.name == "memory")
    # Two messages, each through the memory of two nodes.
    assert 4e6 <= memory.bytes < 4.01e6


def test_the_programs_of_the_table_cover_what_can_be_simulated() -> None:
    known = {entry["name"] for entry in core.load().programs()} - set(keys.models())
    tried = {program["name"] for program in PROGRAMS.values()}
    # These are made of the others; test_replay.py follows the path of a trace.
    assert known - tried == {"neighbor", "grid_point_step", "graph", "compute", "phases", "trace"}
