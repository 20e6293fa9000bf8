"""Pictures of results: one file per kind of picture, and the table of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tradewind.config.axes import Axis
from tradewind.errors import Error
from tradewind.plots import delay, links, matrix, radix, scaling, timeline
from tradewind.plots.style import save
from tradewind.results.run_result import RunResult

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plot:
    """A kind of picture.

    Args:
        summary: The content of the picture.
        draw: Makes it from runs, the axes of their sweep, and a title.
        suitable: True for a run that it can show.
        needs: The request that an experiment must make, if no run is suitable.
        over_seeds: It shows all seeds of random choices; else the first one.
        fills: True for a run that is more than an empty curve; one such run must be there.
        least_runs: With fewer runs it has one dot, and is drawn only where it is asked for.
    """

    summary: str
    draw: Callable[[Sequence[RunResult], Sequence[Axis], str], Figure]
    suitable: Callable[[RunResult], bool] = lambda run: True
    needs: str = "no run has finished"
    over_seeds: bool = False
    fills: Callable[[RunResult], bool] = lambda run: True
    least_runs: int = 1


PLOTS: Mapping[str, Plot] = {
    "scaling": Plot("simulated time over ranks", scaling.draw, over_seeds=True, least_runs=2),
    "relative": Plot(
        "simulated time over that of the fastest series",
        scaling.draw_relative,
        scaling.is_comparison,
        "vary something beside the number of ranks",
        over_seeds=True,
        least_runs=2,
    ),
    "delay": Plot(
        "histogram of the delays of messages",
        delay.draw,
        lambda run: run.delay.count > 0,
        delay.NO_DELAY,
        fills=delay.has_delay,
    ),
    "wait": Plot(
        "histogram of the waits of packets in switches",
        delay.draw_waits,
        lambda run: run.packet_wait is not None,
        "set simulation.packet_waits = true",
    ),
    "links": Plot("utilisation of links", links.draw),
    "matrix": Plot(
        "bytes and delay between ranks",
        matrix.draw,
        matrix.has_matrix,
        "set simulation.matrix_bins = 64",
    ),
    "radix": Plot("the fastest radix over ranks", radix.draw, radix.has_radix, "vary the radix"),
}


@dataclass(frozen=True)
class Plots:
    """The pictures of one run or of a sweep.

    Each method returns a picture as a figure of matplotlib, or writes it to a path and returns that.

    Args:
        runs: Finished runs.
        axes: The axes that vary among them.
        title: Above the pictures.
    """

    runs: Sequence[RunResult]
    axes: Sequence[Axis] = ()
    title: str = ""

    def scaling(self, path: str | Path | None = None) -> Path | Figure:
        """Draws simulated time over ranks, one line per series."""
        return self._drawn("scaling", path)

    def relative(self, path: str | Path | None = None) -> Path | Figure:
        """Draws simulated time over that of the fastest series, one line per series."""
        return self._drawn("relative", path)

    def delay(self, path: str | Path | None = None) -> Path | Figure:
        """Draws a histogram of the delays of messages."""
        return self._drawn("delay", path)

    def wait(self, path: str | Path | None = None) -> Path | Figure:
        """Draws a histogram of the waits of packets in switches."""
        return self._drawn("wait", path)

    def links(self, path: str | Path | None = None) -> Path | Figure:
        """Draws the utilisation of links."""
        return self._drawn("links", path)

    def matrix(self, path: str | Path | None = None) -> Path | Figure:
        """Draws bytes and delay between ranks."""
        return self._drawn("matrix", path)

    def radix(self, path: str | Path | None = None) -> Path | Figure:
        """Draws the fastest radix over ranks, and the distribution of the fastest ones."""
        return self._drawn("radix", path)

    def timeline(self, path: str | Path) -> Path:
        """Writes the time line of the only run, for Perfetto."""
        if len(self.runs) != 1:
            raise Error(f"a time line shows one run, not {len(self.runs)}")
        return timeline.export(self.runs[0], Path(path))

    def _drawn(self, kind: str, path: str | Path | None) -> Path | Figure:
        return self.figure(kind) if path is None else self.write(kind, Path(path))

    def write(self, kind: str, path: Path) -> Path:
        """Writes one kind of picture.

        Raises:
            Error: If no run can be shown, or the extra `report` is missing.
        """
        return save(self.figure(kind), path)

    def figure(self, kind: str) -> Figure:
        """Returns the picture as a figure of matplotlib, for manual changes."""
        plot = PLOTS[kind]
        suitable = [run for run in self.runs if plot.suitable(run)]
        if not any(map(plot.fills, suitable)):
            raise Error(f"there is nothing to draw for the plot {kind}: {plot.needs}")
        axes = self.axes if all(axis.name in suitable[0].parameters for axis in self.axes) else ()
        if not plot.over_seeds:
            suitable, axes = _of_first_seed(suitable, axes)
        return plot.draw(suitable, axes, self.title or _title(suitable[0]))

    def write_all(self, folder: Path) -> list[Path]:
        """Writes every kind of picture that the runs allow, as PNG and SVG.

        Returns:
            The PNG files.
        """
        pictures = []
        for kind in self.possible():
            figure = self.figure(kind)
            pictures.append(save(figure, folder / f"{kind}.png"))
            save(figure, folder / f"{kind}.svg")
        return pictures

    def possible(self) -> list[str]:
        """Returns the kinds of pictures that these runs fill."""
        return [
            kind
            for kind, plot in PLOTS.items()
            if sum(map(plot.suitable, self.runs)) >= plot.least_runs
            and any(plot.suitable(run) and plot.fills(run) for run in self.runs)
        ]


def _of_first_seed(
    runs: Sequence[RunResult], axes: Sequence[Axis]
) -> tuple[list[RunResult], list[Axis]]:
    """Returns the runs with the first label along every axis of seeds that is not the only one."""
    seeds = {axis.name: axis.labels[0] for axis in axes if axis.is_seed}
    rest = [axis for axis in axes if not axis.is_seed]
    chosen = [run for run in runs if all(run.parameters[name] == seeds[name] for name in seeds)]
    return (chosen, rest) if chosen else (list(runs), list(axes))


def _title(run: RunResult) -> str:
    return f"{run.spec.program.name} on {run.machine}"
