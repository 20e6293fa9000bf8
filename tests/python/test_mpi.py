from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from conftest import Cli, needs_mpi

from tradewind import core, mpi
from tradewind.errors import ConfigError, MpiError
from tradewind.mpi import installation, launch

SMALL = Path(__file__).parents[2] / "examples" / "small.toml"


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


@pytest.fixture
def fake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program that says what it was given, and its description."""
    program = script(tmp_path, "program", 'echo "{\\"ranks\\": $TRADEWIND_MPI_RANKS}"')
    facts = {"origin": "given", "name": "a fake", "launcher": str(tmp_path / "launcher")}
    (tmp_path / "mpi.json").write_text(json.dumps(facts), encoding="utf-8")
    monkeypatch.setenv("TRADEWIND_MPI_PROGRAM", str(program))
    monkeypatch.delenv("TRADEWIND_MPIEXEC", raising=False)
    return tmp_path


def run_with(folder: Path, launcher: str) -> str:
    """Returns the error that is raised when the launcher is this script."""
    script(folder, "launcher", launcher)
    with pytest.raises((ConfigError, MpiError)) as caught:
        mpi.run(["info"], 3)
    return f"{type(caught.value).__name__}: {caught.value}"


def test_mpich_gives_way_only_where_ranks_outnumber_cores() -> None:
    few, many = launch.environment(2, 2), launch.environment(3, 2)
    assert "MPIR_CVAR_ENABLE_HEAVY_YIELD" not in few
    assert many["MPIR_CVAR_ENABLE_HEAVY_YIELD"] == "1"
    assert few["TRADEWIND_MPI_RANKS"] == "2"


def test_mpi4py_loads_the_mpi_of_the_programs(tmp_path: Path) -> None:
    for library, abi in (
        ("libmpi.so.40", "openmpi"),
        ("libmpich.so.12", "mpich"),
        ("libmpi.so.12", "mpich"),
    ):
        program = tmp_path / abi
        program.write_bytes(b"\x7fELF\0" + library.encode() + b"\0")
        assert launch.for_mpi4py(program) == {"MPI4PY_MPIABI": abi}
    program.write_bytes(b"\x7fELF\0")
    assert launch.for_mpi4py(program) == {}


def test_ranks_are_bound_only_where_they_fit() -> None:
    found = installation.Mpi(Path("/p"), Path("/m"), "given", "x")
    assert launch.command(found, 2, None, 2) == ["/m", "--bind-to", "core", "-n", "2", "/p"]
    assert launch.command(found, 3, None, 2) == ["/m", "-n", "3", "/p"]
    assert launch.command(found, 9, "srun -n {n}", 2) == ["srun", "-n", "9", "/p"]


def test_a_launcher_without_a_place_for_the_ranks_is_refused() -> None:
    found = installation.Mpi(Path("/p"), Path("/m"), "given", "x")
    with pytest.raises(ConfigError, match="srun -n"):
        launch.command(found, 2, "srun", 2)


def test_what_the_first_rank_prints_is_returned(fake: Path) -> None:
    script(fake, "launcher", 'echo a warning >&2; shift $(($# - 2)); exec "$1" "$2"')
    assert mpi.run(["info"], 3) == {"ranks": 3}


def test_failures_are_told_in_plain_words(fake: Path) -> None:
    assert "ConfigError: bad radix" in run_with(fake, "echo tradewind: bad radix >&2; exit 2")
    assert "MpiError: rank 1" in run_with(fake, "echo tradewind: rank 1 of 3 >&2; exit 1")
    assert "refuses 3 ranks" in run_with(fake, "echo There are not enough slots >&2; exit 1")
    assert "status 9: it wrote nothing" in run_with(fake, "exit 9")


def test_what_the_watchdog_says_of_all_ranks_is_told(fake: Path) -> None:
    lines = ["rank 0 of 2 has waited", "rank 1 of 2 has", "the watchdog ends the job: the limit"]
    said = "; ".join(f"echo 'tradewind: {line}' >&2" for line in lines)
    assert run_with(fake, f"{said}; echo Abort >&2; exit 1") == "MpiError: " + "\n".join(lines)


def test_a_job_that_hangs_is_ended(fake: Path) -> None:
    script(fake, "launcher", "exec sleep 60")
    with pytest.raises(MpiError, match=r"not done after 0\.2 s"):
        mpi.run(["info"], 3, timeout=0.2)


def test_a_missing_launcher_or_program_is_named(
    fake: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match="launcher"):
        mpi.find()
    monkeypatch.setenv("TRADEWIND_MPI_PROGRAM", str(fake / "nothing"))
    with pytest.raises(ConfigError, match="no MPI was found"):
        mpi.find()


def test_no_ranks_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        mpi.run(["info"], 0)


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 2, 5])
def test_every_algorithm_is_right_on_real_ranks(ranks: int) -> None:
    result = mpi.run(["verify"], ranks)
    assert result["ranks"] == ranks
    assert result["failed"] == 0
    operations = (
        "alltoallv",
        "allreduce",
        "allgather",
        "bcast",
        "reduce",
        "gather",
        "scatter",
        "scan",
        "reduce_scatter",
        "barrier",
        "neighbor",
    )
    known = [(name, entry[0]) for name in operations for entry in core.load().catalogue()[name]]
    found = [(entry["operation"], entry["algorithm"]) for entry in result["algorithms"]]
    assert [entry for entry in found if not entry[0].startswith("mesh_")] == known
    for combination in ("mesh_sum", "mesh_copy"):
        choices = [choice for operation, choice in found if operation == combination]
        assert choices == [*core.names("mesh"), "native", "native_nonblocking"]


@needs_mpi
def test_a_program_of_the_catalogue_is_timed(cli: Cli) -> None:
    done = cli("mpi", "-n", "3", "--json", "run", "halo", "grid=[24,16,4]", "width=2")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["ranks"] == 3
    assert 0 < result["time_s"] < 60
    assert len(result["seconds"]) == 5
    assert result["min_s"] <= result["median_s"] <= result["max_s"]


@needs_mpi
def test_a_timed_program_takes_units_and_tells_median_and_range(cli: Cli) -> None:
    said = cli("mpi", "run", "allreduce", "bytes=4 KiB", "repetitions=3")
    assert said.returncode == 0, said.stderr
    assert re.search(r"allreduce: median \S+ \S+, \S+ \S+ to \S+ \S+ in 3 runs", said.stdout)
    once = cli("mpi", "run", "allreduce", "bytes=4096", "repetitions=1", "warm_up=0")
    assert re.search(r"allreduce: \S+ (s|ms|µs|us|ns)\n", once.stdout)
    wrong = cli("mpi", "run", "allreduce", "bytes=4 KB")
    assert wrong.returncode == 2
    assert 'bytes=4 KB: unknown unit "KB" of a size' in wrong.stderr
    nobody = cli("mpi", "run", "allredusce", "bytes=8 B")
    assert nobody.returncode == 2
    assert "unknown program allredusce" in nobody.stderr


def test_settings_become_words() -> None:
    spec = {"a": {"x": 1.5e10, "y": True, "z": [1, 2]}, "b": {"name": "torus", "n": 3}}
    assert mpi.words_of(spec) == [
        "a.x=15000000000.0",
        "a.y=true",
        "a.z=[1,2]",
        "b.name=torus",
        "b.n=3",
    ]


@needs_mpi
def test_wrong_settings_are_wrong_input(cli: Cli) -> None:
    done = cli("mpi", "run", "halo", "grid=[24,16,4]")
    assert done.returncode == 2
    assert 'setting "width" is missing' in done.stderr


@needs_mpi
def test_a_launcher_of_another_mpi_is_noticed(cli: Cli) -> None:
    done = cli("mpi", "-n", "2", "--launcher", "env IGNORED={n}", "info")
    assert done.returncode == 2
    assert "2 ranks were asked for, but MPI sees 1" in done.stderr
