"""Replay: programs recorded on real MPI, and simulated again as themselves."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, needs_mpi
from recorded_programs import calls, needs_mpicc
from recordings import Recording, halo, save

import tradewind as tw
from tradewind import core, mpi
from tradewind.config import keys
from tradewind.errors import ConfigError, DeadlockError
from tradewind.trace_file import Trace, read_trace

Table = dict[str, Any]

MACHINE: Table = {"name": "fattree-m"}
# The fastest nodes that a machine may have.
NO_COMPUTATION: Table = {
    "name": "fattree-m",
    "node": {"memory_bandwidth": "4611000 TB/s", "flops": "4.61e9 Gflop/s"},
}
RANKS = 16
# Programs without computation, as lists of phases: all patterns, then all algorithms of an operation.
PROGRAMS: dict[str, list[Table]] = {
    "patterns": [
        {"kind": "halo", "grid": [48, 24, 8], "width": 2, "repeat": 3},
        {"kind": "transposition", "grid": [48, 32, 16]},
        {"kind": "gcr", "flops": 1e-9, "iterations": 4},
        {"kind": "neighbor", "bytes": 3000, "neighbors": 8, "repeat": 2},
        {"kind": "pingpong", "bytes": 100000, "repeat": 3},
        {"kind": "semi_lagrangian_halo", "grid": [48, 24, 8], "spacing_m": 20000},
    ]
}
# spread_out waits for whichever message comes first, which no recording predicts.
BY_TIMING = ("spread_out",)
for _operation, _bytes in (("allreduce", 4096), ("alltoallv", 2000)):
    PROGRAMS[f"every {_operation}"] = [
        {"kind": _operation, "bytes": _bytes, "algorithm": _name, "name": _name}
        for _name in core.names(_operation)
        if _name not in ("native", *BY_TIMING)
    ]


def record(phases: list[Table], folder: Path) -> Path:
    settings = [
        f"phase[{number}].{key}={value if isinstance(value, str) else json.dumps(value)}"
        for number, phase in enumerate(phases)
        for key, value in phase.items()
    ]
    return record_run(["phases", *(one.replace(" ", "") for one in settings)], folder)


def record_run(words: list[str], folder: Path) -> Path:
    run = [str(mpi.find().program), "run", *words]
    command = [sys.executable, "-m", "tradewind"]
    start = [*command, "mpiexec", "-n", str(RANKS), *run]
    done = subprocess.run(
        [*command, "record", "-o", str(folder / "a.trace"), "--", *start],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return folder / "a.trace"


def as_experiment(phases: list[Table]) -> Table:
    tables = []
    for phase in phases:
        table = {key: value for key, value in phase.items() if key != "algorithm"}
        if "bytes" in table:
            table["bytes"] = f"{table['bytes']} B"
        if "algorithm" in phase:
            table[phase["kind"]] = phase["algorithm"]
        tables.append(table)
    return {"name": "phases", "ranks": RANKS, "phase": tables}


def replayed(path: Path, machine: Table = MACHINE, **settings: Any) -> tw.Run:
    run = tw.simulate(
        {
            "machine": machine,
            "program": {"name": "trace", "trace": str(path), "computation": "none", **settings},
        }
    )
    assert isinstance(run, tw.Run)
    return run


def summary(run: tw.Run) -> tuple[Any, ...]:
    return run.time_s, run.counts["messages"], run.counts["bytes"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    # Compiled recorders are shared by the tests of a session, unpacked traces too.
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.getbasetemp() / "cache"))


@needs_mpi
@needs_mpicc
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_recorded_program_replays_to_the_same_messages_and_time(
    name: str, tmp_path: Path
) -> None:
    program = PROGRAMS[name]
    direct = tw.simulate({"machine": MACHINE, "program": as_experiment(program)})
    assert summary(replayed(record(program, tmp_path))) == summary(direct)


# Models, with settings of the command line.
MODELS: dict[str, Table] = {
    "spectral_step": {"grid": [48, 24, 8]},
    "grid_point_step": {"grid": [48, 24, 8]},
    "pstswm": {"truncation": 42, "steps": 2},
    "semi_lagrangian": {"grid": [96, 48, 8], "steps": 2},
    "helmholtz": {"grid": [48, 48, 16]},
    "homme": {"ne": 4, "steps": 2},
    "homme in the order of elements": {"ne": 4, "steps": 2, "exchange": "in_order"},
    "fvwam": {"mesh": "mesh.nc", "directions": 12, "frequencies": 8, "steps": 2},
}


@needs_mpi
@needs_mpicc
@pytest.mark.parametrize("name", MODELS)
def test_a_recorded_model_replays_to_the_same_messages_and_time(
    cli: Cli, name: str, tmp_path: Path
) -> None:
    settings = dict(MODELS[name])
    model = name.partition(" ")[0]
    if "mesh" in settings:
        settings["mesh"] = str(tmp_path / settings["mesh"])
        made = cli("mesh", "generate", "--cells", "642", "-o", settings["mesh"])
        assert made.returncode == 0, made.stderr
    words = [
        f"{key}={value if isinstance(value, str) else json.dumps(value)}".replace(" ", "")
        for key, value in settings.items()
    ]
    # Without data: the sums at the end of a real run are no part of the simulated model.
    path = record_run([model, "payload=false", *words], tmp_path)
    again = replayed(path, machine=NO_COMPUTATION)
    direct = tw.simulate(
        {"machine": NO_COMPUTATION, "program": {"name": model, "ranks": RANKS, **settings}}
    )
    assert summary(again)[1:] == summary(direct)[1:]
    assert again.counts["messages"] > 100
    # A computation takes a picosecond in the model, and none in the replay.
    computations = max(len(calls(read_trace(path), rank)) for rank in range(RANKS))
    assert 0 <= round((direct.time_s - again.time_s) * 1e12) <= computations < 10**4


@needs_mpi
@needs_mpicc
def test_waits_that_depend_on_timing_are_flagged_and_send_the_same(tmp_path: Path) -> None:
    program = [{"kind": "alltoallv", "bytes": 2000, "algorithm": BY_TIMING[0]}]
    direct = tw.simulate({"machine": MACHINE, "program": as_experiment(program)})
    path = record(program, tmp_path)
    assert summary(replayed(path))[1:] == summary(direct)[1:]
    events = read_trace(path).arrays["events"].reshape(-1, 6)
    timing = 2
    assert any(events[:, 2] & timing)


def test_the_ranks_of_a_replay_are_those_of_the_recording(tmp_path: Path) -> None:
    path = save(halo(12), tmp_path / "a.trace")
    assert replayed(path).ranks == 12
    with pytest.raises(
        ConfigError, match=r"^experiment: program\.trace = \".*: ranks = 8, but it holds 12"
    ):
        replayed(path, ranks=8)


def every_collective() -> Trace:
    """A program that calls each collective, on 6 ranks."""
    ranks = 6
    recording = Recording(ranks)
    counts = [8 * (rank + 1) for rank in range(ranks)]
    for rank in range(ranks):
        for name, arguments in (
            ("barrier", []),
            ("bcast", [2, 1000]),
            ("reduce", [1, 800]),
            ("gather", [3, 80]),
            ("scatter", [3, 80]),
            ("gatherv", [2, counts[rank], *(counts if rank == 2 else [])]),
            ("scatterv", [0, counts[rank], *(counts if rank == 0 else [])]),
            ("allreduce", [4096]),
            ("scan", [80]),
            ("exscan", [80]),
            ("reduce_scatter_block", [800]),
            ("reduce_scatter", counts),
            ("allgather", [160]),
            ("allgatherv", counts),
            ("alltoall", [320]),
            (
                "neighbor_alltoallv",
                [1, (rank + 1) % ranks - rank, 64, 1, (rank - 1) % ranks - rank, 64],
            ),
        ):
            recording.call(rank, name, arguments)
    return recording.trace()


def test_every_collective_is_replayed_and_its_algorithm_can_be_chosen(tmp_path: Path) -> None:
    path = save(every_collective(), tmp_path / "a.trace")
    standard = replayed(path)
    assert standard.counts["messages"] > 0
    for setting, name in (
        ("barrier", "tree"),
        ("bcast", "scatter_allgather"),
        ("reduce", "linear"),
        ("gather", "linear"),
        ("scatter", "linear"),
        ("scan", "linear"),
        ("reduce_scatter", "pairwise"),
        ("allreduce", "ring"),
        ("allgather", "bruck"),
        ("alltoallv", "bruck_k:radix=3"),
    ):
        changed = replayed(path, **{setting: name})
        assert changed.hash != standard.hash, setting
    with pytest.raises(ConfigError, match="known are"):
        replayed(path, reduce="quick")


# A call on some ranks, the key of its operation, and the algorithms that MPICH takes and does not take.
BY_MPICH: list[tuple[str, list[int], int, str, str, str]] = [
    ("bcast", [0, 12287], 8, "bcast", "binomial", "scatter_doubling"),
    ("bcast", [0, 12288], 8, "bcast", "scatter_doubling", "scatter_allgather"),
    ("bcast", [0, 12288], 9, "bcast", "scatter_allgather", "scatter_doubling"),
    ("bcast", [0, 524288], 8, "bcast", "scatter_allgather", "scatter_doubling"),
    ("bcast", [0, 10**6], 7, "bcast", "binomial", "scatter_allgather"),
    ("reduce", [0, 2048], 8, "reduce", "binomial", "near_halving"),
    ("reduce", [0, 2056], 8, "reduce", "near_halving", "binomial"),
    ("allreduce", [2048], 16, "allreduce", "recursive_doubling", "near_halving"),
    ("allreduce", [4096], 16, "allreduce", "near_halving", "recursive_doubling"),
    # 511 elements are fewer than 512 ranks.
    ("allreduce", [8 * 511], 600, "allreduce", "recursive_doubling", "near_halving"),
    ("allgather", [1024], 8, "allgather", "recursive_doubling", "ring"),
    ("allgather", [1024], 6, "allgather", "bruck", "ring"),
    ("allgather", [20000], 6, "allgather", "ring", "bruck"),
    ("allgather", [65536], 8, "allgather", "ring", "recursive_doubling"),
    ("allgatherv", [70000, 5000, 5000, 5000, 1919], 5, "allgather", "ring", "bruck"),
    ("allgatherv", [70000, 5000, 5000, 1000, 919], 5, "allgather", "bruck", "ring"),
    ("reduce_scatter_block", [8192], 16, "reduce_scatter", "recursive_halving", "pairwise"),
    ("reduce_scatter_block", [32768], 16, "reduce_scatter", "pairwise", "recursive_halving"),
    ("alltoall", [256], 8, "alltoallv", "bruck", "burst"),
    ("alltoall", [256], 7, "alltoallv", "burst", "bruck"),
    ("alltoall", [32768], 8, "alltoallv", "burst", "pairwise"),
    ("alltoall", [32769], 8, "alltoallv", "pairwise", "burst"),
]


@pytest.mark.parametrize(
    ("call", "arguments", "ranks", "key", "taken", "other"),
    BY_MPICH,
    ids=lambda value: str(value) if isinstance(value, int | str) else None,
)
def test_the_rules_of_mpich_choose_by_ranks_and_bytes(
    tmp_path: Path, call: str, arguments: list[int], ranks: int, key: str, taken: str, other: str
) -> None:
    recording = Recording(ranks)
    for rank in range(ranks):
        recording.call(rank, call, arguments)
        # So that the order of messages counts, too.
        recording.call(rank, "barrier", computed=1e-7 * (rank % 3))
    path = save(recording.trace(), tmp_path / "a.trace")
    by_rules = replayed(path, library="mpich")
    assert summary(by_rules) == summary(replayed(path, barrier="dissemination", **{key: taken}))
    assert summary(by_rules) != summary(replayed(path, **{key: other}))
    # An algorithm that is given holds, unless it is the default.
    if other != keys.programs()["trace"].keys[key].default:
        kept = replayed(path, library="mpich", **{key: other})
        assert summary(kept) == summary(replayed(path, **{key: other}))


# The same for Open MPI, at the edges of some of its rules.
BY_OPENMPI: list[tuple[str, list[int], int, str, str, str]] = [
    ("barrier", [], 3, "barrier", "recursive_doubling", "dissemination"),
    ("barrier", [], 7, "barrier", "tree:radix=8", "recursive_doubling"),
    ("barrier", [], 24, "barrier", "recursive_doubling", "dissemination"),
    ("barrier", [], 100, "barrier", "dissemination", "recursive_doubling"),
    ("barrier", [], 300, "barrier", "tree:radix=2", "dissemination"),
    ("bcast", [0, 255], 3, "bcast", "k_ary", "chain"),
    ("bcast", [1, 131072], 3, "bcast", "chain", "linear"),
    ("bcast", [0, 262144], 3, "bcast", "linear", "chain"),
    ("bcast", [2, 2047], 7, "bcast", "k_ary", "binomial"),
    ("bcast", [2, 2048], 7, "bcast", "binomial", "k_ary"),
    ("bcast", [0, 4095], 16, "bcast", "tree:radix=4", "binomial"),
    ("bcast", [0, 1048576], 16, "bcast", "scatter_doubling", "binomial"),
    ("bcast", [5, 16384], 600, "bcast", "split_binary", "tree:radix=4"),
    ("reduce", [0, 16384], 5, "reduce", "chain", "binomial"),
    ("reduce", [1, 4096], 10, "reduce", "k_ary", "binomial"),
    ("reduce", [1, 8192], 10, "reduce", "binomial", "k_ary"),
    ("reduce", [0, 262144], 7, "reduce", "linear", "binomial"),
    ("gather", [0, 1024], 7, "gather", "linear", "binomial"),
    ("gather", [0, 8192], 7, "gather", "binomial", "linear"),
    ("scatter", [0, 511], 64, "scatter", "binomial", "linear"),
    ("scatter", [0, 512], 64, "scatter", "linear", "binomial"),
    ("scan", [64], 8, "scan", "linear", "recursive_doubling"),
    ("reduce_scatter_block", [64], 15, "reduce_scatter", "butterfly", "recursive_halving"),
    ("reduce_scatter_block", [128], 15, "reduce_scatter", "recursive_halving", "butterfly"),
    ("reduce_scatter", [65536] * 4, 4, "reduce_scatter", "ring", "recursive_halving"),
    ("reduce_scatter", [8192] * 32, 32, "reduce_scatter", "butterfly", "ring"),
    ("allreduce", [4088], 31, "allreduce", "recursive_doubling", "near_halving"),
    ("allreduce", [4096], 31, "allreduce", "near_halving", "recursive_doubling"),
    ("allreduce", [64], 3, "allreduce", "recursive_doubling", "ring"),
    ("allreduce", [4096], 3, "allreduce", "ring", "recursive_doubling"),
    # A ring needs as many elements as ranks.
    ("allreduce", [56], 40, "allreduce", "recursive_doubling", "ring"),
    ("allgather", [1023], 32, "allgather", "recursive_doubling", "neighbor_exchange"),
    ("allgather", [1024], 32, "allgather", "neighbor_exchange", "recursive_doubling"),
    ("allgather", [65536], 32, "allgather", "ring", "neighbor_exchange"),
    ("allgatherv", [8192] * 6, 6, "allgather", "neighbor_exchange", "ring"),
    ("allgatherv", [8000] * 6, 6, "allgather", "ring", "neighbor_exchange"),
    ("alltoall", [511], 16, "alltoallv", "bruck", "burst"),
    ("alltoall", [512], 16, "alltoallv", "burst", "bruck"),
    ("alltoall", [524288], 7, "alltoallv", "ring", "burst"),
]


@pytest.mark.parametrize(
    ("call", "arguments", "ranks", "key", "taken", "other"),
    BY_OPENMPI,
    ids=lambda value: str(value)[:12] if isinstance(value, int | str) else None,
)
def test_the_rules_of_open_mpi_choose_by_ranks_and_bytes(
    tmp_path: Path, call: str, arguments: list[int], ranks: int, key: str, taken: str, other: str
) -> None:
    path = saved_call(tmp_path / "a.trace", ranks, [(call, lambda _: arguments)])
    by_rules = replayed(path, library="openmpi")
    assert summary(by_rules) == summary(replayed(path, **{key: taken}))
    assert summary(by_rules) != summary(replayed(path, **{key: other}))
    kept = replayed(path, library="openmpi", **{key: other})
    if other != keys.programs()["trace"].keys[key].default:
        assert summary(kept) == summary(replayed(path, **{key: other}))


def saved_call(path: Path, ranks: int, calls: list[tuple[str, Callable[[int], list[int]]]]) -> Path:
    """Saves a trace in which every rank makes some calls, whose arguments depend on the rank."""
    recording = Recording(ranks)
    for rank in range(ranks):
        for name, arguments in calls:
            recording.call(rank, name, arguments(rank))
    return save(recording.trace(), path)


@pytest.mark.parametrize(
    ("ranks", "whole", "parts", "choices"),
    [
        (
            200,
            ("allreduce", lambda _: [4096]),
            [("reduce", lambda _: [0, 4096]), ("bcast", lambda _: [0, 4096])],
            {"bcast": "k_ary"},
        ),
        (
            5,
            ("reduce_scatter_block", lambda _: [1 << 20]),
            [("reduce", lambda _: [0, 5 << 20]), ("scatter", lambda _: [0, 1 << 20])],
            {"reduce": "linear", "scatter": "linear"},
        ),
        (
            9,
            ("allgatherv", lambda _: list(range(100, 1000, 100))),
            [
                (
                    "gatherv",
                    lambda rank: [0, 100 * (rank + 1), *([] if rank else range(100, 1000, 100))],
                ),
                ("bcast", lambda _: [0, 4500]),
            ],
            {"bcast": "k_ary"},
        ),
        (
            40,
            ("reduce_scatter", lambda _: [8, *[0] * 39]),
            [
                ("reduce", lambda _: [0, 8]),
                ("scatterv", lambda rank: [0, 0 if rank else 8, *([] if rank else [8, *[0] * 39])]),
            ],
            {},
        ),
    ],
    ids=lambda value: str(value) if isinstance(value, int) else None,
)
def test_a_collective_that_open_mpi_makes_of_two_others_takes_the_rules_of_both(
    tmp_path: Path,
    ranks: int,
    whole: tuple[str, Callable[[int], list[int]]],
    parts: list[tuple[str, Callable[[int], list[int]]]],
    choices: dict[str, str],
) -> None:
    one = saved_call(tmp_path / "one.trace", ranks, [whole])
    two = saved_call(tmp_path / "two.trace", ranks, parts)
    assert summary(replayed(one, library="openmpi")) == summary(replayed(two, **choices))


def test_the_algorithm_of_one_call_site_is_changed(tmp_path: Path) -> None:
    recording = Recording(8)
    for rank in range(8):
        recording.call(rank, "allreduce", [65536], site="solver.f90:212")
        recording.call(rank, "allreduce", [65536], site="output.f90:7")
        recording.call(rank, "alltoall", [8], site="solver.f90:200")
        recording.call(rank, "allgather", [8], site="solver.f90:200")
        recording.call(rank, "sendrecv", [0, 1, 8, 0, 1, 8], site="output.f90:8")
    path = save(recording.trace(), tmp_path / "a.trace")
    standard, ring = replayed(path), replayed(path, allreduce="ring")
    one = replayed(path, sites="solver.f90:212 allreduce=ring")
    both = replayed(path, sites="solver.f90:212 allreduce=ring; output.f90:7 allreduce=ring")
    assert len({run.time_s for run in (standard, one, ring)}) == 3
    assert both.time_s == ring.time_s
    for sites, said in (
        (
            "solver.f90:9 allreduce=ring",
            'no call of the trace is at "solver.f90:9" and has an algorithm; the nearest are'
            r' "solver.f90:200" \(allgather, alltoallv\), "solver.f90:212" \(allreduce\), "output.f90:7"',
        ),
        ("solvr.f90:212 allreduce=ring", 'the nearest are "solver.f90:212"'),
        ("output.f90:8 bcast=linear", "no call of the trace is at .* and has an algorithm"),
        ("solver.f90:212 allsum=ring", 'no operation "allsum"; it makes: allreduce$'),
        ("solver.f90:200 alltoall=ring", 'no operation "alltoall"; it makes: allgather, alltoallv'),
        ("solver.f90:212 reduce=linear", 'no operation "reduce"; it makes: allreduce$'),
        ("solver.f90:212 allreduce=quick", "known are"),
        ("solver.f90:212", "is not SITE OPERATION=ALGORITHM"),
    ):
        with pytest.raises(ConfigError, match=f'program.sites = "{sites}": .*{said}'):
            replayed(path, sites=sites)


@pytest.mark.parametrize(
    ("key", "words", "told"),
    [
        ("allreduce", "quick", "there is no algorithm 'quick'; known are: recursive_doubling, "),
        ("allreduce", "quick:radix=2", "there is no algorithm 'quick'; known are: "),
        ("bcast", "linear:radix=2", "linear has no radix"),
        ("sites", "a.c:1 allreduce=quick", "allreduce: there is no algorithm 'quick'; known"),
        ("sites", "a.c:1 bcast=linear", '"a.c:1" makes no operation "bcast"'),
        ("processes", [2, 2], "a recording keeps its own"),
    ],
)
def test_a_wrong_algorithm_is_refused_by_its_setting(
    tmp_path: Path, key: str, words: object, told: str
) -> None:
    recording = Recording(4)
    for rank in range(4):
        recording.call(rank, "allreduce", [8], site="a.c:1")
    path = save(recording.trace(), tmp_path / "a.trace")
    place = re.escape(f"experiment: program.{key} = {json.dumps(words)}: {told}")
    with pytest.raises(ConfigError, match=f"^{place}"):
        replayed(path, **{key: words})


def test_computation_is_scaled_and_left_out(tmp_path: Path) -> None:
    recording = Recording(2)
    for rank in range(2):
        recording.call(rank, "barrier", computed=0.5)
    path = save(recording.trace(), tmp_path / "a.trace")
    alone = replayed(path).time_s
    assert replayed(path, computation="processor").time_s == pytest.approx(alone + 0.5)
    assert replayed(path, computation="wall", slowdown=0.5).time_s == pytest.approx(alone + 0.25)
    # A node twice as fast as the one that recorded it takes half the time.
    fast = {"name": "fattree-m", "node": {"flops": "8 Gflop/s"}}
    scaled = replayed(path, fast, computation="wall", recorded_flops="4 Gflop/s")
    assert scaled.time_s == pytest.approx(alone + 0.25)


def test_the_critical_path_of_a_replay_adds_up_to_its_time(tmp_path: Path) -> None:
    path = save(halo(12), tmp_path / "a.trace")
    run = tw.simulate(
        {
            "machine": MACHINE,
            "program": {"name": "trace", "trace": str(path)},
            "simulation": {"critical_path": True},
        }
    )
    assert run.critical_path is not None
    run.critical_path.check(run.time_s)


def test_explain_tries_the_algorithms_and_the_computation_of_a_recording(
    cli: Cli, tmp_path: Path
) -> None:
    recording = Recording(16)
    for rank in range(16):
        for _ in range(5):
            recording.call(rank, "allreduce", [2**20], site="solver.f90:212", computed=1e-3)
    path = save(recording.trace(), tmp_path / "a.trace")
    program = {"name": "trace", "trace": str(path), "phases": "sites"}
    file = tmp_path / "a.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in program.items()]
    file.write_text("\n".join(['machine = "fattree-m"', "[program]", *lines]), encoding="utf-8")
    done = cli("explain", file, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert "allreduce solver.f90:212" in {phase["name"] for phase in told["phases"]}
    settings = [one["settings"] for one in told["changes"]]
    assert {"program.slowdown": 0.5} in settings
    assert {"program.allreduce": "ring"} in settings
    assert not any("machine.node.flops" in one for one in settings)
    for change in told["changes"]:
        if set(change["settings"]) <= {"program.slowdown", "program.allreduce"}:
            again = tw.simulate(file, change["settings"])
            assert again.time_s == change["time_s"]


def test_a_deadlock_of_the_recording_names_the_ranks(cli: Cli, tmp_path: Path) -> None:
    recording = Recording(3)
    for rank in range(3):
        recording.call(rank, "recv", [(rank + 1) % 3 - rank, 5, 64], site="halo.f90:7")
    path = save(recording.trace(), tmp_path / "a.trace")
    told = (
        "deadlock: 3 of 3 ranks wait and nothing is under way: rank 0 waits for a message from rank"
        " 1 (tag 5) in trace; rank 1 waits for a message from rank 2 (tag 5) in trace; rank 2 waits"
        " for a message from rank 0 (tag 5) in trace"
    )
    with pytest.raises(DeadlockError, match=re.escape(told)):
        replayed(path)
    with pytest.raises(DeadlockError, match=r"\(tag 5\) in recv halo.f90:7; rank 1"):
        replayed(path, phases="sites")
    experiment = tmp_path / "a.toml"
    experiment.write_text('machine = "laptop"\n[program]\nname = "trace"\ntrace = "a.trace"\n')
    for words in (["simulate", str(experiment)], ["inspect", str(path), "--check", "laptop"]):
        done = cli(*words)
        assert done.returncode == 2
        assert "rank 2 waits for a message from rank 0 (tag 5) in " in " ".join(done.stderr.split())
        assert "Traceback" not in done.stderr


def test_the_best_algorithm_of_a_recorded_program_is_found(cli: Cli, tmp_path: Path) -> None:
    recording = Recording(16)
    for rank in range(16):
        for _ in range(5):
            recording.call(rank, "alltoall", [64])
            recording.call(rank, "allreduce", [2**20])
    save(recording.trace(), tmp_path / "a.trace")
    (tmp_path / "a.toml").write_text(
        '[machine]\nname = "fattree-m"\n[program]\nname = "trace"\ntrace = "a.trace"\n'
    )
    done = cli("tune", str(tmp_path / "a.toml"), "-o", str(tmp_path / "tuning.json"), "--json")
    assert done.returncode == 0, done.stderr
    found = {
        case["operation"]: case
        for case in json.loads((tmp_path / "tuning.json").read_text())["entries"]
    }
    assert set(found) == {"alltoallv", "allreduce"}
    best = replayed(
        tmp_path / "a.trace",
        alltoallv="tuned",
        allreduce="tuned",
        tuning=str(tmp_path / "tuning.json"),
    )
    assert best.time_s < replayed(tmp_path / "a.trace").time_s
