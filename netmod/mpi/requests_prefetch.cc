// What MPI calls touch of a rank's state and requests, prefetched.
#include "netmod/mpi/requests_prefetch.h"

#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"
#include "netmod/mpi/rank_state.h"

namespace netmod {

struct RequestsPrefetch {
  template <class T>
  static void object(const HandleTable<T>& table, int handle, corespec::LineRequests& lines) {
    const std::uint32_t slot = table.slot_of(handle);
    if (table.table_ != nullptr && slot < table.table_->used) lines.add(&table.table_->at(slot));
  }
};

__attribute__((noinline)) void prefetch_requests(RankState& rank, int count,
                                                 const MPI_Request* requests) {
  using Lines = corespec::LineList<corespec::prefetch_numbers::lines_of_look>;
  {
    Lines lines;
    for (int i = 0; i < count; ++i) RequestsPrefetch::object(rank.requests, requests[i], lines);
  }
  Lines lines;
  for (int i = 0; i < count; ++i) {
    if (const RequestRecord* record = rank.requests.find(requests[i])) lines.add(record->device);
  }
}

bool RankState::prefetch(corespec::Upcoming, unsigned, corespec::LineRequests& lines) const {
  lines.add(&world_);  // the line before it is there
  return false;
}

}  // namespace netmod
