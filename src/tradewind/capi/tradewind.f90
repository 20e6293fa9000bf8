!> The Fortran interface: the functions of tradewind.h, for arrays of any kind and rank.
!>
!> Compile this file with your program (CMake: link tradewind::fortran) and link libtradewind.
!> Functions return tradewind_ok or an error code; tradewind_last_error() returns the error message.
!> Arrays must be contiguous. The optional `algorithm` is a name with options such as
!> "ring_k:radix=4". No module of MPI is needed: communicators are the integers of mpif.h and `use
!> mpi`, or comm%mpi_val of mpi_f08.
module tradewind
    use, intrinsic :: iso_c_binding
    implicit none
    private

    integer(c_int), parameter, public :: tradewind_ok = 0
    integer(c_int), parameter, public :: tradewind_failed = 1
    integer(c_int), parameter, public :: tradewind_wrong_input = 2

    integer(c_int), parameter, public :: tradewind_byte = 1
    integer(c_int), parameter, public :: tradewind_int32 = 2
    integer(c_int), parameter, public :: tradewind_int64 = 3
    integer(c_int), parameter, public :: tradewind_float = 4
    integer(c_int), parameter, public :: tradewind_double = 5

    integer(c_int), parameter, public :: tradewind_sum = 1
    integer(c_int), parameter, public :: tradewind_max = 2
    integer(c_int), parameter, public :: tradewind_min = 3

    integer(c_int), parameter, public :: tradewind_mesh_sum = 1
    integer(c_int), parameter, public :: tradewind_mesh_copy = 2

    !> The ranks of an MPI communicator.
    type, public :: tradewind_comm
        type(c_ptr) :: handle = c_null_ptr
    end type tradewind_comm

    !> The plan of a halo exchange.
    type, public :: tradewind_halo
        type(c_ptr) :: handle = c_null_ptr
    end type tradewind_halo

    !> A grid and its partition; see tradewind.h.
    type, bind(c), public :: tradewind_grid
        integer(c_int64_t) :: nx, ny, nz = 1
        integer(c_int) :: columns = 0, rows = 0
        integer(c_int64_t) :: width = 1
        integer(c_int64_t) :: fields = 1
        integer(c_int) :: type = tradewind_double
    end type tradewind_grid

    !> The points first <= (x, y, z) < first + points, counted from 0.
    type, bind(c), public :: tradewind_box
        integer(c_int64_t) :: first(3), points(3)
    end type tradewind_box

    !> An exchange between parts of a mesh.
    type, public :: tradewind_mesh
        type(c_ptr) :: handle = c_null_ptr
    end type tradewind_mesh

    !> The part of a mesh that a rank owns, and the points that it shares with others; see
    !> tradewind.h. Points, shares and items count from 0.
    type, public :: tradewind_mesh_part
        integer(c_int) :: points_per_item = 1, receiving_points_per_item = 0
        integer(c_int64_t), allocatable :: item_numbers(:), first_shares(:), share_items(:)
        integer(c_int), allocatable :: share_ranks(:), share_numbers(:)
        integer(c_int64_t), allocatable :: first_sends(:), first_receives(:)
        integer(c_int), allocatable :: send_points(:), receive_points(:)
    end type tradewind_mesh_part

    !> A field: layer k of point p, both counted from 0, is element p*point_stride + k*layer_stride
    !> of `values`, which c_loc returns.
    type, bind(c), public :: tradewind_mesh_field
        type(c_ptr) :: values = c_null_ptr
        integer(c_int64_t) :: point_stride = 1, layers = 1, layer_stride = 1
    end type tradewind_mesh_field

    !> tradewind_mesh_part of tradewind.h.
    type, bind(c) :: c_mesh_part
        integer(c_int64_t) :: items
        type(c_ptr) :: item_numbers
        integer(c_int) :: points_per_item, receiving_points_per_item
        type(c_ptr) :: first_shares, share_items, share_ranks, share_numbers
        type(c_ptr) :: first_sends, send_points, first_receives, receive_points
    end type c_mesh_part

    !> Returns the address of an array; null if it is empty or not allocated.
    interface address_of
        procedure address_of_int64, address_of_int
    end interface address_of

    public :: tradewind_init, tradewind_finalize, tradewind_last_error
    public :: tradewind_comm_create, tradewind_comm_world, tradewind_comm_free
    public :: tradewind_comm_rank, tradewind_comm_size, tradewind_comm_check_counts
    public :: tradewind_alltoallv, tradewind_allreduce, tradewind_allgather
    public :: tradewind_bcast, tradewind_barrier, tradewind_neighbor_exchange
    public :: tradewind_halo_create, tradewind_halo_free, tradewind_halo_boxes
    public :: tradewind_halo_exchange
    public :: tradewind_mesh_create, tradewind_mesh_free, tradewind_mesh_exchange
    public :: tradewind_mesh_start, tradewind_mesh_finish

    interface
        !> Starts MPI unless it runs already.
        integer(c_int) function tradewind_init() bind(c)
            import :: c_int
        end function tradewind_init

        !> Ends MPI if tradewind_init has started it.
        integer(c_int) function tradewind_finalize() bind(c)
            import :: c_int
        end function tradewind_finalize

        function c_last_error() result(words) bind(c, name="tradewind_last_error")
            import :: c_ptr
            type(c_ptr) :: words
        end function c_last_error

        integer(c_size_t) function c_strlen(words) bind(c, name="strlen")
            import :: c_ptr, c_size_t
            type(c_ptr), value :: words
        end function c_strlen

        integer(c_int) function c_comm_create(mpi_comm, comm) bind(c, name="tradewind_comm_create_f")
            import :: c_int, c_ptr
            integer(c_int), value :: mpi_comm
            type(c_ptr), intent(out) :: comm
        end function c_comm_create

        integer(c_int) function c_comm_world(comm) bind(c, name="tradewind_comm_world")
            import :: c_int, c_ptr
            type(c_ptr), intent(out) :: comm
        end function c_comm_world

        integer(c_int) function c_comm_free(comm) bind(c, name="tradewind_comm_free")
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: comm
        end function c_comm_free

        integer(c_int) function c_comm_rank(comm, rank) bind(c, name="tradewind_comm_rank")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), intent(out) :: rank
        end function c_comm_rank

        integer(c_int) function c_comm_size(comm, size) bind(c, name="tradewind_comm_size")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), intent(out) :: size
        end function c_comm_size

        integer(c_int) function c_check_counts(comm, on) bind(c, name="tradewind_comm_check_counts")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), value :: on
        end function c_check_counts

        integer(c_int) function c_alltoallv(comm, send, send_counts, send_offsets, receive, &
                                            receive_counts, receive_offsets, type, algorithm) &
            bind(c, name="tradewind_alltoallv")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: comm, algorithm
            type(*), intent(in) :: send(*)
            type(*), intent(inout) :: receive(*)
            integer(c_int64_t), intent(in) :: send_counts(*), send_offsets(*)
            integer(c_int64_t), intent(in) :: receive_counts(*), receive_offsets(*)
            integer(c_int), value :: type
        end function c_alltoallv

        integer(c_int) function c_allreduce(comm, data, count, type, operation, algorithm) &
            bind(c, name="tradewind_allreduce")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: comm, algorithm
            type(*), intent(inout) :: data(*)
            integer(c_int64_t), value :: count
            integer(c_int), value :: type, operation
        end function c_allreduce

        integer(c_int) function c_allgather(comm, mine, all, count, type, algorithm) &
            bind(c, name="tradewind_allgather")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: comm, algorithm
            type(*), intent(in) :: mine(*)
            type(*), intent(inout) :: all(*)
            integer(c_int64_t), value :: count
            integer(c_int), value :: type
        end function c_allgather

        integer(c_int) function c_bcast(comm, data, count, type, root, algorithm) &
            bind(c, name="tradewind_bcast")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: comm, algorithm
            type(*), intent(inout) :: data(*)
            integer(c_int64_t), value :: count
            integer(c_int), value :: type, root
        end function c_bcast

        integer(c_int) function c_barrier(comm, algorithm) bind(c, name="tradewind_barrier")
            import :: c_int, c_ptr
            type(c_ptr), value :: comm, algorithm
        end function c_barrier

        integer(c_int) function c_neighbor_exchange(comm, neighbors, ranks, send, send_counts, &
                                                    receive, receive_counts, type) &
            bind(c, name="tradewind_neighbor_exchange")
            import :: c_int, c_int64_t, c_ptr
            type(c_ptr), value :: comm
            integer(c_int), value :: neighbors, type
            integer(c_int), intent(in) :: ranks(*)
            type(*), intent(in) :: send(*)
            type(*), intent(inout) :: receive(*)
            integer(c_int64_t), intent(in) :: send_counts(*), receive_counts(*)
        end function c_neighbor_exchange

        integer(c_int) function c_halo_create(comm, grid, halo) bind(c, name="tradewind_halo_create")
            import :: c_int, c_ptr, tradewind_grid
            type(c_ptr), value :: comm
            type(tradewind_grid), intent(in) :: grid
            type(c_ptr), intent(out) :: halo
        end function c_halo_create

        integer(c_int) function c_halo_free(halo) bind(c, name="tradewind_halo_free")
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: halo
        end function c_halo_free

        integer(c_int) function c_halo_boxes(halo, owned, held) bind(c, name="tradewind_halo_boxes")
            import :: c_int, c_ptr, tradewind_box
            type(c_ptr), value :: halo
            type(tradewind_box), intent(out) :: owned, held
        end function c_halo_boxes

        integer(c_int) function c_halo_exchange(halo, values) bind(c, name="tradewind_halo_exchange")
            import :: c_int, c_ptr
            type(c_ptr), value :: halo
            type(*), intent(inout) :: values(*)
        end function c_halo_exchange

        integer(c_int) function c_mesh_create(comm, part, layers, combination, options, mesh) &
            bind(c, name="tradewind_mesh_create")
            import :: c_int, c_int64_t, c_ptr, c_mesh_part
            type(c_ptr), value :: comm, options
            type(c_mesh_part), intent(in) :: part
            integer(c_int64_t), value :: layers
            integer(c_int), value :: combination
            type(c_ptr), intent(out) :: mesh
        end function c_mesh_create

        integer(c_int) function c_mesh_free(mesh) bind(c, name="tradewind_mesh_free")
            import :: c_int, c_ptr
            type(c_ptr), intent(inout) :: mesh
        end function c_mesh_free

        integer(c_int) function c_mesh_exchange(mesh, fields, from, into) &
            bind(c, name="tradewind_mesh_exchange")
            import :: c_int, c_ptr, tradewind_mesh_field
            type(c_ptr), value :: mesh
            integer(c_int), value :: fields
            type(tradewind_mesh_field), intent(in) :: from(*)
            type(tradewind_mesh_field), intent(in), optional :: into(*)
        end function c_mesh_exchange

        integer(c_int) function c_mesh_start(mesh, fields, from) bind(c, name="tradewind_mesh_start")
            import :: c_int, c_ptr, tradewind_mesh_field
            type(c_ptr), value :: mesh
            integer(c_int), value :: fields
            type(tradewind_mesh_field), intent(in) :: from(*)
        end function c_mesh_start

        integer(c_int) function c_mesh_finish(mesh, fields, from, into) &
            bind(c, name="tradewind_mesh_finish")
            import :: c_int, c_ptr, tradewind_mesh_field
            type(c_ptr), value :: mesh
            integer(c_int), value :: fields
            type(tradewind_mesh_field), intent(in) :: from(*)
            type(tradewind_mesh_field), intent(in), optional :: into(*)
        end function c_mesh_finish
    end interface

