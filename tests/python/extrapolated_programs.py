"""C programs whose communication grows with the number of ranks, for the tests of extrapolation."""

from __future__ import annotations

# A grid from large to small extents, x fastest: rank = x + nx * y.
_GRID = """
    int extents[2] = {0, 0};
    MPI_Dims_create(size, 2, extents);
    const int nx = extents[0], ny = extents[1], x = rank % nx, y = rank / nx;
    (void)ny; (void)y; (void)x;
"""
_CART = """
    int extents[2] = {0, 0}, wraps[2] = {0, 1}, place[2];
    MPI_Dims_create(size, 2, extents);
    MPI_Comm grid;
    MPI_Cart_create(world, 2, extents, wraps, 0, &grid);
    MPI_Cart_coords(grid, rank, 2, place);
    const int high = 37 / extents[0] + (place[0] < 37 % extents[0]);
    const int wide = 46 / extents[1] + (place[1] < 46 % extents[1]);
"""

CARTESIAN_NEIGHBORS = (
    _CART
    + """
    int counts[4] = {8 * wide, 8 * wide, 8 * high, 8 * high}, starts[4] = {0, 1000, 2000, 3000};
    for (int step = 0; step < 4; ++step) {
        MPI_Neighbor_alltoallv(out, counts, starts, MPI_BYTE, in, counts, starts, MPI_BYTE, grid);
        MPI_Request request;
        MPI_Ineighbor_allgather(out, 24, MPI_BYTE, in, 24, MPI_BYTE, grid, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
"""
)

# The eight ranks around, without those beyond the ends in y.
DISTRIBUTED_GRAPH = (
    _GRID
    + """
    int peers[8], counts[8], starts[8] = {0}, number = 0;
    const int wide = 50 / nx + (x < 50 % nx);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if ((!dx && !dy) || y + dy < 0 || y + dy >= ny) continue;
            counts[number] = dx ? 16 : 16 * wide;
            peers[number++] = (x + dx + nx) % nx + nx * (y + dy);
        }
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(world, number, peers, MPI_UNWEIGHTED, number, peers,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    for (int step = 0; step < 4; ++step) {
        MPI_Neighbor_alltoallv(out, counts, starts, MPI_BYTE, in, counts, starts, MPI_BYTE, graph);
        MPI_Neighbor_allgather(out, 40, MPI_BYTE, in, 40, MPI_BYTE, graph);
    }
"""
)

# Rows at the poles exchange with the meridian opposite.
POLES = (
    _GRID
    + """
    const int east = (x + 1) % nx + nx * y, west = (x + nx - 1) % nx + nx * y;
    for (int step = 0; step < 4; ++step) {
        MPI_Sendrecv(out, 800, MPI_BYTE, east, 1, in, 800, MPI_BYTE, west, 1, world,
                     MPI_STATUS_IGNORE);
        if (y == 0 || y == ny - 1) {
            const int opposite = (x + nx / 2) % nx + nx * y;
            MPI_Request requests[2];
            MPI_Irecv(in, 3600 / nx, MPI_BYTE, opposite, 2, world, &requests[0]);
            MPI_Isend(out, 3600 / nx, MPI_BYTE, opposite, 2, world, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    }
"""
)

# Blocks of a matrix that is transposed: rank (x, y) with rank (y, x).
TRANSPOSED_PARTNERS = """
    int side = 1;
    while (side * side < size) ++side;
    const int partner = rank / side + side * (rank % side);
    for (int step = 0; step < 4; ++step)
        MPI_Sendrecv(out, 640, MPI_BYTE, partner, 1, in, 640, MPI_BYTE, partner, 1, world,
                     MPI_STATUS_IGNORE);
"""

# Halos on a grid with three axes, and transposes in rows and columns of one with two.
TWO_GRIDS = (
    _GRID
    + """
    MPI_Comm row, column, cube;
    MPI_Comm_split(world, y, x, &row);
    MPI_Comm_split(world, x, y, &column);
    int sides[3] = {0, 0, 0}, wraps[3] = {1, 1, 1};
    MPI_Dims_create(size, 3, sides);
    MPI_Cart_create(world, 3, sides, wraps, 0, &cube);
    for (int step = 0; step < 4; ++step) {
        for (int axis = 0; axis < 3; ++axis) {
            int back, ahead;
            MPI_Cart_shift(cube, axis, 1, &back, &ahead);
            MPI_Sendrecv(out, 40 * (axis + 1), MPI_BYTE, ahead, axis, in, 40 * (axis + 1), MPI_BYTE,
                         back, axis, cube, MPI_STATUS_IGNORE);
        }
        MPI_Alltoall(out, 4, MPI_BYTE, in, 4, MPI_BYTE, row);
        MPI_Alltoall(out, 12, MPI_BYTE, in, 12, MPI_BYTE, column);
    }
"""
)

