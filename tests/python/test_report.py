"""The HTML report of a folder of results, without a browser; test_report_page.py has one."""

from __future__ import annotations

import base64
import json
import re
import resource
import shutil
import subprocess
import sys
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

from tradewind import core
from tradewind.cli import demo_command, main
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.report.output import load_outcomes
from tradewind.results.netcdf import write_netcdf
from tradewind.runs.plan import write_plan
from tradewind.runs.run import RunSet
from tradewind.runs.store import RunStore
from tradewind.runs.sweep import run_all

pytest.importorskip("xarray")
pytest.importorskip("netCDF4")
pytest.importorskip("plotly")

import xarray

from tradewind.report.page import write_report
from tradewind.report.page.selection import across
from tradewind.report.page.sources import read_contents

CHANGES = {
    "sweep.program.ranks": [4, 8],
    "sweep.machine.topology": [
        {"name": "torus", "extents": [4, 4], "nodes_per_switch": 2},
        {"name": "dragonfly", "group": [2, 2], "groups": 3, "nodes_per_switch": 1},
        {"name": "fat_tree", "arity": 3, "levels": 2},
    ],
    "simulation.link_map_bins": 8,
    "experiment.title": "a <b>title</b> & more",
}
LEDGER = [
    {"id": "Z1", "claim": "a < b", "verdict": "reproduced", "evidence": "1 < 2"},
    {
        "id": "Z2",
        "claim": "b < a",
        "verdict": "not reproduced",
        "evidence": "2 < 1",
        "parts": ["fig1"],
    },
    {"id": "Z3", "claim": "c", "verdict": "not testable here", "evidence": "no machine"},
]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunSet, Path]:
    from conftest import SMALL

    folder = tmp_path_factory.mktemp("results")
    experiment = Experiment.load(SMALL, CHANGES)
    write_plan(experiment, folder)
    runs = run_all(experiment, folder)
    write_netcdf(runs.to_xarray(), folder / "results.nc")
    return runs, folder


@pytest.fixture
def copied(results: tuple[RunSet, Path], tmp_path: Path) -> tuple[RunSet, Path]:
    runs, folder = results
    return runs, Path(shutil.copytree(folder, tmp_path / "copied"))


@pytest.fixture(scope="module")
def text(results: tuple[RunSet, Path]) -> str:
    _, folder = results
    return write_report(folder, folder / "report.html").read_text(encoding="utf-8")


def unpacked(text: str, key: str) -> str:
    found = re.search(rf'<script type="text/plain" id="{key}">([^<]*)</script>', text)
    assert found is not None
    return zlib.decompress(base64.b64decode(found.group(1))).decode()


