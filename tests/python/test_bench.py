from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from conftest import Cli

from tradewind import bench, core, mpi
from tradewind.bench import overlap, swap
from tradewind.bench.measurements import Measurements, Row
from tradewind.cli import main
from tradewind.errors import ConfigError
from tradewind.results.netcdf import write_netcdf


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
    with pytest.raises(ConfigError, match=r'collectives\.operation = "gather"'):
        bench.measure("collectives", operations=["gather"])


def test_a_dataset_keeps_every_repetition() -> None:
    pytest.importorskip("xarray")
    rows = (_row(1.0, 2.0), Row("overlap", "send", 16, np.array([3.0, 4.0]), {"base_s": 1.5}))
    data = Measurements("mixed", 2, "some MPI", rows).to_xarray()
    assert data["seconds"].sel(case=1).values.tolist() == [3.0, 4.0]
    assert data["bytes"].values.tolist() == [8, 16]
    assert np.isnan(data["base_s"].values[0]) and data["base_s"].values[1] == 1.5


def _swap(name: str, size: int, *seconds: float, transport: str = "two_sided") -> Row:
    return Row(f"swap_{transport}", name, size, np.array(seconds), {})


def test_a_swap_has_the_bandwidth_of_both_messages_and_the_latency_of_one() -> None:
    rows = swap.with_rates(
        [
            _swap("(0,1)", 8, 1e-6, 3e-6, 2e-6),
            _swap("(1,1)", 8, 4e-6, 6e-6, 5e-6),
            _swap("(0,1)", 1000, 20e-6, 10e-6),
            _swap("(1,1)", 1000, 20e-6, 25e-6),
        ]
    )
    unordered, ordered = rows[2].values, rows[3].values
    assert unordered["bandwidth_bytes_per_s"] == pytest.approx(200e6)
    assert unordered["latency_s"] == pytest.approx(2e-6)
    assert ordered["bandwidth_bytes_per_s"] == pytest.approx(100e6)
    assert ordered["latency_s"] == pytest.approx(2.5e-6)


def test_the_best_swap_is_that_of_the_largest_bandwidth_in_each_order() -> None:
    rows = swap.with_rates(
        [
            *(_swap(name, 8, 1e-6) for name in ("(0,1)", "(0,2)", "(1,0)")),
            _swap("(0,1)", 1000, 10e-6),
            _swap("(0,2)", 1000, 8e-6),
            _swap("(1,0)", 1000, 16e-6),
        ]
    )
    best = bench.best_swaps(rows)
    assert [(cell.order, cell.protocol, cell.size) for cell in best] == [
        ("unordered", "(0,2)", 1000),
        ("ordered", "(1,0)", 1000),
    ]
    assert best[0].bandwidth_bytes_per_s == pytest.approx(250e6)


def test_a_swap_of_nothing_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"swap\.sizes = \[8, 0\]: expected at least 1"):
        bench.measure("swap", sizes=[8, 0])
    with pytest.raises(ConfigError, match=r"swap\.transport = .*allowed: puts, two_sided"):
        bench.measure("swap", transports=["shmem"])


