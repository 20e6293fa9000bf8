"""Programs that an experiment describes as phases, and graphs of ranks from files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, needs_mpi

import tradewind as tw
from tradewind.config import keys
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError

Table = dict[str, Any]

MACHINE: Table = {"name": "torus-m", "node": {"model": "AMM2", "ranks_per_node": 4}}
ALL = {"ranks": 24}
# Programs as tables without `ranks`; each of them may be a phase.
PROGRAMS: dict[str, Table] = {
    "halo": {"name": "halo", "grid": [48, 24, 8], "width": 3, "repeat": 2},
    "transposition": {
        "name": "transposition",
        "grid": [48, 24, 8],
        "processes": [6, 4],
        "alltoallv": {"algorithm": "ring_k", "radix": 4},
    },
    "allreduce": {"name": "allreduce", "bytes": "64 kB", "allreduce": "recursive_k"},
    "alltoallv": {"name": "alltoallv", "bytes": "2 kB", "alltoallv": "bruck"},
    "neighbor": {"name": "neighbor", "bytes": "3 kB", "neighbors": 8},
    "gcr": {"name": "gcr", "flops": 1e5, "iterations": 4},
    "pingpong": {"name": "pingpong", "bytes": "10 kB"},
    "spectral_step": {"name": "spectral_step", "grid": [48, 24, 8], "spacing_m": 20000},
    "grid_point_step": {"name": "grid_point_step", "grid": [48, 24, 8], "spacing_m": 20000},
    "semi_lagrangian_halo": {
        "name": "semi_lagrangian_halo",
        "grid": [48, 24, 8],
        "spacing_m": 20000,
    },
    "compute": {"name": "compute", "time": "2 ms"},
}


def simulated(program: Table, **tables: Any) -> tw.Run:
    run = tw.simulate({"machine": MACHINE, "program": ALL | program, **tables})
    assert isinstance(run, tw.Run)
    return run


def as_phase(program: Table, **more: Any) -> Table:
    return {"kind": program["name"], **{k: v for k, v in program.items() if k != "name"}, **more}


def phases(*list_of_phases: Table, **more: Any) -> Table:
    return {"name": "phases", "phase": list(list_of_phases), **more}


def refusal(program: Table, **tables: Any) -> str:
    with pytest.raises(ConfigError) as caught:
        simulated(program, **tables)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_every_kind_of_phase_is_tried() -> None:
    assert set(keys.programs()["phases"].kinds) == {*PROGRAMS, "graph"}


@pytest.mark.parametrize("name", PROGRAMS)
def test_one_phase_is_its_program_to_the_picosecond(name: str) -> None:
    alone = simulated(PROGRAMS[name])
    phase = simulated(phases(as_phase(PROGRAMS[name])))
    assert phase.time_s == alone.time_s > 0
    assert phase.counts["messages"] == alone.counts["messages"]
    assert phase.counts["bytes"] == alone.counts["bytes"]
    assert [entry.name for entry in phase.phases] == [name]


def test_computations_of_a_given_time_add_up_and_repeat() -> None:
    run = simulated(
        phases(
            {"kind": "compute", "time": "2 ms", "name": "physics"},
            {"kind": "compute", "time": "500 us", "repeat": 3},
            {"kind": "compute", "time_us": 250},
            repeat=10,
        )
    )
    assert run.time_s == pytest.approx(10 * (2e-3 + 1.5e-3 + 0.25e-3), abs=2e-12)
    assert [entry.name for entry in run.phases] == ["physics", "compute", "compute 2"]


def test_a_computation_takes_the_rates_of_the_machine() -> None:
    machine = {"name": "torus-m", "node": {"flops": "2 Gflop/s"}}
    program = phases({"kind": "compute", "flops": 4e6}, ranks=24)
    run = tw.simulate({"machine": machine, "program": program})
    assert isinstance(run, tw.Run)
    assert run.time_s == pytest.approx(2e-3, abs=2e-12)


@pytest.mark.parametrize("ranks", [6, 24])
def test_ranks_share_the_total_of_a_computation(ranks: int) -> None:
    machine = {"name": "torus-m", "node": {"flops": "2 Gflop/s"}}
    both = [{"total_time": "48 ms"}, {"total_flops": 96e6, "flops": 2e6}]
    for computation, seconds in zip(both, (48e-3 / ranks, 48e-3 / ranks + 1e-3), strict=True):
        program = phases({"kind": "compute", **computation}, ranks=ranks)
        run = tw.simulate({"machine": machine, "program": program})
        assert isinstance(run, tw.Run)
        assert run.time_s == pytest.approx(seconds, abs=2e-12)


def test_messages_of_phases_add_up() -> None:
    chosen = [PROGRAMS[name] for name in ("halo", "allreduce", "transposition")]
    run = simulated(phases(*map(as_phase, chosen), repeat=3))
    each = [simulated(program) for program in chosen]
    for count in ("messages", "bytes"):
        assert run.counts[count] == 3 * sum(one.counts[count] for one in each)
    assert [entry.name for entry in run.phases] == ["halo", "allreduce", "transposition"]


@pytest.mark.parametrize(("over", "group", "groups"), [("rows", 6, 4), ("columns", 4, 6)])
def test_a_phase_over_rows_or_columns_runs_in_each_of_them(
    over: str, group: int, groups: int
) -> None:
    one = {"kind": "alltoallv", "bytes": "1 kB", "alltoallv": "burst", "over": over}
    program = ALL | phases(one, processes=[6, 4])
    machine = {"name": "torus-m"}
    run = tw.simulate({"machine": machine, "program": program, "simulation": {"matrix_bins": 24}})
    assert isinstance(run, tw.Run)
    assert run.counts["messages"] == groups * group * (group - 1)
    assert run.matrix is not None
    pairs = {(int(a), int(b)) for a, b in zip(*run.matrix.bytes.nonzero(), strict=True)}

    def group_of(rank: int) -> int:
        return rank // 6 if over == "rows" else rank % 6

    assert pairs == {
        (a, b) for a in range(24) for b in range(24) if a != b and group_of(a) == group_of(b)
    }


def test_a_phase_over_nodes_stays_in_the_nodes_also_in_one_that_is_not_full() -> None:
    one = {"kind": "alltoallv", "bytes": "1 kB", "alltoallv": "burst", "over": "nodes"}
    run = simulated(phases(one, ranks=22), simulation={"matrix_bins": 24})
    assert run.counts["messages"] == 5 * 4 * 3 + 2 * 1
    assert run.matrix is not None
    # The matrix holds what leaves the nodes.
    assert run.matrix.bytes.sum() == 0
    said = refusal(phases(one), placement={"rule": "round_robin"})
    assert 'placement.rule = "round_robin": a phase is over "nodes"' in said


def test_an_edge_list_sends_what_its_lines_say(tmp_path: Path) -> None:
    graph = tmp_path / "edges.txt"
    graph.write_text("# from to bytes\n0 1 100\n1 0 50\n\n5 2 1000\n5 2 24\n")
    run = simulated({"name": "graph", "graph": str(graph), "repeat": 2})
    assert run.counts["messages"] == 8
    assert run.counts["bytes"] == 2 * (100 + 50 + 1000 + 24)
    phase = simulated(phases({"kind": "graph", "graph": str(graph), "repeat": 2}))
    assert phase.time_s == run.time_s
    assert phase.counts["bytes"] == run.counts["bytes"]


def _metis(tmp_path: Path, graph: str, ranks: str) -> Table:
    (tmp_path / "mesh.graph").write_text(graph)
    (tmp_path / "mesh.part").write_text(ranks)
    files = {"graph": tmp_path / "mesh.graph", "partition_file": tmp_path / "mesh.part"}
    return {"name": "graph", "bytes": "100 B", **{k: str(v) for k, v in files.items()}}


def test_a_metis_graph_sends_each_vertex_once_to_each_rank_beside(tmp_path: Path) -> None:
    # A square of four vertices with a diagonal; vertex 1 has two neighbours on rank 1.
    square = "% a comment\n4 5\n2 3 4\n1 3\n1 2 4\n1 3\n"
    run = simulated(_metis(tmp_path, square, "0\n0\n1\n1\n") | {"ranks": 2})
    # Rank 0 sends vertices 1 and 2 to rank 1, rank 1 sends both of its own.
    assert run.counts["messages"] == 2
    assert run.counts["bytes"] == 100 * (2 + 2)


def test_a_metis_graph_with_weights_sends_those_of_cut_edges(tmp_path: Path) -> None:
    # Three vertices in a line with weights of vertices (7) and edges (5 and 9).
    line = "3 2 011\n7 2 5\n7 1 5 3 9\n7 2 9\n"
    run = simulated(_metis(tmp_path, line, "0 1 2") | {"ranks": 3})
    assert run.counts["messages"] == 4
    assert run.counts["bytes"] == 100 * 2 * (5 + 9)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("0 24 8", "line 2: rank 24 is not in 0..23"),
        ("0 1 -8", 'line 2: "-8" is no whole number from 0'),
        ("0 1", "line 2: expected FROM TO BYTES, not 2 numbers"),
        ("0 1 x", 'line 2: "x" is no whole number from 0'),
        ("3 3 8", "line 2: rank 3 sends to itself"),
    ],
)
def test_a_wrong_line_of_a_graph_is_named(tmp_path: Path, line: str, why: str) -> None:
    graph = tmp_path / "edges.txt"
    graph.write_text(f"0 1 8\n{line}\n")
    said = refusal(phases(as_phase(PROGRAMS["halo"]), {"kind": "graph", "graph": str(graph)}))
    assert "program.phase[1].graph" in said
    assert said.endswith(why)


def test_a_wrong_rank_of_a_partition_is_told_without_all_of_the_file(tmp_path: Path) -> None:
    said = refusal(_metis(tmp_path, "4 3\n2\n1 3\n2 4\n3\n", "0\n0\n1\n7\n") | {"ranks": 4})
    assert said.endswith('program.partition_file: "7" of vertex 4 is no rank in 0..3')


def test_a_graph_without_edges_is_refused_but_on_one_rank(tmp_path: Path) -> None:
    graph = tmp_path / "edges.txt"
    graph.write_text("# from to bytes\n\n")
    phase = {"kind": "graph", "graph": str(graph)}
    said = refusal(phases(as_phase(PROGRAMS["halo"]), phase))
    assert said.endswith("edges.txt: has no edges; expected lines FROM TO BYTES")
    alone = {"name": "graph", "graph": str(graph), "ranks": 1}
    assert simulated(alone).counts["messages"] == 0


@pytest.mark.parametrize(
    ("phase", "why"),
    [
        (
            {"kind": "hallo"},
            'program.phase[1].kind = "hallo": unknown program; did you mean "halo"',
        ),
        ({}, "program.phase[1].kind: is missing"),
        ({"kind": "halo", "width": 1}, "program.phase[1].grid: is missing"),
        (
            {"kind": "halo", "grids": [8, 8, 8], "width": 1},
            "program.phase[1].grids = [8, 8, 8]: unk",
        ),
        ({"kind": "alltoallv", "bytes": "-8 B"}, 'program.phase[1].bytes = "-8 B": '),
        ({"kind": "compute", "ranks": 4}, "program.phase[1].ranks = 4: unknown key"),
        (
            {"kind": "compute"},
            "program.phase[1].time: is missing, and so are flops, memory, total_",
        ),
        (
            {"kind": "neighbor", "bytes": "8 B", "neighbors": 5},
            "program.phase[1].neighbors = 5: expected 4 or 8",
        ),
        ({"kind": "compute", "over": "racks"}, 'program.phase[1].over = "racks": '),
        ({"kind": "graph", "graph": "none.txt"}, 'program.phase[1].graph = "none.txt": No such'),
        ({"kind": "allreduce", "bytes": "8 B", "allreduce": "magic"}, "program.phase[1].allreduce"),
    ],
)
def test_what_is_wrong_in_a_phase_is_named_with_its_number(phase: Table, why: str) -> None:
    assert why in refusal(phases({"kind": "compute", "time": "1 ms"}, phase))


def test_a_program_without_phases_and_names_that_are_taken_are_refused() -> None:
    assert "program.phase = []: expected tables [[program.phase]]" in refusal(phases())
    assert 'phase[1]: name = "a" is that of an earlier phase' in refusal(
        phases(*[{"kind": "compute", "name": "a", "time": "1 ms"}] * 2)
    )


@pytest.mark.parametrize(
    "key", ["program.phase.1.time", "program.phase[1].time", "program.phase.physics.time"]
)
def test_a_sweep_varies_a_key_of_a_phase(key: str) -> None:
    program = ALL | phases(
        {"kind": "compute", "time": "1 ms"}, {"kind": "compute", "name": "physics", "time": "1 ms"}
    )
    tables = {"machine": MACHINE, "program": program, "sweep": {key: ["1 ms", "3 ms"]}}
    members = Experiment.load(tables).members()
    assert [member.spec.program["phase[1].time"] for member in members] == [10**9, 3 * 10**9]
    assert [member.spec.program["phase[0].time"] for member in members] == [10**9, 10**9]


def test_a_sweep_over_a_phase_that_does_not_exist_is_refused() -> None:
    program = ALL | phases({"kind": "compute"}, {"kind": "compute"})
    for key, why in (
        ("2.time", "2 is none of the 2 tables"),
        ("compute.time", "compute is that of"),
    ):
        tables = {
            "machine": MACHINE,
            "program": program,
            "sweep": {f"program.phase.{key}": ["1 s"]},
        }
        with pytest.raises(ConfigError, match=why):
            Experiment.load(tables).members()


@needs_mpi
def test_phases_run_on_mpi(cli: Cli, tmp_path: Path) -> None:
    graph = tmp_path / "edges.txt"
    graph.write_text("0 1 100\n1 0 50\n3 2 8\n")
    words = [
        "processes=[2,2]",
        "repeat=2",
        "phase[0].kind=halo",
        "phase[0].grid=[24,16,4]",
        "phase[0].width=2",
        "phase[1].kind=alltoallv",
        "phase[1].bytes=1024",
        "phase[1].over=rows",
        "phase[2].kind=graph",
        f"phase[2].graph={graph}",
        "phase[3].kind=allreduce",
        "phase[3].bytes=64",
    ]
    done = cli("mpi", "-n", "4", "--json", "run", "phases", *words)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["time_s"] > 0
