// What a user should hear of settings that are no mistake, and do not do what their names promise.
#pragma once

#include <string>
#include <vector>

#include "corespec/config/parameters.h"

namespace corespec {

/// What of a run decides which parameters it uses.
struct RunKind {
  bool live = false;      ///< on the host's clock
  bool by_aprun = false;  ///< whose options stand in for the parameters of Used::live_without_aprun
};

/// A line for each of `settings`, what a user has set, that has no effect in such a run: variable,
/// value, why. Of several settings of one name the last counts.
std::vector<std::string> setting_warnings(const std::vector<Setting>& settings, RunKind run);

/// What is said of a setting whose name no parameter has: with the nearest name that exists.
std::string no_such_variable(const Setting& setting);

}  // namespace corespec
