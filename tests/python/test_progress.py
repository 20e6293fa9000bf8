from __future__ import annotations

import io
import re
from pathlib import Path

import pytest
from rich.console import Console

from tradewind.config.experiment import Experiment, Member
from tradewind.runs.limits import Prediction, check_runs
from tradewind.runs.progress import ProgressDisplay


@pytest.fixture
def runs(sweep_file: Path) -> list[tuple[Member, Prediction]]:
    experiment = Experiment.load(sweep_file)
    members = experiment.members()
    return list(zip(members, check_runs(members, experiment.source), strict=True))


def display(
    runs: list[tuple[Member, Prediction]], interval_s: float, *, terminal: bool
) -> tuple[ProgressDisplay, io.StringIO]:
    text = io.StringIO()
    console = Console(file=text, width=60, force_terminal=terminal)
    expected = {member.position: prediction for member, prediction in runs}
    return ProgressDisplay(console, expected, interval_s), text


def half_of_the_first(shown: ProgressDisplay, runs: list[tuple[Member, Prediction]]) -> None:
    member, prediction = runs[0]
    with shown:
        shown.started(member, prediction)
        shown.advanced(member, prediction.ranks // 2, 1, 1000)


def test_a_log_tells_now_and_then_how_far_everything_is(
    runs: list[tuple[Member, Prediction]],
) -> None:
    shown, text = display(runs, 0.0, terminal=False)
    half_of_the_first(shown, runs)
    (line,) = text.getvalue().splitlines()
    assert re.fullmatch(
        r"so far: 0 done, 1 running, 5 left, .* packet-hops/s; \d+ % in 0:00:0\d", line
    )


def test_runs_without_packets_come_further_by_messages(sweep_file: Path) -> None:
    sweep = Experiment.load(sweep_file, {"simulation.network": "analytic"})
    members = sweep.members()
    runs = list(zip(members, check_runs(members, sweep.source), strict=True))
    shown, text = display(runs, 0.0, terminal=False)
    member, prediction = runs[0]
    with shown:
        shown.started(member, prediction)
        shown.advanced(member, 0, prediction.messages // 2, 1000)
    (line,) = text.getvalue().splitlines()
    share = re.search(r"left, \S+( \S+)? messages/s; (\d+) % in", line)
    assert share is not None
    assert 0 < int(share[2]) < 50


def test_a_log_is_not_flooded(runs: list[tuple[Member, Prediction]]) -> None:
    shown, text = display(runs, 60.0, terminal=False)
    half_of_the_first(shown, runs)
    assert text.getvalue() == ""


def test_a_terminal_has_bars_instead(runs: list[tuple[Member, Prediction]]) -> None:
    shown, text = display(runs, 0.0, terminal=True)
    half_of_the_first(shown, runs)
    assert "so far" not in text.getvalue()
    assert "1 running" in text.getvalue()
