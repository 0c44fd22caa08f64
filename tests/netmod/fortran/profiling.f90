! A tool in the program: Fortran's MPI_Barrier is replaced here, C's MPI_Send in profiling_tool.c, and
! both are seen when Fortran calls.
module tool
  implicit none
  integer :: barriers = 0
end module tool

subroutine MPI_Barrier(comm, error)
  use tool
  implicit none
  integer :: comm, error
  barriers = barriers + 1
  call PMPI_Barrier(comm, error)
end subroutine MPI_Barrier

program profiling
  use mpi, only: MPI_COMM_WORLD, MPI_INTEGER, MPI_STATUS_IGNORE, PMPI_Wtime
  use checks
  use tool
  implicit none
  integer :: error, value
  double precision :: before
  call start()
  before = PMPI_Wtime()
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  call MPI_Send(3, 1, MPI_INTEGER, rank, 0, MPI_COMM_WORLD, error)
  call PMPI_Recv(value, 1, MPI_INTEGER, rank, 1000, MPI_COMM_WORLD, MPI_STATUS_IGNORE, error)
  call check(barriers == 2, 'two barriers')
  call check(value == 3, 'the message with its changed tag')
  call check(PMPI_Wtime() > before, 'that time has passed')
  call finish()
end program profiling