class Tags(HTMLParser):
    """Every start tag with its attributes, and whether tags are closed in order."""

    _VOID = frozenset({"meta", "img", "input", "br"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self._VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_well_formed_and_has_what_a_screen_reader_needs(text: str) -> None:
    page = Tags(text)
    assert page.open == []
    names = [tag for tag, _ in page.tags]
    assert names.count("h1") == names.count("title") == names.count("main") == 1
    assert ("html", {"lang": "en"}) in page.tags
    assert all(attributes.get("alt") for tag, attributes in page.tags if tag == "img")
    identifiers = [attributes["id"] for _, attributes in page.tags if "id" in attributes]
    assert len(identifiers) == len(set(identifiers))
    links = [attributes["href"] or "" for tag, attributes in page.tags if tag == "a"]
    assert all(link.startswith("#") and link[1:] in identifiers for link in links)


def test_the_page_loads_nothing(text: str) -> None:
    page = Tags(text)
    for tag, attributes in page.tags:
        assert tag not in ("link", "iframe", "object", "base")
        assert (attributes.get("src") or "data:").startswith("data:")
    policies = [a["content"] for t, a in page.tags if t == "meta" and "http-equiv" in a]
    assert policies[0] is not None
    assert policies[0].startswith("default-src 'none'")
    assert "plotly.js v" in unpacked(text, "plotly")


def test_texts_of_the_user_are_escaped(text: str) -> None:
    assert "a &lt;b&gt;title&lt;/b&gt; &amp; more" in text
    assert "<b>title</b>" not in text


def test_figures_hold_the_values_of_the_runs(results: tuple[RunSet, Path], text: str) -> None:
    runs, _ = results
    figures = json.loads(unpacked(text, "figures"))
    kinds = ("scaling", "phases", "path", "delay", "links", "link-map", "matrix", "time-line")
    assert set(figures) == {f"part-0-{kind}" for kind in kinds}
    traces = figures["part-0-scaling"]["views"]["simulated time"]["traces"]
    assert [trace["x"] for trace in traces] == [[4, 8]] * 3
    drawn = np.array([trace["y"] for trace in traces]).T.ravel()
    np.testing.assert_allclose(drawn, runs.time_s, rtol=1e-5)
    assert all(figure["alt"].startswith(figure["title"]) for figure in figures.values())


@pytest.mark.parametrize(
    ("sizes", "right"),
    [
        ({"ranks": [100, 200], "radix": [2, 4]}, "ranks"),
        ({"ranks": [100], "radix": [2, 4]}, "radix"),
        ({"ranks": [100], "machine": ["a", "b"], "radix": [2, 4]}, "radix"),
        ({"ranks": [100], "bytes": ["1 KiB", "1 MiB"]}, "bytes"),
        ({"ranks": [100], "machine": ["a", "b"], "bytes": ["1 KiB", "1 MiB"]}, "bytes"),
        ({"ranks": [100], "machine": ["a", "b"], "routing": ["c", "d"]}, "machine"),
        ({"machine": ["a"], "routing": ["c"]}, "machine"),
        ({"ranks": [100], "radix": [4]}, "ranks"),
    ],
)
def test_what_varies_goes_to_the_right(sizes: dict[str, list[object]], right: str) -> None:
    shape = [len(labels) for labels in sizes.values()]
    assert across(xarray.DataArray(np.zeros(shape), coords=sizes, dims=list(sizes))) == right


def test_link_maps_hold_what_the_links_carried(results: tuple[RunSet, Path], text: str) -> None:
    runs, _ = results
    shown = json.loads(unpacked(text, "figures"))["part-0-link-map"]["runs"]
    largest = [run for run in runs if run.ranks == 8]
    assert [len(run["panels"]) for run in shown] == [len(run.link_map) for run in largest]
    for drawn, run in zip(shown, largest, strict=True):
        for panel, (name, made) in zip(drawn["panels"], run.link_map.items(), strict=True):
            assert panel["name"] == name.replace("_", " ")
            assert tuple(panel["shape"]) == made.links.shape
            values = panel["quantities"]["bytes"]["values"]
            assert [value is None for value in values] == (made.links == 0).ravel().tolist()
            total = sum(value or 0.0 for value in values)
            assert total == pytest.approx(float(made.bytes.sum()), rel=1e-3)
    names = [panel["name"] for run in shown for panel in run["panels"]]
    assert {"x up", "y down", "local x", "global", "up 0 to 1", "injection"} <= set(names)


def test_experiment_version_and_machine_with_its_settings_are_shown(text: str) -> None:
    assert f"<td>{core.load().version}</td>" in text
    assert "&quot;ring_k&quot;" in text
    assert "<td>bandwidth</td><td>10 GB/s</td>" in text


def test_a_report_is_the_same_every_time(
    results: tuple[RunSet, Path], tmp_path: Path, text: str
) -> None:
    _, folder = results
    assert write_report(folder, tmp_path / "again.html").read_text(encoding="utf-8") == text


def test_a_partial_sweep_says_what_failed_and_what_has_not_run(
    cli: Cli, copied: tuple[RunSet, Path]
) -> None:
    runs, folder = copied
    members = runs.experiment.members()
    error = {"kind": "DeadlockError", "message": "rank 0 waits <forever>"}
    RunStore(folder / "runs").save_failure(members[1], error, core.load().version)
    (folder / "runs" / f"{members[2].key}.json").unlink()
    kinds = [entry.kind for entry in load_outcomes(folder, core.load().version).failures]
    assert kinds == ["DeadlockError", "Missing"]
    done = cli("report", folder)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("report: ")
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "What is missing" in text
    assert "<td>failed</td><td>DeadlockError: rank 0 waits &lt;forever&gt;</td>" in text
    assert "<td>not run</td>" in text
    assert "4 of 6 runs" in text


def test_a_sweep_of_which_every_run_failed_has_a_report(copied: tuple[RunSet, Path]) -> None:
    runs, folder = copied
    for member in runs.experiment.members():
        error = {"kind": "Error", "message": "no luck"}
        RunStore(folder / "runs").save_failure(member, error, core.load().version)
    (folder / "results.nc").unlink()
    text = write_report(folder, folder / "report.html").read_text(encoding="utf-8")
    assert text.count("no luck") == 6
    assert "0 of 6 runs" in text


def test_runs_that_are_gone_without_a_file_are_wrong_input(copied: tuple[RunSet, Path]) -> None:
    _, folder = copied
    shutil.rmtree(folder / "runs")
    assert len(read_contents(folder).parts) == 1
    (folder / "results.nc").unlink()
    with pytest.raises(ConfigError, match="no finished run of version"):
        read_contents(folder)


def test_the_file_of_the_results_is_enough(
    results: tuple[RunSet, Path], tmp_path: Path, text: str
) -> None:
    _, folder = results
    (tmp_path / "results.nc").write_bytes((folder / "results.nc").read_bytes())
    alone = write_report(tmp_path, tmp_path / "page.html").read_text(encoding="utf-8")
    shown, drawn = (json.loads(unpacked(one, "figures")) for one in (alone, text))
    # The file has neither single messages nor what a report simulates again.
    assert shown == {k: v for k, v in drawn.items() if k not in ("part-0-time-line", "part-0-path")}


def test_several_experiments_of_a_folder_have_a_section_each(
    results: tuple[RunSet, Path], tmp_path: Path
) -> None:
    _, folder = results
    shutil.copytree(folder, tmp_path / "first")
    (tmp_path / "data").mkdir()
    shutil.copy(folder / "results.nc", tmp_path / "data" / "second.nc")
    text = write_report(tmp_path, tmp_path / "report.html").read_text(encoding="utf-8")
    for name in ("first", "second"):
        assert f"<h2>a &lt;b&gt;title&lt;/b&gt; &amp; more ({name})</h2>" in text
    assert {key.rsplit("-", 1)[0] for key in json.loads(unpacked(text, "figures"))} >= {
        "part-0",
        "part-1",
    }


def test_the_demo_ends_with_a_report(
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    sweep_file: Path,
    tmp_path: Path,
) -> None:
    monkeypatch.setattr(demo_command, "_demo_files", lambda: {"small": sweep_file})
    assert main(["demo", "-o", str(tmp_path / "demo")]) == 0
    printed = capsys.readouterr().out
    assert "/demo/report.html" in printed
    assert "6 runs of allreduce, machine laptop: ranks 2, 4, 8; algorithm" in " ".join(
        printed.split()
    )
    text = (tmp_path / "demo" / "report.html").read_text(encoding="utf-8")
    assert "<h1>a small sweep</h1>" in text


def test_a_ledger_with_tables_and_pictures_is_shown(tmp_path: Path) -> None:
    (tmp_path / "ledger.json").write_text(json.dumps(LEDGER), encoding="utf-8")
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "fig1.csv").write_text(
        'ranks,note\n10,"a, <i>b</i>"\n', encoding="utf-8"
    )
    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "fig1.png").write_bytes(b"\x89PNG")
    text = write_report(tmp_path, tmp_path / "report.html").read_text(encoding="utf-8")
    for kind, verdict in (
        ("good", "reproduced"),
        ("bad", "not reproduced"),
        ("open", "not testable here"),
    ):
        assert re.search(rf'verdict {kind}"><span aria-hidden="true">\S+</span> {verdict}<', text)
    assert "<td>a &lt; b</td>" in text
    (caption,) = re.findall(r"<figcaption>fig1(.*?)</figcaption>", text)
    assert re.findall(r"<b>(\w+)</b>.*?</span> b &lt; a</li>", caption) == ["Z2"]
    assert "<td>a, &lt;i&gt;b&lt;/i&gt;</td>" in text
    assert f'src="data:image/png;base64,{base64.b64encode(bytes([137]) + b"PNG").decode()}"' in text
    assert Tags(text).open == []


