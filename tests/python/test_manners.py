"""Manners of the command line: nothing is lost or redone unasked, and nobody waits in the dark."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from conftest import count_finished
from rich.console import Console

from tradewind.cli import main, run_command
from tradewind.config.experiment import Experiment
from tradewind.models.run import ModelRun, Progress, simulate
from tradewind.report import output
from tradewind.runs import duration
from tradewind.runs.duration import LONG_S, Plan
from tradewind.runs.heartbeat import Heartbeat
from tradewind.runs.limits import check_runs
from tradewind.runs.progress import ProgressDisplay

PSTSWM = """
[pstswm]
case = 6
truncation = 21
time_step = "1800 s"
levels = 2
steps = 8
output_every = 2
"""


def written(folder: Path) -> dict[str, int]:
    """When each file of a folder was written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.iterdir() if path.is_file()}


def test_finished_runs_are_kept_unless_fresh_ones_are_wanted(
    tmp_path: Path, sweep_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    words = ["simulate", str(sweep_file), "-o", str(folder)]
    assert main(words) == 0
    first = written(folder / "runs")
    assert "kept: " not in capsys.readouterr().err
    for more in ([], ["--resume"]):
        assert main([*words, *more]) == 0
        assert capsys.readouterr().err.count("kept: ") == 6
        assert written(folder / "runs") == first
    assert main([*words, "--fresh"]) == 0
    again = capsys.readouterr().err
    assert again.count("done: ") == 6 and "kept: " not in again
    assert all(written(folder / "runs")[name] > when for name, when in first.items())


def test_fresh_leaves_the_runs_of_other_settings_alone(tmp_path: Path, sweep_file: Path) -> None:
    folder = tmp_path / "out"
    words = ["simulate", str(sweep_file), "-o", str(folder), "--set", "sweep={}"]
    for size in ("1 KiB", "2 KiB"):
        assert main([*words, "--set", f"program.bytes={size}", "--fresh"]) == 0
    assert count_finished(folder) == 2


def test_a_folder_with_another_experiment_is_refused_even_if_fresh_runs_are_wanted(
    tmp_path: Path, sweep_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    assert main(["simulate", str(sweep_file), "-o", str(folder)]) == 0
    other = tmp_path / "other.toml"
    other.write_text(sweep_file.read_text("utf-8").replace("[2, 4, 8]", "[2]"), encoding="utf-8")
    capsys.readouterr()
    assert main(["simulate", str(other), "-o", str(folder), "--fresh"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert f"error: {folder}: holds results of another experiment, {sweep_file}" in told
    assert count_finished(folder) == 6


TUNED = """
[machine]
name = "laptop"
[program]
name = "alltoallv"
bytes = "64 B"
ranks = 4
[simulation]
network = "analytic"
"""


def test_a_tuning_is_taken_over_and_that_of_another_experiment_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    experiment, other = tmp_path / "small.toml", tmp_path / "other.toml"
    experiment.write_text(TUNED, encoding="utf-8")
    other.write_text(TUNED, encoding="utf-8")
    file = tmp_path / "tuning.json"
    assert main(["tune", str(experiment), "-o", str(file)]) == 0
    trials = len(json.loads(file.read_text("utf-8"))["tried"])
    capsys.readouterr()
    assert main(["tune", str(experiment), "-o", str(file)]) == 0
    told = capsys.readouterr().err
    assert f"taking over {trials} trials" in told
    assert told.count("  kept: ") == len(json.loads(file.read_text("utf-8"))["entries"]) == 1
    changed = ["tune", str(experiment), "-o", str(file), "--set", "machine.link.latency=2 us"]
    assert main(changed) == 0
    assert "  kept: " not in capsys.readouterr().err
    assert main(["tune", str(experiment), "-o", str(file)]) == 0
    assert "  kept: " not in capsys.readouterr().err
    assert main(["tune", str(other), "-o", str(file)]) == 2
    told = capsys.readouterr().err
    assert f"error: {file}: holds another tuning: experiment small.toml, not other.toml" in told
    assert "--fresh" in told
    assert main(["tune", str(other), "-o", str(file), "--fresh"]) == 0
    assert "taking over" not in capsys.readouterr().err
    assert json.loads(file.read_text("utf-8"))["experiment"] == str(other)


@pytest.fixture
def case(tmp_path: Path) -> Path:
    path = tmp_path / "case.toml"
    path.write_text(PSTSWM, encoding="utf-8")
    return path


def test_a_complete_run_of_a_model_is_kept(
    tmp_path: Path, case: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    words = ["run", "pstswm", str(case), "-o", str(folder), "--json"]
    assert main(words) == 0
    first, made = written(folder), json.loads(capsys.readouterr().out)
    assert main(words) == 0
    kept = capsys.readouterr()
    assert json.loads(kept.out) == made
    assert "kept: " in kept.err and "complete in" in kept.err
    assert written(folder) == first
    assert main(words[:-1]) == 0
    table = capsys.readouterr().out
    assert table.count("\n") > 4
    assert main([*words, "--fresh"]) == 0
    assert written(folder)["diagnostics.json"] > first["diagnostics.json"]
    capsys.readouterr()
    assert main([*words[:-1], "--fresh"]) == 0
    assert capsys.readouterr().out == table


def test_the_folder_of_another_run_of_a_model_is_refused(
    tmp_path: Path, case: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "out"
    words = ["run", "pstswm", str(case), "-o", str(folder)]
    assert main(words) == 0
    first = written(folder)
    capsys.readouterr()
    assert main([*words, "--simulated-ranks", "2"]) == 2
    assert "which differs in the ranks" in capsys.readouterr().err
    case.write_text(PSTSWM.replace("levels = 2", "levels = 3"), encoding="utf-8")
    assert main(words) == 2
    told = capsys.readouterr().err
    assert f"error: {folder}: holds another run (" in told
    assert "which differs in the settings; choose another folder, or replace it" in told
    assert written(folder) == first
    assert main([*words, "--fresh"]) == 0


def test_an_interrupted_run_of_a_model_goes_on_from_its_checkpoint(
    tmp_path: Path,
    case: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = tmp_path / "out"
    words = ["run", "pstswm", str(case), "-o", str(folder), "--checkpoint-every", "2", "--json"]
    assert main(["run", "pstswm", str(case), "--json"]) == 0
    whole = json.loads(capsys.readouterr().out)

    def interrupted(run: ModelRun, progress: Progress, files: Any) -> None:
        def step(number: int, steps: int) -> None:
            progress(number, steps)
            if number == 5:
                raise KeyboardInterrupt

        simulate(run, step, files)

    with monkeypatch.context() as patch:
        patch.setattr(run_command, "simulate", interrupted)
        assert main(words) == 130
    assert "the same command goes on from there" in capsys.readouterr().err
    assert json.loads((folder / "diagnostics.json").read_text("utf-8"))["complete"] is False
    assert main(words) == 0
    told = capsys.readouterr()
    assert "going on from " in told.err
    assert json.loads(told.out)["snapshots"][-1] == whole["snapshots"][-1]
    aside = folder / "until-step-5"
    steps = [
        entry["step"] for entry in json.loads((aside / "diagnostics.json").read_text())["snapshots"]
    ]
    assert steps == [0, 2, 4]
    assert main(words) == 0
    assert "kept: " in capsys.readouterr().err


def test_a_run_of_a_model_that_takes_hours_says_so_after_its_first_steps(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pace = run_command._Pace(time.monotonic() - 20.0, can_restart=True)
    pace.stepped(1, 10_000)
    pace.stepped(2, 10_000)
    told = capsys.readouterr().err
    assert told.count("expected to take about 55.") == 1
    assert "more MPI processes (-n)" in told and "--checkpoint-every" in told
    for begin, steps in ((time.monotonic() - 20.0, 100), (time.monotonic() - 2.0, 10_000)):
        run_command._Pace(begin, can_restart=False).stepped(1, steps)
    assert capsys.readouterr().err == ""


def test_short_runs_get_pictures_only_where_they_are_asked_for(
    tmp_path: Path,
    sweep_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("matplotlib")
    folder = tmp_path / "out"
    words = ["simulate", str(sweep_file), "-o", str(folder)]
    assert main(words) == 0
    assert f"no pictures of such short runs: tradewind plot {folder}, or --plots" in (
        capsys.readouterr().err
    )
    assert not list(folder.glob("*.png"))
    monkeypatch.setattr(output, "_DRAWING_S", 0.0)
    assert main([*words, "--no-plots"]) == 0
    assert "no pictures" not in capsys.readouterr().err
    assert not list(folder.glob("*.png"))
    assert main(words) == 0
    assert (folder / "scaling.png").exists()
    monkeypatch.undo()
    (folder / "scaling.png").unlink()
    assert main([*words, "--plots"]) == 0
    assert (folder / "scaling.png").exists()


def test_a_run_that_takes_hours_says_so_and_what_would_shorten_it() -> None:
    program = {"name": "alltoallv", "ranks": 4000, "bytes": "4 MB", "alltoallv": "burst"}
    experiment = Experiment.load(
        {
            "machine": "dragonfly-mm",
            "program": program,
            "simulation": {"packet_size": "4 KiB", "memory_limit": "900 GiB", "threads": 1},
        }
    )
    members = experiment.members()
    predictions = check_runs(members, experiment.source)
    plan = Plan(members, predictions, cores=2)
    assert plan.seconds > LONG_S
    first, last = plan.remarks()
    assert first.startswith("expected to take about ")
    for way in ("--threads 2 (about ", "simulation.packet_size=auto (about ", "analytic"):
        assert way in last
    assert Plan(members, predictions, cores=1).seconds >= plan.seconds
    twice = Plan([*members, *members], [*predictions, *predictions], cores=2)
    assert len(twice.remarks()) == 3
    assert plan.without(lambda member: True).seconds == 0


def test_what_is_finished_counts_no_more_for_the_time_that_is_left(
    tmp_path: Path,
    sweep_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(duration, "LONG_S", 0.0)
    words = ["simulate", str(sweep_file), "-o", str(tmp_path / "out")]
    assert main(words) == 0
    told = capsys.readouterr().err
    assert told.index("expected to take about 1 min") < told.index("done: ")
    assert "what would shorten it: " in told
    assert main(words) == 0
    assert "expected to take" not in capsys.readouterr().err


def test_a_log_says_when_a_long_run_starts_and_each_minute_how_far_it_is(sweep_file: Path) -> None:
    experiment = Experiment.load(sweep_file)
    members = experiment.members()
    predictions = [replace(one, packets=10**9) for one in check_runs(members, experiment.source)]
    text = io.StringIO()
    expected = {m.position: p for m, p in zip(members, predictions, strict=True)}
    with ProgressDisplay(Console(file=text, width=60), expected, interval_s=0.1) as shown:
        shown.started(members[0], predictions[0])
        (line,) = text.getvalue().splitlines()
        assert line.startswith("started: ranks 2, algorithm recursive_doubling: 2 ranks, about ")
        time.sleep(1.2)
    assert "so far: 0 done, 1 running, 5 left; 0 % in 0:00:0" in text.getvalue()


def test_a_heartbeat_is_for_logs_only_and_ends() -> None:
    for terminal, lines in ((False, 1), (True, 0)):
        text = io.StringIO()
        console = Console(file=text, force_terminal=terminal)
        with Heartbeat(console, lambda: "so far", interval_s=0.4) as heart:
            time.sleep(0.7)
            heart.tell()
        assert text.getvalue().count("so far") == lines
        assert heart._thread is None or not heart._thread.is_alive()


BINARY = bytes(range(256))


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["simulate", "no.toml"], ["no.toml: no such file", "expected a TOML file", "list exp"]),
        (["simulate", "zheng2018/fig5bb"], ['did you mean "zheng2018/fig5b"?']),
        (["simulate", "folder"], ["folder: is a folder; expected a TOML file"]),
        (["simulate", "binary"], ["binary: no text file in UTF-8: byte 0x80 in line 2"]),
        (["simulate", "picture.png"], ["picture.png: is a picture (PNG), no text file"]),
        (["run", "pstswm", "no.toml"], ["no.toml: no such file; expected a TOML file"]),
        (["run", "homme", "jamroz2016/jw_s"], ['did you mean "jamroz2016/jw_se"?']),
        (["simulate", "small.toml", "-o", "binary"], ["binary: is a file; expected a folder"]),
        (["simulate", "small.toml", "-o", "binary/x"], ["binary/x: binary is a file; expected"]),
        (["extrapolate", "a.trace", "-o", "binary/x.pattern"], ["binary: is a file; expected"]),
        (["report", "binary"], ["binary: is a file; expected a folder that tradewind simulate"]),
        (["plot", "binary"], ["binary: is a file; expected a folder that tradewind simulate -o"]),
        (["plot", "none"], ["none: there is no such folder; expected a folder that tradewind"]),
        (
            ["simulate", "small.toml", "--set", "program.allreduce={algorithm='ring',radix=2}"],
            [
                "allreduce.radix = 2: the algorithm recursive_doubling has no radix; those with it: ",
                "recursive_k",
            ],
        ),
        (
            [
                "simulate",
                "small.toml",
                "--set",
                "sweep={}",
                "--set",
                "program.allreduce={algorithm='recursive_k',radix=1}",
            ],
            ["program.allreduce.radix = 1: expected at least 2, for the algorithm recursive_k"],
        ),
        (
            ["simulate", "small.toml", "--set", 'sweep."program.rank"=[2, 4]'],
            ["sweep: program.rank = 2: unknown key", 'did you mean "ranks"?'],
        ),
        (
            ["simulate", "small.toml", "--set", 'sweep."machine.link.latncy"=["1 ns"]'],
            ['sweep: machine.link.latncy = "1 ns": unknown key', 'did you mean "latency"?'],
        ),
    ],
)
def test_errors_say_who_complains_what_was_given_and_what_is_allowed(
    words: list[str],
    told: list[str],
    tmp_path: Path,
    sweep_file: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "binary").write_bytes(BINARY)
    (tmp_path / "picture.png").write_bytes(b"\x89PNG" + BINARY)
    assert main(words) == 2
    message = capsys.readouterr().err
    assert message.count("\n") == 1
    for part in told:
        assert part in message


@pytest.mark.parametrize(
    ("encoding", "unit"), [("utf-8", "µs"), ("latin-1", "µs"), ("ascii", "us")]
)
def test_times_are_written_in_every_encoding(encoding: str, unit: str, tmp_path: Path) -> None:
    experiment = tmp_path / "small.toml"
    experiment.write_text(
        '[machine]\nname = "laptop"\n[program]\nname = "allreduce"\nbytes = "8 B"\nranks = 4\n'
    )
    done = subprocess.run(
        [sys.executable, "-m", "tradewind", "simulate", str(experiment)],
        capture_output=True,
        env=os.environ | {"PYTHONIOENCODING": encoding, "LANG": "C", "LC_ALL": "C"},
        check=True,
    )
    for told in (done.stdout, done.stderr):
        assert re.search(rf"\d {unit}\b", told.decode(encoding))


def test_settings_after_an_experiment_are_told_their_option(
    sweep_file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", str(sweep_file), "program.ranks=4", "machine=laptop"]) == 2
    assert "write --set program.ranks=4 --set machine=laptop" in capsys.readouterr().err
    assert main(["simulate", str(sweep_file), "other.toml"]) == 2
    assert "--set" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["list", "topologies"], 1),
        (["list", "topologies", "--json"], 1),
        (["simulate", "small.toml"], 1),
        (["simulate", "small.toml", "--json"], 1),
        (["inspect", "missing.trace", "--json"], 2),
    ],
)
def test_a_full_disk_below_standard_output_is_told_in_one_line(
    words: list[str], status: int, tmp_path: Path
) -> None:
    (tmp_path / "small.toml").write_text(
        '[machine]\nname = "laptop"\n[program]\nname = "allreduce"\nbytes = "8 B"\nranks = 4\n'
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "tradewind", *words],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
        )
    assert done.returncode == status
    # The other lines say how large the run is, and that it is done.
    errors = [line for line in done.stderr.splitlines() if line[:6] not in ("small:", "done: ")]
    assert len(errors) == 1 and errors[0].startswith("error: ")


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_command_whose_output_is_closed_ends_well(more: list[str], tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tradewind", "list", "topologies", *more]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *words], stderr=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (0, "")
