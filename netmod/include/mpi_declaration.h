/* How a function of the MPI interface is declared (part of mpi.h). */
#ifndef CASTOR_MPI_DECLARATION_H
#define CASTOR_MPI_DECLARATION_H

#include "mpi_types.h"

/* Under its own name and its profiling name. */
#define CASTOR_MPI(result, name, parameters) \
  result MPI_##name parameters;              \
  result PMPI_##name parameters;

#endif
