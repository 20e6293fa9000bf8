"""One command at a time writes into a folder of results, and never over another experiment's."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import wait_until
from test_sweep import Recorder

from tradewind.cli import main
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.files import write_text
from tradewind.runs.lock import locked
from tradewind.runs.plan import check_plan, write_plan
from tradewind.runs.sweep import run_all

_HOLD = """
import sys
from pathlib import Path
from tradewind.runs.plan import check_plan, write_plan
from tradewind.runs.lock import locked
with locked(Path(sys.argv[1])):
    print("locked", flush=True)
    sys.stdin.read()
"""


def holder(folder: Path) -> subprocess.Popen[bytes]:
    """A process that has the lock, until its input ends."""
    process = subprocess.Popen(
        [sys.executable, "-c", _HOLD, str(folder)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"locked\n"
    return process


def end(process: subprocess.Popen[bytes]) -> None:
    process.communicate()


def test_a_second_sweep_into_a_folder_is_refused_with_its_owner(
    tmp_path: Path, sweep_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    process = holder(folder)
    try:
        assert main(["simulate", str(sweep_file), "-o", str(folder)]) == 2
        told = capsys.readouterr().err
        assert f"error: {folder}: process {process.pid} on " in told
        assert "choose another folder" in told
        with pytest.raises(ConfigError, match=f"process {process.pid} on"):
            run_all(Experiment.load(sweep_file), folder)
        assert sorted(path.name for path in folder.iterdir()) == [".lock"]
    finally:
        end(process)
    assert list(folder.iterdir()) == []


def test_a_lock_dies_with_its_owner_and_what_that_was_writing_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    process = holder(folder)
    (folder / "runs").mkdir()
    (folder / ".experiment.json.abcdefgh.partial").touch()
    (folder / ".experiment.json.12345678").touch()
    (folder / "runs" / ".0123456789abcdef.npz.abcdefgh.partial").touch()
    (folder / "runs" / "0123456789abcdef.npz").touch()
    os.kill(process.pid, signal.SIGKILL)
    end(process)
    with locked(folder):
        names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
        assert names == [".lock", "runs", "runs/0123456789abcdef.npz"]


def test_a_process_that_dies_while_it_writes_leaves_what_the_next_lock_removes(
    tmp_path: Path,
) -> None:
    code = """
import os, sys
from pathlib import Path
from tradewind.files import write_atomically
write_atomically(Path(sys.argv[1]) / "experiment.json", lambda file: os.kill(os.getpid(), 9))
"""
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.name.startswith(".experiment.json.")
    with locked(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_lock_is_free_again_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="half way"), locked(tmp_path):
        raise RuntimeError("half way")
    with locked(tmp_path):
        pass


def test_many_processes_that_want_a_folder_have_it_one_after_the_other(tmp_path: Path) -> None:
    code = """
import sys, time
from pathlib import Path
from tradewind.errors import ConfigError
from tradewind.runs.plan import check_plan, write_plan
from tradewind.runs.lock import locked
folder = Path(sys.argv[1])
for _ in range(60):
    try:
        with locked(folder):
            inside = folder / "inside"
            inside.touch(exist_ok=False)
            time.sleep(0.001)
            inside.unlink()
    except ConfigError:
        time.sleep(0.001)
"""
    processes = [subprocess.Popen([sys.executable, "-c", code, str(tmp_path)]) for _ in range(3)]
    assert [process.wait() for process in processes] == [0, 0, 0]


def test_a_folder_that_cannot_be_written_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(ConfigError, match="is a file; expected a folder"),
        locked(tmp_path / "file"),
    ):
        pass


def test_another_experiment_does_not_replace_the_results_of_a_folder(
    tmp_path: Path, sweep_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert main(["simulate", str(sweep_file), "-o", str(folder)]) == 0
    plan, summary = (folder / name for name in ("experiment.json", "summary.md"))
    before = plan.read_bytes(), summary.read_bytes()
    other = tmp_path / "other.toml"
    write_text(other, sweep_file.read_text(encoding="utf-8").replace("[2, 4, 8]", "[2]"))
    capsys.readouterr()
    for more in ([], ["--resume"]):
        assert main(["simulate", str(other), "-o", str(folder), *more]) == 2
        told = capsys.readouterr().err
        assert f"error: {folder}: holds results of another experiment, {sweep_file}" in told
    assert (plan.read_bytes(), summary.read_bytes()) == before


def test_the_same_experiment_may_be_changed_moved_and_made_again(
    tmp_path: Path, sweep_file: Path
) -> None:
    notes: list[str] = []
    write_plan(Experiment.load(sweep_file), tmp_path)
    check_plan(Experiment.load(sweep_file), tmp_path, notes.append)
    moved = sweep_file.rename(tmp_path / "moved.toml")
    check_plan(Experiment.load(moved), tmp_path, notes.append)
    assert notes == []
    write_plan(Experiment.load(moved), tmp_path)
    write_text(moved, moved.read_text(encoding="utf-8").replace("a small sweep", "the same"))
    check_plan(Experiment.load(moved), tmp_path, notes.append)
    check_plan(Experiment.load(moved, {"program.bytes": "2 KiB"}), tmp_path, notes.append)
    assert len(notes) == 2
    assert all(
        "the experiment has changed: finished runs that it still has are kept" in note
        for note in notes
    )


def test_tables_are_the_same_experiment_if_they_have_a_run_in_common(
    tmp_path: Path, small: dict[str, Any]
) -> None:
    small["sweep"] = {"program.ranks": [2, 4]}
    run_all(Experiment.load(small), tmp_path)
    small["sweep"] = {"program.ranks": [4, 8]}
    recorder = Recorder()
    run_all(Experiment.load(small), tmp_path, recorder)
    assert [resumed for _, resumed in recorder.ended] == [True, False]
    small["sweep"] = {"program.ranks": [16]}
    with pytest.raises(ConfigError, match="holds results of another experiment, experiment;"):
        run_all(Experiment.load(small), tmp_path)


def test_a_killed_sweep_goes_on_and_leaves_nothing_behind(tmp_path: Path, sweep_file: Path) -> None:
    folder = tmp_path / "out"
    words = [sys.executable, "-m", "tradewind", "simulate", str(sweep_file), "-o", str(folder)]
    process = subprocess.Popen(words, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    wait_until(lambda: list((folder / "runs").glob("*.json")) or process.poll() is not None)
    process.kill()
    process.wait()
    assert main(["simulate", str(sweep_file), "-o", str(folder), "--resume"]) == 0
    assert not [path for path in folder.rglob("*") if path.name.startswith(".")]