def test_the_former_name_of_a_transport_is_understood_and_told(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    with pytest.warns(FutureWarning, match='"one_sided" is called "puts"'):
        assert swap.present_transport("one_sided") == "puts"
    rows = (_swap("(0,1)", 8, 1e-6, transport="one_sided"),)
    former = Measurements("swap", 2, "some MPI", rows).to_xarray()
    write_netcdf(former, tmp_path / "swap.nc")
    assert Measurements.load(tmp_path / "swap.nc").operations == ("swap_puts",)


@needs_mpi
def test_a_swap_is_measured_by_every_protocol_and_told_as_in_the_paper(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    xr = pytest.importorskip("xarray")
    pytest.importorskip("matplotlib")
    words = ["bench", "swap", "--sizes", "8 KiB", "--repetitions", "3", "--warm-up", "1"]
    assert main([*words, "-o", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    for name in ("(0,0)", "(1,6)", "two-sided", "swap, puts", "unordered", "8 KiB BW"):
        assert name in told
    with xr.open_dataset(tmp_path / "swap.nc") as data:
        of = {
            kind: {str(name) for name in data["name"].values[data["operation"] == f"swap_{kind}"]}
            for kind in bench.transports()
        }
        assert of["two_sided"] == {f"({order},{x})" for order in (0, 1) for x in range(7)}
        assert of["puts"] < of["two_sided"] and len(of["puts"]) == 10
        assert (data["bandwidth_bytes_per_s"] > 0).all() and (data["latency_s"] > 0).all()
        assert data["bandwidth_bytes_per_s"].attrs["units"] == "byte s-1"
    assert (tmp_path / "swap.png").stat().st_size > 10_000


def test_a_folder_that_cannot_be_made_is_told_before_anything_is_measured(
    cli: Cli, tmp_path: Path
) -> None:
    done = cli("bench", "pingpong", "--repetitions", "1000000000", "-o", "/proc/own")
    assert done.returncode == 1
    assert done.stderr.startswith("error: /proc/own: cannot be written: ")
    (tmp_path / "case.toml").write_text("[pstswm]\ncase = 2\ndays = 3000\n")
    done = cli("run", "pstswm", "case.toml", "-o", "/proc/own")
    assert done.returncode == 1
    assert done.stderr.startswith("error: /proc/own: cannot be written: ")


@pytest.mark.parametrize(
    ("sizes", "why"),
    [
        ("abc", "--sizes abc: "),
        ("8,-8", "measurement: pingpong.sizes = [8, -8]: "),
        ("8,x", "--sizes x: "),
    ],
)
def test_a_wrong_size_is_told_with_its_option(cli: Cli, sizes: str, why: str) -> None:
    done = cli("bench", "pingpong", "--sizes", sizes)
    assert done.returncode == 2
    assert done.stderr.startswith(f"error: {why}")


def test_a_file_of_edges_is_read_and_wrong_lines_are_told(tmp_path: Path) -> None:
    path = tmp_path / "edges"
    path.write_text("# source destination\n0 2\n\n2 1  # back\n", encoding="utf-8")
    assert bench.read_edges(path).settings() == {"edges": [0, 2, 2, 1]}
    path.write_text("0 2\n0 2 3\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="line 2: '0 2 3' is not two ranks"):
        bench.read_edges(path)
    with pytest.raises(ConfigError, match="nowhere"):
        bench.read_edges(tmp_path / "nowhere")
    path.write_text("# source destination\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="edges: has no edges"):
        bench.read_edges(path)


@needs_mpi
def test_neighbours_are_measured_by_every_algorithm_and_natively() -> None:
    result = bench.measure(
        "neighbor",
        4,
        graph=bench.NeighborGraph((2, 2), 8),
        sizes=[8, 10_000],
        repetitions=3,
        warm_up=1,
    )
    names = {entry[0] for entry in core.load().catalogue()["neighbor"]}
    native = {"native", "native_reorder", "native_nonblocking"}
    assert {row.name for row in result.rows} == names | native
    assert len(result.rows) == 2 * len(names | native)
    assert all(row.seconds.min() > 0 for row in result.rows)


@needs_mpi
def test_neighbours_on_edges_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edges = tmp_path / "edges"
    edges.write_text("0 1\n", encoding="utf-8")
    words = ["bench", "neighbor", "--repetitions", "2", "--sizes", "8,16", "--edges", str(edges)]
    assert main([*words, "--algorithm", "burst", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [(row["name"], row["bytes"]) for row in rows] == [("burst", 8), ("burst", 16)]
    edges.write_text("0 7\n", encoding="utf-8")
    assert main([*words]) == 2
    assert "ranks in 0..1" in capsys.readouterr().err


@needs_mpi
def test_a_mesh_exchange_is_measured_by_every_algorithm_and_natively(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["bench", "mesh", "-n", "3", "--repetitions", "2", "--warm-up", "1", "--elements", "2"]
    words += ["--processes", "3", "1", "--connectivity", "edges", "--sizes", "8,80", "--json"]
    assert main([*words, "-o", str(tmp_path)]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    names = [*core.names("mesh"), "native", "native_nonblocking"]
    assert [(row["bytes"], row["name"]) for row in rows] == [
        (size, name) for size in (8, 80) for name in names
    ]
    for row in rows:
        assert row["operation"] == "mesh" and row["min_s"] > 0
        # In a row of three ranks each has two neighbours, and two edges of four points with each.
        assert (row["neighbors"], row["largest_message_bytes"]) == (2, 8 * row["bytes"])
    assert {file.name for file in tmp_path.iterdir()} == {"mesh.nc", "mesh.png"}
    loaded = bench.Measurements.load(tmp_path / "mesh.nc")
    assert [row.name for row in loaded.rows] == [*names, *names]
    assert main(["bench", "mesh", "--algorithm", "pigeons"]) == 2
    assert "known are: synchronous" in capsys.readouterr().err


@needs_mpi
def test_settings_that_a_measurement_does_not_read_are_wrong_input() -> None:
    with pytest.raises(ConfigError, match='pingpong: unknown setting "bytes"; known are: sizes'):
        mpi.run(["measure", "pingpong", "bytes=8"], 2)


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
def test_an_algorithm_is_measured_in_the_operations_that_have_it() -> None:
    result = bench.measure("collectives", algorithm="tree", sizes=[8], repetitions=1, warm_up=0)
    assert [row.operation for row in result.rows] == ["allreduce", "bcast", "barrier"]
    assert {row.name for row in result.rows} == {"tree"}
    known = "no algorithm 'magic'; known are: burst, .*binomial, .*dissemination"
    with pytest.raises(ConfigError, match=known):
        bench.measure("collectives", algorithm="magic")


@needs_mpi
def test_kernels_of_different_sizes_are_told_in_one_table(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["bench", "kernels", "-n", "1", "--repetitions", "2", "--warm-up", "0"]) == 0
    told = capsys.readouterr().out
    assert "stream" in told and "4096" in told


_EXAMPLE = {
    "iteration_s": 9.465e-6,
    "work_s": 8.608e-6,
    "overhead_s": 0.858e-6,
    "base_s": 3.990e-6,
    "availability": 1 - 0.858 / 3.990,
}


def test_overlap_has_the_layout_of_the_example_of_sandias_benchmark() -> None:
    rows = [Row("overlap", "send", 8, np.ones(1000), _EXAMPLE)]
    header, line = overlap.to_text(rows, "send").splitlines()
    assert header.split() == [
        "msgsize",
        "iterations",
        "iter_t",
        "work_t",
        "overhead",
        "base_t",
        "avail(%)",
    ]
    assert line.split() == ["8", "1000", "9.465", "8.608", "0.858", "3.990", "78.5"]
    assert header.index("base_t") == line.index("3.990")
    assert overlap.to_text(rows, "receive").splitlines() == [header]


def test_cases_with_unequal_repetitions_are_stored_and_read(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    rows = (
        Row("overlap", "send", 8, np.array([1.0, 2.0, 3.0]), _EXAMPLE),
        Row("overlap", "send", 1 << 20, np.array([4.0]), _EXAMPLE),
    )
    measured = Measurements("overlap", 2, "some MPI", rows)
    write_netcdf(measured.to_xarray(), tmp_path / "overlap.nc")
    read = Measurements.load(tmp_path / "overlap.nc")
    assert [row.seconds.tolist() for row in read.rows] == [[1.0, 2.0, 3.0], [4.0]]
    assert read.rows[1].values == pytest.approx(_EXAMPLE)


@needs_mpi
def test_overlap_tells_base_overhead_and_availability() -> None:
    method = bench.OverlapMethod(send_mode="all", average="median", work_dominates=3.0)
    result = bench.measure("overlap", 2, sizes=[64], repetitions=3, warm_up=0, overlap=method)
    assert overlap.kinds(result.rows) == (
        "send",
        "receive",
        "synchronous_send",
        "synchronous_receive",
    )
    for row in result.rows:
        values = row.values
        # The least work is 256 multiplications and additions, one after the other.
        assert values["base_s"] > 0 and values["work_s"] > 0.2e-6
        assert values["iteration_s"] > 3.0 * values["base_s"]
        # The values have six digits.
        overhead = pytest.approx(
            values["iteration_s"] - values["work_s"], abs=2e-5 * values["iteration_s"]
        )
        assert values["overhead_s"] == overhead
        availability = 1 - values["overhead_s"] / values["base_s"]
        assert values["availability"] == pytest.approx(availability, rel=1e-4, abs=1e-4)


def test_wrong_choices_of_overlap_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"overlap\.send_mode"):
        bench.measure("overlap", 2, overlap=bench.OverlapMethod(send_mode="ready"))
    with pytest.raises(ConfigError, match=r"overlap\.fully_visible"):
        bench.measure("overlap", 2, overlap=bench.OverlapMethod(fully_visible=0.5))


@needs_mpi
def test_the_command_writes_sandias_tables_of_overlap(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("matplotlib")
    words = ["bench", "overlap", "--sizes", "8, 1 KiB", "--repetitions", "3", "--warm-up", "0"]
    assert main([*words, "--send-mode", "standard", "-o", str(tmp_path)]) == 0
    told = capsys.readouterr().out
    assert "overlap, send, standard sends" in told and "avail(%)" in told
    assert {file.name for file in tmp_path.iterdir()} == {
        "overlap.nc",
        "overlap.png",
        "overlap-receive.txt",
        "overlap-send.txt",
    }
    lines = (tmp_path / "overlap-send.txt").read_text().splitlines()
    assert lines[0].split() == list(overlap.COLUMNS)
    assert [line.split()[:2] for line in lines[1:]] == [["8", "3"], ["1024", "3"]]


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
