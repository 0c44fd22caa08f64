// Attributes in Fortran: values are integers, and functions of keys get everything by address.
#pragma once

#include <cstdint>

#include "netmod/include/mpi.h"
#include "netmod/mpi/calls/language.h"

namespace netmod::fortran {

/*
 * An attribute's value is an integer in Fortran. MPI-1's functions take and give an INTEGER, the
 * others an INTEGER(KIND=MPI_ADDRESS_KIND): a value that was set as the other is sign-extended or
 * loses its upper bits. Extra states are such integers, too, where C has a pointer.
 */
template <class Integer>
Integer as_integer(void* extra_state) {
  return static_cast<Integer>(reinterpret_cast<std::intptr_t>(extra_state));
}
inline void* as_pointer(std::intptr_t extra_state) {
  return reinterpret_cast<void*>(extra_state);  // NOLINT(performance-no-int-to-ptr)
}

/// A function under the type that its language gives it.
template <class Function, class Given>
Function* function_as(Given* given) {
  return reinterpret_cast<Function*>(reinterpret_cast<void (*)()>(given));
}

template <class Integer>
int copy(MPI_Comm_copy_attr_function* function, int handle, int key, void* extra_state,
         MPI_Aint value, MPI_Aint* copied, int* flag) {
  using Function = void(int*, int*, Integer*, Integer*, Integer*, int*, int*);
  auto state = as_integer<Integer>(extra_state);
  auto old = static_cast<Integer>(value);
  Integer made = 0;
  int error = MPI_SUCCESS;
  function_as<Function>(function)(&handle, &key, &state, &old, &made, flag, &error);
  *copied = made;
  return error;
}

template <class Integer>
int erase(MPI_Comm_delete_attr_function* function, int handle, int key, MPI_Aint value,
          void* extra_state) {
  using Function = void(int*, int*, Integer*, Integer*, int*);
  auto state = as_integer<Integer>(extra_state);
  auto old = static_cast<Integer>(value);
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
inline MPI_Aint predefined_value(int key, void* value) {
  if (key == MPI_WIN_BASE) return reinterpret_cast<MPI_Aint>(value);
  if (key == MPI_WIN_SIZE) return *static_cast<MPI_Aint*>(value);
  return *static_cast<int*>(value);
}

template <class Integer, class Get>
int get_attribute(Get* get, int handle, int keyval, Integer* value, int* flag) {
  const int key = is_predefined(keyval) ? keyval - 1 : keyval;
  void* found = nullptr;
  const int code = get(handle, key, &found, flag);
  if (code != MPI_SUCCESS || *flag == 0) return code;
  MPI_Aint integer = 0;
  if (is_predefined(keyval)) {
    integer = predefined_value(key, found);
  } else {
    const int error = MPIR_Attribute_get_integer(handle, key, &integer);
    if (error != MPI_SUCCESS) return error;
  }
  *value = static_cast<Integer>(integer);
  return MPI_SUCCESS;
}

/// `set` is C's function, which tools see called as C would: with the integer's address.
template <class Set>
int set_attribute(Set* set, int handle, int keyval, MPI_Aint value) {
  const int code = set(handle, keyval, &value);
  return code != MPI_SUCCESS ? code : MPIR_Attribute_make_integer(handle, keyval, value);
}

}  // namespace netmod::fortran
