"""The HTML report in a headless browser: it draws, its controls work, and nothing complains."""

from __future__ import annotations

import base64
import contextlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import browser
from tradewind.config.experiment import Experiment
from tradewind.runs.plan import write_plan
from tradewind.runs.sweep import run_all

pytest.importorskip("xarray")
pytest.importorskip("plotly")

from tradewind.report.page import write_report

CHANGES = {
    "sweep.program.ranks": [4, 8, 16],
    "sweep.machine.topology": [
        {"name": "torus", "extents": [4, 4, 2], "nodes_per_switch": 1},
        {"name": "dragonfly", "group": [3, 2], "groups": 4, "nodes_per_switch": 1},
        {"name": "star", "nodes": 16},
    ],
    "simulation.link_map_bins": 8,
}
LEDGER = [
    {"id": "A", "claim": "one", "verdict": "reproduced", "evidence": "1"},
    {"id": "B", "claim": "two", "verdict": "not reproduced", "evidence": "2"},
]
PLOT = "document.querySelector('#part-0-{} .plot')"


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from conftest import SMALL

    folder: Path = tmp_path_factory.mktemp("page")
    experiment = Experiment.load(SMALL, CHANGES)
    write_plan(experiment, folder)
    run_all(experiment, folder)
    (folder / "ledger.json").write_text(json.dumps(LEDGER), encoding="utf-8")
    report = write_report(folder, folder / "report.html")
    with contextlib.ExitStack() as stack:
        try:
            driver = stack.enter_context(browser.opened(report))
        except browser.NoBrowserError as missing:
            pytest.skip(str(missing))
        yield driver


@pytest.fixture(autouse=True)
def quiet(page: Any) -> Iterator[None]:
    yield
    assert page.get_log("browser") == []


def ask(page: Any, figure: str, what: str) -> Any:
    return page.execute_script(f"const p = {PLOT.format(figure)}; return {what}")


def control(page: Any, figure: str, path: str) -> Any:
    return page.find_element("xpath", f"//figure[@id='part-0-{figure}']//{path}")


def button(page: Any, figure: str, text: str) -> Any:
    return control(page, figure, f"button[.='{text}']")


def choose(page: Any, figure: str, label: str, option: str) -> None:
    control(page, figure, f"label[contains(., '{label}')]/select/option[.='{option}']").click()


def test_every_figure_is_drawn(page: Any) -> None:
    assert page.execute_script("return document.documentElement.dataset.ready") == "yes"
    figures = ("scaling", "phases", "path", "delay", "links", "link-map", "matrix", "time-line")
    for figure in figures:
        assert ask(page, figure, "p.querySelectorAll('svg.main-svg').length") > 0
        assert ask(page, figure, "p.getBoundingClientRect().height") > 200
    assert not page.find_element("id", "trouble").is_displayed()


def test_nothing_was_asked_from_the_network(page: Any) -> None:
    script = "return performance.getEntriesByType('resource').map((e) => e.name)"
    names = page.execute_script(script)
    assert [name for name in names if not name.startswith(("data:", "blob:"))] == []


def test_a_series_goes_off_and_on_by_mouse_and_by_keyboard(page: Any) -> None:
    from selenium.webdriver.common.keys import Keys

    visible = "p.data.map((trace) => trace.visible)"
    box = control(page, "scaling", "fieldset//input[1]")
    box.click()
    assert ask(page, "scaling", visible) == [False, True, True]
    box.send_keys(Keys.SPACE)
    assert ask(page, "scaling", visible) == [True, True, True]
    button(page, "scaling", "none").click()
    assert ask(page, "scaling", visible) == [False, False, False]
    button(page, "scaling", "all").click()
    assert ask(page, "scaling", visible) == [True, True, True]


def test_another_quantity_and_a_linear_axis_are_drawn(page: Any) -> None:
    assert ask(page, "scaling", "p.layout.xaxis.type") == "log"
    control(page, "scaling", "label[contains(., 'log x')]/input").click()
    assert ask(page, "scaling", "p.layout.xaxis.type") == "linear"
    before = ask(page, "scaling", "p.data[0].y")
    choose(page, "scaling", "quantity", "messages")
    assert ask(page, "scaling", "p.layout.yaxis.title.text") == "messages"
    assert ask(page, "scaling", "p.data[0].y") != before
    choose(page, "scaling", "quantity", "simulated time")
    assert ask(page, "scaling", "p.data[0].y") == before


