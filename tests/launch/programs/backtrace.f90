! An error that Fortran's library reports with a backtrace, on rank 1.
program backtrace
  use mpi
  implicit none
  integer :: error, rank
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  if (rank == 1) call open_nothing()
  call MPI_Finalize(error)
contains
  subroutine open_nothing()
    integer :: unit
    open(newunit=unit, file='/nowhere/at/all', status='old')
    write(*, *) unit
  end subroutine
end program
