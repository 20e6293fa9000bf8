from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tradewind import bench, calibration
from tradewind.bench import Measurements, Row
from tradewind.calibration import Effort, Point, Rounds, fit
from tradewind.calibration.local_work import fit_local_work
from tradewind.cli import main
from tradewind.config.experiment import Experiment
from tradewind.config.machine import load_machine
from tradewind.errors import ConfigError, Error, Interrupted

pytest.importorskip("scipy")

SIZES = tuple(8 << step for step in range(18))
MESSAGE = {
    "overhead_send": "700 ns",
    "overhead_receive": "400 ns",
    "copy_per_byte_send": "60 ps/B",
    "copy_per_byte_receive": "90 ps/B",
    "overhead_rendezvous": "250 ns",
    "overhead_synchronous": "130 ns",
    "overhead_ready": "0 ns",
    "overhead_put": "2 us",
}
NODE = {
    "topology": {"name": "star", "nodes": 1},
    "link": {"bandwidth": "10 GB/s", "latency": "1 us"},
    "node": {
        "ranks_per_node": 4,
        "memory_latency": "300 ns",
        "control_latency": "150 ns",
        "message_bandwidth": "12 GB/s",
        "memory_bandwidth": "8 GB/s",
        "eager_limit": "8 KiB",
    },
    "message": MESSAGE,
}
RATES = {
    "copy_bandwidth": "8 GB/s",
    "copy_overhead": "4 ns",
    "sum_bandwidth": "5 GB/s",
    "cache": "64 KiB",
    "uncached_copy_bandwidth": "4 GB/s",
    "uncached_sum_bandwidth": "2.5 GB/s",
}
RATED = NODE | {"node": NODE["node"] | RATES}
NETWORK = {
    "topology": {"name": "star", "nodes": 4},
    "link": {"bandwidth": "10 GB/s", "latency": "1 us"},
    "nic": {"gap": "1500 ns"},
    "message": MESSAGE | {"latency": "2500 ns", "gap_per_byte": "80 ps/B", "eager_limit": "16 KiB"},
}


def _spec(machine: dict[str, Any], ranks: int = 2) -> Any:
    program = {"name": "pingpong", "bytes": "8 B", "ranks": ranks}
    tables = {"machine": machine, "program": program, "simulation": {"network": "analytic"}}
    return Experiment.load(tables).members()[0].spec


def _simulated(machine: dict[str, Any]) -> list[Point]:
    return [
        Point(row.name, row.size, row.median_s)
        for name in ("pingpong", "overhead")
        for row in bench.measure_simulated(_spec(machine), name, sizes=SIZES).rows
    ]


def _kernels() -> Measurements:
    rows = (
        Row("kernels", "legendre", 0, np.array([1e-3]), {"flops": 2e7, "memory_bytes": 0.0}),
        Row("kernels", "stream", 48, np.array([1e-2]), {"flops": 1.0, "memory_bytes": 8e7}),
    )
    return Measurements("kernels", 2, "simulated", rows)


def _all(machine: dict[str, Any], nodes: int) -> dict[str, Measurements]:
    spec = _spec(machine)
    found = {
        name: replace(bench.measure_simulated(spec, name, sizes=SIZES), nodes=nodes)
        for name in ("pingpong", "overhead")
    }
    judge = bench.measure_simulated(
        spec, "collectives", operations=["allreduce", "bcast"], sizes=[8, 65536]
    )
    return found | {"kernels": _kernels(), "collectives": judge}


def test_a_fit_finds_the_parameters_of_a_node_again() -> None:
    found = fit(_simulated(NODE), "node")
    assert (found.eager_limit, found.next_size) == (8192, 16384)
    expected = {
        "overhead_send": 700e-9,
        "overhead_receive": 400e-9,
        "copy_send": 60e-12,
        "copy_receive": 90e-12,
        "latency": 300e-9,
        "per_byte": 1 / 12e9,
        "control": 150e-9,
        "rendezvous": 250e-9,
        "synchronous": 130e-9,
        "put": 2e-6,
    }
    for name, value in expected.items():
        assert found.values[name] == pytest.approx(value, rel=0.02), name
    assert found.values["ready"] < 5e-9
    assert not found.ready_rendezvous
    # Puts that are copied on their way take the rate of other long messages.
    assert found.values["put_per_byte"] == pytest.approx(1 / 12e9, rel=0.02)


