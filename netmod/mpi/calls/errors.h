// What went wrong in an MPI call: class, words, and the names and texts of the classes.
#pragma once

#include <string>
#include <string_view>

#include "netmod/include/mpi.h"

namespace netmod {

/// Thrown inside the library, caught at the entry of the MPI call (call_scope.h), which hands it
/// to the error handler. `what` names the argument, its value and what is allowed.
struct MpiError {
  int error_class = MPI_ERR_OTHER;
  std::string what;
  MPI_Comm comm = MPI_COMM_NULL;  ///< whose handler is asked; null: the call's communicator
};

/// Throws an MpiError; out of line, so that hot paths stay small.
[[noreturn]] void fail(int error_class, std::string what, MPI_Comm comm = MPI_COMM_NULL);

/// A handle as texts name it: "0x98000003".
std::string handle_text(int handle);
/// The argument `name` is the null handle, whose name is `null_name`, or not `kind` ("a group").
[[noreturn]] void fail_handle(int error_class, int handle, int null, const char* name,
                              const char* null_name, const char* kind);

/// "MPI_ERR_COUNT", and one sentence; empty for a number that is no class.
std::string_view error_class_name(int error_class);
std::string_view error_class_text(int error_class);

/// Argument checks shared by many calls.
[[noreturn]] void fail_count(long count, const char* name);
[[noreturn]] void fail_pointer(const char* name);

inline void check_count(long count, const char* name = "count") {
  if (count < 0) fail_count(count, name);
}
inline void check_pointer(const void* pointer, const char* name) {
  if (pointer == nullptr) fail_pointer(name);
}

}  // namespace netmod
