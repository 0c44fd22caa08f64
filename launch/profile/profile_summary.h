// A profile over all ranks of a run: what its text and its file show.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "launch/profile/profile_data.h"

namespace launch {

/// A figure of every rank, in seconds. Ranks that never called count as 0.
struct OverRanks {
  double total = 0, mean = 0, least = 0, most = 0;
  int slowest = 0;  ///< the rank that has `most`; none: -1
  /// CrayPat's: most - mean, and its share of what the slowest rank could save if all ranks took
  /// the same, in percent.
  double imbalance_s() const { return most - mean; }
  double imbalance_percent(std::size_t ranks) const;
};

struct CallSummary {
  std::string name;
  CallGroup group = CallGroup::system;
  std::uint64_t calls = 0;  ///< of all ranks
  OverRanks time;
  double longest_s = 0;  ///< one call
  std::uint64_t messages = 0, bytes = 0;
  SizeHistogram sizes;
};

struct ProfileSummary {
  std::size_t ranks = 0;
  OverRanks whole;      ///< main threads, from begin to end
  OverRanks computing;  ///< without what was lost
  std::array<OverRanks, losses> lost_computing, lost_in_calls;
  OverRanks lock_waits;
  std::array<OverRanks, call_groups> groups;  ///< calls; of computing what the row `computing` has
  std::array<std::uint64_t, call_groups> group_calls{};
  std::vector<CallSummary> calls;  ///< by group, the longest first; none that was never called
  std::array<SizeHistogram, message_kinds> sizes;
  std::vector<ProtocolStatistics> protocols;  ///< E0, E1, R0, R1, node, then one-sided ones
  ServiceStatistics service;                  ///< of all ranks
  OverRanks service_time;
  OverRanks cpu_time, without_cpu;
};

ProfileSummary summarise(const ProfileData& data);

}  // namespace launch
