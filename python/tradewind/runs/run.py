"""The outcomes of an experiment: finished runs with their pictures and datasets, and failures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from tradewind import core
from tradewind.config.axes import Axis
from tradewind.config.data_file import incomplete_trace
from tradewind.config.experiment import Experiment, Member
from tradewind.errors import DeadlockError
from tradewind.results.run_result import Array, Delay, RunResult, merged_delay

if TYPE_CHECKING:
    import pandas
    import xarray

    from tradewind.plots import Plots
    from tradewind.results.dataset import Content


@dataclass(frozen=True, repr=False)
class Run(RunResult):
    """One finished simulation, with its pictures and its dataset.

    Args:
        parameters: What distinguishes it from the other runs of its experiment.
        spec: All settings of the run, in base units.
        machine: Name of the simulated machine.
        raw: The result of the core.
    """

    @classmethod
    def of(cls, member: Member, raw: core.RawRun) -> Run:
        """Makes a run from a member of an experiment and the result of the core."""
        return cls(dict(member.parameters), member.spec, member.machine, raw)

    @property
    def runs(self) -> list[Run]:
        """The run itself, so that one run can be treated as several."""
        return [self]

    @property
    def plot(self) -> Plots:
        """Pictures of this run: `run.plot.delay("delay.png")`; without a path a figure."""
        from tradewind.plots import Plots

        return Plots([self])

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the run as a data frame with one row; needs the extra `report`."""
        from tradewind.results.frame import to_frame

        return to_frame([self])

    def _repr_html_(self) -> str:
        from tradewind.results.frame import to_html

        return to_html(f"{self.spec.program.name} on {self.machine}", [self])

    def to_xarray(self) -> xarray.Dataset:
        """Returns the run as a dataset without dimensions of a sweep; needs the extra `report`."""
        from tradewind.results.dataset import to_dataset

        return to_dataset([self], (), {})


class ErrorRecord(TypedDict):
    """The class of an error and what it said, as JSON."""

    kind: str
    message: str


@dataclass(frozen=True)
class Failure:
    """A run that did not finish: the class of its error and what it said."""

    member: Member
    kind: str
    message: str

    @classmethod
    def of(cls, member: Member, kind: str, message: str) -> Failure:
        """Makes a failure from an error of the core; a deadlock of an incomplete recording says that it is."""
        hint = incomplete_trace(member.spec.program) if kind == DeadlockError.__name__ else ""
        return cls(member, kind, f"{message}; {hint}" if hint else message)

    def record(self) -> ErrorRecord:
        """Returns the error as plain values for JSON."""
        return {"kind": self.kind, "message": self.message}


@dataclass(frozen=True, repr=False)
class RunSet:
    """The runs of one sweep.

    Args:
        experiment: What was asked for.
        outcomes: One per member, in the order of the cartesian product.
    """

    experiment: Experiment
    outcomes: Sequence[Run | Failure]

    def __repr__(self) -> str:
        """Says how many runs there are, along which axes, and the range of their times."""
        over = " x ".join(f"{len(axis.labels)} {axis.name}" for axis in self.axes)
        words = [f"{len(self)} runs{f' ({over})' if over else ''}"]
        if self.failures:
            words.append(f"{len(self.failures)} failed")
        if self.runs:
            words.append(f"{self.time_s.min():.6g} to {self.time_s.max():.6g} s")
        return f"<RunSet {self.experiment.name}: {', '.join(words)}>"

    def _repr_html_(self) -> str:
        from tradewind.results.frame import to_html

        failed = [f"failed: {one.member.label}: {one.message}" for one in self.failures]
        return to_html(self.experiment.title, self.runs, failed)

    def __len__(self) -> int:
        """Returns the number of finished runs."""
        return len(self.runs)

    def __iter__(self) -> Iterator[Run]:
        """Goes over the finished runs."""
        return iter(self.runs)

    def __getitem__(self, index: int) -> Run:
        """Returns a finished run by its number among them."""
        return self.runs[index]

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The axes along which runs vary."""
        return self.experiment.axes

    @property
    def runs(self) -> list[Run]:
        """The runs that finished."""
        return [outcome for outcome in self.outcomes if isinstance(outcome, Run)]

    @property
    def failures(self) -> list[Failure]:
        """The runs that failed."""
        return [outcome for outcome in self.outcomes if isinstance(outcome, Failure)]

    @property
    def time_s(self) -> Array:
        """Simulated time of each finished run."""
        return np.array([run.time_s for run in self.runs])

    @property
    def delay(self) -> Delay:
        """Delays of the messages of all finished runs together."""
        return merged_delay(self.runs)

    @property
    def plot(self) -> Plots:
        """Pictures of these runs: `runs.plot.scaling("fig5b.png")`; without a path a figure."""
        from tradewind.plots import Plots

        return Plots(self.runs, self.axes, self.experiment.title)

    def to_dict(self) -> dict[str, Any]:
        """Returns everything but the arrays per message, as plain values for JSON."""
        return {
            "experiment": self.experiment.source,
            "title": self.experiment.title,
            "version": core.load().version,
            "runs": [run.to_dict() for run in self.runs],
            "failed": [
                {
                    "parameters": dict(entry.member.parameters),
                    "kind": entry.kind,
                    "message": entry.message,
                }
                for entry in self.failures
            ],
        }

    def to_xarray(self) -> xarray.Dataset:
        """Returns the runs as a dataset with one dimension per swept key; needs the extra `report`."""
        from tradewind.results.dataset import to_dataset

        return to_dataset(self._on_grid(), self.axes, self._attributes())

    def content(self) -> Content:
        """Returns what `to_xarray` has, for a file that is written without xarray."""
        from tradewind.results.dataset import content_of

        return content_of(self._on_grid(), self.axes, self._attributes())

    def _on_grid(self) -> list[Run | None]:
        return [outcome if isinstance(outcome, Run) else None for outcome in self.outcomes]

    def _attributes(self) -> dict[str, str]:
        from tradewind.results.dataset import provenance

        made = provenance(self.experiment.text, self.experiment.overridden, self._on_grid())
        return {
            "title": self.experiment.title,
            "experiment_source": self.experiment.source,
            **made,
        }

    def to_pandas(self) -> pandas.DataFrame:
        """Returns the finished runs as a data frame, a row for each; needs the extra `report`."""
        from tradewind.results.frame import to_frame

        return to_frame(self.runs)