# The same peers without communicators: ranks computed by hand on two grids.
TWO_GRIDS_BY_HAND = (
    _GRID
    + """
    int sides[3] = {0, 0, 0};
    MPI_Dims_create(size, 3, sides);
    const int a = sides[0], b = sides[1], c = sides[2], z = rank / (a * b);
    for (int step = 0; step < 4; ++step) {
        MPI_Sendrecv(out, 72, MPI_BYTE, x + nx * ((y + 1) % ny), 1, in, 72, MPI_BYTE,
                     x + nx * ((y + ny - 1) % ny), 1, world, MPI_STATUS_IGNORE);
        MPI_Sendrecv(out, 48, MPI_BYTE, rank % (a * b) + a * b * ((z + 1) % c), 2, in, 48, MPI_BYTE,
                     rank % (a * b) + a * b * ((z + c - 1) % c), 2, world, MPI_STATUS_IGNORE);
        const int u = rank % a, next = rank - u + (u + 1) % a, last = rank - u + (u + a - 1) % a;
        MPI_Sendrecv(out, 96, MPI_BYTE, next, 3, in, 96, MPI_BYTE, last, 3, world,
                     MPI_STATUS_IGNORE);
    }
"""
)

# Rounds with rank xor 2^k: what is sent doubles.
RECURSIVE_DOUBLING = """
    for (int step = 0; step < 4; ++step) {
        for (int bit = 1, round = 0; bit < size; bit *= 2, ++round)
            MPI_Sendrecv(out, 16 * bit, MPI_BYTE, rank ^ bit, 10 + round, in, 16 * bit, MPI_BYTE,
                         rank ^ bit, 10 + round, world, MPI_STATUS_IGNORE);
        MPI_Barrier(world);
    }
"""

# Rounds in which some ranks pause. Binomial trees: the blocks of all ranks are gathered by rank 0, and scattered again.
TREES = """
    for (int step = 0; step < 4; ++step) {
        int bit = 1;
        for (; bit < size && !(rank & bit); bit *= 2)
            if (rank + bit < size) {
                const int rest = size - rank - bit;
                MPI_Recv(in, 16 * (bit < rest ? bit : rest), MPI_BYTE, rank + bit, 1, world,
                         MPI_STATUS_IGNORE);
            }
        const int own = 16 * (bit < size - rank ? bit : size - rank);
        if (bit < size) {
            MPI_Send(out, own, MPI_BYTE, rank - bit, 1, world);
            MPI_Recv(in, own, MPI_BYTE, rank - bit, 2, world, MPI_STATUS_IGNORE);
        }
        for (bit /= 2; bit > 0; bit /= 2)
            if (rank + bit < size) {
                const int rest = size - rank - bit;
                MPI_Send(out, 16 * (bit < rest ? bit : rest), MPI_BYTE, rank + bit, 2, world);
            }
    }
"""

# A sort by odd and even pairs.
ODD_AND_EVEN = """
    for (int step = 0; step < 4; ++step) {
        for (int k = 0; k < size; ++k) {
            const int partner = (rank + k) % 2 ? rank - 1 : rank + 1;
            if (partner < 0 || partner == size) continue;
            MPI_Sendrecv(out, 96, MPI_BYTE, partner, 1, in, 96, MPI_BYTE, partner, 1, world,
                         MPI_STATUS_IGNORE);
        }
        MPI_Barrier(world);
    }
"""

# Recursive doubling as MPICH has it: the first ranks in pairs, of which the second goes on.
FOLDED_DOUBLING = """
    int power = 1;
    while (2 * power <= size) power *= 2;
    const int rest = size - power;
    const int place = rank >= 2 * rest ? rank - rest : rank % 2 ? rank / 2 : -1;
    for (int step = 0; step < 4; ++step) {
        if (place < 0) MPI_Send(out, 64, MPI_BYTE, rank + 1, 1, world);
        if (place >= 0 && rank < 2 * rest)
            MPI_Recv(in, 64, MPI_BYTE, rank - 1, 1, world, MPI_STATUS_IGNORE);
        for (int bit = 1; place >= 0 && bit < power; bit *= 2) {
            const int there = place ^ bit, partner = there < rest ? 2 * there + 1 : there + rest;
            MPI_Sendrecv(out, 64, MPI_BYTE, partner, 2, in, 64, MPI_BYTE, partner, 2, world,
                         MPI_STATUS_IGNORE);
        }
        if (place >= 0 && rank < 2 * rest) MPI_Send(out, 64, MPI_BYTE, rank - 1, 3, world);
        if (place < 0) MPI_Recv(in, 64, MPI_BYTE, rank + 1, 3, world, MPI_STATUS_IGNORE);
    }
"""

# Prefix sums: what comes from the ranks before goes to those after.
PREFIX_SUMS = """
    for (int step = 0; step < 4; ++step)
        for (int bit = 1; bit < size; bit *= 2) {
            MPI_Request requests[2];
            int started = 0;
            if (rank >= bit)
                MPI_Irecv(in, 64, MPI_BYTE, rank - bit, 1, world, &requests[started++]);
            if (rank + bit < size)
                MPI_Isend(out, 64, MPI_BYTE, rank + bit, 1, world, &requests[started++]);
            MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
        }
"""

