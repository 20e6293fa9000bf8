"""Python as people write it: values of all kinds, machines, results in notebooks, progress."""

from __future__ import annotations

import io
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tradewind as tw
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError, Error
from tradewind.runs import display
from tradewind.runs.limits import check_runs
from tradewind.runs.progress import ProgressDisplay

PLAIN: dict[str, Any] = {
    "machine": {
        "topology": {"name": "torus", "extents": [4, 4]},
        "link": {"bandwidth_gb_per_s": 10.0, "latency": "100 ns"},
    },
    "program": {"name": "transposition", "grid": [32, 16, 8], "ranks": 8},
    "simulation": {"seed": 3, "timeline": True},
    "sweep": {"program.ranks": [2, 4], "simulation.seed": [1, 2, 3]},
}
AS_WRITTEN: dict[str, Any] = {
    "machine": {
        "topology": {"name": np.str_("torus"), "extents": (np.int16(4), 4)},
        "link": {"bandwidth_gb_per_s": np.float64(10), "latency": "100 ns"},
    },
    "program": {"name": "transposition", "grid": np.array([32, 16, 8]), "ranks": np.int32(8)},
    "simulation": {"seed": np.array(3), "timeline": np.bool_(True)},
    "sweep": {"program.ranks": 2 ** np.arange(1, 3), "simulation.seed": range(1, 4)},
}


def test_values_of_numpy_tuples_and_ranges_are_those_of_plain_python() -> None:
    plain, written = Experiment.load(PLAIN), Experiment.load(AS_WRITTEN)
    assert written.raw == plain.raw
    assert written.axes == plain.axes
    assert written.text == plain.text
    assert [one.key for one in written.members()] == [one.key for one in plain.members()]


def test_overrides_and_keywords_take_them_too(small: dict[str, Any]) -> None:
    run = tw.simulate(
        small, {"program.grid": (np.int64(16), 16, 8)}, ranks=np.uint8(4), threads=np.int8(1)
    )
    assert run.ranks == 4
    settings = run.spec.program
    assert settings["grid"] == [16, 16, 8]
    assert settings.changed(grid=np.array([8, 8, 8]))["grid"] == [8, 8, 8]


def test_paths_are_accepted_as_text_or_as_paths(tmp_path: Path, sweep_file: Path) -> None:
    nodes = tmp_path / "nodes.txt"
    nodes.write_text("0 1 2 3", encoding="utf-8")
    for path in (nodes, str(nodes)):
        changes = {"placement": {"rule": "file", "file": path}, "sweep": {}}
        assert tw.simulate(sweep_file, changes, ranks=4).ranks == 4
    assert len(tw.simulate(str(sweep_file), directory=str(tmp_path / "out"))) == 6


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"program": {"ranks": {1, 2}}}, r"experiment: program\.ranks: set '\{1, 2\}' is no value"),
        ({"program": {"ranks": 1j}}, r"program\.ranks: complex '1j' is no value of a setting"),
        ({1: 2}, r"experiment: the key 1 of a table is no text"),
        (3, r"int is no experiment; expected the path of a TOML file"),
        ({"program": {"ranks": Fraction(1, 2)}, "machine": "laptop"}, "expected a whole number"),
    ],
)
def test_values_that_no_setting_has_are_refused_with_their_place(given: Any, told: str) -> None:
    with pytest.raises(ConfigError, match=told):
        Experiment.load(given, {"program.name": "allreduce", "program.bytes": "8 B"}).members()


def test_values_inside_themselves_are_refused(small: dict[str, Any]) -> None:
    small["program"]["grid"] = small
    with pytest.raises(ConfigError, match="nested more than"):
        tw.simulate(small)


def test_a_machine_can_be_changed_and_passed_on(small: dict[str, Any]) -> None:
    machine = tw.Machine("fattree-m")
    assert machine == tw.load_machine("fattree-m")
    faster = machine.with_({"nic.per_node": np.int64(2)}, link={"bandwidth": "20 GB/s"})
    assert machine.hardware.link.number("bandwidth") == 10e9
    assert faster.hardware.link.number("bandwidth") == 20e9
    assert faster.hardware.nic.whole("per_node") == 2
    assert faster != machine and hash(faster) == hash(machine)
    again = faster.with_({"link.bandwidth_gb_per_s": 30})
    assert again.hardware.link.number("bandwidth") == 30e9
    assert again.hardware.nic.whole("per_node") == 2
    small["machine"] = faster
    run = tw.simulate(small)
    assert run.spec.hardware.tables() == faster.hardware.tables()
    assert run.machine == "fattree-m"


def test_a_machine_with_another_topology_takes_nothing_over_from_its_own() -> None:
    torus = tw.Machine("fattree-m").with_(topology={"name": "torus", "extents": (4, 4, 4)})
    assert torus.hardware.topology["extents"] == [4, 4, 4]
    back = torus.with_(topology={"name": "torus", "extents": (2, 2)}, routing="dimension_order")
    assert back.hardware.topology["extents"] == [2, 2]
    with pytest.raises(ConfigError, match='did you mean "bandwidth"'):
        torus.with_(link={"band_width": "1 GB/s"})
    with pytest.raises(ConfigError, match='unknown machine; did you mean "torus-m"'):
        tw.Machine("torus-x")


def test_a_machine_of_a_file_is_the_same_for_an_experiment_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sweep_file: Path
) -> None:
    here = tmp_path / "here"
    here.mkdir()
    (here / "mine.toml").write_text(
        '[topology]\nname = "star"\nnodes = 8\n[link]\nbandwidth = "1 GB/s"\nlatency = "1 us"\n',
        encoding="utf-8",
    )
    monkeypatch.chdir(here)
    machine = tw.Machine(Path("mine.toml"))
    run = tw.simulate(sweep_file, {"machine": machine, "sweep": {}})
    assert run.machine == "mine"


