"""The progress display on standard error: runs done, running and left, work per second, time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task, TaskID, TextColumn
from rich.table import Column
from rich.text import Text

from tradewind.config.experiment import Member
from tradewind.runs.heartbeat import Heartbeat, has_bars
from tradewind.runs.limits import Prediction
from tradewind.runs.local import is_short
from tradewind.runs.run import Failure, Run
from tradewind.units import count_text, seconds_text

# Links on a route before any run has told how many there are.
_FIRST_GUESS_OF_HOPS = 4.0
# The units in which the work of a run is counted.
_HOPS = "packet-hops"
_MESSAGES = "messages"


class _Time(ProgressColumn):
    """The time taken and the time left; the latter for everything only: the speed of runs varies too much."""

    max_refresh = 1.0

    def render(self, task: Task) -> Text:
        words = [str(timedelta(seconds=round(task.elapsed or 0)))]
        if task.fields.get("is_whole") and task.time_remaining is not None:
            words.append(f"{timedelta(seconds=round(task.time_remaining))} left")
        return Text(", ".join(words), style="cyan")


@dataclass
class _RunState:
    task: TaskID
    prediction: Prediction
    unit: str
    begin: float
    fraction: float = 0.0
    rate: float = 0.0


@dataclass
class ProgressDisplay:
    """Draws one bar for everything and one line per run in progress.

    Without a terminal, as in the log of a batch job, it writes one line for each run that starts, but
    for the shortest, and one for each that ends; and now and then how far everything is.

    Args:
        console: Where to draw, normally standard error.
        predictions: What is expected of each run, by its position.
        interval_s: Time between two lines on how far everything is.
        is_quiet: Leaves out the lines for runs that start or end.
    """

    console: Console
    predictions: Mapping[tuple[int, ...], Prediction]
    interval_s: float = 60.0
    is_quiet: bool = False
    _states: dict[tuple[int, ...], _RunState] = field(default_factory=dict, init=False)
    _done: int = field(default=0, init=False)
    _done_work: float = field(default=0.0, init=False)
    _hops: float = field(default=0.0, init=False)
    _packets: float = field(default=0.0, init=False)

    def __post_init__(self) -> None:
        """Lays out the columns."""
        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=16, table_column=Column(min_width=8)),
            TextColumn("{task.fields[status]}", markup=False),
            _Time(table_column=Column(no_wrap=True, min_width=12)),
            console=self.console,
            transient=True,
            disable=not has_bars(self.console),
        )
        total = sum(_work(prediction) for prediction in self.predictions.values())
        self._heartbeat = Heartbeat(self.console, self._so_far, self.interval_s)
        self._all = self._progress.add_task(
            "all runs", total=total, status=self._all_status(), is_whole=True
        )

    def __enter__(self) -> ProgressDisplay:
        """Starts drawing."""
        self._progress.start()
        self._heartbeat.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Removes the bars."""
        self._heartbeat.__exit__(kind, error, trace)
        self._progress.stop()

    def started(self, member: Member, prediction: Prediction) -> None:
        """Adds a line for the run; tells that it is made again if it has one.

        Args:
            member: The run.
            prediction: Its expected ranks, packets and messages.
        """
        before = self._states.pop(member.position, None)
        if before is not None:
            self._progress.remove_task(before.task)
            self._say(f"again: {member.label}: the worker that made it was lost")
        elif not has_bars(self.console) and not is_short(prediction):
            self._say(f"started: {member.label}: {prediction.text}")
        words = ", ".join(map(str, member.parameters.values())) or member.label
        longest = max(16, self.console.width // 3)
        name = words if len(words) <= longest else words[: longest - 3] + "..."
        task = self._progress.add_task(f"  {name}", total=1.0, status="starting")
        self._states[member.position] = _RunState(task, prediction, _unit(member), time.monotonic())
        self._update_all()

    def advanced(self, member: Member, done_ranks: int, work_done: int, simulated_ps: int) -> None:
        """Moves the bar of the run and the bar of everything.

        Args:
            member: The run.
            done_ranks: Ranks that have finished.
            work_done: Packet-hops so far, or messages on the analytic network.
            simulated_ps: Simulated time so far, in picoseconds; not shown.
        """
        state = self._states[member.position]
        moved = min(0.99, work_done / max(1.0, self._expected(state)))
        state.fraction = max(state.fraction, moved, done_ranks / max(1, state.prediction.ranks))
        state.rate = work_done / max(1e-3, time.monotonic() - state.begin)
        status = f"{done_ranks}/{state.prediction.ranks} ranks"
        self._progress.update(state.task, completed=state.fraction, status=status)
        self._update_all()
        self._heartbeat.tell()

    def finished(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        """Removes the line of the run and says how it ended.

        Args:
            member: The run.
            outcome: Its result or its error.
            resumed: Whether the result was kept from an earlier call.
        """
        state = self._states.pop(member.position, None)
        if state is not None:
            self._progress.remove_task(state.task)
        self._done += 1
        self._done_work += _work(self.predictions[member.position])
        if isinstance(outcome, Run) and _unit(member) == _HOPS:
            self._hops += outcome.counts["packet_hops"]
            self._packets += outcome.counts["packets"]
        self._update_all()
        self._say(_line(member, outcome, resumed=resumed))

    def damaged(self, member: Member, reason: str) -> None:
        """Says which file is damaged.

        Args:
            member: The run, which is made again.
            reason: The file, and what is wrong with it.
        """
        self._say(f"again: {member.label}: {reason}")

    def _say(self, line: str) -> None:
        if not self.is_quiet:
            self.console.print(line, markup=False, highlight=False, soft_wrap=True)

    def _update_all(self) -> None:
        running = sum(state.fraction * _work(state.prediction) for state in self._states.values())
        self._progress.update(
            self._all, completed=self._done_work + running, status=self._all_status()
        )

    def _so_far(self) -> str:
        everything = self._progress.tasks[0]
        taken = timedelta(seconds=round(everything.elapsed or 0))
        return f"so far: {self._all_status()}; {everything.percentage:.0f} % in {taken}"

    def _all_status(self) -> str:
        running = len(self._states)
        left = len(self.predictions) - self._done - running
        runs = f"{self._done} done, {running} running, {left} left"
        rates: dict[str, float] = {}
        for state in list(self._states.values()):
            rates[state.unit] = rates.get(state.unit, 0.0) + state.rate
        return ", ".join([runs, *(_rate_text(rate, unit) for unit, rate in rates.items() if rate)])

    def _expected(self, state: _RunState) -> float:
        """Returns the work of a whole run, as far as it can be foretold."""
        if state.unit == _MESSAGES:
            return state.prediction.messages
        hops = self._hops / self._packets if self._packets else _FIRST_GUESS_OF_HOPS
        return state.prediction.packets * hops


def _unit(member: Member) -> str:
    return _MESSAGES if member.spec.simulation.network == "analytic" else _HOPS


def _rate_text(rate: float, unit: str) -> str:
    return f"{count_text(rate)} {unit}/s"


def _work(prediction: Prediction) -> float:
    return 1.0 + prediction.packets + prediction.messages


def _line(member: Member, outcome: Run | Failure, *, resumed: bool) -> str:
    if isinstance(outcome, Failure):
        return f"failed: {member.label}: {outcome.kind}: {outcome.message}"
    if resumed:
        return f"kept: {member.label}: {seconds_text(outcome.time_s)}"
    unit = _unit(member)
    work = outcome.counts["packet_hops" if unit == _HOPS else "messages"]
    rate = _rate_text(work / max(outcome.wall_s, 1e-9), unit)
    took = f"simulated in {seconds_text(outcome.wall_s)}, {rate}"
    return f"done: {member.label}: {seconds_text(outcome.time_s)} ({took})"