# Three kinds of rounds one behind the other: a sort by pairs, prefix sums, and a broadcast by a tree.
SEVERAL_ROUNDS = """
    for (int step = 0; step < 4; ++step) {
        for (int k = 0; k < size; ++k) {
            const int partner = (rank + k) % 2 ? rank - 1 : rank + 1;
            if (partner < 0 || partner == size) continue;
            MPI_Sendrecv(out, 96, MPI_BYTE, partner, 1, in, 96, MPI_BYTE, partner, 1, world,
                         MPI_STATUS_IGNORE);
        }
        for (int bit = 1; bit < size; bit *= 2) {
            if (rank + bit < size) MPI_Send(out, 64, MPI_BYTE, rank + bit, 2, world);
            if (rank >= bit)
                MPI_Recv(in, 64, MPI_BYTE, rank - bit, 2, world, MPI_STATUS_IGNORE);
        }
        int bit = 1;
        while (bit < size && !(rank & bit)) bit *= 2;
        if (rank) MPI_Recv(in, 400, MPI_BYTE, rank - bit, 3, world, MPI_STATUS_IGNORE);
        while (bit /= 2)
            if (rank + bit < size) MPI_Send(out, 400, MPI_BYTE, rank + bit, 3, world);
    }
"""

# A sum of its own, all of whose messages are made by the same lines: at the start, and twice in a step.
OWN_SUMS = """
    int power = 1;
    while (2 * power <= size) power *= 2;
    const int rest = size - power;
    __attribute__((noinline)) void exchange(int to, int from, int bytes) {
        MPI_Request requests[2];
        int started = 0;
        if (from >= 0) MPI_Irecv(in, bytes, MPI_BYTE, from, 3, world, &requests[started++]);
        if (to >= 0) MPI_Isend(out, bytes, MPI_BYTE, to, 3, world, &requests[started++]);
        MPI_Waitall(started, requests, MPI_STATUSES_IGNORE);
    }
    __attribute__((noinline)) void sum(int bytes) {
        if (rank >= power) {
            exchange(rank - rest, -1, bytes);
            exchange(-1, rank - rest, bytes);
            return;
        }
        const int extra = rank + rest >= power ? rank + rest : -1;
        if (extra >= 0) exchange(-1, extra, bytes);
        for (int bit = 1; bit < power; bit *= 2) exchange(rank ^ bit, rank ^ bit, bytes);
        if (extra >= 0) exchange(extra, -1, bytes);
    }
    sum(8);
    for (int step = 0; step < 6; ++step) {
        MPI_Sendrecv(out, 800, MPI_BYTE, right, 1, in, 800, MPI_BYTE, left, 1, world,
                     MPI_STATUS_IGNORE);
        sum(16);
        sum(8);
    }
"""

# All pairs meet, as in a tournament; tags have sender and receiver in them, as in transposes of FFTW.
TOURNAMENT = """
    for (int step = 0; step < 4; ++step)
        for (int k = 0; k < size - 1; ++k) {
            int peer = (2 * k - rank + 2 * (size - 1)) % (size - 1);
            if (peer == rank) peer = size - 1;
            if (rank == size - 1) peer = k;
            MPI_Sendrecv(out, 96, MPI_BYTE, peer, rank * size + peer, in, 96, MPI_BYTE, peer,
                         peer * size + rank, world, MPI_STATUS_IGNORE);
        }
"""

# A transpose in rows and one in columns, two of each, by rings. Levels are cut along the rows, and wavenumbers are
# dealt to and fro.
RINGS_OF_BLOCKS = """
    int extents[2] = {0, 0};
    MPI_Dims_create(size, 2, extents);
    const int nx = extents[0], ny = extents[1], x = rank % nx, y = rank / nx;
    const int latitudes = 16 / ny + (y < 16 % ny);
    for (int step = 0; step < 4; ++step)
        for (int repeat = 0; repeat < 2; ++repeat) {
            for (int k = 1; k < nx; ++k) {
                const int to = (x + k) % nx, from = (x + nx - k) % nx;
                const int rest = 22 % nx, turned = 22 / nx % 2;
                const int waves_to = 22 / nx + (turned ? to >= nx - rest : to < rest);
                const int waves = 22 / nx + (turned ? x >= nx - rest : x < rest);
                const int levels = 35 / nx + (x < 35 % nx), levels_from = 35 / nx + (from < 35 % nx);
                MPI_Sendrecv(out, levels * waves_to * latitudes, MPI_BYTE, to + nx * y, 1, in,
                             levels_from * waves * latitudes, MPI_BYTE, from + nx * y, 1, world,
                             MPI_STATUS_IGNORE);
            }
            for (int k = 1; k < ny; ++k) {
                const int to = (y + k) % ny, from = (y + ny - k) % ny;
                const int there = 16 / ny + (from < 16 % ny), levels = 11 / ny + (y < 11 % ny);
                const int levels_to = 11 / ny + (to < 11 % ny);
                MPI_Sendrecv(out, 8 * latitudes * levels_to, MPI_BYTE, x + nx * to, 2, in,
                             8 * there * levels, MPI_BYTE, x + nx * from, 2, world,
                             MPI_STATUS_IGNORE);
            }
        }
"""

