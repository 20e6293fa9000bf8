"""Imports of a Python package: which module imports which, and where they go round in a circle."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Import:
    """One import of a module of the package by another one.

    Args:
        path: The file that imports.
        line: The line of the import.
        module: The module that imports, by its dotted name.
        target: The module that is imported.
    """

    path: Path
    line: int
    module: str
    target: str


def modules(package: Path) -> dict[str, Path]:
    """Returns the file of every module of a package by its dotted name.

    Args:
        package: The folder of the package, whose name is that of the package.
    """
    found = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(package: Path) -> list[Import]:
    """Returns every import of one module of a package by another one.

    Imports inside functions and those for type checkers count as well: they hide a circle, but do not
    break it. That a module loads the packages which contain it does not count.

    Args:
        package: The folder of the package.
    """
    known = modules(package)
    return [one for name, path in known.items() for one in _of_module(name, path, known)]


def circles(found: list[Import]) -> list[list[str]]:
    """Returns the groups of modules each of which imports, by way of others, all of its group.

    Args:
        found: From `imports`.

    Returns:
        The modules of each group in the order of their names, the largest group first.
    """
    reached = _reached(found)
    groups = {
        tuple(sorted(other for other in ends if name in reached.get(other, ())))
        for name, ends in reached.items()
        if name in ends
    }
    return [list(group) for group in sorted(groups, key=lambda group: (-len(group), group))]


def _reached(found: list[Import]) -> dict[str, set[str]]:
    """Returns all modules that each module imports, directly or by way of others."""
    direct: dict[str, set[str]] = {}
    for one in found:
        direct.setdefault(one.module, set()).add(one.target)
    reached = {}
    for name in direct:
        ends: set[str] = set()
        waiting = [name]
        while waiting:
            new = direct.get(waiting.pop(), set()) - ends
            ends |= new
            waiting += new
        reached[name] = ends
    return reached


def _of_module(name: str, path: Path, known: Mapping[str, Path]) -> Iterator[Import]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            source = _source(name, path, node)
            # `from package import module` imports the module, anything else the package itself.
            inner = [f"{source}.{alias.name}" for alias in node.names]
            targets = [one if one in known else source for one in inner]
        else:
            continue
        for target in dict.fromkeys(targets):
            if target in known and target != name:
                yield Import(path, node.lineno, name, target)


def _source(name: str, path: Path, node: ast.ImportFrom) -> str:
    """Returns the dotted name that an import begins with; leading dots are resolved."""
    if not node.level:
        return node.module or ""
    package = name.split(".") if path.name == "__init__.py" else name.split(".")[:-1]
    parents = package[: len(package) - node.level + 1]
    return ".".join([*parents, *([node.module] if node.module else [])])
