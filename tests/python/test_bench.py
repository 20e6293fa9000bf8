from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tradewind import bench, mpi
from tradewind.bench.measurements import Measurements, Row
from tradewind.cli import main
from tradewind.errors import ConfigError


def _has_mpi() -> bool:
    try:
        mpi.find()
    except ConfigError:
        return False
    return True


needs_mpi = pytest.mark.skipif(not _has_mpi(), reason="tradewind was built without MPI")


def _row(*seconds: float) -> Row:
    return Row("pingpong", "standard", 8, np.array(seconds), {})


def test_the_confidence_interval_holds_the_median_and_narrows_with_repetitions() -> None:
    rng = np.random.default_rng(1)
    few, many = (_row(*rng.exponential(1.0, count)) for count in (20, 2000))
    for row in (few, many):
        low, high = row.confidence_s
        assert low <= row.median_s <= high
    assert many.confidence_s[1] - many.confidence_s[0] < few.confidence_s[1] - few.confidence_s[0]
    assert abs(many.median_s - np.log(2)) < 0.1


def test_the_confidence_interval_covers_the_true_median_nineteen_times_in_twenty() -> None:
    rng = np.random.default_rng(2)
    rows = [_row(*rng.normal(5.0, 1.0, 50)) for _ in range(1000)]
    covered = sum(row.confidence_s[0] <= 5.0 <= row.confidence_s[1] for row in rows)
    assert 940 <= covered <= 999


def test_a_single_repetition_is_its_own_interval() -> None:
    assert _row(3.0).confidence_s == (3.0, 3.0)


def test_wrong_names_are_refused() -> None:
    with pytest.raises(ConfigError, match="known are pingpong"):
        bench.measure("ping")
    with pytest.raises(ConfigError, match="known are alltoallv"):
        bench.measure("collectives", operations=["gather"])


def test_a_dataset_keeps_every_repetition() -> None:
    pytest.importorskip("xarray")
    rows = (_row(1.0, 2.0), Row("overlap", "send", 16, np.array([3.0, 4.0]), {"base_s": 1.5}))
    data = Measurements("mixed", 2, "some MPI", rows).to_xarray()
    assert data["seconds"].sel(case=1).values.tolist() == [3.0, 4.0]
    assert data["bytes"].values.tolist() == [8, 16]
    assert np.isnan(data["base_s"].values[0]) and data["base_s"].values[1] == 1.5


@needs_mpi
def test_collectives_are_measured_beside_the_native_one() -> None:
    result = bench.measure(
        "collectives", 2, operations=["allreduce"], sizes=[8, 1024], repetitions=3, warm_up=1
    )
    names = {row.name for row in result.rows}
    assert {"native", "recursive_doubling", "ring"} <= names
    assert len(result.rows) == 2 * len(names)
    assert all(len(row.seconds) == 3 and row.seconds.min() > 0 for row in result.rows)


@needs_mpi
def test_overlap_tells_base_overhead_and_availability() -> None:
    result = bench.measure("overlap", 2, sizes=[64], repetitions=3, warm_up=0)
    assert [row.name for row in result.rows] == ["send", "receive"]
    for row in result.rows:
        assert row.values["base_s"] > 0 and row.values["overhead_s"] >= 0
        assert 0 <= row.values["availability"] <= 1


@needs_mpi
def test_the_command_writes_table_file_and_picture(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    xr = pytest.importorskip("xarray")
    pytest.importorskip("matplotlib")
    words = ["bench", "pingpong", "--sizes", "8, 1 KiB", "--repetitions", "3", "--json"]
    assert main([*words, "-o", str(tmp_path)]) == 0
    told = json.loads(capsys.readouterr().out)
    assert {row["bytes"] for row in told["rows"]} == {8, 1024}
    with xr.open_dataset(tmp_path / "pingpong.nc") as data:
        assert data.sizes["repetition"] == 3
    assert (tmp_path / "pingpong.png").stat().st_size > 10_000


@needs_mpi
def test_wrong_input_ends_with_status_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "collectives", "--operation", "bcast", "--algorithm", "magic"]) == 2
    assert "magic" in capsys.readouterr().err
    assert main(["bench", "pingpong", "-n", "1"]) == 2
    assert "at least 2" in capsys.readouterr().err
