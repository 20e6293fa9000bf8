from __future__ import annotations

import itertools
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tradewind as tw
from tradewind.config.axes import Axis
from tradewind.errors import ConfigError, Error
from tradewind.runs.run import RunSet

pytest.importorskip("matplotlib")

from matplotlib.figure import Figure

from tradewind.plots import PLOTS, delay
from tradewind.plots.style import legend_beside, line_styles, new_figure
from tradewind.units import seconds_text


def swept(small: dict[str, Any], changes: dict[str, Any]) -> RunSet:
    result = tw.simulate(small, changes)
    assert isinstance(result, RunSet)
    return result


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> RunSet:
    from conftest import SMALL

    changes = {
        "sweep.program.ranks": [4, 8],
        "sweep.machine.routing": ["dimension_order", "valiant"],
        "experiment.title": "a title",
        "simulation.packet_waits": True,
    }
    return swept(SMALL, changes)


@pytest.fixture(scope="module")
def radix_runs() -> RunSet:
    from conftest import SMALL

    changes = {
        "sweep.program.ranks": [4, 8],
        "sweep.program.alltoallv.radix": [1, 2, 4],
        "sweep.machine.routing": ["dimension_order", "valiant"],
    }
    return swept(SMALL, changes)


# The sweep that a kind of picture needs, where it is not that of routing rules.
SWEEPS = {"radix": "radix_runs"}


def runs_for(kind: str, request: pytest.FixtureRequest) -> RunSet:
    chosen = request.getfixturevalue(SWEEPS.get(kind, "runs"))
    assert isinstance(chosen, RunSet)
    return chosen


@pytest.mark.parametrize("networks", [["analytic"], ["analytic", "packet"]])
def test_pictures_are_drawn_of_every_network(
    small: dict[str, Any], tmp_path: Path, networks: list[str]
) -> None:
    runs = swept(small, {"sweep.simulation.network": networks})
    drawn = {path.stem for path in runs.plot.write_all(tmp_path)}
    assert "links" in drawn
    # One run would be one dot, and without packets there is no delay here.
    assert ("scaling" in drawn) == (len(networks) > 1)
    assert ("delay" in drawn) == ("packet" in networks)
    texts = [text.get_text() for text in runs.plot.figure("links").axes[0].texts]
    assert texts == (["no links between switches"] if networks == ["analytic"] else [])


def test_a_run_without_any_delay_has_no_picture_of_delays(tmp_path: Path) -> None:
    neighbours = {"name": "halo", "grid": [60, 60, 8], "width": 1, "processes": [2, 2], "ranks": 4}
    run = tw.simulate(
        {
            "machine": {"name": "fattree-m"},
            "program": neighbours,
            "simulation": {"matrix_bins": 4},
        }
    )
    assert run.delay.count > 0
    assert run.delay.max_s < 1e-9
    drawn = {path.stem for path in run.plot.write_all(tmp_path)}
    assert {"links", "matrix"} <= drawn
    assert "delay" not in drawn
    names = [panel.get_ylabel() for panel in run.plot.figure("matrix").axes]
    assert names == ["source rank", "bytes per cell"]
    with pytest.raises(Error, match="no message had a delay of 1 ns or more"):
        run.plot.delay(tmp_path / "delay.png")


def test_names_alone_are_bars_with_times_and_no_dots(small: dict[str, Any]) -> None:
    routings = ["dimension_order", "valiant"]
    runs = swept(small, {"sweep.machine.routing": routings})
    for kind, text in (("scaling", seconds_text), ("relative", lambda ratio: f"{ratio:.3g}")):
        (panel,) = runs.plot.figure(kind).axes
        assert [tick.get_text() for tick in panel.get_yticklabels()] == routings
        unit = 1.0 if kind == "scaling" else runs.time_s.min()
        widths = [bar.get_width() for bar in panel.patches]
        assert widths == pytest.approx([time / unit for time in runs.time_s])
        assert [one.get_text() for one in panel.texts] == [text(width) for width in widths]
        assert not panel.lines


def test_a_time_of_zero_leaves_units_on_the_axis(small: dict[str, Any]) -> None:
    small["program"] = {"name": "allreduce", "bytes": "8 B", "ranks": 1}
    figure = swept(small, {"sweep.program.ranks": [1, 2, 4]}).plot.figure("scaling")
    figure.draw_without_rendering()
    (panel,) = figure.axes
    assert panel.get_yscale() == "linear"
    texts = [tick.get_text() for tick in panel.get_yticklabels()]
    assert all(text.endswith("s") for text in texts)


