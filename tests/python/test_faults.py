"""Whatever ends a command, it ends soon and in one line: kills, interrupts, limits of memory and full disks."""

from __future__ import annotations

import random
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import wave_meshes
from conftest import needs_mpi

import fault_cases
import faults
from fault_cases import INTERRUPTED
from tradewind import core

WITH_MESHES = [name for name, case in INTERRUPTED.items() if "mesh" in str(case)]


def test_every_program_and_model_is_interrupted() -> None:
    texts = [str(case) for case in INTERRUPTED.values()]
    for program in core.load().programs():
        if program["name"] == "trace":
            continue  # Needs a recording, and its loops are those of the simulation.
        assert any(f"name = '{program['name']}'" in text for text in texts), program["name"]
        if program["is_model"]:
            assert any(f"[{program['name']}]" in text for text in texts), program["name"]


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=wave_meshes.needed if name in WITH_MESHES else ())
        for name in INTERRUPTED
    ],
)
def test_ctrl_c_is_heard_at_once(tmp_path: Path, name: str) -> None:
    assert faults.interrupt(tmp_path, name, 1.2) is None


@pytest.mark.parametrize("kind", ["kill", "disk"])
def test_a_sweep_goes_on_to_the_same_results(tmp_path: Path, kind: str) -> None:
    assert faults.TRIALS[kind](tmp_path, random.Random(3)) is None


@pytest.mark.parametrize(
    ("end", "fault"),
    [
        ((0, ""), None),
        ((2, "error: wrong\n"), None),
        (None, "hang"),
        ((1, "Traceback (most recent call last)\nMemoryError\n"), "traceback"),
        ((-signal.SIGABRT, ""), "ended by SIGABRT"),
        ((77, "error: wrong\n"), "exit status 77"),
        ((1, ""), "0 lines of errors"),
        ((1, "error: one\nerror: two\n"), "2 lines of errors"),
    ],
)
def test_endings_are_judged(end: tuple[int, str] | None, fault: str | None) -> None:
    assert faults.fault_of(end, (0, 1, 2)) == fault


def test_a_deaf_command_is_a_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = "import signal, time; signal.signal(signal.SIGINT, lambda *a: None); time.sleep(8)"

    def start(folder: Path, words: list[str]) -> subprocess.Popen[bytes]:
        return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE)

    monkeypatch.setattr(faults, "_start", start)
    monkeypatch.setattr(faults, "_wait_for_work", lambda process, seconds: time.sleep(1.0))
    assert (faults.interrupt(tmp_path, "halo", 0.1) or "").startswith("interrupted after")


def limited(folder: Path, name: str, limit: int) -> tuple[int, str]:
    """Returns status and errors of a case with a limit of the address space."""
    words = fault_cases.command_of(fault_cases.LIMITED[name], folder)
    end = faults._end(faults._start(folder, words, (resource.RLIMIT_AS, limit)))
    assert end is not None
    return end


def test_address_space_is_foretold(tmp_path: Path) -> None:
    """A machine of a million switches reserves what 16 ranks never touch."""
    status, told = limited(tmp_path, "a large machine", 4 * 2**30)
    assert status == 2
    assert "of address space, of which `ulimit -v` leaves" in told
    assert limited(tmp_path, "a large machine", 20 * 2**30)[0] == 0


@pytest.mark.parametrize("mebibytes", [60, 90, 130, 170, 200])
def test_too_little_memory_to_load_is_told_in_one_line(tmp_path: Path, mebibytes: int) -> None:
    status, told = limited(tmp_path, "catalogue", mebibytes * 2**20)
    assert faults.fault_of((status, told), (0, 1)) is None


@needs_mpi
@pytest.mark.parametrize("mebibytes", [250, 400, 600])
def test_memory_that_ends_on_processes_is_told(tmp_path: Path, mebibytes: int) -> None:
    end = limited(tmp_path, "processes", mebibytes * 2**20)
    assert faults.fault_of(end, (0, 1, 2), faults.most_errors("processes")) is None


@needs_mpi
def test_memory_that_ends_on_one_process_is_told_with_its_number(tmp_path: Path) -> None:
    """The error was a traceback and an abort of MPI."""
    limit = 'if [ "${PMI_RANK:-$OMPI_COMM_WORLD_RANK}" = 1 ]; then ulimit -v 600000; fi; exec "$@"'
    text = fault_cases._MACHINE + "name = 'allreduce'\nbytes = '8 B'\nranks = 200000\n"
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    program = [sys.executable, "-m", "tradewind", "simulate", "a.toml"]
    unchecked = ["--set", "simulation.memory_limit='100 GiB'"]
    words = ["mpiexec", "-n", "2", "sh", "-c", limit, "sh", *program, *unchecked]
    end = faults._end(faults._start(tmp_path, words))
    assert end is not None and end[0] == 1
    assert "process 1 of 2: not enough memory" in end[1]
    assert "Traceback" not in end[1] and "Abort" not in end[1]


@pytest.mark.parametrize(
    ("sweep", "told"),
    [
        ({"machine.link.latency": ["1e9999999 ns"]}, "unknown unit"),
        (
            {"program.repeat": list(range(1, 50_000)), "program.bytes": list(range(8, 160_008, 8))},
            "= 999980000 runs; expected at most 100000",
        ),
    ],
)
def test_what_is_too_large_is_refused_before_it_is_made(
    tmp_path: Path, sweep: dict[str, list[object]], told: str
) -> None:
    lines = ["[program]", "name = 'allreduce'", "bytes = '8 B'", "ranks = 4", "[sweep]"]
    lines += [f'"{key}" = {values!r}' for key, values in sweep.items()]
    given = tmp_path / "a.toml"
    given.write_text("\n".join(["machine = 'laptop'", *lines]), encoding="utf-8")
    status, error = limited_words(tmp_path, ["simulate", "a.toml"])
    assert status == 2 and told in error


def limited_words(folder: Path, words: list[str]) -> tuple[int, str]:
    """Returns status and errors of a command that may compute for 15 seconds."""
    end = faults._end(faults._start(folder, words, (resource.RLIMIT_CPU, 15)))
    assert end is not None
    return end


def test_the_prediction_of_a_wide_window_takes_no_time(tmp_path: Path) -> None:
    """Each wait looked at all requests, hence the prediction took as long as the square of the ranks."""
    text = fault_cases._MACHINE + (
        "name = 'alltoallv'\nbytes = '1 B'\nranks = 1000000\n"
        "alltoallv = { algorithm = 'spread_out', window = 1000000 }\n"
    )
    (tmp_path / "a.toml").write_text(text, encoding="utf-8")
    status, told = limited_words(tmp_path, ["simulate", "a.toml"])
    assert status == 2 and "of memory" in told


def test_a_simulating_process_ends_with_the_one_that_started_it(tmp_path: Path) -> None:
    words = fault_cases.command_of(INTERRUPTED["allreduce"], tmp_path)
    process = faults._start(tmp_path, words)
    end = time.monotonic() + 60
    while not (workers := faults.children_of(process.pid)) and time.monotonic() < end:
        time.sleep(0.1)
    process.kill()
    process.communicate()
    assert workers
    while any(Path(f"/proc/{worker}").exists() for worker in workers) and time.monotonic() < end:
        time.sleep(0.1)
    assert not any(Path(f"/proc/{worker}").exists() for worker in workers)
