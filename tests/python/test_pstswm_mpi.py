"""The shallow water model on real MPI: the bits of simulated ranks, and runs that end early."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import Cli
from test_mpi import needs_mpi
from test_pstswm import SMALL, changed

from tradewind import cli as command_line
from tradewind.errors import ConfigError, MpiError
from tradewind.models import run as models
from tradewind.models.case import Case
from tradewind.models.run import ModelRun, Recorder
from tradewind.models.run_on_mpi import run_on_mpi


def on_mpi(raw: dict[str, Any], ranks: int, folder: Path) -> ModelRun:
    run = models.plan(Case.read("pstswm", raw), ranks)
    run_on_mpi(run, folder=folder)
    assert list(folder.iterdir()) == []
    return run


def check_same(one: ModelRun, other: ModelRun) -> None:
    assert len(one.snapshots) == len(other.snapshots) > 1
    for left, right in zip(one.snapshots, other.snapshots, strict=True):
        assert (left.step, left.time_s) == (right.step, right.time_s)
        assert left.numbers == right.numbers
        assert list(left.fields) == list(right.fields)
        for name, values in left.fields.items():
            assert np.array_equal(values, right.fields[name]), name


@needs_mpi
@pytest.mark.parametrize(
    ("ranks", "keys"),
    [
        (1, {}),
        (2, {"processes": [2, 1]}),
        (4, {"processes": [1, 4], "diffusion_m4_s": 1e16}),
        (6, {"processes": [3, 2], "fft": "bruck", "legendre_alltoallv": "burst"}),
    ],
)
def test_transpositions_give_the_bits_of_one_rank_on_any_mesh(
    ranks: int, keys: dict[str, object], tmp_path: Path
) -> None:
    raw = changed(case=6, **keys)
    parallel = on_mpi(raw, ranks, tmp_path)
    check_same(
        parallel, models.run(Case.read("pstswm", changed(case=6, **keys | {"processes": [1, 1]})))
    )
    simulated = models.run(Case.read("pstswm", raw), ranks)
    assert (parallel.messages, parallel.bytes) == (simulated.messages, simulated.bytes)
    assert parallel.library and not simulated.library


@needs_mpi
@pytest.mark.parametrize(("method", "protocol"), [("DTH", "(0,6)"), ("DR", "(1,4)"), ("DR", "")])
def test_distributed_methods_give_the_bits_of_simulated_ranks(
    method: str, protocol: str, tmp_path: Path
) -> None:
    keys: dict[str, object] = {"method": method, "processes": [2, 2]}
    raw = changed(case=4, **keys | ({"protocol": protocol} if protocol else {}))
    check_same(on_mpi(raw, 4, tmp_path), models.run(Case.read("pstswm", raw), 4))


@needs_mpi
@pytest.mark.parametrize(
    ("method", "protocol"), [("transpose", ""), ("DTH", "(0,1)"), ("DR", "(2,1)"), ("DR", "(1,2)")]
)
def test_puts_give_the_bits_of_two_sided_messages(
    method: str, protocol: str, tmp_path: Path
) -> None:
    keys: dict[str, object] = {"method": method, "processes": [2, 2]}
    raw = changed(case=4, **keys | ({"protocol": protocol} if protocol else {}))
    two_sided = models.run(Case.read("pstswm", raw), 4)
    raw["pstswm"]["transport"] = "puts"
    by_puts = on_mpi(raw, 4, tmp_path)
    check_same(by_puts, two_sided)
    assert by_puts.messages < two_sided.messages


@needs_mpi
def test_an_unstable_run_ends_on_all_ranks_and_keeps_what_it_has_shown(tmp_path: Path) -> None:
    keys: dict[str, object] = {"scheme": "explicit", "time_step": "600 s", "asselin": 0.5}
    run = models.plan(
        Case.read("pstswm", changed(case=6, days=2.0, output_every_hours=1.0, **keys)), 4
    )
    with pytest.raises(MpiError, match=r"rank \d of 4: .*level 0 is not finite after step \d+ of"):
        run_on_mpi(run, folder=tmp_path)
    assert [snapshot.step for snapshot in run.snapshots][:3] == [0, 6, 12]
    assert not run.is_complete


def processes_of(folder: Path) -> list[int]:
    """Ranks that hand their fields over in this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[0].endswith(b"tradewind-model") and str(folder).encode() in b" ".join(words):
            found.append(int(entry.name))
    return found


def gone(folder: Path) -> bool:
    """Returns whether all of them end within a few seconds."""
    for _ in range(100):
        if not processes_of(folder):
            return True
        time.sleep(0.1)
    return False


needs_proc = pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="no /proc")
LONG = {"case": 6, "days": 1000.0, "output_every_hours": 1.0, "levels": 1}


@needs_mpi
@needs_proc
def test_a_killed_rank_ends_the_job_with_a_message(tmp_path: Path) -> None:
    run = models.plan(Case.read("pstswm", changed(**LONG)), 3)
    killed = []

    def kill(step: int, steps: int) -> None:
        if not killed:
            killed.append(processes_of(tmp_path)[-1])
            os.kill(killed[0], signal.SIGKILL)

    with pytest.raises(MpiError, match=r"rank|status"):
        run_on_mpi(run, kill, folder=tmp_path)
    assert run.snapshots and not run.is_complete
    assert gone(tmp_path)


