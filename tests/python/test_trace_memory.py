"""Traces that are larger than the memory that may be used: they are unpacked and replayed in streams."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np

from tradewind import core
from tradewind.trace_file import write_trace

RANKS, CALLS, SIZES = 2, 600_000, 400
MIB = 2**20
# Replays a short trace, so that everything is loaded, then a long one with little more memory.
SCRIPT = """
import json, resource, sys
import tradewind as tw

def replay(path):
    return tw.simulate({
        "machine": {"name": "laptop"},
        "program": {"name": "trace", "trace": path, "computation": "none"},
        "simulation": {"network": "analytic"},
    })

short, long, more = sys.argv[1], sys.argv[2], int(sys.argv[3])
replay(short)
lines = open("/proc/self/status").read().splitlines()
data = next(int(line.split()[1]) for line in lines if line.startswith("VmData")) * 1024
resource.setrlimit(resource.RLIMIT_DATA, (data + more, data + more))
print(json.dumps(replay(long).counts["messages"]))
"""


def save(path: Path, calls: int) -> int:
    """Writes a trace in which no loop can be found; returns the bytes of its arrays."""
    builder = core.load().TraceBuilder(RANKS)
    generator = np.random.default_rng(1)
    order = generator.integers(1, SIZES, calls)
    for rank in range(RANKS):
        events = np.array(
            [builder.event("allreduce", 0, [8 * size], 0, -1) for size in range(SIZES)]
        )
        times = generator.integers(1000, 10**6, calls)
        builder.add(rank, events[order], times, times, times)
    arrays = builder.finish()
    write_trace(path, arrays, {"ranks": RANKS, "complete": True})
    return sum(np.asarray(array).nbytes for name, array in arrays.items() if name != "strings")


def test_a_long_trace_is_replayed_in_a_part_of_its_size(
    tmp_path: Path, monkeypatch: object
) -> None:
    save(tmp_path / "short.trace", 10)
    size = save(tmp_path / "long.trace", CALLS)
    more = 20 * MIB
    assert size > 2.5 * more
    environment = {"XDG_CACHE_HOME": str(tmp_path / "cache"), "OMP_NUM_THREADS": "1"}
    words = [str(tmp_path / name) for name in ("short.trace", "long.trace")]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *words, str(more)],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) >= CALLS
