"""Measures seconds and peak memory of generating, writing, reading and partitioning meshes, as JSON.

Usage: python bench/mesh.py [--cells 10242 40962 100000] [--lloyd 20] [--refine] [--parts 64]

Every size runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

_REFINED = (120.0, 20.0, 1000.0, 4.0)
_Result = TypeVar("_Result")


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def measure(cells: int, sweeps: int, refine: bool, parts: int) -> dict[str, Any]:
    """Returns seconds and peak memory of each step for one size, in this process."""
    from tradewind.mesh.check import mesh_quality
    from tradewind.mesh.generation import generate
    from tradewind.mesh.graph_info import measured, partition
    from tradewind.mesh.mpas_file import read_mesh, write_mesh
    from tradewind.mesh.refine import Circle, Refinement

    *place, factor = _REFINED
    finer = [Refinement(Circle(*place), factor, place[2])] if refine else []
    steps: dict[str, dict[str, float]] = {}

    def timed(name: str, step: Callable[[], _Result]) -> _Result:
        start, used = time.perf_counter(), time.process_time()
        result = step()
        steps[name] = {
            "seconds": time.perf_counter() - start,
            "cpu_seconds": time.process_time() - used,
            "peak_bytes_so_far": _peak_bytes(),
        }
        return result

    def report(message: str) -> None:
        print(f"{time.process_time():8.1f} s  {message}", file=sys.stderr, flush=True)

    load = os.getloadavg()[0]
    mesh = timed("generate", lambda: generate(cells, finer, sweeps=sweeps, progress=report))
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "mesh.nc"
        timed("write", lambda: write_mesh(mesh, path))
        size = path.stat().st_size
        del mesh
        mesh = timed("read and check", lambda: read_mesh(path))
    quality = timed("quality", lambda: mesh_quality(mesh))
    owners = timed("curve", lambda: partition(mesh, parts, "curve"))
    curve = measured(mesh, owners, parts)
    owners = timed("metis", lambda: partition(mesh, parts, "metis"))
    return {
        "cells": quality.cells,
        "sweeps": sweeps,
        "refined": refine,
        "load_before": load,
        "file_bytes": size,
        "steps": steps,
        "area_error": quality.area_share - 1,
        "orthogonality": quality.orthogonality,
        "centroid_residual": quality.centroid_residual,
        "dc_ratio": quality.dc_max_m / quality.dc_min_m,
        "parts": parts,
        "edge_cut": {"curve": curve.edge_cut, "metis": measured(mesh, owners, parts).edge_cut},
    }


def main() -> None:
    """Parses the command line, runs the sizes, prints JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cells", type=int, nargs="+", default=[10242, 40962, 100000])
    parser.add_argument("--lloyd", type=int, default=20, help="sweeps on each level")
    parser.add_argument("--refine", action="store_true", help="four times finer in a circle")
    parser.add_argument("--parts", type=int, default=64, help="processes of the partitions")
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        found = measure(options.cells[0], options.lloyd, options.refine, options.parts)
        print(json.dumps(found))
        return
    rest = [f"--lloyd={options.lloyd}", f"--parts={options.parts}", "--child"]
    rest += ["--refine"] if options.refine else []
    results = []
    for cells in options.cells:
        command = [sys.executable, __file__, f"--cells={cells}", *rest]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        results.append(json.loads(done.stdout))
    print(json.dumps({"results": results}, indent=1))


if __name__ == "__main__":
    main()
