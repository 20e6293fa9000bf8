"""Processes of mpiexec that share the runs of a sweep: files, bits, errors, --resume."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, count_finished, needs_mpi, wait_until
from same_results import TAKEN, assert_same

from tradewind import mpi
from tradewind.mpi import launch

pytestmark = needs_mpi

SWEEP = """
[experiment]
title = "a shared sweep"

[machine.topology]
name = "torus"
extents = [4, 4]
nodes_per_switch = 2

[machine.link]
bandwidth = "10 GB/s"
latency = "100 ns"

[program]
name = "transposition"
grid = [32, 16, 16]
ranks = 8
alltoallv = { algorithm = "ring_k", radix = 4 }

[simulation]
packet_size = "4 KiB"
matrix_bins = 8
link_map_bins = 3
packet_waits = true
timeline = true

[sweep]
"program.ranks" = [8, 16]
"machine.routing" = ["dimension_order", "valiant"]
"""
PSTSWM = """
[machine]
name = "laptop"

[program]
name = "pstswm"
truncation = 42
levels = 2
steps = 1
ranks = 4
"""

# The process of the number in the first argument is interrupted while both exchange what to run.
INTERRUPTED = """
import os, signal, sys
from tradewind.config.experiment import Experiment
from tradewind.mpi.group import joined

# Long enough that the processes look for signals.
changes = {"program.grid": [320, 160, 64], "simulation.timeline": False}
(member, *_) = Experiment.load("sweep.toml", changes).members()
with joined() as group:
    exchange = group.mpi.exchange

    class Interrupted:
        def __getattr__(self, name):
            return getattr(group_mpi, name)

        def exchange(self, own):
            given = exchange(own)
            if group.process == int(sys.argv[1]):
                os.kill(os.getpid(), signal.SIGINT)
            return given

    group_mpi = group.mpi
    object.__setattr__(group, "mpi", Interrupted())
    if group.is_first:
        try:
            group.simulate(member.spec.tables(), lambda *_: True)
        except KeyboardInterrupt:
            print("interrupted")
    else:
        group.follow()
