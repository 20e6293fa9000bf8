"""The runs of a sweep that a picture shows, and their labels."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tradewind.config.axes import Axis, Label
from tradewind.plots.style import joined
from tradewind.results.run_result import RunResult

MOST_PANELS = 6


def largest_runs(
    runs: Sequence[RunResult],
    axes: Sequence[Axis],
    suitable: Callable[[RunResult], bool] = lambda run: True,
) -> list[RunResult]:
    """Returns for each series the run with the most ranks, among those that are suitable."""
    best: dict[tuple[Label, ...], RunResult] = {}
    for run in runs:
        key = tuple(run.parameters[axis.name] for axis in axes if axis.name != "ranks")
        if suitable(run) and (key not in best or run.ranks > best[key].ranks):
            best[key] = run
    return list(best.values())


def series_label(run: RunResult, axes: Sequence[Axis]) -> str:
    """Returns the parameters of a series, or program and machine if nothing varies."""
    parts = [run.parameters[axis.name] for axis in axes if axis.name != "ranks"]
    return joined(parts) or f"{run.spec.program.name} on {run.machine}"
