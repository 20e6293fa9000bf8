"""Recordings that cannot be replayed as they are: what the errors say of them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from conftest import Cli
from recordings import Recording, halo, save

import tradewind as tw
from tradewind.cli import main
from tradewind.errors import DeadlockError


@pytest.mark.parametrize("aggregate", [False, True])
@pytest.mark.parametrize("complete", [False, True])
def test_a_deadlock_of_an_incomplete_recording_says_that_it_is(
    complete: bool, aggregate: bool, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    recording = Recording(2)
    recording.call(0, "recv", [1, 5, 64])
    trace = recording.trace()
    save(replace(trace, facts={"complete": complete}), tmp_path / "a.trace")
    (tmp_path / "a.toml").write_text(
        'machine = "laptop"\n[program]\nname = "trace"\ntrace = "a.trace"\n'
        f"aggregate = {str(aggregate).lower()}\n"
    )
    told = "; a.trace is incomplete: the program ended before MPI_Finalize, so that messages may"
    with pytest.raises(DeadlockError, match="rank 0 waits for a message") as caught:
        tw.simulate(tmp_path / "a.toml")
    assert (told in str(caught.value)) is not complete
    assert main(["simulate", str(tmp_path / "a.toml")]) == 2
    *_, error = capfd.readouterr().err.splitlines()
    assert "deadlock: 1 of 2 ranks wait" in error
    assert (told in error) is not complete


def test_too_many_ranks_of_a_recording_are_refused_as_those_of_its_file(
    tmp_path: Path, cli: Cli
) -> None:
    save(halo(128, steps=1), tmp_path / "a.trace")
    path = tmp_path / "a.toml"
    path.write_text('machine = "laptop"\n[program]\nname = "trace"\ntrace = "a.trace"\n')
    done = cli("simulate", str(path))
    (line,) = done.stderr.splitlines()
    assert done.returncode == 2
    told = 'program.trace = "a.trace": has 128 ranks, but the machine has room for 1..'
    assert line.startswith(f"error: {path}: {told}")
    given = cli("simulate", str(path), "--set", "program.ranks=128")
    assert "program.ranks = 128: the machine has room for 1.." in given.stderr


def test_a_message_that_does_not_fit_its_receive_is_wrong_input(tmp_path: Path, cli: Cli) -> None:
    recording = Recording(2)
    recording.call(0, "send", [1, 5, 100], site="a.c:3")
    recording.call(1, "recv", [-1, 5, 1])
    save(recording.trace(), tmp_path / "a.trace")
    path = tmp_path / "a.toml"
    path.write_text('machine = "laptop"\n[program]\nname = "trace"\ntrace = "a.trace"\n')
    done = cli("simulate", str(path))
    assert done.returncode == 2, done.stderr
    assert (
        "a message of 100 bytes from rank 0 (tag 5) does not fit a receive of 1 bytes"
        in done.stderr
    )
    assert "unmatched: MPI_Send at a.c:3 of rank 0, peer 1, tag 5, 100 bytes" in done.stderr
