"""Turns the runs of a part into results, tables and figures, also for parts without code."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError, Error
from tradewind.plots import PLOTS
from tradewind.runs.run import Failure, RunSet
from tradewind.studies.definition import Part, Study
from tradewind.studies.tables import Cell, Table

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure

# Results of runs that exist only afterwards.
_LATER = ("class_", "delay_", "link_utilisation_", "matrix_", "packet_wait_", "phase_")


class NotTestableError(Error):
    """This machine or installation cannot make the part; the message says why."""


@dataclass(frozen=True)
class Evaluation:
    """The outcome of a part.

    Args:
        data: The results that conditions read; missing ones are NaN.
        tables: Tables by the names of their files.
        figures: Figures by the names of their files.
    """

    data: xarray.Dataset
    tables: Mapping[str, Table] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)


@dataclass(frozen=True)
class Context:
    """The inputs of an evaluator.

    Args:
        study: The study.
        full: True for the full series.
        experiments: The experiments of the part; those of the full series in `outline`.
        runs: Their runs; none in `outline`.
        note: Receives messages on the progress.
        earlier: Results of the parts before this one, by name.
        work: A folder for what takes long and is kept.
    """

    study: Study
    full: bool
    experiments: Mapping[str, Experiment]
    runs: Mapping[str, RunSet]
    note: Callable[[str], None]
    earlier: Mapping[str, xarray.Dataset]
    work: Path


@dataclass(frozen=True)
class Evaluator:
    """The steps from a part to its results.

    Args:
        outline: The results with any numbers, all labels of the full series and all variables, so
            that conditions are checked before anything runs. Variables that are known only later
            begin with a word of the attribute `later`.
        evaluate: The results. Raises NotTestableError if this machine cannot make them.
        experiments: Experiments by name, for the full or the reduced series; default: the experiment
            files of the part.
    """

    outline: Callable[[Part, Context], xarray.Dataset]
    evaluate: Callable[[Part, Context], Evaluation]
    experiments: Callable[[Part, Study, bool], Mapping[str, Experiment]] = (
        lambda part, study, full: study.experiments(part, full=full)
    )


def _only_experiment(part: Part, experiments: Mapping[str, Experiment]) -> str:
    if len(experiments) != 1:
        raise ConfigError(
            f"part {part.name}: without `evaluate` it needs one experiment, not {len(experiments)}"
        )
    return next(iter(experiments))


def _outline_of_runs(part: Part, context: Context) -> xarray.Dataset:
    from tradewind.results.dataset import to_dataset

    for kind in part.plots:
        if kind not in PLOTS:
            raise ConfigError(f"part {part.name}: plots = {kind}: allowed: {', '.join(PLOTS)}")
    experiment = context.experiments[_only_experiment(part, context.experiments)]
    size = 1
    for axis in experiment.axes:
        size *= len(axis.labels)
    dataset = to_dataset([None] * size, experiment.axes, {})
    dataset.attrs["later"] = list(_LATER)
    return dataset.fillna(1.0)


def _evaluate_runs(part: Part, context: Context) -> Evaluation:
    name = _only_experiment(part, context.experiments)
    runs = context.runs[name]
    if not runs.runs:
        raise NotTestableError(f"every run of {name} failed: {runs.failures[0].message}")
    figures = {}
    for kind in part.plots:
        file = part.name if len(part.plots) == 1 else f"{part.name}-{kind}"
        figures[file] = runs.plot.figure(kind)
    return Evaluation(runs.to_xarray(), {part.name: run_table(part.title, runs)}, figures)


def run_table(title: str, runs: RunSet) -> Table:
    """Returns one row per run: its distinguishing parameters, simulated time, delays and counts.

    Args:
        title: The title of the table.
        runs: The runs of the part.
    """
    names = [axis.name for axis in runs.axes]
    header = (*names, "time_s", "delay_median_s", "delay_p99_s", "messages", "bytes", "error")
    rows: list[list[Cell]] = []
    for outcome in runs.outcomes:
        if isinstance(outcome, Failure):
            error = f"{outcome.kind}: {outcome.message}"
            labels: list[Cell] = [outcome.member.parameters[name] for name in names]
            rows.append([*labels, None, None, None, None, None, error])
            continue
        labels = [outcome.parameters[name] for name in names]
        counts, delay = outcome.counts, outcome.delay
        times = (outcome.time_s, delay.median_s, delay.p99_s)
        rows.append([*labels, *times, counts["messages"], counts["bytes"], None])
    return Table(title, header, rows)


RUNS = Evaluator(_outline_of_runs, _evaluate_runs)
