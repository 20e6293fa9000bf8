"""Recordings that end before the program does, damaged files, and commands that cannot be recorded."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from conftest import wait_until
from recorded_programs import calls, compiled, mpiexec, needs_mpicc, record, recorded

from tradewind import core, mpi, simulate
from tradewind.errors import Error, TraceError
from tradewind.trace import record as recording
from tradewind.trace_file import read_trace

RING = """
    for (int step = 0; step < 100; ++step)
        MPI_Sendrecv(out, 8, MPI_CHAR, right, 1, in, 8, MPI_CHAR, left, 1, world, MPI_STATUS_IGNORE);
"""
# Too small to be seen by its sender at once.
FOREVER = """
    FILE *file = fopen(rank ? "go1" : "go0", "w");
    fclose(file);
    MPI_Recv(in, 8, MPI_CHAR, left, 99, world, MPI_STATUS_IGNORE);
"""


def started(folder: Path, program: Path) -> subprocess.Popen[str]:
    """Starts the recording of a program that waits for ever, and returns when it does."""
    words = [sys.executable, "-m", "tradewind", "record", "-o", "made.trace", "--"]
    process = subprocess.Popen(
        [*words, str(mpi.find().launcher), "-n", "2", str(program)],
        cwd=folder,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    wait_until(lambda: (folder / "go0").exists() and (folder / "go1").exists())
    time.sleep(0.1)
    return process


@needs_mpicc
@pytest.mark.parametrize(
    ("end", "word"),
    [
        ("raise(SIGKILL);", "incomplete: 2 ranks ended without MPI_Finalize"),
        ("if (rank == 0) MPI_Abort(world, 3); pause();", "called MPI_Abort"),
        ("exit(3);", "incomplete: 2 ranks ended without MPI_Finalize"),
        ("*(volatile int *)0 = 1;", "incomplete: 2 ranks ended without MPI_Finalize"),
    ],
)
def test_what_was_recorded_before_a_crash_is_kept(tmp_path: Path, end: str, word: str) -> None:
    program = compiled(tmp_path, RING + end, head="#include <signal.h>\n#include <unistd.h>")
    done = record(tmp_path, *mpiexec(2, str(program)))
    assert done.returncode != 0
    assert word in done.stderr
    assert "Traceback" not in done.stderr
    trace = read_trace(tmp_path / "made.trace")
    assert trace.facts["complete"] is False
    assert [call.name for call in calls(trace, 1)][:100] == ["sendrecv"] * 100


@needs_mpicc
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_program_is_recorded_so_far(tmp_path: Path, number: int) -> None:
    process = started(tmp_path, compiled(tmp_path, RING + FOREVER))
    os.killpg(process.pid, number)
    _, errors = process.communicate(timeout=60)
    assert process.returncode != 0
    assert "incomplete: 2 ranks ended without MPI_Finalize" in errors
    trace = read_trace(tmp_path / "made.trace")
    assert [str(call) for call in calls(trace, 0)] == ["sendrecv(1, 1, 8, 1, 1, 8)"] * 100


# As if the disk were full after some blocks.
FULL_DISK = """
#include <errno.h>
int posix_fallocate(int file, long offset, long size) {
    static int calls;
    if (++calls > 4) return ENOSPC;
    return ftruncate(file, offset + size) ? errno : 0;
}
"""


@needs_mpicc
def test_a_full_disk_ends_the_recording_and_not_the_program(tmp_path: Path) -> None:
    body = RING.replace("100", "20000") + 'if (rank == 0) puts("done");'
    head = f"#include <unistd.h>\n{FULL_DISK}"
    program = compiled(tmp_path, body, head=head, options=["-rdynamic"])
    done = record(tmp_path, *mpiexec(2, str(program)))
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "incomplete: 2 ranks ran out of disk space for the recording" in done.stderr
    assert 1000 < len(calls(read_trace(tmp_path / "made.trace"), 0)) < 20000


@needs_mpicc
def test_a_disk_that_was_full_from_the_start_leaves_nothing_to_collect(tmp_path: Path) -> None:
    empty = ": > $TRADEWIND_RECORD/definitions.0"
    one = " ".join(mpiexec(2, str(compiled(tmp_path, RING))))
    done = record(tmp_path, "sh", "-c", f"{one}; {empty}")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "definitions.0 is too short; the disk may have been full" in done.stderr
    assert "the raw files are kept in made.trace.raw" in done.stderr
    assert "--collect" not in done.stderr


@needs_mpicc
def test_what_a_killed_recording_has_left_can_be_collected(tmp_path: Path) -> None:
    process = started(tmp_path, compiled(tmp_path, RING + FOREVER))
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate(timeout=60)
    (raw,) = tmp_path.glob(".made.trace-*")
    done = record(tmp_path, options=["--collect", raw.name])
    assert done.returncode == 0, done.stderr
    assert "incomplete: 2 ranks ended without MPI_Finalize" in done.stderr
    assert len(calls(read_trace(tmp_path / "made.trace"), 1)) == 100
    for options in ([], ["--collect", "."]):
        refused = record(tmp_path, options=options)
        assert refused.returncode == 2
        assert refused.stderr.count("\n") == 1


@needs_mpicc
def test_a_receive_that_never_completes_ends_the_recording_of_its_rank(tmp_path: Path) -> None:
    body = """
    MPI_Request request;
    MPI_Barrier(world);
    if (rank == 1) MPI_Irecv(in, 8, MPI_CHAR, MPI_ANY_SOURCE, 1, world, &request);
    if (rank == 1) MPI_Request_free(&request);
    MPI_Barrier(world);
    """
    trace = recorded(tmp_path, body)
    assert [len(calls(trace, rank)) for rank in range(2)] == [2, 1]
    assert trace.facts["complete"] is False
    assert "posted a receive that was never complete" in trace.facts["warnings"][0]


@needs_mpicc
def test_a_child_of_fork_does_not_record(tmp_path: Path) -> None:
    body = """
    pid_t child = fork();
    if (child == 0) { MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, world); _exit(0); }
    waitpid(child, NULL, 0);
    MPI_Barrier(world);
    """
    trace = recorded(tmp_path, body, head="#include <sys/wait.h>\n#include <unistd.h>")
    assert [str(call) for call in calls(trace, 0)] == ["barrier()"]


@needs_mpicc
@pytest.mark.parametrize("level", ["SERIALIZED", "MULTIPLE"])
def test_calls_of_several_threads_are_recorded_or_told(tmp_path: Path, level: str) -> None:
    source = compiled(
        tmp_path,
        """
        MPI_Barrier(world);
        pthread_t thread;
        pthread_create(&thread, NULL, call, NULL);
        pthread_join(thread, NULL);
        """,
        head="""
        #include <pthread.h>
        static void *call(void *nothing) {
            MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
            return nothing;
        }
        """,
        init=f"int l; MPI_Init_thread(&count, &words, MPI_THREAD_{level}, &l);",
    )
    done = record(tmp_path, *mpiexec(2, str(source)))
    made = [call.name for call in calls(read_trace(tmp_path / "made.trace"), 0)]
    told = "not recorded: 2 calls of other threads than that of MPI_Init" in done.stderr
    assert (made, told) == {
        "SERIALIZED": (["barrier", "send"], False),
        "MULTIPLE": (["barrier"], True),
    }[level]


@needs_mpicc
@pytest.mark.parametrize("computes", [False, True])
def test_computation_of_other_threads_is_told(tmp_path: Path, computes: bool) -> None:
    program = compiled(
        tmp_path,
        """
        pthread_t thread;
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
        MPI_Barrier(world);
        """,
        head=f"""
        #include <pthread.h>
        #include <time.h>
        static void *work(void *nothing) {{
            struct timespec now = {{0}};
            while ({int(computes)} && now.tv_nsec < 500000000 && !now.tv_sec)
                clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
            return nothing;
        }}
        """,
        init="int l; MPI_Init_thread(&count, &words, MPI_THREAD_FUNNELED, &l);",
    )
    done = record(tmp_path, *mpiexec(2, str(program)))
    told = "other threads than those that call MPI computed 1" in done.stderr
    assert told == computes and ('computation = "wall"' in done.stderr) == computes


WORK = """
#include <time.h>
static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}
static void work(long long ns) {
    for (const long long end = now() + ns; now() < end;) {}
}
"""


@needs_mpicc
def test_two_calls_of_one_line_are_told_apart(tmp_path: Path) -> None:
    body = """
    for (int turn = 0; turn < 20; ++turn) {
        MPI_Barrier(world); work(rank ? 3000000 : 0); MPI_Barrier(world); work(rank ? 0 : 3000000);
    }
    """
    program = compiled(tmp_path, body, head=WORK)
    done = record(tmp_path, *mpiexec(2, str(program)))
    assert "computation varies" not in done.stderr
    trace = read_trace(tmp_path / "made.trace")
    made = [call for call in calls(trace, 0) if call.name == "barrier"]
    assert len({call.site for call in made}) == 1 and len(made) == 40
    # Each of the two has the computation before itself, so that a replay takes as long as the program.
    # The first turn has none before its first call.
    loop = trace.items_of(0)[0].tolist().index([-20, 2])
    first, second = (
        trace.arrays["processor"][trace.arrays["time_first"][0] :][loop + 1 : loop + 3] / 20e9
    )
    assert second < 1 < 2.8 < first


@needs_mpicc
@pytest.mark.parametrize("moves", [False, True])
def test_imbalance_that_moves_between_ranks_is_told(tmp_path: Path, moves: bool) -> None:
    program = compiled(
        tmp_path,
        f"""
        for (int turn = 0; turn < 40; ++turn) {{
            work({int(moves)} && turn % size == rank ? 5000000 : 500000);
            MPI_Barrier(world);
        }}
        """,
        head=WORK,
    )
    done = record(tmp_path, *mpiexec(4, str(program)))
    told = "computation varies from turn to turn, before barrier" in done.stderr
    assert told == moves, done.stderr
    warnings = read_trace(tmp_path / "made.trace").facts["warnings"]
    assert any("varies" in one for one in warnings) == moves


@needs_mpicc
def test_a_program_of_another_mpi_is_refused(tmp_path: Path) -> None:
    other = mpi.find().launcher.with_name("mpicc_abi")
    if not other.exists():
        pytest.skip("this MPI has no second interface")
    program = compiled(tmp_path, RING)
    done = record(tmp_path, *mpiexec(2, str(program)), options=["--mpicc", str(other)])
    assert done.returncode == 2
    assert "--mpicc names its compiler" in done.stderr
    assert not (tmp_path / "made.trace").exists()


@needs_mpicc
def test_the_exit_status_and_the_streams_are_those_of_the_command(tmp_path: Path) -> None:
    program = compiled(tmp_path, 'puts("out"); MPI_Finalize(); exit(7);')
    done = record(tmp_path, *mpiexec(1, str(program)))
    assert done.stdout == "out\n"
    launched = record(tmp_path, str(mpi.find().launcher), "-n", "1", str(program))
    assert launched.returncode == 7
    assert "1 ranks, 2 calls, 0 messages" in launched.stderr


@needs_mpicc
def test_commands_that_cannot_be_recorded_end_with_one_line(tmp_path: Path) -> None:
    launcher = str(mpi.find().launcher)
    for words, options, reason in (
        (["nonesuch"], [], "there is no program nonesuch"),
        ([launcher, "-n", "2", "true"], [], "called MPI_Init in no process"),
        (["sh", "-c", "exit 3"], [], "or ended in MPI_Init; its status is 3"),
        ([launcher, "true"], ["--mpicc", "nonesuch"], "--mpicc nonesuch: there is no such program"),
        ([launcher, "true"], ["--mpicc", "false"], "cannot compile a file with mpi.h"),
    ):
        done = record(tmp_path, *words, options=options)
        assert done.returncode == 2, words
        assert done.stderr.count("\n") == 1
        assert reason in done.stderr
    assert not list(tmp_path.iterdir())


@needs_mpicc
def test_the_folder_of_a_trace_is_made_before_the_program_starts(tmp_path: Path) -> None:
    program = compiled(tmp_path, 'puts("ran");')
    (tmp_path / "file").write_text("")
    done = record(tmp_path, *mpiexec(1, str(program)), options=["-o", "file/a.trace"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "file: is a file; expected a folder for results" in done.stderr
    done = record(tmp_path, *mpiexec(1, str(program)), options=["-o", "new/deep/a.trace"])
    assert (done.returncode, done.stdout) == (0, "ran\n"), done.stderr
    assert [one.name for one in (tmp_path / "new" / "deep").iterdir()] == ["a.trace"]


def test_a_command_without_any_compiler_of_mpi_ends_with_one_line(tmp_path: Path) -> None:
    variables = {**os.environ, "PATH": "/nowhere"}
    done = record(tmp_path, "/bin/true", variables=variables)
    assert done.returncode == 2
    assert "--mpicc names the C compiler" in done.stderr


@needs_mpicc
def test_programs_of_tradewind_record_the_program_alone(tmp_path: Path) -> None:
    found = mpi.find()
    words = [str(found.launcher), "-n", "4", str(found.program), "run", "halo"]
    variables = {**os.environ, **mpi.launch.environment(4, 1)}
    done = record(tmp_path, *words, "grid=[16,16,4]", "width=1", "warm_up=0", variables=variables)
    assert done.returncode == 0, done.stderr
    experiment = "[machine]\nname = 'laptop'\n[program]\nname = 'halo'\n"
    (tmp_path / "halo.toml").write_text(
        f"{experiment}grid = [16, 16, 4]\nwidth = 1\nranks = 4\n", encoding="utf-8"
    )
    run = simulate(tmp_path / "halo.toml")
    trace = read_trace(tmp_path / "made.trace")
    sent = [call for rank in range(4) for call in calls(trace, rank) if call.name == "send"]
    assert len(sent) == run.raw["messages"]
    assert sum(call.arguments[2] for call in sent) == run.raw["bytes"]


@needs_mpicc
def test_damaged_raw_files_are_refused_or_read(tmp_path: Path) -> None:
    done = record(tmp_path, *mpiexec(2, str(compiled(tmp_path, RING))), options=["--keep-raw"])
    assert done.returncode == 0, done.stderr
    whole, damaged = tmp_path / "made.trace.raw", tmp_path / "damaged"
    loaded, chance = core.load(), random.Random(1)
    ends = set()
    for _ in range(300):
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(whole, damaged)
        file = chance.choice(sorted(damaged.iterdir()))
        content = bytearray(file.read_bytes())
        for _ in range(chance.randint(1, 4)):
            content[chance.choice([chance.randrange(80), chance.randrange(len(content))])] ^= (
                1 << chance.randrange(8)
            )
        file.write_bytes(content[: chance.choice([len(content), chance.randrange(len(content))])])
        try:
            loaded.raw_sites(str(damaged))
            arrays, _ = loaded.read_raw(str(damaged), [])
            ends.add(len(arrays["stream"]) > 0)
        except TraceError:
            ends.add(False)
    assert ends == {True, False}


@needs_mpicc
def test_the_recorder_is_compiled_once_and_harms_no_other_program(tmp_path: Path) -> None:
    variables = {**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    program = compiled(tmp_path, RING)
    for _ in range(2):
        done = record(tmp_path, *mpiexec(2, str(program)), variables=variables)
        assert done.returncode == 0, done.stderr
    libraries = list((tmp_path / "cache" / "tradewind" / "recorders").iterdir())
    assert len(libraries) == 1
    needed = subprocess.run(["ldd", libraries[0]], capture_output=True, text=True, check=True)
    assert "libmpi" not in needed.stdout
    preloaded = {**os.environ, "LD_PRELOAD": str(libraries[0]), "LD_BIND_NOW": "1"}
    done = subprocess.run(
        ["echo", "fine"], env=preloaded, capture_output=True, text=True, check=True
    )
    assert (done.stdout, done.stderr) == ("fine\n", "")


FORTRAN = """
program ring
  {use}
  implicit none
  {include}
  integer :: rank, ranks, i, e
  {request} :: requests(2)
  real(8) :: a(64) = 0, b(64) = 0
  call MPI_Init(e)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, e)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, e)
  do i = 1, 3
    call MPI_Irecv(a, 64, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, requests(1), e)
    call MPI_Isend(b, 64, MPI_DOUBLE_PRECISION, mod(rank + 1, ranks), 7, MPI_COMM_WORLD, requests(2), e)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, e)
    call MPI_Allreduce(MPI_IN_PLACE, a, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, e)
  end do
  call MPI_Finalize(e)
