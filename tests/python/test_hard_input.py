"""Input that hides what is wrong: endless files, endless names and numbers, nothing finite, deep nesting."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tradewind as tw
from tradewind.cli import main
from tradewind.config import places
from tradewind.config.experiment import Experiment
from tradewind.config.partition import read_partition_file
from tradewind.config.schema import Where
from tradewind.errors import ConfigError
from tradewind.models.case import Case
from tradewind.models.run import plan
from tradewind.runs.limits import check_runs

LONG, DIGITS = "a" * 5000, "9" * 5000
ONE = ["simulate", "small.toml", "--set", "sweep={}"]
GRAPH = "program={name='graph',ranks=4,graph='edges.graph',partition_file='half'}"
PHASES = "program={ranks=4,phase=[{name='halo'},{name='compute'}]}"
NUMBERS = "expected one whole number per rank"

CASES: list[tuple[list[str], str]] = [
    (["simulate", LONG], "no such file; expected a TOML file"),
    (["simulate", f"{LONG}.toml"], "no such file; expected a TOML file"),
    (["simulate", "small.toml", "-o", LONG], "File name too long"),
    (["run", "pstswm", LONG], "no such file; expected a TOML file"),
    (["report", LONG], "File name too long"),
    (["plot", LONG], "File name too long"),
    (["reproduce", LONG], "File name too long"),
    (["mesh", "check", f"{LONG}.nc"], "File name too long"),
    (["tune", LONG, "-o", "tuning.json"], "no such file; expected a TOML file"),
    ([*ONE, "--set", f"{LONG}=1"], "unknown table"),
    ([*ONE, "--set", f"machine={LONG}"], "unknown machine"),
    ([*ONE, "--set", f"machine={LONG}.toml"], "File name too long"),
    ([*ONE, "--set", f"program.ranks={DIGITS}"], "expected a whole number"),
    ([*ONE, "--threads", DIGITS], "'--threads'"),
    ([*ONE, "--set", "x=" + "[" * 3000], "nested more than 32 deep"),
    ([*ONE, "--set", "program.ranks=2020-01-01"], "date '2020-01-01' is no value of a setting"),
    ([*ONE, "--set", "machine.nic.injection_latency=inf"], "expected a time with its unit"),
    ([*ONE, "--set", "machine.link.bandwidth_gb_per_s=nan"], "expected a finite number"),
    ([*ONE, "--set", "machine.link.bandwidth_gb_per_s=1e308"], "is too large a bandwidth"),
    ([*ONE, "--set", "machine.link.latency='1e400 s'"], "expected at most 1 s"),
    ([*ONE, "--set", "simulation.packet_size=automatic"], 'such as "4 KiB" or "auto"'),
    ([*ONE, "--set", "simulation.error_target=nan"], "error_target = NaN: expected at least"),
    ([*ONE, "--set", "placement={rule='file',file='/dev/zero'}"], "is larger than 256 MiB"),
    ([*ONE, "--set", "placement={rule='file',file='digits'}"], NUMBERS),
    ([*ONE, "--set", "placement={rule='file',file='far'}"], "99999999999999999999 is no number of"),
    ([*ONE, "--set", "placement={rule='file',file='picture'}"], "is a picture (PNG), no text file"),
    (["machine", "show", "torus-m", "--ranks", "4", "--placement", "/dev/zero"], "is larger than"),
    (["machine", "show", "torus-m", "--bytes", "1e400 B"], "expected at most 1 GiB"),
    (["machine", "show", "torus-m", "--bytes", "inf"], "expected a size"),
    (["tune", "small.toml", "-o", "tuning.json", "--limit", "nan"], "nan is no finite number"),
    (["tune", "small.toml", "-o", "tuning.json", "--limit", "-1"], "'--limit'"),
    (["tune", "small.toml", "-o", "tuning.json", "--repetitions", "0"], "'--repetitions'"),
    (["explain", "small.toml", "--try-for", "nan"], "nan is no finite number"),
    (["bench", "overlap", "--work-dominates", "inf"], "inf is no finite number"),
    (["bench", "overlap", "--work-dominates", "1"], "1.01<=x<=100.0"),
    (["bench", "pingpong", "--elements", "3"], "--elements is an option of mesh"),
    (["bench", "kernels", "--sizes", "8"], "bench kernels: --sizes is an option of pingpong, swap"),
    (["run", "pstswm", "empty"], "empty: has no table [pstswm]"),
    ([*ONE, "--set", GRAPH], "partition_file is for 2 ranks, expected 4"),
    ([*ONE, "--set", PHASES, "--set", "program.phase.wave.bytes=1"], "a name (halo, compute)"),
]


@pytest.fixture
def folder(tmp_path: Path, sweep_file: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "digits").write_text(f"1 2 3 {DIGITS}", encoding="utf-8")
    (tmp_path / "far").write_text("1 2 3 " + "9" * 20, encoding="utf-8")
    (tmp_path / "empty").write_text("", encoding="utf-8")
    (tmp_path / "edges.graph").write_text("4 2\n2\n1\n4\n3\n", encoding="utf-8")
    (tmp_path / "half").write_text("0 0 1 1", encoding="utf-8")
    (tmp_path / "picture").write_bytes(b"\x89PNG\r\n")
    return tmp_path


@pytest.mark.parametrize(("words", "told"), CASES, ids=[f"{at}" for at in range(len(CASES))])
def test_it_is_refused_in_one_short_line(
    words: list[str], told: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(words) == 2
    message = capsys.readouterr().err
    assert message.startswith("error: ") and message.count("\n") == 1
    assert told in message
    assert len(message) < 900


def test_an_endless_file_is_refused_in_bounded_memory(tmp_path: Path, sweep_file: Path) -> None:
    code = (
        # ru_maxrss would keep the peak of the process that starts this one.
        "import re, sys; from tradewind.cli import main; status = main(sys.argv[1:]); "
        "peak = re.search(r'VmHWM:\\s*(\\d+) kB', open('/proc/self/status').read())[1]; "
        "print(status, int(peak) // 1024)"
    )
    for words in (["simulate", "/dev/zero"], ["run", "pstswm", "/dev/zero"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            capture_output=True,
            text=True,
            timeout=60,
            check=True,
        )
        status, peak_mib = map(int, done.stdout.split())
        assert status == 2 and peak_mib < 1000
        assert done.stderr == "error: /dev/zero: is larger than 256 MiB\n"


def test_a_byte_order_mark_is_no_part_of_any_text(folder: Path, sweep_file: Path) -> None:
    mark = "\ufeff"
    sweep_file.write_text(mark + sweep_file.read_text("utf-8"), encoding="utf-8")
    (folder / "nodes").write_text(f"{mark}0 1 2 3", encoding="utf-8")
    changes = {"placement": {"rule": "file", "file": "nodes"}, "sweep": {}}
    (member,) = Experiment.load(sweep_file, changes).members()
    assert member.spec.placement["nodes"] == [0, 1, 2, 3]
    (folder / "parts").write_text(f"{mark}0\n1\n", encoding="utf-8")
    edges = folder / "edges.txt"
    edges.write_text(f"{mark}0 1 100\n1 0 50\n", encoding="utf-8")
    graph = {"name": "graph", "graph": str(edges), "ranks": 2}
    assert tw.simulate({"machine": "laptop", "program": graph}).counts["bytes"] == 150
    section = read_partition_file({"partition_file": "parts"}, Where("case"), folder)
    assert section["partition_file"] == "0\n1\n"


def test_a_partition_that_has_no_end_is_refused() -> None:
    with pytest.raises(ConfigError, match=r'partition_file = "/dev/zero": .* is larger than'):
        read_partition_file({"partition_file": "/dev/zero"}, Where("case"), Path())


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (
            {"program.ranks": 128},
            r"experiment: program\.ranks = 128: the machine has room for 1\.\.32",
        ),
        (
            {
                "machine.topology": {
                    "name": "xgft",
                    "children": [4, 4],
                    "parents": [2, 1],
                    "cables": [1, 1],
                }
            },
            r"experiment: machine\.topology",
        ),
        (
            {"machine.topology": {"name": "torus", "extents": [2**30, 2**30]}},
            r"experiment: machine\.topology",
        ),
        (
            {"program.alltoallv": {"algorithm": "bruck_k", "radix": 1}},
            r"program\.alltoallv\.radix = 1: expected at least 2, for the algorithm bruck_k",
        ),
        ({"machine.link.latency": "2 s"}, r'latency = "2 s": expected at most 1 s$'),
        ({"machine.link.latency": "-1 ns"}, r'latency = "-1 ns": expected at least 1 ps$'),
        ({"machine.link.bandwidth": "0 GB/s"}, r'bandwidth = "0 GB/s": expected at least 1 B/s$'),
    ],
)
def test_errors_of_the_core_name_file_and_table_and_limits_have_units(
    small: dict[str, Any], changes: dict[str, Any], told: str
) -> None:
    with pytest.raises(ConfigError, match=told) as caught:
        experiment = Experiment.load(small, changes)
        check_runs(experiment.members(), experiment.source)
    assert not re.search(r"picosecond|\d{9}", str(caught.value).partition(": expected")[2])


def test_errors_of_models_name_file_and_table_once() -> None:
    case = Case.read("semi_lagrangian", {"semi_lagrangian": {"grid": [7, 3, 4]}}, "case.toml")
    with pytest.raises(ConfigError, match=r"^case\.toml: \[semi_lagrangian\]: grid = \[7, 3, 4\]"):
        plan(case)


@pytest.mark.parametrize(
    ("key", "value", "swept", "told"),
    [
        ("program.grid", [1, 2], [[8, 8, 8]], r"program\.grid = \[1, 2\]: expected 3 numbers"),
        (
            "program.alltoallv",
            {"algorithm": "rung"},
            ["ring"],
            r'program\.alltoallv\.algorithm = "rung": unknown algorithm',
        ),
        (
            "machine.routing",
            "minimum",
            ["minimal"],
            r'machine\.routing = "minimum": unknown routing',
        ),
    ],
)
def test_lists_and_tables_that_a_sweep_replaces_are_checked(
    small: dict[str, Any], key: str, value: Any, swept: list[Any], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        Experiment.load(small, {key: value, f"sweep.{key}": swept}).members()


def test_errors_of_studies_and_machines_name_their_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(places.study_folders()["zheng2018"], "study")
    study = Path("study") / "study.toml"
    text = study.read_text("utf-8")
    assert '"scaling"' in text
    study.write_text(text.replace('"scaling"', '"scalijg"', 1), encoding="utf-8")
    assert main(["reproduce", "study", "-o", "out"]) == 2
    told = capsys.readouterr().err
    assert told.startswith("error: study/study.toml: part ")
    assert "plots = scalijg: allowed: scaling" in told
    machine = Path("mine.toml")
    machine.write_text(
        '[topology]\nname = "xgft"\nchildren = [4, 4]\nparents = [1]\ncables = [1, 1]\n'
        '[link]\nbandwidth = "1 GB/s"\nlatency = "1 us"\n',
        encoding="utf-8",
    )
    assert main(["machine", "show", "mine.toml"]) == 2
    assert capsys.readouterr().err.startswith("error: mine.toml: xgft: children, parents and")
    machine.write_text(
        '[topology]\nname = "torus"\nextents = [4, 4]\n[link]\nbandwidth = "1 GB/s"\n',
        encoding="utf-8",
    )
    assert main(["machine", "show", "mine.toml"]) == 2
    assert capsys.readouterr().err.startswith("error: mine.toml: link.latency: is missing")
