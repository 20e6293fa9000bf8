"""jamroz2016: the printed tables, the calibration on one column, and the modes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tradewind.config.experiment import Experiment
from tradewind.core import load
from tradewind.runs.sweep import simulate
from tradewind.studies import load_study
from tradewind.studies.catalogue import evaluator
from tradewind.studies.evaluation import Context
from tradewind.studies.jamroz2016 import tables
from tradewind.studies.jamroz2016.printed import DG, PROCESSES, RESOLUTIONS, SE, run_times

pytest.importorskip("xarray")


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
    (member,) = Experiment.load(tables._tables(method, 60, mode, 338, flops)).members()
    time = load().simulate(member.spec.tables(), lambda *progress: True)["time_s"]
    printed = run_times(method.table)[60, 338, mode]
    assert float(time) / tables.STEPS * method.steps[60] == pytest.approx(printed, rel=0.01)


def test_a_table_compares_predictions_with_print_and_with_perfect_scaling(tmp_path: Path) -> None:
    study = load_study("jamroz2016")
    part = study.parts["table1"]
    experiments = {
        name: Experiment.load(one.raw | {"sweep": {"program.ranks": [338, 675]}})
        for name, one in evaluator("jamroz2016.table1").experiments(part, study, False).items()
        if name.startswith("ne60")
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