end program
"""


@pytest.mark.skipif(shutil.which("mpif90") is None, reason="no MPI with Fortran bindings")
@pytest.mark.parametrize(
    ("use", "include", "request_type"),
    [
        ("use mpi", "", "integer"),
        ("use mpi_f08", "", "type(MPI_Request)"),
        ("", "include 'mpif.h'", "integer"),
    ],
    ids=["mpi", "mpi_f08", "mpif.h"],
)
def test_fortran_programs_are_recorded_with_their_lines(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: str, include: str, request_type: str
) -> None:
    for name in ("OMPI_ALLOW_RUN_AS_ROOT", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM"):
        monkeypatch.setenv(name, "1")
    source = tmp_path / "ring.f90"
    source.write_text(
        FORTRAN.format(use=use, include=include, request=request_type), encoding="utf-8"
    )
    subprocess.run(["mpif90", "-g", "ring.f90", "-o", "ring"], cwd=tmp_path, check=True)
    # The launcher beside the compiler is that of the same MPI.
    launcher = Path(str(shutil.which("mpif90"))).with_name("mpiexec")
    done = record(tmp_path, str(launcher), "-n", "2", "./ring")
    assert done.returncode == 0, done.stderr
    made = calls(read_trace(tmp_path / "made.trace"), 0)
    turn = ["recv(1, 7, 512, 0)", "send(1, 7, 512, 1)", "wait(0, 1)", "allreduce(8,)"]
    assert [str(call) for call in made] == 3 * turn
    assert [call.site for call in made[:4]] == [f"ring.f90:{line}" for line in range(13, 17)]


@needs_mpicc
def test_raw_files_that_have_lost_calls_are_told(tmp_path: Path) -> None:
    done = record(tmp_path, *mpiexec(3, str(compiled(tmp_path, RING))), options=["--keep-raw"])
    assert done.returncode == 0, done.stderr
    raw = tmp_path / "made.trace.raw"
    (raw / "events.2").unlink()
    os.truncate(raw / "events.1", 20 * 32)
    done = record(tmp_path, options=["--collect", raw.name, "-o", "again.trace"])
    assert "incomplete: 2 ranks had written more calls than are in the file" in done.stderr
    trace = read_trace(tmp_path / "again.trace")
    assert trace.facts["complete"] is False
    assert [len(calls(trace, rank)) for rank in range(3)] == [100, 19, 0]


@needs_mpicc
def test_a_second_program_of_a_command_is_told(tmp_path: Path) -> None:
    program = compiled(tmp_path, RING)
    one = " ".join(mpiexec(2, str(program)))
    two = record(tmp_path, "bash", "-c", f"{one} && {one}")
    assert two.returncode == 0
    assert "not recorded: 2 processes of another MPI program that the command ran" in two.stderr
    assert len(calls(read_trace(tmp_path / "made.trace"), 0)) == 100
    more = " ".join(mpiexec(3, str(program)))
    mixed = record(tmp_path, "bash", "-c", f"{one} && {more}")
    assert mixed.returncode == 2
    assert "the command ran several MPI programs; record one at a time" in mixed.stderr
    assert "the raw files are kept in made.trace.raw" in mixed.stderr


@needs_mpicc
def test_raw_files_are_kept_if_the_trace_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = compiled(tmp_path, RING)
    monkeypatch.chdir(tmp_path)

    def fails(path: Path, *_: object) -> None:
        raise Error(f"{path}: cannot be written: No space left on device")

    monkeypatch.setattr(recording, "write_trace", fails)
    with pytest.raises(
        Error, match=r"No space left.*--collect made\.trace\.raw reads the raw files"
    ):
        recording.record(mpiexec(2, str(program)), Path("made.trace"))
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    found = recording.collect(Path("made.trace.raw"), None)
    assert found.path == Path("made.trace")
    assert len(calls(read_trace(found.path), 1)) == 100
