"""`tradewind mpi`: runs algorithms and programs on the MPI of this machine."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from statistics import median
from typing import Any

import click

from tradewind import mpi
from tradewind.cli import console, options
from tradewind.config import keys
from tradewind.config.schema import Key
from tradewind.errors import ConfigError, suggestion
from tradewind.mpi import launch
from tradewind.units import Dimension, seconds_text

_WORDS = ("info", "verify", "run", "simulate")
# Untimed runs, and timed ones, where nothing else is said.
_REPETITIONS = {"warm_up": 1, "repetitions": 5}


@click.command("mpi")
@click.argument(
    "arguments",
    nargs=-1,
    required=True,
    metavar="info|verify|run PROGRAM [KEY=VALUE]...|simulate EXPERIMENT [KEY=VALUE]...",
)
@options.mpi_ranks()
@options.launcher()
@options.watchdog()
@options.json_output()
def command(arguments: tuple[str, ...], ranks: int, launcher: str | None, as_json: bool) -> int:
    """Run on real MPI.

    `info` says which library it is, `verify` checks every algorithm with real data, `run` times a
    program of the catalogue: `tradewind mpi -n 4 run halo grid=[64,32,8] width=2`. It runs it once to
    warm up and then five times, unless warm_up or repetitions say otherwise. Programs without data
    copy and add up in scratch memory as much as the real one would; payload=false runs a model in this
    way, too. `simulate` shares
    each run of an experiment out among the processes: `tradewind mpi -n 4 simulate small.toml
    simulation.threads=2`; `mpiexec -n 4 tradewind simulate` does the same with all its options.
    """
    if arguments[0] not in _WORDS:
        raise ConfigError(f"mpi {arguments[0]}: {suggestion(arguments[0], _WORDS)}")
    if arguments == ("run",):
        raise ConfigError("mpi run: expected a program and its settings, such as run halo width=2")
    if arguments[0] == "simulate":
        return _simulate(arguments[1:], ranks, launcher, as_json=as_json)
    if arguments[0] == "run" and len(arguments) > 1:
        arguments = ("run", arguments[1], *_settings(arguments[1], arguments[2:]))
    result = mpi.run(arguments, ranks, launcher)
    if "seconds" in result:
        result |= _spread(result["seconds"])
    failed = int(result.get("failed", 0))
    if as_json:
        console.print_json(result)
        return 1 if failed else 0
    console.output.print(f"{result['ranks']} ranks on {result['library']}", highlight=False)
    for remark in result.get("remarks", []):
        console.note(remark)
    if "time_s" in result:
        console.output.print(_time_text(result), highlight=False)
    for entry in result.get("algorithms", []):
        wrong = entry["wrong_ranks"]
        verdict = f"WRONG on {wrong} ranks" if wrong else "right"
        console.output.print(
            f"{entry['operation']} {entry['algorithm']}: {verdict}", highlight=False
        )
    return 1 if failed else 0


def _settings(program: str, words: Sequence[str]) -> list[str]:
    """Returns the settings of a program in base units, with the repetitions that hold without any."""
    known = keys.programs()
    if program not in known:
        raise ConfigError(f"unknown program {program}; {suggestion(program, known)}")
    table = known[program].keys | known[program].run_keys | _keys_of_phases(words)
    given = [_in_base_units(word, table) for word in words]
    names = {word.partition("=")[0] for word in given}
    return [*given, *(f"{key}={n}" for key, n in _REPETITIONS.items() if key not in names)]


def _keys_of_phases(words: Sequence[str]) -> dict[str, Key]:
    """Returns the keys of phases whose kind is given, such as phase[0].bytes."""
    found: dict[str, Key] = {}
    for word in words:
        key, _, kind = word.partition("=")
        if re.fullmatch(r"phase\[\d+\]\.kind", key) and kind in keys.programs():
            prefix = key.removesuffix("kind")
            found |= {f"{prefix}{name}": one for name, one in keys.programs()[kind].keys.items()}
    return found


def _in_base_units(word: str, table: Mapping[str, Key]) -> str:
    key, sign, text = word.partition("=")
    kind = table[key].kind if key in table else None
    if not sign or not isinstance(kind, Dimension) or _is_number(text):
        return word
    try:
        return f"{key}={kind.parse(text)}"
    except ConfigError as error:
        raise ConfigError(f"{word}: {error}") from None


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _spread(seconds: Sequence[float]) -> dict[str, float]:
    """Returns median and range of the times of runs, in s."""
    return {"median_s": median(seconds), "min_s": min(seconds), "max_s": max(seconds)}


def _time_text(result: Mapping[str, Any]) -> str:
    """Returns the times of a program in words; each is that of the slowest rank."""
    shown = {name: seconds_text(result[f"{name}_s"]) for name in ("median", "min", "max")}
    runs = len(result["seconds"])
    grids = _grids_text(result)
    if runs == 1:
        return f"{result['program']}: {shown['median']}{grids}"
    spread = f"{shown['min']} to {shown['max']} in {runs} runs"
    return f"{result['program']}: median {shown['median']}, {spread}{grids}"


def _grids_text(result: Mapping[str, Any]) -> str:
    """Returns the process grids of a program, or of its phases, as the end of a line."""
    found = [("", result)] if "phases" not in result else []
    found += [(f" of {phase['name']}", phase) for phase in result.get("phases", [])]
    return "".join(
        f", process grid{name} {' x '.join(map(str, one['processes']))}"
        for name, one in found
        if "processes" in one
    )


def _simulate(
    arguments: tuple[str, ...], processes: int, launcher: str | None, *, as_json: bool
) -> int:
    """Starts processes that share each run; the first one says everything."""
    if not arguments:
        raise ConfigError(
            "tradewind mpi simulate: the experiment is missing; give a TOML file or a name"
        )
    assignments = [word for given in arguments[1:] for word in ("--set", given)]
    words = ["-P", "-m", "tradewind", "simulate", arguments[0], *assignments]
    options = ["--json"] if as_json else []
    return launch.status_of(sys.executable, [*words, *options], processes, launcher)