@pytest.mark.parametrize("ready_rendezvous", [False, True])
@pytest.mark.parametrize("put_bandwidth", [2.5e9, 40e9])
def test_the_own_rate_of_puts_and_the_handshake_of_ready_sends_are_found_again(
    tmp_path: Path, ready_rendezvous: bool, put_bandwidth: float
) -> None:
    node = NODE["node"] | {"put_bandwidth": f"{put_bandwidth / 1e9} GB/s"}
    machine = NODE | {"node": node, "message": MESSAGE | {"ready_rendezvous": ready_rendezvous}}
    result = calibration.calibrate(_all(machine, 1), training=())
    assert result.fit.ready_rendezvous == ready_rendezvous
    assert result.fit.eager_limit == 8192
    assert result.fit.values["put"] == pytest.approx(2e-6, rel=0.02)
    assert result.fit.values["put_per_byte"] == pytest.approx(1 / put_bandwidth, rel=0.02)
    assert result.fit.values["per_byte"] == pytest.approx(1 / 12e9, rel=0.02)
    assert max(abs(entry.error) for entry in result.residuals if entry.size) < 0.02
    path = tmp_path / "mine.toml"
    path.write_text(result.text, encoding="utf-8")
    loaded = load_machine(path).hardware
    assert loaded.node["put_bandwidth"] == pytest.approx(put_bandwidth, rel=0.02)
    assert loaded.message["ready_rendezvous"] == ready_rendezvous


def test_long_ready_sends_of_a_network_that_shake_hands_are_found() -> None:
    machine = NETWORK | {"message": NETWORK["message"] | {"ready_rendezvous": True}}
    assert fit(_simulated(machine), "network").ready_rendezvous
    assert not fit(_simulated(NETWORK), "network").ready_rendezvous


def test_a_fit_finds_the_parameters_of_a_network_again() -> None:
    found = fit(_simulated(NETWORK), "network")
    assert found.eager_limit == 16384
    assert found.values["latency"] == pytest.approx(2.5e-6, rel=0.02)
    assert found.values["per_byte"] == pytest.approx(80e-12, rel=0.02)
    assert found.values["overhead_send"] == pytest.approx(0.7e-6, rel=0.02)
    assert found.values["overhead_receive"] == pytest.approx(0.4e-6, rel=0.02)
    assert found.gap_s == pytest.approx(1.5e-6, rel=0.05)


def test_a_gap_that_the_overheads_hide_is_not_made_up() -> None:
    machine = NETWORK | {"nic": {"gap": "100 ns"}}
    assert fit(_simulated(machine), "network").gap_s == 0.0


def test_a_fit_bears_noise_and_a_few_wild_times() -> None:
    rng = np.random.default_rng(1)
    points = [Point(p.kind, p.size, p.seconds * rng.normal(1.0, 0.02)) for p in _simulated(NODE)]
    for index in range(0, len(points), 25):
        wild = points[index]
        points[index] = Point(wild.kind, wild.size, 10 * wild.seconds)
    found = fit(points, "node")
    assert found.eager_limit == 8192
    assert found.values["per_byte"] == pytest.approx(1 / 12e9, rel=0.1)
    assert found.values["overhead_send"] == pytest.approx(700e-9, rel=0.1)


def test_no_limit_is_told_where_all_messages_are_eager() -> None:
    machine = NODE | {"node": {k: v for k, v in NODE["node"].items() if k != "eager_limit"}}
    assert fit(_simulated(machine), "node").eager_limit is None


@pytest.mark.parametrize(("machine", "nodes"), [(NODE, 1), (NETWORK, 4)])
def test_the_machine_file_loads_and_repeats_what_it_was_made_from(
    tmp_path: Path, machine: dict[str, Any], nodes: int
) -> None:
    result = calibration.calibrate(_all(machine, nodes))
    assert calibration.median_error(result.residuals) < 0.01
    assert calibration.median_error(result.training) < 0.02
    assert calibration.median_error(result.validation) < 0.02
    assert {entry.operation for entry in result.training} == {"allreduce"}
    assert {entry.operation for entry in result.validation} == {"bcast"}
    path = tmp_path / "mine.toml"
    path.write_text(result.text, encoding="utf-8")
    loaded = load_machine(path)
    assert loaded.hardware.node["flops"] == pytest.approx(2e10)
    assert loaded.hardware.node["memory_bandwidth"] == pytest.approx(8e9)
    assert "Median error" in result.text and "simulated" in result.text


