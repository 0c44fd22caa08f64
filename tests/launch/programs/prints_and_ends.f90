! Every rank prints a line; then rank 1 aborts the job, or all compute for ever.
program prints_and_ends
  use mpi
  implicit none
  integer :: error, rank
  character(len=16) :: way
  integer, volatile :: i
  call get_command_argument(1, way)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  print '(a,i0)', 'line of rank ', rank
  call MPI_Barrier(MPI_COMM_WORLD, error)
  if (way == 'abort' .and. rank == 1) call MPI_Abort(MPI_COMM_WORLD, 3, error)
  do
    i = i + 1
  end do
end program
