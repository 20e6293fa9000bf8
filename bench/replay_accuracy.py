"""Measures how long programs take on MPI, and compares with their replay on a calibrated machine file; prints JSON.

    tradewind calibrate -n 2 -o here.toml
    python bench/replay_accuracy.py here.toml [--repeat 3] [--program NAME=COMMAND ...]
    python bench/replay_accuracy.py here.toml --real mpicc.openmpi [--python /usr/bin/python3]

Each program is recorded on two processes. Its time is the longest of a rank from the end of MPI_Init to
MPI_Finalize, as recorded; the prediction is the simulated time of the replay, with computation by wall clock.
On a busy machine the fastest recording of a program is the one that is disturbed least.

`--real` measures programs of others in place of ours, compiled by that wrapper and started by the launcher beside
it: conjugate gradients of PETSc, a transform of FFTW, matrix products on mpi4py, and HPCC from the PATH. What is
not installed is left out and told.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import tradewind as tw
from tradewind import mpi
from tradewind.inspection.summary import inspect
from tradewind.trace_file import read_trace

RANKS = 2
OURS = """
pstswm
helmholtz grid=[72,36,8]
semi_lagrangian grid=[144,72,8]
transposition grid=[240,180,24]
gcr flops=1e-9 iterations=400
"""


TRADEWIND = [sys.executable, "-m", "tradewind"]
SOURCES = Path(__file__).parent / "real_programs"
# Sources, and how to find the libraries that they need.
LIBRARIES = {"poisson.c": "PETSc", "transform.c": "fftw3"}
ALLOWED = {
    "OMPI_ALLOW_RUN_AS_ROOT": "1",
    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
}
HPCC_INPUT = Path("/usr/share/doc/hpcc/examples/_hpccinf.txt")


def compared(start: list[str], machine: str) -> dict[str, float]:
    """Records a program once, and returns its measured and its predicted time in seconds."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.trace"
        if HPCC_INPUT.exists():
            text = HPCC_INPUT.read_text(encoding="utf-8")
            small = text.replace("1000         Ns", "400          Ns")
            (Path(folder) / "hpccinf.txt").write_text(
                small.replace("2            Ps", "1            Ps"), encoding="utf-8"
            )
        subprocess.run(
            [*TRADEWIND, "record", "-o", str(path), "--", *start],
            check=True,
            capture_output=True,
            cwd=folder,
            env=os.environ | ALLOWED,
        )
        program = {"name": "trace", "trace": str(path), "computation": "wall"}
        predicted = tw.simulate({"machine": machine, "program": program}).time_s
        measured = float(inspect(read_trace(path)).per_rank.total_s.max())
    return {
        "measured_s": measured,
        "predicted_s": predicted,
        "relative_error": predicted / measured - 1,
    }


def real_programs(wrapper: str, python: str, folder: Path) -> dict[str, list[str]]:
    """Compiles programs of others as far as their libraries are here; returns the command of each."""
    found = shutil.which(wrapper)
    if found is None:
        raise SystemExit(f"--real {wrapper}: is not on the PATH")
    launcher = Path(found).with_name(Path(found).name.replace("mpicc", "mpiexec"))
    start = [str(launcher), "-n", str(RANKS)]
    commands = {}
    for source, package in LIBRARIES.items():
        program = folder / Path(source).stem
        words = [found, "-g", "-O2", str(SOURCES / source), "-o", str(program), *flags_of(package)]
        done = subprocess.run(words, check=False, capture_output=True, text=True)
        if done.returncode:
            print(f"left out: {source}: no {package} for {wrapper}", file=sys.stderr)
        else:
            commands[program.name] = [*start, str(program)]
    has_mpi = subprocess.run([python, "-c", "import mpi4py"], check=False, capture_output=True)
    if has_mpi.returncode:
        print(f"left out: products.py: no mpi4py of {python}", file=sys.stderr)
    else:
        commands["products"] = [*start, python, str((SOURCES / "products.py").resolve())]
    if shutil.which("hpcc") and HPCC_INPUT.exists():
        commands["hpcc"] = [*start, "hpcc"]
    else:
        print("left out: hpcc: is not on the PATH", file=sys.stderr)
    return commands


def flags_of(package: str) -> list[str]:
    """Returns the options of a compiler for a library, as pkg-config knows them."""
    folders = ":".join(map(str, Path("/usr/lib/petscdir").glob("*/*/lib/pkgconfig")))
    done = subprocess.run(
        ["pkg-config", "--cflags", "--libs", package],
        check=False,
        capture_output=True,
        text=True,
        env=os.environ | {"PKG_CONFIG_PATH": f"{os.environ.get('PKG_CONFIG_PATH', '')}:{folders}"},
    )
    more = ["-lfftw3_mpi"] if package == "fftw3" else []
    return [*more, *shlex.split(done.stdout), "-lm"]


def summary(runs: list[dict[str, float]]) -> dict[str, object]:
    """Returns the runs of a program, their median error, and that of the fastest."""
    fastest = min(runs, key=lambda run: run["measured_s"])
    return {
        "runs": runs,
        "median_error": statistics.median(abs(run["relative_error"]) for run in runs),
        "fastest_s": fastest["measured_s"],
        "error_of_fastest": fastest["relative_error"],
    }


def main() -> None:
    """Compares all programs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("machine", help="machine file of `tradewind calibrate -n 2`")
    parser.add_argument("--repeat", type=int, default=3, help="recordings of each program")
    parser.add_argument("--program", action="append", default=[], metavar="NAME=COMMAND")
    parser.add_argument("--real", metavar="MPICC", help="compiler wrapper for programs of others")
    parser.add_argument("--python", default="python3", help="Python with the mpi4py of that MPI")
    options = parser.parse_args()
    machine = str(Path(options.machine).resolve())
    start = [*TRADEWIND, "mpiexec", "-n", str(RANKS)]
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        if options.real:
            commands = real_programs(options.real, options.python, Path(folder))
        else:
            program = str(mpi.find().program)
            ours = [shlex.split(line) for line in OURS.strip().splitlines()]
            commands = {words[0]: [*start, program, "run", *words] for words in ours}
        for given in options.program:
            name, _, command = given.partition("=")
            commands[name] = [*start, *shlex.split(command)]
        for name, command in commands.items():
            results[name] = summary([compared(command, machine) for _ in range(options.repeat)])
    overall = statistics.median(float(str(one["median_error"])) for one in results.values())
    print(json.dumps({"ranks": RANKS, "median_error": overall, "programs": results}, indent=1))


if __name__ == "__main__":
    main()
