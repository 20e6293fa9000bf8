"""Simulated time with trains (packet_size auto) against packets of 4 KiB, by error target.

Prints JSON. Without arguments 864 ranks on a torus, in seconds; with --fast-links the same with links of 100 times
the rate of the interfaces; with --large one stage over 1,000 ranks with messages of 21 MB, in minutes.
"""

from __future__ import annotations

import argparse
import json
from typing import Any

from cases import CASES, Spec
from tradewind import _core

TARGETS = (0.2, 0.1, 0.05, 0.025, 0.0125)

TORUS: Spec = {
    "topology": {"name": "torus", "extents": [6, 6, 6], "nodes_per_switch": 4},
    "routing": {"name": "dimension_order"},
    "link": {"bandwidth": 10e9, "latency": 100_000},
    "nic": {"injection_latency": 1_000_000},
    "message": {"overhead_send": 250_000},
    "program": {
        "name": "transposition",
        "grid": [1728, 1728, 864],
        "ranks": 864,
        "algorithm": "ring_k",
        "radix": 4,
    },
}


def run(spec: Spec, **simulation: Any) -> dict[str, Any]:
    """Simulated time and cost of one run."""
    result = _core.simulate({**spec, "simulation": simulation})
    return {key: result[key] for key in ("time_s", "cpu_s", "packets", "packet_hops")}


def main() -> None:
    """Compares all targets with the reference."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--fast-links", action="store_true")
    options = parser.parse_args()
    spec = CASES["stage_1000_4k"].spec() if options.large else TORUS
    if options.fast_links:
        spec = {**spec, "link": {**spec["link"], "bandwidth": 1e12}}
    reference = run(spec, packet_size=4096)
    report = {"reference_4KiB": reference, "auto": []}
    for target in TARGETS:
        result = run(spec, packet_size=0, error_target=target)
        error = result["time_s"] / reference["time_s"] - 1.0
        report["auto"].append({"error_target": target, "error": error, **result})
    print(json.dumps(report, indent=1))


if __name__ == "__main__":
    main()
