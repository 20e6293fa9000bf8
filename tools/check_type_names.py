"""Checks that a type name has one meaning: few names are defined in more than one C++ file.

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
_SUFFIXES = {".cpp", ".hpp"}


def definitions(text: str) -> set[str]:
    """Returns the names of the types that the text of one file defines."""
    code = re.sub(r"template\s*<[^<>]*(?:<[^<>]*>[^<>]*)*>", " ", blank(text))
    return {found["name"] for found in _DEFINITION.finditer(code)}


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
    """Prints the names with several definitions; returns 1 if there are too many."""
    files = files_by_name(Path(arguments[0]) if arguments else Path.cwd())
    shared = shared_names(files)
    for name, paths in shared.items():
        print(f"{name}: defined in {', '.join(map(str, paths))}")
    print(f"type names: {len(files)}, {len(shared)} in more than one file, at most {MOST}")
    return 1 if len(shared) > MOST else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
