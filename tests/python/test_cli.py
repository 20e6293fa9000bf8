from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Cli, count_finished, wait_until

KEYS = {
    "time_s",
    "wall_s",
    "peak_rss_bytes",
    "ranks",
    "nodes",
    "switches",
    "messages",
    "bytes",
    "packets",
    "packet_hops",
    "hash",
    "delay_s",
    "links",
}
LONG_SWEEP = "sweep.simulation.seed=" + str(list(range(1, 13)))


def start_long_sweep(sweep_file: Path, folder: Path) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "tradewind", "simulate", str(sweep_file), "-o", str(folder)]
    process = subprocess.Popen(
        [*command, "--set", LONG_SWEEP, "--set", "program.ranks=8"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: count_finished(folder) >= 2 or process.poll() is not None)
    assert process.poll() is None
    return process


def test_json_is_the_only_output_of_one_run(cli: Cli, sweep_file: Path) -> None:
    done = cli(
        "simulate",
        sweep_file,
        "--json",
        "--set",
        "program.ranks=8",
        "--set",
        "program.allreduce=ring",
        "--set",
        "sweep={}",
    )
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    assert set(result) >= KEYS
    assert {"min", "median", "p99", "max", "histogram"} <= set(result["delay_s"])
    assert {"mean", "max", "histogram"} <= set(result["links"])
    assert result["ranks"] == 8
    assert "of memory" in done.stderr


def test_json_of_a_sweep_has_every_run_with_its_parameters(cli: Cli, sweep_file: Path) -> None:
    done = cli("simulate", sweep_file, "--json", "--threads", "1")
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert len(result["runs"]) == 6
    assert all(set(run) >= KEYS for run in result["runs"])
    assert result["runs"][5]["parameters"] == {"ranks": 8, "algorithm": "ring"}
    assert result["failed"] == []


def test_a_sweep_leaves_data_pictures_and_summary(
    cli: Cli, sweep_file: Path, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    done = cli("simulate", sweep_file, "-o", "out", "--plots")
    assert done.returncode == 0, done.stderr
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"results.nc", "summary.md", "scaling.png", "scaling.svg", "links.png", "runs"} <= names
    assert "recursive_doubling" in done.stdout
    summary = (tmp_path / "out" / "summary.md").read_text(encoding="utf-8")
    assert "# a small sweep" in summary
    assert "(scaling.png)" in summary
    assert cli("plot", "out", "--kind", "scaling", "--format", "pdf").returncode == 0
    assert (tmp_path / "out" / "scaling.pdf").read_bytes().startswith(b"%PDF")


def test_a_sweep_without_a_folder_keeps_its_results_under_its_name(
    cli: Cli, sweep_file: Path, tmp_path: Path
) -> None:
    done = cli("simulate", sweep_file, "--json")
    assert done.returncode == 0, done.stderr
    assert count_finished(tmp_path / "tradewind-results" / "small") == 6


@pytest.mark.parametrize(
    "arguments",
    [
        ["simulate", "absent.toml"],
        ["simulate"],
        ["simulate", "laptop", "--colour"],
        ["plot", "absent"],
        ["report", "absent"],
        ["list", "colours"],
        ["sing"],
    ],
)
def test_wrong_input_ends_with_2_and_one_line(cli: Cli, arguments: list[str]) -> None:
    done = cli(*arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert done.stderr.count("\n") == 1


def test_wrong_input_with_json_is_one_object_on_standard_output(cli: Cli, sweep_file: Path) -> None:
    done = cli("simulate", sweep_file, "--json", "--set", "machine.link.latency=1 GB")
    assert done.returncode == 2
    error = json.loads(done.stdout)["error"]
    assert error["kind"] == "ConfigError"
    assert 'machine.link.latency = "1 GB"' in error["message"]


def test_a_run_that_needs_too_much_memory_is_refused_before_it_starts(
    cli: Cli, sweep_file: Path, tmp_path: Path
) -> None:
    done = cli("simulate", sweep_file, "-o", "out", "--set", "simulation.memory_limit=1 KiB")
    assert done.returncode == 2
    assert "of memory" in done.stderr
    assert not (tmp_path / "out").exists()


def test_interrupt_ends_with_130_keeps_finished_runs_and_resume_goes_on(
    cli: Cli, sweep_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    process = start_long_sweep(sweep_file, folder)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=30) == 130
    finished = count_finished(folder)
    assert 2 <= finished < 24
    resume = ["simulate", sweep_file, "-o", folder, "--json", "--set", LONG_SWEEP]
    done = cli(*resume, "--set", "program.ranks=8")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("kept: ") == finished
    assert len(json.loads(done.stdout)["runs"]) == 24


def test_kill_loses_no_finished_run_and_leaves_no_broken_one(
    sweep_file: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "out"
    process = start_long_sweep(sweep_file, folder)
    process.kill()
    process.wait(timeout=30)
    records = [
        json.loads(path.read_text(encoding="utf-8"))
        for path in (folder / "runs").glob("[!.]*.json")
    ]
    assert len(records) >= 2
    assert {record["status"] for record in records} == {"done"}


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("topologies", "dragonfly_canonical"),
        ("routings", "valiant"),
        ("algorithms", "ring_k"),
        ("machines", "frontier"),
        ("experiments", "zheng2018/fig5b"),
        ("models", "pstswm"),
        ("programs", "transposition"),
        ("networks", "packet_unbounded"),
        ("nodes", "AMM2"),
        ("protocols", "rendezvous"),
        ("protocols", "(1,6)"),
    ],
)
def test_list_names_what_can_be_chosen(cli: Cli, kind: str, expected: str) -> None:
    done = cli("list", kind)
    assert done.returncode == 0, done.stderr
    assert expected in done.stdout
    entries = json.loads(cli("list", kind, "--json").stdout)[kind]
    assert all(entry["summary"] for entry in entries)


def test_doctor_knows_the_core_and_the_packages(cli: Cli) -> None:
    done = cli("doctor", "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert {"python", "core", "cores", "memory", "numpy"} <= set(facts)
    project = Path(__file__).parents[2] / "pyproject.toml"
    extras = tomllib.loads(project.read_text())["project"]["optional-dependencies"]
    for name in ("report", "calibrate", "dask", "mesh", "mpi4py", "trace"):
        packages = {re.split(r"[>=\[]", one)[0] for one in extras[name]} - {"tradewind"}
        assert packages <= set(facts)


@pytest.mark.parametrize(
    "command",
    [
        "inspect read --export goal read",
        "inspect read --export perfetto link",
        "mesh partition read -n 4 -o read",
        "mesh partition read -n 4 --graph link",
        "mesh partition mesh -n 4 --method read -o read",
        "partition homme read -n 4 -o read",
        "partition homme read -n 4 --graph read",
        "graph homme read -n 4 -o link",
        "graph homme read -n 4 --ranks-per-node 2 --placement read",
        "machine export read -o read",
        "report . -o results.nc",
    ],
)
def test_no_command_writes_over_what_it_reads(cli: Cli, tmp_path: Path, command: str) -> None:
    for name in ("read", "mesh", "results.nc"):
        (tmp_path / name).write_text("kept")
    (tmp_path / "link").symlink_to("read")
    done = cli(*command.split())
    assert done.returncode == 2
    assert re.match(r"error: (read|link|results\.nc): is read, as ", done.stderr)
    assert {(tmp_path / name).read_text() for name in ("read", "results.nc")} == {"kept"}


def test_no_command_writes_two_things_into_one_file(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "quiet.toml").write_text("[homme]\n")
    done = cli("partition", "homme", "quiet.toml", "-n", "4", "-o", "new", "--graph", "./new")
    assert done.returncode == 2
    assert done.stderr == "error: new: would be written twice; expected a file for each\n"
    assert not (tmp_path / "new").exists()


def test_a_wrong_word_of_tradewind_mpi_is_told_with_the_right_ones(cli: Cli) -> None:
    done = cli("mpi", "-n", "2", "runs")
    assert done.returncode == 2
    assert done.stderr == (
        'error: mpi runs: did you mean "run"? allowed: info, run, simulate, verify\n'
    )
    done = cli("mpi", "-n", "2", "run")
    assert done.returncode == 2
    assert done.stderr.startswith("error: mpi run: expected a program and its settings")


def test_an_error_of_an_option_names_the_help_of_its_command(cli: Cli) -> None:
    assert cli("simulate", "--foo").stderr.endswith("(tradewind simulate --help)\n")
    assert cli("mesh", "check", "--foo").stderr.endswith("(tradewind mesh check --help)\n")
    assert cli("--foo").stderr.endswith("(tradewind --help)\n")


def test_help_names_every_command(cli: Cli) -> None:
    done = cli("--help")
    assert done.returncode == 0
    for name in ("simulate", "list", "plot", "report", "doctor", "demo"):
        assert name in done.stdout


def test_import_and_help_load_none_of_the_heavy_packages() -> None:
    code = "import sys, tradewind.cli as c; c.main(['--help']); print([m for m in ('matplotlib', 'plotly', 'xarray', 'netCDF4', 'pandas') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.rstrip().endswith("[]")