def test_zoom_buttons_narrow_and_restore_the_range(page: Any) -> None:
    width = "p._fullLayout.xaxis.range[1] - p._fullLayout.xaxis.range[0]"
    whole = ask(page, "delay", width)
    button(page, "delay", "Zoom in").click()
    assert ask(page, "delay", width) == pytest.approx(0.6 * whole)
    button(page, "delay", "Whole figure").click()
    assert ask(page, "delay", width) == pytest.approx(whole)


def test_dragging_over_a_part_zooms_into_it(page: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    width = "p._fullLayout.xaxis.range[1] - p._fullLayout.xaxis.range[0]"
    button(page, "links", "Whole figure").click()
    whole = ask(page, "links", width)
    area = page.find_element("css selector", "#part-0-links .nsewdrag")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", area)
    drag = ActionChains(page).move_to_element_with_offset(area, -100, -50).click_and_hold()
    drag.move_by_offset(200, 100).release().perform()
    browser.wait(page, f"const p = {PLOT.format('links')}; return {width} < {whole} * 0.8")
    button(page, "links", "Whole figure").click()


def test_a_histogram_has_no_gaps_and_goes_down_to_zero_where_bins_are_empty(page: Any) -> None:
    source = "JSON.parse(await unpacked('figures'))['part-0-links'].views"
    script = f"const done = arguments[0]; (async () => done({source}['16\\nnumber of links by utilisation'].traces))()"
    traces = page.execute_async_script(script)
    drawn = ask(page, "links", "p.data.map((trace) => trace.y)")
    for trace, heights in zip(traces, drawn, strict=True):
        filled = [index for index, count in enumerate(trace["y"]) if count > 0]
        inside = trace["y"][filled[0] : filled[-1] + 1]
        expected = [0.5, *(height for y in inside for height in (max(y, 0.5),) * 2), 0.5]
        assert heights == expected
    outline = "asSteps({x: [0, 1, 2, 3, 4], y: [0, 2, 0, 3, 0]}, 0.5)"
    assert page.execute_script(f"return {outline}.x") == [1, 1, 2, 2, 3, 3, 4, 4]
    assert page.execute_script(f"return {outline}.y") == [0.5, 2, 2, 0.5, 0.5, 3, 3, 0.5]
    assert "Empty bins" in control(page, "links", "p[contains(@class, 'remark')]").text
    ticks = ask(page, "links", "[p.layout.yaxis.tickvals[0], p.layout.yaxis.ticktext[0]]")
    assert ticks == [0.5, "0"]


def test_a_figure_is_saved_as_a_picture(page: Any) -> None:
    page.execute_script(
        "HTMLAnchorElement.prototype.click = function () { window.saved = [this.download, this.href]; }"
    )
    button(page, "scaling", "Save as picture").click()
    name, address = browser.wait(page, "return window.saved")
    assert name == "part-0-scaling.png"
    picture = base64.b64decode(address.removeprefix("data:image/png;base64,"))
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 10_000


def test_the_mouse_shows_a_value(page: Any) -> None:
    from selenium.webdriver.common.action_chains import ActionChains

    area = page.find_element("css selector", "#part-0-link-map .nsewdrag")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", area)
    ActionChains(page).move_to_element(area).perform()
    script = "return document.querySelector('#part-0-link-map .hoverlayer').textContent"
    text = browser.wait(page, script)
    assert "%" in text
    assert "x " in text


def test_link_maps_change_with_run_panel_layer_and_quantity(page: Any) -> None:
    shape = "[p.data[0].z.length, p.data[0].z[0].length]"
    assert ask(page, "link-map", shape) == [4, 4]
    slider = control(page, "link-map", "input[@type='range']")
    seen = []
    for layer in (1, 0):
        script = "arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input'))"
        page.execute_script(script, slider, layer)
        assert control(page, "link-map", "output").text == f"z {layer}"
        seen.append(ask(page, "link-map", "p.data[0].z"))
    assert seen[0] != seen[1]
    choose(page, "link-map", "quantity", "bytes")
    assert ask(page, "link-map", "Math.max(...p.data[0].z.flat())") > 100
    control(page, "link-map", "label[contains(., 'log colours')]/input").click()
    assert ask(page, "link-map", "p.data[0].zmax") < 20
    control(page, "link-map", "label[contains(., 'log colours')]/input").click()
    control(page, "link-map", "label[starts-with(., 'run')]/select/option[2]").click()
    choose(page, "link-map", "kind of link", "global")
    assert ask(page, "link-map", shape) == [4, 4]
    assert ask(page, "link-map", "p.layout.yaxis.title.text") == "from group"
    control(page, "link-map", "label[starts-with(., 'run')]/select/option[3]").click()
    assert ask(page, "link-map", "p.layout.yaxis.title.text") == "interface of a switch"


def test_values_are_there_as_a_table(page: Any) -> None:
    for figure in ("scaling", "link-map"):
        control(page, figure, "summary").click()
        rows = browser.wait(
            page, f"return document.querySelectorAll('#part-0-{figure} tbody tr').length"
        )
        assert rows == 3 if figure == "scaling" else rows > 0
        control(page, figure, "summary").click()


def test_the_comparison_is_sorted_and_searched(page: Any) -> None:
    cells = (
        "return [...document.querySelector('.sortable').querySelectorAll('tbody tr')]"
        ".filter((row) => !row.hidden)"
        ".map((row) => [...row.cells].map((cell) => cell.textContent))"
    )
    ratio = len(page.execute_script(cells)[0]) - 1
    head = page.find_elements("css selector", ".sortable th button")[ratio]
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", head)
    for order in ("ascending", "descending"):
        head.click()
        ratios = [float(row[ratio]) for row in page.execute_script(cells)]
        assert ratios == sorted(ratios, reverse=order == "descending")
        assert len(set(ratios)) > 1
    search = page.find_element("css selector", ".sortable input[type=search]")
    search.send_keys("STAR")
    assert {row[0] for row in page.execute_script(cells)} == {"star, nodes 16"}
    search.clear()
    search.send_keys(" ")
    assert len(page.execute_script(cells)) == 9


def test_every_tick_has_its_unit_also_after_a_zoom(page: Any) -> None:
    ticks = "[p.layout.xaxis.ticktext, p.layout.yaxis.ticktext]"
    ranks, times = ask(page, "scaling", ticks)
    assert ranks == ["4", "8", "16"]
    assert len(times) >= 3
    assert all(text.endswith("s") and text[-2] in " µn" for text in times)
    button(page, "scaling", "Zoom in").click()
    nearer = browser.wait(page, f"const p = {PLOT.format('scaling')}; return {ticks}[1]")
    assert nearer != times
    assert len(nearer) >= 2
    assert all(text.endswith("s") and text[-2] in " µn" for text in nearer)
    button(page, "scaling", "Whole figure").click()
    assert ask(page, "scaling", ticks) == [ranks, times]
    shares = ask(page, "delay", "p.layout.yaxis.ticktext")
    assert len(shares) >= 3
    assert all(text.endswith(" %") for text in shares)
    control(page, "delay", "label[contains(., 'log y')]/input").click()
    shares = ask(page, "delay", "p.layout.yaxis.ticktext")
    assert shares[0] == "0 %"
    assert all(text.endswith(" %") for text in shares)
    control(page, "delay", "label[contains(., 'log y')]/input").click()


def test_zeros_that_a_figure_cannot_show_are_told(page: Any) -> None:
    remark = "p[contains(@class, 'remark')]"
    choose(page, "scaling", "quantity", "smallest delay of a message")
    assert not control(page, "scaling", remark).is_displayed()
    control(page, "scaling", "label[contains(., 'log y')]/input").click()
    assert control(page, "scaling", remark).text.startswith("0 s: torus")
    choose(page, "scaling", "quantity", "simulated time")
    assert not control(page, "scaling", remark).is_displayed()


def test_the_parts_of_stacked_bars_add_up_to_the_simulated_time(page: Any) -> None:
    heights = "p.data.map((trace) => trace.y)"
    times = [value for line in ask(page, "scaling", heights) for value in line]
    for figure in ("phases", "path"):
        assert ask(page, figure, "p.layout.barmode") == "stack"
        parts = ask(page, figure, heights)
        assert len(parts) > 1
        assert [sum(bar) for bar in zip(*parts, strict=True)] == pytest.approx(times, rel=1e-3)
        choose(page, figure, "quantity", "share of the time")
        shares = [sum(bar) for bar in zip(*ask(page, figure, heights), strict=True)]
        assert shares == pytest.approx([1.0] * len(shares), rel=1e-3)
        choose(page, figure, "runs", "16 ranks")
        assert len(ask(page, figure, "p.data[0].x")) == 3
        choose(page, figure, "runs", "all runs")
        choose(page, figure, "quantity", "time")


def test_the_time_line_has_a_bar_for_each_phase_and_a_line_for_each_message(page: Any) -> None:
    messages = "p.data.filter((trace) => trace.name === 'messages')[0]"
    sent = ask(page, "time-line", f"{messages}.x.length / 3")
    assert sent > 16
    ranks = ask(page, "time-line", "[...new Set(p.data[0].y)].length")
    assert ranks == 16
    ends = "p.data.filter((t) => t.base).flatMap((t) => t.x.map((time, i) => t.base[i] + time))"
    (time,) = ask(page, "scaling", "p.data[0].y.slice(-1)")
    assert max(ask(page, "time-line", ends)) == pytest.approx(time, rel=1e-3)
    assert ask(page, "time-line", f"{messages}.visible") is True
    control(page, "time-line", "label[contains(., 'messages')]/input").click()
    assert ask(page, "time-line", f"{messages}.visible") is False
    control(page, "time-line", "label[starts-with(., 'run')]/select/option[2]").click()
    assert ask(page, "time-line", "p.data[0].y.length") > 0
    control(page, "time-line", "fieldset//input[1]").click()
    assert ask(page, "time-line", "p.data[0].visible") is False


def test_rows_without_a_value_come_last_in_either_order(page: Any) -> None:
    script = """
        const place = document.createElement('div');
        place.dataset.values = '[[2], [null], [1]]';
        place.innerHTML = '<table><thead><tr><th>n</th></tr></thead><tbody><tr><td>2</td></tr>'
            + '<tr><td>none</td></tr><tr><td>1</td></tr></tbody></table>';
        sortTable(place);
        const orders = [];
        for (let i = 0; i < 2; i++) {
            place.querySelector('button').click();
            orders.push([...place.querySelectorAll('td')].map((cell) => cell.textContent));
        }
        return orders;"""
    assert page.execute_script(script) == [["1", "2", "none"], ["2", "1", "none"]]


def test_verdicts_of_the_ledger_can_be_hidden(page: Any) -> None:
    rows = "return [...document.querySelectorAll('tr[data-verdict]')].map((row) => row.hidden)"
    assert page.execute_script(rows) == [False, False]
    box = page.find_element("css selector", "input[data-verdict='not reproduced']")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", box)
    box.click()
    assert page.execute_script(rows) == [False, True]


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_text_stands_out_from_the_background(page: Any, theme: str) -> None:
    page.find_element("css selector", f"#theme option[value='{theme}']").click()
    script = """
        const probe = document.body.appendChild(document.createElement('i'));
        const light = (name) => {
            probe.style.color = `var(${name})`;
            const parts = getComputedStyle(probe).color.match(/[0-9.]+/g).slice(0, 3);
            const [r, g, b] = parts.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        };
        const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        const found = ['--text', '--soft', '--link', '--good', '--bad', '--open'].flatMap(
            (name) => ['--back', '--panel'].map((back) => ratio(light(name), light(back))));
        probe.remove();
        return found;"""
    assert min(page.execute_script(script)) >= 4.5
    shown = "document.querySelector('#part-0-scaling .plot').layout.paper_bgcolor"
    back = "getComputedStyle(document.documentElement).getPropertyValue('--back').trim()"
    assert page.execute_script(f"return {shown} === {back}")


def test_everything_that_can_be_used_has_a_name(page: Any) -> None:
    script = """return [...document.querySelectorAll('select, input, button, summary, a')]
        .filter((node) => node.checkVisibility())
        .filter((node) => !(node.labels?.[0]?.textContent || node.textContent || '').trim()).length"""
    assert page.execute_script(script) == 0


def test_a_narrow_screen_scrolls_only_downwards(page: Any) -> None:
    size = page.get_window_size()
    page.set_window_size(520, 900)
    try:
        script = "return document.documentElement.scrollWidth <= innerWidth"
        assert browser.wait(page, script)
    finally:
        page.set_window_size(size["width"], size["height"])


def test_it_prints_in_light_colours_within_the_paper(page: Any) -> None:
    page.find_element("css selector", "#theme option[value='dark']").click()
    page.execute_script("dispatchEvent(new Event('beforeprint'))")
    assert ask(page, "scaling", "p.layout.paper_bgcolor") == "#ffffff"
    assert ask(page, "scaling", "p.querySelector('svg').getBoundingClientRect().width") < 700
    page.execute_script("dispatchEvent(new Event('afterprint'))")
    assert ask(page, "scaling", "p.layout.paper_bgcolor") != "#ffffff"
    width = "p.querySelector('svg').getBoundingClientRect().width"
    browser.wait(page, f"const p = {PLOT.format('scaling')}; return {width} > 700")
    content = base64.b64decode(page.print_page())
    assert content.startswith(b"%PDF")
    assert len(content) > 50_000