def test_parts_of_a_study_have_names_an_order_and_claims(
    results: tuple[RunSet, Path], tmp_path: Path
) -> None:
    runs, _ = results
    for name in ("fig10a", "fig1"):
        data = runs.to_xarray().assign_attrs(title=f"part {name}", part=name)
        write_netcdf(data, tmp_path / "data" / f"{name}.nc")
    (tmp_path / "ledger.json").write_text(json.dumps(LEDGER), encoding="utf-8")
    text = write_report(tmp_path, tmp_path / "report.html").read_text(encoding="utf-8")
    assert re.findall(r"<h2>part .*?</h2>", text) == [
        "<h2>part fig1 (fig1)</h2>",
        "<h2>part fig10a (fig10a)</h2>",
    ]
    first, second = text.split("<section")[-2:]
    assert re.findall(r"<b>(\w+)</b>", first) == ["Z2"]
    assert re.findall(r"<b>(\w+)</b>", second) == []

    (tmp_path / "figures").mkdir()
    (tmp_path / "figures" / "fig1.png").write_bytes(b"\x89PNG")
    text = write_report(tmp_path, tmp_path / "report.html").read_text(encoding="utf-8")
    pictures, first, _ = text.split("<section")[-3:]
    assert re.findall(r"<b>(\w+)</b>", pictures) == ["Z2"]
    assert re.findall(r"<b>(\w+)</b>", first) == []