"""

Shared = Callable[..., "subprocess.CompletedProcess[str]"]


def command(processes: int, *arguments: str | Path) -> dict[str, Any]:
    """The command line on processes of mpiexec, for subprocess."""
    launcher = [str(mpi.find().launcher), "-n", str(processes)]
    words = [*launcher, sys.executable, "-m", "tradewind", *map(str, arguments)]
    return {"args": words, "env": {**os.environ, **launch.environment(processes, 1)}, "text": True}


@pytest.fixture
def shared(tmp_path: Path) -> Shared:
    """The command line on processes of mpiexec."""

    def run(processes: int, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
        call = command(processes, *arguments)
        return subprocess.run(**call, cwd=tmp_path, capture_output=True, timeout=300, check=False)

    return run


@pytest.fixture
def sweep(tmp_path: Path) -> Path:
    path = tmp_path / "sweep.toml"
    path.write_text(SWEEP, encoding="utf-8")
    return path


def test_a_shared_sweep_leaves_the_files_of_one_process(
    sweep: Path, tmp_path: Path, cli: Cli, shared: Shared
) -> None:
    xarray = pytest.importorskip("xarray")
    assert cli("simulate", sweep, "-o", "alone").returncode == 0
    for processes in (2, 3, 4):
        folder = f"out{processes}"
        done = shared(processes, "simulate", sweep, "-o", folder)
        assert done.returncode == 0, done.stderr
        assert done.stdout.count("valiant") == 2
        assert f"{processes} processes of" in done.stderr
        alone, joint = tmp_path / "alone", tmp_path / folder
        assert {path.name for path in alone.iterdir()} == {path.name for path in joint.iterdir()}
        with (
            xarray.open_dataset(alone / "results.nc") as one,
            xarray.open_dataset(joint / "results.nc") as other,
        ):
            assert "matrix_bytes" in one.variables
            assert any(str(name).startswith("link_map") for name in one.variables)
            for name in set(one.variables) | set(other.variables):
                assert name in TAKEN or one[name].identical(other[name]), name
        for path in alone.glob("timeline-*.json"):
            assert path.read_bytes() == (joint / path.name).read_bytes()


def test_resume_goes_on_alone_or_shared(
    sweep: Path, tmp_path: Path, cli: Cli, shared: Shared
) -> None:
    first = json.loads(cli("simulate", sweep, "-o", "out", "--json").stdout)
    next((tmp_path / "out" / "runs").glob("[!.]*.json")).unlink()
    done = shared(2, "simulate", sweep, "-o", "out", "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kept: ") == 3 and done.stderr.count("done: ") == 1
    assert_same(json.loads(done.stdout), first)


def test_an_interrupt_ends_all_processes_and_keeps_what_is_finished(
    tmp_path: Path, shared: Shared
) -> None:
    slow = SWEEP.replace('"program.ranks" = [8, 16]', '"program.ranks" = [8, 4]')
    slow = slow.replace("grid = [32, 16, 16]", "grid = [320, 160, 64]").replace("4 KiB", "1 KiB")
    (tmp_path / "slow.toml").write_text(slow.replace("timeline = true", ""), encoding="utf-8")
    call = command(2, "simulate", "slow.toml", "-o", "out")
    output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE}
    process = subprocess.Popen(**call, cwd=tmp_path, **output)
    wait_until(lambda: count_finished(tmp_path / "out") or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert process.returncode != 0
    kept = count_finished(tmp_path / "out")
    assert 1 <= kept < 4
    done = shared(2, "simulate", "slow.toml", "-o", "out", "--resume", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kept: ") == kept
    assert len(json.loads(done.stdout)["runs"]) == 4


@pytest.mark.parametrize("process", [0, 1])
def test_an_interrupt_between_two_runs_lets_no_process_wait_for_ever(
    sweep: Path, tmp_path: Path, process: int
) -> None:
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED, encoding="utf-8")
    call = command(2)
    call["args"] = [*call["args"][:-2], str(script), str(process)]
    done = subprocess.run(**call, cwd=tmp_path, capture_output=True, timeout=100, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "interrupted\n"


def test_a_model_as_a_program_is_shared(tmp_path: Path, cli: Cli, shared: Shared) -> None:
    (tmp_path / "model.toml").write_text(PSTSWM, encoding="utf-8")
    alone = json.loads(cli("simulate", "model.toml", "--json").stdout)
    done = shared(2, "simulate", "model.toml", "--json")
    assert done.returncode == 0, done.stderr
    assert_same(json.loads(done.stdout), alone)


def test_a_run_that_fails_stops_no_other_and_wrong_input_is_told_once(
    sweep: Path, shared: Shared
) -> None:
    ports = 'sweep={"machine.topology.nodes_per_switch" = [2, 1000000]}'
    done = shared(2, "simulate", sweep, "-o", "out", "--json", "--set", ports)
    result: dict[str, Any] = json.loads(done.stdout.splitlines()[0])
    assert done.returncode == 1
    assert len(result["runs"]) == 1
    assert [entry["kind"] for entry in result["failed"]] == ["TopologyError"]
    wrong = shared(2, "simulate", sweep, "--set", "machine.switch.buffer=1")
    assert wrong.returncode == 2
    assert wrong.stderr.count("error: ") == 1 and "buffer" in wrong.stderr
    refused = shared(2, "simulate", sweep, "--scheduler", "tcp://localhost:1")
    assert refused.returncode == 2
    assert refused.stderr.count("leave out --scheduler") == 1


def test_tradewind_mpi_starts_the_processes(sweep: Path, cli: Cli) -> None:
    only = ("sweep={}", "program.ranks=16")
    sets = [word for value in only for word in ("--set", value)]
    alone = json.loads(cli("simulate", sweep, "--json", *sets).stdout)
    done = cli("mpi", "-n", "3", "--json", "simulate", sweep, *only)
    assert done.returncode == 0, done.stderr
    assert_same(json.loads(done.stdout), alone)
    missing = cli("mpi", "simulate")
    assert missing.returncode == 2 and "the experiment is missing" in missing.stderr
    refused = cli("mpi", "-n", "2", "simulate", sweep, "machine.switch.buffer=1")
    assert refused.returncode == 2 and "buffer" in refused.stderr


WRONG = [
    ("--nonsense", "No such option"),
    ("--set=nonsense", "key=value"),
    ("--help", "taking part"),
]


@pytest.mark.parametrize("place", [0, 1])
@pytest.mark.parametrize(("option", "complaint"), WRONG)
def test_an_option_that_is_wrong_on_one_process_ends_all(
    sweep: Path, tmp_path: Path, place: int, option: str, complaint: str
) -> None:
    code = "import os, sys; from tradewind import cli, mpi; status = cli.main()\n"
    code += "open(f'status{mpi.world()[0]}', 'w').write(str(status)); sys.exit(status)"
    words = [sys.executable, "-c", code, "simulate", str(sweep), "-o", "out"]
    pair = [words, words]
    pair[place] = [*words, option]
    launcher = [str(mpi.find().launcher), "-n", "1", *pair[0], ":", "-n", "1", *pair[1]]
    environment = {**os.environ, **launch.environment(2, 1)}
    done = subprocess.run(
        launcher,
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 2
    assert [(tmp_path / f"status{one}").read_text() for one in (0, 1)] == ["2", "2"]
    assert f"error: process {place} of 2: " in done.stderr and complaint in done.stderr
    assert done.stderr.count("error: ") == 1
    assert not (tmp_path / "out").exists()
