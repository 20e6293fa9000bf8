"""Graphs of the halos of models: who sends how many items to whom."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli, needs_mpi
from recorded_programs import needs_mpicc

import tradewind as tw
from tradewind.config.halo_graph import HaloGraph, halo_graph, models_with_halo, rank_file
from tradewind.config.mapping import nodes_of
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


def test_ranks_are_mapped_onto_nodes_and_switches(sea: str) -> None:
    graph = graph_of("fvwam", {"mesh": sea}, 50)
    between = graph.between_ranks()
    for per_node, per_switch in ((1, 1), (8, 1), (8, 2), (4, 5), (50, 1), (8, 7), (64, 3)):
        nodes = nodes_of(between, per_node, per_switch)
        sizes = np.bincount(nodes)
        assert len(sizes) == -(-50 // per_node)
        assert np.all(sizes[:-1] == per_node)
    # A random order is what a batch system may give: most leaves the nodes.
    at_random = np.random.default_rng(3).permutation(np.arange(50) // 8)
    assert graph.leaving(nodes_of(between, 8)) < 0.6 * graph.leaving(at_random)
    by_switch = nodes_of(between, 4, 4) // 4
    assert graph.leaving(by_switch) < 0.6 * graph.leaving(at_random)
    with pytest.raises(ConfigError, match="0 ranks per node"):
        nodes_of(between, 0)


def test_weights_between_ranks_are_what_both_send(sea: str) -> None:
    graph = graph_of("fvwam", {"mesh": sea}, 7)
    between = graph.between_ranks()
    sent = np.zeros((7, 7), np.int64)
    sent[graph.source, graph.target] = graph.items
    found = np.zeros((7, 7), np.int64)
    found[np.repeat(np.arange(7), np.diff(between.first)), between.neighbors] = between.weights
    assert np.array_equal(found, sent + sent.T)


def test_rank_files_of_launchers() -> None:
    nodes = np.array([1, 0, 1, 0, 2])
    assert rank_file(nodes, "cray") == "1,3,0,2,4\n"
    assert rank_file(nodes, "openmpi").splitlines() == [
        "rank 0=+n1 slot=0",
        "rank 1=+n0 slot=0",
        "rank 2=+n1 slot=1",
        "rank 3=+n0 slot=1",
        "rank 4=+n2 slot=0",
    ]


def test_a_mapping_serves_simulations_and_launchers(cli: Cli, tmp_path: Path, sea: str) -> None:
    case = tmp_path / "case.toml"
    case.write_text(f'[fvwam]\nmesh = "{sea}"\n', encoding="utf-8")
    words = ["graph", "fvwam", str(case), "-n", "24"]
    files = ["--placement", "nodes.txt", "--rank-file", "ranks.txt", "--rank-file-format", "cray"]
    done = cli(*words, "--ranks-per-node", "4", "--nodes-per-switch", "2", *files, "--json")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    for level in ("between nodes", "between switches"):
        assert 0 < told[level]["mapped"] < told[level]["at random"]
    nodes = (tmp_path / "nodes.txt").read_text(encoding="utf-8").split()
    order = (tmp_path / "ranks.txt").read_text(encoding="utf-8").strip().split(",")
    assert [int(nodes[int(rank)]) for rank in order] == sorted(map(int, nodes))
    times = {}
    for rule in ("file", "random"):
        experiment = {
            "machine": {"name": "fattree-m", "node": {"ranks_per_node": 4}},
            "program": {"name": "fvwam", "mesh": sea, "ranks": 24},
            "placement": {"rule": rule}
            | ({"file": str(tmp_path / "nodes.txt")} if rule == "file" else {}),
        }
        times[rule] = tw.simulate(experiment).time_s
    assert times["file"] != times["random"]
    refused = cli(*words, "--placement", "nodes.txt")
    assert refused.returncode == 2
    assert "need --ranks-per-node" in refused.stderr
    assert "nodes  " not in cli(*words).stdout


# Stands for an MPI that renumbers: the ranks run backwards, and each vertex keeps its lists.
REVERSING = """
#include <mpi.h>
#include <stdlib.h>

