"""jamroz2016: the printed tables, the calibration on one column, and the modes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tradewind import mpi
from tradewind.config.experiment import Experiment
from tradewind.core import load
from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.runs.sweep import simulate
from tradewind.studies import load_study
from tradewind.studies.catalogue import evaluator
from tradewind.studies.definition import Part, Study
from tradewind.studies.evaluation import Context, NotTestableError
from tradewind.studies.jamroz2016 import modes, overlap, tables, why
from tradewind.studies.jamroz2016.printed import DG, PROCESSES, RESOLUTIONS, SE, run_times

pytest.importorskip("xarray")


def _has_two_processes() -> bool:
    try:
        mpi.find()
    except ConfigError:
        return False
    return usable_cores() >= 2


needs_two_cores = pytest.mark.skipif(
    not _has_two_processes(), reason="needs MPI and a core for each of two processes"
)


@pytest.mark.parametrize("method", [SE, DG])
def test_every_cell_of_the_tables_is_there(method: tables.Method) -> None:
    cells = run_times(method.table)
    assert len(cells) == len(RESOLUTIONS) * len(PROCESSES) * len(method.modes)
    for ne in RESOLUTIONS:
        for mode in method.modes:
            times = [cells[ne, processes, mode] for processes in PROCESSES]
            assert times == sorted(times, reverse=True)


@pytest.mark.parametrize(("method", "mode"), [(SE, "synchronous"), (DG, "overlapping")])
def test_the_calibrated_column_has_the_printed_time(method: tables.Method, mode: str) -> None:
    flops = tables.calibrated_flops(method.table, 60, mode)
    (member,) = Experiment.load(tables.run_tables(method, 60, mode, 338, flops)).members()
    time = load().simulate(member.spec.tables(), lambda *progress: True)["time_s"]
    printed = run_times(method.table)[60, 338, mode]
    assert float(time) / tables.STEPS * method.steps[60] == pytest.approx(printed, rel=0.01)


def test_a_table_compares_predictions_with_print_and_with_perfect_scaling(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = load_study("jamroz2016")
    part = study.parts["table1"]
    with monkeypatch.context() as patch:
        # Only these are run, so that others need not be calibrated.
        patch.setattr(tables, "RESOLUTIONS", (60,))
        made = evaluator("jamroz2016.table1").experiments(part, study, False)
    assert all(name.startswith("ne60") for name in made)
    experiments = {
        name: Experiment.load(one.raw | {"sweep": {"program.ranks": [338, 675]}})
        for name, one in made.items()
    }
    runs = {name: simulate(one) for name, one in experiments.items()}
    context = Context(study, False, experiments, runs, print, {}, tmp_path)
    found = evaluator("jamroz2016.table1").evaluate(part, context)
    data = found.data
    assert abs(float(data.error.sel(ne=60, processes=675, mode="synchronous"))) < 0.1
    assert np.isnan(float(data.error.sel(ne=60, processes=338, mode="synchronous")))
    assert np.isnan(float(data.predicted_s.sel(ne=60, processes=1350, mode="synchronous")))
    scaled = float(data.scaled_s.sel(ne=60, processes=675, mode="synchronous"))
    assert scaled == pytest.approx(204.64 * 338 / 675)
    assert float(data.gain_predicted.sel(ne=60, processes=675, mode="asynchronous")) > 0
    assert len(found.tables["table1"].rows) == len(RESOLUTIONS) * len(PROCESSES)


def _context(study: Study, folder: Path) -> Context:
    return Context(study, False, {}, {}, lambda text: None, {}, folder)


def _part(name: str, **settings: object) -> tuple[Study, Part]:
    study = load_study("jamroz2016")
    part = study.parts[name]
    return study, replace(part, settings={**part.settings, **settings})


@needs_two_cores
def test_overlap_here_stands_beside_the_simulated_machine(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    study, part = _part("overlap_here", reduced_sizes=["8 B", "8 KiB"], reduced_repetitions=5)
    part = replace(part, settings={**part.settings, "reduced_rounds": 1})
    found = evaluator("jamroz2016.overlap_here").evaluate(part, _context(study, tmp_path))
    here = found.data.sel(machine="here", bytes=[8, 8192])
    assert bool((here.base_s > 0).all()) and bool((here.work_s > 0).all())
    assert bool(np.isnan(found.data.base_s.sel(bytes=2 << 20)).all())
    # jamroz2016, figure 1. Yellowstone's overheads are 500 ns; the rest of a message is hidden.
    yellowstone = found.data.sel(machine="yellowstone", bytes=8192)
    assert yellowstone.overhead_s.values == pytest.approx(500e-9, rel=0.01)
    sent = yellowstone.base_s.sel(side="send")
    # An eager send is over at once. One by rendezvous waits for its answer, two latencies of
    # interfaces at least, and until its data have left.
    assert float(sent.sel(protocol="eager")) == pytest.approx(500e-9, rel=0.01)
    assert float(sent.sel(protocol="rendezvous")) > 500e-9 + 2 * 600e-9 + 8192 / 6.8e9
    assert len(found.tables["overlap_here"].rows) == 2 * 2 * 2 * 2


@needs_two_cores
def test_a_sandwich_compares_the_modes_with_the_synchronous_one(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    study, part = _part("modes_here", reduced_ne=2, reduced_se_steps=3, reduced_dg_steps=3)
    part = replace(part, settings={**part.settings, "reduced_sandwiches": 1})
    found = evaluator("jamroz2016.modes_here").evaluate(part, _context(study, tmp_path))
    first = found.data.sel(processes=2, sandwich=1)
    assert bool((first.step_s > 0).all())
    for method in ("se", "dg"):
        assert float(first.gain.sel(way=f"{method} synchronous")) == 0.0
    times = {
        way: float(first.step_s.sel(way=f"dg {way}")) for way in ("synchronous", "overlapping")
    }
    gain = float(first.gain.sel(way="dg overlapping"))
    assert gain == pytest.approx(times["synchronous"] / times["overlapping"] - 1)
    assert bool(np.isnan(found.data.step_s.sel(processes=4)).all())
    table = found.tables["modes_here"]
    assert len(table.rows) == len(SE.modes) + len(DG.modes) and "sandwiches: 1" in table.title


def test_a_steady_drift_cancels_in_a_sandwich(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def drifting(settings: dict[str, str], processes: int) -> float:
        calls.append(settings["mode"])
        return 1.0 + 0.1 * len(calls)

    monkeypatch.setattr(modes, "_step_s", drifting)
    times = modes._sandwich({mode: {"mode": mode} for mode in "ABC"}, 2)
    assert calls == list("ABCCBA")
    assert times == pytest.approx(dict.fromkeys("ABC", 1.35))


@pytest.mark.parametrize("name", ["overlap_here", "modes_here"])
def test_what_needs_two_processes_is_not_testable_on_one_core(
    name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for module in (modes, overlap):
        monkeypatch.setattr(module, "usable_cores", lambda: 1)
    study, part = _part(name)
    with pytest.raises(NotTestableError, match="one core"):
        evaluator(f"jamroz2016.{name}").evaluate(part, _context(study, tmp_path))


_FEW_WAYS = ["dg synchronous", "dg computation", "dg computation alone"]


def _ways_part(cases: list[list[int]]) -> Part:
    part = load_study("jamroz2016").parts["ways"]
    machines = {"fugaku": part.settings["machines"]["fugaku"]}
    chosen = {"ways": _FEW_WAYS, "machines": machines, "reduced_cases": cases}
    return replace(part, settings=dict(part.settings) | chosen)


def test_ways_are_compared_by_elements_of_a_rank_with_the_computation_alone(tmp_path: Path) -> None:
    part = _ways_part([[4, 96], [8, 96]])
    study = load_study("jamroz2016")
    experiments = evaluator(part.evaluate).experiments(part, study, False)
    runs = {name: simulate(one) for name, one in experiments.items()}
    context = Context(study, False, experiments, runs, print, {}, tmp_path)
    found = evaluator(part.evaluate).evaluate(part, context)
    assert sorted(found.figures) == ["ways", "ways_ratio"]
    data = found.data.sel(machine="fugaku")
    assert list(data.elements.values) == [1.0, 4.0]
    alone = data.time_s.sel(way="dg computation alone")
    # Four times the elements are four times the computation, and messages come on top.
    assert float(alone[1] / alone[0]) == pytest.approx(4, rel=0.05)
    assert (data.messages.sel(way="dg synchronous") > 0.1).all()
    assert (data.gain.sel(way="dg synchronous") == 0).all()
    expected = data.time_s.sel(way="dg synchronous") / data.time_s.sel(way="dg computation") - 1
    assert np.allclose(data.gain.sel(way="dg computation"), expected)


def test_a_way_has_no_runs_above_its_largest_number_of_ranks() -> None:
    part = _ways_part([[4, 48], [4, 96]])
    limited = replace(part, settings=dict(part.settings) | {"most_ranks": {"dg computation": 50}})
    experiments = evaluator(part.evaluate).experiments(limited, load_study("jamroz2016"), False)
    ranks = {
        name.split("/")[1]: [member.ranks for member in one.members()]
        for name, one in experiments.items()
    }
    assert ranks["dg synchronous"] == [48, 96]
    assert ranks["dg computation"] == [48]


def test_other_choices_change_gains_and_are_calibrated_anew(tmp_path: Path) -> None:
    few = {name: why.CHOICES[name] for name in ("as predicted", "overhead of a message x 5")}
    found = {name: why._times(choice, SE, [2700]) for name, choice in few.items()}
    as_predicted, slower = found.values()
    wanted = run_times(1)[60, 338, "synchronous"]
    # Perfect scaling of the calibrated column is the least that any choice can take.
    assert wanted * 338 / 2700 < as_predicted[2700, "synchronous"] < slower[2700, "synchronous"]
    data = why._dataset({(name, "se"): [times] for name, times in found.items()})
    here = data.gain.isel(seed=0).sel(processes=2700, way="se asynchronous")
    times = as_predicted[2700, "synchronous"] / as_predicted[2700, "asynchronous"]
    assert float(here.sel(choice="as predicted")) == pytest.approx(times - 1)
    assert np.isnan(float(data.gain.sel(choice="as predicted", processes=21600)[0, 0]))
    assert np.isnan(float(data.error.sel(choice="messages 10 us late", processes=2700)[0, 0]))


def test_a_seed_changes_what_is_random() -> None:
    varied = why.CHOICES["computation varies by 10 %"]
    first, second = (why._times(varied, SE, [2700], seed) for seed in (1, 2))
    assert first[2700, "synchronous"] != second[2700, "synchronous"]
    data = why._dataset({("computation varies by 10 %", "se"): [first, second]})
    gains = data.gain.sel(
        choice="computation varies by 10 %", processes=2700, way="se asynchronous"
    )
    assert float(gains[0]) == pytest.approx(
        first[2700, "synchronous"] / first[2700, "asynchronous"] - 1
    )
    assert float(gains[0]) != float(gains[1])


def test_waves_that_an_earlier_run_kept_are_compared(tmp_path: Path) -> None:
    study = load_study("jamroz2016")
    part = study.parts["waves"]
    for method, pressure in (("se", 1000.0), ("dg", 1000.5)):
        case = part.tables("cases")[method]
        kept = tmp_path / f"{method}-ne{case['ne']}-{int(part.number('latitudes'))}.npz"
        field = np.full((2, 108, 216), pressure)
        some = np.array([990.0, 980.0])
        np.savez(
            kept,
            days=np.array([7, 9]),
            lowest_hpa=some,
            highest_hpa=some,
            mean_hpa=some,
            pressure_hpa=field,
        )
    context = Context(study, True, {}, {}, lambda message: None, {}, tmp_path)
    found = evaluator("jamroz2016.waves").evaluate(part, context)
    assert found.data.distance_hpa.values == pytest.approx([0.5, 0.5])
    assert found.data.lowest_hpa.values.tolist() == [[990.0, 980.0], [990.0, 980.0]]


def test_a_section_of_a_machine_that_is_no_table_is_named() -> None:
    study = load_study("jamroz2016")
    part = next(one for one in study.parts.values() if one.evaluate == study.parts["ways"].evaluate)
    machines = {name: {**one, "node": 3} for name, one in part.settings["machines"].items()}
    damaged = replace(part, settings={**part.settings, "machines": machines})
    with pytest.raises(ConfigError, match=r"part .*: settings\.machines\..*\.node = 3: expected"):
        evaluator(part.evaluate).experiments(damaged, study, False)