def _plan(**changed: Any) -> str:
    whole = {"raw": {}, "text": "", "source": "s", "directory": ".", "overrides": {}, "axes": []}
    return json.dumps(whole | changed)


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (None, "no such folder"),
        ({}, "no results of tradewind here"),
        ({"results.nc": "not a file of that kind"}, "results.nc: cannot be read as NetCDF"),
        ({"results.nc": ""}, "results.nc: cannot be read as NetCDF"),
        ({"experiment.json": "{"}, "experiment.json: not a JSON file"),
        ({"experiment.json": _plan(axes=[{"name": 3, "labels": ["a"], "values": [{}]}])}, "axis 3"),
        ({"experiment.json": _plan(axes=[{"name": "a", "labels": [[]], "values": [{}]}])}, "axis"),
        ({"experiment.json": _plan(axes=[{"name": "a", "labels": [1], "values": []}])}, "axis"),
        ({"experiment.json": _plan(axes=[{"name": "a", "labels": [1], "values": [2]}])}, "axis"),
        ({"experiment.json": _plan(raw=[])}, "experiment.json: damaged: raw = []"),
        ({"experiment.json": _plan(directory=None)}, "damaged: directory = null"),
        ({"experiment.json": "[]"}, "experiment.json: damaged"),
        ({"ledger.json": '[{"id": "Z1"}]'}, "ledger.json: damaged"),
        ({"ledger.json": "7"}, "ledger.json: damaged"),
    ],
)
def test_wrong_folders_are_refused_by_name(
    tmp_path: Path, files: dict[str, str] | None, expected: str
) -> None:
    folder = tmp_path / "given"
    if files is not None:
        folder.mkdir()
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")
    with pytest.raises(ConfigError, match=re.escape(expected)) as caught:
        write_report(folder, folder / "report.html")
    assert "\n" not in str(caught.value)
    assert not (folder / "report.html").exists()


def test_wrong_input_ends_with_2_and_one_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "results.nc").write_bytes(b"CDF")
    for folder in (tmp_path, tmp_path / "absent"):
        done = cli("report", folder)
        assert done.returncode == 2, done.stderr
        assert done.stdout == ""
        assert done.stderr.count("\n") == 1


def test_a_full_disk_ends_with_1_and_leaves_nothing(
    results: tuple[RunSet, Path], tmp_path: Path
) -> None:
    _, folder = results
    code = (
        "import resource, signal, sys\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, {resource.RLIM_INFINITY}))\n"
        "from tradewind.cli import main\n"
        f"sys.exit(main(['report', {str(folder)!r}, '-o', {str(tmp_path / 'page.html')!r}]))"
    )
    done = run_python(code)
    assert done.returncode == 1, done.stderr
    assert "page.html: cannot be written" in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_a_page_has_no_title_twice(text: str) -> None:
    heads = re.findall(r"<h[1-3][^>]*>(.*?)</h[1-3]>", text)
    assert len(heads) == len(set(heads))
    assert "<h3>Summary</h3>" in text
