"""Python programs whose ranks do not match: each ends, with an error of its own or by the watchdog.

`tests/cpp/mpi/programs/mismatched_cases.cpp` has those in C++.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

import pytest
from conftest import Cli, needs_mpi, wait_until

from tradewind import mpi
from tradewind.host import usable_cores
from tradewind.mpi import launch

pytestmark = needs_mpi

START = """
import numpy as np
import os
import pathlib
import time
from tradewind.errors import ConfigError
from tradewind.mpi import Comm
comm = Comm()
first = comm.rank == 0
pathlib.Path(__file__).with_name(f"process-{comm.rank}").write_text(str(os.getpid()))
"""


@dataclass(frozen=True)
class Case:
    """A program for 2 ranks, or 3, and what its job prints."""

    program: str
    expected: str
    ranks: int = 2


# The ranks call something else: all of them get the same error.
REFUSED = {
    "different operations": Case(
        "comm.barrier() if first else comm.allreduce([1.0])",
        "rank 0 calls tradewind_barrier by dissemination, "
        "but rank 1 calls tradewind_allreduce of 8 bytes",
    ),
    "collectives in different order": Case(
        """
        for step in ((0, 1) if first else (1, 0)):
            comm.bcast(np.zeros(2)) if step else comm.allgather([1.0])
        """,
        "rank 0 calls tradewind_allgather of 8 bytes .* but rank 1 calls tradewind_bcast of 16",
    ),
    "allreduce of different sizes": Case(
        "comm.allreduce(np.ones(1 + comm.rank))",
        "rank 0 calls tradewind_allreduce of 8 bytes .* but rank 1 .* of 16 bytes",
    ),
    "allreduce of different types": Case(
        "comm.allreduce(np.ones(1, 'f8' if first else 'i8'))",
        "8 bytes as TRADEWIND_DOUBLE .* but rank 1 .* 8 bytes as TRADEWIND_INT64",
    ),
    "sum and maximum": Case(
        "comm.allreduce([1.0], 'sum' if first else 'max')",
        "TRADEWIND_SUM .* but rank 1 .*TRADEWIND_MAX",
    ),
    "different algorithms": Case(
        "comm.allreduce(np.ones(8), algorithm='ring' if first else 'tree')",
        "by ring, but rank 1 calls .* by tree",
    ),
    "different roots": Case(
        "comm.bcast(np.zeros(1), root=comm.rank)", "from root 0 .* but rank 1 .* from root 1"
    ),
    "bcast of different sizes": Case(
        "comm.bcast(np.zeros(1 + comm.rank))", "of 8 bytes from root 0 .* of 16 bytes from root 0"
    ),
    "bcast of nothing on one rank": Case(
        "comm.bcast(np.zeros(comm.rank))", "of 0 bytes from root 0 .* of 8 bytes from root 0"
    ),
    "allgather of different sizes": Case(
        "comm.allgather(np.zeros(2 - comm.rank))", "allgather of 16 bytes .* of 8 bytes"
    ),
    "alltoallv and exchange": Case(
        "comm.alltoallv([1, 1], [1, 1], [1, 1]) if first else comm.exchange([0], [1], [1], [1])",
        "rank 0 calls tradewind_alltoallv .* but rank 1 calls tradewind_neighbor_exchange",
    ),
    "counts of an alltoallv": Case(
        "comm.alltoallv([1, 1], [1, 1], [1, 1] if first else [2, 1])",
        "rank 1 expects 16 bytes from rank 0, which sends 8",
    ),
    "neighbours that are not mutual": Case(
        "comm.exchange([1] if first else [], np.ones(int(first)), [1] * first, [1] * first)",
        "rank 0 expects 8 bytes from rank 1, which sends 0|rank 1 expects 0 bytes from rank 0",
    ),
    "halos of different widths": Case(
        """
        halo = comm.halo([8, 8, 1], 1 + comm.rank)
        halo.exchange(halo.empty())
        """,
        "with width 1, .* with width 2,",
    ),
    "halos of different fields": Case(
        """
        halo = comm.halo([8, 8, 1], 1, fields=2 - comm.rank)
        halo.exchange(halo.empty())
        """,
        "2 fields .* 1 fields",
    ),
    "meshes of different layers": Case(
        "comm.mesh({}, 3, layers=1 + comm.rank)", "with 1 layers.* with 2 layers"
    ),
}

# One rank calls nothing more: the watchdog ends the job.
HANGING = {
    "a barrier is missing": Case(
        "if first: comm.barrier()\ntime.sleep(60)",
        r"rank 0 of 2 has waited \S+ s for receive of at most \d+ bytes from rank 1 .*\n"
        r"tradewind: rank 1 of 2 has not waited in Tradewind for \S+ s\n"
        r"tradewind: the watchdog ends the job: the limit of a wait is 1 s",
    ),
    "one rank ends early": Case(
        "if first: comm.allreduce([1.0])",
        r"rank 1 of 2 has ended its program",
    ),
    "one rank of three ends early": Case(
        "if comm.rank != 1: comm.alltoallv(np.ones(3), [1] * 3, [1] * 3)",
        r"rank 0 of 3 has waited (.|\n)*rank 2 of 3 has waited",
        ranks=3,
    ),
    "one rank closes the communicator": Case(
        "comm.close() if first else comm.barrier()",
        r"rank 0 of 2 has waited \S+ s in MPI_Barrier, which ends a communicator",
    ),
    "a loop of one step more": Case(
        "for step in range(3 + comm.rank): comm.allreduce([1.0])",
        r"rank 1 of 2 has waited \S+ s for receive of at most 16 bytes from rank 0",
    ),
    "an error that one rank catches": Case(
        """
        try:
            comm.bcast(np.zeros(1), root=5 * comm.rank)
        except ConfigError:
            time.sleep(60)
        """,
        r"rank 0 of 2 has waited (.|\n)*rank 1 of 2 has not waited",
    ),
    "two exchanges in different order": Case(
        """
        comm.check_counts(False)
        halo = comm.halo([8, 8, 1], 1)
        for step in ((0, 1) if first else (1, 0)):
            comm.barrier("dissemination") if step else halo.exchange(halo.empty())
        """,
        r"rank 0 of 2 has waited \S+ s for (.|\n)*rank 1 of 2 has waited \S+ s for ",
    ),
    "only one rank makes a communicator": Case(
        "if first: Comm()", r"rank 0 of 2 has waited \S+ s in MPI_Allreduce, which makes"
    ),
}


def start(folder: Path, case: Case, watchdog: str = "1", before: str = "") -> tuple[int, str]:
    """Runs a program; returns the status of the launcher and what was printed. A hang fails.

    Args:
        folder: Where the script is written.
        case: The program.
        watchdog: The limit of all ranks.
        before: What the script does before it makes a communicator.
    """
    script = folder / "script.py"
    script.write_text(before + START + textwrap.dedent(case.program), encoding="utf-8")
    words = [str(mpi.find().launcher), "-n", str(case.ranks), sys.executable, str(script)]
    variables = {**launch.environment(case.ranks, usable_cores()), "TRADEWIND_WATCHDOG": watchdog}
    done = subprocess.run(
        words,
        env={**os.environ, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=40,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize("case", HANGING.values(), ids=HANGING)
def test_a_program_that_hangs_is_ended_and_says_what_each_rank_waits_for(
    tmp_path: Path, case: Case
) -> None:
    begin = time.monotonic()
    status, printed = start(tmp_path, case)
    assert re.search(case.expected, printed), printed
    assert status == 1
    assert time.monotonic() - begin < 20
    processes = [int(path.read_text()) for path in tmp_path.glob("process-*")]
    assert len(processes) == case.ranks
    wait_until(lambda: not any(Path(f"/proc/{process}").exists() for process in processes))


def test_calls_that_differ_are_an_error_on_all_ranks(tmp_path: Path) -> None:
    # All in one job, which also shows that the communicator works after each of them.
    cases = [(name, textwrap.dedent(case.program)) for name, case in REFUSED.items()]
    program = f"""
