// By what a program that a rank starts sees that its rank is taken.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "corespec/config/parameters.h"

namespace launch {

/// What the process that is a rank of a live job leaves in the environment of the programs it
/// starts. The launcher's variables there say to each of them that it is that rank, too; but one
/// process can be it.
class RankMark {
 public:
  RankMark();
  ~RankMark();
  RankMark(const RankMark&) = delete;
  RankMark& operator=(const RankMark&) = delete;

  /// As all of that name, it goes no further than this job.
  static constexpr std::string_view variable = "ALPS_APP_PROCESS";

 private:
  int said_;  ///< a file of one byte, if a program has been warned
};

/// Whether the process that is the rank has started the calling one, of its job and rank.
bool started_by_rank(const std::vector<corespec::Setting>& environment);

/// True in the first process that asks of those whose rank is the same process.
bool first_started_by_rank(const std::vector<corespec::Setting>& environment);

}  // namespace launch
