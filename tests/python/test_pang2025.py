"""pang2025: volumes between processes, and the ways to exchange cells on its machines."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tradewind.config.partition import ItemGraph
from tradewind.errors import ConfigError
from tradewind.studies import load_study
from tradewind.studies.catalogue import evaluator
from tradewind.studies.definition import Part
from tradewind.studies.evaluation import Context, Evaluation
from tradewind.studies.pang2025.volumes import received_cells

pytest.importorskip("xarray")
pytest.importorskip("pymetis")
pytest.importorskip("global_land_mask")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns a folder that keeps the meshes of all tests."""
    return tmp_path_factory.mktemp("pang2025")


def _evaluated(part: Part, folder: Path) -> Evaluation:
    study = load_study("pang2025")
    context = Context(study, False, {}, {}, lambda message: None, {}, folder / part.name)
    return evaluator(part.evaluate).evaluate(part, context)


def _part(name: str, **settings: Any) -> Part:
    part = load_study("pang2025").parts[name]
    return replace(part, settings={**part.settings, **settings})


def test_a_cell_is_received_once_however_many_cells_it_touches() -> None:
    # Cells 0 1 2 | 3 4, where 3 touches 1 and 2, and 4 touches 2.
    neighbours = [[1], [0, 2, 3], [1, 3, 4], [1, 2, 4], [2, 3]]
    first = np.cumsum([0, *map(len, neighbours)])
    flat = np.concatenate([np.array(some) for some in neighbours])
    graph = ItemGraph(first, flat, np.ones(len(flat), np.int64), np.arange(5))
    cells = received_cells(graph, np.array([0, 0, 0, 1, 1]), 2)
    assert cells.matrix(1).tolist() == [[0, 2], [2, 0]]
    assert cells.matrix(2).tolist() == [[4]]
    assert cells.of_receivers().tolist() == [2, 2]


def test_weak_progress_makes_messages_between_nodes_slow_if_nobody_waits_for_sends(
    folder: Path,
) -> None:
    part = _part("regional_methods", reduced_cells=3000, reduced_processes=[8, 56])
    found = _evaluated(part, folder)
    medians = found.data.median("seed")
    speedup = medians.exchange_speedup
    assert float(speedup.sel(way="graph", processes=8)) == pytest.approx(1, abs=0.2)
    for way in ("graph", "graph_random", "point_to_point_waited", "point_to_point_strong"):
        assert float(speedup.sel(way=way, processes=56)) > 2
    assert float(medians.share.sel(way="point_to_point", processes=56)) > 0.4
    assert int(found.data.cells) == pytest.approx(3000, rel=0.1)
    assert len(found.tables["regional_methods"].rows) == 2 * len(part.words("methods"))


def test_what_decides_is_progress(folder: Path) -> None:
    variants = {"as chosen": {}, "strong": {"message": {"progress": "strong"}}}
    part = _part("choices", reduced_cells=3000, reduced_processes=[56], variants=variants)
    speedup = _evaluated(part, folder).data.run_speedup.sel(processes=56).median("seed")
    assert float(speedup.sel(variant="as chosen")) > 1.5
    assert float(speedup.sel(variant="strong")) == pytest.approx(1, abs=0.05)


def test_a_seed_changes_the_computations_and_the_random_order(folder: Path) -> None:
    methods = ["point_to_point", "graph", "graph_random"]
    part = _part(
        "regional_methods",
        reduced_cells=3000,
        reduced_processes=[56],
        reduced_seeds=[1, 2],
        methods=methods,
    )
    found = _evaluated(part, folder)
    assert dict(found.data.sizes) == {"way": 3, "processes": 1, "seed": 2}
    for way in methods:
        first, second = found.data.communication_s.sel(way=way).values.ravel()
        assert first != second
    part = _part("placement", reduced_cells=3000, reduced_processes=[56], reduced_seeds=[1, 2])
    times = _evaluated(part, folder).data.time_s
    assert float(abs(times.diff("seed")).sel(order="random").max()) > 0
    assert float(abs(times.diff("seed")).sel(order=["metis", "mapped", "curve"]).max()) == 0


def test_the_graph_is_the_same_whoever_reads_it_again(folder: Path) -> None:
    part = _part("volumes", reduced_cells=3000, reduced_processes=[8])
    first = _evaluated(part, folder).data
    again = _evaluated(part, folder).data
    assert first.equals(again)
    assert float(first["mean"].sel(processes=8)) > 0
    assert sorted(path.name for path in (folder / "meshes").iterdir())[-1] == "region-3000.nc"


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"mesh": "moon"}, "settings.mesh: moon"),
        ({"methods": ["graph"]}, "point_to_point is missing"),
        ({"methods": ["point_to_point", "grahp", "graph"]}, "grahp: unknown.*graph"),
        ({"reduced_cells": -5}, "reduced_cells"),
        ({"machines": {"machine": {"name": "nmefc", "message": 3}}}, "message = 3"),
    ],
)
def test_wrong_settings_are_named(folder: Path, settings: dict[str, Any], word: str) -> None:
    part = _part("regional_methods", **{"reduced_cells": 3000, **settings})
    with pytest.raises(ConfigError, match=word):
        _evaluated(part, folder)
