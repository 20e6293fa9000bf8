"""Graphs of the halos of models: who sends how many items to whom."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli

import tradewind as tw
from tradewind.config.halo_graph import HaloGraph, halo_graph, models_with_halo
from tradewind.config.partition import item_graph, metis
from tradewind.errors import ConfigError
from tradewind.extrapolation.rank_graph import TO, RankGraph
from tradewind.mesh import generate, write_mesh
from tradewind.models.case import Case

# Models, the settings of their cases, and the other ones of one step without data.
CASES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "homme": ("homme", {"ne": 4}, {"steps": 1}),
    "homme by metis": ("homme", {"ne": 4, "partition": "metis"}, {"steps": 1}),
    "homme, DG": ("homme", {"ne": 4, "method": "dg"}, {"steps": 1}),
    "fvwam, one ring": ("fvwam", {"directions": 12, "frequencies": 8}, {"steps": 1}),
    "fvwam, two rings": (
        "fvwam",
        {"directions": 12, "frequencies": 8, "scheme": "limited"},
        {"steps": 1},
    ),
    "semi_lagrangian": ("semi_lagrangian", {"grid": [48, 24, 4]}, {"steps": 1}),
    "semi_lagrangian, far": (
        "semi_lagrangian",
        {"grid": [48, 24, 4], "time_step": "7200 s"},
        {"steps": 1},
    ),
}


@pytest.fixture(scope="module")
def sea(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("halo") / "sea.nc"
    write_mesh(generate(642), path)
    return str(path)


def graph_of(model: str, settings: dict[str, Any], ranks: int) -> HaloGraph:
    return halo_graph(model, Case.read(model, {model: settings}).settings, ranks)


def settings_of(name: str, sea: str) -> tuple[str, dict[str, Any], dict[str, Any]]:
    model, own, more = CASES[name]
    return model, own | ({"mesh": sea} if model == "fvwam" else {}), more


def test_every_model_with_a_halo_is_tested() -> None:
    assert set(models_with_halo()) == {model for model, _, _ in CASES.values()}


@pytest.mark.parametrize("ranks", [1, 2, 5, 12])
@pytest.mark.parametrize("name", CASES)
def test_edges_are_the_traffic_of_an_exchange(name: str, ranks: int, sea: str) -> None:
    model, own, more = settings_of(name, sea)
    graph = graph_of(model, own, ranks)
    edges = np.zeros((ranks, ranks), np.int64)
    edges[graph.source, graph.target] = graph.items
    assert np.count_nonzero(edges) == len(graph.items)
    run = tw.simulate(
        {
            "machine": {"name": "fattree-m"},
            "program": own | more | {"name": model, "ranks": ranks},
            "simulation": {"matrix_bins": ranks},
        }
    )
    assert run.matrix is not None
    sent = run.matrix.bytes.astype(np.int64)
    if ranks == 1:
        assert len(graph.items) == 0
        return
    # The largest wind of semi_lagrangian is a reduction of 8 bytes, less than an item.
    unit = int(np.median(sent[edges > 0] // edges[edges > 0]))
    assert unit >= 32
    assert np.array_equal(sent // unit, edges)
    assert np.all(sent % unit <= (8 if model == "semi_lagrangian" else 0))


def test_the_edge_list_is_read_again(tmp_path: Path) -> None:
    graph = halo_graph("semi_lagrangian", {"grid": [16, 8, 1]}, 6)
    path = tmp_path / "halo.edges"
    path.write_text(graph.text, encoding="utf-8")
    links = RankGraph.read(path, "", 6).links[TO]
    assert np.array_equal(links.owners, graph.source)
    assert np.array_equal(links.others, graph.target)
    assert np.array_equal(links.weights, graph.items)


def test_the_partition_of_a_case_is_that_of_the_graph() -> None:
    given = {"ne": 3}
    owners = metis(item_graph("homme", given, 7), 7)
    listed = "".join(f"{rank}\n" for rank in owners)
    by_list = halo_graph("homme", given | {"partition": "metis", "partition_file": listed}, 7)
    found = halo_graph("homme", given | {"partition": "metis"}, 7)
    assert found.text == by_list.text
    assert found.text != halo_graph("homme", given, 7).text


@pytest.mark.parametrize(
    ("model", "settings", "ranks", "words"),
    [
        (
            "semi_lagrangian",
            {"grid": [16, 8, 1], "exchange": "on_demand"},
            4,
            "depends on the wind",
        ),
        ("semi_lagrangian", {"grid": [8, 4, 1]}, 33, "33"),
        ("homme", {"ne": 2}, 25, "25"),
        ("homme", {"ne": 600}, 2, "at most"),
        ("pstswm", {}, 4, "pstswm: has no halo whose size the case fixes; models with one: "),
    ],
)
def test_what_has_no_graph_is_refused(
    model: str, settings: dict[str, Any], ranks: int, words: str
) -> None:
    with pytest.raises(ConfigError, match=words):
        halo_graph(model, settings, ranks)


def test_the_command_writes_and_tells(cli: Cli, tmp_path: Path) -> None:
    case, edges = tmp_path / "case.toml", tmp_path / "halo.edges"
    case.write_text(
        '[semi_lagrangian]\ngrid = [48, 24, 4]\ntime_step = "7200 s"\n', encoding="utf-8"
    )
    done = cli("graph", "semi_lagrangian", str(case), "-n", "8", "-o", str(edges), "--json")
    assert done.returncode == 0, done.stderr
    graph = graph_of("semi_lagrangian", {"grid": [48, 24, 4], "time_step": "7200 s"}, 8)
    assert edges.read_text(encoding="utf-8") == graph.text
    told = json.loads(done.stdout)
    assert told["sent"]["mean"] == told["received"]["mean"] == graph.items.sum() / 8
    assert told["neighbours"] == {"least": 3, "mean": 4, "most": 5}
    shown = cli("graph", "semi_lagrangian", str(case), "-n", "8")
    assert "neighbours" in shown.stdout
    refused = cli("graph", "semi_lagrangian", str(tmp_path / "none.toml"), "-n", "8")
    assert refused.returncode == 2
    assert "none.toml" in refused.stderr
    assert cli("graph", "pstswm", str(case), "-n", "8").returncode == 2
