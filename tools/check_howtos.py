"""Applies the howtos that change Tradewind to a copy of the sources, and runs what they say.

Usage: python tools/check_howtos.py [PAGE...]     (without pages: all of docs/howto)

Comments before a fenced block mark it:

    <!-- patch: adds PATH -->      the block is a new file
    <!-- patch: changes PATH -->   a diff without line numbers: its context must stand there once
    <!-- patch: runs -->           commands, run in an empty folder after Tradewind has been built
    <!-- patch: prints -->         what the commands before it print; `...` stands for any text

A comment of its own says which tests follow the page:

    <!-- patch: tests sim routing -->   the C++ tests sim, and the Python tests test_routing.py

All pages are applied to one copy, build/howtos/tree, which is built once: without optimisation, or
with ccache as the project itself, so that only what the pages touch is compiled.
A page may change at most as many places outside its own files as <!-- patch: places N --> says.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from snippets import ROOT, SnippetError, compare

FOLDER = ROOT / "build" / "howtos"
TREE = FOLDER / "tree"
# The same place below the sources as that of the project, so that ccache finds its objects.
BUILD = TREE / "build" / "core"
SITE = FOLDER / "site"
_MARK = re.compile(r"^<!-- patch: (?P<what>\w+)(?P<rest>[^\n]*?) -->$", re.MULTILINE)
_COMPILER = re.compile(r"^CMAKE_C(XX)?_COMPILER:.*$", re.MULTILINE)
_FENCE = re.compile(r"\n+(?P<fence>`{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$", re.M | re.S)
_WITH_BLOCK = {"adds", "changes", "runs", "prints"}
_WITHOUT_BLOCK = {"tests", "places"}


@dataclass(frozen=True)
class Step:
    """A marked step of a page.

    Args:
        line: Where it stands.
        what: The first word of the mark.
        words: The other words of the mark.
        text: The code block; empty for marks without one.
    """

    line: int
    what: str
    words: tuple[str, ...]
    text: str = ""


@dataclass
class Howto:
    """A page and its steps."""

    path: Path
    steps: list[Step] = field(default_factory=list)

    def of(self, what: str) -> list[Step]:
        """Returns the steps with that mark."""
        return [step for step in self.steps if step.what == what]


def read_howto(path: Path) -> Howto:
    """Reads the marked steps of a page.

    Raises:
        SnippetError: If a mark is unknown, or stands before no code block.
    """
    text = path.read_text(encoding="utf-8")
    howto = Howto(path)
    for mark in _MARK.finditer(text):
        line = text.count("\n", 0, mark.start()) + 1
        what, words = mark["what"], tuple(mark["rest"].split())
        if what in _WITHOUT_BLOCK:
            howto.steps.append(Step(line, what, words))
            continue
        block = _FENCE.match(text, mark.end())
        if what not in _WITH_BLOCK or block is None:
            raise SnippetError(
                f"{path}:{line}: {mark.group()} is unknown or stands before no block"
            )
        howto.steps.append(Step(line, what, words, block["text"]))
    return howto


def apply_diff(before: str, diff: str) -> str:
    """Applies a diff that has no line numbers.

    Args:
        before: The text of the file.
        diff: Lines that begin with " ", "-" or "+"; an empty line is context. A line "..."
            separates independent changes.

    Raises:
        SnippetError: If the lines of a change do not stand in the file, or more than once.
    """
    for change in re.split(r"^\.\.\.\n", diff, flags=re.MULTILINE):
        lines = [line or " " for line in change.rstrip("\n").split("\n")]
        if any(line[0] not in " +-" for line in lines):
            raise SnippetError("lines of a diff begin with a blank, + or -")
        old = "".join(f"{line[1:]}\n" for line in lines if line[0] != "+")
        new = "".join(f"{line[1:]}\n" for line in lines if line[0] != "-")
        found = [match.start() for match in re.finditer(re.escape(old), before, re.MULTILINE)]
        found = [start for start in found if start == 0 or before[start - 1] == "\n"]
        if not old or len(found) != 1:
            raise SnippetError(f"these lines stand there {len(found)} times, not once:\n{old}")
        before = before[: found[0]] + new + before[found[0] + len(old) :]
    return before


def _apply(howto: Howto, files: dict[Path, bytes]) -> None:
    """Applies a page to the contents of the copy's files."""
    for step in [*howto.of("adds"), *howto.of("changes")]:
        target = Path(step.words[0])
        try:
            if step.what == "adds":
                if target in files:
                    raise SnippetError(f"{target} exists")
                files[target] = step.text.encode()
            else:
                if target not in files:
                    raise SnippetError(f"there is no {target}")
                files[target] = apply_diff(files[target].decode(), step.text).encode()
        except SnippetError as error:
            raise SnippetError(f"{howto.path}:{step.line}: {error}") from None
    allowed = sum(int(step.words[0]) for step in howto.of("places"))
    changed = {step.words[0] for step in howto.of("changes")}
    if len(changed) > allowed:
        raise SnippetError(
            f"{howto.path}: changes {len(changed)} files besides its own, {allowed} are allowed"
        )


def _sources() -> dict[Path, bytes]:
    """Returns the contents of all files of the project that are not ignored."""
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    paths = [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]
    return {path: (ROOT / path).read_bytes() for path in paths}


def _write(files: dict[Path, bytes]) -> None:
    """Makes the copy hold those files; unchanged ones stay, so that little is compiled again."""
    for path in TREE.rglob("*"):
        name = path.relative_to(TREE)
        if path.is_file() and name.parts[0] not in {"build", ".venv"} and name not in files:
            path.unlink()
    for path, content in files.items():
        target = TREE / path
        if target.is_file() and target.read_bytes() == content:
            continue
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        shutil.copymode(ROOT / path, target) if (ROOT / path).exists() else None


