// Schedules under way: each pass of the device takes the steps that have become possible.
#include "netmod/mpi/collectives/engine/collective_state.h"

#include <cstddef>

#include "netmod/mpi/calls/rank_state.h"

namespace netmod {

void CollectiveState::run(Schedule& schedule) {
  if (schedule.advance()) return;
  schedules_.push_back(&schedule);
  rank_.device().listen(this);
}

void CollectiveState::passed() {
  const RankState::InPass in_pass(rank_);
  for (std::size_t i = 0; i < schedules_.size();) {  // a step may start another
    if (schedules_[i]->advance()) {
      schedules_.erase(schedules_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  if (schedules_.empty()) rank_.device().listen(nullptr);
}

}  // namespace netmod
