! ranks: 4
!> Fortran: transposes a matrix whose columns lie on different ranks; no module of MPI is needed.
program transpose_matrix
    use, intrinsic :: iso_c_binding
    use tradewind
    implicit none
    integer, parameter :: n = 12
    type(tradewind_comm) :: comm
    integer(c_int) :: rank, ranks
    integer :: i, j, own, block
    integer(c_int64_t), allocatable :: counts(:), offsets(:)
    real(c_double), allocatable :: matrix(:, :), packed(:, :, :), arrived(:, :, :), result(:, :)
    real(c_double) :: wrong(1)

    call check(tradewind_init())
    call check(tradewind_comm_world(comm))
    call check(tradewind_comm_rank(comm, rank))
    call check(tradewind_comm_size(comm, ranks))
    own = n/ranks

    ! This rank has the columns rank*own + 1, ..., rank*own + own.
    allocate (matrix(n, own), result(n, own), packed(own, own, ranks), arrived(own, own, ranks))
    do j = 1, own
        matrix(:, j) = [(real(100*i + rank*own + j, c_double), i=1, n)]
    end do

    ! The rows that rank `block` will have as columns.
    do block = 1, ranks
        packed(:, :, block) = transpose(matrix((block - 1)*own + 1:block*own, :))
    end do
    allocate (counts(ranks), offsets(ranks))
    counts = own*own
    offsets = [((i - 1)*own*own, i=1, ranks)]
    call check(tradewind_alltoallv(comm, packed, counts, offsets, arrived, counts, offsets, &
                                   tradewind_double, "bruck_k:radix=3"))
    do block = 1, ranks
        result((block - 1)*own + 1:block*own, :) = arrived(:, :, block)
    end do

    wrong = 0
    do j = 1, own
        do i = 1, n
            if (result(i, j) /= 100*(rank*own + j) + i) wrong = wrong + 1
        end do
    end do
    call check(tradewind_allreduce(comm, wrong, size(wrong), tradewind_double, tradewind_sum))
    if (rank == 0) then
        print '(a, i0, a, f0.0)', "transposed on ", ranks, " ranks, wrong elements: ", wrong
        print '(a, 3f7.0)', "first column:", result(1:3, 1)
    end if
    if (tradewind_barrier(comm, "no_such_algorithm") /= tradewind_wrong_input) error stop 1
    if (rank == 0) print '(a)', tradewind_last_error()
    call check(tradewind_comm_free(comm))
    call check(tradewind_finalize())

contains

    subroutine check(code)
        integer(c_int), intent(in) :: code
        if (code == tradewind_ok) return
        print '(a)', tradewind_last_error()
        error stop 1
    end subroutine check
end program transpose_matrix
