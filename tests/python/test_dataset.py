from __future__ import annotations

import json
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import SMALL

import tradewind as tw
from tradewind.config.experiment import Experiment
from tradewind.errors import Error
from tradewind.report.output import load_results, write_results
from tradewind.results.dataset import Content
from tradewind.results.netcdf import read_netcdf, write_content, write_netcdf
from tradewind.runs.plan import write_plan
from tradewind.runs.run import Failure, RunSet
from tradewind.runs.sweep import run_all

xarray = pytest.importorskip("xarray")
pytest.importorskip("netCDF4")


@pytest.fixture(scope="module")
def runs() -> RunSet:
    changes = {
        "sweep.program.ranks": [4, 8],
        "sweep.machine.routing": ["dimension_order", "valiant"],
    }
    return run_all(Experiment.load(SMALL, changes), None)


def test_results_are_read_back_from_netcdf(runs: RunSet, tmp_path: Path) -> None:
    write_results(runs, tmp_path, lambda message: None)
    with xarray.open_dataset(tmp_path / "results.nc") as table:
        assert dict(table["time_s"].sizes) == {"ranks": 2, "routing": 2}
        np.testing.assert_array_equal(table["time_s"].values.ravel(), runs.time_s)
        assert table["time_s"].attrs["units"] == "s"
        assert float(table["time_s"].sel(ranks=8, routing="valiant")) == runs[3].time_s
        assert str(table["hash"].sel(ranks=4, routing="valiant").values) == runs[1].hash
        edges, counts = table["delay_edge"], table["delay_histogram"]
        assert len(edges) == counts.sizes["delay_bin"] + 1
        assert int(counts.sel(ranks=8, routing="valiant").sum()) == runs[3].delay.count
        np.testing.assert_array_equal(
            table["matrix_bytes"].sel(ranks=8, routing="dimension_order"), _matrix(runs[2])
        )
        assert table["time_s"].encoding["zlib"]


def _matrix(run: tw.Run) -> Any:
    assert run.matrix is not None
    return run.matrix.bytes


def test_waits_of_packets_are_counted_once_for_each_switch_where_asked_for(runs: RunSet) -> None:
    assert runs[0].packet_wait is None
    assert "packet_wait_histogram" not in runs.to_xarray()
    assert "packet_wait_s" not in runs[0].to_dict()
    changes = {"sweep.program.ranks": [4, 8], "simulation.packet_waits": True}
    counted = run_all(Experiment.load(SMALL, changes), None)
    table = counted.to_xarray()
    assert len(table["packet_wait_edge"]) == table.sizes["packet_wait_bin"] + 1
    for run in counted:
        assert run.packet_wait is not None and run.packet_wait.min_s == 0
        assert run.packet_wait.count == run.counts["packet_hops"] > 0
        assert run.to_dict()["packet_wait_s"]["count"] == run.packet_wait.count
        assert int(table["packet_wait_histogram"].sel(ranks=run.ranks).sum()) == (
            run.packet_wait.count
        )
        # The links' waiting is the sum of the same waits.
        waiting = sum(entry.waiting_s for entry in run.links.classes if entry.name != "injection")
        total = run.packet_wait.mean_s * run.packet_wait.count
        assert total == pytest.approx(waiting, rel=1e-9)


def test_every_variable_has_units(runs: RunSet) -> None:
    table = runs.to_xarray()
    without = [name for name, variable in table.data_vars.items() if "units" not in variable.attrs]
    assert without == ["hash"]


def test_the_file_says_how_it_was_made(sweep_file: Path, tmp_path: Path) -> None:
    experiment = Experiment.load(sweep_file, {"program.bytes": "2 KiB"})
    write_results(run_all(experiment, None), tmp_path, lambda message: None)
    with xarray.open_dataset(tmp_path / "results.nc") as table:
        assert table.attrs["experiment"] == sweep_file.read_text(encoding="utf-8")
        assert json.loads(table.attrs["overrides"]) == {"program.bytes": "2 KiB"}
        assert table.attrs["tradewind_version"]
        assert table.attrs["machine"] == "laptop"
        assert json.loads(table.attrs["machine_settings"])["laptop"]["link"]["bandwidth"] == 10e9
        assert table.attrs["title"] == "a small sweep"


def test_a_failed_run_is_a_gap(runs: RunSet) -> None:
    members = runs.experiment.members()
    outcomes = [*runs.outcomes[:3], Failure(members[3], "DeadlockError", "rank 0 waits")]
    table = RunSet(runs.experiment, outcomes).to_xarray()
    assert np.isnan(table["time_s"].values[1, 1])
    assert np.isfinite(table["time_s"].values).sum() == 3


def test_a_single_run_is_a_dataset_without_sweep_dimensions(small: dict[str, Any]) -> None:
    run = tw.simulate(small)
    assert isinstance(run, tw.Run)
    table = run.to_xarray()
    assert table["time_s"].shape == ()
    assert float(table["time_s"]) == run.time_s
    assert int(table["ranks"]) == 8


def test_a_network_without_links_has_no_use_of_links(small: dict[str, Any]) -> None:
    small["simulation"] = {"network": "analytic"}
    run = tw.simulate(small)
    assert isinstance(run, tw.Run)
    data = run.to_xarray()
    assert data["link_utilisation_histogram"].size == 0
    assert data["delay_histogram"].sum() == data["messages"]


