// Fortran's names: attributes and generalized requests, with functions written in Fortran.
#include <cstdint>
#include <memory>

#include "netmod/fortran/binding.h"
#include "netmod/mpi/language.h"

namespace netmod::fortran {
namespace {

/*
 * An attribute's value is an integer in Fortran: what C has as a pointer. MPI-1's functions take
 * and give an INTEGER, the others an INTEGER(KIND=MPI_ADDRESS_KIND).
 */
template <class Integer>
Integer as_integer(void* value) {
  return static_cast<Integer>(reinterpret_cast<std::intptr_t>(value));
}
void* as_pointer(std::intptr_t value) {
  return reinterpret_cast<void*>(value);  // NOLINT(performance-no-int-to-ptr)
}

/// A function under the type that its language gives it.
template <class Function, class Given>
Function* function_as(Given* given) {
  return reinterpret_cast<Function*>(reinterpret_cast<void (*)()>(given));
}

template <class Integer>
int copy(MPI_Comm_copy_attr_function* function, int handle, int key, void* extra_state, void* value,
         void* copied, int* flag) {
  using Function = void(int*, int*, Integer*, Integer*, Integer*, int*, int*);
  auto state = as_integer<Integer>(extra_state);
  auto old = as_integer<Integer>(value);
  Integer made = 0;
  int error = MPI_SUCCESS;
  function_as<Function>(function)(&handle, &key, &state, &old, &made, flag, &error);
  *static_cast<void**>(copied) = as_pointer(made);
  return error;
}

template <class Integer>
int erase(MPI_Comm_delete_attr_function* function, int handle, int key, void* value,
          void* extra_state) {
  using Function = void(int*, int*, Integer*, Integer*, int*);
  auto state = as_integer<Integer>(extra_state);
  auto old = as_integer<Integer>(value);
  int error = MPI_SUCCESS;
  function_as<Function>(function)(&handle, &key, &old, &state, &error);
  return error;
}

template <class Integer>
constexpr KeyProxies proxies{copy<Integer>, erase<Integer>};

/// A key with the functions and the extra state that Fortran gave; `create` is C's function.
template <class Integer, class Create>
int create_key(Create* create, void (*copy_function)(), void (*erase_function)(), int* keyval,
               const Integer* extra_state) {
  int key = MPI_KEYVAL_INVALID;
  const int code = create(reinterpret_cast<MPI_Comm_copy_attr_function*>(copy_function),
                          reinterpret_cast<MPI_Comm_delete_attr_function*>(erase_function), &key,
                          as_pointer(*extra_state));
  if (code != MPI_SUCCESS) return code;
  *keyval = key;
  return MPIR_Keyval_set_proxies(key, &proxies<Integer>);
}

/// The keys of predefined attributes have names of their own in Fortran, one above C's.
bool is_predefined(int keyval) { return (static_cast<unsigned>(keyval) >> 30) == 1; }

/// What a predefined attribute of C points to is its value in Fortran, but for a window's address.
std::intptr_t predefined_value(int key, void* value) {
  if (key == MPI_WIN_BASE) return as_integer<std::intptr_t>(value);
  if (key == MPI_WIN_SIZE) return *static_cast<MPI_Aint*>(value);
  return *static_cast<int*>(value);
}

template <class Integer, class Get>
int get_attribute(Get* get, int handle, int keyval, Integer* value, int* flag) {
  const int key = is_predefined(keyval) ? keyval - 1 : keyval;
  void* found = nullptr;
  const int code = get(handle, key, &found, flag);
  if (code == MPI_SUCCESS && *flag != 0) {
    *value = is_predefined(keyval) ? static_cast<Integer>(predefined_value(key, found))
                                   : as_integer<Integer>(found);
  }
  return code;
}

/// A generalized request's functions and state; ends with the request.
struct GeneralizedRequest {
  void (*query)(long*, int*, int*);
  void (*free)(long*, int*);
  void (*cancel)(long*, int*, int*);
  long extra_state;
};

int query_request(void* state, MPI_Status* status) {
  auto* request = static_cast<GeneralizedRequest*>(state);
  int error = MPI_SUCCESS;
  request->query(&request->extra_state, reinterpret_cast<int*>(status), &error);
  return error;
}
int free_request(void* state) {
  const std::unique_ptr<GeneralizedRequest> request(static_cast<GeneralizedRequest*>(state));
  int error = MPI_SUCCESS;
  request->free(&request->extra_state, &error);
  return error;
}
int cancel_request(void* state, int complete) {
  auto* request = static_cast<GeneralizedRequest*>(state);
  int error = MPI_SUCCESS;
  request->cancel(&request->extra_state, &complete, &error);
  return error;
}

}  // namespace
}  // namespace netmod::fortran

using netmod::fortran::create_key;
using netmod::fortran::get_attribute;

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
  *ierror = MPI_Comm_set_attr(*comm, *keyval, netmod::fortran::as_pointer(*value));
}
void pmpi_type_set_attr_(const int* type, const int* keyval, const long* value, int* ierror) {
  *ierror = MPI_Type_set_attr(*type, *keyval, netmod::fortran::as_pointer(*value));
}
void pmpi_attr_put_(const int* comm, const int* keyval, const int* value, int* ierror) {
  *ierror = MPI_Attr_put(*comm, *keyval, netmod::fortran::as_pointer(*value));
}

void pmpi_grequest_start_(void (*query)(long*, int*, int*), void (*free)(long*, int*),
                          void (*cancel)(long*, int*, int*), const long* extra_state, int* request,
                          int* ierror) {
  auto made = std::make_unique<netmod::fortran::GeneralizedRequest>();
  *made = {query, free, cancel, *extra_state};
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