contains

    !> Returns the message of the last call that failed.
    function tradewind_last_error() result(words)
        character(:), allocatable :: words
        character(kind=c_char), pointer :: letters(:)
        type(c_ptr) :: text
        integer :: i
        text = c_last_error()
        call c_f_pointer(text, letters, [c_strlen(text)])
        allocate (character(size(letters)) :: words)
        do i = 1, size(letters)
            words(i:i) = letters(i)
        end do
    end function tradewind_last_error

    !> Makes a handle of a communicator, given as the integer of `use mpi`.
    integer(c_int) function tradewind_comm_create(mpi_comm, comm) result(status)
        integer, intent(in) :: mpi_comm
        type(tradewind_comm), intent(out) :: comm
        status = c_comm_create(int(mpi_comm, c_int), comm%handle)
    end function tradewind_comm_create

    integer(c_int) function tradewind_comm_world(comm) result(status)
        type(tradewind_comm), intent(out) :: comm
        status = c_comm_world(comm%handle)
    end function tradewind_comm_world

    integer(c_int) function tradewind_comm_free(comm) result(status)
        type(tradewind_comm), intent(inout) :: comm
        status = c_comm_free(comm%handle)
    end function tradewind_comm_free

    integer(c_int) function tradewind_comm_rank(comm, rank) result(status)
        type(tradewind_comm), intent(in) :: comm
        integer(c_int), intent(out) :: rank
        status = c_comm_rank(comm%handle, rank)
    end function tradewind_comm_rank

    integer(c_int) function tradewind_comm_size(comm, size) result(status)
        type(tradewind_comm), intent(in) :: comm
        integer(c_int), intent(out) :: size
        status = c_comm_size(comm%handle, size)
    end function tradewind_comm_size

    integer(c_int) function tradewind_comm_check_counts(comm, on) result(status)
        type(tradewind_comm), intent(in) :: comm
        logical, intent(in) :: on
        status = c_check_counts(comm%handle, merge(1_c_int, 0_c_int, on))
    end function tradewind_comm_check_counts

    integer(c_int) function tradewind_alltoallv(comm, send, send_counts, send_offsets, receive, &
                                                receive_counts, receive_offsets, type, algorithm) &
        result(status)
        type(tradewind_comm), intent(in) :: comm
        type(*), intent(in) :: send(*)
        type(*), intent(inout) :: receive(*)
        integer(c_int64_t), intent(in) :: send_counts(*), send_offsets(*)
        integer(c_int64_t), intent(in) :: receive_counts(*), receive_offsets(*)
        integer(c_int), intent(in) :: type
        character(*), intent(in), optional :: algorithm
        character(kind=c_char), allocatable, target :: words(:)
        call c_text(algorithm, words)
        status = c_alltoallv(comm%handle, send, send_counts, send_offsets, receive, &
                             receive_counts, receive_offsets, type, c_loc(words))
    end function tradewind_alltoallv

    integer(c_int) function tradewind_allreduce(comm, data, count, type, operation, algorithm) &
        result(status)
        type(tradewind_comm), intent(in) :: comm
        type(*), intent(inout) :: data(*)
        integer, intent(in) :: count
        integer(c_int), intent(in) :: type, operation
        character(*), intent(in), optional :: algorithm
        character(kind=c_char), allocatable, target :: words(:)
        call c_text(algorithm, words)
        status = c_allreduce(comm%handle, data, int(count, c_int64_t), type, operation, c_loc(words))
    end function tradewind_allreduce

    integer(c_int) function tradewind_allgather(comm, mine, all, count, type, algorithm) &
        result(status)
        type(tradewind_comm), intent(in) :: comm
        type(*), intent(in) :: mine(*)
        type(*), intent(inout) :: all(*)
        integer, intent(in) :: count
        integer(c_int), intent(in) :: type
        character(*), intent(in), optional :: algorithm
        character(kind=c_char), allocatable, target :: words(:)
        call c_text(algorithm, words)
        status = c_allgather(comm%handle, mine, all, int(count, c_int64_t), type, c_loc(words))
    end function tradewind_allgather

    integer(c_int) function tradewind_bcast(comm, data, count, type, root, algorithm) result(status)
        type(tradewind_comm), intent(in) :: comm
        type(*), intent(inout) :: data(*)
        integer, intent(in) :: count, root
        integer(c_int), intent(in) :: type
        character(*), intent(in), optional :: algorithm
        character(kind=c_char), allocatable, target :: words(:)
        call c_text(algorithm, words)
        status = c_bcast(comm%handle, data, int(count, c_int64_t), type, int(root, c_int), &
                         c_loc(words))
    end function tradewind_bcast

    integer(c_int) function tradewind_barrier(comm, algorithm) result(status)
        type(tradewind_comm), intent(in) :: comm
        character(*), intent(in), optional :: algorithm
        character(kind=c_char), allocatable, target :: words(:)
        call c_text(algorithm, words)
        status = c_barrier(comm%handle, c_loc(words))
    end function tradewind_barrier

    !> Exchanges data with `ranks`, which are counted from 0, as in MPI.
    integer(c_int) function tradewind_neighbor_exchange(comm, ranks, send, send_counts, receive, &
                                                        receive_counts, type) result(status)
        type(tradewind_comm), intent(in) :: comm
        integer(c_int), intent(in) :: ranks(:)
        type(*), intent(in) :: send(*)
        type(*), intent(inout) :: receive(*)
        integer(c_int64_t), intent(in) :: send_counts(*), receive_counts(*)
        integer(c_int), intent(in) :: type
        status = c_neighbor_exchange(comm%handle, size(ranks, kind=c_int), ranks, send, &
                                     send_counts, receive, receive_counts, type)
    end function tradewind_neighbor_exchange

    integer(c_int) function tradewind_halo_create(comm, grid, halo) result(status)
        type(tradewind_comm), intent(in) :: comm
        type(tradewind_grid), intent(in) :: grid
        type(tradewind_halo), intent(out) :: halo
        status = c_halo_create(comm%handle, grid, halo%handle)
    end function tradewind_halo_create

    integer(c_int) function tradewind_halo_free(halo) result(status)
        type(tradewind_halo), intent(inout) :: halo
        status = c_halo_free(halo%handle)
    end function tradewind_halo_free

    integer(c_int) function tradewind_halo_boxes(halo, owned, held) result(status)
        type(tradewind_halo), intent(in) :: halo
        type(tradewind_box), intent(out) :: owned, held
        status = c_halo_boxes(halo%handle, owned, held)
    end function tradewind_halo_boxes

    !> Fills the halo of `values`, which has the shape of `held`: (x, y), (x, y, z) or (x, y, z,
    !> field).
    integer(c_int) function tradewind_halo_exchange(halo, values) result(status)
        type(tradewind_halo), intent(in) :: halo
        type(*), intent(inout) :: values(*)
        status = c_halo_exchange(halo%handle, values)
    end function tradewind_halo_exchange

    !> Prepares an exchange of `layers` values per point, of all fields together; collective.
    integer(c_int) function tradewind_mesh_create(comm, part, layers, combination, mesh, options) &
        result(status)
        type(tradewind_comm), intent(in) :: comm
        type(tradewind_mesh_part), intent(in), target :: part
        integer, intent(in) :: layers
        integer(c_int), intent(in) :: combination
        type(tradewind_mesh), intent(out) :: mesh
        character(*), intent(in), optional :: options
        character(kind=c_char), allocatable, target :: words(:)
        type(c_mesh_part) :: given
        given%items = 0
        if (allocated(part%item_numbers)) given%items = size(part%item_numbers, kind=c_int64_t)
        given%item_numbers = address_of(part%item_numbers)
        given%points_per_item = part%points_per_item
        given%receiving_points_per_item = part%receiving_points_per_item
        given%first_shares = address_of(part%first_shares)
        given%share_items = address_of(part%share_items)
        given%share_ranks = address_of(part%share_ranks)
        given%share_numbers = address_of(part%share_numbers)
        given%first_sends = address_of(part%first_sends)
        given%send_points = address_of(part%send_points)
        given%first_receives = address_of(part%first_receives)
        given%receive_points = address_of(part%receive_points)
        call c_text(options, words)
        status = c_mesh_create(comm%handle, given, int(layers, c_int64_t), combination, &
                               c_loc(words), mesh%handle)
    end function tradewind_mesh_create

    integer(c_int) function tradewind_mesh_free(mesh) result(status)
        type(tradewind_mesh), intent(inout) :: mesh
        status = c_mesh_free(mesh%handle)
    end function tradewind_mesh_free

    !> Exchanges fields. Values arrive in `into`; without it, in `from`, as sums need it.
    integer(c_int) function tradewind_mesh_exchange(mesh, from, into) result(status)
        type(tradewind_mesh), intent(in) :: mesh
        type(tradewind_mesh_field), intent(in) :: from(:)
        type(tradewind_mesh_field), intent(in), optional :: into(:)
        status = c_mesh_exchange(mesh%handle, size(from, kind=c_int), from, into)
    end function tradewind_mesh_exchange

    integer(c_int) function tradewind_mesh_start(mesh, from) result(status)
        type(tradewind_mesh), intent(in) :: mesh
        type(tradewind_mesh_field), intent(in) :: from(:)
        status = c_mesh_start(mesh%handle, size(from, kind=c_int), from)
    end function tradewind_mesh_start

    integer(c_int) function tradewind_mesh_finish(mesh, from, into) result(status)
        type(tradewind_mesh), intent(in) :: mesh
        type(tradewind_mesh_field), intent(in) :: from(:)
        type(tradewind_mesh_field), intent(in), optional :: into(:)
        status = c_mesh_finish(mesh%handle, size(from, kind=c_int), from, into)
    end function tradewind_mesh_finish

    type(c_ptr) function address_of_int64(list) result(address)
        integer(c_int64_t), allocatable, intent(in), target :: list(:)
        address = c_null_ptr
        if (.not. allocated(list)) return
        if (size(list) > 0) address = c_loc(list(1))
    end function address_of_int64

    type(c_ptr) function address_of_int(list) result(address)
        integer(c_int), allocatable, intent(in), target :: list(:)
        address = c_null_ptr
        if (.not. allocated(list)) return
        if (size(list) > 0) address = c_loc(list(1))
    end function address_of_int

    !> Converts a text to a C string; an empty text selects the default.
    subroutine c_text(words, letters)
        character(*), intent(in), optional :: words
        character(kind=c_char), allocatable, intent(out), target :: letters(:)
        integer :: i, length
        length = 0
        if (present(words)) length = len_trim(words)
        allocate (letters(length + 1))
        do i = 1, length
            letters(i) = words(i:i)
        end do
        letters(length + 1) = c_null_char
    end subroutine c_text
end module tradewind
