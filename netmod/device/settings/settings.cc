// What the device derives from the parameters.
#include "netmod/device/settings/settings.h"

#include <algorithm>

namespace netmod {
namespace {

ThreadLevel level_named(const std::string& name) {
  if (name == "single") return ThreadLevel::single;
  if (name == "funneled") return ThreadLevel::funneled;
  if (name == "serialized") return ThreadLevel::serialized;
  return ThreadLevel::multiple;
}

ProgressDesign design_named(const corespec::Parameters& p) {
  const std::string& name = p.async_progress;
  if (name == "1" || name == "SC" || name == "enabled") return ProgressDesign::phase_one;
  if (name == "MC") return ProgressDesign::phase_two;
  return p.stock_async_progress ? ProgressDesign::active : ProgressDesign::none;
}

}  // namespace

Settings make_settings(const corespec::Parameters& p, int job_size, ThreadLevel requested) {
  Settings settings;
  static_cast<Limits&>(settings) = make_limits(p, job_size);
  settings.parameters = &p;
  const ThreadLevel highest = level_named(p.max_thread_safety);
  // A user who asks for a progress thread without this has been warned
  // (corespec::setting_warnings).
  settings.design = highest == ThreadLevel::multiple ? design_named(p) : ProgressDesign::none;
  settings.granted = std::min(requested, highest);
  return settings;
}

}  // namespace netmod
