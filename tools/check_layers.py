"""Checks the architecture: includes, imports, and the sizes of files, folders and classes.

A table says which folder may include or import which.

Usage: python tools/check_layers.py [ROOT]

Broken rules are printed and make the exit status 1; long files and functions below the hard
limits are listed as remarks.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import python_imports
from cpp_text import blank, class_sizes, functions, line_of

# A folder of src/tradewind and the folders that it may include, itself aside.
LAYERS: dict[str, set[str]] = {
    "base": set(),
    "comm": {"base"},
    "mpi": {"base", "comm"},
    "capi": {"base", "comm", "mpi", "skeleton"},
    "sim": {"base"},
    "simcomm": {"base", "comm", "sim"},
    "program": {"base", "comm"},
    "solver": {"base", "comm"},
    "skeleton": {"base", "comm", "program", "solver"},
    "trace": {"base", "comm", "program"},
    "measure": {"base", "comm"},
    "models": {"base", "comm", "program", "solver"},
    "catalogue": {"base", "comm", "program", "skeleton", "trace", "models"},
}
# The same inside the simulator; some may use one header of a folder only: `observe` records what
# messages tell and knows nothing else of the network.
SIM_FOLDERS: dict[str, set[str]] = {
    "kernel": set(),
    "topology": set(),
    "routing": {"topology"},
    "observe": {"kernel", "topology", "network/message.hpp"},
    "network": {"kernel", "topology", "routing", "observe"},
}
# A folder or a single module of python/tradewind and what it may import, itself aside. Imports
# inside functions count, too: they are for a quick start, not for a way round this table.
_BOTTOM = {"errors", "units", "core", "extras", "files", "host"}
_DATA = _BOTTOM | {"config", "results"}
PYTHON_LAYERS: dict[str, set[str]] = {
    "errors": set(),
    "host": set(),
    "units": {"errors"},
    "core": {"errors"},
    "extras": {"errors"},
    "files": {"errors", "units"},
    "cache": {"errors", "files"},
    "netcdf_file": {"errors", "cache", "extras", "files"},
    "trace_file": {"errors", "cache", "core", "files"},
    "aggregation": _BOTTOM | {"trace_file"},
    "extrapolation": _BOTTOM | {"trace_file", "inspection"},
    "inspection": _BOTTOM | {"trace_file"},
    "trace_formats": _BOTTOM | {"cache", "trace_file", "inspection"},
    "config": _BOTTOM
    | {"netcdf_file", "trace_file", "trace_formats", "aggregation", "extrapolation", "inspection"},
    "mpi": _BOTTOM,
    "trace": _BOTTOM | {"cache", "trace_file", "mpi"},
    "results": _BOTTOM | {"config"},
    "mesh": _BOTTOM | {"netcdf_file", "config"},
    "models": _BOTTOM | {"config", "mpi"},
    "bench": _DATA | {"mpi"},
    "calibration": _DATA | {"bench"},
    "plots": _DATA | {"mesh", "models", "bench", "calibration", "inspection"},
    "runs": _DATA | {"mpi", "plots"},
    "tuning": _DATA | {"mpi", "models", "bench", "runs"},
    "report": _DATA
    | {"plots", "runs", "trace_file", "trace_formats", "inspection", "extrapolation"},
    "studies": _DATA | {"mesh", "mpi", "models", "bench", "plots", "runs", "report"},
    "cli": _DATA
    | {
        "trace_file",
        "aggregation",
        "extrapolation",
        "mpi",
        "trace",
        "mesh",
        "models",
        "bench",
        "calibration",
        "plots",
        "runs",
        "tuning",
        "report",
        "studies",
        "trace_formats",
        "inspection",
    },
    # The public names of the package, and its program.
    "__init__": _DATA | {"mpi", "runs"},
    "__main__": {"cli"},
}
FILE_LINES_HARD, FILE_LINES = 600, 400
# Functions are measured from brace to brace and listed above 60 lines, never refused.
FUNCTION_LINES = 60
FOLDER_FILES_HARD, FOLDER_FILES = 30, 15
# The folders whose classes are measured, and the most functions and members of one.
CLASS_FOLDERS = ("sim/network", "simcomm")
CLASS_FUNCTIONS, CLASS_MEMBERS = 25, 15
SPECIAL_LINES = {"comm/comm.hpp": 130}

_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"]+)[>"]', re.MULTILINE)


@dataclass(frozen=True)
class Finding:
    """One line of the report; a remark does not fail the check."""

    place: str
    message: str
    is_remark: bool = False

    def __str__(self) -> str:
        return f"{self.place}: {'remark: ' if self.is_remark else ''}{self.message}"


def _sources(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.suffix in {".cpp", ".hpp", ".h"})


def _include_fault(file: tuple[str, ...], target: tuple[str, ...]) -> str | None:
    """Returns what is wrong when `file` includes `target`, both as parts below src/tradewind."""
    layer, used = file[0], target[0]
    if layer not in LAYERS or used not in LAYERS:
        return f'"{layer if layer not in LAYERS else used}" is no layer of the architecture'
    if used != layer and used not in LAYERS[layer]:
        return f"layer {layer} must not include layer {used}"
    if layer == used == "sim" and len(file) > 2 and len(target) > 2:
        inner, outer = file[1], target[1]
        if inner not in SIM_FOLDERS or outer not in SIM_FOLDERS:
            return f'"{inner if inner not in SIM_FOLDERS else outer}" is no folder of the simulator'
        if inner != outer and not SIM_FOLDERS[inner] & {outer, "/".join(target[1:])}:
            return f"sim/{inner} must not include sim/{'/'.join(target[1:])}"
    return None


def check_includes(root: Path) -> Iterator[Finding]:
    """Yields every include in src/tradewind that the table of layers forbids."""
    source = root / "src" / "tradewind"
    for path in _sources(source):
        file = path.relative_to(source).parts
        text = path.read_text(encoding="utf-8")
        for match in _INCLUDE.finditer(text):
            place = f"{path.relative_to(root)}:{line_of(text, match.start(1))}"
            target = match.group(1).split("/")
            if target[0] == "tradewind" and len(target) > 2:
                fault = _include_fault(file, tuple(target[1:]))
                if fault:
                    yield Finding(place, fault)
            elif target[-1] == "mpi.h" and file[0] not in {"mpi", "capi"}:
                yield Finding(place, "only src/tradewind/mpi and capi may include mpi.h")


def _python_layer(module: str) -> str:
    """Returns the layer of a module by its dotted name."""
    return [*module.split("."), "__init__"][1]


def check_imports(root: Path) -> Iterator[Finding]:
    """Yields every import in python/tradewind that the table of layers forbids, and every circle."""
    found = python_imports.imports(root / "python" / "tradewind")
    for one in found:
        layer, used = _python_layer(one.module), _python_layer(one.target)
        place = f"{one.path.relative_to(root)}:{one.line}"
        if layer not in PYTHON_LAYERS:
            yield Finding(place, f'"{layer}" is no layer of python/tradewind')
        elif used != layer and used not in PYTHON_LAYERS[layer]:
            yield Finding(place, f"layer {layer} must not import layer {used}")
    for circle in python_imports.circles(found):
        yield Finding("python/tradewind", f"a circle of imports: {', '.join(circle)}")


def _size(place: str, what: str, size: int, limit: int, hard: int) -> Iterator[Finding]:
    if size > limit:
        allowed = hard if size > hard else limit
        yield Finding(place, f"{what}: {size}, at most {allowed}", is_remark=size <= hard)


def check_sizes(root: Path) -> Iterator[Finding]:
    """Yields files, folders and functions that are too long; functions are remarks only."""
    for folder in ("src", "tests/cpp", "python", "apps", "bench", "tools", "validation"):
        for path in [*_sources(root / folder), *sorted((root / folder).rglob("*.py"))]:
            name = str(path.relative_to(root))
            text = path.read_text(encoding="utf-8")
            limit = SPECIAL_LINES.get(name.removeprefix("src/tradewind/"))
            lines = text.count("\n")
            yield from _size(name, "lines", lines, limit or FILE_LINES, limit or FILE_LINES_HARD)
            if path.suffix == ".py":
                continue
            blanked = blank(text)
            for function in functions(blanked):
                begin = line_of(text, function.begin)
                length = line_of(text, function.end) - begin + 1
                if length > FUNCTION_LINES:
                    message = f"function {function.name}: {length} lines, at most {FUNCTION_LINES}"
                    yield Finding(f"{name}:{begin}", message, is_remark=True)


def check_folders(root: Path) -> Iterator[Finding]:
    """Yields the folders of src that hold too many files."""
    source = root / "src" / "tradewind"
    for folder in [source, *sorted(path for path in source.rglob("*") if path.is_dir())]:
        count = sum(1 for path in folder.iterdir() if path.is_file())
        place = str(folder.relative_to(root))
        yield from _size(place, "files", count, FOLDER_FILES, FOLDER_FILES_HARD)


def check_classes(root: Path) -> Iterator[Finding]:
    """Yields the classes of the network and of the simulated ranks that do too much."""
    for folder in CLASS_FOLDERS:
        for path in _sources(root / "src" / "tradewind" / folder):
            for size in class_sizes(blank(path.read_text(encoding="utf-8"))):
                place = f"{path.relative_to(root)}:{size.line}"
                for what, count, most in (
                    ("functions", size.functions, CLASS_FUNCTIONS),
                    ("members", size.members, CLASS_MEMBERS),
                ):
                    yield from _size(place, f"class {size.name}, {what}", count, most, most)


def main(arguments: list[str]) -> int:
    """Prints the findings; returns 1 if one of them is more than a remark."""
    root = Path(arguments[0]) if arguments else Path.cwd()
    checks = (check_includes, check_imports, check_sizes, check_folders, check_classes)
    findings = [finding for check in checks for finding in check(root)]
    for finding in findings:
        print(finding)
    faults = sum(1 for finding in findings if not finding.is_remark)
    print(f"layers: {faults} broken rules, {len(findings) - faults} remarks")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
