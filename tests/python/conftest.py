"""Fixtures of the Python tests: a small experiment, and the command line as a process."""

from __future__ import annotations

import copy
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import command_server
import pytest
from skip_hooks import pytest_make_collect_report, pytest_runtest_makereport

from tradewind import mpi
from tradewind.errors import ConfigError

__all__ = ["pytest_make_collect_report", "pytest_runtest_makereport"]

SMALL: dict[str, Any] = {
    "machine": {
        "topology": {"name": "torus", "extents": [4, 4], "nodes_per_switch": 2},
        "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
    },
    "program": {
        "name": "transposition",
        "grid": [32, 16, 8],
        "ranks": 8,
        "alltoallv": {"algorithm": "ring_k", "radix": 4},
    },
    "simulation": {"packet_size": "4 KiB", "matrix_bins": 8, "timeline": True},
}

# A shell that starts the tests in the background makes them ignore Ctrl-C, and so all that they start.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

SWEEP_TOML = """
[experiment]
title = "a small sweep"

[machine]
name = "laptop"

[program]
name = "allreduce"
bytes = "1 KiB"
ranks = 4

[sweep]
"program.ranks" = [2, 4, 8]
"program.allreduce.algorithm" = ["recursive_doubling", "ring"]

[simulation]
packet_size = "1 KiB"
"""

Cli = Callable[..., "subprocess.CompletedProcess[str]"]


# The longest files run first, so that at the end no worker of pytest -n waits for one of them.
LONGEST = [
    *("extrapolated_programs", "pauses", "extrapolation", "studies", "faults", "problem_sizes"),
    *("replay", "extrapolated_meshes", "memory", "record_ends", "calibration", "experiment"),
    *("shared_runs", "manners", "mismatched", "dask", "verdicts", "middles"),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {f"test_{name}.py": place for place, name in enumerate(LONGEST)}
    items.sort(key=lambda item: places.get(item.path.name, len(places)))


def wait_until(condition: Callable[[], object]) -> None:
    """Returns when it holds; fails after two minutes."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def count_finished(folder: Path) -> int:
    """Runs that are stored in a result folder."""
    return len(list((folder / "runs").glob("[!.]*.json")))


def _have_mpi() -> bool:
    try:
        mpi.find()
    except ConfigError:
        return False
    return True


needs_mpi = pytest.mark.skipif(not _have_mpi(), reason="installed without MPI")


@pytest.fixture
def small() -> dict[str, Any]:
    return copy.deepcopy(SMALL)


@pytest.fixture
def sweep_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.toml"
    path.write_text(SWEEP_TOML, encoding="utf-8")
    return path


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    def run(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
        return command_server.run(arguments, tmp_path, timeout=120)

    return run
