! Collectives from Fortran: types, MPI_IN_PLACE, an operation written in Fortran.
module operations
  implicit none
contains
  ! The product of 2 by 2 matrices, which does not commute.
  subroutine multiply(in, inout, count, datatype)
    integer, intent(in) :: count, datatype
    integer, intent(in) :: in(2, 2, count)
    integer, intent(inout) :: inout(2, 2, count)
    integer :: i
    if (datatype == 0) return
    do i = 1, count
      inout(:, :, i) = matmul(in(:, :, i), inout(:, :, i))
    end do
  end subroutine multiply
end module operations

program collectives
  use mpi
  use checks
  use operations
  implicit none
  integer :: error
  call start()
  call movements()
  call reductions()
  call own_operation()
  call not_blocking()
  call finish()
contains

  subroutine movements()
    integer :: value, gathered(4), counts(4), places(4), parts(10), i, mine(4)
    value = merge(42, 0, rank == 1)
    call MPI_Bcast(value, 1, MPI_INTEGER, 1, MPI_COMM_WORLD, error)
    call check(value == 42, 'what rank 1 has')
    gathered = -1
    gathered(rank + 1) = rank * 2
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, gathered, 1, MPI_INTEGER, &
                       MPI_COMM_WORLD, error)
    call check(all(gathered == [0, 2, 4, 6]), 'everybody''s in place')
    counts = [1, 2, 3, 4]
    places = [0, 1, 3, 6]
    mine = rank + 1
    parts = -1
    call MPI_Gatherv(mine, rank + 1, MPI_INTEGER, parts, counts, places, MPI_INTEGER, 2, &
                     MPI_COMM_WORLD, error)
    if (rank == 2) call check(all(parts == [1, 2, 2, 3, 3, 3, 4, 4, 4, 4]), 'parts of different sizes')
    mine = [(rank * 10 + i, i = 0, 3)]
    call MPI_Alltoall(mine, 1, MPI_INTEGER, gathered, 1, MPI_INTEGER, MPI_COMM_WORLD, error)
    call check(all(gathered == [(i * 10 + rank, i = 0, 3)]), 'everybody''s for this rank')
    call MPI_Scatter(mine, 1, MPI_INTEGER, value, 1, MPI_INTEGER, 3, MPI_COMM_WORLD, error)
    call check(value == 30 + rank, 'a part of rank 3''s')
    call MPI_Barrier(MPI_COMM_WORLD, error)
  end subroutine movements

  subroutine reductions()
    double precision :: numbers(2), pair(2), least(2)
    complex(kind(1d0)) :: z, product_of_all
    logical :: any_true, all_true
    integer :: before, sums(4), mine
    integer(8) :: long_sum
    real :: small, greatest
    numbers = [rank + 0.5d0, -rank * 1d0]
    call MPI_Allreduce(MPI_IN_PLACE, numbers, 2, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
    call check(all(numbers == [8d0, -6d0]), 'sums in place')
    z = (0d0, 1d0)
    call MPI_Allreduce(z, product_of_all, 1, MPI_DOUBLE_COMPLEX, MPI_PROD, MPI_COMM_WORLD, error)
    call check(product_of_all == (1d0, 0d0), 'the product of complex numbers')
    call MPI_Allreduce(rank == 2, any_true, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, error)
    call MPI_Allreduce(rank == 2, all_true, 1, MPI_LOGICAL, MPI_LAND, MPI_COMM_WORLD, error)
    call check(any_true .and. .not. all_true, 'logical reductions')
    pair = [abs(rank - 2.25d0), rank * 1d0]
    call MPI_Allreduce(pair, least, 1, MPI_2DOUBLE_PRECISION, MPI_MINLOC, MPI_COMM_WORLD, error)
    call check(all(least == [0.25d0, 2d0]), 'the least and its place')
    small = rank * 1.5
    call MPI_Reduce(small, greatest, 1, MPI_REAL, MPI_MAX, 1, MPI_COMM_WORLD, error)
    if (rank == 1) call check(greatest == 4.5, 'the greatest')
    long_sum = 2_8**40
    call MPI_Allreduce(MPI_IN_PLACE, long_sum, 1, MPI_INTEGER8, MPI_SUM, MPI_COMM_WORLD, error)
    call check(long_sum == 2_8**42, 'the sum of long integers')
    before = -1
    call MPI_Exscan(rank + 1, before, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (rank > 0) call check(before == rank * (rank + 1) / 2, 'the sum of those before')
    sums = [1, 2, 3, 4] * (rank + 1)
    call MPI_Reduce_scatter_block(sums, mine, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    call check(mine == (rank + 1) * 10, 'a part of the sums')
  end subroutine reductions

  subroutine own_operation()
    integer :: op, matrix(2, 2), product_of_all(2, 2), type, wanted(2, 2), i
    logical :: commutes
    call MPI_Op_create(multiply, .false., op, error)
    call MPI_Op_commutative(op, commutes, error)
    call check(.not. commutes, 'an operation that does not commute')
    call MPI_Op_commutative(MPI_SUM, commutes, error)
    call check(commutes, 'a sum that does')
    call MPI_Type_contiguous(4, MPI_INTEGER, type, error)
    call MPI_Type_commit(type, error)
    matrix = matrix_of(rank)
    call MPI_Allreduce(matrix, product_of_all, 1, type, op, MPI_COMM_WORLD, error)
    wanted = matrix_of(0)
    do i = 1, ranks - 1
      wanted = matmul(wanted, matrix_of(i))
    end do
    call check(all(product_of_all == wanted), 'the product in order')
    call MPI_Op_free(op, error)
    call check(op == MPI_OP_NULL, 'no operation any more')
    call MPI_Type_free(type, error)
  end subroutine own_operation

  pure function matrix_of(of_rank) result(matrix)
    integer, intent(in) :: of_rank
    integer :: matrix(2, 2)
    matrix = reshape([1, of_rank, 2, 1 - of_rank], [2, 2])
  end function matrix_of

  subroutine not_blocking()
    integer :: requests(3)
    integer, volatile :: total, gathered(4), value
    value = merge(17, 0, rank == 0)
    call MPI_Iallreduce(rank, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), error)
    call MPI_Iallgather(rank, 1, MPI_INTEGER, gathered, 1, MPI_INTEGER, MPI_COMM_WORLD, &
                        requests(2), error)
    call MPI_Ibcast(value, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, requests(3), error)
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE, error)
    call check(total == 6 .and. all(gathered == [0, 1, 2, 3]) .and. value == 17, &
               'what does not block')
  end subroutine not_blocking
end program collectives