# Eight neighbours around, whose messages are started in the order of their ranks; the grid wraps around in x.
BY_RANK = (
    _GRID
    + """
    int peers[8], bytes[8], number = 0;
    const int wide = 50 / nx + (x < 50 % nx);
    for (int dy = -1; dy <= 1; ++dy)
        for (int dx = -1; dx <= 1; ++dx) {
            if ((!dx && !dy) || y + dy < 0 || y + dy >= ny) continue;
            int at = number++;
            const int peer = (x + dx + nx) % nx + nx * (y + dy);
            for (; at > 0 && peers[at - 1] > peer; --at) {
                peers[at] = peers[at - 1];
                bytes[at] = bytes[at - 1];
            }
            peers[at] = peer;
            bytes[at] = dx ? 16 : 16 * wide;
        }
    MPI_Comm graph;
    MPI_Dist_graph_create_adjacent(world, number, peers, MPI_UNWEIGHTED, number, peers,
                                   MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    int starts[8] = {0};
    for (int step = 0; step < 4; ++step) {
        MPI_Request requests[16];
        for (int i = 0; i < number; ++i)
            MPI_Irecv(in, bytes[i], MPI_BYTE, peers[i], 4, world, &requests[i]);
        for (int i = 0; i < number; ++i)
            MPI_Isend(out, bytes[i], MPI_BYTE, peers[i], 4, world, &requests[number + i]);
        MPI_Waitall(2 * number, requests, MPI_STATUSES_IGNORE);
        MPI_Neighbor_alltoallv(out, bytes, starts, MPI_BYTE, in, bytes, starts, MPI_BYTE, graph);
    }
"""
)

# Each message has the rank of its sender as its tag, and a constant before it.
TAGS_OF_SENDERS = (
    _GRID
    + """
    const int east = (x + 1) % nx + nx * y, west = (x + nx - 1) % nx + nx * y;
    for (int step = 0; step < 4; ++step) {
        MPI_Request requests[2];
        MPI_Irecv(in, 480, MPI_BYTE, west, 100 + west, world, &requests[0]);
        MPI_Isend(out, 480, MPI_BYTE, east, 100 + rank, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        MPI_Sendrecv(out, 40, MPI_BYTE, east, 500 * rank + east, in, 40, MPI_BYTE, west,
                     500 * west + rank, world, MPI_STATUS_IGNORE);
    }
"""
)

# Rounds at distances 2^k, with requests, on any number of ranks.
DISSEMINATION = """
    for (int step = 0; step < 4; ++step) {
        for (int bit = 1; bit < size; bit *= 2) {
            MPI_Request requests[2];
            MPI_Irecv(in, 8, MPI_BYTE, (rank + size - bit) % size, 3, world, &requests[0]);
            MPI_Isend(out, 8, MPI_BYTE, (rank + bit) % size, 3, world, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Barrier(world);
    }
"""

# An exchange of each rank with all others, one after the other.
PAIRWISE = """
    for (int shift = 1; shift < size; ++shift)
        MPI_Sendrecv(out, 96, MPI_BYTE, (rank + shift) % size, 5, in, 96, MPI_BYTE,
                     (rank + size - shift) % size, 5, world, MPI_STATUS_IGNORE);
"""

_WINDOW = """
    MPI_Win window;
    MPI_Win_create(in, 4800 + 8 * size, 1, MPI_INFO_NULL, world, &window);
"""

PUTS_AND_FENCES = (
    _GRID
    + _WINDOW
    + """
    const int wide = 50 / nx + (x < 50 % nx);
    for (int step = 0; step < 4; ++step) {
        MPI_Win_fence(0, window);
        MPI_Put(out, 8 * wide, MPI_BYTE, y + 1 < ny ? rank + nx : MPI_PROC_NULL, 0, 8 * wide,
                MPI_BYTE, window);
        if (y > 0) MPI_Get(out, 24, MPI_BYTE, rank - nx, 0, 24, MPI_BYTE, window);
        MPI_Win_fence(0, window);
    }
    MPI_Win_free(&window);
"""
)

GENERAL_ACTIVE_TARGET = (
    _GRID
    + _WINDOW
    + """
    int peers[2], number = 0;
    if (y > 0) peers[number++] = rank - nx;
    if (y + 1 < ny) peers[number++] = rank + nx;
    MPI_Group all, near;
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, number, peers, &near);
    for (int step = 0; step < 4; ++step) {
        MPI_Win_post(near, 0, window);
        MPI_Win_start(near, 0, window);
        for (int n = 0; n < number; ++n)
            MPI_Put(out, 64, MPI_BYTE, peers[n], 0, 64, MPI_BYTE, window);
        MPI_Win_complete(window);
        MPI_Win_wait(window);
    }
    MPI_Win_free(&window);
"""
)

LOCKS = (
    _WINDOW
    + """
    for (int step = 0; step < 4; ++step) {
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window);
        MPI_Accumulate(out, 5, MPI_INT, right, 0, 5, MPI_INT, MPI_SUM, window);
        MPI_Win_unlock(right, window);
        MPI_Win_lock_all(0, window);
        MPI_Put(out, 32, MPI_BYTE, left, 0, 32, MPI_BYTE, window);
        MPI_Win_flush(left, window);
        MPI_Win_unlock_all(window);
    }
    MPI_Win_free(&window);
"""
)

