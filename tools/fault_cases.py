"""The commands that tools/faults.py ends early: what lasts, what is limited, and a sweep."""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

# The machine, up to the table of the program.
_TORUS = """
[machine]
topology = {{ name = "torus", extents = {extents}, nodes_per_switch = 1 }}
routing = "dimension_order"
link = {{ bandwidth = "1 GB/s", latency = "50 ns" }}

[program]
"""
_MACHINE = _TORUS.format(extents=[400, 50, 50])

# Eight runs of a few tenths of a second.
SWEEP = f"""{_TORUS.format(extents=[8, 8, 8])}
name = "transposition"
grid = [64, 64, 64]
ranks = 16
repeat = 4

[sweep]
"program.ranks" = [16, 64, 256, 512]
"simulation.packet_size" = ["256 B", "1 KiB"]
"""

_PRINTED = """
[machine]
name = "fattree-l-printed"

[program]
name = "allreduce"
ranks = 16
bytes = "64 B"
"""
_THREADS = """
[machine]
name = "torus-m"

[program]
name = "alltoallv"
ranks = 1024
bytes = "64 B"
repeat = 2

[simulation]
threads = {}
"""
INTERRUPTED: Mapping[str, Mapping[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "fault_cases.toml").read_text(encoding="utf-8")
)
LIMITED: Mapping[str, Mapping[str, Any]] = {
    "a large machine": {"words": ["simulate", "a.toml"], "file": _PRINTED},
    "sweep": {"words": ["simulate", "a.toml", "-o", "out"], "file": SWEEP},
    **{
        f"{threads} threads": {"words": ["simulate", "a.toml"], "file": _THREADS.format(threads)}
        for threads in (1, 2, 4, 8, 40)
    },
    **INTERRUPTED,
    "processes": {
        "words": ["mpiexec", "-n", "2", sys.executable, "-m", "tradewind", "simulate", "a.toml"],
        "file": _THREADS.format(1),
    },
    **{
        f"{name} on processes": {**one, "processes": 2}
        for name, one in INTERRUPTED.items()
        if "run" in one and "mesh.nc" not in one["run"]
    },
    "catalogue": {"words": ["list"]},
}


@cache
def _mesh() -> Path:
    """Returns a mesh of Voronoi cells, which is made once."""
    folder = Path(tempfile.mkdtemp(prefix="tradewind-faults-mesh-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    words = ["mesh", "generate", "-o", "mesh.nc", "--cells", "2562", "--lloyd", "0"]
    subprocess.run(
        [sys.executable, "-m", "tradewind", *words], cwd=folder, capture_output=True, check=True
    )
    return folder / "mesh.nc"


def command_of(case: Mapping[str, Any], folder: Path) -> Sequence[str]:
    """Writes the files of a case into a folder; returns the words after `tradewind`."""
    given = folder / "a.toml"
    (folder / "edges.txt").write_text("0 1 100\n1 0 50\n", encoding="utf-8")
    if "mesh.nc" in str(case):
        shutil.copy(_mesh(), folder / "mesh.nc")
    if "file" in case:
        given.write_text(case["file"], encoding="utf-8")
    if "simulate" in case:
        given.write_text(_MACHINE + case["simulate"], encoding="utf-8")
        return ["simulate", given.name]
    if "run" in case:
        given.write_text(case["run"], encoding="utf-8")
        (model,) = tomllib.loads(case["run"])
        if "processes" in case:
            return ["run", model, given.name, "-n", str(case["processes"])]
        return ["run", model, given.name, "--simulated-ranks", str(case.get("ranks", 1))]
    return list(case["words"])
