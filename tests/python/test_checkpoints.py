"""Checkpoints of models: runs that go on to the last bit, and files that are refused."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import wave_meshes
from conftest import Cli, needs_mpi

from tradewind.errors import ConfigError
from tradewind.models.case import Case
from tradewind.models.run import Checkpointing, ModelRun, plan, simulate
from tradewind.models.run_on_mpi import run_on_mpi

PSTSWM: dict[str, Any] = {"case": 6, "truncation": 21, "time_step": "1800 s", "levels": 2}
ADVECTION: dict[str, Any] = {"case": "deformation", "grid": [32, 16, 4], "time_step": "10800 s"}
CORE: dict[str, Any] = {"ne": 2, "time_step": "1800 s"}
# A track has several lines, which MPI processes get by a file.
WAVES: dict[str, Any] = {
    "time_step": "1800 s",
    "directions": 12,
    "frequencies": 8,
    "wind": "typhoon",
    "wind_speed_m_s": 12.0,
    "track": "0 132 13 950 250\n6 131 14 950 250",
}
CASES = {
    "fvwam": WAVES,
    "homme": CORE,
    "pstswm": PSTSWM | {"asselin": 0.02},
    "semi_lagrangian": ADVECTION,
}


def made(
    model: str, steps: int, files: Checkpointing, *, ranks: int = 4, mpi: bool = False, **more: Any
) -> ModelRun:
    settings = CASES[model] | {"steps": steps} | more
    if model == "fvwam":
        settings |= {"mesh": str(wave_meshes.globe())}
    run = plan(Case.read(model, {model: settings}), ranks)
    (run_on_mpi if mpi else simulate)(run, None, files)
    return run


@pytest.mark.parametrize(
    "model",
    [pytest.param(model, marks=wave_meshes.needed if model == "fvwam" else ()) for model in CASES],
)
@pytest.mark.parametrize("mpi", [False, pytest.param(True, marks=needs_mpi)])
def test_a_restarted_run_ends_with_the_bits_of_one_in_one_go(
    tmp_path: Path, model: str, mpi: bool
) -> None:
    file = tmp_path / "checkpoint.bin"
    made(model, 6, Checkpointing(4, file), mpi=mpi)
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.bin"]
    whole = made(model, 10, Checkpointing())
    restarted = made(model, 10, Checkpointing(restart=file), mpi=mpi)
    assert restarted.is_complete and restarted.final.step == 10
    assert 0 < restarted.messages < whole.messages
    for name, values in whole.final.fields.items():
        assert np.array_equal(values, restarted.final.fields[name]), name
    # The file serves simulated ranks and MPI processes alike.
    assert np.array_equal(
        made(model, 10, Checkpointing(restart=file)).final.fields[name], whole.final.fields[name]
    )


@pytest.mark.parametrize(
    ("model", "ranks", "more", "told"),
    [
        ("homme", 4, {"ne": 3}, "ne"),
        ("homme", 4, {"method": "dg", "time_step": "300 s"}, "method"),
        ("pstswm", 4, {"truncation": 20}, "truncation"),
        ("pstswm", 4, {"case": 2}, "case"),
        ("pstswm", 2, {}, "ranks"),
        ("semi_lagrangian", 4, {"grid": [36, 16, 4]}, "grid"),
        ("semi_lagrangian", 4, {"tracers": 2}, "tracers"),
    ],
)
def test_a_checkpoint_of_another_run_is_refused_with_what_differs(
    tmp_path: Path, model: str, ranks: int, more: dict[str, Any], told: str
) -> None:
    file = tmp_path / "checkpoint.bin"
    made(model, 2, Checkpointing(2, file))
    with pytest.raises(ConfigError, match=told):
        made(model, 4, Checkpointing(restart=file), ranks=ranks, **more)


def test_damaged_checkpoints_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "checkpoint.bin"
    made("pstswm", 2, Checkpointing(2, file))
    whole = file.read_bytes()
    flipped = bytearray(whole)
    flipped[-1000] ^= 1
    negative = whole.replace(b"\nnumbers=", b"\nnumbers=-1 ")
    short = (b"", b"something else\n", whole[:-8], whole[: len(whole) // 2], whole[:40])
    for damaged in (*short, bytes(flipped), negative):
        file.write_bytes(damaged)
        with pytest.raises(ConfigError, match=r"checkpoint\.bin"):
            made("pstswm", 4, Checkpointing(restart=file))


def test_the_command_writes_checkpoints_and_goes_on(cli: Cli, tmp_path: Path) -> None:
    case = tmp_path / "case.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in PSTSWM.items()]
    case.write_text("\n".join(["[pstswm]", *lines, "steps = 6"]), encoding="utf-8")
    done = cli("run", "pstswm", case, "--checkpoint-every", "2", "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    file = tmp_path / "out" / "checkpoint.bin"
    assert file.is_file()
    case.write_text(case.read_text("utf-8").replace("steps = 6", "steps = 8"), encoding="utf-8")
    again = cli("run", "pstswm", case, "--restart", file, "--json")
    assert again.returncode == 0, again.stderr
    whole = cli("run", "pstswm", case, "--json")
    ends = [json.loads(each.stdout)["snapshots"][-1] for each in (again, whole)]
    assert ends[0] == ends[1]


def write_case(path: Path, **more: Any) -> Path:
    lines = [f"{key} = {json.dumps(value)}" for key, value in (PSTSWM | more).items()]
    path.write_text("\n".join(["[pstswm]", *lines]), encoding="utf-8")
    return path


@pytest.mark.parametrize("kind", ["--simulated-ranks", pytest.param("-n", marks=needs_mpi)])
def test_the_same_command_goes_on_where_it_was_interrupted(
    cli: Cli, tmp_path: Path, kind: str
) -> None:
    case = write_case(tmp_path / "case.toml", steps=400)
    words = ["run", "pstswm", str(case), kind, "2"]
    kept = [*words, "-o", "out", "--checkpoint-every", "1"]
    command = [sys.executable, "-m", "tradewind", *kept]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    file = tmp_path / "out" / "checkpoint.bin"
    while not file.is_file() and process.poll() is None:
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130, errors
    assert "the same command goes on from there" in errors
    again = cli(*kept, "--json")
    assert again.returncode == 0, again.stderr
    assert "going on from out/checkpoint.bin" in again.stderr
    whole = cli(*words, "--json")
    ends = [json.loads(each.stdout)["snapshots"][-1] for each in (again, whole)]
    assert ends[0] == ends[1]


def test_a_foreign_checkpoint_leaves_the_output_that_a_fresh_run_would_replace(
    cli: Cli, tmp_path: Path
) -> None:
    case = write_case(tmp_path / "case.toml", steps=2)
    done = cli("run", "pstswm", case, "-o", "out", "--checkpoint-every", "2")
    assert done.returncode == 0, done.stderr
    earlier = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    other = write_case(tmp_path / "other.toml", steps=4, case=2)
    words = ["-o", "out", "--restart", "out/checkpoint.bin", "--fresh"]
    refused = cli("run", "pstswm", other, *words)
    assert refused.returncode == 2
    assert "its case is 6, that of this run 2" in refused.stderr
    assert {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()} == earlier
    # A run that fits replaces everything but the checkpoint with which it began.
    longer = write_case(tmp_path / "longer.toml", steps=4)
    done = cli("run", "pstswm", longer, *words)
    assert done.returncode == 0, done.stderr
    now = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert now["checkpoint.bin"] == earlier["checkpoint.bin"]
    assert now["diagnostics.json"] != earlier["diagnostics.json"]
    assert json.loads(now["diagnostics.json"])["steps_done"] == 4


@pytest.mark.parametrize(
    ("model", "words", "told"),
    [
        ("pstswm", ["--restart", "none.bin"], "no such file"),
        ("pstswm", ["--checkpoint-every", "2"], "give it with -o"),
        ("pstswm", ["--checkpoint-every", "0", "-o", "out"], "checkpoint-every"),
        ("helmholtz", ["--checkpoint-every", "2", "-o", "out"], "has no checkpoints"),
    ],
)
def test_wishes_that_cannot_be_met_are_refused(
    cli: Cli, tmp_path: Path, model: str, words: list[str], told: str
) -> None:
    case = tmp_path / "case.toml"
    case.write_text(f"[{model}]\n", encoding="utf-8")
    done = cli("run", model, case, *words)
    assert done.returncode == 2
    assert told in done.stderr
