// Checks of arguments: buffers of elements.
#pragma once

#include <cstdint>

#include "netmod/include/mpi.h"
#include "netmod/mpi/datatypes/checked.h"
#include "netmod/mpi/datatypes/datatype.h"

namespace netmod {

[[noreturn]] void fail_buffer(const char* name, std::int64_t count);
[[noreturn]] void fail_aliases();
[[noreturn]] void fail_in_place(const char* name);

/// A null buffer is fine if nothing is in it, or if the datatype's displacements are addresses. The
/// elements' size and places fit into 64 bits.
inline void check_buffer(const void* buffer, std::int64_t count, const TypeView& type,
                         const char* name = "buf") {
  if (buffer == nullptr && count > 0 && type.size > 0 && type.layout == nullptr) {
    fail_buffer(name, count);
  }
  check_elements(count, type);
}

/// A buffer that has elements is not MPI_IN_PLACE.
inline void check_in_place(const void* buffer, std::int64_t count, const char* name) {
  if (buffer == MPI_IN_PLACE && count > 0) fail_in_place(name);
}
/// What is sent and what comes in its place are different memory. MPICH's rule: elements of the
/// same datatype that begin at the same address. (Null: MPI_BOTTOM.)
inline void check_aliases(const void* sent, const TypeView& sent_type, std::int64_t sent_count,
                          const void* received, const TypeView& received_type,
                          std::int64_t received_count) {
  if (sent != received || sent == nullptr) [[likely]]
    return;
  if (sent_count * sent_type.size == 0 || received_count * received_type.size == 0) return;
  if (sent_type.handle == received_type.handle) fail_aliases();
}

}  // namespace netmod