def test_a_fit_finds_the_rates_of_copies_and_sums_again() -> None:
    found = fit_local_work(bench.measure_simulated(_spec(RATED), "kernels"), 50.0)
    assert found is not None and found.cache == 65536
    expected = {
        "copy": 1 / 8e9,
        "sum": 1 / 5e9,
        "block": 4e-9,
        "uncached_copy": 1 / 4e9,
        "uncached_sum": 1 / 2.5e9,
    }
    for name, value in expected.items():
        assert getattr(found, name) == pytest.approx(value, rel=0.02), name
    assert fit_local_work(bench.measure_simulated(_spec(NODE), "kernels"), 50.0) is None


def test_a_cache_is_found_where_overwriting_what_was_sent_is_slow() -> None:
    # Medians in us of 4 KiB, 16 KiB, ... on two cores that share no cache.
    times = {
        "sum": (0.08, 1.9, 7.6, 30, 34, 157),
        "copy": (0.06, 0.31, 1.2, 6.3, 23, 209),
        "copy_sent": (0.07, 1.8, 7.5, 29, 52, 264),
        "copy_rows": (0.35, 1.3, 5.0, 21, 83, 350),
    }
    rows = tuple(
        Row("", name, 4096 * 4**i, np.array([1e-6 * time]), {})
        for name, of_name in times.items()
        for i, time in enumerate(of_name)
    )
    found = fit_local_work(bench.Measurements("kernels", 2, "", rows), 50.0)
    assert found is not None and found.cache == 1 << 20
    assert 15e9 < 1 / found.uncached_copy < 25e9 < 1 / found.copy


def test_copies_and_sums_are_in_the_prediction_of_collectives(tmp_path: Path) -> None:
    kernels = bench.measure_simulated(_spec(RATED), "kernels")
    result = calibration.calibrate(_all(RATED, 1) | {"kernels": kernels}, training=())
    assert calibration.median_error(result.validation) < 0.02
    assert any(entry.name == "sum" for entry in result.residuals)
    path = tmp_path / "rated.toml"
    path.write_text(result.text, encoding="utf-8")
    node = load_machine(path).hardware.node
    assert node["sum_bandwidth"] == pytest.approx(5e9, rel=0.02)
    assert node["cache"] == 65536
    # Without them an allreduce of 64 KiB comes out too short.
    blind = calibration.calibrate(_all(RATED, 1), training=())
    assert min(entry.error for entry in blind.validation) < -0.2


def test_shared_cores_are_refused() -> None:
    measured = _all(NODE, 1)
    measured["pingpong"] = replace(measured["pingpong"], ranks=8, cores=2)
    with pytest.raises(ConfigError, match="8 ranks share 2 cores"):
        calibration.calibrate(measured)
    assert main(["calibrate", "-n", "1000000", "-o", "never.toml"]) == 2
    assert not Path("never.toml").exists()


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    pytest.importorskip("xarray")
    with pytest.raises(ConfigError, match="kernels is missing"):
        calibration.calibrate({k: v for k, v in _all(NODE, 1).items() if k != "kernels"})
    with pytest.raises(ConfigError, match=r"pingpong\.nc"):
        calibration.load_measurements(tmp_path)
    with pytest.raises(ConfigError, match="at least 4 sizes"):
        fit([Point("standard", 8, 1e-6)], "node")
    assert main(["calibrate", "-o", str(tmp_path / "mine.json")]) == 2