def _call(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> str:
    """Runs a command without input and returns its standard output.

    Raises:
        SnippetError: If it fails; with the end of what it wrote.
    """
    result = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode != 0:
        written = (result.stdout + result.stderr)[-8000:]
        raise SnippetError(f"{' '.join(command)}: exit status {result.returncode}\n{written}")
    return result.stdout


def _compilers() -> list[str]:
    """Returns the options of CMake for the compilers of the project's own build."""
    cache = ROOT / "build" / "core" / "CMakeCache.txt"
    text = cache.read_text(encoding="utf-8") if cache.is_file() else ""
    return [f"-D{found[0]}" for found in _COMPILER.finditer(text)]


def _build(tests: list[str]) -> None:
    """Builds the package of the copy into SITE, and the C++ tests."""
    python, environment = sys.executable, {**os.environ}
    kind = ["-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -g0"]
    if environment.get("CMAKE_CXX_COMPILER_LAUNCHER") == "ccache":
        # The same compilers, flags and relative paths as in the project's own build.
        kind = ["-DCMAKE_BUILD_TYPE=Release", *_compilers()]
        environment["CCACHE_BASEDIR"] = str(TREE)
        packages = TREE / ".venv"
        if not packages.is_symlink():
            packages.symlink_to(sys.prefix)
        python = str(packages / "bin" / "python")
    _call(
        [
            *("cmake", "-S", str(TREE), "-B", str(BUILD), "-G", "Ninja"),
            *kind,
            # As scikit-build-core does it, so that the Python module is installed, too.
            *("-DSKBUILD=ON", f"-DPython_EXECUTABLE={python}"),
        ],
        FOLDER,
        environment,
    )
    programs = [f"{name}_tests" for name in tests]
    targets = ["--target", "tradewind_package", *programs]
    _call(["cmake", "--build", str(BUILD), *targets], FOLDER, environment)
    shutil.rmtree(SITE, ignore_errors=True)
    _call(["cmake", "--install", str(BUILD), "--prefix", str(SITE / "tradewind")], FOLDER)
    for source, target in (
        ("python/tradewind", "tradewind"),
        ("machines", "tradewind/machines"),
        ("experiments", "tradewind/experiments"),
    ):
        shutil.copytree(TREE / source, SITE / target, dirs_exist_ok=True)


def _environment() -> dict[str, str]:
    """Returns an environment in which `tradewind` and `python` are those of the copy."""
    programs = FOLDER / "bin"
    programs.mkdir(exist_ok=True)
    command = programs / "tradewind"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tradewind "$@"\n', encoding="utf-8")
    command.chmod(0o755)
    path = os.pathsep.join(
        [str(programs), str(Path(sys.executable).parent), os.environ.get("PATH", "")]
    )
    return {
        **os.environ,
        "PATH": path,
        "PYTHONPATH": str(SITE),
        "PYTHONSAFEPATH": "1",
        # The MPI of the environment, which the programs look for beside an installed package.
        "LD_LIBRARY_PATH": str(Path(sys.prefix) / "lib"),
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


def _run(howto: Howto, environment: dict[str, str]) -> int:
    """Runs the commands of a page and returns how many blocks there are."""
    output = ""
    done = 0
    with tempfile.TemporaryDirectory() as folder:
        for step in howto.steps:
            try:
                if step.what == "runs":
                    command = ["bash", "-euo", "pipefail", "-c", step.text]
                    output = _call(command, Path(folder), environment)
                    done += 1
                elif step.what == "prints":
                    compare(step.text, output)
                    done += 1
            except SnippetError as error:
                raise SnippetError(f"{howto.path}:{step.line}: {error}") from None
    return done


def _run_tests(name: str, howto: Howto, step: Step, environment: dict[str, str]) -> None:
    """Runs the C++ tests and the Python tests of a name."""
    program = BUILD / "tests" / f"{name}_tests"
    test = TREE / "tests" / "python" / f"test_{name}.py"
    try:
        if program.exists():
            _call([str(program)], FOLDER)
        if test.exists():
            _call(["python", "-m", "pytest", "-q", "-x", str(test)], TREE, environment)
        if not program.exists() and not test.exists():
            raise SnippetError(f'no tests are called "{name}"')
    except SnippetError as error:
        raise SnippetError(f"{howto.path}:{step.line}: {error}") from None


def _test(howtos: list[Howto], environment: dict[str, str]) -> None:
    """Runs the tests that the pages name, each once and as many at a time as there are cores."""
    wanted = {
        name: (howto, step) for howto in howtos for step in howto.of("tests") for name in step.words
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = [
            pool.submit(_run_tests, name, howto, step, environment)
            for name, (howto, step) in wanted.items()
        ]
        for run in runs:
            run.result()


def main(arguments: list[str]) -> int:
    """Checks all pages; returns 1 if one fails."""
    pages = [Path(name) for name in arguments] or sorted((ROOT / "docs" / "howto").glob("*.md"))
    blocks = 0
    try:
        howtos = [howto for page in pages if (howto := read_howto(page)).steps]
        files = _sources()
        for howto in howtos:
            _apply(howto, files)
        TREE.mkdir(parents=True, exist_ok=True)
        _write(files)
        names = {name for howto in howtos for step in howto.of("tests") for name in step.words}
        _build(sorted(name for name in names if (TREE / "tests" / "cpp" / name).is_dir()))
        environment = _environment()
        for howto in howtos:
            blocks += _run(howto, environment)
            print(f"applied {howto.path.name}", flush=True)
        _test(howtos, environment)
    except SnippetError as error:
        print(f"FAILED {error}")
        return 1
    print(f"{len(howtos)} howtos applied, {blocks} blocks passed")
    return 0 if howtos else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