# The matrix product of Cannon: row y is shifted by y ranks at first, and column x by x ranks.
CANNON = """
    int side = 1;
    while (side * side < size) ++side;
    const int y = rank / side, x = rank % side;
#define AT(x, y) (((x) + side) % side + side * (((y) + side) % side))
#define SHIFT(to, from, tag) \\
    MPI_Sendrecv(out, 800, MPI_BYTE, to, tag, in, 800, MPI_BYTE, from, tag, world, MPI_STATUS_IGNORE)
    SHIFT(AT(x - y, y), AT(x + y, y), 1);
    SHIFT(AT(x, y - x), AT(x, y + x), 2);
    for (int turn = 0; turn < side; ++turn) {
        SHIFT(AT(x - 1, y), AT(x + 1, y), 3);
        SHIFT(AT(x, y - 1), AT(x, y + 1), 4);
    }
"""

# A ring and a pipeline whose tags are the numbers of their turns.
TAGS_OF_TURNS = """
    for (int step = 0; step < 3; ++step)
        for (int turn = 0; turn < size - 1; ++turn) {
            MPI_Request requests[2];
            MPI_Irecv(in, 800, MPI_BYTE, left, turn, world, &requests[0]);
            MPI_Isend(out, 800, MPI_BYTE, right, turn, world, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        }
    MPI_Barrier(world);
    for (int block = 0; block < 2 * size; ++block) {
        if (rank > 0)
            MPI_Recv(in, 40, MPI_BYTE, rank - 1, 100 + 2 * block, world, MPI_STATUS_IGNORE);
        if (rank < size - 1) MPI_Send(out, 40, MPI_BYTE, rank + 1, 100 + 2 * block, world);
    }
"""

# A pipeline of a fixed number of turns, which are too many to be written out.
LONG_PIPELINE = """
    for (int block = 0; block < 150; ++block) {
        if (rank > 0) MPI_Recv(in, 40, MPI_BYTE, rank - 1, block, world, MPI_STATUS_IGNORE);
        if (rank < size - 1) MPI_Send(out, 40, MPI_BYTE, rank + 1, block, world);
    }
"""

# Tags that are the distance of the peer, or the bit that differs.
TAGS_OF_DISTANCES = """
    for (int bit = 1; bit < size; bit *= 2)
        MPI_Sendrecv(out, 800, MPI_BYTE, (rank + bit) % size, 7 + bit, in, 800, MPI_BYTE,
                     (rank + size - bit) % size, 7 + bit, world, MPI_STATUS_IGNORE);
"""
TAGS_OF_BITS = """
    for (int bit = 1; bit < size; bit *= 2) {
        MPI_Request requests[2];
        MPI_Irecv(in, 800, MPI_BYTE, rank ^ bit, bit, world, &requests[0]);
        MPI_Isend(out, 800, MPI_BYTE, rank ^ bit, bit, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
"""
EVEN_COUNTS = """
    for (int step = 0; step < 3; ++step) {
        MPI_Sendrecv(out, 800, MPI_BYTE, right, 1, in, 800, MPI_BYTE, left, 1, world,
                     MPI_STATUS_IGNORE);
        if (size % 2 == 0) MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);
    }
"""

# Nobody can know from powers of two whether there is the guard.
BUTTERFLY = """
    for (int bit = 1; bit < size; bit *= 2)
        if ((rank ^ bit) < size)
            MPI_Sendrecv(out, 800, MPI_BYTE, rank ^ bit, 1, in, 800, MPI_BYTE, rank ^ bit, 1, world,
                         MPI_STATUS_IGNORE);
"""