@pytest.fixture
def long_case(tmp_path: Path) -> Path:
    path = tmp_path / "long.toml"
    path.write_text(
        '[pstswm]\ncase = 6\ntruncation = 21\ntime_step = "1800 s"\ndays = 1000.0\n'
        "output_every_hours = 1.0\n",
        encoding="utf-8",
    )
    return path


@pytest.fixture
def signal_after(monkeypatch: pytest.MonkeyPatch) -> Callable[[int], None]:
    """Lets a signal reach this process once a run has come past its fifth output time."""
    stepped = Recorder.stepped

    def arm(number: int) -> None:
        sent = []

        def step(recorder: Recorder, at: int) -> None:
            stepped(recorder, at)
            if len(recorder.run.snapshots) >= 5 and not sent:
                sent.append(number)
                os.kill(os.getpid(), number)

        monkeypatch.setattr(Recorder, "stepped", step)

    return arm


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("ranks", ["--simulated-ranks", pytest.param("-n", marks=needs_mpi)])
def test_a_stopped_run_keeps_its_output_times(
    ranks: str,
    number: int,
    long_case: Path,
    signal_after: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("xarray")
    signal_after(number)
    folder = long_case.parent / "out"
    words = ["run", "pstswm", str(long_case), ranks, "2", "-o", str(folder), "--json"]
    assert command_line.main(words) == 130
    assert json.loads(capsys.readouterr().out)["error"]["kind"] == "Interrupted"
    summary = json.loads((folder / "diagnostics.json").read_text("utf-8"))
    assert not summary["complete"]
    assert [entry["step"] for entry in summary["snapshots"]][:5] == [0, 2, 4, 6, 8]
    import xarray

    with xarray.open_dataset(folder / "fields.nc") as fields:
        assert fields.sizes["time"] == len(summary["snapshots"]) >= 5
    assert not list(folder.glob(".tradewind-*"))
    if Path("/proc/self/cmdline").exists():
        assert gone(folder)


@needs_mpi
def test_the_command_runs_on_mpi_and_tells_the_courant_number_first(
    cli: Cli, tmp_path: Path
) -> None:
    case = tmp_path / "case2.toml"
    case.write_text(
        '[pstswm]\ncase = 2\ntruncation = 21\ntime_step = "1800 s"\ndays = 0.25\n'
        'method = "DTH"\nprotocol = "synchronous"\n',
        encoding="utf-8",
    )
    done = cli("run", "pstswm", case, "-n", "3", "-o", "out", "--json")
    assert done.returncode == 0, done.stderr
    assert done.stderr.startswith("spectral transform shallow water model: ")
    assert "MPI ranks, 12 steps of 1800 s, Courant number 0.2" in done.stderr.splitlines()[0]
    summary = json.loads(done.stdout)
    assert summary["complete"] and summary["ranks"] == 3 and summary["messages"] > 0
    assert summary["mpi_library"]
    assert summary["snapshots"][-1]["depth_error"]["l2"] < 1e-13
    assert summary == json.loads((tmp_path / "out" / "diagnostics.json").read_text("utf-8"))


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["-n", "3"], r"mesh 2 x 2 on 3 ranks; px may be at most 22 (wavenumbers)"),
        (["-n", "4", "--simulated-ranks", "4"], "give one"),
        (["--launcher", "srun -n {n}"], "give their number with -n"),
        (["-n", "0"], "-n"),
    ],
)
def test_ranks_that_do_not_fit_are_refused_before_anything_starts(
    cli: Cli, tmp_path: Path, words: list[str], message: str
) -> None:
    case = tmp_path / "case.toml"
    text = '[pstswm]\ntruncation = 21\ntime_step = "1800 s"\nprocesses = [2, 2]\n'
    case.write_text(text, encoding="utf-8")
    done = cli("run", "pstswm", case, *words)
    assert done.returncode == 2
    assert message in done.stderr


def test_a_step_that_is_too_long_is_refused_with_the_courant_number(
    cli: Cli, tmp_path: Path
) -> None:
    case = tmp_path / "case.toml"
    case.write_text('[pstswm]\ntruncation = 42\ntime_step = "7200 s"\n', encoding="utf-8")
    done = cli("run", "pstswm", case, "-n", "2")
    assert done.returncode == 2
    assert "Courant number of" in done.stderr


def test_protocols_that_do_not_exist_or_do_not_fit_are_refused() -> None:
    with pytest.raises(ConfigError, match="there is no protocol 'telepathy'"):
        models.plan(Case.read("pstswm", changed(protocol="telepathy")))
    with pytest.raises(ConfigError, match="takes no protocol"):
        models.plan(Case.read("pstswm", changed(protocol="(0,3)", fft="burst")))
    with pytest.raises(ConfigError, match=r"puts cannot carry the protocol \(0,6\)"):
        models.plan(Case.read("pstswm", changed(protocol="(0,6)", transport="puts")))
    with pytest.raises(ConfigError, match="transport"):
        models.plan(Case.read("pstswm", changed(transport="pigeons")))
    assert models.plan(Case.read("pstswm", SMALL)).outline["numbers"]["courant_number"] < 1