def test_machines_tell_their_network_and_changes() -> None:
    machine = tw.Machine("torus-m").with_(link={"bandwidth": "20 GB/s"})
    assert repr(machine) == (
        '<Machine torus-m: torus, dimension_order routing with link.bandwidth = "20 GB/s">'
    )
    assert "bandwidth 20 GB/s" in machine._repr_html_()


def test_a_sweep_takes_machines(small: dict[str, Any]) -> None:
    machine = tw.Machine("torus-m")
    small["sweep"] = {"machine": (machine, machine.with_(link={"latency": "1 ns"}))}
    runs = tw.simulate(small)
    assert [run.parameters["machine"] for run in runs] == [
        "torus-m",
        "torus-m, link latency 1 ns",
    ]
    assert [run.spec.hardware.link.whole("latency") for run in runs] == [100_000, 1_000]


def test_runs_and_sets_of_runs_have_the_same_results(sweep_file: Path, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    runs = tw.simulate(sweep_file)
    one = tw.simulate(sweep_file, {"sweep": {}}, directory=tmp_path / "one")
    assert isinstance(one, tw.Run) and isinstance(runs, tw.RunSet)
    for result in (one, runs):
        frame = result.to_pandas()
        assert isinstance(frame, pandas.DataFrame)
        assert len(frame) == len(result.runs)
        assert list(frame["time_s"]) == [run.time_s for run in result.runs]
        assert {"program", "machine", "messages", "delay_p99_s", "hash"} <= set(frame.columns)
        assert result.to_xarray()["time_s"].size == len(result.runs)
        assert result._repr_html_().count("<tr>") == 1 + len(result.runs)
        assert len(repr(result)) < 120
    frame = runs.to_pandas()
    assert list(frame.columns[:2]) == ["ranks", "algorithm"]
    assert list(frame["algorithm"][:2]) == ["recursive_doubling", "ring"]
    assert repr(runs).startswith("<RunSet small: 6 runs (3 ranks x 2 algorithm), ")


def test_a_table_of_many_runs_shows_the_first_and_the_last(small: dict[str, Any]) -> None:
    small["sweep"] = {"simulation.seed": range(30)}
    small["simulation"]["network"] = "analytic"
    shown = tw.simulate(small)._repr_html_()
    assert shown.count("<tr>") == 1 + 10 + 1 + 10
    assert "<td>...</td>" in shown and "<td>29</td>" in shown and "<td>15</td>" not in shown


def test_failed_runs_are_told_and_texts_are_escaped(
    sweep_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tradewind.runs.run import Failure, RunSet

    experiment = Experiment.load(sweep_file, {"experiment.title": "<b>a & b</b>"})
    members = experiment.members()
    runs = RunSet(experiment, [Failure(member, "Error", "x < y") for member in members])
    assert "&lt;b&gt;a &amp; b&lt;/b&gt;" in runs._repr_html_()
    assert "x &lt; y" in runs._repr_html_()
    assert repr(runs) == "<RunSet small: 0 runs (3 ranks x 2 algorithm), 6 failed>"


def test_without_pandas_the_error_says_what_to_install(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = tw.simulate(small)
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(Error, match=r'data frames need the package pandas: pip install "tradewind'):
        run.to_pandas()


def test_pictures_without_a_path_are_figures(small: dict[str, Any], tmp_path: Path) -> None:
    figures = pytest.importorskip("matplotlib.figure")
    run = tw.simulate(small)
    figure = run.plot.links()
    assert isinstance(figure, figures.Figure)
    assert figure._repr_png_().startswith(b"\x89PNG")
    assert run.plot.links(tmp_path / "links.png") == tmp_path / "links.png"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_shown_on_a_terminal_and_where_it_is_wanted(
    sweep_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment = Experiment.load(sweep_file)
    members = experiment.members()
    predictions = check_runs(members, experiment.source)
    monkeypatch.setenv("TERM", "xterm")
    for stream, progress, short, expected in (
        (io.StringIO(), None, False, display.Silent),
        (Terminal(), None, False, ProgressDisplay),
        (Terminal(), None, True, display.Silent),
        (Terminal(), False, False, display.Silent),
        (io.StringIO(), True, True, ProgressDisplay),
    ):
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setattr(display, "is_short", lambda prediction, short=short: short)
        with display.shown(members, predictions, progress) as shown:
            assert isinstance(shown, expected)


def test_a_run_in_this_process_moves_its_bar(
    small: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = Terminal()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", stream)
    assert isinstance(tw.simulate(small, progress=True), tw.Run)
    assert "all runs" in stream.getvalue()
    assert "done: " not in stream.getvalue()


def test_a_single_run_can_be_kept_and_its_error_has_its_class(
    small: dict[str, Any], tmp_path: Path
) -> None:
    first = tw.simulate(small, directory=tmp_path / "out")
    again = tw.simulate(small, directory=tmp_path / "out")
    assert again.wall_s == first.wall_s
    assert tw.simulate(small, directory=tmp_path / "out", fresh=True).wall_s != first.wall_s
    with pytest.raises(ConfigError, match="no keyword of simulate"):
        tw.simulate(small, resum=True)


def test_a_sweep_goes_on_by_default(sweep_file: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    first = tw.sweep(sweep_file, out)
    assert (tw.sweep(sweep_file, out)["wall_s"] == first["wall_s"]).all()
    assert (tw.sweep(sweep_file, out, resume=True)["wall_s"] == first["wall_s"]).all()
    assert not (tw.sweep(sweep_file, out, fresh=True)["wall_s"] == first["wall_s"]).all()