# Calls that are refused for a reason of their own.
TAGS_IN_TURN = """
    for (int turn = 0; turn < size; ++turn)
        MPI_Sendrecv(out, 800, MPI_BYTE, right, turn % 3, in, 800, MPI_BYTE, left, turn % 3, world,
                     MPI_STATUS_IGNORE);
"""
FAR_NEIGHBORS = """
    for (int step = 0; step < 3; ++step)
        for (int shift = -2; shift <= 2; ++shift)
            if (shift)
                MPI_Sendrecv(out, 800, MPI_BYTE, (rank + shift + size) % size, 1, in, 800, MPI_BYTE,
                             (rank - shift + size) % size, 1, world, MPI_STATUS_IGNORE);
"""
# The northern edge of a tripolar grid is folded; the rank in its middle has both halves.
NORTH_FOLD = (
    _GRID
    + """
    const int east = (x + 1) % nx + nx * y, west = (x + nx - 1) % nx + nx * y;
    for (int step = 0; step < 4; ++step) {
        MPI_Sendrecv(out, 480, MPI_BYTE, east, 1, in, 480, MPI_BYTE, west, 1, world, MPI_STATUS_IGNORE);
        const int across = nx - 1 - x;
        if (y == ny - 1 && across != x)
            MPI_Sendrecv(out, 360, MPI_BYTE, across + nx * y, 5, in, 360, MPI_BYTE, across + nx * y, 5,
                         world, MPI_STATUS_IGNORE);
    }
"""
)
# The neighbours of few ranks may be told apart in no way; the branch is what a user must know.
BRANCH_OF_LARGE_COUNTS = """
    const int scale = size > 10 ? 4 : 2;
    for (int step = 0; step < 9; ++step) {
        MPI_Sendrecv(out, 800 * scale, MPI_BYTE, right, 1, in, 800 * scale, MPI_BYTE, left, 1, world,
                     MPI_STATUS_IGNORE);
        if (size > 8) {
            MPI_Allreduce(out, in, 50, MPI_INT, MPI_SUM, world);
        } else {
            MPI_Reduce(out, in, 50, MPI_INT, MPI_SUM, 0, world);
            MPI_Bcast(out, 50, MPI_INT, 0, world);
        }
    }
"""
SOME_COUNTS = """
    for (int step = 0; step < 3; ++step) {
        MPI_Sendrecv(out, 800, MPI_BYTE, right, 1, in, 800, MPI_BYTE, left, 1, world,
                     MPI_STATUS_IGNORE);
        if (size % 5 == 1) MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);
    }
"""
PERMUTED = """
    const int factor = size == 8 ? 3 : size == 12 ? 5 : 2;
    int from = 0;
    while ((factor * from + 1) % size != rank) ++from;
    MPI_Sendrecv(out, 800, MPI_BYTE, (factor * rank + 1) % size, 1, in, 800, MPI_BYTE, from, 1, world,
                 MPI_STATUS_IGNORE);
"""

# Neighbours, peers, rounds and targets that follow no rule.
SCATTERED_NEIGHBORS = """
    int peers[2], number = 0;
    for (int other = 0; other < size; ++other)
        if (other != rank && (rank * 7919 + other * 104729) % 11 < 2 && number < 2)
            peers[number++] = other;
    MPI_Comm graph;
    MPI_Dist_graph_create(world, 1, &rank, &number, peers, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &graph);
    MPI_Neighbor_allgather(out, 8, MPI_BYTE, in, 8, MPI_BYTE, graph);
"""
SCATTERED_ROUNDS = """
    for (int bit = 1; bit < size; bit *= 2) {
        const int partner = (rank ^ bit) * 7 % size;
        MPI_Send(out, 8, MPI_BYTE, partner, bit, world);
        for (int other = 0; other < size; ++other)
            if ((other ^ bit) * 7 % size == rank)
                MPI_Recv(in, 8, MPI_BYTE, other, bit, world, MPI_STATUS_IGNORE);
    }
"""
SCATTERED_TARGETS = (
    _WINDOW
    + """
    MPI_Win_fence(0, window);
    MPI_Put(out, 8, MPI_BYTE, (rank * 7919 + 13) % size, 0, 8, MPI_BYTE, window);
    MPI_Win_fence(0, window);
    MPI_Win_free(&window);
"""
)
SCATTERED_GROUPS = """
    MPI_Comm odd;
    MPI_Comm_split(world, rank * 7919 % 5, -rank, &odd);
    MPI_Barrier(odd);
"""

TREE_AFTER_A_RING = """
MPI_Comm copy = MPI_COMM_NULL;
for (int turn = 0; turn < 5; ++turn) {
    MPI_Request request;
    MPI_Isend(out, 800, MPI_CHAR, right, 0, world, &request);
    MPI_Recv(in, 800, MPI_CHAR, left, 0, world, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (copy == MPI_COMM_NULL) MPI_Comm_dup(world, &copy);
    for (int bit = 1; bit < size; bit *= 2) {
        if (rank & bit) {
            MPI_Send(out, 400, MPI_CHAR, rank - bit, 1, copy);
            break;
        }
        if (rank + bit < size)
            MPI_Recv(in, 400, MPI_CHAR, rank + bit, 1, copy, MPI_STATUS_IGNORE);
    }
}
"""

GATHERED_BLOCKS = """
int counts[64], starts[64], start = 0;
for (int other = 0; other < size; ++other) {
    counts[other] = 205 / size + (other < 205 % size);
    starts[other] = start;
    start += counts[other];
}
for (int turn = 0; turn < 3; ++turn)
    MPI_Gatherv(out, counts[rank], MPI_DOUBLE, in, counts, starts, MPI_DOUBLE, 0, world);
MPI_Scatterv(out, counts, starts, MPI_DOUBLE, in, counts[rank], MPI_DOUBLE, size - 1, world);
"""

# A call beside the same one in a loop, and a loop that some rank counts do not have.
EVERY_OTHER_TURN = """
for (int turn = 0; turn < 5; ++turn) {
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);
    if (turn % 2) MPI_Barrier(world);
}
for (int turn = 0; turn < size / 2 - 2; ++turn) MPI_Bcast(out, 8, MPI_CHAR, 0, world);
"""

