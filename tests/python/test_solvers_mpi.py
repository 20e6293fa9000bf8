"""The advection and the Helmholtz solver on real MPI: the bits of simulated ranks."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli, needs_mpi
from test_solvers import ADVECTION, HELMHOLTZ, found_by

from tradewind.errors import ConfigError, MpiError
from tradewind.models.case import Case
from tradewind.models.run import ModelRun, Progress, plan, run
from tradewind.models.run_on_mpi import run_on_mpi

pytestmark = needs_mpi


def case_of(model: str, **changed: object) -> Case:
    raw = {"semi_lagrangian": ADVECTION, "helmholtz": HELMHOLTZ}[model]
    return Case.read(model, {model: raw | changed})


def on_mpi(
    case: Case, ranks: int, progress: Progress | None = None, folder: Path | None = None
) -> ModelRun:
    done = plan(case, ranks)
    run_on_mpi(done, progress, folder=folder)
    return done


def check_same(parallel: ModelRun, simulated: ModelRun) -> None:
    assert parallel.library and not simulated.library
    assert simulated.simulated_s >= 0
    found, expected = found_by(parallel), found_by(simulated)
    assert found.keys() == expected.keys()
    for name, value in found.items():
        np.testing.assert_array_equal(value, expected[name], err_msg=name)
    assert parallel.final.about_numbers == simulated.final.about_numbers


@pytest.mark.parametrize(("ranks", "exchange"), [(1, "wide"), (4, "wide"), (3, "on_demand")])
def test_the_advection_gives_the_bits_of_simulated_ranks(
    ranks: int, exchange: str, tmp_path: Path
) -> None:
    case = case_of("semi_lagrangian", exchange=exchange)
    seen: list[int] = []
    parallel = on_mpi(case, ranks, lambda step, steps: seen.append(step), tmp_path)
    assert list(tmp_path.iterdir()) == []
    assert seen[-1] == ADVECTION["steps"] and seen == sorted(seen)
    assert np.array_equal(parallel.final.fields["tracer"], run(case, 1).final.fields["tracer"])
    check_same(parallel, run(case, ranks))


@pytest.mark.parametrize(
    ("ranks", "keys"),
    [(2, {"method": "gcr"}), (3, {"method": "pipelined_gcr"}), (4, {"processes": [4, 1]})],
)
def test_the_solver_gives_the_bits_of_simulated_ranks(ranks: int, keys: dict[str, object]) -> None:
    case = case_of("helmholtz", **keys)
    check_same(on_mpi(case, ranks), run(case, ranks))


def test_runs_that_fail_say_why_on_mpi() -> None:
    with pytest.raises(MpiError, match="beyond the halo"):
        on_mpi(case_of("semi_lagrangian", max_wind_m_s=10.0), 2)
    with pytest.raises(MpiError, match="after 2 iterations"):
        on_mpi(case_of("helmholtz", iterations=2), 2)
    with pytest.raises(ConfigError, match="nx must be even"):
        on_mpi(case_of("semi_lagrangian", grid=[31, 16, 4]), 2)


def test_the_command_runs_on_mpi_processes(cli: Cli, tmp_path: Path) -> None:
    xarray = pytest.importorskip("xarray")
    case = tmp_path / "case.toml"
    case.write_text(
        '[semi_lagrangian]\ngrid = [24, 12, 4]\ntime_step = "10800 s"\n', encoding="utf-8"
    )
    fields = []
    for number, kind in enumerate(("-n", "--simulated-ranks")):
        done = cli("run", "semi_lagrangian", case, kind, "2", "-o", f"out{number}", "--json")
        assert done.returncode == 0, done.stderr
        assert bool(json.loads(done.stdout).get("mpi_library")) == (kind == "-n")
        with xarray.open_dataset(tmp_path / f"out{number}" / "fields.nc") as file:
            fields.append(file.load())
    assert fields[0].equals(fields[1])
    assert cli("run", "helmholtz", case, "-n", "2").returncode == 2
