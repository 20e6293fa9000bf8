"""Models with data foretell their memory, and are refused in one line before they take it."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import wave_meshes
from conftest import needs_mpi

from tradewind import host
from tradewind.cli import main
from tradewind.config.experiment import Experiment
from tradewind.errors import ConfigError
from tradewind.host import available_memory
from tradewind.models import memory
from tradewind.models.case import Case
from tradewind.models.memory import Ranks, needed_memory
from tradewind.models.run import plan
from tradewind.runs import limits

Raw = dict[str, Any]

PSTSWM: Raw = {"case": 2, "truncation": 42, "time_step": "600 s", "days": 3 * 600 / 86400}
WAVES: Raw = {"sources": "none", "start": "calm", "time_step": "60 s", "steps": 1}
MEASURED: list[tuple[str, Raw, int]] = [
    ("helmholtz", {"grid": [64, 64, 200]}, 1),
    ("helmholtz", {"grid": [64, 64, 100], "method": "pipelined_gcr", "restart": 5}, 6),
    ("helmholtz", {"grid": [700, 700, 1]}, 4),
    ("helmholtz", {"grid": [3, 3, 100_000]}, 9),
    ("semi_lagrangian", {"grid": [128, 64, 40], "tracers": 3}, 1),
    ("semi_lagrangian", {"grid": [128, 64, 30], "tracers": 3}, 8),
    ("semi_lagrangian", {"grid": [2048, 512, 1]}, 6),
    ("semi_lagrangian", {"grid": [8, 80_000, 1], "time_step": "50 s"}, 1),
    ("semi_lagrangian", {"grid": [128, 64, 30], "tracers": 3, "exchange": "on_demand"}, 8),
    ("pstswm", PSTSWM | {"levels": 40}, 1),
    ("pstswm", PSTSWM | {"levels": 40}, 6),
    ("pstswm", PSTSWM | {"levels": 40, "method": "DR"}, 4),
    ("pstswm", PSTSWM | {"levels": 20, "legendre": "sum"}, 4),
    ("pstswm", PSTSWM | {"levels": 20, "messages": "pstswm_fields"}, 4),
    ("pstswm", PSTSWM | {"levels": 8, "days": 0.25, "output_every_hours": 1.0}, 2),
    ("pstswm", PSTSWM | {"truncation": 213, "time_step": "120 s", "days": 120 / 86400}, 2),
    ("homme", {"ne": 16, "steps": 1}, 1),
    ("homme", {"ne": 16, "steps": 1, "native_grid": True}, 6),
    ("homme", {"ne": 8, "steps": 1, "method": "dg"}, 4),
    ("homme", {"ne": 16, "case": "williamson2", "steps": 1, "levels": 26}, 2),
    ("fvwam", WAVES, 1),
    ("fvwam", WAVES, 6),
    ("fvwam", WAVES | {"precision": "double", "scheme": "limited"}, 4),
    ("fvwam", WAVES | {"sources": "wam4"}, 24),
]

# Runs a case twice, a small one first, so that what is loaded once is not measured.
MEASURE = """
import json, sys
from pathlib import Path
from tradewind.models.case import Case
from tradewind.models.run import run

def status(name):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(name))

