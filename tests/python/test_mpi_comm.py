"""`tradewind.mpi.Comm` on real processes: each test runs a script of assertions on all of them."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from conftest import Cli, needs_mpi

import check_examples
import tradewind as tw
from tradewind import core
from tradewind.errors import ConfigError, MpiError
from tradewind.mpi import launch

START = """
    import numpy as np
    import pytest
    from tradewind.errors import ConfigError
    from tradewind.mpi import Comm
"""


def run(folder: Path, ranks: int, body: str) -> None:
    """Runs a script on several processes, and raises MpiError if an assertion fails on one."""
    script = folder / "script.py"
    script.write_text(textwrap.dedent(START) + textwrap.dedent(body), encoding="utf-8")
    launch.start(str(script), [], ranks)


def names(operation: str) -> list[str]:
    return [entry[0] for entry in core.load().catalogue()[operation]]


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 3])
def test_collectives_give_what_numpy_gives(tmp_path: Path, ranks: int) -> None:
    run(
        tmp_path,
        ranks,
        f"""
        with Comm() as comm:
            ranks = np.arange(comm.size)
            for algorithm in {names("allreduce")} + [None, "tree:radix=3"]:
                for kind in ("int32", "int64", "float32", "float64"):
                    mine = np.array([[comm.rank, 1], [2, -comm.rank]], kind)
                    total = comm.allreduce(mine, "sum", algorithm)
                    assert total.dtype == kind
                    assert (total == [[ranks.sum(), comm.size], [2 * comm.size, -ranks.sum()]]).all()
                    assert comm.allreduce(mine, "max", algorithm)[0, 0] == comm.size - 1
                    assert comm.allreduce(mine, "min", algorithm)[1, 1] == 1 - comm.size
            for algorithm in {names("allgather")} + [None]:
                every = comm.allgather(np.full(2, comm.rank, "c16"), algorithm)
                assert (every == np.stack([ranks, ranks], axis=1)).all()
            for algorithm in {names("bcast")} + [None]:
                array = np.full((2, 3), comm.rank)
                assert comm.bcast(array, comm.size - 1, algorithm) is array
                assert (array == comm.size - 1).all()
            for algorithm in {names("alltoallv")} + [None, "ring_k:radix=2,protocol=(1,6)"]:
                counts = (comm.rank + ranks) % 3
                rows = np.repeat(100 * comm.rank + ranks, counts)
                got = comm.alltoallv(np.stack([rows, -rows], axis=1), counts, counts, algorithm)
                expected = np.repeat(100 * ranks + comm.rank, counts)
                assert (got == np.stack([expected, -expected], axis=1)).all()
            for algorithm in {names("barrier")} + [None]:
                comm.barrier(algorithm)
            assert comm.allreduce(2.5).shape == ()
        """,
    )


@needs_mpi
def test_halo_and_neighbors_reach_across_the_periodic_grid(tmp_path: Path) -> None:
    run(
        tmp_path,
        4,
        """
        comm = Comm()
        halo = comm.halo([8, 6, 2], width=3, fields=2, dtype="int64", processes=[2, 2])
        x0, y0, _ = halo.first
        nx, ny, nz = halo.points
        assert halo.shape == (2, 2, ny + 6, nx + 6)
        x = np.arange(x0 - 3, x0 + nx + 3) % 8
        y = np.arange(y0 - 3, y0 + ny + 3) % 6
        z = np.arange(2)
        whole = x + 8 * (y[:, None] + 6 * (z[:, None, None] + 2 * np.arange(2)[:, None, None, None]))
        field = halo.empty()
        halo.owned(field)[:] = halo.owned(whole)
        assert halo.exchange(field) is field
        assert (field == whole).all()
        with pytest.raises(ConfigError, match="halo: values are float64"):
            halo.exchange(field.astype(float))
        with pytest.raises(ConfigError, match="contiguous"):
            halo.exchange(field[..., ::-1])

        left, right = (comm.rank - 1) % 4, (comm.rank + 1) % 4
        got = comm.exchange([left, right], np.array([comm.rank, 10, 20]), [1, 2], [2, 1])
        assert got.tolist() == [10, 20, right]
        """,
    )


@needs_mpi
@pytest.mark.parametrize("ranks", [1, 3, 4])
def test_parts_of_a_mesh_exchange_sums_and_copies_by_every_choice(
    tmp_path: Path, ranks: int
) -> None:
    run(
        tmp_path,
        ranks,
        f"""
        from tradewind.mpi import Share
        choices = [None, "schedule=on_arrival", "schedule=on_arrival,summation=arrival"]
        choices += ["algorithm=" + name for name in {names("neighbor")}]
        choices += {[*names("mesh"), "native", "native_nonblocking"]}
        comm = Comm()
        # A ring of elements of three points, of which neighbours share the outer ones.
        count = 2 * comm.size + 3
        own = np.arange(comm.rank, count, comm.size)
        whole = np.arange(count * 3.0).reshape(count, 3)
        left, right = np.roll(whole[:, 2], 1), np.roll(whole[:, 0], -1)
        def shares(into_left, into_right):
            return {{
                int(e): [
                    Share((e + 1) % count, (e + 1) % count % comm.size, 1, [2], [into_right]),
                    Share((e - 1) % count, (e - 1) % count % comm.size, 0, [0], [into_left]),
                ]
                for e in own
            }}
        for choice in choices:
            mesh = comm.mesh(shares(0, 2), 3, layers=3, options=choice)
            for in_two_steps in (False, True):
                two = np.stack([whole[own].ravel(), -whole[own].ravel()])
                # A view whose layer is not adjacent.
                one = np.zeros((own.size * 3, 2))
                one[:, 1] = 7
                fields = (two, one.T[1:])
                if in_two_steps:
                    mesh.start(*fields)
                    mesh.finish(*fields)
                else:
                    mesh.exchange(*fields)
                total = whole + np.stack([left, 0 * left, right], axis=1)
                assert (two == np.stack([total[own].ravel(), -total[own].ravel()])).all()
                assert (one.T == [[0], [7]] + np.tile([[0, 0, 0], [7, 0, 7]], own.size)).all()
            copied = comm.mesh(shares(0, 1), 3, 1, "copy", 2, choice)
            sent, got = whole[own].ravel(), np.zeros(own.size * 2)
            copied.exchange(sent, into=[got])
            assert (got == np.stack([left, right], axis=1)[own].ravel()).all()
            assert (sent == whole[own].ravel()).all()
            with pytest.raises(ConfigError, match="into must be given"):
                copied.exchange(sent)

        def refuses(match, call, *arguments, **named):
            with pytest.raises(ConfigError, match=match):
                call(*arguments, **named)
        refuses("field 0 is int64", mesh.exchange, np.zeros(own.size * 3, int))
        refuses("field 0 is float64.* not float64 of the shape", mesh.exchange, np.zeros(5))
        refuses("prepared for 3 layers", mesh.exchange, np.zeros(own.size * 3))
        refuses("the exchange is not started", mesh.finish, two, one.T[1:])
        refuses("into has 1 fields, but 2", mesh.exchange, two, one.T[1:], into=[two])
        refuses('no combination "mean"', comm.mesh, {{}}, 3, 1, "mean")
        refuses("known .*on_arrival|on_arrival", comm.mesh, {{}}, 3, options="schedule=never")
        comm.close()
        refuses("mesh is NULL", mesh.exchange, two, one.T[1:])
        """,
    )


@needs_mpi
def test_communicators_of_mpi4py_are_taken_and_stay_their_own(tmp_path: Path) -> None:
    pytest.importorskip("mpi4py")
    run(
        tmp_path,
        4,
        """
        from mpi4py import MPI
        half = MPI.COMM_WORLD.Split(MPI.COMM_WORLD.rank % 2)
        comm = Comm(half)
        assert (comm.rank, comm.size) == (half.rank, 2)
        # A message of the application under way meanwhile.
        request = half.isend(MPI.COMM_WORLD.rank, 1 - half.rank, tag=32002)
        assert comm.allreduce(MPI.COMM_WORLD.rank) == half.allreduce(MPI.COMM_WORLD.rank)
        other = half.recv(source=1 - half.rank, tag=32002)
        assert other == (MPI.COMM_WORLD.rank + 2) % 4
        request.wait()
        comm.close()
        with pytest.raises(ConfigError, match="comm is NULL"):
            comm.barrier()
        with pytest.raises(ConfigError, match="the communicator is null"):
            Comm(MPI.COMM_NULL)
        """,
    )


@needs_mpi
def test_wrong_arguments_are_told_on_every_rank(tmp_path: Path) -> None:
    run(
        tmp_path,
        2,
        """
        comm = Comm()
        def refuses(match, call, *arguments):
            with pytest.raises(ConfigError, match=match):
                call(*arguments)
        refuses("no algorithm 'pigeons'; known are: ring", comm.allgather, [1], "pigeons")
        refuses('no operation "mean"', comm.allreduce, [1.0], "mean")
        refuses("complex128 cannot be combined", comm.allreduce, [1j])
        refuses("root = 2 is not a rank", comm.bcast, np.zeros(3), 2)
        refuses("send_counts has 1 entries for 2 ranks", comm.alltoallv, [1], [1], [1, 0])
        refuses("but send_counts are 3 rows", comm.alltoallv, [1, 2], [1, 2], [1, 2])
        refuses(r"receive_counts\\[1\\] is -8, must not", comm.alltoallv, [1, 2], [1, 1], [1, -1])
        refuses("equally many", comm.exchange, [0], [1], [1, 1], [1])
        refuses("must be a communicator of mpi4py", Comm, "world")
        refuses("width = 9|width 9", comm.halo, [8, 6, 1], 9)
        refuses("grid must have 3 numbers", comm.halo, [8, 6], 1)
        comm.check_counts()
        counts = [1, 1] if comm.rank == 0 else [2, 1]
        refuses("rank 1 expects|other ranks do not match", comm.alltoallv, [1, 2], [1, 1], counts)
        """,
    )


@needs_mpi
def test_a_program_that_fails_or_is_missing_is_told(tmp_path: Path, cli: Cli) -> None:
    # The other rank waits for it, and is not left behind.
    with pytest.raises(MpiError, match="on 2 ranks ended with status"):
        run(tmp_path, 2, "comm = Comm()\nassert comm.rank < 1\ncomm.barrier()")
    missing = cli("mpiexec", "-n", "2", "no_such_program", "--flag")
    assert missing.returncode == 2
    assert "there is no program no_such_program" in missing.stderr
    shown = cli("mpiexec", "-n", "2", "sh", "-c", "echo ranks: $TRADEWIND_MPI_RANKS")
    assert shown.stdout.splitlines() == ["ranks: 2"] * 2


def test_no_ranks_are_refused() -> None:
    with pytest.raises(ConfigError, match="at least 1"):
        launch.start("sh", [], 0)


def test_the_folder_of_the_package_configuration_is_printed(cli: Cli) -> None:
    done = cli("--cmake-dir")
    assert done.stdout.strip() == str(tw.cmake_dir())
    assert (tw.cmake_dir() / "tradewindConfig.cmake").is_file()


def test_examples_say_on_their_first_line_how_many_ranks_they_need(tmp_path: Path) -> None:
    for line, ranks in (("// ranks: 4", 4), ("! ranks: 12", 12), ("# ranks: many", 0), ("", 0)):
        (tmp_path / "example").write_text(f"{line}\nranks: 3\n", encoding="utf-8")
        assert check_examples.ranks_of(tmp_path / "example") == ranks


@needs_mpi
def test_counts_that_do_not_match_are_refused_without_being_asked(tmp_path: Path) -> None:
    run(
        tmp_path,
        2,
        """
        with Comm() as comm:
            expected = [1, 1] if comm.rank == 0 else [2, 1]
            with pytest.raises(ConfigError, match="rank 1 expects|other ranks do not match"):
                comm.alltoallv(np.arange(2), [1, 1], expected)
            other = 1 - comm.rank
            with pytest.raises(ConfigError, match="rank 1 expects|other ranks do not match"):
                comm.exchange([other], np.arange(1), [1], [1 + comm.rank])
        """,
    )
