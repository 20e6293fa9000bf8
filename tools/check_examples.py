"""Runs every example and compares what it prints with the file NAME.out beside it.

Usage: python tools/check_examples.py [FOLDER]

An example is a .py, .sh or .cpp file; `...` in the expected output stands for any text. Each runs
in an empty folder of its own. With `ranks: 4` in a comment on its first line it is started on so
many MPI processes. A folder with a CMakeLists.txt is configured and built against the installed
tradewind; there, a .c, .cpp or .f90 file is the source of the program of the same name.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from pathlib import Path

import skips
import tradewind
from snippets import ROOT, SnippetError, build_cpp, compare, have_mpi, run

_SOURCES = {".c", ".cpp", ".f90"}
_RANKS = re.compile(r"^\W*ranks: (\d+)$")


def ranks_of(path: Path) -> int:
    """Returns the number of MPI processes that the first line asks for; 0 if it does not."""
    with path.open(encoding="utf-8") as lines:
        found = _RANKS.match(lines.readline())
    return int(found[1]) if found else 0


def why_skipped(path: Path) -> str:
    """Returns what this machine lacks for an example; empty if nothing."""
    if ranks_of(path) and not have_mpi():
        return "no MPI"
    if path.suffix == ".f90" and not any(map(shutil.which, ("gfortran", "ifx", "flang", "f95"))):
        return "no Fortran compiler"
    return ""


def build_project(sources: Path, folder: Path) -> None:
    """Builds a folder of examples into `folder`, as a user of the installed package would.

    Raises:
        SnippetError: If it cannot be configured or built.
    """
    prefix = f"-DCMAKE_PREFIX_PATH={tradewind.cmake_dir()}"
    run(["cmake", "-S", str(sources), "-B", str(folder), "-G", "Ninja", prefix], ROOT)
    run(["cmake", "--build", str(folder)], ROOT)


def run_example(path: Path, folder: Path, programs: Path | None) -> str:
    """Returns the output of an example that runs in `folder`."""
    if programs and path.suffix in _SOURCES:
        command = [str(programs / path.stem)]
    elif path.suffix == ".cpp":
        command = [str(build_cpp([path], folder))]
    else:
        command = ["bash" if path.suffix == ".sh" else sys.executable, str(path)]
    ranks = ranks_of(path)
    if ranks:
        command = [sys.executable, "-m", "tradewind", "mpiexec", "-n", str(ranks), *command]
    return run(command, folder)


def check_example(path: Path, programs: Path | None = None) -> None:
    """Runs one example.

    Args:
        path: The example.
        programs: Folder of the compiled programs, if it belongs to a project.

    Raises:
        SnippetError: If it fails, prints something else, or has no expected output.
    """
    expected = path.with_suffix(".out")
    if not expected.exists():
        raise SnippetError(f"has no expected output {expected.name} beside it")
    with tempfile.TemporaryDirectory() as folder:
        output = run_example(path.resolve(), Path(folder), programs)
        compare(expected.read_text(encoding="utf-8"), output)


def check_all(paths: list[Path], programs: Path | None = None) -> tuple[int, int]:
    """Runs examples, says what fails or is skipped, and returns how many ran and how many failed."""
    ran = failed = 0
    for path in paths:
        missing = why_skipped(path)
        refusal = skips.refusal(path, missing) if missing else ""
        if missing and not refusal:
            print(f"skipped {path}: {missing}")
            continue
        ran += 1
        try:
            if refusal:
                raise SnippetError(refusal)
            check_example(path, programs)
        except SnippetError as error:
            failed += 1
            print(f"FAILED {path}: {error}")
    return ran, failed


def check_project(sources: Path) -> tuple[int, int]:
    """Builds the examples of a folder with a CMakeLists.txt and runs them."""
    paths = [path for path in sorted(sources.iterdir()) if path.suffix in {*_SOURCES, ".py"}]
    if not any(path.suffix in _SOURCES and not why_skipped(path) for path in paths):
        return check_all(paths)
    with tempfile.TemporaryDirectory() as folder:
        try:
            build_project(sources.resolve(), Path(folder))
        except SnippetError as error:
            print(f"FAILED {sources}: {error}")
            return 1, 1
        return check_all(paths, Path(folder))


def main(arguments: list[str]) -> int:
    """Runs all examples; returns 1 if one fails or there is none."""
    folder = Path(arguments[0]) if arguments else ROOT / "examples"
    projects = [path.parent for path in sorted(folder.rglob("CMakeLists.txt"))]
    results = [check_project(project) for project in projects]
    paths = [path for path in sorted(folder.rglob("*")) if path.suffix in {".py", ".sh", ".cpp"}]
    results.append(check_all([path for path in paths if path.parent not in projects]))
    ran, failed = (sum(counts) for counts in zip(*results, strict=True))
    print(f"{ran - failed} examples passed, {failed} failed")
    return 0 if ran and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
