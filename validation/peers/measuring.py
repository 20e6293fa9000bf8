"""Runs a program in a process of its own: what it prints, how long it takes, how much memory it needs."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tradewind.errors import ConfigError, Error

_TIMED = Path(__file__).with_name("timed.py")


@dataclass(frozen=True)
class Process:
    """A process that has ended well.

    Args:
        output: What it wrote to standard output.
        messages: What it wrote to standard error.
        wall_s: From its start to its end.
        cpu_s: Processor time, of its children too.
        peak_bytes: Largest memory of it or one of its children; not less than the 10 MB of `timed.py`.
    """

    output: str
    messages: str
    wall_s: float
    cpu_s: float
    peak_bytes: int


def programs(names: Sequence[str], folder: Path | None, message: str) -> dict[str, str]:
    """The paths of programs.

    Args:
        names: Which.
        folder: That has them; None is what the path finds.
        message: Of the error, with the place of what is missing as `{}`.

    Raises:
        ConfigError: If one of them is not there.
    """
    where = None if folder is None else str(folder)
    found = {name: shutil.which(name, path=where) for name in names}
    missing = [name for name, path in found.items() if path is None]
    if missing:
        place = "in the path" if where is None else f"in {where}"
        raise ConfigError(message.format(f"there is no {', '.join(missing)} {place}"))
    return {name: str(path) for name, path in found.items()}


def run(command: Sequence[str | Path]) -> Process:
    """Runs a command to its end.

    Raises:
        Error: If it cannot be started or its exit status is not 0, with the end of what it wrote.
    """
    words = [str(word) for word in command]
    with tempfile.TemporaryDirectory() as directory:
        report = Path(directory) / "took.json"
        done = subprocess.run(
            [sys.executable, "-I", "-S", str(_TIMED), str(report), *words],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        if done.returncode != 0:
            said = "\n".join((done.stdout + done.stderr).strip().splitlines()[-5:])
            raise Error(f"{Path(words[0]).name}: exit status {done.returncode}:\n{said}")
        took = json.loads(report.read_text(encoding="utf-8"))
    return Process(done.stdout, done.stderr, took["wall_s"], took["cpu_s"], took["peak_bytes"])
