# ranks: 4
"""Python: a distributed transposition and a wide halo, on a communicator of mpi4py."""

import numpy as np
from mpi4py import MPI

import tradewind as tw
from tradewind.mpi import Comm

NX, NY = 24, 16

with Comm(MPI.COMM_WORLD) as comm:
    # Every rank has some rows of a wave; a Fourier transform along y needs whole columns.
    rows, columns = NY // comm.size, NX // comm.size
    y = np.arange(comm.rank * rows, (comm.rank + 1) * rows)
    x = np.arange(NX)
    wave = np.cos(2 * np.pi * (3 * x / NX + 5 * y[:, None] / NY))

    blocks = wave.reshape(rows, comm.size, columns).swapaxes(0, 1)
    counts = [rows] * comm.size
    arrived = comm.alltoallv(
        blocks.reshape(-1, columns), counts, counts, algorithm="ring_k:radix=2"
    )
    spectrum = np.abs(np.fft.fft(arrived, axis=0)).sum(axis=1)
    spectrum = comm.allreduce(spectrum, "sum", algorithm="rabenseifner")
    if comm.rank == 0:
        print("wave numbers in y:", np.flatnonzero(spectrum > 1e-9 * spectrum.max()))

    # The same field on a grid that is cut in x and y, with a halo of two points.
    halo = comm.halo([NX, NY, 1], width=2)
    field = halo.empty()
    x0, y0, _ = halo.first
    nx, ny, _ = halo.points
    own = np.arange(y0, y0 + ny)[:, None] * NX + np.arange(x0, x0 + nx)
    halo.owned(field)[:] = own
    halo.exchange(field)
    west = field[0, 0, 2:-2, 1] == (own[:, 0] - 1 if x0 else own[:, 0] + NX - 1)
    right = comm.allreduce([int(west.all())], "min")
    if comm.rank == 0:
        print("halo is right:", bool(right[0]))

    try:
        comm.barrier("no_such_algorithm")
    except tw.errors.ConfigError as error:
        if comm.rank == 0:
            print(error)
