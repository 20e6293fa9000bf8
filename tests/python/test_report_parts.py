"""Parts of the report from single runs: origin, critical paths, phases, time line, links, recording."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from trace_cases import NONBLOCKING, US, Recording

from tradewind import host
from tradewind.config.experiment import Experiment
from tradewind.inspection.summary import inspect
from tradewind.results.netcdf import read_netcdf
from tradewind.runs import paths
from tradewind.runs.paths import with_critical_paths
from tradewind.runs.plan import write_plan
from tradewind.runs.run import RunSet
from tradewind.runs.sweep import run_all
from tradewind.trace_file import read_trace

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytest.importorskip("plotly")

import xarray
from test_report import unpacked

from tradewind.report.output import load_results, write_results
from tradewind.report.page import (
    busiest_links,
    figures,
    recorded,
    replay,
    stacked,
    time_line,
    write_report,
)

STEP = {
    "machine": {
        "topology": {"name": "torus", "extents": [4, 4], "nodes_per_switch": 1},
        "link": {"bandwidth": "10 GB/s", "latency": "100 ns"},
    },
    "program": {
        "name": "phases",
        "ranks": 16,
        "repeat": 3,
        "phase": [
            {"kind": "compute", "name": "physics", "time": "20 us"},
            {"kind": "halo", "grid": [48, 48, 4], "width": 1},
            {"kind": "allreduce", "name": "sums", "bytes": "1 kB"},
        ],
    },
    "sweep": {"program.ranks": [4, 16]},
    "simulation": {"link_details": True, "timeline": True},
}


def made(folder: Path, tables: dict[str, Any]) -> RunSet:
    """Makes the runs of an experiment in a folder, as `tradewind simulate` does."""
    experiment = Experiment.load(tables)
    write_plan(experiment, folder)
    runs = run_all(experiment, folder)
    write_results(runs, folder, lambda text: None, plots=False)
    return runs


@pytest.fixture(scope="module")
def step(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunSet, Path, str]:
    folder = tmp_path_factory.mktemp("step")
    runs = made(folder, STEP)
    text = write_report(folder, folder / "report.html").read_text(encoding="utf-8")
    return runs, folder, text


def test_runs_tell_date_host_and_processor_also_when_they_are_read(
    step: tuple[RunSet, Path, str],
) -> None:
    runs, folder, _ = step
    again = load_results(folder, str(runs.to_xarray().attrs["tradewind_version"]))
    assert [run.origin for run in again] == [run.origin for run in runs]
    for run in runs:
        assert run.origin is not None
        age = datetime.now(UTC) - datetime.fromisoformat(run.origin["date"])
        assert 0 <= age.total_seconds() < 3600
        assert run.origin["processor"] == host.processor_name()
        assert run.origin["cores"] == host.usable_cores()


def test_the_page_states_experiment_version_date_processor_and_cost(
    step: tuple[RunSet, Path, str],
) -> None:
    runs, folder, text = step
    origin = runs[0].origin
    assert origin is not None
    attributes = read_netcdf(folder / "results.nc").attrs
    (line,) = re.findall(r'<p class="soft">(2 of 2 runs.*?)</p>', text)
    assert (
        f"Simulated by Tradewind {attributes['tradewind_version']}, {origin['date'][:10]}" in line
    )
    assert f"UTC, on {host.processor_name()}, {host.usable_cores()} cores, " in line
    assert "of processor time" in text
    assert "of memory.</li>" in text


def test_phases_that_repeat_add_up_to_the_simulated_time(step: tuple[RunSet, Path, str]) -> None:
    runs, _, _ = step
    figure = stacked.phases(runs.to_xarray())
    assert figure is not None
    traces = {t["name"]: t["y"] for t in figure["views"]["all runs\ntime"]["traces"]}
    assert traces["physics"] == pytest.approx([3 * 20e-6] * 2, rel=1e-5)
    sums = [sum(bar) for bar in zip(*traces.values(), strict=True)]
    assert sums == pytest.approx([run.time_s for run in runs], rel=1e-4)


def test_short_runs_get_a_critical_path_within_the_time(step: tuple[RunSet, Path, str]) -> None:
    runs, _, text = step
    found = with_critical_paths(runs, 1e3)
    assert (found.too_long, found.refused) == (0, 0)
    for run in found.runs:
        assert run.critical_path is not None
        run.critical_path.check(run.time_s)
    data = found.runs.to_xarray()
    np.testing.assert_allclose(data["path_s"].sum("path_kind"), runs.time_s)
    shortest = min(run.cpu_s for run in runs)
    some = with_critical_paths(runs, shortest)
    assert some.too_long == 1
    assert [run.critical_path is not None for run in some.runs].count(True) == 1
    assert with_critical_paths(runs, 0.0).too_long == 2
    figures = json.loads(unpacked(text, "figures"))
    parts = figures["part-0-path"]["views"]["all runs\ntime"]["traces"]
    assert {"compute", "wire"} <= {part["name"] for part in parts}
    assert "computation of ranks" in figures["part-0-path"]["note"]


def test_runs_without_a_critical_path_are_counted_on_the_page(
    step: tuple[RunSet, Path, str], tmp_path: Path
) -> None:
    _, folder, _ = step
    page = write_report(folder, tmp_path / "page.html", path_s=0.0).read_text(encoding="utf-8")
    assert "part-0-path" not in json.loads(unpacked(page, "figures"))
    assert "2 of 2 runs are left out of the critical paths" in page


def test_a_run_that_comes_out_differently_is_no_critical_path(
    step: tuple[RunSet, Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Changed:
        @staticmethod
        def simulate(tables: Any, progress: Any) -> dict[str, Any]:
            return {**runs[0].raw, "hash": "another", "critical_path": {"kinds": []}}

    runs, _, _ = step
    monkeypatch.setattr(paths.core, "load", Changed)
    assert with_critical_paths(runs, 1e3).refused == 2


def test_the_time_line_has_every_phase_and_message_and_says_what_it_leaves_out(
    step: tuple[RunSet, Path, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    runs, _, _ = step
    figure = time_line.time_line(runs.runs)
    assert figure is not None
    assert [run["ranks"] for run in figure["runs"]] == [16, 4]
    first = figure["runs"][0]
    marks = {phase["name"]: len(phase["rank"]) for phase in first["phases"]}
    assert marks == {"physics": 48, "halo": 48, "sums": 48}
    assert len(first["messages"]["sent"]) == runs[1].counts["messages"]
    assert first["left"] == ""
    monkeypatch.setattr(time_line, "_MOST_MARKS", 10)
    monkeypatch.setattr(time_line, "_MOST_RUNS", 1)
    cut = time_line.time_line(runs.runs)
    assert cut is not None
    assert cut["runs"][0]["left"] == "Shown: the first 10 of 144 phases of ranks."
    assert "1 of 2 runs with a time line" in cut["note"]
    begins = [begin for phase in cut["runs"][0]["phases"] for begin in phase["begin"]]
    assert max(begins) == 0.0


def test_the_busiest_links_are_named_by_class_and_switches(
    step: tuple[RunSet, Path, str],
) -> None:
    runs, _, text = step
    run = runs[1]
    details = run.raw["link_details"]
    busiest = int(np.argmax(details["utilisation"]))
    table = busiest_links.busiest_links(runs.to_xarray(), runs.runs)
    rows = re.findall(r"<tr>(<td.*?)</tr>", table)
    cells = re.findall(r"<td[^>]*>(.*?)</td>", rows[0])
    here, there = (int(details[name][busiest]) for name in ("switch", "to_switch"))
    assert cells[:4] == [
        "ranks 16",
        "link",
        f"switch {here} to switch {there}",
        f"{100 * run.links.max:.3g} %",
    ]
    # On the torus of 4 x 4 switches a link joins neighbours in one direction.
    steps = {(abs(a % 4 - b % 4) % 2, abs(a // 4 - b // 4) % 2) for a, b in _ends(details)}
    assert steps <= {(1, 0), (0, 1)}
    assert "<h3>Busiest links</h3>" in text


def _ends(details: dict[str, Any]) -> list[tuple[int, int]]:
    return list(zip(details["switch"].tolist(), details["to_switch"].tolist(), strict=True))


@pytest.fixture(scope="module")
def replayed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the replay of a recording, and its page."""
    folder = tmp_path_factory.mktemp("replayed")
    recording = Recording(2)
    for rank in range(2):
        recording.call(rank, "init")
        peer = 1 - 2 * rank
        recording.call(rank, "send", [peer, 0, 8, 0], flags=NONBLOCKING, site="a.f90:1")
        recording.call(rank, "recv", [peer, 0, 8, 1], flags=NONBLOCKING, site="a.f90:2")
        begin = (10 + 30 * rank) * US
        recording.call(rank, "wait", [0, 1], computed=begin, inside=35 * US, site="a.f90:3")
        recording.call(rank, "allreduce", [8], inside=2 * US, site="a.f90:4")
        recording.call(rank, "finalize")
    recording.write(folder / "program.trace")
    made(folder, _replay(folder / "program.trace", phases="sites"))
    return folder


