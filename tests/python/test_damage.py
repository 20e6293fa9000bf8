"""One flipped bit in any file of results is noticed, named, and mended by the next call."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")

import numpy as np
import xarray
from test_sweep import Recorder

from tradewind import core
from tradewind.cli import main
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.report.output import DAMAGED, load_outcomes
from tradewind.report.page.sources import read_contents
from tradewind.results.netcdf import read_netcdf, write_netcdf
from tradewind.results.raw_schema import faults
from tradewind.results.record import DamagedError
from tradewind.runs.run import Run, RunSet
from tradewind.runs.sweep import run_all

_SWEEP = """
[machine]
topology = { name = "torus", extents = [2, 2], nodes_per_switch = 1 }
link = { bandwidth = "10 GB/s", latency = "100 ns" }

[program]
name = "allreduce"
bytes = "8 B"

[sweep]
"program.ranks" = [2, 4]
"""

_COSTS = ("wall_s", "cpu_s", "peak_rss_bytes")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "small.toml").write_text(_SWEEP, encoding="utf-8")
    assert main(["simulate", str(folder / "small.toml"), "-o", str(folder / "out")]) == 0
    return folder


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole / "out", tmp_path / "out"))


def flipped(content: bytes, bit: int) -> bytes:
    changed = bytearray(content)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def values(runs: RunSet) -> list[Any]:
    """All that a run shows, but what it took to make it."""
    shown = []
    for run in runs:
        rest = run.to_dict()
        shown.append({key: rest[key] for key in rest if key not in _COSTS})
    return shown


@pytest.mark.parametrize(("ending", "stride"), [(".json", 131), (".npz", 67)])
def test_a_flipped_bit_in_a_run_never_gives_another_value(
    whole: Path, copied: Path, ending: str, stride: int
) -> None:
    version = core.load().version
    expected = values(load_outcomes(copied, version))
    path = min((copied / "runs").glob(f"*{ending}"))
    content = path.read_bytes()
    named = 0
    for bit in range(0, 8 * len(content), stride):
        path.write_bytes(flipped(content, bit))
        runs = load_outcomes(copied, version)
        failures = [(failure.kind, str(path) in failure.message) for failure in runs.failures]
        assert failures in ([], [(DAMAGED, True)])
        assert all(value in expected for value in values(runs))
        named += len(failures)
    assert named > 8 * len(content) / stride * 0.7


def test_a_flipped_bit_in_the_plan_is_named(copied: Path) -> None:
    path = copied / "experiment.json"
    content = path.read_bytes()
    expected = load_outcomes(copied, core.load().version).experiment
    for bit in range(0, 8 * len(content), 61):
        path.write_bytes(flipped(content, bit))
        try:
            found = load_outcomes(copied, core.load().version).experiment
        except DamagedError as error:
            assert str(path) in str(error)
        else:
            assert found == expected


def test_a_flipped_bit_in_a_data_set_never_gives_another_value(
    copied: Path, tmp_path: Path
) -> None:
    expected = read_netcdf(copied / "results.nc")
    names = ["time_s", "ranks", "hash", "delay_histogram", "class_bytes", "delay_edge"]
    path = tmp_path / "few.nc"
    write_netcdf(expected[names], path)
    content = path.read_bytes()
    named = 0
    for bit in range(0, 8 * len(content), 4001):
        path.write_bytes(flipped(content, bit))
        try:
            found = read_netcdf(path)
        except DamagedError as error:
            assert str(path) in str(error)
            named += 1
        else:
            assert found.identical(expected[names])
    assert named > 4


@pytest.mark.parametrize("stride", [9001])
def test_resume_makes_a_damaged_run_again_and_the_report_names_it(
    whole: Path, copied: Path, stride: int, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = values(load_outcomes(copied, core.load().version))
    path = min((copied / "runs").glob("*.json"))
    content = path.read_bytes()
    for bit in range(stride, 8 * len(content), stride):
        path.write_bytes(flipped(content, bit))
        assert main(["report", str(copied)]) == 0
        assert re.search(rf"left out: ranks \d: {re.escape(str(path))}: ", capsys.readouterr().err)
        assert path.name in (copied / "report.html").read_text(encoding="utf-8")
        assert read_contents(copied).parts[0].gaps[0].state == "damaged"
        resumed = main(["simulate", str(whole / "small.toml"), "-o", str(copied)])
        told = capsys.readouterr().err
        assert resumed == 0
        (made,) = re.findall(rf"again: ranks (\d): {re.escape(str(path))}: ", told)
        assert f"kept: ranks {6 - int(made)}" in told
        assert values(load_outcomes(copied, core.load().version)) == expected


def test_all_runs_damaged_leave_the_data_set_and_are_named(copied: Path) -> None:
    for path in (copied / "runs").glob("*.npz"):
        path.write_bytes(b"")
    part = read_contents(copied).parts[0]
    assert part.runs == 2
    assert not part.gaps
    assert [words for words in part.about if "its checksum is wrong" in words]


def test_a_damaged_plan_is_written_again_by_resume(
    whole: Path, copied: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan = copied / "experiment.json"
    content = plan.read_bytes()
    plan.write_bytes(flipped(content, 8 * 300))
    assert main(["report", str(copied)]) == 2
    assert f"error: {plan}: " in capsys.readouterr().err
    assert main(["simulate", str(whole / "small.toml"), "-o", str(copied)]) == 0
    assert "it is written again" in capsys.readouterr().err
    assert plan.read_bytes() == content


def test_a_failure_that_was_recorded_is_not_believed_when_damaged(copied: Path) -> None:
    experiment = load_outcomes(copied, core.load().version).experiment
    from tradewind.runs.store import RunStore

    member = experiment.members()[0]
    store = RunStore(copied / "runs")
    store.save_failure(member, {"kind": "DeadlockError", "message": "rank 1 waits"}, "1.0")
    path = copied / "runs" / f"{member.key}.json"
    path.write_bytes(path.read_bytes().replace(b"rank 1", b"rank 3"))
    with pytest.raises(DamagedError, match="its checksum is wrong"):
        store.load_failure(member)


def old_record(path: Path) -> dict[str, Any]:
    """The same run as records were before they had a checksum of everything."""
    import hashlib

    record = json.loads(path.read_text(encoding="utf-8"))
    del record["schema"], record["sha256"]
    text = json.dumps(record["result"], sort_keys=True)
    return record | {"format": 1, "result_sha256": hashlib.sha256(text.encode()).hexdigest()}


def test_runs_and_plans_of_earlier_days_are_still_read(whole: Path, copied: Path) -> None:
    expected = values(load_outcomes(copied, core.load().version))
    for path in [*(copied / "runs").glob("*.json"), copied / "experiment.json"]:
        record = json.loads(path.read_text(encoding="utf-8"))
        if path.name == "experiment.json":
            del record["schema"], record["sha256"]
        else:
            record = old_record(path)
        path.write_text(json.dumps(record), encoding="utf-8")
    assert values(load_outcomes(copied, core.load().version)) == expected
    recorder = Recorder()
    run_all(Experiment.load(whole / "small.toml"), copied, recorder)
    assert all(resumed for _, resumed in recorder.ended)


def test_runs_without_any_checksum_are_made_again_with_a_word(copied: Path) -> None:
    path = min((copied / "runs").glob("*.json"))
    record = old_record(path)
    del record["result_sha256"]
    path.write_text(json.dumps(record), encoding="utf-8")
    (failure,) = load_outcomes(copied, core.load().version).failures
    assert "the checksum of its result is wrong or missing" in failure.message


def test_a_data_set_of_another_program_is_read_as_it_is(tmp_path: Path) -> None:
    data = xarray.Dataset({"a": ("x", np.arange(3.0))}, attrs={"title": "theirs"})
    data.to_netcdf(tmp_path / "a.nc")
    assert read_netcdf(tmp_path / "a.nc").identical(data)


@pytest.mark.parametrize(
    "attributes",
    [{}, {"empty": ""}, {"words": ["a", "b"]}, {"one": ["a"]}, {"numbers": np.arange(3)}],
)
def test_a_data_set_is_read_back_whatever_it_holds(
    tmp_path: Path, attributes: dict[str, Any]
) -> None:
    data = xarray.Dataset(
        {
            "flags": ("x", np.array([True, False])),
            "words": ("x", np.array(["ä", ""], dtype=object)),
            "gaps": ("x", np.array([np.nan, 1.0], dtype=np.float32), {"units": "s"}),
            "scalar": ((), 3),
            "none": (("y",), np.zeros(0)),
        },
        attrs=attributes,
    )
    write_netcdf(data, tmp_path / "a.nc")
    xarray.testing.assert_equal(read_netcdf(tmp_path / "a.nc"), data)
    write_netcdf(read_netcdf(tmp_path / "a.nc"), tmp_path / "b.nc")
    assert read_netcdf(tmp_path / "b.nc").identical(read_netcdf(tmp_path / "a.nc"))


def test_the_schema_of_results_names_what_is_wrong(whole: Path) -> None:
    run = load_outcomes(whole / "out", core.load().version).runs[0]
    assert isinstance(run, Run)
    raw: dict[str, Any] = dict(run.raw)
    assert list(faults(raw)) == []
    assert list(faults({key: raw[key] for key in raw if key != "time_s"})) == [
        "result.time_s is missing"
    ]
    assert list(faults(raw | {"hash": 3})) == ["result.hash is no str"]
    assert list(faults(raw | {"ranks": True})) == ["result.ranks is no int"]
    assert list(faults(raw | {"delay": {**raw["delay"], "counts": [1]}})) == [
        "result.delay.counts is no ndarray"
    ]
    assert list(faults(raw | {"phases": [3]})) == ["result.phases[0] is no table"]
    assert list(faults(None)) == ["result is no table"]


def test_a_folder_without_results_stays_an_error_of_the_user(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"experiment\.json is missing"):
        load_outcomes(tmp_path, "1.0")