@pytest.mark.parametrize("kind", sorted(PLOTS))
@pytest.mark.parametrize("ending", [".png", ".svg"])
def test_every_kind_of_picture_is_written(
    request: pytest.FixtureRequest, tmp_path: Path, kind: str, ending: str
) -> None:
    path = runs_for(kind, request).plot.write(kind, tmp_path / f"{kind}{ending}")
    content = path.read_bytes()
    assert content.startswith(b"\x89PNG" if ending == ".png" else b"<?xml")
    assert len(content) > 5000


@pytest.mark.parametrize("kind", sorted(PLOTS))
def test_every_panel_names_its_axes(request: pytest.FixtureRequest, kind: str) -> None:
    figure = runs_for(kind, request).plot.figure(kind)
    panels = [panel for panel in figure.axes if panel.get_label() != "<colorbar>"]
    assert any(panel.get_xlabel() for panel in panels)
    assert any(panel.get_ylabel() for panel in panels)


def test_scaling_has_one_line_per_series_with_all_its_ranks(runs: RunSet) -> None:
    (panel,) = runs.plot.figure("scaling").axes
    assert [line.get_label() for line in panel.get_lines()] == ["dimension_order", "valiant"]
    for line in panel.get_lines():
        assert list(line.get_xdata()) == [4.0, 8.0]  # type: ignore[arg-type]
    assert panel.get_xscale() == panel.get_yscale() == "log"
    assert panel.get_title() == "a title"


def test_sizes_of_a_sweep_go_to_the_right_under_their_own_names(small: dict[str, Any]) -> None:
    bandwidths = ["1 GB/s", "10 GB/s", "200 GB/s"]
    # A key that has one value only does not vary.
    changes = {"sweep.program.ranks": [8], "sweep.machine.link.bandwidth": bandwidths}
    (panel,) = swept(small, changes).plot.figure("scaling").axes
    (line,) = panel.lines
    assert list(line.get_xdata()) == [1e9, 1e10, 2e11]
    assert [text.get_text() for text in panel.get_xticklabels()] == bandwidths
    assert panel.get_xlabel() == "link bandwidth"


def test_a_long_legend_fits_beside_a_panel_of_the_usual_size(runs: RunSet) -> None:
    few, many = (delays_of(runs.runs[0], names) for names in (2, 40))
    for figure in (few, many):
        figure.draw_without_rendering()
    (panel,) = many.axes
    legend = panel.get_legend()
    assert legend is not None and len(legend.get_texts()) == 40
    assert many.bbox.containsx(legend.get_window_extent().x1)
    assert many.bbox.containsy(legend.get_window_extent().y0)
    usual = few.axes[0].get_window_extent()
    assert panel.get_window_extent().width > 0.9 * usual.width
    assert panel.get_window_extent().height >= 0.9 * usual.height


def test_a_legend_covers_no_line() -> None:
    for heights, is_inside in (((0.1, 0.2), True), ((0.1, 0.3, 0.5, 0.7, 0.9), False)):
        figure = new_figure()
        panel = figure.subplots()
        for height in heights:
            panel.plot([0, 1], [height, height], label="one of several lines")
        panel.set_ylim(0.0, 1.0)
        legend_beside(panel, "", len(heights))
        figure.draw_without_rendering()
        area, inside = panel.get_legend().get_window_extent(), panel.get_window_extent()
        assert (area.x1 <= inside.x1) == is_inside
        assert (area.x0 >= inside.x1) != is_inside


def delays_of(run: tw.Run, count: int) -> Figure:
    """The picture of as many runs, all alike, under long names."""
    names = tuple(f"a run with a long name, number {index}" for index in range(count))
    some = [replace(run, parameters={"name": name}) for name in names]
    return delay.draw(some, [Axis("name", names, ({},) * count)], "a title")


