"""Candidates that are the same program: all messages at the same times on a simulated machine."""

from __future__ import annotations

import hashlib
import time
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from tradewind import core
from tradewind.config.machine import read_machine
from tradewind.config.schema import Where
from tradewind.config.spec import Hardware, Spec
from tradewind.errors import ConfigError, Interrupted

# More ranks have too many messages to list for every candidate.
_MOST_RANKS = 128
_MOST_MESSAGES = 1_000_000
_LIMIT_S = 5.0
# Every cost has a prime number of its own, so that another kind of message, call or copy shows.
_MESSAGE = {
    "overhead_send": "101 ns",
    "overhead_receive": "211 ns",
    "overhead_rendezvous": "307 ns",
    "overhead_synchronous": "401 ns",
    "overhead_ready": "503 ns",
    "overhead_put": "601 ns",
    "copy_per_byte_send": "13 ps/B",
    "copy_per_byte_receive": "17 ps/B",
    "latency": "1009 ns",
    "gap_per_byte": "97 ps/B",
    "eager_limit": "1 KiB",
}
_NODE = {"copy_bandwidth": "7 GB/s", "sum_bandwidth": "5 GB/s", "copy_overhead": "19 ns"}


@cache
def _hardware(ranks: int) -> Hardware:
    raw = {
        "topology": {"name": "star", "nodes": max(ranks, 2)},
        "link": {"bandwidth": "10 GB/s", "latency": "1 us"},
        "message": _MESSAGE,
        "node": _NODE,
    }
    return read_machine(raw, Where("tune"), Path()).hardware


def program_key(spec: Spec) -> str | None:
    """Returns a key that two runs share if they send the same messages with the same local work.

    Args:
        spec: A run; its machine does not matter.

    Returns:
        None if that is not known, since the run is too large or uses the MPI library's own
        collectives.
    """
    ranks = spec.program.ranks
    if ranks > _MOST_RANKS:
        return None
    simulation = spec.simulation.changed(
        network="analytic", timeline=True, max_timeline_records=_MOST_MESSAGES, threads=1
    )
    placement = type(spec.placement)({"rule": "linear"})
    known = replace(spec, hardware=_hardware(ranks), placement=placement, simulation=simulation)
    end = time.monotonic() + _LIMIT_S
    try:
        raw = core.load().simulate(known.tables(), lambda *_: time.monotonic() < end)
    except (ConfigError, Interrupted):
        return None
    lines = raw["timeline"]
    if len(lines["bytes"]) >= _MOST_MESSAGES or len(lines["bytes"]) < raw["messages"]:
        return None
    columns = [np.asarray(lines[name]) for name in sorted(lines)]
    rows = np.stack([column.astype(np.int64) for column in columns])
    rows = rows[:, np.lexsort(rows)]
    return hashlib.sha256(raw["hash"].encode() + rows.tobytes()).hexdigest()[:16]