def test_results_in_a_folder_are_loaded_again(sweep_file: Path, tmp_path: Path) -> None:
    from tradewind import core

    experiment = Experiment.load(sweep_file)
    write_plan(experiment, tmp_path)
    made = run_all(experiment, tmp_path)
    loaded = load_results(tmp_path, core.load().version)
    np.testing.assert_array_equal(made.time_s, loaded.time_s)
    assert loaded.experiment.title == "a small sweep"


def test_link_maps_of_different_networks_share_arrays_of_the_largest(
    small: dict[str, Any], tmp_path: Path
) -> None:
    topologies = [
        {"name": "torus", "extents": [4, 3, 2]},
        {"name": "dragonfly", "group": [2, 2], "groups": 3},
    ]
    changes = {"simulation.link_map_bins": 3, "sweep.machine.topology": topologies}
    runs = run_all(Experiment.load(small, changes), None)
    write_results(runs, tmp_path, lambda message: None)
    with xarray.open_dataset(tmp_path / "results.nc") as table:
        assert table["link_map_bytes"].dims[1:] == (
            "link_panel",
            "link_layer",
            "link_row",
            "link_column",
        )
        for index, run in enumerate(runs):
            for name, panel in run.link_map.items():
                cells = table.isel(topology=index).sel(link_panel=name)
                layers, rows, columns = panel.links.shape
                part = cells["link_map_bytes"].values[:layers, :rows, :columns]
                np.testing.assert_array_equal(part, panel.bytes)
                assert int(cells["link_map_links"].notnull().sum()) == panel.links.size
                np.testing.assert_array_equal(cells["link_map_extent"].values, panel.extents)
                assert str(cells["link_map_axes"].values) == "; ".join(panel.axes)
        absent = table["link_map_links"].isel(topology=1).sel(link_panel="x_up")
        assert not bool(absent.notnull().any())
    torus = runs[0].link_map["x_up"]
    assert (torus.extents, torus.links.shape) == ((2, 3, 4), (2, 3, 3))
    assert torus.links[0, 0].tolist() == [2, 1, 1]
    plain = json.loads(json.dumps(runs[0].to_dict()))["link_map"]["x_up"]
    assert plain["bytes"] == torus.bytes.tolist()
    assert plain["axes"] == ["z", "y", "x"]


@pytest.mark.parametrize("case", ["sweep", "one run", "no links", "a failure", "no matrix"])
def test_the_file_has_what_the_dataset_has(runs: RunSet, case: str, tmp_path: Path) -> None:
    made = runs
    if case == "a failure":
        failed = Failure(runs.experiment.members()[1], "Error", "no luck")
        made = RunSet(runs.experiment, [runs[0], failed, *runs.runs[2:]])
    elif case != "sweep":
        changes: dict[str, Any] = {"simulation.matrix_bins": 8 if case == "one run" else 0}
        if case == "no links":
            changes["simulation.network"] = "analytic"
        made = run_all(Experiment.load(SMALL, changes), None)
    write_content(made.content(), tmp_path / "a.nc")
    write_netcdf(made.to_xarray(), tmp_path / "b.nc")
    wanted = made.to_xarray()
    for name in ("a.nc", "b.nc"):
        xarray.testing.assert_identical(read_netcdf(tmp_path / name), wanted)
    stored = [xarray.open_dataset(tmp_path / name, decode_cf=False) for name in ("a.nc", "b.nc")]
    assert stored[0].attrs["content_sha256"] == stored[1].attrs["content_sha256"]
    for one in stored:
        one.close()


def test_a_small_simulation_loads_neither_xarray_nor_pandas(
    tmp_path: Path, sweep_file: Path
) -> None:
    code = (
        "import sys, tradewind.cli as c; assert c.main(sys.argv[1:]) == 0; "
        "print([name for name in ('matplotlib', 'xarray', 'pandas') if name in sys.modules])"
    )
    words = ["simulate", str(sweep_file), "-o", str(tmp_path / "out")]
    done = subprocess.run(
        [sys.executable, "-c", code, *words], capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines()[-1] == "[]"
    assert (tmp_path / "out" / "results.nc").is_file()


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, runs: RunSet) -> None:
    monkeypatch.setitem(__import__("sys").modules, "xarray", None)
    with pytest.raises(Error, match=r'pip install "tradewind\[report\]"'):
        runs.to_xarray()


@pytest.mark.parametrize("by", ["xarray", "netCDF4"])
def test_a_full_disk_is_told_for_data_sets_too(tmp_path: Path, by: str) -> None:
    path = tmp_path / "a.nc"
    noise = np.random.default_rng(1).random(200_000)
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, before[1]))
    try:
        with pytest.raises(Error, match=r"a\.nc: cannot be written: File too large \(.* free\)"):
            if by == "xarray":
                write_netcdf(xarray.Dataset({"a": ("x", noise)}), path)
            else:
                write_content(Content({"a": (("x",), noise, {})}, {}, {}), path)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, handler)
    assert list(tmp_path.iterdir()) == []
