! MPI from an installed tree: the module, free form.
program mpi_program
  use mpi
  implicit none
  integer :: rank, size, mine, total, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, size, error)
  mine = rank + 1
  call MPI_Allreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0) write (*, '(a)') merge('right', 'wrong', total == size * (size + 1) / 2)
  call MPI_Finalize(error)
end program mpi_program
