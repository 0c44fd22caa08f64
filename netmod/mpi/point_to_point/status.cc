// Statuses, in the layout of the MPICH ABI.
#include "netmod/mpi/point_to_point/request.h"

namespace netmod {

void set_status(MPI_Status* status, int source, int tag, std::uint64_t bytes, bool cancelled) {
  if (status == MPI_STATUS_IGNORE) return;
  status->MPI_SOURCE = source;
  status->MPI_TAG = tag;
  status->count_lo = static_cast<int>(bytes & 0xffffffffu);
  status->count_hi_and_cancelled = static_cast<int>(bytes >> 32 << 1 | (cancelled ? 1 : 0));
}

void set_empty_status(MPI_Status* status) {
  set_status(status, MPI_ANY_SOURCE, MPI_ANY_TAG, 0, false);
  if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = MPI_SUCCESS;
}

void set_status(MPI_Status* status, const Completion& completion) {
  set_status(status, completion.source, completion.tag, completion.bytes, completion.cancelled);
}

std::uint64_t status_bytes(const MPI_Status& status) {
  const auto low = static_cast<std::uint32_t>(status.count_lo);
  const auto high = static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1;
  return std::uint64_t{high} << 32 | low;
}

}  // namespace netmod
