"""Sweeps on the workers of a Dask scheduler: the bits of local runs, whatever happens to workers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli

from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.runs.results import Run
from tradewind.runs.store import RunStore

pytest.importorskip("distributed")
np = pytest.importorskip("numpy")

# The longest run takes a few seconds, so that there is time to kill who makes it.
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
"program.repeat" = [2000, 2001, 1000, 1001, 10]

[simulation]
packet_size = "1 KiB"
matrix_bins = 4
"""
TAKEN = {"wall_s", "cpu_s", "peak_rss_bytes", "memory_bytes"}


@pytest.fixture
def cluster() -> Iterator[dict[str, Any]]:
    command = [sys.executable, str(Path(__file__).with_name("dask_cluster.py"))]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        yield json.loads(process.stdout.readline())
        process.stdin.close()
        process.wait(timeout=60)


@pytest.fixture
def slow_file(tmp_path: Path) -> Path:
    path = tmp_path / "slow.toml"
    path.write_text(SLOW, encoding="utf-8")
    return path


def start(file: Path, folder: Path, address: str) -> subprocess.Popen[str]:
    """Starts a sweep and waits until it has runs that are finished, and some that are not."""
    words = ["simulate", str(file), "-o", str(folder), "--scheduler", address]
    process = subprocess.Popen(
        [sys.executable, "-m", "tradewind", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 60
    while not list((folder / "runs").glob("[!.]*.json")):
        assert time.monotonic() < end and process.poll() is None
        time.sleep(0.02)
    return process


def runs_of(file: Path, folder: Path) -> list[Run]:
    store, version = RunStore(folder / "runs"), core.load().version
    found = [store.load(member, version) for member in Experiment.load(file).members()]
    return [run for run in found if run is not None]


def assert_same(one: Any, other: Any, path: str = "") -> None:
    """All that a run gives is the same to the last bit, but for what simulating it took."""
    if isinstance(one, dict):
        assert one.keys() == other.keys(), path
        for key in one.keys() - TAKEN:
            assert_same(one[key], other[key], f"{path}.{key}")
    elif isinstance(one, list):
        assert len(one) == len(other), path
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            assert_same(left, right, f"{path}[{index}]")
    elif isinstance(one, np.ndarray):
        np.testing.assert_array_equal(one, other, err_msg=path)
    else:
        assert one == other or (one != one and other != other), path


def test_a_lost_worker_costs_no_run_and_no_bit(
    cluster: dict[str, Any], slow_file: Path, tmp_path: Path, cli: Cli
) -> None:
    process = start(slow_file, tmp_path / "dask", cluster["address"])
    os.kill(cluster["workers"][0], signal.SIGKILL)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 0, said
    assert "again: " in said and said.count("done: ") == 5
    assert cli("simulate", slow_file, "-o", "local").returncode == 0
    pairs = [runs_of(slow_file, tmp_path / name) for name in ("dask", "local")]
    assert [len(runs) for runs in pairs] == [5, 5]
    for one, other in zip(*pairs, strict=True):
        assert_same(dict(one.raw), dict(other.raw))


def test_an_interrupt_keeps_what_is_finished_and_frees_the_workers(
    cluster: dict[str, Any], slow_file: Path, tmp_path: Path, cli: Cli
) -> None:
    folder = tmp_path / "out"
    process = start(slow_file, folder, cluster["address"])
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130, said
    kept = len(runs_of(slow_file, folder))
    assert 1 <= kept < 5
    assert f"{kept} of 5 runs are finished, continue with --resume" in said
    # A short run waits for none of the long ones that were cancelled.
    words = ["-o", folder, "--scheduler", cluster["address"], "--resume", "--json"]
    done = cli("simulate", slow_file, *words)
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kept: ") == kept
    assert len(json.loads(done.stdout)["runs"]) == 5


def test_a_run_that_fails_is_recorded_and_stops_no_other(
    cluster: dict[str, Any], tmp_path: Path, cli: Cli
) -> None:
    stuck = SLOW.replace("[2000, 2001, 1000, 1001, 10]", "[1, 2, 3]")
    file = tmp_path / "stuck.toml"
    file.write_text(
        stuck.replace('"program.repeat"', '"simulation.memory_limit"').replace(
            "[1, 2, 3]", '["1 GB", "2 GB"]'
        ),
        encoding="utf-8",
    )
    done = cli("simulate", file, "-o", "out", "--scheduler", cluster["address"], "--json")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:{port}", "carrier-pigeon://roof"])
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
    assert time.monotonic() - begin < 30
    assert not (tmp_path / "out").exists()
