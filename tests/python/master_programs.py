"""C programs in which one rank sends to all others and receives from them, and rings that pass uneven blocks on."""

from __future__ import annotations

# Items of a block where `n` of them are cut into `p` blocks, larger ones first.
_PART = """
    #define PART(n, p, i) ((n) / (p) + ((i) < (n) % (p)))
    MPI_Request requests[128];
    (void)requests;
"""
_RING = """
        MPI_Sendrecv(out, 640, MPI_BYTE, right, 1, in, 640, MPI_BYTE, left, 1, world,
                     MPI_STATUS_IGNORE);
"""
_PLACE = """
    int extents[2] = {0, 0}, wraps[2] = {1, 1}, place[2], side[4], along[2] = {0, 1};
    MPI_Dims_create(size, 2, extents);
    MPI_Comm grid, row;
    MPI_Cart_create(world, 2, extents, wraps, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, place);
    MPI_Cart_sub(grid, along, &row);
    MPI_Cart_shift(grid, 0, 1, &side[0], &side[1]);
    MPI_Cart_shift(grid, 1, 1, &side[2], &side[3]);
"""

# Rank 0 hands parameters out, gathers a field in each fourth step, and asks all others for something in each step.
MASTER = (
    _PART
    + """
    if (rank) MPI_Recv(in, 40, MPI_BYTE, 0, 7, world, MPI_STATUS_IGNORE);
    else for (int i = 1; i < size; ++i) MPI_Send(out, 40, MPI_BYTE, i, 7, world);
    for (int step = 0; step < 12; ++step) {
"""
    + _RING
    + """
        if (step % 4 == 3) {
            if (rank) MPI_Send(out, 8 * PART(103, size, rank), MPI_BYTE, 0, 2, world);
            else for (int i = 1; i < size; ++i)
                MPI_Recv(in, 8 * PART(103, size, i), MPI_BYTE, i, 2, world, MPI_STATUS_IGNORE);
        }
        if (rank) {
            MPI_Recv(in, 16, MPI_BYTE, 0, 3, world, MPI_STATUS_IGNORE);
            MPI_Send(out, 800, MPI_BYTE, 0, 10 + rank, world);
        } else {
            for (int i = 1; i < size; ++i) MPI_Send(out, 16, MPI_BYTE, i, 3, world);
            for (int i = 1; i < size; ++i)
                MPI_Irecv(in, 800, MPI_BYTE, i, 10 + i, world, &requests[i - 1]);
            MPI_Waitall(size - 1, requests, MPI_STATUSES_IGNORE);
        }
    }
"""
)

# The same with questions and answers in turn, and with a wait for each request.
WAITING_MASTER = (
    _PART
    + """
    for (int step = 0; step < 6; ++step) {
"""
    + _RING
    + """
        if (rank) {
            MPI_Recv(in, 16, MPI_BYTE, 0, 2, world, MPI_STATUS_IGNORE);
            MPI_Send(out, 800, MPI_BYTE, 0, 3, world);
            MPI_Send(out, 8 * PART(101, size, rank), MPI_BYTE, 0, 4, world);
        } else {
            for (int i = 1; i < size; ++i) {
                MPI_Send(out, 16, MPI_BYTE, i, 2, world);
                MPI_Recv(in, 800, MPI_BYTE, i, 3, world, MPI_STATUS_IGNORE);
            }
            for (int i = 1; i < size; ++i)
                MPI_Irecv(in, 8 * PART(101, size, i), MPI_BYTE, i, 4, world, &requests[i]);
            for (int i = 1; i < size; ++i) MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        }
    }
"""
)

# Blocks of a field on a grid go to the last rank.
MASTER_ON_A_GRID = (
    _PART
    + """
    int extents[2] = {0, 0};
    MPI_Dims_create(size, 2, extents);
    const int nx = extents[0], ny = extents[1], x = rank % nx, y = rank / nx;
    #define BLOCK(r) (8 * PART(37, nx, (r) % nx) * PART(23, ny, (r) / nx))
    const int east = (x + 1) % nx + nx * y, west = (x + nx - 1) % nx + nx * y;
    const int north = y + 1 < ny ? rank + nx : MPI_PROC_NULL;
    const int south = y > 0 ? rank - nx : MPI_PROC_NULL;
    for (int step = 0; step < 8; ++step) {
        const int high = 8 * PART(23, ny, y), wide = 8 * PART(37, nx, x);
        MPI_Sendrecv(out, high, MPI_BYTE, east, 1, in, high, MPI_BYTE, west, 1, world,
                     MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, wide, MPI_BYTE, north, 2, in, wide, MPI_BYTE, south, 2, world,
                     MPI_STATUS_IGNORE);
        if (step % 4 == 3) {
            if (rank < size - 1) MPI_Send(out, BLOCK(rank), MPI_BYTE, size - 1, 3, world);
            else for (int i = 0; i < size - 1; ++i)
                MPI_Recv(in, BLOCK(i), MPI_BYTE, i, 3, world, MPI_STATUS_IGNORE);
        }
    }
"""
)