QUOTIENTS = """
for (int turn = 0; turn < (size + 1) / 2; ++turn)
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);
for (int turn = 0; turn < size / 2 + 3; ++turn)
    MPI_Allreduce(out, in, 2, MPI_INT, MPI_SUM, world);
for (int turn = 0; turn < (size + 1) / 3; ++turn)
    MPI_Allreduce(out, in, 3, MPI_INT, MPI_SUM, world);
for (int turn = 0; turn < size / 2 - 2; ++turn) {
    MPI_Barrier(world);
    for (int inner = 0; inner < size - 5; ++inner)
        MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, world);
}
MPI_Bcast(out, 24 * ((size + 2) / 4 + 1), MPI_CHAR, 0, world);
"""

# The same with a tree whose root is another rank for each number of ranks.
TREE_OF_ANOTHER_ROOT = """
const int place = (rank + size - size / 3) % size;
for (int turn = 0; turn < 5; ++turn) {
    MPI_Sendrecv(out, 800, MPI_CHAR, right, 0, in, 800, MPI_CHAR, left, 0, world,
                 MPI_STATUS_IGNORE);
    for (int bit = 1; bit < size; bit *= 2) {
        if (place & bit) {
            MPI_Send(out, 400, MPI_CHAR, (rank + size - bit) % size, 1, world);
            break;
        }
        if (place + bit < size)
            MPI_Recv(in, 400, MPI_CHAR, (rank + bit) % size, 1, world, MPI_STATUS_IGNORE);
    }
}
"""

THIRDS = """
for (int turn = 0; turn < size / 3 + 1; ++turn)
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);
MPI_Bcast(out, 80 * (size / 3 + 1), MPI_CHAR, 0, world);
"""

# Recursive doubling on a power of two, and a ring on other numbers of ranks, on one line.
TWO_EXCHANGES_ON_ONE_LINE = """
    const int is_power = (size & (size - 1)) == 0;
    int turns = is_power ? 0 : size - 1;
    while (is_power && 1 << turns < size) ++turns;
    for (int step = 0; step < 3; ++step) {
        for (int k = 0; k < turns; ++k) {
            const int to = is_power ? rank ^ (1 << k) : (rank + 1) % size;
            const int from = is_power ? to : (rank + size - 1) % size;
            MPI_Sendrecv(out, 64, MPI_BYTE, to, 1, in, 64, MPI_BYTE, from, 1, world, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(world);
    }
"""

# A size and a number of turns by thresholds, for which quotients fit by chance at three counts.
THRESHOLDS = """
    const int bytes = size > 8 ? 320 : size > 5 ? 160 : 80;
    const int turns = size > 7 ? 2 : 3;
    for (int step = 0; step < 3; ++step) {
        MPI_Bcast(out, bytes, MPI_BYTE, 0, world);
        for (int turn = 0; turn < turns; ++turn)
            MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);
    }
"""

# Pairs of ranks, of which none is alone at even counts.
PAIRS = """
    for (int step = 0; step < 3; ++step)
        if ((rank ^ 1) < size)
            MPI_Sendrecv(out, 64, MPI_BYTE, rank ^ 1, 1, in, 64, MPI_BYTE, rank ^ 1, 1, world,
                         MPI_STATUS_IGNORE);
"""

# Half as many bytes as there are ranks, cut off.
HALVES = """
    MPI_Bcast(out, 8 * (size / 2), MPI_BYTE, 0, world);
    MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, world);
"""

# The mirrored rank, but for the one in the middle, which works longer and sends nothing.
MIRRORED_PARTNERS = """
    const int partner = size - 1 - rank, bytes = 8 * (500 / size);
    volatile double sum = 0;
    for (int step = 0; step < 3; ++step) {
        for (int turn = 0; turn < (rank == 0 ? 20000000 : 2000000); ++turn) sum += turn;
        MPI_Request requests[2];
        if (partner == rank) continue;
        MPI_Irecv(in, bytes, MPI_BYTE, partner, 1, world, &requests[0]);
        MPI_Isend(out, bytes, MPI_BYTE, partner, 1, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
"""

# Blocks of 96 points are equal on up to four ranks; on two ranks a column is a rank alone.
TRANSPOSES_OF_EQUAL_BLOCKS = (
    _GRID
    + """
    #define PART(n, parts, place) ((n) / (parts) + ((place) < (n) % (parts)))
    MPI_Comm row, column;
    MPI_Comm_split(world, y, x, &row);
    MPI_Comm_split(world, x, y, &column);
    int give[64], take[64], starts[64] = {0};
    for (int step = 0; step < 3; ++step) {
        for (int j = 0; j < nx; ++j) {
            give[j] = 8 * PART(96, nx, j) * PART(13, nx, x) * PART(7, ny, y);
            take[j] = 8 * PART(96, nx, x) * PART(13, nx, j) * PART(7, ny, y);
        }
        MPI_Alltoallv(out, give, starts, MPI_BYTE, in, take, starts, MPI_BYTE, row);
        MPI_Allreduce(out, in, 6, MPI_DOUBLE, MPI_SUM, column);
    }
"""
)

