! ranks: 3
!> Fortran: sums what neighbouring elements have at their common points, as spectral elements do.
program spectral_elements
    use, intrinsic :: iso_c_binding
    use tradewind
    implicit none
    integer, parameter :: elements = 10, points = 4, layers = 2
    type(tradewind_comm) :: comm
    type(tradewind_mesh) :: mesh
    type(tradewind_mesh_part) :: part
    type(tradewind_mesh_field) :: fields(2)
    integer(c_int) :: rank, ranks
    integer :: e, i, own, left, right
    integer, allocatable :: mine(:)
    real(c_double), allocatable, target :: wind(:, :, :), pressure(:, :)
    real(c_double) :: wrong(1)

    call check(tradewind_init())
    call check(tradewind_comm_world(comm))
    call check(tradewind_comm_rank(comm, rank))
    call check(tradewind_comm_size(comm, ranks))

    ! A ring of elements, of which this rank has numbers rank, rank + ranks, ... The last point of
    ! an element is the first one of the next.
    mine = [(e, e=rank, elements - 1, ranks)]
    own = size(mine)
    part%points_per_item = points
    part%item_numbers = mine
    allocate (part%share_items(0), part%share_ranks(0))
    do i = 1, own
        right = modulo(mine(i) + 1, elements)
        left = modulo(mine(i) - 1, elements)
        part%share_items = [part%share_items, int([right, left], c_int64_t)]
        part%share_ranks = [part%share_ranks, modulo([right, left], int(ranks))]
    end do
    part%first_shares = [(2*i, i=0, own)]
    part%share_numbers = [(1, 0, i=1, own)]  ! the right one's second share, the left one's first
    part%first_sends = [(i, i=0, 2*own)]
    part%first_receives = part%first_sends
    part%send_points = [(points - 1, 0, i=1, own)]
    part%receive_points = part%send_points
    call check(tradewind_mesh_create(comm, part, layers + 1, tradewind_mesh_sum, mesh, &
                                     "schedule=on_arrival"))

    ! Two fields travel in one message: one with layers beside each other, one without.
    allocate (wind(layers, points, own), pressure(points, own))
    do i = 1, own
        wind(1, :, i) = mine(i)
        wind(2, :, i) = 100*mine(i)
        pressure(:, i) = 1
    end do
    fields(1) = tradewind_mesh_field(c_loc(wind), layers, layers, 1)
    fields(2) = tradewind_mesh_field(c_loc(pressure))
    call check(tradewind_mesh_start(mesh, fields))
    ! Work that leaves the fields unchanged belongs here.
    call check(tradewind_mesh_finish(mesh, fields))

    wrong = 0
    do i = 1, own
        right = modulo(mine(i) + 1, elements)
        left = modulo(mine(i) - 1, elements)
        if (any(wind(1, :, i) /= mine(i) + [left, 0, 0, right])) wrong = wrong + 1
        if (any(wind(2, :, i) /= 100*(mine(i) + [left, 0, 0, right]))) wrong = wrong + 1
        if (any(pressure(:, i) /= [2, 1, 1, 2])) wrong = wrong + 1
    end do
    call check(tradewind_allreduce(comm, wrong, size(wrong), tradewind_double, tradewind_sum))
    if (rank == 0) print '(i0, a, i0, a, f0.0)', elements, " elements on ", ranks, &
        " ranks, wrong: ", wrong
    if (tradewind_mesh_exchange(mesh, fields(1:1)) /= tradewind_wrong_input) error stop 1
    if (rank == 0) print '(a)', tradewind_last_error()
    call check(tradewind_mesh_free(mesh))
    call check(tradewind_comm_free(comm))
    call check(tradewind_finalize())

contains

    subroutine check(code)
        integer(c_int), intent(in) :: code
        if (code == tradewind_ok) return
        print '(a)', tradewind_last_error()
        error stop 1
    end subroutine check
end program spectral_elements
