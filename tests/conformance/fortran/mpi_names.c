// The few Fortran names of MPI that Global Arrays' Fortran tests call, over the C ones. Integers
// have 8 bytes, as in Debian's build of Global Arrays.
#include <mpi.h>
#include <stddef.h>

void mpi_init_(long* error) { *error = MPI_Init(NULL, NULL); }

void mpi_init_thread_(const long* required, long* provided, long* error) {
  int given = 0;
  *error = MPI_Init_thread(NULL, NULL, (int)*required, &given);
  *provided = given;
}

void mpi_finalize_(long* error) { *error = MPI_Finalize(); }

void mpi_comm_rank_(const long* communicator, long* rank, long* error) {
  int value = 0;
  *error = MPI_Comm_rank((MPI_Comm)*communicator, &value);
  *rank = value;
}

void mpi_comm_size_(const long* communicator, long* size, long* error) {
  int value = 0;
  *error = MPI_Comm_size((MPI_Comm)*communicator, &value);
  *size = value;
}

void mpi_barrier_(const long* communicator, long* error) {
  *error = MPI_Barrier((MPI_Comm)*communicator);
}

void mpi_abort_(const long* communicator, const long* code, long* error) {
  *error = MPI_Abort((MPI_Comm)*communicator, (int)*code);
}

double mpi_wtime_(void) { return MPI_Wtime(); }