def _section(runs: RunSet, recording: Path | None) -> str:
    """The section on a recording, with the names of its figures."""
    return replay.replay_section(runs.runs, recording, lambda figure: str(figure["id"]))


def _replay(trace: Path, **settings: str) -> dict[str, Any]:
    program = {"name": "trace", "trace": str(trace), "computation": "wall", **settings}
    return {"machine": "laptop", "program": program, "experiment": {"title": "replay"}}


def test_the_page_of_a_replay_has_call_sites_and_wait_states(replayed: Path) -> None:
    text = write_report(replayed, replayed / "report.html").read_text(encoding="utf-8")
    section = text.partition("<h3>Recorded program</h3>")[2].partition("<h3>Runs</h3>")[0]
    assert "program.trace: 12 calls on 2 ranks, 2 messages with 16 B" in section
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in section.split("<tr>")]
    sites = {tuple(row[:2]): row[2:] for row in rows if row}
    assert sites["wait", "a.f90:3"][:2] == ["2", "70 \N{MICRO SIGN}s"]
    assert len(sites["wait", "a.f90:3"]) == 3
    waits = [row for row in rows if row and row[0] == "wait at NxN"]
    assert waits
    assert waits[0][1:3] == ["MPI_Allreduce", "a.f90:4"]


def test_without_phases_the_sites_are_those_of_the_recording(
    replayed: Path, tmp_path: Path
) -> None:
    runs = made(tmp_path, _replay(replayed / "program.trace"))
    section = _section(runs, replayed / "program.trace")
    assert "Recorded time by call site" in section
    assert "MPI_Waitall" in section
    assert _section(runs, None) == ""