for name, program in {cases!r}:
    try:
        exec(program)
        print(name, "is not refused:", comm.rank, flush=True)
    except ConfigError as error:
        print(f"<{{name}} {{comm.rank}}> ConfigError: {{error}}", flush=True)
    comm.barrier()
comm.close()
"""
    status, printed = start(tmp_path, Case(program, ""), watchdog="10")
    assert status == 0, printed
    for name, case in REFUSED.items():
        for rank in range(case.ranks):
            assert re.search(f"<{name} {rank}> .*({case.expected}|do not match)", printed), printed


def test_without_a_mismatch_the_watchdog_prints_nothing(tmp_path: Path) -> None:
    program = """
    for step in range(100):
        assert comm.allreduce([1.0]) == comm.size
        comm.barrier()
    comm.check_counts(False)
    # The first rank has ended, and waits however long for the others, which compute and send.
    for step in range(40 * (comm.rank > 0)):
        time.sleep(0.05)
        assert comm.exchange([3 - comm.rank], [comm.rank], [1], [1]) == 3 - comm.rank
    """
    assert start(tmp_path, Case(program, "", ranks=3), watchdog="500 ms") == (0, "")


def test_a_limit_that_is_no_time_is_refused_on_all_ranks(
    tmp_path: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    status, printed = start(tmp_path, Case("", ""), watchdog="soon")
    assert status != 0
    # The lines of two ranks may be mixed, but each line is printed in pieces that stay whole.
    assert printed.count("ConfigError: ") == 2
    assert printed.count('TRADEWIND_WATCHDOG is "soon", must be off or a time above 0') == 2
    for given in ("soon", "0", "-1 s", "nan", "1e9", "3 days"):
        done = cli("mpi", "-n", "2", "--watchdog", given, "info")
        assert done.returncode == 2, done.stderr
        assert "--watchdog" in done.stderr
    monkeypatch.setenv("TRADEWIND_WATCHDOG", "soon")
    refused = cli("mpi", "-n", "2", "info")
    assert refused.returncode == 2
    assert refused.stderr.count('TRADEWIND_WATCHDOG is "soon"') == 1
    missing = cli("run", "pstswm", "tc2.toml", "--watchdog", "3")
    assert missing.returncode == 2
    assert "give their number with -n" in missing.stderr


# A start in which the second process alone has a limit.
ONE_LIMIT = """
import os
rank = os.environ.get("PMI_RANK") or os.environ["OMPI_COMM_WORLD_RANK"]
os.environ["TRADEWIND_WATCHDOG"] = "{limit}" if rank == "1" else "off"
"""


def test_the_limit_of_one_rank_holds_for_all(tmp_path: Path) -> None:
    case = Case("if first: comm.barrier()\ntime.sleep(60)", "")
    status, printed = start(tmp_path, case, before=ONE_LIMIT.format(limit="1"))
    assert (status, "rank 0 of 2 has waited" in printed) == (1, True), printed
    status, printed = start(tmp_path, case, before=ONE_LIMIT.format(limit="soon"))
    assert status != 0
    assert 'TRADEWIND_WATCHDOG is "soon"' in printed
    assert "TRADEWIND_WATCHDOG of another rank is not a time" in printed


def test_commands_take_the_limit_as_an_option(tmp_path: Path, cli: Cli) -> None:
    shown = cli(
        "mpiexec", "--watchdog", "500 ms", "-n", "2", "sh", "-c", "echo $TRADEWIND_WATCHDOG"
    )
    assert shown.stdout.splitlines() == ["0.5"] * 2
    shown = cli("mpiexec", "--watchdog", "off", "-n", "2", "sh", "-c", "echo $TRADEWIND_WATCHDOG")
    assert shown.stdout.splitlines() == ["off"] * 2
    script = tmp_path / "script.py"
    script.write_text(START + "if first: comm.barrier()\ntime.sleep(60)", encoding="utf-8")
    ended = cli("mpiexec", "-n", "2", "--watchdog", "1", str(script))
    assert ended.returncode == 1
    assert "rank 0 of 2 has waited" in ended.stderr
    right = cli("mpi", "-n", "2", "--watchdog", "20", "verify")
    assert right.returncode == 0, right.stderr
