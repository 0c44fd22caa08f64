// What the library of another language's bindings (netmod/fortran) needs of libmpi besides MPI.
#pragma once

#include "netmod/include/mpi.h"

namespace netmod {

/// How the functions of an attribute key are called if they are not C's: with their address, and
/// then as C's are, but that values are integers. A key keeps a pointer to one of these.
struct KeyProxies {
  int (*copy)(MPI_Comm_copy_attr_function* function, int handle, int key, void* extra_state,
              MPI_Aint value, MPI_Aint* copied, int* flag);
  int (*erase)(MPI_Comm_delete_attr_function* function, int handle, int key, MPI_Aint value,
               void* extra_state);
};

}  // namespace netmod

extern "C" {

/// The key's functions are called through `proxies`, which must last as long. MPI_ERR_KEYVAL.
int MPIR_Keyval_set_proxies(int keyval, const netmod::KeyProxies* proxies);

/// Another language's view of an attribute of the object `handle`, which C's functions have found,
/// or have just set to the address of an integer: its value as an integer; from now on it is an
/// integer, a copy of that one. MPI_ERR_KEYVAL and the class of an object that is not there.
int MPIR_Attribute_get_integer(int handle, int keyval, MPI_Aint* value);
int MPIR_Attribute_make_integer(int handle, int keyval, MPI_Aint value);

/// Ends the MPI function `function` (MPI_COMM_WORLD's handler hears of it) as an error of class
/// `error_class`, which is returned; `what` says what was wrong.
int MPIR_Report_error(const char* function, int error_class, const char* what);

}  // extern "C"
