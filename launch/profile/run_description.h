// What is to be known of a run beside its figures, to tell it from others.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "corespec/config/parameters.h"

namespace launch {

/// A parameter that a run had not at its default.
struct ChangedParameter {
  std::string name;  ///< its variable
  std::string value;
  std::string fallback;
};
/// Those of `parameters` that differ from their defaults.
std::vector<ChangedParameter> changed_parameters(const corespec::Parameters& parameters);

struct RunDescription {
  std::vector<std::string> command;  ///< of the launcher, word by word
  std::string program;
  std::string clock;  ///< "virtual" or "live"
  std::string system;
  std::vector<std::string> machine;  ///< lines: network, nodes, placement of threads on CPUs
  int ranks = 0;
  int nodes = 0;
  std::vector<int> nid_of_rank;
  std::vector<ChangedParameter> parameters;
  double time_s = 0;        ///< virtual, or the host's, from the first rank's begin to the end
  std::string fingerprint;  ///< empty: it has none
  bool measured = false;    ///< computing was measured: the run does not repeat exactly
  int exit_code = 0;
};

}  // namespace launch
