// Attributes in Fortran: values are integers, and functions of keys get everything by address.
#pragma once

#include <cstdint>

#include "netmod/include/mpi.h"
#include "netmod/mpi/language.h"

namespace netmod::fortran {

/*
 * An attribute's value is an integer in Fortran: what C has as a pointer. MPI-1's functions take
 * and give an INTEGER, the others an INTEGER(KIND=MPI_ADDRESS_KIND).
 */
template <class Integer>
Integer as_integer(void* value) {
  return static_cast<Integer>(reinterpret_cast<std::intptr_t>(value));
}
inline void* as_pointer(std::intptr_t value) {
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
inline constexpr KeyProxies proxies{copy<Integer>, erase<Integer>};

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
inline bool is_predefined(int keyval) { return (static_cast<unsigned>(keyval) >> 30) == 1; }

/// What a predefined attribute of C points to is its value in Fortran, but for a window's address.
inline std::intptr_t predefined_value(int key, void* value) {
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

}  // namespace netmod::fortran
