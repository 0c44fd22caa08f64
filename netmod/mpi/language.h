// What the library of another language's bindings (netmod/fortran) needs of libmpi besides MPI.
#pragma once

#include "netmod/include/mpi.h"

namespace netmod {

/// How the functions of an attribute key are called if they are not C's: with their address, and
/// then as C's are. A key keeps a pointer to one of these.
struct KeyProxies {
  int (*copy)(MPI_Comm_copy_attr_function* function, int handle, int key, void* extra_state,
              void* value, void* copied, int* flag);
  int (*erase)(MPI_Comm_delete_attr_function* function, int handle, int key, void* value,
               void* extra_state);
};

}  // namespace netmod

extern "C" {

/// The key's functions are called through `proxies`, which must last as long. MPI_ERR_KEYVAL.
int MPIR_Keyval_set_proxies(int keyval, const netmod::KeyProxies* proxies);

/// Ends the MPI function `function` (MPI_COMM_WORLD's handler hears of it) as an error of class
/// `error_class`, which is returned; `what` says what was wrong.
int MPIR_Report_error(const char* function, int error_class, const char* what);

}  // extern "C"
