"""Probes how the MPI libraries here carry messages within a node, and what that does to exchanges; as JSON.

Usage: python bench/mpi_paths.py [--away-ms 20] [--repetitions 5] [--steps 40] [--processes 4 8]
                                 [--sizes 1024 ...] [--exchange-sizes 83000 550000] [--no-strace]

The libraries are that of the installation and those of TRADEWIND_OTHER_MPI_PROGRAMS. The probes of
mpi_paths.c are compiled by the compiler wrapper beside each launcher. Each library runs by the
transports of _TRANSPORTS. With strace, its system calls for each message are counted in runs of
their own.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tradewind import mpi
from tradewind.host import usable_cores
from tradewind.mpi import Mpi
from tradewind.mpi.launch import command, environment

_SOURCE = Path(__file__).with_name("mpi_paths.c")
_WAYS = ("paper", "completed", "fair", "collective")
_TIMEOUT_S = 300
# The variables that choose a transport, those of MPICH and those of Open MPI.
_TRANSPORTS: Mapping[str, Mapping[str, str]] = {
    "default": {},
    "shared memory without single copy": {
        "MPIR_CVAR_CH4_CMA_ENABLE": "0",
        "OMPI_MCA_smsc": "^cma,xpmem,knem",
        "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
    },
    "TCP": {
        "MPIR_CVAR_NOLOCAL": "1",
        "UCX_TLS": "tcp,self",
        "OMPI_MCA_pml": "ob1",
        "OMPI_MCA_btl": "tcp,self",
    },
}
# System calls that copy from another process, send by the kernel, or give the core away.
_CALLS = (
    *("process_vm_readv", "process_vm_writev"),
    *("sendto", "sendmsg", "writev", "recvfrom", "readv", "read", "write"),
    *("sched_yield", "clock_nanosleep", "futex"),
)
_COPIES = ("process_vm_readv", "process_vm_writev")
# A line of strace -f: the call, perhaps the end of one that was interrupted, and its result.
_LINE = re.compile(r"^\d+ +(?:<\.\.\. )?(\w+)(?:\(| resumed).* = (-?\d+)")


def _compiled(library: Mpi, folder: Path) -> Mpi:
    """Returns the library with the probe as its program."""
    wrapper = next(
        (
            path
            for name in ("mpicc", "mpicc" + library.launcher.suffix)
            if (path := library.launcher.with_name(name)).exists()
        ),
        None,
    )
    if wrapper is None:
        sys.exit(f"mpi_paths: there is no mpicc beside {library.launcher}")
    program = folder / "mpi_paths"
    subprocess.run([wrapper, "-O2", "-o", program, _SOURCE], check=True)
    return replace(library, program=program)


def _run(
    library: Mpi, processes: int, words: Sequence[object], before: Sequence[str] = ()
) -> list[dict[str, Any]]:
    cores = usable_cores()
    done = subprocess.run(
        [*before, *command(library, processes, None, cores), *map(str, words)],
        env={**os.environ, **environment(processes, cores), **library.variables},
        capture_output=True,
        text=True,
        timeout=_TIMEOUT_S,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0:
        sys.exit(f"mpi_paths: {library.name} failed: {done.stderr[-500:]}")
    return [json.loads(line) for line in lines]


def _traced(library: Mpi, processes: int, words: Sequence[object]) -> tuple[Counter[str], int]:
    """Returns the system calls of a run, and the bytes that were copied from other processes."""
    counts: Counter[str] = Counter()
    copied = 0
    with tempfile.NamedTemporaryFile("r") as file:
        trace = ["strace", "-f", "-qq", "--seccomp-bpf", "-o", file.name, "-e"]
        _run(library, processes, words, [*trace, f"trace={','.join(_CALLS)}"])
        for line in file:
            found = _LINE.match(line)
            if found is None or int(found[2]) < 0:
                continue
            counts[found[1]] += 1
            copied += int(found[2]) if found[1] in _COPIES else 0
    return counts, copied


def _calls(library: Mpi, processes: int, steps: int, size: int) -> Iterator[dict[str, Any]]:
    """Yields the system calls for each message of an exchange, by each way."""
    # With 5 ranks or more everybody has two neighbours on either side.
    messages = 2 * steps * processes * min(4, processes - 1)
    start, copied_at_start = _traced(library, processes, ["exchange", 0, 0, size, "fair"])
    for way in _WAYS:
        counts, copied = _traced(library, processes, ["exchange", 0, steps, size, way])
        counts.subtract(start)
        yield {
            "way": way,
            "bytes": size,
            "processes": processes,
            "messages": messages,
            "copied_bytes_per_message": (copied - copied_at_start) / messages,
            "calls_per_message": {
                name: round(count / messages, 3) for name, count in counts.items() if count > 0
            },
        }


def _probe(library: Mpi, arguments: argparse.Namespace) -> dict[str, Any]:
    """Returns all that is measured by one library and transport."""
    away, steps = arguments.away_ms, arguments.steps
    message = ["message", away, arguments.repetitions, *arguments.sizes]
    result: dict[str, Any] = {"messages": _run(library, 2, message), "exchanges": []}
    for processes in arguments.processes:
        for size in arguments.exchange_sizes:
            words = ["exchange", away, steps, size, *_WAYS]
            for found in _run(library, processes, words):
                result["exchanges"].append({"processes": processes, "bytes": size, **found})
    if arguments.no_strace or shutil.which("strace") is None:
        result["calls"] = "without strace no system calls are counted"
    else:
        processes = max(arguments.processes)
        result["calls"] = [
            entry
            for size in arguments.exchange_sizes
            for entry in _calls(library, processes, steps, size)
        ]
    return result


def main() -> None:
    """Prints one JSON object."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--away-ms", type=float, default=20.0)
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--processes", type=int, nargs="+", default=[4, 8])
    sizes = [1024, 4096, 8192, 16384, 32768, 65536, 131072, 262144, 1048576]
    parser.add_argument("--sizes", type=int, nargs="+", default=sizes)
    parser.add_argument("--exchange-sizes", type=int, nargs="+", default=[83000, 550000])
    parser.add_argument("--no-strace", action="store_true", help="count no system calls")
    arguments = parser.parse_args()
    results: list[dict[str, Any]] = []
    for library in mpi.find_all():
        (told,) = mpi.stream("tradewind-mpi", ["info"], 1, library=library)
        with tempfile.TemporaryDirectory() as folder:
            compiled = _compiled(library, Path(folder))
            for transport, variables in _TRANSPORTS.items():
                print(f"{told['library']}: {transport}", file=sys.stderr)
                chosen = replace(compiled, variables=variables)
                head = {"library": told["library"], "transport": transport, "variables": variables}
                load = os.getloadavg()[0]
                results.append({**head, "load": load, **_probe(chosen, arguments)})
    settings = {**vars(arguments), "cores": usable_cores()}
    print(json.dumps({"settings": settings, "results": results}, indent=1))


if __name__ == "__main__":
    main()
