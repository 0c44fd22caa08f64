! Calls of a program in Fortran: a tool in C sees them.
program few_calls
  implicit none
  include 'mpif.h'
  integer :: error, rank, request, status(MPI_STATUS_SIZE)
  double precision :: data(5)
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  data = rank
  call MPI_Irecv(data, 5, MPI_DOUBLE_PRECISION, 1 - rank, 3, MPI_COMM_WORLD, request, error)
  call MPI_Send(data, 5, MPI_DOUBLE_PRECISION, 1 - rank, 3, MPI_COMM_WORLD, error)
  call MPI_Wait(request, status, error)
  call MPI_Allreduce(MPI_IN_PLACE, data, 5, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, error)
  call MPI_Finalize(error)
end program few_calls
