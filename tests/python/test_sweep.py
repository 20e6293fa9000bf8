from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tradewind as tw
from tradewind.config.experiment import Experiment, Member
from tradewind.errors import ConfigError
from tradewind.runs.display import Silent
from tradewind.runs.limits import Prediction, check_runs
from tradewind.runs.local import LocalExecution
from tradewind.runs.run import Failure, Run, RunSet
from tradewind.runs.store import RunStore
from tradewind.runs.sweep import run_all


class Recorder(Silent):
    """Remembers how every run ended."""

    def __init__(self) -> None:
        self.ended: list[tuple[Member, bool]] = []
        self.progress = 0

    def advanced(self, member: Member, done_ranks: int, work_done: int, simulated_ps: int) -> None:
        self.progress += 1

    def finished(self, member: Member, outcome: Run | Failure, *, resumed: bool) -> None:
        self.ended.append((member, resumed))


def test_simulate_gives_a_run_with_all_that_the_interface_promises(small: dict[str, Any]) -> None:
    run = tw.simulate(small, threads=2)
    assert isinstance(run, tw.Run)
    assert run.time_s > 0
    assert run.ranks == 8
    assert run.counts["messages"] > 0
    assert run.counts["bytes"] == run.to_dict()["bytes"] > 0
    assert run.delay.count == run.delay.histogram.counts.sum()
    assert 0 <= run.links.mean <= run.links.max <= 1
    assert {"injection", "ejection"} <= {entry.name for entry in run.links.classes}
    assert len(run.hash) == 16
    assert run.matrix is not None and run.matrix.bytes.sum() == run.counts["bytes"]
    assert run.timeline is not None and len(run.timeline["source"]) == run.counts["messages"]
    assert run.phases


def test_threads_do_not_change_the_result(small: dict[str, Any]) -> None:
    one, two = tw.simulate(small, threads=1), tw.simulate(small, threads=2)
    assert isinstance(one, tw.Run) and isinstance(two, tw.Run)
    assert one.hash == two.hash
    assert one.time_s == two.time_s


def test_a_keyword_that_is_unknown_is_refused(small: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match='did you mean "threads"'):
        tw.simulate(small, thread=2)


def test_a_sweep_gives_a_dataset_with_one_dimension_per_key(sweep_file: Path) -> None:
    table = tw.sweep(sweep_file)
    assert dict(table["time_s"].sizes) == {"ranks": 3, "algorithm": 2}
    assert list(table["ranks"].values) == [2, 4, 8]
    assert (table["time_s"] > 0).all()
    assert table["time_s"].attrs["units"] == "s"
    assert table.attrs["failed"] == []


def test_simulate_of_a_sweep_gives_all_its_runs(sweep_file: Path) -> None:
    runs = tw.simulate(sweep_file)
    assert isinstance(runs, RunSet)
    assert len(runs) == 6
    assert runs.time_s.shape == (6,)
    assert runs.delay.count == sum(run.delay.count for run in runs)
    assert runs.delay.median_s <= runs.delay.p99_s <= runs.delay.max_s


def test_finished_runs_are_kept_and_the_others_made(tmp_path: Path, sweep_file: Path) -> None:
    experiment = Experiment.load(sweep_file)
    first = run_all(experiment, tmp_path / "out")
    lost = experiment.members()[2]
    (tmp_path / "out" / "runs" / f"{lost.key}.json").unlink()
    recorder = Recorder()
    second = run_all(experiment, tmp_path / "out", recorder)
    assert [member.key for member, resumed in recorder.ended if not resumed] == [lost.key]
    assert len(recorder.ended) == 6
    np.testing.assert_array_equal(first.time_s, second.time_s)
    assert [run.hash for run in first] == [run.hash for run in second]


@pytest.mark.parametrize("algorithm", ["burst", "ring_k"])
def test_the_memory_that_a_run_needs_is_foretold(tmp_path: Path, algorithm: str) -> None:
    """Simulates 4000 ranks with some 60 messages each to send at once, or four."""
    program = {
        "name": "transposition",
        "ranks": 4000,
        "grid": [1440, 720, 64],
        "alltoallv": {"algorithm": algorithm},
    }
    experiment = Experiment.load({"machine": {"name": "fattree-l"}, "program": program})
    (expected,) = check_runs(experiment.members(), experiment.source)
    (run,) = run_all(experiment, tmp_path / "out")
    assert 0.7 < expected.memory_bytes / run.peak_rss_bytes < 1.6


@pytest.mark.parametrize("network", ["packet", "packet_unbounded", "analytic"])
def test_messages_and_packets_are_predicted_for_every_network(
    small: dict[str, Any], network: str
) -> None:
    small["program"] = {"name": "alltoallv", "bytes": "128 KiB", "ranks": 32}
    small["simulation"] = {"network": network}
    experiment = Experiment.load(small)
    (expected,) = check_runs(experiment.members(), experiment.source)
    (run,) = run_all(experiment, None)
    handled = run.counts["packets"] or run.counts["messages"]
    assert 0.5 < expected.packets / handled < 2


def test_a_fresh_sweep_makes_every_run_again(tmp_path: Path, sweep_file: Path) -> None:
    experiment = Experiment.load(sweep_file)
    run_all(experiment, tmp_path / "out")
    recorder = Recorder()
    run_all(experiment, tmp_path / "out", recorder, fresh=True)
    assert not any(resumed for _, resumed in recorder.ended)


def test_a_run_that_dies_is_recorded_and_the_others_finish(
    tmp_path: Path, sweep_file: Path
) -> None:
    experiment = Experiment.load(sweep_file)
    members = experiment.members()
    victim = members[1]

    class Killer(Silent):
        def started(self, member: Member, prediction: Prediction) -> None:
            for run in list(execution._running.values()):
                if run.member is victim:
                    os.kill(run.process.pid, signal.SIGKILL)

    store = RunStore(tmp_path / "runs")
    predictions = check_runs(members, experiment.source)
    execution = LocalExecution(members, predictions, store, Killer())
    outcomes = execution.run()
    (failure,) = [outcome for outcome in outcomes if isinstance(outcome, Failure)]
    assert failure.member is victim
    assert "ended by SIGKILL" in failure.message
    assert sum(isinstance(outcome, Run) for outcome in outcomes) == 5
    assert "SIGKILL" in (tmp_path / "runs" / f"{victim.key}.json").read_text(encoding="utf-8")


def test_outcomes_come_in_the_order_of_the_members(sweep_file: Path) -> None:
    experiment = Experiment.load(sweep_file)
    runs = run_all(experiment, None)
    assert [run.parameters for run in runs] == [
        member.parameters for member in experiment.members()
    ]


def test_a_run_of_many_messages_reports_its_progress(small: dict[str, Any]) -> None:
    small["program"] = {"name": "alltoallv", "bytes": "128 KiB", "ranks": 32}
    small["simulation"] = {"packet_size": "256 B"}
    recorder = Recorder()
    run_all(Experiment.load(small), None, recorder)
    assert recorder.progress > 0
