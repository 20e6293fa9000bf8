"""Algorithms of single calls of a trace: from a tuning by ranks and bytes, and as changes that `explain` tries."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from recordings import Recording, save

import tradewind as tw
from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.config.tuning_file import Entry, Tuning
from tradewind.errors import ConfigError
from tradewind.runs.what_if import Question, changes_of
from tradewind.trace_file import Trace
from tradewind.tuning.search import Candidate
from tradewind.tuning.trials import uses_of

RANKS = 12
SMALL, LARGE = 8, 2**20
MACHINE = {"name": "fattree-m"}


def program() -> Trace:
    """Small and large sums of all ranks and of rows, exchanges of equal and of unequal blocks, and a broadcast."""
    recording = Recording(RANKS)
    for rank in range(RANKS):
        row, _ = recording.row_and_column(rank, 4, 3)
        for _ in range(3):
            recording.call(rank, "allreduce", [SMALL], site="a.c:1")
            recording.call(rank, "allreduce", [LARGE], site="a.c:2")
            recording.call(rank, "allreduce", [SMALL], comm=row, site="a.c:3")
            recording.call(rank, "alltoall", [64], site="a.c:4")
            # Blocks differ by rank, so that no rank alone knows their mean.
            sent = [100 * (rank + 1)] * RANKS
            received = [100 * (other + 1) for other in range(RANKS)]
            recording.call(rank, "alltoallv", sent + received, site="a.c:5")
            recording.call(rank, "bcast", [0, 4000], site="a.c:6")
    return recording.trace()


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return save(program(), tmp_path / "a.trace")


def experiment(path: Path, **more: object) -> dict[str, Any]:
    settings = {"name": "trace", "trace": str(path), "computation": "none", **more}
    return {"machine": MACHINE, "program": settings}


def run(path: Path, **more: object) -> tuple[float, int, int]:
    """Simulates the program; returns time in s, messages and bytes."""
    done = tw.simulate(experiment(path, **more))
    return done.time_s, int(done.counts["messages"]), int(done.counts["bytes"])


def tuning(folder: Path, *entries: tuple[str, int, int, str]) -> str:
    path = folder / "tuning.json"
    Tuning([Entry(*entry, {}, 1.0, "", programs=1) for entry in entries]).save(path)
    return str(path)


def test_each_call_gets_the_choice_for_its_own_bytes(path: Path, tmp_path: Path) -> None:
    table = tuning(
        tmp_path,
        ("allreduce", RANKS, SMALL, "recursive_doubling"),
        ("allreduce", RANKS, LARGE, "ring"),
        ("allreduce", 4, SMALL, "tree"),
    )
    tuned = run(path, allreduce="tuned", tuning=table)
    by_site = "a.c:1 allreduce=recursive_doubling; a.c:2 allreduce=ring; a.c:3 allreduce=tree"
    assert tuned == run(path, sites=by_site)
    for single in ("recursive_doubling", "ring", "tree"):
        assert tuned != run(path, allreduce=single)


def test_equal_and_unequal_blocks_have_choices_of_their_own(path: Path, tmp_path: Path) -> None:
    # The mean of the unequal blocks is 650 bytes.
    table = tuning(
        tmp_path,
        ("alltoallv", RANKS, 64, "burst"),
        ("alltoallv", RANKS, 650, "pairwise"),
    )
    tuned = run(path, alltoallv="tuned", tuning=table)
    assert tuned == run(path, sites="a.c:4 alltoallv=burst; a.c:5 alltoallv=pairwise")
    assert tuned != run(path, alltoallv="burst")
    assert tuned != run(path, alltoallv="pairwise")


def test_an_algorithm_that_must_know_all_blocks_is_refused_with_the_reason(path: Path) -> None:
    with pytest.raises(ConfigError, match="alltoallv are known to sender and receiver alone"):
        run(path, alltoallv="bruck")


def test_a_call_site_with_a_choice_of_its_own_is_not_tuned(path: Path, tmp_path: Path) -> None:
    table = tuning(tmp_path, ("allreduce", RANKS, SMALL, "ring"))
    mixed = run(path, allreduce="tuned", tuning=table, sites="a.c:2 allreduce=tree")
    assert mixed == run(path, allreduce="ring", sites="a.c:2 allreduce=tree")


def test_a_search_has_an_entry_for_each_size_and_changes_that_alone(path: Path) -> None:
    member = Experiment.load(experiment(path), {}).members()[0]
    uses = uses_of(member)
    assert [use.shape for use in uses] == [
        ("allreduce", 4, SMALL),
        ("allreduce", RANKS, SMALL),
        ("allreduce", RANKS, LARGE),
        ("alltoallv", RANKS, 650),
        ("alltoallv", RANKS, 64),
    ]
    large = uses[2].spec(Candidate("ring"))
    time_s = core.load().simulate(large.tables())["time_s"]
    assert time_s == run(path, sites="a.c:2 allreduce=ring")[0]
    assert time_s != run(path, allreduce="ring")[0]


def test_many_sizes_are_joined_and_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    recording = Recording(4)
    for rank in range(4):
        for size in (1000, 1100, 1200, *(2**power for power in range(3, 22))):
            recording.call(rank, "allreduce", [size])
    told = core.load().operations(
        Experiment.load(experiment(save(recording.trace(), tmp_path / "a.trace")), {})
        .members()[0]
        .spec.tables()
    )
    sizes = [use["bytes"] for use in told]
    assert sizes == [2**power for power in range(14, 22)]
    few = Recording(4)
    for rank in range(4):
        for size in (1000, 1100, 1200, 8):
            few.call(rank, "allreduce", [size])
    told = core.load().operations(
        Experiment.load(experiment(save(few.trace(), tmp_path / "b.trace")), {})
        .members()[0]
        .spec.tables()
    )
    assert [(use["bytes"], use["count"]) for use in told] == [(8, 1), (1200, 3)]


def test_explain_tries_all_operations_and_single_call_sites(path: Path) -> None:
    question = Question(experiment(path, sites="a.c:1 allreduce=tree"), {})
    done = question.run({"simulation.critical_path": True})
    assert done.critical_path is not None
    found = {change.words: change for change in changes_of(done.spec, done.critical_path)}
    assert "bcast by scatter_allgather" in found
    assert "bcast at a.c:6 by scatter_allgather" not in found
    assert "barrier by dissemination" not in found
    one = found["allreduce at a.c:2 by ring"]
    assert one.settings == {"program.sites": "a.c:1 allreduce=tree; a.c:2 allreduce=ring"}
    assert question.run(one.settings).time_s == run(path, sites=one.settings["program.sites"])[0]
    # The option that is printed makes the change.
    assert one.arguments == "--set 'program.sites=\"a.c:1 allreduce=tree; a.c:2 allreduce=ring\"'"
    whole = [change for change in found.values() if list(change.settings) == ["program.bcast"]]
    assert {run(path, bcast=change.settings["program.bcast"])[0] for change in whole} != {
        run(path)[0]
    }


def one_site(tmp_path: Path) -> Path:
    """Saves a program with an allreduce and a broadcast at the same source line."""
    recording = Recording(RANKS)
    for rank in range(RANKS):
        for _ in range(3):
            recording.call(rank, "allreduce", [LARGE], site="w.c:1")
            recording.call(rank, "bcast", [0, 4000], site="w.c:1")
    return save(recording.trace(), tmp_path / "w.trace")


BCAST_AT_SITE = "w.c:1 bcast=scatter_allgather"


def test_an_algorithm_at_a_site_leaves_the_tuned_operations_there(
    path: Path, tmp_path: Path
) -> None:
    same = one_site(tmp_path)
    table = tuning(tmp_path, ("allreduce", RANKS, LARGE, "ring"))
    tuned = run(same, allreduce="tuned", tuning=table, sites=BCAST_AT_SITE)
    assert tuned == run(same, allreduce="ring", bcast="scatter_allgather")
    assert tuned != run(same, sites=BCAST_AT_SITE)


def test_an_algorithm_at_a_site_leaves_the_choices_of_a_library_there(
    path: Path, tmp_path: Path
) -> None:
    same = one_site(tmp_path)
    by_library = run(same, library="mpich", sites=BCAST_AT_SITE)
    assert by_library == run(same, allreduce="near_halving", bcast="scatter_allgather")
    assert by_library != run(same, sites=BCAST_AT_SITE)
    last = run(same, library="mpich", sites=BCAST_AT_SITE + "; w.c:1 allreduce=ring")
    assert last == run(same, allreduce="ring", bcast="scatter_allgather")


@pytest.mark.parametrize("operation", ["allreduce", "reduce"])
def test_near_partners_first_keep_the_longest_messages_within_nodes(
    operation: str, tmp_path: Path
) -> None:
    recording = Recording(256)
    for rank in range(256):
        recording.call(rank, operation, [0, 1 << 18] if operation == "reduce" else [1 << 18])
    path = save(recording.trace(), tmp_path / "a.trace")
    runs = {}
    for name in ("rabenseifner", "near_halving"):
        program = {"name": "trace", "trace": str(path), operation: name}
        run = tw.simulate({"machine": "lumi-c", "program": program})
        assert isinstance(run, tw.Run)
        runs[name] = run
    far, near = runs["rabenseifner"], runs["near_halving"]
    assert (near.counts["messages"], near.counts["bytes"]) == (
        far.counts["messages"],
        far.counts["bytes"],
    )
    assert near.time_s < far.time_s / 2
