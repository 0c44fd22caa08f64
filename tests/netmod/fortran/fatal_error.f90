! Asks for an extent that a plain integer cannot hold: the job ends.
program fatal_error
  use mpi
  implicit none
  integer :: type, extent, error
  call MPI_Init(error)
  call MPI_Type_create_resized(MPI_INTEGER, 0_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND**40, type, error)
  call MPI_Type_extent(type, extent, error)
  call MPI_Finalize(error)
end program fatal_error
