// A run's parameters that differ from their defaults.
#include "launch/profile/run_description.h"

namespace launch {

std::vector<ChangedParameter> changed_parameters(const corespec::Parameters& parameters) {
  std::vector<ChangedParameter> changed;
  for (const corespec::ParameterInfo& each : corespec::describe(parameters)) {
    if (each.value != each.fallback) changed.push_back({each.env, each.value, each.fallback});
  }
  return changed;
}

}  // namespace launch
