"""worley1998: machine files from tables 1 and 3, and the layout of the tables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import tradewind as tw
from tradewind import core
from tradewind.config.machine import load_machine
from tradewind.runs.run import Run, RunSet
from tradewind.studies import load_study
from tradewind.studies.evaluation import Context, NotTestableError
from tradewind.studies.worley1998 import (
    baselines,
    choices,
    fit,
    measured,
    protocols,
    table3,
    table4,
    table5,
)
from tradewind.studies.worley1998.printed import (
    ABOUT,
    LIBRARIES,
    MACHINES,
    MESHES,
    protocol_losses,
    run_times,
    serial_rates,
    swaps,
)

xarray = pytest.importorskip("xarray")


def context_of(
    part: str, tmp_path: Path, runs: dict[str, RunSet], *, full: bool = False
) -> Context:
    study = load_study("worley1998")
    return Context(study, full, {}, runs, lambda note: None, {}, tmp_path / part)


def test_the_printed_tables_are_whole() -> None:
    assert len(serial_rates()) == 8 * 5
    assert len(swaps()) == 50
    assert len(protocol_losses()) == 2 * 8 * 4
    opt = [key for key in run_times() if key[3] == "opt"]
    assert len(opt) == 84
    # Spot checks against the paper.
    assert serial_rates()["SGI/CR T3E-900", "T42L16"] == pytest.approx(64.1e6)
    assert swaps()["Origin2000", "MPI", "ordered", 131072].protocol == "(1,3)"
    assert protocol_losses()["T3E", "swtrans", 32, "T42"] == pytest.approx((0.0, 1.43))
    assert run_times()["T3E", "T85L16", "DR", "opt", "SHMEM", "16x32"] == 12.6
    assert run_times()["Origin2000", "T85L16", "DTH", "coll", "MPI", "8x8"] == pytest.approx(1.2)


@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("machine", MACHINES)
def test_machine_files_hold_what_tables_1_and_3_say(machine: str, library: str) -> None:
    hardware = load_machine(ABOUT[machine].files[library]).hardware
    costs = fit.message_costs(machine, library)
    message, node, nic = hardware.message, hardware.node, hardware.nic
    assert message["overhead_send"] == pytest.approx(1e12 * costs.overhead_s, rel=1e-3)
    assert message["overhead_receive"] == message["overhead_send"]
    wire = 1 / float(nic["injection_bandwidth"])
    on_processor = 1e-12 * float(message["overhead_per_byte"])
    assert on_processor + wire == pytest.approx(costs.per_byte_s, rel=1e-3)
    assert node["memory_bandwidth"] == pytest.approx(fit.memory_bandwidth(machine), rel=1e-3)
    assert node["flops"] == pytest.approx(fit.flops_of(machine, 42, 64 * 128), rel=1e-3)
    # A link and two switches between neighbours take 50 ns each.
    flight = float(nic["injection_latency"]) + float(nic["ejection_latency"]) + 150e3
    assert flight == pytest.approx(1e12 * costs.flight_s, rel=1e-3)


@pytest.mark.parametrize("machine", MACHINES)
def test_rates_fall_with_the_points_of_a_processor(machine: str) -> None:
    for truncation in (42, 85):
        rates = [fit.rate_of(machine, truncation, points) for points in (1e3, 1e4, 1e5)]
        assert rates == sorted(rates, reverse=True)
    # The entries of Table 1 are met within the scatter of five points about a line.
    for name, levels in (("T42L1", 1), ("T42L3", 3), ("T42L16", 16)):
        printed = serial_rates()[ABOUT[machine].in_table1, name]
        assert fit.rate_of(machine, 42, 64 * 128 * levels) == pytest.approx(printed, rel=0.2)


def test_the_serial_step_takes_what_table_1_says() -> None:
    wanted = fit.PROBLEMS[42].flops / 79.4e6
    flops = fit.flops_at("T3E", 42, 79.4e6)
    assert fit._serial_step_s("T3E", 42, flops) == pytest.approx(wanted, rel=1e-4)


@pytest.mark.parametrize("method", ["DTH", "DR"])
def test_all_steps_of_a_run_take_equally_long(method: str) -> None:
    """Two steps tell the time of a step, as Table 5 assumes: against a run of twenty."""
    program = fit.model(42, levels=16, px=4, py=8) | {"method": method}
    raw = {"machine": "t3e900", "program": program, "simulation": {"packet_size": "auto"}}
    short = tw.simulate(raw)
    long = tw.simulate(raw, {"program.steps": 20})
    assert isinstance(short, Run) and isinstance(long, Run)
    assert short.time_s / fit.STEPS == pytest.approx(long.time_s / 20, rel=0.005)
    assert long.counts["messages"] == 10 * short.counts["messages"]


def test_table_5_has_the_layout_of_the_paper(tmp_path: Path) -> None:
    study = load_study("worley1998")
    part = study.parts["table5"]
    sweeps = table5.experiments(part, study, False)
    places = {f"{machine} {one}" for machine in MACHINES for one in LIBRARIES}
    assert set(sweeps) == places | {f"{place} analytic" for place in places}
    few = {
        name: only(sweeps[name], ("T42L16 DTH 4x4", "T42L16 DR 4x4"))
        for name in ("T3E MPI", "T3E MPI analytic")
    }
    result = table5.evaluate(part, context_of("table5", tmp_path, few))
    place = {"machine": "T3E", "resolution": "T42L16", "library": "MPI", "mesh": "4x4"}
    cell = result.data.sel({**place, "method": "DTH"})
    assert cell.printed_s == 30.9
    assert abs(float(cell.error)) < 0.25
    assert float(cell.gen_predicted) >= 0 and float(cell.coll_predicted) > 0
    assert np.isnan(result.data.predicted_s.sel({**place, "method": "DTH", "mesh": "8x8"}))
    table = result.tables["table5_t3e"]
    assert table.header == ("resolution", "alg.", "prot.", "library", "what", *MESHES)
    rows = {tuple(row[:5]): row[5:] for row in table.rows}
    printed = rows["T85L16", "DR", "opt", "MPI", "printed s"]
    assert printed == [228.9, 116.3, 61.7, 39.1, 37.4, 21.5, 18.9]
    assert rows["T42L16", "DTH", "opt", "MPI", "predicted s"][1:] == [None] * 6
    assert {"table5", "table5_baselines"} <= set(result.figures)
    # Little is in the way of a message on 16 processors.
    assert float(cell.analytic_s) == pytest.approx(float(cell.predicted_s), rel=0.05)
    own = result.data.baseline_error.sel(baseline=baselines.PREDICTION)
    assert float(own.sel({**place, "method": "DTH", "resolution": "T42L16"})) == float(cell.error)
    assert [row[0] for row in result.tables["table5_baselines"].rows] == list(baselines.BASELINES)


@pytest.mark.parametrize("method", ["DTH", "DR"])
@pytest.mark.parametrize("mesh", ["4x4", "8x8"])
def test_the_sum_of_hockney_has_the_messages_and_bytes_of_the_model(method: str, mesh: str) -> None:
    run = baselines.PrintedRun("T3E", "T42L16", method, "MPI", mesh)
    px, py = run.processes
    program = fit.model(42, levels=16, px=px, py=py) | {"method": method} | table5.GEN[method]
    raw = {"machine": "t3e900", "program": program, "simulation": {"network": "analytic"}}
    simulated = tw.simulate(raw)
    assert isinstance(simulated, Run)
    expected = baselines.traffic(run)
    steps = run.processors * fit.STEPS
    assert simulated.counts["messages"] / steps == expected.exchanges
    # Waves are not distributed evenly; what dfft sends is padded to whole vectors of lanes.
    assert simulated.counts["bytes"] / steps == pytest.approx(expected.sent, rel=0.02)


def test_baselines_are_what_their_words_say() -> None:
    run = baselines.PrintedRun("T3E", "T42L16", "DTH", "MPI", "8x8")
    computing = 360 * 4129859 * 16 / 64 / 79.4e6
    found = baselines.run_time_s(run, "no communication", "rates of one level")
    assert found == pytest.approx(computing)
    # 8 KB take 25 us, 2 MB go at 286 MB/s, both messages of a swap together.
    exchanged = baselines.traffic(run)
    step = exchanged.exchanges * 25e-6 + exchanged.sent * 2 / 286e6
    found = baselines.run_time_s(run, "Hockney", "rates of one level")
    assert found == pytest.approx(computing + 360 * step)
    assert sum(1 for one in baselines.printed_runs()) == 84


def test_errors_of_baselines_stand_beside_those_of_the_prediction() -> None:
    part = load_study("worley1998").parts["table5"]
    data = table5.outline(part, context_of("table5", Path(), {}))
    cells = data.predicted_s.copy()
    errors = baselines.errors(xarray.Dataset({"predicted_s": cells, "analytic_s": cells * np.nan}))
    ideal = errors.baseline_error.sel(baseline=baselines.IDEAL)
    place = {"machine": "T3E", "resolution": "T42L16", "library": "MPI", "method": "DTH"}
    assert float(ideal.sel({**place, "mesh": "8x8"})) == pytest.approx(30.9 / 4 / 7.4 - 1)
    assert np.isnan(ideal.sel({**place, "mesh": "4x4"}))
    median = errors.baseline_median
    assert np.isnan(median.sel(baseline=baselines.WITHOUT_PACKETS))
    # Numbers of the page, which need no simulation.
    for name, expected in {
        "no communication, rates as predicted": 0.487,
        "no communication, rates of the largest problem": 0.224,
        "Hockney, rates of one level": 0.150,
        "Hockney and packing, rates of one level": 0.0957,
        baselines.IDEAL: 0.131,
        baselines.IDEAL_OF_ALL: 0.113,
    }.items():
        assert float(median.sel(baseline=name)) == pytest.approx(expected, rel=5e-3), name


def test_choices_made_in_sight_of_table_5_are_told_from_the_others() -> None:
    in_sight = {name for name, one in choices.CHOICES_OF_MODEL.items() if one.in_sight}
    assert {"one-level rate", "unordered copies", "own messages", "shorter steps"} <= in_sight
    assert "free copies" not in in_sight
    longer = choices.CHOICES_OF_MODEL["longer steps"]
    assert longer.steps * 1800 == 1200


def test_bytes_can_take_what_they_take_in_ordered_swaps() -> None:
    changes = choices._bytes_of_ordered_swaps("T3E", "MPI")
    # 163 MB/s in all, of which the interface of the machine file has 500 MB/s.
    per_byte = float(str(changes["message"]["overhead_per_byte"]).removesuffix(" ns/B"))
    assert per_byte == pytest.approx(1e9 * (1 / 163e6 - 1 / 500e6), rel=1e-3)


def only(experiment: Any, beginnings: tuple[str, ...]) -> RunSet:
    """The runs of an experiment whose names begin in one of these ways."""
    members = [
        member
        for member in experiment.members()
        if str(member.parameters["series"]).startswith(beginnings)
    ]
    assert members
    core = tw.core.load()
    runs = [Run.of(m, core.simulate(m.spec.tables(), lambda *progress: True)) for m in members]
    return RunSet(experiment, runs)


def test_table_4_puts_algorithms_on_lines_of_processors() -> None:
    row = table4.program("srtrans", 32, "T85", "(0,6)")
    assert row["processes"] == [32, 1] and row["levels"] == 2 and row["fft"] == "srtrans"
    column = table4.program("halfsum", 8, "T42", "(0,1)")
    assert column["processes"] == [1, 8] and column["levels"] == 2
    assert column["legendre_allreduce"] == "halfsum" and column["protocol"] == "(0,1)"


def test_machine_files_swap_long_messages_as_printed(tmp_path: Path) -> None:
    study = load_study("worley1998")
    result = table3.evaluate_modelled(
        study.parts["table3_machines"], context_of("table3_machines", tmp_path, {})
    )
    unordered = result.data.error.sel(order="unordered", bytes=2097152)
    assert float(abs(unordered).max()) < 0.01


def test_short_swaps_can_be_made_as_slow_as_printed() -> None:
    changes = choices._overheads_of_short_swaps("T3E", "MPI")
    # 2 x 8192 B at 66 MB/s are 248 us.
    assert float(changes["message"]["overhead_send"].removesuffix(" ns")) > 50e3


def test_protocols_are_those_of_table_2_with_their_overlap_forms() -> None:
    names = protocols._names()
    assert len(names) == 7 + 7 + 6 + 6
    assert "(1,6)" in names and "(2,0)" not in names


def test_serial_rates_of_this_machine_are_plausible(tmp_path: Path) -> None:
    study = load_study("worley1998")
    part = study.parts["table1_here"]
    small = type(part)(**{**vars(part), "settings": {"reduced_gflop": 0.2}})
    result = measured.evaluate_table1(small, context_of("table1_here", tmp_path, {}))
    rates = result.data.flop_per_s.values
    # No processor that this runs on is slower than a T3E, or faster than 100 Gflop/s on one core.
    assert ((rates > 64e6) & (rates < 100e9)).all()


def test_on_one_core_nothing_is_measured_between_processes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = load_study("worley1998")
    for module, evaluate, name in (
        (table3, table3.evaluate_here, "table3_here"),
        (measured, measured.evaluate_table4, "table4_here"),
        (measured, measured.evaluate_table5, "table5_here"),
    ):
        monkeypatch.setattr(module, "usable_cores", lambda: 1)
        with pytest.raises(NotTestableError, match="one core"):
            evaluate(study.parts[name], context_of(name, tmp_path, {}))


def test_table_4_here_compares_protocols_and_transports(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def step_s(settings: dict[str, Any], ranks: int) -> float:
        return {"(0,6)": 3.0, "(0,3)": 2.0}.get(settings["protocol"], 4.0) * (
            0.25 if settings["transport"] == "puts" else 1.0
        )

    monkeypatch.setattr(measured, "_step_on_mpi_s", step_s)
    monkeypatch.setattr(measured, "usable_cores", lambda: 2)
    part = load_study("worley1998").parts["table4_here"]
    result = measured.evaluate_table4(part, context_of("table4_here", tmp_path, {}))
    (table,) = result.tables.values()
    assert [row[0] for row in table.rows] == list(table4.ALGORITHMS)
    assert list(table.rows[0][1:]) == ["(0,3)", 2000.0, 50.0, "(0,1)", 1000.0, 100.0]
    assert (result.data.sendrecv_loss == 0.5).all() and (result.data.two_sided_loss == 1.0).all()


def test_every_protocol_of_table_4_here_is_carried_by_its_transport() -> None:
    settings = load_study("worley1998").parts["table4_here"].settings
    assert set(settings["put_protocols"]) == set(core.load().put_protocols())
    assert set(settings["reduced_put_protocols"]) <= set(settings["put_protocols"])


def test_one_table_alone_gives_a_ledger_that_says_what_is_missing(cli: Cli, tmp_path: Path) -> None:
    done = cli("reproduce", "worley1998", "--only", "table3_machines", "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    ledger = json.loads(done.stdout)["ledger"]
    assert [entry["id"] for entry in ledger] == [f"W{number}" for number in range(1, 9)]
    assert {entry["verdict"] for entry in ledger} == {"not testable here"}
    assert "table3_here: not made" in ledger[1]["evidence"]
    assert (tmp_path / "out/tables/table3_machines.csv").is_file()
