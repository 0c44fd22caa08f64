// What a rank keeps of collectives: the user's rules, and the schedules under way.
#pragma once

#include <utility>
#include <vector>

#include "netmod/mpi/calls/rank_state.h"
#include "netmod/mpi/collectives/engine/schedule.h"
#include "netmod/mpi/collectives/rules/choice.h"

namespace netmod {

class CollectiveState final : private PassListener {
 public:
  CollectiveState(RankState& rank, std::vector<Rule> own_rules)
      : rules(std::move(own_rules)), rank_(rank) {}

  /// Takes the first steps of a collective, and the others as they become possible.
  void run(Schedule& schedule);

  /// The user's rules of which algorithm a collective takes; they go before ours.
  const std::vector<Rule> rules;

 private:
  void passed() override;

  RankState& rank_;
  std::vector<Schedule*> schedules_;  ///< under way, in order of their calls
};

}  // namespace netmod
