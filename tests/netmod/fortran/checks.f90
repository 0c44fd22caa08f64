! What the Fortran test programs share: counted checks, and one word at the end.
module checks
  use mpi
  implicit none
  private
  public :: start, check, finish
  integer, public :: rank = -1, ranks = 0
  integer :: made = 0, failed = 0
contains

  subroutine start()
    integer :: error
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  end subroutine start

  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(len=*), intent(in) :: what
    made = made + 1
    if (holds) return
    failed = failed + 1
    write (*, '(a,i0,2a)') 'rank ', rank, ' does not find: ', what
  end subroutine check

  ! Rank 0 says whether all checks of all ranks have held.
  subroutine finish()
    integer :: counts(2), sums(2), error
    counts = [made, failed]
    call MPI_Reduce(counts, sums, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    if (rank == 0) then
      if (sums(2) == 0 .and. sums(1) > 0 .and. error == MPI_SUCCESS) then
        write (*, '(a)') 'all checks hold'
      else
        write (*, '(i0,a,i0,a)') sums(2), ' of ', sums(1), ' checks do not hold'
      end if
    end if
    call MPI_Finalize(error)
  end subroutine finish
end module checks
