/* The MPI interface: include this. MPI-3.1 (the functions declared here), MPICH ABI, C99 or C++. */
#ifndef CASTOR_MPI_H
#define CASTOR_MPI_H

#include "mpi_types.h"

#include "mpi_constants.h"

#include "mpi_functions.h"

#include "mpi_datatypes.h"

#include "mpi_topology.h"

#include "mpi_windows.h"

#endif
