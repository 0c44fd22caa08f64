// What calls for several requests touch, prefetched.
#include "netmod/mpi/point_to_point/requests_prefetch.h"

#include "corespec/events/prefetch_lines.h"
#include "corespec/events/prefetch_numbers.h"
#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/point_to_point/requests.h"

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
    for (int i = 0; i < count; ++i)
      RequestsPrefetch::object(rank.requests().made, requests[i], lines);
  }
  Lines lines;
  for (int i = 0; i < count; ++i) {
    if (const RequestRecord* record = rank.requests().made.find(requests[i]))
      lines.add(record->device);
  }
}

}  // namespace netmod
