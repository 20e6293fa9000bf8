"""`tradewind extrapolate`: the rule behind recordings of a program at several rank counts."""

from __future__ import annotations

from pathlib import Path

import click

from tradewind.cli import console, options
from tradewind.errors import TraceError
from tradewind.extrapolation import (
    Pattern,
    calls_in,
    discover,
    expand,
    first_difference,
    pattern_text,
)
from tradewind.files import write_text
from tradewind.trace_file import Trace
from tradewind.trace_formats.recognition import read_any


@click.command("extrapolate")
@click.argument("traces", type=click.Path(path_type=Path), nargs=-1, required=True)
@options.output_file("the pattern, such as my_model.pattern", required=True)
@click.option(
    "--grid",
    metavar="RULE",
    help='Process grid: line, "balanced 2", "rising 3", "nx = 4"...; default: what fits best.',
)
@click.option(
    "--check",
    "held",
    type=click.Path(path_type=Path),
    multiple=True,
    metavar="TRACE",
    help="Recording at another rank count, compared with the pattern call by call.",
)
@options.json_output("Print one JSON object with grid, rank counts, remarks and checks.")
def command(
    traces: tuple[Path, ...], output: Path, grid: str | None, held: tuple[Path, ...], as_json: bool
) -> int:
    """Find the rule behind TRACES of one program.

    TRACES are recordings of the same problem at three or more rank counts, or traces of other programs
    that inspect reads. The pattern is a text
    that people read and change. It is a program for any number of ranks: name it in an experiment
    as program.trace. A call that no rule explains is named, with its ranks, and there is no pattern.
    """
    recorded = [read_any(path) for path in traces]
    for path, trace in zip(traces, recorded, strict=True):
        if trace.facts.get("complete") is False:
            raise TraceError(f"{path}: the recording is not complete")
    pattern, remarks = discover(recorded, grid)
    heading = [
        "What a program says to whom, for any number of ranks (docs/howto/extrapolate.md).",
        *remarks,
    ]
    write_text(output, pattern_text(pattern, heading))
    checks = {str(path): _difference(pattern, read_any(path)) for path in held}
    if as_json:
        console.print_json(
            {
                "pattern": str(output),
                "grid": pattern.grid.words,
                "made_from": pattern.made_from,
                "calls": sum(1 for _ in calls_in(pattern.body)),
                "remarks": remarks,
                "checks": {path: found or "equal" for path, found in checks.items()},
            }
        )
    else:
        _print(pattern, output, remarks, checks)
    return 1 if any(checks.values()) else 0


def _difference(pattern: Pattern, trace: Trace) -> str | None:
    return first_difference(Trace.of(expand(pattern, trace.ranks)), trace)


def _print(
    pattern: Pattern, output: Path, remarks: list[str], checks: dict[str, str | None]
) -> None:
    counts = ", ".join(map(str, pattern.made_from))
    number = sum(1 for _ in calls_in(pattern.body))
    console.output.print(
        f"{number} calls on a process grid by the rule {pattern.grid.words}, from {counts} ranks: {output}"
    )
    for remark in remarks:
        console.note(remark)
    for path, found in checks.items():
        said = f"differs from the pattern: {found}" if found else "equals the pattern, call by call"
        console.output.print(f"{path} {said}")
