// Where the call of a function ends that no library has.
#pragma once

#include <string_view>

namespace corespec {

/// What a user can do about a function of this name that no library has: "link the library that
/// defines it", or, of MPI's own, which library lacks it. A literal, so that a signal handler may
/// call it.
inline const char* missing_function_remedy(std::string_view name) {
  for (const std::string_view mpi : {"MPI_", "PMPI_", "MPIX_", "mpi_", "pmpi_"}) {
    if (!name.starts_with(mpi)) continue;
    const std::string_view rest = name.substr(mpi.size());
    if (rest.starts_with("File_") || rest.starts_with("file_")) {
      return "Castor's MPI has no files (MPI-IO) yet";
    }
    return "Castor's MPI does not have it";
  }
  return "link the library that defines it";
}

}  // namespace corespec

/// Ends the caller's job with one line that names the function. The launcher gives it to programs
/// in the place of functions that they refer to and that do not exist
/// (launch/loader/missing_library.h).
extern "C" [[noreturn]] void castor_missing_function(const char* name);
