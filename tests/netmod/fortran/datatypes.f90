! Datatypes from Fortran: parts of arrays, addresses and MPI_BOTTOM, kinds, packing, MPI_Sizeof.
program datatypes
  use mpi
  use checks
  implicit none
  integer :: error
  call start()
  call parts_of_arrays()
  call by_address()
  call old_names()
  call contents()
  call kinds()
  call packing()
  call finish()
contains

  ! Sends one `type` at `from` to this rank itself, as `count` integers.
  subroutine pass(from, type, to, count)
    integer, intent(in) :: from(*), type, count
    integer, volatile, intent(out) :: to(count)
    integer :: request
    call MPI_Irecv(to, count, MPI_INTEGER, rank, 1, MPI_COMM_WORLD, request, error)
    call MPI_Send(from, 1, type, rank, 1, MPI_COMM_WORLD, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  end subroutine pass

  subroutine parts_of_arrays()
    integer :: matrix(4, 3), row, part, resized, got(6), i, type, size
    integer(MPI_ADDRESS_KIND) :: lb, extent
    matrix = reshape([(i, i = 1, 12)], [4, 3])
    call MPI_Type_vector(3, 1, 4, MPI_INTEGER, row, error)
    call MPI_Type_commit(row, error)
    call pass(matrix(2, 1), row, got, 3)
    call check(all(got(1:3) == matrix(2, :)), 'a row')
    call MPI_Type_create_subarray(2, [4, 3], [2, 2], [1, 1], MPI_ORDER_FORTRAN, MPI_INTEGER, part, error)
    call MPI_Type_commit(part, error)
    call pass(matrix, part, got, 4)
    call check(all(got(1:4) == [6, 7, 10, 11]), 'a part')
    call MPI_Type_create_resized(row, 0_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND, resized, error)
    call MPI_Type_contiguous(2, resized, type, error)
    call MPI_Type_commit(type, error)
    call pass(matrix, type, got, 6)
    call check(all(got == [1, 5, 9, 2, 6, 10]), 'two rows')
    call MPI_Type_get_extent(resized, lb, extent, error)
    call MPI_Type_size(type, size, error)
    call check(lb == 0 .and. extent == 4 .and. size == 24, 'extent and size')
    call MPI_Type_indexed(2, [1, 2], [3, 8], MPI_INTEGER, type, error)
    call MPI_Type_commit(type, error)
    call pass(matrix, type, got, 3)
    call check(all(got(1:3) == [4, 9, 10]), 'indexed elements')
  end subroutine parts_of_arrays

  ! MPI_BOTTOM is known by its address.
  subroutine by_address()
    integer :: type, request
    integer, volatile :: number, got
    double precision, volatile :: weight, got_weight
    integer(MPI_ADDRESS_KIND) :: places(2), got_places(2), difference
    integer :: got_type
    call MPI_Get_address(number, places(1), error)
    call MPI_Get_address(weight, places(2), error)
    call MPI_Get_address(got, got_places(1), error)
    call MPI_Get_address(got_weight, got_places(2), error)
    call MPI_Type_create_struct(2, [1, 1], places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], type, error)
    call MPI_Type_commit(type, error)
    call MPI_Type_create_struct(2, [1, 1], got_places, [MPI_INTEGER, MPI_DOUBLE_PRECISION], &
                                got_type, error)
    call MPI_Type_commit(got_type, error)
    number = rank + 5
    weight = rank / 4d0
    got = -1
    got_weight = -1
    call MPI_Irecv(MPI_BOTTOM, 1, got_type, ieor(rank, 1), 2, MPI_COMM_WORLD, request, error)
    call MPI_Send(MPI_BOTTOM, 1, type, ieor(rank, 1), 2, MPI_COMM_WORLD, error)
    call MPI_Wait(request, MPI_STATUS_IGNORE, error)
    call check(got == ieor(rank, 1) + 5 .and. got_weight == ieor(rank, 1) / 4d0, 'what lies anywhere')
    difference = MPI_Aint_diff(places(2), places(1))
    call check(MPI_Aint_add(places(1), difference) == places(2), 'an address and a distance')
  end subroutine by_address

  ! MPI-1's functions have plain integers for addresses.
  subroutine old_names()
    integer :: type, extent, lower, upper, got(2), numbers(4)
    numbers = [1, 2, 3, 4]
    call MPI_Type_extent(MPI_DOUBLE_PRECISION, extent, error)
    call check(extent == 8, 'the extent of a double precision')
    call MPI_Type_hvector(2, 1, 8, MPI_INTEGER, type, error)
    call MPI_Type_commit(type, error)
    call pass(numbers, type, got, 2)
    call check(all(got == [1, 3]), 'every second integer')
    call MPI_Type_struct(2, [1, 1], [4, 12], [MPI_INTEGER, MPI_INTEGER], type, error)
    call MPI_Type_commit(type, error)
    call pass(numbers, type, got, 2)
    call check(all(got == [2, 4]), 'a struct with plain displacements')
    call MPI_Type_lb(type, lower, error)
    call MPI_Type_ub(type, upper, error)
    call check(lower == 4 .and. upper == 16, 'its bounds')
    call MPI_Type_hindexed(2, [1, 1], [0, 12], MPI_INTEGER, type, error)
    call MPI_Type_commit(type, error)
    call pass(numbers, type, got, 2)
    call check(all(got == [1, 4]), 'indexed by bytes')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, error)
    call MPI_Address(numbers, extent, error)
    call check(error == MPI_ERR_ARG, 'that an integer is too small for an address')
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, error)
  end subroutine old_names

  subroutine contents()
    integer :: type, integers, addresses, types, combiner, numbers(4), kinds_of(2)
    integer(MPI_ADDRESS_KIND) :: places(2)
    call MPI_Type_create_hvector(3, 2, 100_MPI_ADDRESS_KIND, MPI_REAL, type, error)
    call MPI_Type_get_envelope(type, integers, addresses, types, combiner, error)
    call check(integers == 2 .and. addresses == 1 .and. types == 1 .and. &
               combiner == MPI_COMBINER_HVECTOR, 'how it was made')
    call MPI_Type_get_contents(type, 4, 2, 2, numbers, places, kinds_of, error)
    call check(all(numbers(1:2) == [3, 2]) .and. places(1) == 100 .and. kinds_of(1) == MPI_REAL, &
               'of what it was made')
  end subroutine contents

  subroutine kinds()
    integer :: type, size
    real(kind=4) :: single(3)
    complex(kind=8) :: scalar
    character(len=7) :: text
    logical :: flags(2, 2)
    integer(kind=2) :: short
    call MPI_Type_create_f90_real(10, MPI_UNDEFINED, type, error)
    call MPI_Type_size(type, size, error)
    call check(size == 8, 'a real of ten digits')
    call MPI_Type_create_f90_integer(15, type, error)
    call MPI_Type_size(type, size, error)
    call check(size == 8, 'an integer of fifteen digits')
    call MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, type, error)
    call check(type == MPI_REAL .or. type == MPI_REAL4, 'a real of four bytes')
    call MPI_Sizeof(single, size, error)
    call check(size == 4, 'the size of a real')
    call MPI_Sizeof(scalar, size, error)
    call check(size == 16, 'the size of a complex')
    call MPI_Sizeof(text, size, error)
    call check(size == 7, 'the size of a text')
    call MPI_Sizeof(flags, size, error)
    call check(size == 4, 'the size of a logical')
    call MPI_Sizeof(short, size, error)
    call check(size == 2 .and. error == MPI_SUCCESS, 'the size of a short integer')
  end subroutine kinds

  subroutine packing()
    character(len=1) :: buffer(100)
    integer :: position, size, numbers(3)
    double precision :: weight
    integer(MPI_ADDRESS_KIND) :: place, room
    position = 0
    call MPI_Pack([1, 2, 3], 3, MPI_INTEGER, buffer, 100, position, MPI_COMM_WORLD, error)
    call MPI_Pack(2.5d0, 1, MPI_DOUBLE_PRECISION, buffer, 100, position, MPI_COMM_WORLD, error)
    call MPI_Pack_size(3, MPI_INTEGER, MPI_COMM_WORLD, size, error)
    call check(position == 20 .and. size == 12, 'twenty bytes')
    position = 0
    call MPI_Unpack(buffer, 100, position, numbers, 3, MPI_INTEGER, MPI_COMM_WORLD, error)
    call MPI_Unpack(buffer, 100, position, weight, 1, MPI_DOUBLE_PRECISION, MPI_COMM_WORLD, error)
    call check(all(numbers == [1, 2, 3]) .and. weight == 2.5d0, 'what was packed')
    place = 0
    call MPI_Pack_external_size('external32', 2, MPI_INTEGER, room, error)
    call check(room == 8, 'the room for two integers')
    call MPI_Pack_external('external32', [258, 3], 2, MPI_INTEGER, buffer, room, place, error)
    call check(place == 8 .and. all(ichar(buffer(1:4)) == [0, 0, 1, 2]), 'the first byte first')
    place = 0
    numbers = 0
    call MPI_Unpack_external('external32', buffer, room, place, numbers, 2, MPI_INTEGER, error)
    call check(all(numbers == [258, 3, 0]), 'the numbers again')
  end subroutine packing
end program datatypes
