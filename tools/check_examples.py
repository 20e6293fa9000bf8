"""Runs every example and compares what it prints with the file NAME.out beside it.

Usage: python tools/check_examples.py [FOLDER]

An example is a .py, .sh or .cpp file; `...` in the expected output stands for any text. Each runs
in an empty folder of its own.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from snippets import ROOT, SnippetError, build_cpp, compare, run


def run_example(path: Path, folder: Path) -> str:
    """Returns the output of an example that runs in `folder`."""
    if path.suffix == ".cpp":
        return run([str(build_cpp([path], folder))], folder)
    return run(["bash" if path.suffix == ".sh" else sys.executable, str(path)], folder)


def check_example(path: Path) -> None:
    """Runs one example.

    Raises:
        SnippetError: If it fails, prints something else, or has no expected output.
    """
    expected = path.with_suffix(".out")
    if not expected.exists():
        raise SnippetError(f"has no expected output {expected.name} beside it")
    with tempfile.TemporaryDirectory() as folder:
        compare(expected.read_text(encoding="utf-8"), run_example(path.resolve(), Path(folder)))


def main(arguments: list[str]) -> int:
    """Runs all examples; returns 1 if one fails or there is none."""
    folder = Path(arguments[0]) if arguments else ROOT / "examples"
    examples = [path for path in sorted(folder.rglob("*")) if path.suffix in {".py", ".sh", ".cpp"}]
    failed = 0
    for path in examples:
        try:
            check_example(path)
        except SnippetError as error:
            failed += 1
            print(f"FAILED {path}: {error}")
    print(f"{len(examples) - failed} examples passed, {failed} failed")
    return 0 if examples and not failed else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
