/* Transforms of a three-dimensional field, cut in slabs, by FFTW. */
#include <fftw3-mpi.h>
#include <stdio.h>

int main(int count, char** words) {
    MPI_Init(&count, &words);
    fftw_mpi_init();
    const ptrdiff_t n = 128;
    ptrdiff_t mine, first;
    const ptrdiff_t size = fftw_mpi_local_size_3d(n, n, n, MPI_COMM_WORLD, &mine, &first);
    fftw_complex* field = fftw_alloc_complex(size);
    fftw_plan ahead = fftw_mpi_plan_dft_3d(n, n, n, field, field, MPI_COMM_WORLD, FFTW_FORWARD,
                                           FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_OUT);
    fftw_plan back = fftw_mpi_plan_dft_3d(n, n, n, field, field, MPI_COMM_WORLD, FFTW_BACKWARD,
                                          FFTW_ESTIMATE | FFTW_MPI_TRANSPOSED_IN);
    for (ptrdiff_t i = 0; i < mine * n * n; ++i) field[i][0] = field[i][1] = 1e-3 * (i % 7);
    for (int step = 0; step < 5; ++step) {
        fftw_execute(ahead);
        for (ptrdiff_t i = 0; i < size; ++i) {
            field[i][0] /= n * n * n;
            field[i][1] /= n * n * n;
        }
        fftw_execute(back);
    }
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) printf("%g\n", field[1][0]);
    MPI_Finalize();
    return 0;
}
