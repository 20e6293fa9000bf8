"""Tables of `tradewind explain`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table
from rich.text import Text

from tradewind.cli.tables import plain_table
from tradewind.results.critical_path import MEANINGS, CriticalPath, Share
from tradewind.runs.run import Run
from tradewind.runs.what_if import Trials
from tradewind.units import seconds_text


def kinds_table(path: CriticalPath) -> Table:
    """Returns the critical path by what took its time; the rows add up to the simulated time.

    Args:
        path: The critical path.
    """
    table = _table("critical path", ("what", "time", "share", "steps", "meaning"))
    for entry in path.by_kind():
        table.add_row(entry.name, *_cells(entry), Text(MEANINGS[entry.name]))
    table.add_row("total", seconds_text(path.time_ps * 1e-12), "100.0 %", str(len(path)), "")
    return table


def phases_table(path: CriticalPath) -> Table:
    """Returns the critical path by phase of the program, with the three largest kinds of each.

    Args:
        path: The critical path.
    """
    table = _table("by phase", ("phase", "time", "share", "steps", "most of it"))
    kinds = path.by_phase_and_kind()
    for entry in path.by_phase():
        largest = (f"{one.name} {100 * one.share:.1f} %" for one in kinds[entry.name][:3])
        table.add_row(Text(str(entry.name)), *_cells(entry), ", ".join(largest))
    return table


def shares_table(title: str, column: str, shares: Sequence[Share], most: int) -> Table:
    """Returns the largest parts of a split.

    Args:
        title: The title of the table.
        column: What the parts are.
        shares: All parts, the largest first.
        most: The number of rows; the last one sums up the rest.
    """
    table = _table(title, (column, "time", "share", "steps"))
    for entry in shares[:most]:
        table.add_row(Text(str(entry.name)), *_cells(entry))
    rest = shares[most:]
    if rest:
        whole = Share(
            f"{len(rest)} more",
            sum(one.time_ps for one in rest),
            sum(one.share for one in rest),
            sum(one.steps for one in rest),
        )
        table.add_row(str(whole.name), *_cells(whole))
    return table


def resources_table(run: Run) -> Table:
    """Returns how busy each kind of resource was, and the bound that it sets.

    Args:
        run: The run.
    """
    table = _table("busiest resources", ("resource", "busy", "lower bound of the time"))
    for entry in run.resources:
        table.add_row(entry.words, entry.busy, seconds_text(entry.bound_s))
    return table


def bounds_table(times: Mapping[str, float], time_s: float) -> Table:
    """Returns the simulated times that are left when a cause of delay is taken away.

    Args:
        times: The simulated time in s with that change, by what it is.
        time_s: The simulated time without a change.
    """
    table = _table("without a cause of delay", ("with", "time", "share"))
    for words, left in times.items():
        table.add_row(words, seconds_text(left), f"{100 * left / time_s:.1f} %")
    return table


def trials_table(trials: Trials) -> Table:
    """Returns the changes that were tried, the best first.

    Args:
        trials: What was tried.
    """
    table = _table("what a change gains, simulated", ("change", "time", "gain", "how"))
    for trial in trials.tried:
        gain = f"{100 * trial.gain:+.1f} %"
        table.add_row(
            Text(trial.change.words),
            seconds_text(trial.time_s),
            gain,
            Text(trial.change.arguments),
        )
    return table


def _cells(entry: Share) -> tuple[str, str, str]:
    return seconds_text(entry.time_s), f"{100 * entry.share:.1f} %", str(entry.steps)


def _table(title: str, columns: Sequence[str]) -> Table:
    numbers = ("time", "share", "steps", "busy", "gain", "lower bound of the time")
    words = [column for column in columns if column not in numbers]
    return plain_table(title, columns, words, wrapped=("meaning", "how"))
