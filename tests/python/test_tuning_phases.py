"""The best algorithms of the phases of a program, and the time that a tuning is expected to take."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, needs_mpi

import tradewind as tw
from tradewind import core, mpi
from tradewind.config import parts
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.tuning import Candidate, MeasuredTrials, SimulatedTrials, Tuner, Tuning
from tradewind.tuning.expectation import Rehearsal, analytic, rehearse, simulated_cost
from tradewind.tuning.trials import Use, uses_of

MACHINE: dict[str, Any] = {"name": "torus-m", "node": {"model": "AMM2", "ranks_per_node": 4}}
HALO = {"kind": "halo", "grid": [48, 24, 8], "width": 2}
TRANSPOSITION = {"kind": "transposition", "grid": [48, 24, 8]}
ROWS = {"kind": "allreduce", "over": "rows", "bytes": "1 kB", "name": "row sums"}
ALL = {"kind": "allreduce", "bytes": "1 kB", "name": "sums"}


def _program(*phases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"name": "phases", "ranks": 24, "processes": [6, 4], "phase": list(phases), **more}


def _experiment(program: dict[str, Any], **simulation: Any) -> Experiment:
    return Experiment.load({"machine": MACHINE, "program": program, "simulation": simulation})


def _tuned(program: dict[str, Any], path: Path, **simulation: Any) -> Tuning:
    return Tuner(_experiment(program, **simulation), SimulatedTrials(60), path).run()


def _uses(*phases: dict[str, Any], **more: Any) -> list[Use]:
    return uses_of(_experiment(_program(*phases, **more)).members()[0])


def _time_s(program: dict[str, Any]) -> float:
    run = tw.simulate(_experiment(program))
    assert isinstance(run, tw.Run)
    return run.time_s


def test_each_operation_of_the_phases_is_tuned_and_a_run_with_the_tuning_gains_as_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "tuning.json"
    program = _program(HALO, TRANSPOSITION, ROWS, ALL)
    entries = _tuned(program, path).entries
    assert [(one.operation, one.ranks, one.phases) for one in entries] == [
        ("neighbor", 24, ("halo",)),
        ("alltoallv", 6, ("transposition",)),
        ("alltoallv", 4, ("transposition",)),
        ("allreduce", 6, ("row sums",)),
        ("allreduce", 24, ("sums",)),
    ]
    sums = entries[-2:]
    assert all(one.ratio_high is not None and one.ratio_high < 0.9 for one in sums)
    assert all(one.ratio is not None and one.ratio <= 1 for one in entries)
    # One phase alone has no neighbour with which it overlaps: the gain is exact.
    for phase, entry in zip((ROWS, ALL), sums, strict=True):
        tuned = _time_s(_program(phase, tuning=str(path)))
        assert tuned == pytest.approx(entry.time_s, rel=1e-9)
        assert _time_s(_program(phase)) == entry.default_time_s
    assert _time_s(_program(HALO, TRANSPOSITION, ROWS, ALL, tuning=str(path))) < _time_s(program)


def test_a_phase_alone_is_tuned_like_its_program(tmp_path: Path) -> None:
    alone = {"name": "allreduce", "bytes": "1 kB", "ranks": 24}
    (one,) = _tuned(alone, tmp_path / "one.json").entries
    (phase,) = _tuned(_program(ALL), tmp_path / "phase.json").entries
    assert (phase.label, phase.time_s) == (one.label, one.time_s)
    assert (phase.default_time_s, phase.candidates) == (one.default_time_s, one.candidates)


def test_phases_with_the_same_operation_are_tried_together_as_a_tuning_has_one_choice() -> None:
    rows, columns = dict(ROWS), ROWS | {"over": "columns", "name": "column sums", "repeat": 3}
    (use,) = _uses(rows, columns, processes=[2, 2], ranks=4)
    assert (use.phases, use.phase_names, use.count) == ((0, 1), ("row sums", "column sums"), 4)
    program = use.spec(Candidate("ring")).program
    assert [program[f"phase[{i}].over"] for i in (0, 1)] == ["rows", "columns"]
    assert [program[f"phase[{i}].algorithm"] for i in (0, 1)] == ["ring", "ring"]


def test_a_trial_runs_its_phase_once_with_its_group_and_grid() -> None:
    uses = _uses({"kind": "compute", "time": "1 s"}, TRANSPOSITION, repeat=100)
    trials = SimulatedTrials(60)
    for use, stage in zip(uses, ("xz", "xy"), strict=True):
        program = use.spec(Candidate("ring_k", radix=2)).program
        assert (program["phase[0].stage"], program["phase[0].radix"]) == (stage, 2)
        assert program["phase[0].processes"] == [6, 4]
        seconds = trials.seconds(use, Candidate("ring_k", radix=2), float("inf"))
        assert seconds is not None and 0 < seconds < 0.1


def test_time_steps_whose_program_has_no_single_stages_are_tuned_as_a_whole(
    tmp_path: Path,
) -> None:
    program = {"name": "spectral_step", "grid": [48, 24, 8], "spacing_m": 20000, "ranks": 24}
    found = _tuned(program, tmp_path / "tuning.json").entries
    assert {entry.operation for entry in found} == {"alltoallv"}
    assert len({entry.default_time_s for entry in found}) == 1


def test_a_phase_keeps_the_algorithm_that_it_names(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    _tuned(_program(ALL), path)
    program = (
        _experiment(
            _program(ALL, ALL | {"name": "own", "allreduce": "ring"}, HALO, tuning=str(path))
        )
        .members()[0]
        .spec.program
    )
    assert [program[f"phase[{i}].algorithm"] for i in range(3)] == ["tuned", "ring", "burst"]


def test_a_tuning_of_phases_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"program\.tuning = \"none\.json\".*No such file"):
        _experiment(_program(ALL, tuning="none.json")).members()
    with pytest.raises(ConfigError, match=r"program\.tuning = 3"):
        _experiment(_program(ALL, tuning=3)).members()
    wrong = tmp_path / "wrong.json"
    _tuned(_program(ALL), wrong)
    content = json.loads(wrong.read_text())
    content["entries"][0]["phases"] = [1]
    wrong.write_text(json.dumps(content))
    with pytest.raises(ConfigError, match="damaged"):
        _experiment(_program(ALL, tuning=str(wrong))).members()


def test_a_phase_on_ranks_that_were_not_tuned_is_told(tmp_path: Path) -> None:
    path = tmp_path / "tuning.json"
    _tuned(_program(ALL), path)
    spec = _experiment(_program(ROWS, tuning=str(path))).members()[0].spec
    (remark,) = core.load().tuning_remarks(spec.tables())
    assert remark.startswith("allreduce on 6 ranks was not tuned")
    assert remark.endswith("is taken from 24 ranks")


def test_phases_are_named_in_one_place() -> None:
    sums = {"kind": "allreduce", "bytes": "8 B"}
    program = _program(sums, sums | {"name": "allreduce 2"}, sums, HALO)
    spec = _experiment(program).members()[0].spec
    names = [part.name for part in parts.phases(spec.program)]
    assert names == ["allreduce", "allreduce 2", "allreduce 3", "halo"]
    run = tw.simulate(_experiment(program))
    assert isinstance(run, tw.Run)
    assert [phase.name for phase in run.phases] == names


def test_the_process_grid_that_a_halo_chooses_is_that_of_the_program(
    cli: Cli, tmp_path: Path
) -> None:
    wide = HALO | {"grid": [960, 24, 8], "name": "wide"}
    program = {"name": "phases", "ranks": 24, "phase": [ALL, wide, HALO]}
    run = tw.simulate(_experiment(program))
    assert isinstance(run, tw.Run)
    assert run.processes == (24, 1)
    assert run.process_grids == {"": (24, 1)}
    grids = [phase.get("processes") for phase in run.to_dict()["phases"]]
    assert grids == [None, [24, 1], [24, 1]]
    given = tw.simulate(_experiment({**program, "phase": [ALL, wide | {"processes": [12, 2]}]}))
    assert isinstance(given, tw.Run) and given.processes is not None
    assert given.process_grids == {"": given.processes, "wide": (12, 2)}
    sums = tw.simulate(_experiment({**program, "phase": [ALL]}))
    assert isinstance(sums, tw.Run) and sums.process_grids == {}
    (tmp_path / "wide.toml").write_text(
        '[machine]\nname = "torus-m"\n[program]\nname = "phases"\nranks = 24\n'
        '[[program.phase]]\nkind = "halo"\ngrid = [960, 24, 8]\nwidth = 2\n'
    )
    assert "24 x 1" in cli("simulate", "wide.toml").stdout


def test_a_grid_that_does_not_suit_all_phases_is_not_chosen_for_them() -> None:
    wide = HALO | {"grid": [960, 24, 8]}
    stages = {"kind": "transposition", "grid": [20, 24, 8]}
    program = {"name": "phases", "ranks": 24, "phase": [wide, stages]}
    run = tw.simulate(_experiment(program))
    assert isinstance(run, tw.Run)
    assert run.processes == (4, 6)
    grids = [phase.get("processes") for phase in run.to_dict()["phases"]]
    assert grids == [[24, 1], [4, 6]]
    assert run.process_grids == {"": (4, 6), "halo": (24, 1)}


def test_tiles_are_those_of_the_halo_phases() -> None:
    halo = HALO | {"grid": [960, 48, 8]}
    phases = {"name": "phases", "ranks": 96, "phase": [halo]}
    given = {**halo, "name": "halo", "ranks": 96}
    del given["kind"]
    machine = {"name": "torus-m", "node": {"ranks_per_node": 8}}
    times = [
        tw.simulate({"machine": machine, "program": one, "placement": {"rule": "tiles"}}).time_s
        for one in (phases, given)
    ]
    assert times[0] == times[1] > 0


def test_a_rehearsal_tries_as_many_candidates_as_the_search(tmp_path: Path) -> None:
    tuner = Tuner(_experiment(_program(ROWS, ALL)), SimulatedTrials(60), tmp_path / "t.json")
    uses = tuner.uses()
    expected = rehearse(uses, lambda *one: simulated_cost(*one, 60), lambda use, one: None)
    tried = len(tuner.run().tried)
    assert 0.7 * tried <= expected.trials <= 1.4 * tried
    assert 0 < expected.seconds < 60


def test_a_long_tuning_says_so_and_what_would_shorten_it() -> None:
    use = _uses(ALL)[0]
    hours = rehearse([use], lambda use, one: 600.0, lambda use, one: None)
    words, advice = hours.remarks(["less"], 600)
    assert words == f"about {hours.trials} trials, expected to take about {hours.trials / 6:.0f} h"
    assert advice.startswith("what would shorten it: less; a lower --limit for each trial")
    assert Rehearsal(20, 20.0).remarks([], 60) == [
        "about 20 trials, expected to take less than a minute"
    ]
    (changed,) = analytic([use])
    assert changed.member.spec.simulation.network == "analytic"
    assert analytic([changed]) == []


def test_the_expected_time_is_told_before_the_first_trial(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "sums.toml").write_text(
        '[machine]\nname = "torus-m"\n[program]\nname = "phases"\nranks = 24\n'
        '[[program.phase]]\nkind = "allreduce"\nbytes = "8 B"\n'
    )
    done = cli("tune", "sums.toml", "-o", "tuning.json")
    lines = done.stderr.splitlines()
    assert lines[0].startswith("about ") and "expected to take less than a minute" in lines[0]
    assert "phases that name no algorithm take it with --set program.tuning=tuning.json" in lines
    again = cli("tune", "sums.toml", "-o", "tuning.json")
    assert "expected" not in again.stderr
    cli("simulate", "sums.toml", "--set", "program.tuning=tuning.json")


@needs_mpi
def test_phases_are_tuned_by_measurement_and_take_the_tuning_on_mpi(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli
) -> None:
    phases = [ROWS | {"bytes": "64 B"}, HALO]
    program = _program(*phases, ranks=2, processes=[2, 1])
    uses = uses_of(_experiment(program).members()[0])
    trials = MeasuredTrials(60, 3)
    for use, name in zip(uses, ("ring", "pairwise"), strict=True):
        seconds = trials.seconds(use, Candidate(name), float("inf"))
        assert seconds is not None and 0 < seconds < 1
        assert trials.seconds(use, Candidate("magic"), float("inf")) is None
    assert trials.native_seconds(uses[0]) is not None
    path = tmp_path / "tuning.json"
    _tuned(program, path)
    words = ["run", "phases", "phase[0].kind=allreduce", "phase[0].bytes=64"]
    told = mpi.run([*words, f"tuning={path}"], 2)
    assert told["time_s"] > 0 and told["remarks"] == []
    monkeypatch.setenv("TRADEWIND_TUNING", str(path))
    assert mpi.run(words, 2)["remarks"] == []
    (remark,) = mpi.run(words, 1)["remarks"]
    assert remark.startswith("allreduce on 1 ranks was not tuned")
    grid = ["phase[1].kind=halo", "phase[1].grid=[960,24,8]", "phase[1].width=2"]
    halo = json.loads(
        cli("mpi", "-n", "2", "run", *words[1:-1], "phase[0].bytes=64 B", *grid, "--json").stdout
    )
    assert halo["phases"] == [{"name": "allreduce"}, {"name": "halo", "processes": [2, 1]}]