# On four ranks there is one node, whose leader is alone.
LEADERS_OF_NODES = """
    MPI_Comm node, leaders;
    MPI_Comm_split(world, rank / 4, rank, &node);
    MPI_Comm_split(world, rank % 4 ? MPI_UNDEFINED : 0, rank, &leaders);
    for (int step = 0; step < 3; ++step) {
        MPI_Reduce(out, in, 20, MPI_DOUBLE, MPI_SUM, 0, node);
        if (leaders != MPI_COMM_NULL)
            MPI_Allreduce(out, in, 20, MPI_DOUBLE, MPI_SUM, leaders);
        MPI_Bcast(in, 20, MPI_DOUBLE, 0, node);
    }
"""

# Blocks of a transpose whose rest is left out, after a pipeline from the first to the last rank.
TRANSPOSE_WITHOUT_REST = """
    for (int step = 0; step < 3; ++step) {
        if (rank > 0) MPI_Recv(in, 24, MPI_BYTE, rank - 1, 1, world, MPI_STATUS_IGNORE);
        if (rank < size - 1) MPI_Send(out, 24, MPI_BYTE, rank + 1, 1, world);
        const int block = 8 * (92 / size) * (45 / size);
        MPI_Alltoall(out, block, MPI_BYTE, in, block, MPI_BYTE, world);
    }
"""

# The same with blocks of no rule.
STRANGE_TRANSPOSE = TRANSPOSE_WITHOUT_REST.replace(
    "8 * (92 / size) * (45 / size)", "1 + 1000003 % (size * size * size + 7)"
)

STRANGE_ROOTS = """
    for (int step = 0; step < 3; ++step)
        MPI_Bcast(out, 80, MPI_BYTE, 1000003 % size, world);
"""

TURNS_OF_A_SOLVER = """
    int turns = 1;
    while (turns * turns < 9 * size) ++turns;
    for (int turn = 0; turn < turns; ++turn) MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, world);
"""

# The last two ranks write what the others compute.
OUTPUT_SERVERS = """
    MPI_Comm own;
    MPI_Comm_split(world, rank >= size - 2, rank, &own);
    for (int step = 0; step < 3; ++step) MPI_Allreduce(out, in, 4, MPI_INT, MPI_SUM, own);
"""

# Blocks along a ring, which are uneven on seven ranks alone.
BLOCKS_OF_NEIGHBORS = """
    int peers[2] = {left, right}, give[2], take[2], starts[2] = {0};
    MPI_Comm ring;
    MPI_Dist_graph_create_adjacent(world, 2, peers, MPI_UNWEIGHTED, 2, peers, MPI_UNWEIGHTED,
                                   MPI_INFO_NULL, 0, &ring);
    for (int side = 0; side < 2; ++side) {
        give[side] = 8 * (1000 / size + (rank < 1000 % size));
        take[side] = 8 * (1000 / size + (peers[side] < 1000 % size));
    }
    for (int step = 0; step < 3; ++step)
        MPI_Neighbor_alltoallv(out, give, starts, MPI_BYTE, in, take, starts, MPI_BYTE, ring);
"""

GATHERED_BLOCKS_OF_A_GRID = (
    _GRID
    + """
    int counts[64], starts[64] = {0};
    for (int j = 0; j < size; ++j)
        counts[j] = 8 * (23 / nx + (j % nx < 23 % nx)) * (11 / ny + (j / nx < 11 % ny));
    for (int step = 0; step < 3; ++step)
        MPI_Gatherv(out, counts[rank], MPI_BYTE, in, counts, starts, MPI_BYTE, 0, world);
"""
)

# An atmosphere and an ocean, each on half of the ranks and on its own points, whose exchange is one line.
COMPONENTS = """
    const int half = size / 2, is_ocean = rank >= half, i = rank - half * is_ocean;
    const int own = is_ocean ? 170 : 90, other = is_ocean ? 90 : 170;
    const int give = 8 * (own / half + (i < own % half)), take = 8 * (other / half + (i < other % half));
    const int partner = is_ocean ? i : i + half;
    MPI_Comm component;
    MPI_Comm_split(world, is_ocean, rank, &component);
    for (int step = 0; step < 4; ++step) {
        MPI_Allreduce(out, in, 1, MPI_INT, MPI_SUM, component);
        MPI_Sendrecv(out, give, MPI_BYTE, partner, 9, in, take, MPI_BYTE, partner, 9, world,
                     MPI_STATUS_IGNORE);
        MPI_Request requests[2];
        MPI_Irecv(in, 3 * take, MPI_BYTE, partner, 5, world, &requests[0]);
        MPI_Isend(out, 3 * give, MPI_BYTE, partner, 5, world, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
"""

# Sums on each node, and of the leaders of the nodes.
NODES = """
    MPI_Comm node, leaders;
    int place;
    MPI_Comm_split_type(world, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &place);
    MPI_Comm_split(world, place ? MPI_UNDEFINED : 0, rank, &leaders);
    for (int step = 0; step < 3; ++step) {
        MPI_Reduce(out, in, 8, MPI_INT, MPI_SUM, 0, node);
        if (place == 0) MPI_Allreduce(out, in, 8, MPI_INT, MPI_SUM, leaders);
        MPI_Bcast(out, 8, MPI_INT, 0, node);
    }
"""
