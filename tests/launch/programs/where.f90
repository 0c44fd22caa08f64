! Waits for ever, in a subroutine that the module has.
module waiting
contains
  subroutine waits()
    use mpi
    integer :: word, error
    call MPI_Recv(word, 1, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error) ! here: fortran
  end subroutine waits
end module waiting

program where
  use mpi
  use waiting
  integer :: error
  call MPI_Init(error)
  call waits()
  call MPI_Finalize(error)
end program where
