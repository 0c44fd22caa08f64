// Fortran's names: attributes and generalized requests, with functions written in Fortran.
#include "netmod/fortran/attribute_functions.h"

#include <memory>

#include "netmod/fortran/binding.h"

namespace netmod::fortran {
namespace {

/// A generalized request's functions, and where the program's state is (they may change it); ends
/// with the request.
struct GeneralizedRequest {
  void (*query)(long*, int*, int*);
  void (*free)(long*, int*);
  void (*cancel)(long*, int*, int*);
  long* extra_state;
};

int query_request(void* state, MPI_Status* status) {
  auto* request = static_cast<GeneralizedRequest*>(state);
  int error = MPI_SUCCESS;
  request->query(request->extra_state, reinterpret_cast<int*>(status), &error);
  return error;
}
int free_request(void* state) {
  const std::unique_ptr<GeneralizedRequest> request(static_cast<GeneralizedRequest*>(state));
  int error = MPI_SUCCESS;
  request->free(request->extra_state, &error);
  return error;
}
int cancel_request(void* state, int complete) {
  auto* request = static_cast<GeneralizedRequest*>(state);
  int error = MPI_SUCCESS;
  request->cancel(request->extra_state, &complete, &error);
  return error;
}

}  // namespace
}  // namespace netmod::fortran

using netmod::fortran::create_key;
using netmod::fortran::get_attribute;
using netmod::fortran::set_attribute;

/// MPI_NULL_COPY_FN, MPI_NULL_DELETE_FN and MPI_DUP_FN of a kind of object.
#define CASTOR_FORTRAN_KEY_FUNCTIONS(prefix, Integer)                                            \
  void prefix##null_copy_fn_(int*, int*, Integer*, Integer*, Integer*, int* flag, int* ierror) { \
    *flag = 0;                                                                                   \
    *ierror = MPI_SUCCESS;                                                                       \
  }                                                                                              \
  void prefix##null_delete_fn_(int*, int*, Integer*, Integer*, int* ierror) {                    \
    *ierror = MPI_SUCCESS;                                                                       \
  }                                                                                              \
  void prefix##dup_fn_(int*, int*, Integer*, Integer* old, Integer* made, int* flag,             \
                       int* ierror) {                                                            \
    *made = *old;                                                                                \
    *flag = 1;                                                                                   \
    *ierror = MPI_SUCCESS;                                                                       \
  }

extern "C" {

CASTOR_FORTRAN_KEY_FUNCTIONS(mpi_, int)
CASTOR_FORTRAN_KEY_FUNCTIONS(mpi_comm_, long)
CASTOR_FORTRAN_KEY_FUNCTIONS(mpi_type_, long)
CASTOR_FORTRAN_KEY_FUNCTIONS(mpi_win_, long)

void pmpi_comm_create_keyval_(void (*copy)(), void (*erase)(), int* keyval, const long* extra_state,
                              int* ierror) {
  *ierror = create_key(MPI_Comm_create_keyval, copy, erase, keyval, extra_state);
}
void pmpi_type_create_keyval_(void (*copy)(), void (*erase)(), int* keyval, const long* extra_state,
                              int* ierror) {
  *ierror = create_key(MPI_Type_create_keyval, copy, erase, keyval, extra_state);
}
void pmpi_keyval_create_(void (*copy)(), void (*erase)(), int* keyval, const int* extra_state,
                         int* ierror) {
  *ierror = create_key(MPI_Keyval_create, copy, erase, keyval, extra_state);
}

void pmpi_comm_get_attr_(const int* comm, const int* keyval, long* value, int* flag, int* ierror) {
  *ierror = get_attribute(MPI_Comm_get_attr, *comm, *keyval, value, flag);
}
void pmpi_type_get_attr_(const int* type, const int* keyval, long* value, int* flag, int* ierror) {
  *ierror = get_attribute(MPI_Type_get_attr, *type, *keyval, value, flag);
}
void pmpi_attr_get_(const int* comm, const int* keyval, int* value, int* flag, int* ierror) {
  *ierror = get_attribute(MPI_Attr_get, *comm, *keyval, value, flag);
}

void pmpi_comm_set_attr_(const int* comm, const int* keyval, const long* value, int* ierror) {
  *ierror = set_attribute(MPI_Comm_set_attr, *comm, *keyval, *value);
}
void pmpi_type_set_attr_(const int* type, const int* keyval, const long* value, int* ierror) {
  *ierror = set_attribute(MPI_Type_set_attr, *type, *keyval, *value);
}
void pmpi_attr_put_(const int* comm, const int* keyval, const int* value, int* ierror) {
  *ierror = set_attribute(MPI_Attr_put, *comm, *keyval, *value);
}

void pmpi_grequest_start_(void (*query)(long*, int*, int*), void (*free)(long*, int*),
                          void (*cancel)(long*, int*, int*), long* extra_state, int* request,
                          int* ierror) {
  auto made = std::make_unique<netmod::fortran::GeneralizedRequest>();
  *made = {query, free, cancel, extra_state};
  *ierror = MPI_Grequest_start(netmod::fortran::query_request, netmod::fortran::free_request,
                               netmod::fortran::cancel_request, made.get(), request);
  if (*ierror == MPI_SUCCESS) static_cast<void>(made.release());  // free_request() ends it
}

}  // extern "C"

CASTOR_FORTRAN_PUBLISH(comm_create_keyval);
CASTOR_FORTRAN_PUBLISH(type_create_keyval);
CASTOR_FORTRAN_PUBLISH(keyval_create);
CASTOR_FORTRAN_PUBLISH(comm_get_attr);
CASTOR_FORTRAN_PUBLISH(type_get_attr);
CASTOR_FORTRAN_PUBLISH(attr_get);
CASTOR_FORTRAN_PUBLISH(comm_set_attr);
CASTOR_FORTRAN_PUBLISH(type_set_attr);
CASTOR_FORTRAN_PUBLISH(attr_put);
CASTOR_FORTRAN_PUBLISH(grequest_start);
