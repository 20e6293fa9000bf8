"""The tables by which an experiment chooses the algorithms of a recorded program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from recordings import Recording, save

import tradewind as tw
from tradewind.config.experiment import Experiment, Member
from tradewind.errors import ConfigError
from tradewind.tuning import SimulatedTrials, Tuner

TUNED = {"algorithm": "tuned", "tuning": "tuning.json"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An experiment with a recorded program, in a folder with its tuning.json."""
    folder = tmp_path_factory.mktemp("recorded")
    recording = Recording(16)
    for rank in range(16):
        for _ in range(3):
            recording.call(rank, "alltoall", [64], site="a.c:1")
            recording.call(rank, "allreduce", [2**20], site="a.c:2")
            recording.call(rank, "bcast", [0, 4096], site="a.c:3")
    save(recording.trace(), folder / "a.trace")
    path = folder / "a.toml"
    path.write_text('machine.name = "fattree-m"\nprogram = { name = "trace", trace = "a.trace" }\n')
    Tuner(Experiment.load(path), SimulatedTrials(60), folder / "tuning.json").run()
    return path


def read(path: Path, tables: dict[str, Any]) -> Member:
    """Reads the experiment with more keys of its program."""
    given = {f"program.{key}": value for key, value in tables.items()}
    return Experiment.load(path, given).members()[0]


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({"allreduce": TUNED}, {"allreduce": "tuned", "tuning": "tuning.json"}),
        (
            {"allreduce": TUNED, "alltoallv": TUNED},
            {"allreduce": "tuned", "alltoallv": "tuned", "tuning": "tuning.json"},
        ),
        (
            {"allreduce": {"algorithm": "tuned"}, "alltoallv": "tuned", "tuning": "tuning.json"},
            {"allreduce": "tuned", "alltoallv": "tuned", "tuning": "tuning.json"},
        ),
        ({"allreduce": {"algorithm": "ring"}}, {"allreduce": "ring"}),
        (
            {"allreduce": {"algorithm": "recursive_k", "radix": 4}},
            {"allreduce": "recursive_k:radix=4"},
        ),
        (
            {"alltoallv": {"algorithm": "pairwise", "protocol": "(2,5)", "transport": "two_sided"}},
            {"alltoallv": "pairwise:protocol=(2,5),transport=two_sided"},
        ),
        (
            {"alltoallv": {"protocol": "(2,5)"}, "bcast": {"algorithm": "k_ary", "radix": 3}},
            {"alltoallv": "ring_k:protocol=(2,5)", "bcast": "k_ary:radix=3"},
        ),
        (
            {"allreduce": TUNED, "sites": "a.c:2 allreduce=ring"},
            {"allreduce": "tuned", "tuning": "tuning.json", "sites": "a.c:2 allreduce=ring"},
        ),
    ],
)
def test_a_trace_takes_tables_of_algorithms_as_other_programs_do(
    tables: dict[str, Any], words: dict[str, Any], recorded: Path
) -> None:
    by_tables, by_words, without = (read(recorded, keys) for keys in (tables, words, {}))
    assert by_tables.spec.tables() == by_words.spec.tables()
    assert by_tables.spec.tables() != without.spec.tables()


@pytest.mark.parametrize(
    ("tables", "told"),
    [
        ({"allreduce": {"algorithm": "tuned"}}, "program.allreduce.tuning: is missing"),
        ({"allreduce": TUNED | {"tuning": "none.json"}}, "No such file"),
        ({"allreduce": TUNED | {"radix": 4}}, "program.allreduce.radix = 4: the tuning chooses it"),
        ({"bcast": TUNED}, "bcast was not tuned, but only: allreduce, alltoallv"),
        (
            {"allreduce": {"algorithm": "ring", "tuning": "tuning.json"}},
            'program.allreduce.tuning = "tuning.json": only read with algorithm = "tuned"',
        ),
        (
            {"allreduce": TUNED, "tuning": "other.json"},
            'program.allreduce.tuning = "tuning.json": the program has one tuning, and "other.json"',
        ),
        ({"allreduce": {"algorithm": "rong"}}, "there is no algorithm 'rong'"),
        ({"allreduce": {"algorithm": "ring", "radix": 4}}, "ring has no radix"),
        ({"allreduce": {"algorithms": "ring"}}, "program.allreduce.algorithms"),
        ({"phases": {"algorithm": "ring"}}, "expected a quoted string"),
    ],
)
def test_a_wrong_table_of_an_algorithm_of_a_trace_is_refused(
    tables: dict[str, Any], told: str, recorded: Path
) -> None:
    with pytest.raises(ConfigError, match=re.escape(told)):
        read(recorded, tables)


def test_a_replay_by_a_table_is_that_by_words(recorded: Path) -> None:
    by_words = {"allreduce": "tuned", "tuning": "tuning.json"}
    one, other, plain = (
        tw.simulate(recorded, overrides={f"program.{key}": value for key, value in keys.items()})
        for keys in ({"allreduce": TUNED}, by_words, {})
    )
    assert one.hash == other.hash
    assert one.time_s < plain.time_s


def test_a_tuning_counts_candidates_that_a_recorded_program_does_not_accept(
    recorded: Path, tmp_path: Path
) -> None:
    notes: list[str] = []
    tuner = Tuner(
        Experiment.load(recorded), SimulatedTrials(60), tmp_path / "t.json", note=notes.append
    )
    tuning = tuner.run()
    announced = re.fullmatch(
        r"about (\d+) trials, expected to take .*; about (\d+) more candidates are not possible in the program",
        notes[0],
    )
    assert announced
    trials, more = map(int, announced.groups())
    told = [
        tuple(map(int, found.groups()))
        for found in (
            re.match(
                r"  (\d+) candidates, (\d+) of them not possible in the program, (\d+) different programs; ",
                line,
            )
            for line in notes
        )
        if found
    ]
    assert len(told) == len(tuning.entries) == 2
    # No puts carry messages of a replay.
    refused = [key for key, seconds in tuning.tried.items() if seconds is None]
    assert more == sum(no for _, no, _ in told) <= len(refused)
    assert all(candidates == no + programs for candidates, no, programs in told)
    assert [entry.programs for entry in tuning.entries] == [programs for _, _, programs in told]
    assert 0.7 * trials <= sum(programs for _, _, programs in told) <= 1.4 * trials