def test_the_command_calibrates_from_a_folder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("xarray")
    pytest.importorskip("matplotlib")
    from tradewind.results.netcdf import write_netcdf

    for name, measurements in _all(NODE, 1).items():
        write_netcdf(measurements.to_xarray(), tmp_path / f"{name}.nc")
    output = tmp_path / "machines" / "mine.toml"
    assert main(["calibrate", "--from", str(tmp_path), "-o", str(output), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["eager_limit"] == 8192 and told["median_residual"] < 0.01
    assert load_machine(output).name == "mine"
    monkeypatch.chdir(tmp_path)
    assert main(["list", "machines"]) == 0
    assert "calibrated" in capsys.readouterr().out
    assert load_machine("mine").hardware == load_machine(output).hardware
    folder = tmp_path / "machines" / "mine-calibration"
    assert (folder / "residuals.png").stat().st_size > 10_000
    assert {path.name for path in folder.glob("*.nc")} == {
        f"{name}.nc" for name in ("pingpong", "overhead", "kernels", "collectives")
    }


def _slower(machine: dict[str, Any]) -> dict[str, Any]:
    """Returns a machine whose messages cost more, as they do between other work."""
    message = {**machine["message"], "overhead_send": "910 ns", "overhead_receive": "520 ns"}
    node = {**machine["node"], "memory_latency": "390 ns", "message_bandwidth": "9 GB/s"}
    return {**machine, "message": message, "node": node}


def test_collectives_refine_the_fit_and_those_left_out_are_predicted_better() -> None:
    measured = _all(NODE, 1)
    operations = ["alltoallv", "allreduce", "allgather", "bcast", "barrier"]
    measured["collectives"] = bench.measure_simulated(
        _spec(_slower(NODE)), "collectives", operations=operations, sizes=[8, 4096, 65536]
    )
    measured["neighbor"] = bench.measure_simulated(
        _spec(_slower(NODE)), "neighbor", sizes=[8, 4096]
    )
    before = calibration.calibrate(measured, training=())
    after = calibration.calibrate(measured)
    held_out = [one for one in before.validation if one.operation not in calibration.TRAINING]
    assert {one.operation for one in after.validation} == {"allgather", "bcast", "barrier"}
    assert calibration.median_error(held_out) > 0.15
    assert calibration.median_error(after.validation) < 0.05
    assert calibration.median_error(after.neighbor) < calibration.median_error(before.neighbor)
    told = after.to_dict()
    assert told["median_validation_error"] == calibration.median_error(after.validation)
    by_operation = told["errors_by_operation"]
    assert [name for name, one in by_operation.items() if one["in_fit"]] == [
        "alltoallv",
        "allreduce",
    ]
    assert by_operation["bcast"]["cases"] > 0 and not by_operation["neighbor"]["in_fit"]
    assert "not in the fit" in after.text


def _noisy(spread: float) -> Any:
    """Returns a measurement whose rounds differ, on a simulated node; and what was called."""
    exact = _all(NODE, 1)
    exact["neighbor"] = bench.measure_simulated(_spec(NODE), "neighbor", sizes=[8])
    random = np.random.default_rng(3)
    calls: list[str] = []

    def measure(name: str, ranks: int, **settings: Any) -> Measurements:
        calls.append(name)
        rows = [
            replace(row, seconds=row.seconds * random.lognormal(0.0, spread))
            for row in exact[name].rows
        ]
        return replace(exact[name], rows=tuple(rows), ranks=ranks)

    return measure, calls


def test_rounds_end_when_times_are_precise_and_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure, calls = _noisy(0.01)
    monkeypatch.setattr(bench, "measure", measure)
    path, notes = tmp_path / "measurements.json", list[str]()
    rounds = Rounds(2, None, 5)
    calibration.measure_rounds(rounds, path, Effort(precision=0.03, limit_s=100), notes.append)
    assert len(rounds.rounds) == 6 and len(calls) == 30
    assert notes[-1] == rounds.end
    assert notes[-1].startswith("precise enough after 6 rounds: half of the times are known to")
    again = Rounds(2, None, 5)
    again.take_over(path)
    calibration.measure_rounds(again, path, Effort(precision=0.03), notes.append)
    assert len(calls) == 30 and again.width(50) == rounds.width(50)
    for name, joined in rounds.joined().items():
        for mine, theirs in zip(joined.rows, again.joined()[name].rows, strict=True):
            np.testing.assert_array_equal(mine.seconds, theirs.seconds)
            assert mine.values == theirs.values
    more = Rounds(2, None, 5)
    more.take_over(path)
    calibration.measure_rounds(more, path, Effort(precision=0.001, limit_s=0), notes.append)
    assert len(more.rounds) == 6
    assert notes[-1].startswith("the limit of 0 s is reached after 6 rounds: half of the times")
    assert notes[-1].endswith("not to 0.1%")


def test_kept_rounds_of_other_conditions_or_damaged_ones_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "measure", _noisy(0.01)[0])
    path = tmp_path / "measurements.json"
    calibration.measure_rounds(Rounds(2, None, 5), path, Effort(limit_s=0), print)
    for other, words in (
        (Rounds(4, None, 5), "ranks = 2, not 4; --fresh"),
        (Rounds(2, "srun", 5), "launcher = None, not srun; --fresh"),
        (Rounds(2, None, 9), "repetitions = 5, not 9; --fresh"),
    ):
        with pytest.raises(ConfigError, match=words):
            other.take_over(path)
    path.write_text(path.read_text().replace("standard", "other", 1))
    with pytest.raises(ConfigError, match="damaged"):
        Rounds(2, None, 5).take_over(path)


def test_an_interrupted_round_leaves_the_finished_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    measure, calls = _noisy(0.01)

    def interrupted(name: str, ranks: int, **settings: Any) -> Measurements:
        if len(calls) == 12:
            raise KeyboardInterrupt
        found: Measurements = measure(name, ranks, **settings)
        return found

    monkeypatch.setattr(bench, "measure", interrupted)
    path = tmp_path / "measurements.json"
    with pytest.raises(Interrupted, match="2 rounds are in"):
        calibration.measure_rounds(Rounds(2, None, 5), path, Effort(), print)
    kept = Rounds(2, None, 5)
    kept.take_over(path)
    assert len(kept.rounds) == 2


def _nothing_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(*arguments: Any, **settings: Any) -> None:
        raise AssertionError("measured before all was checked")

    monkeypatch.setattr(bench, "measure", measure)


def test_what_is_missing_is_found_before_anything_is_measured(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _nothing_is_measured(monkeypatch)
    module = sys.modules["tradewind.calibration.calibrate"]
    monkeypatch.setattr(module, "usable_cores", lambda: 4)
    monkeypatch.setattr("tradewind.mpi.run", lambda *arguments: {"nodes": 1})
    (tmp_path / "file").write_text("")
    blocked = tmp_path / "file" / "mine.toml"
    assert main(["calibrate", "-o", str(blocked)]) == 2
    assert f"{blocked.parent}: is a file; expected a folder" in capsys.readouterr().err
    assert main(["calibrate", "-o", "/proc/nowhere/mine.toml"]) == 1
    assert "mine.toml: cannot be written" in capsys.readouterr().err

    def no_mpi(*arguments: Any) -> None:
        raise ConfigError("no MPI")

    monkeypatch.setattr("tradewind.mpi.run", no_mpi)
    assert main(["calibrate", "-o", str(tmp_path / "mine.toml")]) == 2
    assert "no MPI" in capsys.readouterr().err

    def need(module: str, purpose: str, extra: str = "report") -> None:
        raise Error(f"{purpose} need {module}")

    monkeypatch.setattr("tradewind.extras.need", need)
    for more in ([], ["--from", str(tmp_path)]):
        assert main(["calibrate", "-o", str(tmp_path / "mine.toml"), *more]) == 1
        assert "fits need scipy.optimize" in capsys.readouterr().err


def test_the_command_measures_in_rounds_and_takes_them_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    measure, calls = _noisy(0.01)
    monkeypatch.setattr(bench, "measure", measure)
    monkeypatch.setattr(calibration, "check_needs", lambda *arguments: None)
    words = ["calibrate", "-o", str(tmp_path / "mine.toml"), "--json", "--limit", "0"]
    counts = []
    for more in ([], [], ["--fresh"]):
        assert main([*words, *more]) == 0
        told = json.loads(capsys.readouterr().out)
        assert told["rounds"]["end"].startswith("the limit of 0 s is reached after 1 rounds")
        assert told["median_validation_error"] is not None
        assert told["median_neighbor_error"] is not None
        counts.append(len(calls))
    assert counts == [5, 5, 10]
    assert main([*words, "-n", "3"]) == 2
    assert "was measured with ranks = 2, not 3; --fresh" in capsys.readouterr().err
    assert main(words[:3]) == 0
    assert "Predicted operations" in capsys.readouterr().out