model, raw, ranks, small = json.loads(sys.argv[1])
run(Case.read(model, {model: small}), 1)
before = status("VmRSS")
Path("/proc/self/clear_refs").write_text("5")
kept = run(Case.read(model, {model: raw}), ranks)
print(status("VmHWM") - before)
"""


def measured_bytes(model: str, raw: Raw, ranks: int) -> int:
    """Returns the memory that a run takes beyond that of a small one before it."""
    small: dict[str, Raw] = {"pstswm": {"case": 2, "truncation": 5}, "homme": {"ne": 2, "steps": 1}}
    first = small.get(model, {"grid": [8, 8, 4]})
    if "mesh" in raw:
        first = raw | {"mesh": str(wave_meshes.globe())}
    words = [sys.executable, "-c", MEASURE, json.dumps([model, raw, ranks, first])]
    done = subprocess.run(words, capture_output=True, text=True, timeout=600, check=True)
    return int(done.stdout)


def settings_of(model: str, raw: Raw) -> Any:
    return Case.read(model, {model: raw}).settings


@pytest.mark.parametrize(
    ("model", "raw", "ranks"),
    [
        pytest.param(
            *one, id=f"{one[0]}-{index}", marks=wave_meshes.needed if one[0] == "fvwam" else ()
        )
        for index, one in enumerate(MEASURED)
    ],
)
def test_memory_is_foretold_within_a_factor_of_one_and_a_half(
    model: str, raw: Raw, ranks: int
) -> None:
    if model == "fvwam":
        raw = raw | {"mesh": str(wave_meshes.globe(10242))}
    measured = measured_bytes(model, raw, ranks)
    needed = needed_memory(model, settings_of(model, raw), ranks)
    assert measured > 20e6, "too little to be judged"
    # Up to a tenth too little, because the allocator keeps pages.
    assert 0.9 * measured <= needed <= 1.5 * measured, f"{needed:.4g} for {measured:.4g}"


@pytest.mark.parametrize("ranks", [4, 4000])
def test_memory_of_many_ranks_is_counted(ranks: int) -> None:
    """The ranks of the simulator themselves, with next to no fields."""
    raw = {"grid": [80, 80, 1]}
    measured = measured_bytes("helmholtz", raw, ranks)
    needed = needed_memory("helmholtz", settings_of("helmholtz", raw), ranks)
    assert 0.9 * measured <= needed <= 2.0 * measured


@pytest.mark.parametrize("network", ["packet", "analytic"])
def test_memory_of_a_network_with_many_idle_switches_is_counted(network: str) -> None:
    tables = {
        "machine": {
            "topology": {"name": "torus", "extents": [60_000, 8, 8], "nodes_per_switch": 2},
            "routing": "dimension_order",
            "link": {"bandwidth": "1 GB/s", "latency": "50 ns"},
        },
        "program": {"name": "allreduce", "bytes": "64 B", "ranks": 2},
        "simulation": {"network": network},
    }
    (member,) = Experiment.load(tables).members()
    code = f"""
from tradewind import core
print(core.load().simulate({member.spec.tables()!r})["peak_rss_bytes"])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    measured, needed = int(done.stdout), limits.predict(member.spec).memory_bytes
    assert measured > 100e6, "too little to be judged"
    assert 0.9 * measured <= needed <= 1.5 * measured


def test_a_program_without_end_is_estimated_from_its_beginning() -> None:
    for program in (
        {"name": "pstswm", "ranks": 1, "steps": 2**40},
        {"name": "pstswm", "ranks": 2, "steps": 2**40},
        {"name": "helmholtz", "grid": [8, 8, 1], "ranks": 2, "iterations": 2**30},
    ):
        (member,) = Experiment.load({"machine": "laptop", "program": program}).members()
        messages = limits.predict(member.spec).messages
        assert messages >= (1_000_000 if program["ranks"] == 2 else 0)


HUGE: list[tuple[str, Raw]] = [
    ("helmholtz", {"grid": [16, 16, 400_000_000]}),
    ("helmholtz", {"grid": [2**20, 2**20, 2**20]}),
    ("helmholtz", {"grid": [3, 2**30, 1]}),
    ("helmholtz", {"grid": [2**20, 2**20, 1], "restart": 1000}),
    ("semi_lagrangian", {"grid": [16, 16, 400_000_000]}),
    ("semi_lagrangian", {"grid": [4, 2**30, 1]}),
    ("semi_lagrangian", {"grid": [2**30, 4, 1]}),
    ("semi_lagrangian", {"grid": [2**20, 2**20, 2**20], "tracers": 100_000}),
    ("pstswm", {"truncation": 8191, "time_step": "1 us"}),
    ("pstswm", {"truncation": 85, "levels": 2**20}),
    ("pstswm", {"truncation": 42, "days": 3650.0, "output_every_hours": 1.0}),
]


@pytest.mark.parametrize(("model", "raw"), HUGE, ids=[f"{m}-{i}" for i, (m, _) in enumerate(HUGE)])
@pytest.mark.parametrize("command", [[], ["--simulated-ranks", "3"], ["-n", "2"]])
def test_a_run_that_does_not_fit_is_refused_before_it_starts(
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    model: str,
    raw: Raw,
    command: list[str],
) -> None:
    lines = [f"{key} = {json.dumps(value)}" for key, value in raw.items()]
    case = tmp_path / "case.toml"
    case.write_text("\n".join([f"[{model}]", *lines]), encoding="utf-8")
    assert main(["run", model, str(case), *command]) == 2
    told = capsys.readouterr().err
    assert "of memory, " in told and " are available" in told
    assert len(told.splitlines()) == 1


