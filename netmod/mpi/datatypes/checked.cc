// What is said where a program's numbers do not fit into 64 bits.
#include "netmod/mpi/datatypes/checked.h"

#include <fmt/format.h>

#include <algorithm>

#include "netmod/mpi/calls/errors.h"

namespace netmod {

void fail_type_too_large() {
  fail(MPI_ERR_ARG,
       "the datatype's size, its bounds, or where its elements lie would not fit into 64 bits");
}

void fail_elements_too_large(std::int64_t count, const Datatype& type) {
  fail(MPI_ERR_COUNT,
       fmt::format("{} elements of a datatype of {} bytes with an extent of {}: their "
                   "size, or where they lie, does not fit into 64 bits",
                   count, type.size, type.extent()));
}

bool elements_fit(std::int64_t count, const Datatype& type) {
  std::int64_t bytes = 0, behind = 0, last = 0, end = 0;
  if (__builtin_mul_overflow(type.size, count, &bytes)) return false;
  if (count <= 0) return true;
  // One extent more than the last element begins at: what is one behind the other ends there.
  if (__builtin_mul_overflow(type.extent(), count, &behind)) return false;
  last = behind - type.extent();
  const std::int64_t low = std::min(type.lb, type.true_lb);
  const std::int64_t high = std::max(type.ub, type.true_ub);
  return !__builtin_add_overflow(low, std::min<std::int64_t>(0, last), &end) &&
         !__builtin_add_overflow(high, std::max<std::int64_t>(0, last), &end);
}

}  // namespace netmod
