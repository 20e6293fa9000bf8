"""Runs the code blocks of the documentation, so that no recipe rots.

Usage: python tools/check_docs.py PATH...     (Markdown files, or folders of them)

A comment before a fenced block marks it; a name in the comment saves it under that name in the
page's own empty folder, where all of its blocks run in order:

    <!-- checked -->            the block runs, or is loaded
    <!-- checked: mesh.toml --> the same, and is saved as mesh.toml
    <!-- output -->             what the block before it prints; `...` stands for any text

bash and python blocks run; toml blocks are read as experiments or machines; the cpp blocks of a
page make one program, which is compiled where the last of them stands, and runs; c, cmake and
fortran blocks are only saved, for the bash blocks. A page with the comment <!-- needs: MPI --> is
skipped where there is none.
"""

from __future__ import annotations

import re
import sys
import tempfile
import tomllib
from dataclasses import dataclass
from pathlib import Path

import skips
from snippets import SnippetError, build_cpp, compare, have_mpi, run

_BLOCK = re.compile(
    r"^<!-- (?P<mark>checked|output)(?:: (?P<name>\S+))? -->\n+"
    r"(?P<fence>`{3,})(?P<language>\w*)\n(?P<text>.*?)^(?P=fence)$",
    re.MULTILINE | re.DOTALL,
)
_MARK = re.compile(r"^<!-- (?:checked|output)\b.*-->", re.MULTILINE)
_ENDINGS = {"bash": "sh", "cpp": "cpp", "python": "py", "toml": "toml"}
_SAVED = {"c", "cmake", "fortran"}
_NEEDS_MPI = re.compile(r"^<!-- needs: MPI -->$", re.MULTILINE)


@dataclass(frozen=True)
class Block:
    """A marked code block.

    Args:
        line: Where it stands.
        mark: "checked" or "output".
        name: File name to save it under; empty if it has none.
        language: Language of the fence.
        text: The code.
    """

    line: int
    mark: str
    name: str
    language: str
    text: str


def blocks_of(text: str) -> list[Block]:
    """Returns the marked blocks of a page.

    Raises:
        SnippetError: If a mark stands before anything but a fenced block.
    """
    found = list(_BLOCK.finditer(text))
    begins = {match.start() for match in found}
    for mark in _MARK.finditer(text):
        if mark.start() not in begins:
            line = text.count("\n", 0, mark.start()) + 1
            raise SnippetError(f"line {line}: {mark.group()} stands before no code block")
    return [
        Block(
            text.count("\n", 0, match.start("fence")) + 1,
            match["mark"],
            match["name"] or "",
            match["language"],
            match["text"],
        )
        for match in found
    ]


def _read_toml(path: Path) -> None:
    """Reads a file as what its tables say it is: an experiment or a machine."""
    from tradewind.config.experiment import Experiment
    from tradewind.config.machine import load_machine

    tables = tomllib.loads(path.read_text(encoding="utf-8"))
    if "program" in tables:
        Experiment.load(path).members()
    elif "topology" in tables:
        load_machine(path)


class Page:
    """Runs the blocks of one page, in order, in one folder."""

    def __init__(self, blocks: list[Block], folder: Path) -> None:
        self._blocks = blocks
        self._folder = folder
        self._output = ""

    def run(self) -> None:
        """Runs all of them.

        Raises:
            SnippetError: Naming the line of the first block that fails.
        """
        for index, block in enumerate(self._blocks):
            try:
                self._step(block, index)
            except Exception as error:
                raise SnippetError(f"line {block.line}: {error}") from error

    def _step(self, block: Block, index: int) -> None:
        if block.mark == "output":
            compare(block.text, self._output)
            return
        is_saved = bool(block.name) and block.language in _SAVED
        if block.language not in _ENDINGS and not is_saved:
            raise SnippetError(f'cannot check the language "{block.language}"')
        path = self._folder / (block.name or f"block{index}.{_ENDINGS[block.language]}")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if block.language == "bash":
            self._output = run(["bash", "-euo", "pipefail", str(path)], self._folder)
        elif block.language == "python":
            self._output = run([sys.executable, str(path)], self._folder)
        elif block.language == "toml":
            _read_toml(path)
        elif block.language == "cpp" and not any(
            later.language == "cpp" for later in self._blocks[index + 1 :]
        ):
            sources = sorted(self._folder.rglob("*.cpp"))
            self._output = run([str(build_cpp(sources, self._folder))], self._folder)


def check_page(path: Path) -> int:
    """Runs the marked blocks of one page and returns how many there are.

    Raises:
        SnippetError: If one of them fails.
    """
    text = path.read_text(encoding="utf-8")
    if _NEEDS_MPI.search(text) and not have_mpi():
        if refusal := skips.refusal(path, "no MPI"):
            raise SnippetError(refusal)
        print(f"skipped {path}: no MPI")
        return 0
    blocks = blocks_of(text)
    with tempfile.TemporaryDirectory() as folder:
        Page(blocks, Path(folder)).run()
    return len(blocks)


def main(arguments: list[str]) -> int:
    """Checks all pages; returns 1 if one fails or there is nothing to check."""
    pages: list[Path] = []
    for path in map(Path, arguments):
        pages += sorted(path.rglob("*.md")) if path.is_dir() else [path]
    passed = failed = 0
    for page in pages:
        try:
            passed += check_page(page)
        except SnippetError as error:
            failed += 1
            print(f"FAILED {page}: {error}")
    print(f"{passed} code blocks passed, {failed} pages failed")
    return 0 if passed and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
