"""Checks that a type name has one meaning, and that names of the field are used.

Few names may be defined in more than one C++ file, and former names must not come back.

A definition is a class, struct, enum or union with a body; a nested one counts by its own name.
Forward declarations, aliases and specialisations of templates are no definitions.

Usage: python tools/check_type_names.py [ROOT]
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from cpp_text import blank

# Names that may be defined in more than one file.
MOST = 3
_DEFINITION = re.compile(
    r"(?:(?<=[\s;{}(>])|^)(?:class|struct|union|enum(?:\s+(?:class|struct))?)\s+"
    r"(?:\[\[[^\]]*\]\]\s*|alignas\([^)]*\)\s*)*"
    r"(?:\w+::)*(?P<name>[A-Z]\w*)(?:\s+final)?\s*(?::[^;{()]*)?\{"
)
# Former names, with the field's words that have replaced them.
FORMER: dict[str, str] = {
    "cargo": "payload",
    "course_of": "effective_protocol",
    "Crossing": "RemoteMessages",
    "Deal": "CyclicDistribution",
    "rightwards": "x axis",
    "send_to_first": "gather",
    "spend": "charge",
    "Strand": "CoroutineContext",
    "telling": "progress stream",
    "together": "run_collectively",
    "ways_to_put": "put_backends",
}
_FORMER = re.compile(rf"\b(?:{'|'.join(FORMER)})\b")
_SUFFIXES = {".cpp", ".hpp"}


def definitions(text: str) -> set[str]:
    """Returns the names of the types that the text of one file defines."""
    code = re.sub(r"template\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>", " ", blank(text))
    return {found["name"] for found in _DEFINITION.finditer(code)}


def former_names(text: str) -> set[str]:
    """Returns the former names that the code of one file uses, comments and strings aside."""
    return set(_FORMER.findall(blank(text)))


def files_by_name(root: Path) -> dict[str, list[Path]]:
    """Returns the files below `root`/src that define each name, relative to `root`."""
    files = defaultdict(list)
    for path in sorted((root / "src").rglob("*")):
        if path.suffix in _SUFFIXES:
            for name in definitions(path.read_text(encoding="utf-8")):
                files[name].append(path.relative_to(root))
    return files


def shared_names(files: Mapping[str, list[Path]]) -> dict[str, list[Path]]:
    """Returns the names with several files."""
    return {name: paths for name, paths in sorted(files.items()) if len(paths) > 1}


def main(arguments: list[str]) -> int:
    """Prints the names with several definitions and former names; returns 1 for a fault."""
    root = Path(arguments[0]) if arguments else Path.cwd()
    files = files_by_name(root)
    shared = shared_names(files)
    for name, paths in shared.items():
        print(f"{name}: defined in {', '.join(map(str, paths))}")
    former = [
        f'{path.relative_to(root)}: "{name}" is now "{FORMER[name]}"'
        for path in sorted((root / "src").rglob("*"))
        if path.suffix in _SUFFIXES
        for name in sorted(former_names(path.read_text(encoding="utf-8")))
    ]
    print(*former, sep="\n", end="\n" if former else "")
    print(f"type names: {len(files)}, {len(shared)} in more than one file, at most {MOST}")
    return 1 if former or len(shared) > MOST else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
