"""Sweeps on the workers of a Dask scheduler: the bits of local runs, whatever happens to workers."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, count_finished, wait_until
from same_results import assert_same

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.host import UNLIMITED
from tradewind.runs.dask import _Places
from tradewind.runs.run import Run
from tradewind.runs.store import RunStore

pytest.importorskip("distributed")

needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="no /proc here")

# The first run takes seconds, so that there is time to kill who makes it.
SLOW = """
[experiment]
title = "slow runs"

[machine]
name = "laptop"

[program]
name = "allreduce"
bytes = "64 KiB"
ranks = 8

[sweep]
"program.repeat" = [1500, 10]

[simulation]
packet_size = "1 KiB"
matrix_bins = 4
"""
# The second run asks for switches that cannot exist, which turns out when it is made.
IMPOSSIBLE = """
[machine.topology]
name = "torus"
nodes_per_switch = 1
extents = [4, 4]

[machine.link]
bandwidth = "10 GB/s"
latency = "100 ns"

[program]
name = "pingpong"
bytes = "1 KiB"
ranks = 2

[sweep]
"machine.topology.nodes_per_switch" = [1, 1000000, 2]
"""
STUDY = """
[study]
title = "A tiny study"
source = "nobody2026"

[part.times]
title = "Repetitions take time"
experiments = ["runs"]
"""
CLAIM = """
[[claim]]
id = "T1"
claim = "more repetitions take longer"
condition = "at(times.time_s, repeat=3) > at(times.time_s, repeat=1)"
"""


@pytest.fixture(scope="module")
def cluster() -> Iterator[dict[str, Any]]:
    command = [sys.executable, str(Path(__file__).with_name("dask_cluster.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield json.loads(process.stdout.readline()) | {"pid": process.pid}
        process.stdin.close()
        process.wait(timeout=60)


def simulating(ancestor: int) -> dict[int, int]:
    """Processes below one that make a run, with their parents."""
    parents, words = {}, {}
    for path in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            stat = (path / "stat").read_text(encoding="utf-8")
            parents[int(path.name)] = int(stat.rpartition(")")[2].split()[1])
            words[int(path.name)] = (path / "cmdline").read_text(encoding="utf-8")
    below = {ancestor}
    while more := {child for child, parent in parents.items() if parent in below} - below:
        below |= more
    return {one: parents[one] for one in below if "tradewind.runs.worker" in words[one]}


@pytest.fixture
def slow_file(tmp_path: Path) -> Path:
    path = tmp_path / "slow.toml"
    path.write_text(SLOW, encoding="utf-8")
    return path


def start(file: Path, folder: Path, cluster: dict[str, Any]) -> subprocess.Popen[str]:
    """Starts a sweep and waits until its short run is finished; the long one is not."""
    words = ["simulate", str(file), "-o", str(folder), "--scheduler", cluster["address"]]
    process = subprocess.Popen(
        [sys.executable, "-m", "tradewind", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    wait_until(lambda: count_finished(folder) == 1 or process.poll() is not None)
    assert process.poll() is None
    return process


def runs_of(file: Path, folder: Path) -> list[Run]:
    store, version = RunStore(folder / "runs"), core.load().version
    found = [store.load(member, version) for member in Experiment.load(file).members()]
    return [run for run in found if run is not None]


@needs_proc
def test_a_lost_worker_costs_no_run_and_no_bit(
    cluster: dict[str, Any], slow_file: Path, tmp_path: Path, cli: Cli
) -> None:
    process = start(slow_file, tmp_path / "dask", cluster)
    wait_until(lambda: simulating(cluster["pid"]))
    os.kill(next(iter(simulating(cluster["pid"]).values())), signal.SIGKILL)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 0, said
    assert "again: " in said and said.count("done: ") == 2
    assert cli("simulate", slow_file, "-o", "local").returncode == 0
    pairs = [runs_of(slow_file, tmp_path / name) for name in ("dask", "local")]
    assert [len(runs) for runs in pairs] == [2, 2]
    for one, other in zip(*pairs, strict=True):
        assert_same(dict(one.raw), dict(other.raw))


@needs_proc
def test_an_interrupt_keeps_what_is_finished_and_frees_the_workers(
    cluster: dict[str, Any], slow_file: Path, tmp_path: Path, cli: Cli
) -> None:
    folder = tmp_path / "out"
    process = start(slow_file, folder, cluster)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    kept = len(runs_of(slow_file, folder))
    assert kept == 1
    assert f"{kept} of 2 runs are finished, the same command goes on from there" in said
    wait_until(lambda: not simulating(cluster["pid"]))
    done = cli("simulate", slow_file, "-o", folder, "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kept: ") == kept
    assert len(json.loads(done.stdout)["runs"]) == 2


@needs_proc
def test_a_run_that_dies_is_recorded_and_stops_no_other(
    cluster: dict[str, Any], slow_file: Path, tmp_path: Path, cli: Cli
) -> None:
    process = start(slow_file, tmp_path / "out", cluster)
    # A process that has been seen may have ended when it is looked for again.
    seen: list[int] = []

    def is_under_way() -> bool:
        seen.extend(simulating(cluster["pid"]))
        return bool(seen)

    wait_until(is_under_way)
    os.kill(seen[0], signal.SIGKILL)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 1, said
    assert said.count("done: ") == 1 and said.count("failed: ") == 1
    assert "ended by SIGKILL" in (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    again = cli("simulate", slow_file, "-o", "out")
    assert again.returncode == 0, again.stderr
    assert again.stderr.count("kept: ") == 1 and again.stderr.count("done: ") == 1


def test_a_study_is_reproduced_on_the_workers(
    cluster: dict[str, Any], slow_file: Path, tmp_path: Path, cli: Cli
) -> None:
    pytest.importorskip("xarray")
    text = slow_file.read_text(encoding="utf-8").replace("[1500, 10]", "[3, 2, 1]")
    (tmp_path / "tiny").mkdir()
    for name, content in {"runs": text, "study": STUDY, "claims": CLAIM}.items():
        (tmp_path / "tiny" / f"{name}.toml").write_text(content, encoding="utf-8")
    done = cli("reproduce", "tiny", "-o", "out", "--scheduler", cluster["address"])
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("done: ") == 3
    ledger = json.loads((tmp_path / "out" / "ledger.json").read_text(encoding="utf-8"))
    assert [entry["verdict"] for entry in ledger] == ["reproduced"]
    alone = cli("reproduce", "tiny", "-o", "out")
    assert alone.returncode == 0, alone.stderr
    assert alone.stderr.count("kept: ") == 3


def test_a_run_that_cannot_work_is_recorded_with_its_error(
    cluster: dict[str, Any], tmp_path: Path, cli: Cli
) -> None:
    file = tmp_path / "impossible.toml"
    file.write_text(IMPOSSIBLE, encoding="utf-8")
    done = cli("simulate", file, "-o", "out", "--scheduler", cluster["address"], "--json")
    assert done.returncode == 1, done.stderr
    result = json.loads(done.stdout)
    assert len(result["runs"]) == 2
    (failed,) = result["failed"]
    assert failed["kind"] == "TopologyError" and "ports" in failed["message"]


def test_a_worker_makes_no_more_runs_at_once_than_it_has_threads(slow_file: Path) -> None:
    places, (member, *_) = _Places(), Experiment.load(slow_file).members()
    begun = threading.Event()

    def second() -> None:
        with places.taken(member, 0, 1, lambda: True):
            begun.set()

    other = threading.Thread(target=second)
    with places.taken(member, UNLIMITED, 1, lambda: True):
        other.start()
        assert not begun.wait(0.1)
    assert begun.wait(60)
    other.join()
    assert (places.runs, places.threads) == (0, 0)


@pytest.mark.parametrize(
    "address", ["tcp://127.0.0.1:{port}", "127.0.0.1:{port}", "carrier-pigeon://roof"]
)
def test_a_scheduler_that_does_not_answer_is_told_within_seconds(
    address: str, slow_file: Path, tmp_path: Path, cli: Cli
) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        given = address.format(port=silent.getsockname()[1])
        begin = time.monotonic()
        done = cli("simulate", slow_file, "-o", "out", "--scheduler", given)
    assert done.returncode == 2
    assert f"--scheduler {given}" in done.stderr
    assert done.stderr.startswith("error: ") and done.stderr.count("\n") == 1
    assert time.monotonic() - begin < 60
    assert not (tmp_path / "out").exists()
