"""Comparisons in turns: their order, their intervals, and candidates that are the same program."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from test_bench import needs_mpi
from test_tuning import _experiment, _tune

from tradewind.cli import main
from tradewind.cli.tune_command import _gain
from tradewind.tuning import Candidate, MeasuredTrials, Search, Tuner
from tradewind.tuning.contest import exact_ratio, in_turns, ratio_of
from tradewind.tuning.search import default_candidate
from tradewind.tuning.trials import Use, uses_of


def test_two_programs_are_measured_in_the_order_a_b_b_a() -> None:
    calls: list[str] = []

    def one() -> float:
        calls.append("A")
        return 2.0

    def other() -> float:
        calls.append("B")
        return 4.0

    assert in_turns(one, other, 4) == [(2.0, 4.0)] * 4
    assert "".join(calls) == "ABBAABBA"
    assert len(in_turns(one, other, 6, [(1.0, 1.0)] * 4)) == 6 and len(calls) == 12
    assert in_turns(lambda: None, other, 4) == []


def _pairs(logs: Any) -> list[tuple[float, float]]:
    return [(math.exp(value), 1.0) for value in logs]


def test_the_interval_is_that_of_wilcoxon() -> None:
    # All 21 averages of six differences are inside; 8 of 55 are outside on each side for ten.
    six = ratio_of(_pairs([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]))
    assert (six.low, six.high) == pytest.approx((math.exp(0.1), math.exp(0.6)))
    logs = [0.03, 0.11, 0.19, 0.02, 0.4, 0.31, 0.07, 0.23, 0.05, 0.29]
    averages = sorted((a + b) / 2 for a, b in itertools.combinations_with_replacement(logs, 2))
    ten = ratio_of(_pairs(logs))
    assert math.log(ten.low) == pytest.approx(averages[8])
    assert math.log(ten.high) == pytest.approx(averages[-9])
    assert math.log(ten.value) == pytest.approx(averages[27])
    assert ten.pairs == 10 and ten.differs
    with pytest.raises(ValueError, match="5 values are fewer than 6"):
        ratio_of(_pairs([0.1] * 5))


def test_the_interval_holds_the_truth_as_often_as_it_says() -> None:
    random = np.random.default_rng(1)
    for truth in (0.0, 0.2):
        # Heavy tails, as on a machine with other work.
        samples = truth + 0.1 * random.standard_t(2, size=(1000, 12))
        found = [ratio_of(_pairs(sample)) for sample in samples]
        held = np.mean([one.low <= math.exp(truth) <= one.high for one in found])
        assert 0.93 < held < 0.98


def test_candidates_that_are_the_same_program_are_tried_once() -> None:
    tried: list[Candidate] = []

    def trial(candidate: Candidate, bound_s: float) -> float:
        tried.append(candidate)
        return 1.0 + len(tried)

    search = Search("alltoallv", 4, trial, lambda candidate: candidate.algorithm[:4])
    search.run()
    assert len({one.algorithm[:4] for one in tried}) == len(tried) == search.programs
    assert len(search.times) > 2 * len(tried)
    ring = [one for one in search.times if one.algorithm.startswith("ring")]
    assert len({search.times[one] for one in ring}) == 1
    assert search.same(ring[0], ring[-1]) and not search.same(ring[0], Candidate("burst"))


def _use(name: str, ranks: int, size: str = "64 B") -> Use:
    (use,) = uses_of(_experiment({"name": name, "bytes": size, "ranks": ranks}).members()[0])
    return use


def test_programs_with_the_same_messages_have_one_key() -> None:
    trials = MeasuredTrials(60, 3)

    def key(name: str, ranks: int, candidate: Candidate) -> str | None:
        return trials.program_key(_use(name, ranks), candidate)

    two = {key("alltoallv", 2, Candidate(name)) for name in ("ring", "burst", "pairwise")}
    assert len(two) == 1 and None not in two
    assert key("alltoallv", 2, Candidate("bruck")) not in two
    four = {key("alltoallv", 4, Candidate(name)) for name in ("ring", "burst", "pairwise")}
    assert len(four) == 3
    # A ready or synchronous send is another message, and a put is another call.
    kinds = [
        Candidate("ring_k", radix=4),
        Candidate("ring_k", radix=4, protocol="(0,4)"),
        Candidate("ring_k", radix=4, protocol="(1,0)"),
        Candidate("ring_k", radix=4, transport="puts"),
    ]
    assert len({key("alltoallv", 4, kind) for kind in kinds}) == 4
    assert key("alltoallv", 4, Candidate("ring_k", radix=16)) == key(
        "alltoallv", 4, Candidate("ring_k", radix=4)
    )
    assert key("allreduce", 4, Candidate("native")) is None
    assert key("alltoallv", 500, Candidate("ring")) is None


def _measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: Any, native: float | None = None
) -> Any:
    """Tunes an alltoallv on four ranks with invented measurements."""
    monkeypatch.setattr(MeasuredTrials, "seconds", lambda self, use, one, bound: seconds(one))
    monkeypatch.setattr(MeasuredTrials, "native_seconds", lambda self, use: native)
    notes: list[str] = []
    tuner = Tuner(
        _experiment({"name": "alltoallv", "bytes": "64 B", "ranks": 4}),
        MeasuredTrials(60, 3),
        tmp_path / "tuning.json",
        notes.append,
    )
    (entry,) = tuner.run().entries
    return entry, notes


def test_noise_is_no_difference_and_the_default_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(7)
    entry, notes = _measured(
        tmp_path, monkeypatch, lambda one: float(random.lognormal(-11, 0.5)), native=2e-5
    )
    default = default_candidate("alltoallv")
    assert entry.verdict == "no difference" and entry.pairs == 12
    assert entry.fastest != default.label and entry.algorithm == default.algorithm
    assert entry.time_s == entry.default_time_s
    assert entry.ratio_low <= 1 <= entry.ratio_high
    assert entry.programs < entry.candidates
    assert any("different programs; no difference: " in line for line in notes)
    assert _gain(entry.ratio, entry.ratio_low, entry.ratio_high) == "no difference"
    saved = json.loads((tmp_path / "tuning.json").read_text())["entries"][0]
    assert saved["verdict"] == "no difference" and saved["gain_to_default"] == 0
    assert saved["native_ratio_low"] <= saved["native_ratio"] <= saved["native_ratio_high"]


def test_a_real_gain_has_an_interval_and_is_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    random = np.random.default_rng(7)

    def seconds(one: Candidate) -> float:
        usual = 8e-6 if one.algorithm == "pairwise" else 1e-5
        return usual * float(random.lognormal(0, 0.02))

    entry, _ = _measured(tmp_path, monkeypatch, seconds)
    assert entry.verdict == "faster" and entry.algorithm == "pairwise"
    assert 0.77 < entry.ratio_low < 0.8 < entry.ratio_high < 0.83
    assert entry.time_s == pytest.approx(entry.ratio * entry.default_time_s)
    assert _gain(0.8, 0.78, 0.825) == "20% (18% to 22%)"


def test_where_all_candidates_are_one_program_nothing_is_measured_in_turns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(MeasuredTrials, "program_key", lambda self, use, one: "the same")
    measured: list[Candidate] = []

    def seconds(one: Candidate) -> float:
        measured.append(one)
        return 1e-5

    entry, notes = _measured(tmp_path, monkeypatch, seconds)
    assert len(measured) == 1 and entry.programs == 1 and entry.pairs == 0
    assert entry.verdict == "no difference" and entry.ratio == 1
    assert any(f"all {entry.candidates} candidates are the same program" in one for one in notes)


def test_simulated_times_have_no_noise(tmp_path: Path) -> None:
    (entry,) = _tune({"name": "allreduce", "bytes": "8 B", "ranks": 8}, tmp_path / "a.json").entries
    assert entry.ratio == entry.ratio_low == entry.ratio_high and entry.pairs == 0
    assert entry.ratio == pytest.approx(entry.time_s / entry.default_time_s)
    assert entry.verdict == ("faster" if entry.time_s < entry.default_time_s else "no difference")
    assert exact_ratio(3.0, 4.0).value == 0.75


@needs_mpi
def test_the_command_tells_intervals_of_real_measurements(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment = tmp_path / "small.toml"
    experiment.write_text(
        '[machine]\nname = "laptop"\n[program]\nname = "alltoallv"\nbytes = "64 B"\nranks = 2\n'
    )
    output = str(tmp_path / "tuning.json")
    words = ["tune", str(experiment), "-o", output, "-n", "2", "--repetitions", "3"]
    assert main([*words, "--pairs", "6", "--json"]) == 0
    (entry,) = json.loads(capsys.readouterr().out)["entries"]
    assert entry["verdict"] in ("faster", "no difference")
    assert entry["programs"] < entry["candidates"]
    low, high = entry["ratio_interval"]
    assert low <= entry["ratio"] <= high
    assert (entry["verdict"] == "faster") == (high < 1)
    low, high = entry["native_ratio_interval"]
    assert low <= entry["native_ratio"] <= high
    assert main([*words, "--pairs", "5"]) == 2
