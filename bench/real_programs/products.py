"""Power iterations with a matrix whose rows all processes share, in plain Python on mpi4py."""

from array import array

from mpi4py import MPI

N, STEPS = 480, 20


def main() -> None:
    """Multiplies, gathers the vector and scales it by its largest entry, time and again."""
    comm = MPI.COMM_WORLD
    counts = [(r + 1) * N // comm.size - r * N // comm.size for r in range(comm.size)]
    first = sum(counts[: comm.rank])
    rows = range(first, first + counts[comm.rank])
    matrix = [[1.0 / (1 + abs(i - j)) for j in range(N)] for i in rows]
    vector, largest = array("d", [1.0] * N), array("d", [1.0])
    for _ in range(STEPS):
        mine = array("d", [sum(map(float.__mul__, row, vector)) for row in matrix])
        comm.Allgatherv([mine, MPI.DOUBLE], [vector, counts, None, MPI.DOUBLE])
        largest[0] = max(mine)
        comm.Allreduce(MPI.IN_PLACE, largest, MPI.MAX)
        vector = array("d", [value / largest[0] for value in vector])
    if comm.rank == 0:
        print(f"{largest[0]:.6f}")


if __name__ == "__main__":
    main()
