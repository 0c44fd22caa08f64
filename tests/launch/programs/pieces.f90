! Prints a line piece by piece while other ranks print theirs.
program pieces
  use mpi
  implicit none
  integer :: rank, error
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  write (*, '(a)', advance='no') 'rank'
  flush (6)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  write (*, '(i5)') rank
  flush (6)
  call MPI_Barrier(MPI_COMM_WORLD, error)
  write (0, '(a, i5)') 'error of', rank
  call MPI_Finalize(error)
end program pieces
