// The environment of a live job's processes: the options, told in variables.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launch/description/options.h"
#include "launch/description/rank_order.h"

namespace launch {

/// By name.
using Variables = std::map<std::string, std::string>;

/// What a live job is to be.
struct LiveLayout {
  std::uint64_t apid = 0;
  int ranks_per_node = 1;
  std::vector<int> nids;  ///< of places [i * ranks_per_node, ...)
  RankOrder order;        ///< which rank is at which place

  int nid_of(int rank) const {
    return nids[static_cast<std::size_t>(order.place_of(rank) / ranks_per_node)];
  }
};

/// Throws UsageError for options that only virtual time gives a meaning.
void refuse_virtual_options(const AprunOptions& options);

/// Warns of options that choose little of a live job.
void print_unused(const AprunOptions& options);

/// What all ranks have in common: this process's environment, -e, and what the options say.
Variables live_variables(const AprunOptions& options, const LiveLayout& job);

/// As NAME=value for execve(): `common` with a rank's own; `start_up` are entries in that form.
std::vector<std::string> rank_environment(Variables common, const LiveLayout& job, int rank,
                                          const std::vector<std::string>& start_up);

}  // namespace launch
