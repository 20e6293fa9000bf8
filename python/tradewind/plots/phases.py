"""Where the time goes: the phases of every run, stacked, as shares of its time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tradewind.config.axes import Axis
from tradewind.plots.style import COLOURS, count_label, joined, new_figure, styled
from tradewind.runs.results import Run

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_HATCHES = ("", "//", "..", "xx")
_MOST_FULL_LABELS = 50


def has_phases(run: Run) -> bool:
    """True if the program names at least two phases."""
    return len(run.phases) > 1


def draw(runs: Sequence[Run], axes: Sequence[Axis], title: str) -> Figure:
    """Draws a bar per run, from top to bottom in the order of the sweep, numbers fastest.

    Args:
        runs: Finished runs with phases.
        axes: What varies; the labels of the bars.
        title: Above the picture.
    """
    names = list(dict.fromkeys(phase.name for run in runs for phase in run.phases))
    numeric = [axis.name for axis in axes if axis.is_numeric]
    others = [axis.name for axis in axes if not axis.is_numeric]
    ordered = sorted(
        runs, key=lambda run: [_position(axes, name, run) for name in others + numeric]
    )
    with styled():
        bars = min(len(ordered), _MOST_FULL_LABELS)
        figure = new_figure(8.2, 1.4 + 0.24 * bars + 0.12 * len(names))
        panel = figure.subplots()
        left = [0.0] * len(ordered)
        for number, name in enumerate(names):
            shares = [_share(run, name) for run in ordered]
            panel.barh(
                range(len(ordered)),
                shares,
                left=left,
                label=name,
                height=0.8,
                color=COLOURS[number % len(COLOURS)],
                hatch=_HATCHES[number // len(COLOURS) % len(_HATCHES)],
            )
            left = [before + share for before, share in zip(left, shares, strict=True)]
        _label(panel, ordered, others + numeric)
        panel.set(xlabel="share of the simulated time, mean over ranks", title=title)
        panel.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0.0)
    return figure


def _position(axes: Sequence[Axis], name: str, run: Run) -> float:
    axis = next(axis for axis in axes if axis.name == name)
    return axis.labels.index(run.parameters[name])


def _share(run: Run, name: str) -> float:
    return sum(phase.mean_s for phase in run.phases if phase.name == name) / run.time_s


def _label(panel: Axes, runs: Sequence[Run], names: Sequence[str]) -> None:
    texts = [joined([_text(run.parameters[name]) for name in names]) or run.machine for run in runs]
    panel.set_yticks(range(len(runs)), texts)
    panel.tick_params(axis="y", labelsize=10.0 * min(1.0, _MOST_FULL_LABELS / len(runs)))
    panel.set_ylabel(joined([name.replace("_", " ") for name in names]) or "machine")
    panel.set_xlim(0.0, 1.0)
    panel.invert_yaxis()
    panel.grid(visible=False, axis="y")


def _text(label: object) -> str:
    return count_label(label) if isinstance(label, int | float) else str(label)
