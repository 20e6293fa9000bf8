/* A Poisson problem on a square, by conjugate gradients of PETSc. With -second_solve the recording
 * has the second of two solves alone: PETSc sets up its messages in the first one. */
#include <petscdmda.h>
#include <petscksp.h>

int main(int count, char** words) {
    PetscInitialize(&count, &words, NULL, NULL);
    PetscBool second;
    PetscOptionsHasName(NULL, NULL, "-second_solve", &second);
    if (second) MPI_Pcontrol(0);
    DM grid;
    DMDACreate2d(PETSC_COMM_WORLD, DM_BOUNDARY_NONE, DM_BOUNDARY_NONE, DMDA_STENCIL_STAR, 400, 300,
                 PETSC_DECIDE, PETSC_DECIDE, 1, 1, NULL, NULL, &grid);
    DMSetFromOptions(grid);
    DMSetUp(grid);
    Mat matrix;
    DMCreateMatrix(grid, &matrix);
    PetscInt x, y, wide, high, nx, ny;
    DMDAGetInfo(grid, 0, &nx, &ny, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    DMDAGetCorners(grid, &x, &y, 0, &wide, &high, 0);
    for (PetscInt j = y; j < y + high; ++j)
        for (PetscInt i = x; i < x + wide; ++i) {
            MatStencil row = {.i = i, .j = j}, columns[5];
            PetscScalar values[5];
            PetscInt entries = 0;
            const int steps[5][2] = {{0, 0}, {1, 0}, {-1, 0}, {0, 1}, {0, -1}};
            for (int n = 0; n < 5; ++n) {
                const PetscInt a = i + steps[n][0], b = j + steps[n][1];
                if (a < 0 || a >= nx || b < 0 || b >= ny) continue;
                columns[entries] = (MatStencil){.i = a, .j = b};
                values[entries++] = n ? -1 : 4;
            }
            MatSetValuesStencil(matrix, 1, &row, entries, columns, values, INSERT_VALUES);
        }
    MatAssemblyBegin(matrix, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(matrix, MAT_FINAL_ASSEMBLY);
    Vec right, solution;
    DMCreateGlobalVector(grid, &right);
    VecDuplicate(right, &solution);
    VecSet(right, 1);
    KSP solver;
    KSPCreate(PETSC_COMM_WORLD, &solver);
    KSPSetOperators(solver, matrix, matrix);
    KSPSetType(solver, KSPCG);
    KSPSetTolerances(solver, 1e-30, 1e-50, PETSC_DEFAULT, 100);
    KSPSetFromOptions(solver);
    KSPSolve(solver, right, solution);
    if (second) {
        MPI_Pcontrol(1);
        KSPSolve(solver, right, solution);
        MPI_Pcontrol(0);
    }
    PetscInt turns;
    KSPGetIterationNumber(solver, &turns);
    PetscPrintf(PETSC_COMM_WORLD, "%d iterations\n", (int)turns);
    PetscFinalize();
    return 0;
}