# Rings of P - 1 steps: blocks whose sizes differ by an item go from rank to rank.
UNEVEN_RINGS = """
    #define BLOCK(i) (8 * (103 / size + (((i) + 2 * size) % size < 103 % size)))
    for (int step = 0; step < 4; ++step) {
        for (int k = 0; k < size - 1; ++k)
            MPI_Sendrecv(out, BLOCK(rank - k), MPI_BYTE, right, k, in, BLOCK(rank - k - 1),
                         MPI_BYTE, left, k, world, MPI_STATUS_IGNORE);
        for (int k = 0; k < size - 1; ++k) {
            MPI_Request requests[2];
            MPI_Irecv(in, BLOCK(rank + k + 1), MPI_BYTE, right, 50, world, &requests[0]);
            MPI_Isend(out, BLOCK(rank + k), MPI_BYTE, left, 50, world, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Barrier(world);
    }
    for (int step = 0; step < 4; ++step)
        for (int k = 0; k < size - 1; ++k)
            MPI_Sendrecv(out, BLOCK(rank - k), MPI_BYTE, right, 5, in, BLOCK(rank - k - 1),
                         MPI_BYTE, left, 5, world, MPI_STATUS_IGNORE);
"""

# A rectangle of ranks with neighbours on both sides, which are one where an extent is 2.
ROWS_AND_COLUMNS = (
    _PLACE
    + """
    for (int step = 0; step < 6; ++step) {
        for (int way = 0; way < 4; ++way) {
            MPI_Request request;
            MPI_Isend(out, 8 * (1 + way / 2), MPI_BYTE, side[way ^ 1], 1, grid, &request);
            MPI_Recv(in, 8 * (1 + way / 2), MPI_BYTE, side[way], 1, grid, MPI_STATUS_IGNORE);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, row);
    }
"""
)

# Shifts by more and more places along rows and columns.
SHIFTS = (
    _PLACE
    + """
    for (int step = 0; step < 4; ++step) {
        int from, to;
        for (int k = 0; k < extents[1]; ++k) {
            MPI_Cart_shift(grid, 1, k, &from, &to);
            MPI_Sendrecv(out, 80, MPI_BYTE, to, 1, in, 80, MPI_BYTE, from, 1, grid,
                         MPI_STATUS_IGNORE);
        }
        for (int k = 1; k < extents[0]; ++k) {
            MPI_Cart_shift(grid, 0, k, &from, &to);
            MPI_Sendrecv(out, 40, MPI_BYTE, to, 2, in, 40, MPI_BYTE, from, 2, grid,
                         MPI_STATUS_IGNORE);
        }
        MPI_Allreduce(out, in, 1, MPI_DOUBLE, MPI_SUM, row);
    }
"""
)

# A sort by odd and even pairs whose tags count the turns, three times with nothing between.
ODD_AND_EVEN_TAGS = """
    for (int step = 0; step < 3; ++step)
        for (int k = 0; k < size; ++k) {
            const int partner = (rank + k) % 2 ? rank - 1 : rank + 1;
            if (partner >= 0 && partner < size)
                MPI_Sendrecv(out, 96, MPI_BYTE, partner, 10 + k, in, 96, MPI_BYTE, partner, 10 + k,
                             world, MPI_STATUS_IGNORE);
        }
"""

# Programs without a rule: blocks whose sizes follow none go around, and in each fourth step the peers do.
STRANGE_BLOCKS = """
    #define BLOCK(i) (8 * (10 + (((i) + 2 * size) % size) * (((i) + 2 * size) % size) % 7))
    for (int step = 0; step < 4; ++step)
        for (int k = 0; k < size - 1; ++k)
            MPI_Sendrecv(out, BLOCK(rank - k), MPI_BYTE, right, k, in, BLOCK(rank - k - 1),
                         MPI_BYTE, left, k, world, MPI_STATUS_IGNORE);
"""
PERMUTED_AT_TIMES = """
    const int factor = size == 8 ? 3 : size == 12 ? 5 : 2;
    int from = 0;
    while ((factor * from + 1) % size != rank) ++from;
    for (int step = 0; step < 12; ++step) {
        const int is_other = step % 4 == 3;
        MPI_Sendrecv(out, 800, MPI_BYTE, is_other ? (factor * rank + 1) % size : right, 1, in, 800,
                     MPI_BYTE, is_other ? from : left, 1, world, MPI_STATUS_IGNORE);
    }
"""
