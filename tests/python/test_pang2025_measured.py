"""pang2025, figures 6 to 12: the measured runs, their times, and what follows from them."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import wave_meshes

from tradewind import extras, mpi
from tradewind.errors import ConfigError
from tradewind.host import usable_cores
from tradewind.models.case import Case
from tradewind.models.run import plan
from tradewind.models.run_on_mpi import run_on_mpi
from tradewind.mpi import installation
from tradewind.studies import load_study
from tradewind.studies.catalogue import evaluator
from tradewind.studies.evaluation import Context, Evaluation
from tradewind.studies.pang2025 import measured
from tradewind.studies.pang2025.meshes import graph_of, partition_of
from tradewind.studies.pang2025.volumes import received_cells

pytestmark = wave_meshes.needed
pytest.importorskip("xarray")

_CELLS = 600
_STEPS = 3


def _has_mpi(cores: int) -> bool:
    try:
        mpi.find()
    except ConfigError:
        return False
    return usable_cores() >= cores


needs_mpi = pytest.mark.skipif(not _has_mpi(1), reason="needs MPI")
needs_two_cores = pytest.mark.skipif(
    not (_has_mpi(2) and extras.available("pymetis")),
    reason="needs MPI, pymetis and a core for each of two processes",
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> tuple[Evaluation, Path]:
    """The part on two processes, and its folder."""
    pytest.importorskip("matplotlib")
    study = load_study("pang2025")
    part = study.parts["measured_here"]
    settings = {"reduced_cells": _CELLS, "reduced_steps": _STEPS, "reduced_processes": [2]}
    part = replace(part, settings={**part.settings, **settings})
    folder = tmp_path_factory.mktemp("measured") / "work"
    context = Context(study, False, {}, {}, lambda text: None, {}, folder)
    return evaluator("pang2025.measured").evaluate(part, context), folder.parent / "meshes"


@needs_two_cores
def test_the_times_of_a_process_add_up(found: tuple[Evaluation, Path]) -> None:
    data = found[0].data.sel(processes=2).dropna("library", how="all", subset=["run_s"])
    assert data.library.size == len({measured.family_of(one) for one in data.libraries})
    one = data.sel(estimate=["lowest", "highest"])
    for name in ("communication_s", "wait_s", "computation_s", "run_s"):
        assert bool((one[name] > 0).all()), name
        assert bool((one[name].sel(statistic="smallest") <= one[name].sel(statistic="mean")).all())
        assert bool((one[name].sel(estimate="lowest") <= one[name].sel(estimate="highest")).all())
    assert bool((one.wait_s <= one.communication_s).all())
    assert bool((one.exchange_processor_s <= 1.1 * one.communication_s + 0.02).all())
    mean = data.sel(estimate="better of two", statistic="mean")
    total = mean.communication_s + mean.computation_s
    assert mean.run_s.values == pytest.approx(total.values, rel=1e-12)


@needs_two_cores
def test_all_ways_and_libraries_receive_what_is_counted_and_give_the_same_waves(
    found: tuple[Evaluation, Path],
) -> None:
    evaluation, meshes = found
    data = evaluation.data.sel(processes=2)
    assert float(data.difference_m.max()) == 0.0
    graph = graph_of(meshes / f"region-{_CELLS}.nc")
    cells = received_cells(graph, partition_of(graph, 2, meshes, print), 2).of_receivers()
    volumes = cells * 36 * 35 * 4 * _STEPS / 2**20
    expected = [volumes.min(), volumes.mean(), volumes.max()]
    assert data.volume_mib.values == pytest.approx(expected, rel=1e-12)
    # The paper's own way is 1, and the other tables have a row for each of the rest.
    paper = data.speedup_run.sel(way=measured.PAPER).values
    assert np.all(np.isnan(paper) | (paper == 1.0))
    libraries = len(data.libraries)
    assert len(evaluation.tables["measured_here"].rows) == 5 * libraries
    assert len(evaluation.tables["measured_here-speedups"].rows) == 4 * libraries
    assert set(evaluation.figures) == {"measured_here", "measured_here-speedups"}


def test_speedups_are_those_of_the_sandwiches() -> None:
    # [time, way, sandwich, turn, statistic]: the second way takes half, then a third.
    times = np.ones((5, 5, 3, 2, 3))
    times[:, 1, 0] = 1 / 2
    times[:, 1, 1] = 1 / 3
    times[:, 1, 2] = 1 / 3
    better, median, lowest, highest = measured._speedups(times)[:, 0, 1, 1]
    assert (better, median) == pytest.approx((3.0, 3.0))
    assert (lowest, highest) == pytest.approx((2.0, 3.0))


def test_the_better_of_two_runs_is_the_one_that_ends_first() -> None:
    times = np.ones((5, 5, 1, 2, 3))
    # The first turn has the longer run, though the shorter communication.
    times[3, :, 0, 0, 2] = 2.0
    times[0, :, 0, 0] = 0.1
    better, median, lowest, highest = measured._estimates(times)[:, 0, 0, 1]
    assert (better, median, lowest, highest) == pytest.approx((1.0, 0.55, 0.1, 1.0))


@needs_mpi
def test_a_run_on_mpi_says_how_long_its_processes_spent_in_each_phase() -> None:
    settings = {"mesh": str(wave_meshes.globe()), "directions": 12, "frequencies": 23, "steps": 4}
    settings |= {"wind": "uniform", "wind_speed_m_s": 10, "exchange": "in_order"}
    planned = plan(Case.read("fvwam", {"fvwam": settings}), 2)
    assert not planned.phases
    begin = time.perf_counter()
    run_on_mpi(planned)
    wall_s = time.perf_counter() - begin
    assert {"exchange", "propagation", "sources", "check", "output"} == set(planned.phases)
    for phase in planned.phases.values():
        assert phase.seconds.shape == (2,)
        assert np.all(phase.blocked_s <= phase.seconds) and np.all(phase.processor_s >= 0)
    assert np.all(sum(phase.seconds for phase in planned.phases.values()) < wall_s)
    assert np.all(planned.phases["propagation"].received_bytes == 0)
    # Two ranks of the same mesh receive what the other one sends.
    received = planned.phases["exchange"].received_bytes
    assert received.sum() > 0 and received.sum() <= planned.bytes


def test_other_libraries_are_those_that_the_environment_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    launcher = tmp_path / "mpiexec"
    for path in (launcher, tmp_path / "tradewind-mpi"):
        path.write_text("#!/bin/sh\n", encoding="utf-8")
        path.chmod(0o755)
    facts = {"origin": "given", "name": "another", "launcher": str(launcher)}
    monkeypatch.setenv("TRADEWIND_OTHER_MPI_PROGRAMS", str(tmp_path / "tradewind-mpi"))
    monkeypatch.setattr(installation, "find", lambda: None)
    with pytest.raises(ConfigError, match=r"TRADEWIND_OTHER_MPI_PROGRAMS.*mpi\.json"):
        mpi.find_all()
    (tmp_path / "mpi.json").write_text(json.dumps(facts), encoding="utf-8")
    own, other = mpi.find_all()
    assert own is None
    assert (other.name, other.launcher) == ("another", launcher)


def test_a_library_belongs_to_one_of_two_families() -> None:
    assert measured.family_of("Open MPI v5.0.11") == "Open MPI"
    assert measured.family_of("MPICH 5.0.2") == "MPICH"
    assert measured.family_of("Intel(R) MPI Library 2021.18") == "MPICH"