def test_the_page_of_a_replay_has_the_figures_of_the_recording(replayed: Path) -> None:
    found = inspect(read_trace(replayed / "program.trace"))
    figures = {figure["id"]: figure for figure in recorded.recorded_figures(found)}
    parts = figures["recorded-times"]["views"][""]["traces"]
    assert [part["name"] for part in parts] == ["computation", "wait states", "the rest of MPI"]
    whole = np.sum([part["y"] for part in parts], axis=0)
    assert whole == pytest.approx(found.per_rank.total_s, rel=1e-4)
    assert "Rank 1 computes longest, 60 % longer" in figures["recorded-times"]["note"]
    sizes = figures["recorded-sizes"]["views"][""]["traces"]
    assert [(row["x"], row["y"]) for row in sizes] == [(["8 B"], [1.0])] * 2
    (panel,) = figures["recorded-matrix"]["runs"][0]["panels"]
    assert panel["quantities"]["bytes"]["values"] == [0, 8, 8, 0]
    (line,) = figures["recorded-time-line"]["runs"]
    bars = {bar["name"]: bar for bar in line["phases"]}
    assert set(bars) == {"waits and probes", "collectives"}
    assert bars["waits and probes"]["begin"] == pytest.approx([10e-6, 40e-6])
    assert bars["waits and probes"]["time"] == pytest.approx([35e-6, 35e-6])
    page = write_report(replayed, replayed / "figures.html").read_text(encoding="utf-8")
    order = [page.index(f'<figure id="part-0-{key}"') for key in figures]
    assert page.index("<h3>Recorded program</h3>") < order[0]
    assert order == sorted(order)


def test_many_ranks_share_the_bars_of_a_recording(tmp_path: Path) -> None:
    recording = Recording(300)
    for rank in range(300):
        recording.call(rank, "init")
        recording.call(rank, "barrier", computed=rank * US, inside=US)
        recording.call(rank, "finalize")
    figures = list(recorded.recorded_figures(inspect(recording.trace(tmp_path / "many.trace"))))
    assert [figure["id"] for figure in figures] == ["recorded-times", "recorded-time-line"]
    computed = figures[0]["views"][""]["traces"][0]
    assert computed["x"][:2] == ["0-2", "3-5"]
    assert computed["y"][1] == pytest.approx(4e-6)
    assert len(computed["x"]) == 100
    assert "of the first 32 ranks" in figures[1]["note"]


def test_a_recording_that_is_gone_or_changed_is_told(replayed: Path, tmp_path: Path) -> None:
    trace = tmp_path / "program.trace"
    trace.write_bytes((replayed / "program.trace").read_bytes())
    runs = made(tmp_path / "results", _replay(trace))
    other = Recording(2)
    other.write(trace)
    assert "program.trace: the recording has changed" in _section(runs, trace)
    trace.unlink()
    assert "not here any more" in _section(runs, trace)
    text = write_report(tmp_path / "results", tmp_path / "page.html").read_text(encoding="utf-8")
    assert "The values are those of results.nc: " in text
    assert "No such file or directory" in text


def test_names_are_bars_and_numbers_and_quantities_are_lines() -> None:
    times = xarray.DataArray([1.0, 2.0], dims="along", attrs={"units": "s"})
    for along, mode in (
        ([1, 2], "lines+markers"),
        (["1 KiB", "1 MiB"], "lines+markers"),
        (["torus-m", "fattree-m"], "bars"),
    ):
        figure = figures.scaling(xarray.Dataset({"time_s": times.assign_coords(along=along)}))
        assert figure is not None
        (view,) = figure["views"].values()
        assert [trace["mode"] for trace in view["traces"]] == [mode]