static void swap(int count, const int* mine, int others, int* theirs, int partner, MPI_Comm comm) {
    MPI_Sendrecv(mine, count, MPI_INT, partner, 7, theirs, others, MPI_INT, partner, 7, comm, MPI_STATUS_IGNORE);
}

int MPI_Dist_graph_create_adjacent(MPI_Comm old, int in, const int* sources, const int* in_weights, int out,
                                   const int* destinations, const int* out_weights, MPI_Info info, int reorder,
                                   MPI_Comm* made) {
    if (!reorder)
        return PMPI_Dist_graph_create_adjacent(old, in, sources, in_weights, out, destinations, out_weights, info, 0,
                                               made);
    int rank, size, mine[2] = {in, out}, theirs[2];
    MPI_Comm_rank(old, &rank);
    MPI_Comm_size(old, &size);
    const int partner = size - 1 - rank;
    swap(2, mine, 2, theirs, partner, old);
    int* lists[4];
    const int* given[4] = {sources, in_weights, destinations, out_weights};
    for (int n = 0; n < 4; ++n) {
        lists[n] = malloc(sizeof(int) * (theirs[n / 2] + 1));
        swap(mine[n / 2], given[n], theirs[n / 2], lists[n], partner, old);
    }
    MPI_Comm backwards;
    MPI_Comm_split(old, 0, partner, &backwards);
    return PMPI_Dist_graph_create_adjacent(backwards, theirs[0], lists[0], lists[1], theirs[1], lists[2], lists[3],
                                           info, 0, made);
}
"""


@needs_mpi
@needs_mpicc
@pytest.mark.parametrize("model", models_with_halo())
def test_a_run_has_the_same_bits_where_mpi_renumbers_the_processes(
    model: str, cli: Cli, tmp_path: Path, sea: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {
        "homme": "ne = 3\nsteps = 2",
        "fvwam": f'mesh = "{sea}"\ndirections = 12\nfrequencies = 8\nsteps = 2\nexchange = "native"',
        "semi_lagrangian": "grid = [48, 24, 4]\nsteps = 2",
    }
    (tmp_path / "case.toml").write_text(f"[{model}]\n{settings[model]}\n", encoding="utf-8")
    (tmp_path / "reversing.c").write_text(REVERSING, encoding="utf-8")
    library = tmp_path / "reversing.so"
    made = ["mpicc", "-shared", "-fPIC", "-o", str(library), str(tmp_path / "reversing.c")]
    subprocess.run(made, check=True)
    words = ["run", model, "case.toml", "-n", "4", "--json"]
    straight = cli(*words)
    assert straight.returncode == 0, straight.stderr
    kept = cli(*words, "--reorder")
    assert "MPI has moved 0 of 4 processes to other ranks" in kept.stderr
    monkeypatch.setenv("LD_PRELOAD", str(library))
    turned = cli(*words, "--reorder")
    assert turned.returncode == 0, turned.stderr
    assert "MPI has moved 4 of 4 processes to other ranks" in turned.stderr
    numbers = [json.loads(each.stdout)["snapshots"] for each in (straight, kept, turned)]
    assert numbers[0] == numbers[1] == numbers[2]


@needs_mpi
@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["semi_lagrangian"], "give their number with -n"),
        (["pstswm", "-n", "2"], "pstswm has no halo by whose graph MPI can renumber"),
    ],
)
def test_renumbering_is_refused_where_there_is_nothing_to_renumber(
    words: list[str], told: str, cli: Cli, tmp_path: Path
) -> None:
    cases = {"semi_lagrangian": "grid = [48, 24, 4]", "pstswm": "case = 2\ntruncation = 21"}
    model, *more = words
    (tmp_path / "case.toml").write_text(f"[{model}]\n{cases[model]}\n", encoding="utf-8")
    refused = cli("run", model, "case.toml", *more, "--reorder")
    assert refused.returncode == 2
    assert told in refused.stderr