def test_what_is_available_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    case = Case.read("helmholtz", {"helmholtz": {"grid": [16, 16, 4_000_000]}})
    needed = needed_memory("helmholtz", case.settings, 2)
    assert 90e9 < needed < 120e9
    monkeypatch.setattr(memory, "available_memory", lambda: int(needed) - 1)
    for where in (Ranks.SIMULATED, Ranks.MPI):
        with pytest.raises(ConfigError, match=r"helmholtz on 2 .* needs about .* of memory"):
            plan(case, 2, where)
    memory.check_memory("helmholtz", case.settings, 2, Ranks.started_by("srun -n {n}"))
    monkeypatch.setattr(memory, "available_memory", lambda: int(needed) + 1)
    memory.check_memory("helmholtz", case.settings, 2)


def test_a_limit_of_the_address_space_counts() -> None:
    code = "from tradewind.host import available_memory; print(available_memory())"

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (3 * 2**30, 3 * 2**30))

    done = subprocess.run(
        [sys.executable, "-c", code], preexec_fn=limit, capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < 3 * 2**30
    assert available_memory() > 0


@pytest.mark.parametrize(
    "command", [[], pytest.param(["-n", "2"], marks=needs_mpi)], ids=["simulated", "mpi"]
)
def test_memory_that_ends_all_the_same_is_told_in_one_line(
    tmp_path: Path, command: list[str]
) -> None:
    """Covers estimates that are too low, and memory that others have taken in the meantime."""
    case = tmp_path / "case.toml"
    case.write_text("[helmholtz]\ngrid = [64, 64, 40000]\n", encoding="utf-8")
    code = f"""
import resource, sys
from tradewind import host
from tradewind.cli import main
from tradewind.models import memory
memory.available_memory = lambda: 2**62
resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
sys.exit(main(["run", "helmholtz", {str(case)!r}, *{command!r}]))
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "Traceback" not in done.stderr
    plan, error = done.stderr.splitlines()
    assert "Helmholtz equation: " in plan
    assert error.startswith("error: ") and "not enough memory" in error


@pytest.mark.parametrize("names", [("memory.max", "memory.current", "inactive_file"), None])
def test_the_memory_of_a_control_group_and_of_those_around_it_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: tuple[str, str, str] | None
) -> None:
    limit, used, spare = names or (
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        "total_inactive_file",
    )
    groups = tmp_path / "groups"
    mounted = groups if names else groups / "memory"
    inner = mounted / "job" / "step"
    inner.mkdir(parents=True)
    (tmp_path / "cgroup").write_text(
        "0::/job/step\n" if names else "5:cpu:/other\n4:memory,hugetlb:/job/step\n",
        encoding="ascii",
    )
    monkeypatch.setattr(host, "_MEMBERSHIP", tmp_path / "cgroup")
    monkeypatch.setattr(host, "_GROUPS", groups)
    (inner / limit).write_text("max\n", encoding="ascii")
    (inner / used).write_text("5000\n", encoding="ascii")
    assert host.available_memory() > 5500
    (inner.parent / limit).write_text("9000\n", encoding="ascii")
    (inner.parent / used).write_text("5000\n", encoding="ascii")
    (inner.parent / "memory.stat").write_text(f"anon 1\n{spare} 1500\n", encoding="ascii")
    assert host.available_memory() == 5500


def test_threads_that_the_system_refuses_are_an_error_and_no_hang() -> None:
    """Each thread reserves a stack, for which a limit of the address space leaves no room."""
    code = """
import resource, sys
from pathlib import Path
from tradewind import core
from tradewind.config.experiment import Experiment
from tradewind.errors import Error
tables = {
    "machine": {"name": "laptop"},
    "program": {"name": "allreduce", "bytes": "8 B", "ranks": 4},
    "simulation": {"threads": 200},
}
spec = Experiment.load(tables).members()[0].spec.tables()
core.load().predict(spec)
pages = int(Path("/proc/self/statm").read_text().split()[0])
limit = pages * resource.getpagesize() + 2**29
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    core.load().simulate(spec)
except (Error, MemoryError) as error:
    print(type(error).__name__, error)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "cannot be started" in done.stdout or "MemoryError" in done.stdout