def test_radix_shows_the_fastest_of_every_rank_count(radix_runs: RunSet) -> None:
    panel, boxes = radix_runs.plot.figure("radix").axes
    lines = {line.get_label(): list(map(int, line.get_ydata())) for line in panel.get_lines()}  # type: ignore[arg-type]
    for routing, drawn in lines.items():
        for ranks, radix in zip((4, 8), drawn, strict=True):
            times = {
                run.parameters["radix"]: run.time_s
                for run in radix_runs
                if run.parameters["routing"] == routing and run.ranks == ranks
            }
            assert times[radix] == min(times.values())
    assert [text.get_text() for text in boxes.get_xticklabels()] == list(lines)


def test_relative_divides_by_the_fastest_with_as_many_ranks(runs: RunSet) -> None:
    (panel,) = runs.plot.figure("relative").axes
    lines = [list(map(float, line.get_ydata())) for line in panel.get_lines()]  # type: ignore[arg-type]
    times = {(run.parameters["routing"], run.ranks): run.time_s for run in runs}
    for line, routing in zip(lines, ("dimension_order", "valiant"), strict=True):
        for value, ranks in zip(line, (4, 8), strict=True):
            best = min(time for (_, n), time in times.items() if n == ranks)
            assert value == pytest.approx(times[routing, ranks] / best)
    assert [min(column) for column in zip(*lines, strict=True)] == [1.0, 1.0]


def test_a_run_by_itself_is_not_compared(small: dict[str, Any]) -> None:
    run = tw.simulate(small)
    assert isinstance(run, tw.Run)
    with pytest.raises(Error, match="vary something beside the number of ranks"):
        run.plot.relative("relative.png")


def test_a_picture_is_the_same_every_time(runs: RunSet, tmp_path: Path) -> None:
    first = runs.plot.scaling(tmp_path / "a.svg").read_bytes()
    assert first == runs.plot.scaling(tmp_path / "b.svg").read_bytes()


def test_the_methods_of_a_single_run_write_its_pictures(
    small: dict[str, Any], tmp_path: Path
) -> None:
    run = tw.simulate(small)
    assert isinstance(run, tw.Run)
    for method in (run.plot.scaling, run.plot.delay, run.plot.links, run.plot.matrix):
        assert method(tmp_path / f"{method.__name__}.png").stat().st_size > 5000


def test_an_unknown_kind_of_file_is_refused(runs: RunSet) -> None:
    with pytest.raises(ConfigError, match=r"allowed: \.png, \.svg, \.pdf"):
        runs.plot.scaling("picture.bmp")


def test_a_missing_matrix_is_told_with_the_key_that_asks_for_it(small: dict[str, Any]) -> None:
    run = tw.simulate(small, matrix_bins=0)
    assert isinstance(run, tw.Run)
    with pytest.raises(Error, match=r"simulation\.matrix_bins"):
        run.plot.matrix("matrix.png")


def test_lines_differ_in_more_than_colour() -> None:
    styles = line_styles(7)
    assert len({style["marker"] for style in styles}) == 7
    assert len({tuple(style.values()) for style in line_styles(28)}) == 28


def test_a_time_line_opens_in_perfetto(small: dict[str, Any], tmp_path: Path) -> None:
    run = tw.simulate(small)
    assert isinstance(run, tw.Run)
    trace = json.loads(run.plot.timeline(tmp_path / "trace.json").read_text(encoding="utf-8"))
    events = trace["traceEvents"]
    begins = [event for event in events if event["ph"] == "b"]
    ends = {event["id"]: event for event in events if event["ph"] == "e"}
    assert len(begins) == run.counts["messages"]
    assert all(ends[event["id"]]["ts"] >= event["ts"] for event in begins)
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["name"] for event in slices} == {phase.name for phase in run.phases}
    assert all(event["dur"] >= 0 and event["name"] for event in slices)
    for rank in range(run.ranks):
        own = [event for event in slices if event["pid"] == 2 and event["tid"] == rank]
        assert [event["name"] for event in own] == [phase.name for phase in run.phases]
        for before, after in itertools.pairwise(own):
            assert after["ts"] == pytest.approx(before["ts"] + before["dur"])
    last = max(event["ts"] + event["dur"] for event in slices)
    assert last == pytest.approx(run.time_s * 1e6)


def test_a_run_without_a_time_line_says_how_to_get_one(small: dict[str, Any]) -> None:
    run = tw.simulate(small, timeline=False)
    assert isinstance(run, tw.Run)
    with pytest.raises(Error, match=r"simulation\.timeline = true"):
        run.plot.timeline("trace.json")
